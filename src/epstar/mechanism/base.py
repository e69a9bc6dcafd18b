"""What every mechanism can answer, whether its matrix is written out or only described."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from epstar.arguments import whole_number
from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.memory import TooLarge
from epstar.notebook.face import Displayed, Drawn, Saved, Tabular, late
from epstar.source import Maximum, RowsMaximum, Source
from epstar.universe import Label, Universe

if TYPE_CHECKING:
    from epstar.mechanism.dense import Mechanism

SCHEMA = "epstar/mechanism/1"

# Where a mechanism remembers its loss, by which notion and under which laws: no copy of it does.
MEASURED = "_measured"

# A matrix of more entries than this is written out only when the caller asks for it by number.
DENSE_LIMIT = 1_000_000


@dataclass(frozen=True, init=False, eq=False, repr=False)
class AnyMechanism(Displayed, Drawn, Tabular, Saved, ABC):
    """A conditional distribution Q(y|x): for each input of a universe, a distribution on the outputs.

    Inputs x and outputs y are positions, counted from 0. `Mechanism` has its matrix written out; the others
    are described by a few numbers and never expanded, so that a million symbols or rows are ordinary.

    >>> from epstar import Mechanism, TopRandomisedResponse
    >>> from epstar.mechanism import AnyMechanism
    >>> isinstance(Mechanism([[1, 0], [0, 1]]), AnyMechanism), issubclass(TopRandomisedResponse, AnyMechanism)
    (True, True)
    """

    _face: ClassVar[str] = "mechanisms"
    is_expanded: ClassVar[bool] = False
    """Whether the matrix is written out."""

    universe: Universe
    outputs: Sequence[Hashable]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The number of inputs and the number of outputs."""

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether every probability is a rational that was given or computed exactly."""

    @abstractmethod
    def entry(self, x: int, y: int) -> Rational:
        """Return Q(y|x) exactly.

        A mechanism of floats stands for the one whose rows are those floats divided by their sum.
        """

    @abstractmethod
    def costs(self, distortion: Distortion) -> tuple[Rational, ...]:
        """Return the expected distortion of each input, exactly."""

    @abstractmethod
    def _expanded(self) -> Mechanism:
        """The same mechanism with its matrix written out, whatever its size."""

    @abstractmethod
    def to_json(self) -> dict[str, object]:
        """Return a JSON object of schema "epstar/mechanism/1" from which `from_json` builds an equal one."""

    @abstractmethod
    def _key(self) -> tuple[object, ...]:
        """What makes two mechanisms of one kind equal."""

    @staticmethod
    def from_json(document: Mapping[str, object]) -> AnyMechanism:
        """Return the mechanism that `to_json` described, of whichever kind it is.

        Raises:
            InvalidInput: if the document is not one of schema "epstar/mechanism/1".
        """
        # Reading needs every kind, and every kind is below this class.
        from epstar.mechanism.document import read_mechanism

        return read_mechanism(document)

    def dense(self, limit: int = DENSE_LIMIT) -> Mechanism:
        """Return the same mechanism with its matrix written out; a `Mechanism` returns itself.

        Raises:
            InvalidInput: if the matrix is still to be written out and would have more than `limit` entries.
        """
        inputs, outputs = self.shape
        if not self.is_expanded and inputs * outputs > limit:
            raise TooLarge(
                f"The matrix would have more than {limit} entries; use the structured form, or raise `limit`."
            )
        return self._expanded()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the matrix in floats, as `np.asarray` asks for it."""
        return np.array(self.dense().floats, dtype=dtype, copy=copy)

    @overload
    def sample(self, x: Label, size: None = None) -> Label: ...

    @overload
    def sample(self, x: Label, size: int) -> list[Label]: ...

    def sample(self, x: Label, size: int | None = None) -> Label | list[Label]:
        """Return an output for the input of label `x`, or a list of `size` independent ones, by their labels.

        They are drawn exactly from the mechanism, with random bits under a key that the operating system drew. Each is
        another answer about `x`, whose loss adds to that of the others. Tables are the business of `epstar.release`.

        Raises:
            InvalidInput: if `x` is no label of an input, or there are more than a million outputs.
            MissingExtra: if the cryptography package is not installed.
        """
        drawn: Label | list[Label] = late("sampling").sample(self, x, size)
        return drawn

    def distortion(self, distortion: Distortion, source: Source) -> Maximum | RowsMaximum:
        """Return the worst expected distortion over the source, and an input distribution that attains it, exactly.

        The distribution of a database of independent rows is given row by row.
        """
        self._check_source(source)
        return source.maximum(self.costs(distortion))

    def _check_source(self, source: Source) -> None:
        if source.size != self.shape[0]:
            raise InvalidInput(
                f"The source has {counted(source.size)} categories and the mechanism "
                f"{counted(self.shape[0])} inputs; "
                "they must be the same."
            )

    def _check_place(self, x: int, y: int) -> None:
        for place, size, what in ((x, self.shape[0], "Input"), (y, self.shape[1], "Output")):
            if whole_number(place, what, 0) >= size:
                raise InvalidInput(f"{what} {counted(place)} does not exist; places run from 0 to {counted(size - 1)}.")

    def __getstate__(self) -> dict[str, object]:
        # What was measured of it may be numbers with recipes, which cannot be sent between processes.
        return {name: value for name, value in vars(self).items() if name != MEASURED}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnyMechanism):
            return NotImplemented
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self._key()))

    def __repr__(self) -> str:
        inputs, outputs = (counted(size) for size in self.shape)
        kind = "exact" if self.is_exact else "floats"
        return f"{type(self).__name__}({inputs} inputs, {outputs} outputs, {kind})"


def counted(size: int) -> str:
    """Return a number of inputs or outputs as text."""
    # The number of databases may have more digits than Python agrees to print.
    return str(size) if size.bit_length() <= 64 else f"about 2^{size.bit_length() - 1}"
