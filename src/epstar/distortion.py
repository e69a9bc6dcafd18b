"""Distortions: what it costs to answer y when the truth is x.

A distortion needs a universe: the named kinds read their costs off its labels (on databases row by row), and
a table must have one row per element.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational
from epstar.exact.common_denominator import Integers, Scaled, bits, narrowed, widened
from epstar.exact.vectors import nearest_floats
from epstar.memory import TooLarge
from epstar.names import COSTS
from epstar.probability_vectors import Table, table
from epstar.universe import Alphabet, Databases, Universe

ExactMatrix = tuple[tuple[Rational, ...], ...]
EXACT_LIMIT = 1 << 22
FLOAT_LIMIT = 1 << 27


@dataclass(frozen=True, eq=False)
class Cheapest:
    """For each input the first of its cheapest outputs, by position, and what it costs.

    >>> from epstar import Alphabet, Hamming
    >>> found = Hamming().cheapest(Alphabet(3))
    >>> found.outputs.tolist(), [str(cost) for cost in found.costs]
    ([0, 1, 2], ['0', '0', '0'])
    """

    outputs: NDArray[np.int64]
    costs: tuple[Rational, ...]


class Distortion(ABC):
    """The cost of every output for every input of a universe: `Hamming`, `Absolute`, `Squared`, `Matrix` or `Gain`.

    >>> from epstar import Alphabet
    >>> isinstance(Hamming(), Distortion), Hamming().matrix(Alphabet(2))
    (True, ((0, 1), (1, 0)))
    """

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
    def scaled(self, universe: Universe) -> Scaled | None:
        """Return the costs exactly over one denominator; None if they have none of moderate size."""

    @abstractmethod
    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        """Return the labels of the outputs."""

    @abstractmethod
    def shape(self, universe: Universe) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""

    def totals(self, universe: Universe, outputs: Sequence[int]) -> tuple[Rational, ...]:
        """Return for each input what some outputs cost together."""
        return tuple(sum((row[y] for y in outputs), ZERO) for row in self.matrix(universe))

    def cheapest(self, universe: Universe) -> Cheapest:
        """Return the cheapest output of each input."""
        scaled = self.scaled(universe)
        if scaled is None:
            rows = self.matrix(universe)
            costs = tuple(min(row) for row in rows)
            outputs = np.array([row.index(cost) for row, cost in zip(rows, costs, strict=True)], dtype=np.int64)
            return Cheapest(outputs, costs)
        least = scaled.numerators.argmin(axis=1)
        costs = Scaled(scaled.numerators[np.arange(len(least)), least], scaled.denominator).fractions()
        return Cheapest(least.astype(np.int64), costs)


class _PerLetter(Distortion):
    """A cost of pairs of categories; on databases it is summed over the rows."""

    def matrix(self, universe: Universe) -> ExactMatrix:
        check_entries(universe.size**2, EXACT_LIMIT)
        if not isinstance(universe, Databases):
            return self._letters(universe)
        per_letter = self._letters(universe.alphabet)
        # Row by row: the cost of two databases is that of their first rows plus that of the rest.
        whole: list[list[Rational]] = [[ZERO]]
        for _ in range(universe.rows):
            whole = [[head + tail for head in costs for tail in rest] for costs in per_letter for rest in whole]
        return tuple(tuple(row) for row in whole)

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        check_entries(universe.size**2, FLOAT_LIMIT)
        if not isinstance(universe, Databases):
            return self._float_letters(universe)
        per_letter = self._float_letters(universe.alphabet)
        whole = np.zeros((1, 1))
        for _ in range(universe.rows):
            size = len(per_letter) * len(whole)
            whole = (per_letter[:, None, :, None] + whole[None, :, None, :]).reshape(size, size)
        return whole

    def scaled(self, universe: Universe) -> Scaled | None:
        check_entries(universe.size**2, EXACT_LIMIT)
        letters = self._scaled_letters(universe.alphabet if isinstance(universe, Databases) else universe)
        if letters is None or not isinstance(universe, Databases):
            return letters
        whole: Integers = np.zeros((1, 1), dtype=np.int64)
        per_letter = widened(letters.numerators) if bits(letters.numerators) > 31 else letters.numerators
        for _ in range(universe.rows):
            size = len(per_letter) * len(whole)
            whole = (per_letter[:, None, :, None] + whole[None, :, None, :]).reshape(size, size)
        return Scaled(whole, letters.denominator)

    def cheapest(self, universe: Universe) -> Cheapest:
        """Return the truth, which costs nothing; no matrix is needed."""
        check_entries(universe.size, FLOAT_LIMIT)
        return Cheapest(np.arange(universe.size), (ZERO,) * universe.size)

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        return universe.labels

    def shape(self, universe: Universe) -> tuple[int, int]:
        return universe.size, universe.size

    @abstractmethod
    def _letters(self, universe: Universe) -> ExactMatrix: ...

    @abstractmethod
    def _float_letters(self, universe: Universe) -> NDArray[np.float64]: ...

    @abstractmethod
    def _scaled_letters(self, universe: Universe) -> Scaled | None: ...


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

    def _scaled_letters(self, universe: Universe) -> Scaled | None:
        return Scaled(1 - np.eye(universe.size, dtype=np.int64), 1)


@dataclass(frozen=True)
class Absolute(_PerLetter):
    """|x - y| of the labels if all are numbers, else of the indices; on databases summed over the rows.

    >>> from epstar import Alphabet
    >>> Absolute().matrix(Alphabet(["low", "middle", "high"]))
    ((0, 1, 2), (1, 0, 1), (2, 1, 0))
    """

    def totals(self, universe: Universe, outputs: Sequence[int]) -> tuple[Rational, ...]:
        """Return for each input what some outputs cost together, from sums over those on either side of it."""
        if isinstance(universe, Databases):
            return super().totals(universe, outputs)
        values = _places(universe)
        chosen = sorted(values[y] for y in outputs)
        sums = [ZERO, *accumulate(chosen)]
        return tuple(
            value * (2 * below - len(chosen)) + sums[-1] - 2 * sums[below]
            for value, below in ((value, bisect_left(chosen, value)) for value in values)
        )

    def _letters(self, universe: Universe) -> ExactMatrix:
        values = _places(universe)
        return tuple(tuple(abs(a - b) for b in values) for a in values)

    def _float_letters(self, universe: Universe) -> NDArray[np.float64]:
        values = nearest_floats(_places(universe))
        differences: NDArray[np.float64] = np.abs(values[:, None] - values[None, :])
        return differences

    def _scaled_letters(self, universe: Universe) -> Scaled | None:
        return _differences(universe, 1)


@dataclass(frozen=True)
class Squared(_PerLetter):
    """(x - y)^2 of the labels if all are numbers, else of the indices; on databases summed over the rows.

    >>> from epstar import Alphabet
    >>> Squared().matrix(Alphabet([0, 1, 4]))
    ((0, 1, 16), (1, 0, 9), (16, 9, 0))
    """

    def totals(self, universe: Universe, outputs: Sequence[int]) -> tuple[Rational, ...]:
        """Return for each input what some outputs cost together, from their first two moments."""
        if isinstance(universe, Databases):
            return super().totals(universe, outputs)
        values = _places(universe)
        chosen = [values[y] for y in outputs]
        first, second = sum(chosen, ZERO), sum((value * value for value in chosen), ZERO)
        return tuple(value * value * len(chosen) - 2 * value * first + second for value in values)

    def _letters(self, universe: Universe) -> ExactMatrix:
        values = _places(universe)
        return tuple(tuple((a - b) * (a - b) for b in values) for a in values)

    def _float_letters(self, universe: Universe) -> NDArray[np.float64]:
        values = nearest_floats(_places(universe))
        squares: NDArray[np.float64] = (values[:, None] - values[None, :]) ** 2
        return squares

    def _scaled_letters(self, universe: Universe) -> Scaled | None:
        return _differences(universe, 2)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _Given(Distortion):
    """A table with one row per input; the outputs are the labels of the universe unless they are named."""

    names: tuple[Hashable, ...] | None
    _given: ExactMatrix | NDArray[np.float64]

    def __init__(self, values: Table, names: Sequence[Hashable] | None, what: str, columns: str) -> None:
        given: ExactMatrix | NDArray[np.float64]
        if isinstance(values, np.ndarray) and _is_float_table(values):
            # A million floats become fractions only if somebody asks for those.
            given = values + 0.0
            given.flags.writeable = False
        else:
            given = table(values, what)
        labels = None if names is None else Alphabet(names).labels
        if labels is not None and len(labels) != len(given[0]):
            raise InvalidInput(f"{what} has {len(given[0])} columns, but {len(labels)} {columns} are named.")
        object.__setattr__(self, "names", labels)
        object.__setattr__(self, "_given", given)

    @cached_property
    def values(self) -> ExactMatrix:
        """The table in exact rationals."""
        return table(self._given, "A table") if isinstance(self._given, np.ndarray) else self._given

    @cached_property
    def _nearest(self) -> NDArray[np.float64]:
        if isinstance(self._given, np.ndarray):
            return self._given
        scaled = self._scaled_values
        return np.array([nearest_floats(row) for row in self._given]) if scaled is None else scaled.floats()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Given) or type(self) is not type(other) or self.names != other.names:
            return NotImplemented if not isinstance(other, _Given) else False
        if isinstance(self._given, np.ndarray) and isinstance(other._given, np.ndarray):
            return np.array_equal(self._given, other._given)
        return self.values == other.values

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.names, len(self._given), len(self._given[0])))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(values={self.values!r}, names={self.names!r})"

    def outputs(self, universe: Universe) -> Sequence[Hashable]:
        _, columns = self.shape(universe)
        if self.names is not None:
            return self.names
        return universe.labels if columns == universe.size else range(columns)

    def shape(self, universe: Universe) -> tuple[int, int]:
        if len(self._given) != universe.size:
            raise InvalidInput(
                f"The table has {len(self._given)} rows, but the universe has {shown(universe.size)}; "
                "give one row per element."
            )
        return len(self._given), len(self._given[0])

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        self.shape(universe)
        return self._nearest.copy()

    @cached_property
    def _scaled_values(self) -> Scaled | None:
        return Scaled.of_table(self.values)

    def scaled(self, universe: Universe) -> Scaled | None:
        self.shape(universe)
        return self._scaled_values


class Matrix(_Given):
    """Costs given one by one: `values[x][y]`, none of them negative.

    >>> Matrix([[0, 2], [1, 0], [1, 1]]).shape(Alphabet(3))
    (3, 2)
    """

    def __init__(self, values: Table, outputs: Sequence[Hashable] | None = None) -> None:
        super().__init__(values, outputs, "A distortion matrix", "outputs")
        if isinstance(self._given, np.ndarray) and (self._given >= 0).all():
            return
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
    """What a guess is worth, `values[x][guess]`, to be maximised; `matrix` holds minus the gains.

    >>> from epstar import Alphabet
    >>> Gain([[1, 0], [0, 2]]).matrix(Alphabet(2))
    ((-1, 0), (0, -2))
    """

    def __init__(self, values: Table, guesses: Sequence[Hashable] | None = None) -> None:
        super().__init__(values, guesses, "A gain matrix", "guesses")

    @property
    def guesses(self) -> tuple[Hashable, ...] | None:
        """The names of the guesses, if they were given."""
        return self.names

    def matrix(self, universe: Universe) -> ExactMatrix:
        self.shape(universe)
        return tuple(tuple(-gain for gain in row) for row in self.values)

    def floats(self, universe: Universe) -> NDArray[np.float64]:
        return 0.0 - super().floats(universe)

    def scaled(self, universe: Universe) -> Scaled | None:
        gains = super().scaled(universe)
        return None if gains is None else Scaled(-gains.numerators, gains.denominator)


NAMED: Mapping[str, type[Distortion]] = dict(zip(COSTS, (Hamming, Absolute, Squared), strict=True))
"""The distortions that are told by their name alone."""


def nearest_costs(distortion: Distortion, universe: Universe) -> NDArray[np.float64]:
    """Return the nearest float of every cost."""
    if isinstance(distortion, Matrix | Gain):
        return distortion.floats(universe)
    scaled = distortion.scaled(universe)
    if scaled is not None:
        return scaled.floats()
    return np.array([nearest_floats(row) for row in distortion.matrix(universe)])


def _is_float_table(values: NDArray[Any]) -> bool:
    return values.ndim == 2 and values.dtype == np.float64 and values.size > 0 and bool(np.isfinite(values).all())


def has_numbers(universe: Universe) -> bool:
    """Return whether all labels are numbers."""
    return all(
        isinstance(label, int | float | Fraction | Decimal | Rational | np.integer | np.floating)
        and not isinstance(label, bool)
        for label in universe.labels
    )


def _places(universe: Universe) -> list[Rational]:
    """Return the labels if all of them are numbers, otherwise the indices."""
    is_numeric = has_numbers(universe)
    return [rational(label) if is_numeric else Rational(k) for k, label in enumerate(universe.labels)]


def _differences(universe: Universe, power: int) -> Scaled | None:
    """Return |a - b|^power of the places a and b, in integers."""
    places = Scaled.of(_places(universe))
    if places is None:
        return None
    values = places.numerators if bits(places.numerators) * power <= 60 else widened(places.numerators)
    differences = np.abs(values[:, None] - values[None, :])
    return Scaled(narrowed(differences**power), places.denominator**power)


def check_entries(entries: int, limit: int) -> None:
    """Refuse a table of more than `limit` entries."""
    if entries > limit:
        raise TooLarge(
            f"The distortion matrix would have {shown(entries)} entries, above the limit of {limit}; "
            "on databases work with one row, or use floats for tables of moderate size."
        )
