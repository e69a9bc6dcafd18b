"""A convex program under construction: variables, tagged linear rows and cones.

Both solvers read the same assembly, so a notion's constraints are translated once. Rows carry a tag under which
their multipliers are found again; multipliers are always those of a minimisation with rows "expression <= bound"
(non-negative) or "expression = bound" (free), whatever sign the solver itself uses.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Expression = Mapping[int, float]


class ConeKind(Enum):
    """The cones beyond the linear ones; each takes three expressions (a, b, c)."""

    EXPONENTIAL = "b exp(a/b) <= c"
    POWER = "a^p b^(1-p) >= |c|"


@dataclass(frozen=True)
class Cone:
    """One three-dimensional cone constraint; `exponent` is p of the power cone."""

    kind: ConeKind
    rows: tuple[Expression, Expression, Expression]
    tag: Hashable
    exponent: float = 0.0


@dataclass(frozen=True)
class Solution:
    """What a solver returned: variable values, multipliers by tag, and whether it claims to have finished.

    The multipliers of a cone are a member (u, v, w) of its dual: u a + v b + w c >= 0 on the cone.
    """

    values: NDArray[np.float64]
    multipliers: dict[Hashable, float]
    cone_multipliers: dict[Hashable, tuple[float, float, float]]
    objective: float
    finished: bool
    message: str


@dataclass
class Assembly:
    """Collects a program: minimise the objective over variables with lower bounds, rows and cones."""

    lower: list[float] = field(default_factory=list)
    objective: dict[int, float] = field(default_factory=dict)
    row_columns: list[int] = field(default_factory=list)
    row_values: list[float] = field(default_factory=list)
    row_starts: list[int] = field(default_factory=lambda: [0])
    row_bounds: list[float] = field(default_factory=list)
    row_equal: list[bool] = field(default_factory=list)
    row_tags: list[Hashable] = field(default_factory=list)
    cones: list[Cone] = field(default_factory=list)

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

    def _row(self, expression: Expression, bound: float, equal: bool, tag: Hashable) -> None:
        for column, value in expression.items():
            if value != 0.0:
                self.row_columns.append(column)
                self.row_values.append(value)
        self.row_starts.append(len(self.row_columns))
        self.row_bounds.append(bound)
        self.row_equal.append(equal)
        self.row_tags.append(tag)

    def matrix(self) -> sparse.csr_matrix:
        """Return the rows as a sparse matrix."""
        shape = (len(self.row_bounds), len(self.lower))
        return sparse.csr_matrix((self.row_values, self.row_columns, self.row_starts), shape=shape)

    def objective_vector(self) -> NDArray[np.float64]:
        """Return the objective as a dense vector."""
        vector = np.zeros(len(self.lower))
        for column, value in self.objective.items():
            vector[column] += value
        return vector

    def tagged(self, multipliers: NDArray[np.float64]) -> dict[Hashable, float]:
        """Return the multipliers of the tagged rows."""
        return {tag: float(multipliers[i]) for i, tag in enumerate(self.row_tags) if tag is not None}
