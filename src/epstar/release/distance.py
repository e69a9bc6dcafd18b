"""How far a released value is from the true one, said so that it means the same for every kind of table.

A CSV file holds numbers as text. The costs "absolute" and "squared" are between the numbers that the labels stand for,
whether they are written as numbers or as text; of words there is a distance only between their positions in the list
of categories, and only if that is asked for by name.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from epstar.distortion import Absolute, Distortion, ExactMatrix, Squared
from epstar.errors import InvalidInput
from epstar.exact import Rational, rational
from epstar.exact.common_denominator import Scaled
from epstar.problem_file import read_distortion, write_distortion
from epstar.universe import Alphabet, Universe

Scale = Literal["values", "positions"]


@dataclass(frozen=True)
class Between(Distortion):
    """An absolute or squared difference between the values that labels stand for, or between their positions.

    >>> Between(Absolute(), "values").matrix(Alphabet(["1", "2", "10"]))[0]
    (0, 1, 9)
    >>> Between(Absolute(), "positions").matrix(Alphabet(["low", "middle", "high"]))[0]
    (0, 1, 2)
    """

    cost: Absolute | Squared
    scale: Scale

    def matrix(self, universe: Universe) -> ExactMatrix:
        return self.cost.matrix(self._scaled(universe))

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        return self.cost.floats(self._scaled(universe))

    def scaled(self, universe: Universe) -> Scaled | None:
        return self.cost.scaled(self._scaled(universe))

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        return universe.labels

    def shape(self, universe: Universe) -> tuple[int, int]:
        return universe.size, universe.size

    def _scaled(self, universe: Universe) -> Universe:
        if self.scale == "positions":
            return Alphabet(universe.size)
        values = values_of(universe.labels)
        if values is None:
            raise InvalidInput(
                "A distance between values needs labels that are numbers; ask for one between positions."
            )
        return Alphabet(values)


def by_position(distortion: Distortion) -> Between:
    """Return an absolute or squared cost between the positions of the categories in their list.

    Raises:
        InvalidInput: for any other cost, which knows no order.

    >>> by_position(Absolute())
    Between(cost=Absolute(), scale='positions')
    """
    if isinstance(distortion, Absolute | Squared):
        return Between(distortion, "positions")
    raise InvalidInput("Only absolute and squared costs can be taken between positions; others know no order.")


def values_of(labels: Sequence[object]) -> list[Rational] | None:
    """Return the numbers that labels stand for, or None where one stands for none.

    >>> values_of(["1", "2.5", "10"]), values_of(["1", "2", "many"])
    ([1, 5/2, 10], None)
    """
    if any(isinstance(label, bool) or not isinstance(label, str | int | float) for label in labels):
        return None
    try:
        return [rational(label) for label in labels]
    except InvalidInput:
        return None


def distance(distortion: Distortion, labels: Sequence[object], name: str) -> Distortion:
    """Return the cost with the scale it is measured on; other costs than absolute and squared are as they were.

    Raises:
        InvalidInput: if the labels of the column `name` are not all numbers and no order was asked for.
    """
    if not isinstance(distortion, Absolute | Squared):
        return distortion
    values = values_of(labels)
    if values is None:
        raise InvalidInput(
            f"The categories of column {name!r} are not all numbers, so that there is no difference between them; take "
            "the cost hamming, or with `by_position` the difference of their positions in the list."
        )
    if len(set(values)) < len(values):
        raise InvalidInput(f"Two categories of column {name!r} stand for the same number; leave one of them out.")
    if all(isinstance(label, int | float) for label in labels):
        return distortion
    return Between(distortion, "values")


def write_distance(distortion: Distortion, universe: Universe) -> dict[str, object]:
    """Return the cost as it stands in a release file: as in a problem file, with the scale it was measured on."""
    if isinstance(distortion, Between):
        return {**write_distortion(distortion.cost, universe), "between": distortion.scale}
    document = write_distortion(distortion, universe)
    return {**document, "between": "values"} if isinstance(distortion, Absolute | Squared) else document


def read_distance(entry: Mapping[str, Any]) -> Distortion:
    """Return the cost that a release file states.

    Files that say nothing of a scale were written when numbers had values and everything else had positions.
    """
    stated = {key: value for key, value in entry.items() if key not in ("between", "worst_case", "not_measured")}
    distortion, scale = read_distortion(stated), entry.get("between")
    if scale is None:
        return distortion
    if scale in ("values", "positions") and isinstance(distortion, Absolute | Squared):
        return Between(distortion, scale)
    raise InvalidInput("The release file states a cost on a scale that is not known; use the original file.")
