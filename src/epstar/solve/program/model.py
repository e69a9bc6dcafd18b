"""A linear program under construction: variables and tagged rows.

Rows carry a tag under which
their multipliers are found again; multipliers are always those of a minimisation with rows "expression <= bound"
(non-negative) or "expression = bound" (free), whatever sign the solver itself uses. Rows of one shape are added as
arrays, all at once: a program has hundreds of thousands of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from epstar.deadline import keep_time
from epstar.memory import keep_memory

Expression = Mapping[int, float]
Floats = NDArray[np.float64]
Places = NDArray[np.int64]

FAINT = 1e-11
"""A probability: an output that is given less often is what a solver leaves of zero."""
NOISE = 1e-13
"""A share of the largest multiplier: a smaller one is what a solver leaves of zero."""
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

    values: Floats
    multipliers: dict[Hashable, float]
    objective: float
    finished: bool
    message: str
    block_multipliers: dict[Hashable, Floats] = field(default_factory=dict)
    is_cut_short: bool = False
    """Whether a time limit stopped the solver."""
    basis: Basis | None = None
    """The basis on which a linear program ended."""
    precision: float = 1e-13
    """The share to which a solver that ends as it should knows the objective."""


@dataclass
class Assembly:
    """Collects a program: minimise the objective over variables with lower bounds and rows."""

    lower: array[float] = field(default_factory=lambda: array("d"))
    objective: dict[int, float] = field(default_factory=dict)
    _columns: array[int] = field(default_factory=lambda: array("q"))
    _values: array[float] = field(default_factory=lambda: array("d"))
    _starts: array[int] = field(default_factory=lambda: array("q", [0]))
    _bounds: array[float] = field(default_factory=lambda: array("d"))
    _equal: bytearray = field(default_factory=bytearray)
    _tags: dict[Hashable, int] = field(default_factory=dict)
    _blocks: dict[Hashable, slice] = field(default_factory=dict)
    _next_look: int = _FIRST_LOOK

    @property
    def entries(self) -> int:
        """The number of coefficients in rows so far."""
        return len(self._columns)

    def reserve(self, rows: int = 0, entries: int = 0) -> None:
        """Refuse a program with so many more rows and entries if the memory would not hold it with its solver.

        Raises:
            TooLarge: if a limit is kept that has no room for it.
        """
        sizes = (len(self._bounds) + rows, len(self._columns) + entries, len(self.lower))
        keep_memory(sum(size * each for size, each in zip(sizes, _BYTES, strict=True)))

    def _look(self) -> None:
        """Look whether there is room for a solver each time that the program has become twice as large."""
        if len(self._columns) >= self._next_look:
            self._next_look = 2 * len(self._columns)
            keep_time()
            self.reserve()

    def variables(self, count: int, lower: float = 0.0) -> range:
        """Add `count` variables and return their positions."""
        start = len(self.lower)
        self.lower.extend([lower] * count)
        return range(start, start + count)

    def variable(self, lower: float = 0.0) -> int:
        """Add one variable and return its position."""
        return self.variables(1, lower)[0]

    def at_most(self, expression: Expression, bound: float, tag: Hashable = None) -> None:
        """Require expression <= bound."""
        self._row(expression, bound, False, tag)

    def equal(self, expression: Expression, bound: float, tag: Hashable = None) -> None:
        """Require expression = bound."""
        self._row(expression, bound, True, tag)

    def all_at_most(self, *terms: tuple[ArrayLike, ArrayLike], bound: float, tag: Hashable = None) -> None:
        """Require, for each place of the lists, that the sum of the terms is at most `bound`.

        A term is a list of variables and what they are multiplied by: a number, or one for each.
        """
        self._rows(terms, bound, False, tag)

    def all_equal(self, *terms: tuple[ArrayLike, ArrayLike], bound: float, tag: Hashable = None) -> None:
        """Require, for each place of the lists, that the sum of the terms is `bound`."""
        self._rows(terms, bound, True, tag)

    def _row(self, expression: Expression, bound: float, equal: bool, tag: Hashable) -> None:
        for column, value in expression.items():
            if value != 0.0:
                self._columns.append(column)
                self._values.append(value)
        if tag is not None:
            self._tags[tag] = len(self._bounds)
        self._starts.append(len(self._columns))
        self._bounds.append(bound)
        self._equal.append(equal)
        self._look()

    def _rows(self, terms: tuple[tuple[ArrayLike, ArrayLike], ...], bound: float, equal: bool, tag: Hashable) -> None:
        stacked = np.stack(np.broadcast_arrays(*(np.asarray(places, dtype=np.int64) for places, _ in terms)), axis=-1)
        factors = np.empty(stacked.shape)
        for k, (_, factor) in enumerate(terms):
            factors[..., k] = factor
        columns, values = stacked.reshape(-1, len(terms)), factors.reshape(-1, len(terms))
        kept = values != 0.0
        count, start = len(columns), len(self._columns)
        if tag is not None:
            self._blocks[tag] = slice(len(self._bounds), len(self._bounds) + count)
        self._columns.frombytes(columns[kept].tobytes())
        self._values.frombytes(values[kept].tobytes())
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
        shape = (len(self._bounds), len(self.lower))
        return sparse.csr_matrix((np.array(self._values), np.array(self._columns), np.array(self._starts)), shape=shape)

    def objective_vector(self) -> Floats:
        """Return the objective as a dense vector."""
        vector = np.zeros(len(self.lower))
        for column, value in self.objective.items():
            vector[column] += value
        return vector

    def tagged(self, multipliers: Floats) -> dict[Hashable, float]:
        """Return the multipliers of the tagged rows that were added one by one."""
        return {tag: float(multipliers[i]) for tag, i in self._tags.items()}

    def tagged_blocks(self, multipliers: Floats) -> dict[Hashable, Floats]:
        """Return the multipliers of the tagged rows that were added together."""
        return {tag: multipliers[rows] for tag, rows in self._blocks.items()}
