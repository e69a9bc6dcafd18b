"""The linear program of a question in fractions, for bounds that are linear: its optimum proves itself.

The exact multipliers of the optimum make a converse as they are. Laws of the source and ratio bounds join as the
optimum breaks them, which is decided exactly.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from epstar.completion import Converse
from epstar.completion.converse import Point
from epstar.deadline import keep_time
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints
from epstar.problem import Problem
from epstar.solve.program.coefficients import Array, Coefficients, Rounded, fraction, is_compact, is_over_events
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.formulation import Formulation, Found, fall, multipliers
from epstar.solve.program.laws import Members
from epstar.solve.program.lazy import UnreadRatios
from epstar.solve.program.model import Basis, Solution
from epstar.solve.program.robust import Envelope
from epstar.source.base import Mixtures

Event = tuple[int, tuple[int, ...]]
"""A bound over events, by its place among those of the notion, and the outputs that it is read for."""


@dataclass(frozen=True)
class Corner:
    """What makes the optimum of a program, and maybe that of a similar one: variables, and names of tight rows."""

    columns: frozenset[int]
    rows: frozenset[Hashable]


@dataclass(frozen=True)
class ExactFound:
    """The optimum of a program: its value, a mechanism of that value, and the multipliers that prove it."""

    value: Rational
    mechanism: Mechanism
    converse: Converse
    slope: Rational
    """How fast the value changes with e^level."""
    fall: Rational
    """How fast the value falls as the level itself rises."""
    basis: Basis


class MechanismProgram(Formulation):
    """One question over some members of the source; `level` is None where the least bound of sums is asked for.

    `kept` names the ratio bounds to ask for at first, by bound and output; without it all are. A bound over events has
    a variable for the excess of each output (an extended formulation); where a basis is to hold at other levels too,
    and these variables would change it without need, the events that matter are named by `events` and are rows (cutting
    planes), which come last, so that a basis holds when some are added. The distortion is bounded under all laws of a
    `region`, where there is one, else under those among the members. Coefficients that are not fractions are `rounded`.
    """

    def __init__(
        self,
        problem: Problem,
        members: Members,
        level: Real | None,
        kept: Collection[tuple[int, int]] | None = None,
        region: Mixtures | None = None,
        events: Sequence[Event] | None = None,
        rounded: Rounded = fraction,
    ) -> None:
        self._problem, self._members, self._level = problem, members, level
        self._program, numbers = ExactProgram(), Coefficients(level, rounded)
        cost = np.array(problem.distortion.matrix(problem.universe), dtype=object)
        points = [] if region is not None else [_array(point) for point in members.for_distortion]
        super().__init__(cost, points, self._program, numbers, None if region is None else Envelope(region, numbers))
        self._constraints = problem.notion.constraints(problem.universe, members.for_notion)
        self._unread = UnreadRatios((), (), numbers)
        self._events: dict[Event, int] = {}
        if level is None:
            assert problem.given.rational is not None
            self._ask_bound(self._constraints, problem.given.rational)
        else:
            self._ask_distortion(self._constraints, self._program.variable(-math.inf))
            self._ask_ratios(kept, events)

    def _ask_ratios(self, kept: Collection[tuple[int, int]] | None, events: Sequence[Event] | None) -> None:
        unread = list[int]()
        for i, bound in enumerate(self._ratios):
            outputs = [y for y in range(self.cost.shape[1]) if kept is None or (i, y) in kept]
            if events is not None and is_over_events(bound):
                continue
            is_whole = len(outputs) == self.cost.shape[1]
            for output in [None] if is_whole else outputs:
                self._ratio(i, output)
            if not is_whole:
                unread.append(i)
        self._unread = UnreadRatios(self._ratios, unread, self.numbers)
        for i, chosen in events or ():
            bound = self._ratios[i]
            excess = self._excess(bound, self.numbers.growth(bound.distance), chosen)
            self._events[i, chosen] = self.model.at_most(excess, self.numbers.slack(bound))

    def solve(self, time_limit: float | None) -> ExactFound | None:
        """Return the optimum, None where floats do not lead to it."""
        while True:
            optimum = self._program.optimum(time_limit)
            if optimum is None or not self._broken(optimum):
                return None if optimum is None else self._exactly(optimum)

    def pivoted(self, start: Corner | None = None) -> ExactFound | Converse | None:
        """Return the optimum, or what excludes every mechanism, without floats; None where the laws are a region's.

        `start` is the corner of a similar program.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        found = self._program.pivoted(self._broken, None if start is None else self._basis(start))
        if isinstance(found, Impossible):
            return self._converse(self._solution([ZERO] * self.model.width, found.multipliers))
        return None if found is None else self._exactly(found)

    def corner(self, basis: Basis) -> Corner:
        """Return a basis by what its rows are."""
        names = self._names()
        return Corner(basis.columns, frozenset(names[row] for row in basis.tight_rows))

    def _basis(self, corner: Corner) -> Basis | None:
        """Return the basis of a corner, None where it has laws that this program does not know."""
        places = {name: row for row, name in enumerate(self._names())}
        rows = [places.get(name) for name in corner.rows]
        return None if None in rows else Basis(corner.columns, frozenset(row for row in rows if row is not None))

    def _names(self) -> list[Hashable]:
        """Return the law of each row that is about one, and numbers for the others."""
        laws: dict[int, Point] = {}
        for j, point in enumerate(self._members.for_distortion if self.region is None else ()):
            laws[self.model.place("point", j)] = point
        numbers = count()
        return [laws[row] if row in laws else next(numbers) for row in range(self.model.height)]

    def _broken(self, optimum: ExactOptimum) -> list[int]:
        """Add what the mechanism of an optimum breaks, of what the program does not know; return the new rows."""
        keep_time()
        matrix, before = self._matrix(optimum), self.model.height
        if self.region is None:
            worst = self._problem.source.maximum([dot(*pair) for pair in zip(matrix, self.cost, strict=True)])
            most, allowed = self.most
            if worst.value > allowed - sum((share * optimum.values[j] for j, share in most.items()), ZERO):
                tag = ("point", len(self._members.for_distortion))
                self.model.at_most(self._expected(_array(worst.point)) | most, allowed, tag)
                self._members.for_distortion.append(worst.point)
        for i, output in self._unread.broken(matrix):
            self._ratio(i, output)
        return list(range(before, self.model.height))

    def made_by(self, basis: Basis) -> tuple[list[Rational], ExactFound | None] | None:
        """Return what a basis makes: the numbers that must not be negative, and the optimum if none is.

        The basis may be that of the program at another level. None if it is singular here.
        """
        made = self._program.made_by(basis)
        return None if made is None else (made.margins, None if made.optimum is None else self._exactly(made.optimum))

    def tight_events(self, basis: Basis) -> tuple[tuple[Event, ...], Basis]:
        """Return the events that hold with equality, and the basis of the program that knows no others."""
        kept = tuple(event for event, row in self._events.items() if row in basis.tight_rows)
        first = min(self._events.values(), default=0)
        others = {row for row in basis.tight_rows if not self._events or row < first}
        return kept, Basis(basis.columns, frozenset(others | {first + k for k in range(len(kept))}))

    def _matrix(self, optimum: ExactOptimum) -> Array:
        matrix: Array = _array(optimum.values)[self.entries]
        return matrix

    def _solution(self, values: Sequence[Rational], multipliers: Sequence[Rational]) -> Found:
        rows = _array(multipliers)
        tagged, blocks = self.model.tagged(rows), self.model.tagged_blocks(rows)
        for (i, outputs), row in self._events.items():
            # An event counts for each of its outputs.
            block = blocks.setdefault(("ratio", i), np.full(self.cost.shape[1], ZERO))
            block[list(outputs)] += multipliers[row]
        return self._found(Solution(_array(values), tagged, 0.0, True, "exact", blocks))

    def _exactly(self, optimum: ExactOptimum) -> ExactFound:
        problem, found = self._problem, self._solution(optimum.values, optimum.multipliers)
        mechanism = Mechanism(found.matrix.tolist(), problem.universe, problem.distortion.outputs(problem.universe))
        falls = ZERO
        if self._level is not None:
            points = self.points if self.region is not None else map(_array, self._members.for_distortion)
            law = sum((found.multiplier("point", j) * point for j, point in enumerate(points)), _array([ZERO]))
            falls = Rational(fall(found, self._constraints, self.numbers, law, self.cost))
        slope = ZERO if self._level is None else -falls / self.numbers.growth(ONE)
        return ExactFound(self._program.value(optimum), mechanism, self._converse(found), slope, falls, optimum.basis)

    def _converse(self, found: Found) -> Converse:
        if self.region is not None:
            # They weigh vectors that need not be laws of the region themselves.
            laws = [tuple(self.points[0].tolist())]
        else:
            laws = list(self._members.for_distortion)
        if not found.multiplier("point", 0) > 0:
            laws[0] = self._members.for_distortion[0]
        prices = None
        if self._level is not None and is_compact(self._constraints):
            prices = tuple(found.prices.tolist())
        points = [((ONE, point),) for point in self._members.for_notion]
        asked = self._level if self._problem.asks == "loss" else None
        capped = [i for i, bound in enumerate(self._ratios) if self.numbers.is_vacuous(bound.distance)]
        for i in capped:
            found.solution.block_multipliers.pop(("ratio", i), None)
        return replace(multipliers(found, self._constraints, laws, points, asked), prices=prices)


def _array(values: Sequence[Rational]) -> Array:
    return np.array(values, dtype=object)


def broken_events(constraints: Constraints, mechanism: Mechanism, level: Real) -> list[Event]:
    """Return for each bound over events the one that breaks it most, if one does (the separation problem, exactly)."""
    numbers, matrix = Coefficients(level, fraction), np.array(mechanism.rows, dtype=object)
    found = []
    for i, bound in enumerate(constraints.pairwise()):
        if is_over_events(bound):
            ratio = numbers.growth(bound.distance)
            excess = numbers.at(bound.left, matrix) - ratio * numbers.at(bound.right, matrix)
            outputs = tuple(np.flatnonzero(excess > 0).tolist())
            if excess[list(outputs)].sum() > numbers.slack(bound):
                found.append((i, outputs))
    return found
