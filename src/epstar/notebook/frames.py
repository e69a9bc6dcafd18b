"""DataFrames: what `.to_frame()` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epstar.curve import Curve
from epstar.extras import required
from epstar.mechanism import AnyMechanism

if TYPE_CHECKING:
    from pandas import DataFrame

    from epstar.release.estimate import Estimate


def frame(value: AnyMechanism | Curve | Estimate) -> DataFrame:
    """Return a mechanism with its labels, the points of a curve, or the cells of an estimate as a frame.

    Raises:
        InvalidInput: if a mechanism is too large to be written out.
        MissingExtra: if pandas is not installed.
    """
    pandas = required("pandas", "Frames need")
    if isinstance(value, AnyMechanism):
        dense = value.dense()
        return pandas.DataFrame(
            dense.floats.copy(),
            index=_index(pandas, dense.universe.labels, "input"),
            columns=_index(pandas, dense.outputs, "output"),
        )
    if isinstance(value, Curve):
        given = "distortion" if value.asks == "loss" else "loss"
        places = value.distortion if value.asks == "loss" else value.loss
        found = pandas.DataFrame({given: places, "lower": value.lower, "upper": value.upper})
        found.attrs |= {"unit": value.unit, "notion": value.problems[0].notion.full_title}
        return found
    columns: dict[Any, list[Any]] = {
        name: [cell.labels[place] for cell in value.cells] for place, name in enumerate(value.names)
    }
    for name in ("frequency", "lower", "upper", "unbiased"):
        # A column of the table may have such a name too.
        columns[name if name not in columns else f"{name} (estimated)"] = [
            _number(getattr(cell, name)) for cell in value.cells
        ]
    return pandas.DataFrame(columns)


def _index(pandas: Any, labels: Any, name: str) -> Any:
    # A label that is a tuple is one label, and not one for each of several levels.
    return pandas.Index(list(labels), name=name, tupleize_cols=False)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
