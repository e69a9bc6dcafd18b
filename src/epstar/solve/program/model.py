"""A linear program under construction, in floats or in fractions: variables and tagged rows.

Rows carry a tag under which
their multipliers are found again; multipliers are always those of a minimisation with rows "expression <= bound"
(non-negative) or "expression = bound" (free), whatever sign the solver itself uses. Rows of one shape are added as
arrays, all at once: a program has hundreds of thousands of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from epstar.deadline import keep_time
from epstar.memory import keep_memory

Expression = Mapping[int, Any]
Array = NDArray[Any]
Floats = NDArray[np.float64]
Places = NDArray[np.int64]

FAINT = 1e-11
"""A probability: an output that is given less often is what a solver leaves of zero."""
PRECISION = 1e-13
"""The share to which a solver in floats that ends as it should knows its objective, and a search its level."""
NOISE = PRECISION
"""A share of the largest multiplier: a smaller one is what a solver leaves of zero."""
WORSE = 10 * PRECISION
"""A share: what is broken or worse by less may be so by the rounding of a solver."""
# What a row, an entry and a variable take of memory, in bytes: here, in the model and in its solver together.
_BYTES = (450, 450, 300)
# The number of entries from which on it is looked after.
_FIRST_LOOK = 1 << 18


@dataclass(frozen=True)
class Basis:
    """Which variables may differ from zero, and which rows hold with equality: equally many."""

    columns: frozenset[int]
    tight_rows: frozenset[int]


@dataclass(frozen=True)
class Solution:
    """What a solver returned: variable values, multipliers by tag, and whether it claims to have finished.

    Rows that were added together have their multipliers together, in `block_multipliers`.
    """

    values: Array
    multipliers: dict[Hashable, Any]
    objective: float
    finished: bool
    message: str
    block_multipliers: dict[Hashable, Array] = field(default_factory=dict)
    is_cut_short: bool = False
    """Whether a time limit stopped the solver."""
    basis: Basis | None = None
    """The basis on which a linear program ended."""
    precision: float = PRECISION
    """The share to which the solver knows the objective."""


class Model(ABC):
    """Minimise an objective over variables, some with lower bounds, and rows; how these are kept is left open."""

    def __init__(self) -> None:
        self.objective: dict[int, Any] = {}
        self._tags: dict[Hashable, int] = {}
        self._blocks: dict[Hashable, slice] = {}

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of variables."""

    @property
    @abstractmethod
    def height(self) -> int:
        """The number of rows."""

    @abstractmethod
    def variables(self, count: int, lower: float = 0.0) -> range:
        """Add `count` variables and return their positions."""

    @abstractmethod
    def _row(self, expression: Expression, bound: Any, equal: bool) -> None:
        """Add a row."""

    @abstractmethod
    def _rows(self, columns: Places, factors: Array, bound: Any, equal: bool) -> None:
        """Add a row for each line of the two tables."""

    def variable(self, lower: float = 0.0) -> int:
        """Add one variable and return its position."""
        return self.variables(1, lower)[0]

    def at_most(self, expression: Expression, bound: Any, tag: Hashable = None, equal: bool = False) -> int:
        """Require expression <= bound; return the position of the row."""
        if tag is not None:
            self._tags[tag] = self.height
        self._row(expression, bound, equal)
        return self.height - 1

    def equal(self, expression: Expression, bound: Any, tag: Hashable = None) -> int:
        """Require expression = bound; return the position of the row."""
        return self.at_most(expression, bound, tag, equal=True)

    def all_at_most(self, *terms: tuple[ArrayLike, Any], bound: Any, tag: Hashable = None, equal: bool = False) -> None:
        """Require, for each place of the lists, that the sum of the terms is at most `bound`.

        A term is a list of variables and what they are multiplied by: a number, or one for each.
        """
        places = np.stack(np.broadcast_arrays(*(np.asarray(each, dtype=np.int64) for each, _ in terms)), axis=-1)
        factors = np.empty(places.shape, dtype=np.result_type(*(np.asarray(factor).dtype for _, factor in terms)))
        for k, (_, factor) in enumerate(terms):
            factors[..., k] = factor
        before = self.height
        self._rows(places.reshape(-1, len(terms)), factors.reshape(-1, len(terms)), bound, equal)
        if tag is not None:
            self._blocks[tag] = slice(before, self.height)

    def all_equal(self, *terms: tuple[ArrayLike, Any], bound: Any, tag: Hashable = None) -> None:
        """Require, for each place of the lists, that the sum of the terms is `bound`."""
        self.all_at_most(*terms, bound=bound, tag=tag, equal=True)

    def place(self, *tag: Hashable) -> int:
        """Return the position of a row that was added by itself."""
        return self._tags[tag]

    def tagged(self, multipliers: Array) -> dict[Hashable, Any]:
        """Return the multipliers of the tagged rows that were added one by one."""
        return {tag: multipliers.item(i) for tag, i in self._tags.items()}

    def tagged_blocks(self, multipliers: Array) -> dict[Hashable, Array]:
        """Return the multipliers of the tagged rows that were added together."""
        return {tag: multipliers[rows] for tag, rows in self._blocks.items()}


class Assembly(Model):
    """A program in floats, with room for very many rows."""

    def __init__(self) -> None:
        super().__init__()
        self.lower = array("d")
        self._columns, self._values, self._starts = array("q"), array("d"), array("q", [0])
        self._bounds, self._equal = array("d"), bytearray()
        self._next_look = _FIRST_LOOK

    @property
    def width(self) -> int:
        return len(self.lower)

    @property
    def height(self) -> int:
        return len(self._bounds)

    @property
    def entries(self) -> int:
        """The number of coefficients in rows so far."""
        return len(self._columns)

    def reserve(self, rows: int = 0, entries: int = 0) -> None:
        """Refuse a program with so many more rows and entries if the memory would not hold it with its solver.

        Raises:
            TooLarge: if a limit is kept that has no room for it.
        """
        sizes = (self.height + rows, len(self._columns) + entries, self.width)
        keep_memory(sum(size * each for size, each in zip(sizes, _BYTES, strict=True)))

    def _look(self) -> None:
        """Look whether there is room for a solver each time that the program has become twice as large."""
        if len(self._columns) >= self._next_look:
            self._next_look = 2 * len(self._columns)
            keep_time()
            self.reserve()

    def variables(self, count: int, lower: float = 0.0) -> range:
        self.lower.extend([lower] * count)
        return range(self.width - count, self.width)

    def _row(self, expression: Expression, bound: Any, equal: bool) -> None:
        for column, value in expression.items():
            if value != 0.0:
                self._columns.append(column)
                self._values.append(value)
        self._starts.append(len(self._columns))
        self._bounds.append(bound)
        self._equal.append(equal)
        self._look()

    def _rows(self, columns: Places, factors: Array, bound: Any, equal: bool) -> None:
        kept = factors != 0
        count, start = len(columns), len(self._columns)
        self._columns.frombytes(columns[kept].tobytes())
        self._values.frombytes(factors[kept].astype(np.float64).tobytes())
        self._starts.frombytes((start + kept.sum(axis=1, dtype=np.int64).cumsum()).tobytes())
        self._bounds.extend([bound] * count)
        self._equal.extend([equal] * count)
        self._look()

    @property
    def bounds(self) -> Floats:
        """What each row is bounded by."""
        return np.array(self._bounds)

    @property
    def is_equal(self) -> NDArray[np.bool_]:
        """Which rows are equations."""
        return np.frombuffer(bytes(self._equal), dtype=np.bool_)

    def matrix(self) -> sparse.csr_matrix:
        """Return the rows as a sparse matrix."""
        shape = (self.height, self.width)
        return sparse.csr_matrix((np.array(self._values), np.array(self._columns), np.array(self._starts)), shape=shape)

    def objective_vector(self) -> Floats:
        """Return the objective as a dense vector."""
        vector = np.zeros(self.width)
        for column, value in self.objective.items():
            vector[column] += value
        return vector
