"""Distortions: what it costs to answer y when the truth is x.

A distortion needs a universe: the named kinds read their costs off its labels (on databases row by row), and
a table must have one row per element.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational
from epstar.reading import Table, nearest_floats, shown, table
from epstar.universe import Alphabet, Databases, Universe

ExactMatrix = tuple[tuple[Rational, ...], ...]
EXACT_LIMIT = 1 << 22
FLOAT_LIMIT = 1 << 27


class Distortion(ABC):
    """The cost of every output for every input of a universe."""

    @abstractmethod
    def matrix(self, universe: Universe) -> ExactMatrix:
        """Return the costs exactly, one row per input and one column per output.

        Raises:
            InvalidInput: if the matrix would have more than 2**22 entries, or does not fit the universe.
        """

    @abstractmethod
    def floats(self, universe: Universe) -> NDArray[np.float64]:
        """Return the costs as floats; the named kinds do so without fractions, up to 2**27 entries."""

    @abstractmethod
    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        """Return the labels of the outputs."""

    @abstractmethod
    def shape(self, universe: Universe) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""


class _PerLetter(Distortion):
    """A cost of pairs of letters; on databases it is summed over the rows."""

    def matrix(self, universe: Universe) -> ExactMatrix:
        _check_entries(universe.size**2, EXACT_LIMIT)
        if not isinstance(universe, Databases):
            return self._letters(universe)
        per_letter = self._letters(universe.alphabet)
        # Row by row: the cost of two databases is that of their first rows plus that of the rest.
        whole: list[list[Rational]] = [[ZERO]]
        for _ in range(universe.rows):
            whole = [[head + tail for head in costs for tail in rest] for costs in per_letter for rest in whole]
        return tuple(tuple(row) for row in whole)

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        _check_entries(universe.size**2, FLOAT_LIMIT)
        if not isinstance(universe, Databases):
            return self._float_letters(universe)
        per_letter = self._float_letters(universe.alphabet)
        whole = np.zeros((1, 1))
        for _ in range(universe.rows):
            size = len(per_letter) * len(whole)
            whole = (per_letter[:, None, :, None] + whole[None, :, None, :]).reshape(size, size)
        return whole

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        return universe.labels

    def shape(self, universe: Universe) -> tuple[int, int]:
        return universe.size, universe.size

    @abstractmethod
    def _letters(self, universe: Universe) -> ExactMatrix: ...

    @abstractmethod
    def _float_letters(self, universe: Universe) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class Hamming(_PerLetter):
    """0 for the truth and 1 for anything else; on databases the number of wrong rows.

    >>> Hamming().matrix(Alphabet(2))
    ((0, 1), (1, 0))
    """

    def _letters(self, universe: Universe) -> ExactMatrix:
        letters = range(universe.size)
        return tuple(tuple(ZERO if i == j else ONE for j in letters) for i in letters)

    def _float_letters(self, universe: Universe) -> NDArray[np.float64]:
        return np.ones((universe.size, universe.size)) - np.eye(universe.size)


@dataclass(frozen=True)
class Absolute(_PerLetter):
    """|x - y| of the labels if all are numbers, else of the indices; on databases summed over the rows."""

    def _letters(self, universe: Universe) -> ExactMatrix:
        values = _places(universe)
        return tuple(tuple(abs(a - b) for b in values) for a in values)

    def _float_letters(self, universe: Universe) -> NDArray[np.float64]:
        values = nearest_floats(_places(universe))
        differences: NDArray[np.float64] = np.abs(values[:, None] - values[None, :])
        return differences


@dataclass(frozen=True)
class Squared(_PerLetter):
    """(x - y)^2 of the labels if all are numbers, else of the indices; on databases summed over the rows."""

    def _letters(self, universe: Universe) -> ExactMatrix:
        values = _places(universe)
        return tuple(tuple((a - b) * (a - b) for b in values) for a in values)

    def _float_letters(self, universe: Universe) -> NDArray[np.float64]:
        values = nearest_floats(_places(universe))
        squares: NDArray[np.float64] = (values[:, None] - values[None, :]) ** 2
        return squares


@dataclass(frozen=True, init=False)
class _Given(Distortion):
    """A table with one row per input; the outputs are the labels of the universe unless they are named."""

    values: ExactMatrix
    names: tuple[Hashable, ...] | None

    def __init__(self, values: Table, names: Sequence[Hashable] | None, what: str, columns: str) -> None:
        exact = table(values, what)
        object.__setattr__(self, "values", exact)
        given = None if names is None else Alphabet(names).labels
        if given is not None and len(given) != len(exact[0]):
            raise InvalidInput(f"{what} has {len(exact[0])} columns, but {len(given)} {columns} are named.")
        object.__setattr__(self, "names", given)

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        _, columns = self.shape(universe)
        if self.names is not None:
            return self.names
        return universe.labels if columns == universe.size else range(columns)

    def shape(self, universe: Universe) -> tuple[int, int]:
        if len(self.values) != universe.size:
            raise InvalidInput(
                f"The table has {len(self.values)} rows, but the universe has {shown(universe.size)}; "
                "give one row per element."
            )
        return len(self.values), len(self.values[0])

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        return np.array([nearest_floats(row) for row in self.matrix(universe)])


class Matrix(_Given):
    """Costs given one by one: `values[x][y]`, none of them negative.

    >>> Matrix([[0, 2], [1, 0], [1, 1]]).shape(Alphabet(3))
    (3, 2)
    """

    def __init__(self, values: Table, outputs: Sequence[Hashable] | None = None) -> None:
        super().__init__(values, outputs, "A distortion matrix", "outputs")
        for x, row in enumerate(self.values):
            for y, cost in enumerate(row):
                if cost < ZERO:
                    raise InvalidInput(
                        f"The cost of output {y} for input {x} is {shown(cost)}; costs are at least 0, "
                        "so use a Gain for what is to be maximised."
                    )

    def matrix(self, universe: Universe) -> ExactMatrix:
        self.shape(universe)
        return self.values


class Gain(_Given):
    """What a guess is worth, `values[x][guess]`, to be maximised; `matrix` holds minus the gains."""

    def __init__(self, values: Table, guesses: Sequence[Hashable] | None = None) -> None:
        super().__init__(values, guesses, "A gain matrix", "guesses")

    @property
    def guesses(self) -> tuple[Hashable, ...] | None:
        """The names of the guesses, if they were given."""
        return self.names

    def matrix(self, universe: Universe) -> ExactMatrix:
        self.shape(universe)
        return tuple(tuple(-gain for gain in row) for row in self.values)


def _places(universe: Universe) -> list[Rational]:
    """Return the labels if all of them are numbers, otherwise the indices."""
    numeric = [
        label
        for label in universe.labels
        if isinstance(label, int | float | Fraction | Decimal | Rational | np.integer | np.floating)
        and not isinstance(label, bool)
    ]
    if len(numeric) == universe.size:
        return [rational(label) for label in numeric]
    return [Rational(k) for k in range(universe.size)]


def _check_entries(entries: int, limit: int) -> None:
    if entries > limit:
        raise InvalidInput(
            f"The distortion matrix would have {shown(entries)} entries, above the limit of {limit}; "
            "on databases work with one row, or use floats for tables of moderate size."
        )
