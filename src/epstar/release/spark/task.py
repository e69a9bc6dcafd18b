"""What runs inside Spark's tasks, and what is told of it when it fails."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from epstar.errors import EpstarError, InvalidInput, MissingExtra, detached
from epstar.extras import required
from epstar.release.atomic_files import WriteFailed
from epstar.release.kernel import Kernel
from epstar.release.keystream import NoEntropy
from epstar.release.writers import decoded

Result = TypeVar("Result")

# How a worker's error reads in the message of Spark's own; what epstar says holds nothing of the table.
_SAID = re.compile(r"epstar\.[a-z_.]*\.(InvalidInput|NoEntropy|MissingExtra): ([^\n]*)")
_KINDS: dict[str, type[EpstarError]] = {kind.__name__: kind for kind in (InvalidInput, NoEntropy, MissingExtra)}


def require_pyspark() -> None:
    """Raise a `MissingExtra` unless PySpark 4 is installed."""
    pyspark = required("pyspark", "Spark is used through")
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise MissingExtra(
            "Spark is used through pyspark 4 or newer; upgrade it with: pip install --upgrade 'epstar[spark]'."
        )


def applied(kernel: Kernel, dataframe: Any) -> Any:
    """Return the DataFrame that the kernel makes of one whose columns are at least those of its layout."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    given = {field.name: field.dataType for field in dataframe.schema.fields}
    fields = [
        StructField(
            name, given[name] if name in kernel.layout.kept else from_arrow_type(kernel.schema.field(name).type)
        )
        for name in kernel.layout.names
    ]
    # Spark's own mapInArrow stumbles over dots in names, so columns travel under their numbers.
    numbered = dataframe.toDF(*(f"column{number}" for number in range(len(given))))
    with warnings.catch_warnings():
        # PySpark warns that its pandas functions are behind; only Arrow is used here.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        return numbered.mapInArrow(Task(kernel, tuple(given)), StructType(fields))


@dataclass(frozen=True)
class Task:
    """The kernel as Spark calls it, with the batches of one partition and the names of their columns."""

    kernel: Kernel
    names: tuple[str, ...]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the released batches."""
        for batch in batches:
            yield decoded(self.kernel.apply(batch.rename_columns(list(self.names))))


def plainly(action: Callable[[], Result]) -> Result:
    """Return what `action` returns, or raise a sentence of epstar in place of any error of Spark.

    Spark's errors hold the plan of the job and tracebacks of workers, so none of them is attached.
    """
    require_pyspark()
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    with detached():
        try:
            return action()
        except (PySparkException, Py4JError) as error:
            raise _plain(str(error)) from None


def _plain(message: str) -> EpstarError:
    said = _SAID.search(message)
    if said is not None:
        return _KINDS[said[1]](said[2])
    return WriteFailed("Spark could not finish the release, and nothing was released; its log says why.")
