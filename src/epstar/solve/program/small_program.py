"""Small linear programs in rationals: exact where that is quick, through HiGHS where it is not.

Either way the caller gets rationals and treats them as a proposal: closed forms repair the point and prove the
rest from the multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from epstar.completion.converse import Mixture, Point
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly

# Rows times columns up to which the exact simplex method answers in well under a second.
_EXACT_ENTRIES = 2500


@dataclass(frozen=True)
class SmallSolution:
    """The minimiser and one non-negative multiplier per row, in the order in which the rows were added."""

    values: tuple[Rational, ...]
    multipliers: tuple[Rational, ...]

    def weight(self, members: Sequence[Point]) -> Rational:
        """Return the total multiplier of the first rows, which belong to members of a source."""
        return sum(self.multipliers[: len(members)], ZERO)

    def mixture(self, members: Sequence[Point]) -> Mixture:
        """Return the members weighted by the multipliers of the first rows."""
        total = self.weight(members)
        if total == 0:
            return ((ONE, members[0]),)
        pairs = zip(self.multipliers, members, strict=False)
        return tuple((weight / total, member) for weight, member in pairs if weight > 0)

    @property
    def last_multiplier(self) -> Rational:
        """The multiplier of the row that was added last."""
        return self.multipliers[-1]


@dataclass
class SmallProgram:
    """Minimise a linear cost over non-negative variables under rows "at most" and "at least"."""

    columns: int
    rows: list[tuple[Rational, ...]] = field(default_factory=list)
    bounds: list[Rational] = field(default_factory=list)

    def at_most(self, row: Mapping[int, Rational], bound: Rational) -> None:
        """Require row . x <= bound, the row given by its non-zero entries."""
        dense = [ZERO] * self.columns
        for column, value in row.items():
            dense[column] = value
        self.rows.append(tuple(dense))
        self.bounds.append(bound)

    def at_least(self, row: Sequence[Rational], bound: Rational) -> None:
        """Require row . x >= bound."""
        self.rows.append(tuple(-value for value in row))
        self.bounds.append(-bound)

    def minimise(self, cost: Sequence[Rational]) -> SmallSolution:
        """Return a minimiser, exact for small programs, good to solver accuracy else."""
        if len(self.rows) * self.columns <= _EXACT_ENTRIES:
            system = LinearSystem(self.columns, tuple(self.rows), tuple(self.bounds))
            optimum = system.maximise([-entry for entry in cost])
            if not isinstance(optimum, Optimum):
                raise SolverFailure(
                    f"A small program ended as {type(optimum).__name__}; check the distortion asked for."
                )
            return SmallSolution(optimum.point, optimum.multipliers)
        assembly = Assembly()
        assembly.variables(self.columns)
        assembly.objective = {i: float(value) for i, value in enumerate(map(_float, cost)) if value}
        for i, (row, bound) in enumerate(zip(self.rows, self.bounds, strict=True)):
            assembly.at_most({j: _float(value) for j, value in enumerate(row) if value != 0}, _float(bound), i)
        solution = solve_linear(assembly)
        if not solution.finished:
            raise SolverFailure(
                f"The solver stopped with '{solution.message}'; ask at a slightly different distortion or loss."
            )
        return SmallSolution(
            tuple(_rational(max(0.0, value)) for value in solution.values.tolist()),
            tuple(_rational(max(0.0, solution.multipliers[i])) for i in range(len(self.rows))),
        )


def _float(value: Rational) -> float:
    return int(value.p) / int(value.q)


def _rational(value: float) -> Rational:
    return Rational(*value.as_integer_ratio())
