"""From floats to an exact mechanism inside all bounds and limits.

A solver's point is moved onto the equations exactly (the nearest such point, by the normal equations), and then mixed
with a mechanism that keeps every inequality strictly: by convexity a small share of it makes up for every error of
rounding. Where no mechanism is strictly inside, a basis of the linear program is solved for in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from epstar.claims import Attained, Hints, Setting, check_attained
from epstar.claims.bounds import combined
from epstar.claims.readings import read_at
from epstar.completion.hints import hints as completed_hints
from epstar.deadline import Deadline, in_time
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Rational, RationalMatrix, Real, dot
from epstar.limits import Entry, Limit
from epstar.mechanism import Mechanism
from epstar.notions.base import Notion
from epstar.notions.family import Family
from epstar.notions.priors import listed_laws
from epstar.solve.certify.mechanism import SEARCHED, mixed_rows
from epstar.solve.program.exact_system import solution as solution_of
from epstar.solve.program.model import Solution
from epstar.solve.wider.bounds import equalities
from epstar.solve.wider.curved import Curved
from epstar.solve.wider.excesses import family_excess, largest_excess, loss_in_floats, share_needed
from epstar.solve.wider.implied import Cost
from epstar.solve.wider.members import broken_members
from epstar.solve.wider.program import Program
from epstar.solve.wider.table import Table

Floats = NDArray[np.float64]
Rows = tuple[tuple[Rational, ...], ...]
# Entries are rounded to this grid before the equations are met.
_GRID = 1 << 64
# Shares of the mechanism inside beyond the one that floats ask for: their rounding errors, and what floats do not see.
_BEYOND = (1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
# Shares of a loss in floats that rounding errors may hide.
_MORE = (1e-14, 1e-12)
# A share of a level by which floats may be wrong about what a mechanism loses.
_ROUNDING = 1e-12
# A mechanism that is inside by less than this is not told from one on the edge.
_INSIDE = 1e-9
# By how much the goal of a basis in fractions may differ from that in floats, as a share of it or of one: of rows that
# are nearly alike floats tell a basis of another corner.
_ELSEWHERE = 1e-9
# Rounds in which members of families join that a mechanism breaks which is to be inside, and the share of the level at
# which it breaks none.
_MOST_ROUNDS, _DEEP = 20, 0.99
# A basis with more rows takes fractions too long.
_MOST_ROWS = 160


class Repair:
    """What it takes to make floats exact, for one table of bounds."""

    def __init__(self, table: Table, deadline: Deadline) -> None:
        self.table, self.deadline = table, deadline
        vanishing = table.face[0]
        places = [(x, y) for x in range(table.shape[0]) for y in range(table.shape[1])]
        self.entries: list[Entry] = [entry for entry in places if entry not in vanishing]
        self._inside: Rows | None = None

    @cached_property
    def _equations(self) -> tuple[list[tuple[dict[int, Rational], Rational]], RationalMatrix]:
        """All equations that a mechanism keeps, but for those that follow from others."""
        table, (inputs, outputs) = self.table, map(range, self.table.shape)
        places = {entry: place for place, entry in enumerate(self.entries)}
        rows = [({places[x, y]: ONE for y in outputs if (x, y) in places}, ONE) for x in inputs]
        firm: list[Limit | Cost] = [one for i, one in enumerate(table.limits) if one.is_equation or i in table.tight]
        for kept in (*firm, *table.tight_laws):
            rows += [({places[e]: a for e, a in kept.coefficients.items() if e in places}, kept.bound)]
        for left, right in (pair for bound in table.bounds for pair in equalities(bound)):
            both = combined(((ONE, left), (-ONE, right)))
            rows += [({places[x, y]: a for x, a in both.items() if (x, y) in places}, ZERO) for y in outputs]
        return _independent(rows, len(self.entries))

    @property
    def has_inside(self) -> bool:
        """Whether a mechanism strictly inside all bounds was found."""
        return bool(self._inside)

    def inside(self, near: Rows, solution: Solution) -> Rows | None:
        """Return a mechanism that keeps the equations exactly and every inequality strictly; None if none is known."""
        if self._inside is None:
            self._inside = self._mean(near) or self._passed(solution) or self._deepest()
        return self._inside or None

    def _passed(self, solution: Solution) -> Rows:
        """Return what a solver passed on its way that is inside."""
        passed = solution.point.inside if isinstance(solution, Curved) and solution.point is not None else None
        if passed is None:
            return ()
        rows = self.on_equations(passed[: self.table.shape[0]])
        return rows if largest_excess(self.table, rows) < -_INSIDE and float(self._room(rows)) > _INSIDE else ()

    def _mean(self, near: Rows) -> Rows:
        """Return answers that hardly depend on the input, if they are inside: they lose next to nothing."""
        if self.table.most is not None:
            return ()
        mean = np.array([[float(entry) for entry in row] for row in near]).mean(axis=0)
        rows = self.on_equations(np.tile(0.9 * mean + 0.1 / mean.size, (self.table.shape[0], 1)))
        return rows if largest_excess(self.table, rows) < -_INSIDE else ()

    def _deepest(self) -> Rows:
        """Return the mechanism that is farthest inside, by a program."""
        table = self.table
        rows: Rows = ()
        for _ in range(_MOST_ROUNDS):
            program = Program(table, "interior")
            solution = program.solve(self.deadline)
            if not np.isfinite(solution.values).all() or solution.values[program.worst] > -_INSIDE:
                return ()
            matrix = program.matrix(solution.values)
            rows = self.on_equations(matrix)
            broken = broken_members(table, matrix, _DEEP)
            is_dear = self._room(rows) <= 0
            if not broken and not is_dear:
                break
            laws = table.laws.with_dearest(self._expected(rows)) if is_dear else table.laws
            table = table.reading(laws, table.members | {member for _, member in broken})
        return rows

    def on_equations(self, matrix: Floats) -> Rows:
        """Return the nearest matrix that keeps all equations; its entries may be a little below zero."""
        values = [Rational(round(max(0.0, float(matrix[entry])) * _GRID), _GRID) for entry in self.entries]
        rows, inverse = self._equations
        rest = RationalMatrix(len(rows), 1, [b - sum((a * values[i] for i, a in row.items()), ZERO) for row, b in rows])
        weights = inverse * rest
        for k, (row, _) in enumerate(rows):
            weight = weights[k, 0]
            if weight != 0:
                for i, a in row.items():
                    values[i] += a * weight
        return self.rows(values)

    def rows(self, values: Sequence[Rational]) -> Rows:
        """Return the rows of the matrix whose entries are given, but for those that vanish."""
        found = [[ZERO] * self.table.shape[1] for _ in range(self.table.shape[0])]
        for (x, y), value in zip(self.entries, values, strict=True):
            found[x][y] = value
        return tuple(map(tuple, found))

    def candidates(self, program: Program, solution: Solution) -> Iterator[Rows]:
        """Yield exact matrices near a solver's point, the nearest first."""
        if not np.isfinite(solution.values).all():
            return
        vertex = None if program.curved else self._vertex(program, solution)
        if vertex is not None:
            yield vertex
        near = self.on_equations(program.matrix(solution.values))
        inside = self.inside(near, solution)
        if inside is None:
            yield near
            return
        kept = program.table.at(INFINITY) if program.goal == "loss" else program.table
        needed, exact = share_needed(kept, near, inside), self._exact_share(near, inside)
        for beyond in _BEYOND:
            part = max(Rational(*(1.01 * needed + beyond).as_integer_ratio()), exact)
            yield tuple(map(tuple, mixed_rows(near, inside, part)))

    def _exact_share(self, near: Rows, inside: Rows) -> Rational:
        """Return the share of a mechanism inside that makes up for entries, limits and costs that another breaks."""
        rooms = [(near[x][y], inside[x][y]) for x, y in self.entries if near[x][y] < 0]
        loose = (one for i, one in enumerate(self.table.limits) if not one.is_equation and i not in self.table.tight)
        rooms += [(room, _left(limit, inside)) for limit in loose if (room := _left(limit, near)) < 0]
        rooms += [(self._room(near), self._room(inside))] if self.table.keeps_cost else []
        return max((lacking / (lacking - room) for lacking, room in rooms if lacking < 0 < room), default=ZERO)

    def _room(self, rows: Rows) -> Rational:
        """Return how much more a matrix might cost under the worst law of the source; of what is not kept, any."""
        most = self.table.most
        return ONE if most is None or not self.table.keeps_cost else most - self.cost(rows)

    def cost(self, rows: Rows) -> Rational:
        """Return what a matrix costs under the worst law of the source."""
        return self.table.setting.source.maximum(self._expected(rows)).value

    def _expected(self, rows: Rows) -> list[Rational]:
        cost = self.table.setting.distortion.matrix(self.table.setting.universe)
        return [dot(row, prices) for row, prices in zip(rows, cost, strict=True)]

    def _vertex(self, program: Program, solution: Solution) -> Rows | None:
        """Return the corner on which a simplex method ended, in fractions; None if its basis is no corner."""
        basis = solution.basis
        if basis is None or len(basis.columns) > _MOST_ROWS:
            return None
        columns, tight = sorted(basis.columns), sorted(basis.tight_rows)
        if len(columns) != len(tight):
            return None
        place = {variable: k for k, variable in enumerate(columns)}
        rows = [program.rows[number] for number in tight]
        system = [{place[v]: value for v, value in row.coefficients.items() if v in place} for row in rows]
        solved = solution_of(system, [row.bound for row in rows])
        if solved is None:
            return None
        worst = float(solved[place[program.worst]]) if program.worst in place else 0.0
        if abs(worst - float(solution.values[program.worst])) > _ELSEWHERE * max(1.0, abs(worst)):
            return None
        values = [solved[place[v]] if v in place else ZERO for v in (program.entries[e] for e in self.entries)]
        return self.rows(values)


def _left(limit: Limit, rows: Rows) -> Rational:
    """Return how much room a limit leaves a matrix."""
    return limit.bound - sum((a * rows[x][y] for (x, y), a in limit.coefficients.items()), ZERO)


def _independent(
    rows: list[tuple[dict[int, Rational], Rational]], width: int
) -> tuple[list[tuple[dict[int, Rational], Rational]], RationalMatrix]:
    """Return equations none of which follows from the others, and the inverse of their products with each other."""
    matrix = RationalMatrix(width, len(rows))
    for k, (row, _) in enumerate(rows):
        for i, value in row.items():
            matrix[i, k] = value
    reduced, rank = matrix.rref()
    chosen = [next(k for k in range(len(rows)) if reduced[i, k] != 0) for i in range(rank)]
    kept = [rows[k] for k in chosen]
    products = RationalMatrix(len(kept), len(kept))
    for j, (one, _) in enumerate(kept):
        for k, (other, _) in enumerate(kept):
            products[j, k] = sum((a * other[i] for i, a in one.items() if i in other), ZERO)
    return kept, products.inv()


def attained(repair: Repair, program: Program, solution: Solution) -> tuple[Attained | None, float]:
    """Return the claim that an exact mechanism near a solver's point keeps the level, and a distortion.

    That is what it has, or the one that the table names; where the least bound was the goal, its level is what it
    loses. None if no mechanism is found that does, with what the cheapest costs too much.
    """
    table, dear = program.table, math.inf
    most = None if table.most is None else Real.of(table.most)
    for rows in in_time(repair.candidates(program, solution)):
        if any(entry < 0 for row in rows for entry in row):
            continue
        if table.most is not None:
            more = repair.cost(rows) - table.most
            if more > 0:
                dear = min(dear, float(more))
                continue
        if family_excess(table, rows) > _ROUNDING * float(table.level):
            continue
        for level in (table.level,) if program.goal != "loss" else _lost(table, rows):
            claim = claim_of(table.setting, rows, level, most)
            if claim is not None:
                return claim, 0.0
    return None, dear


def _lost(table: Table, rows: Rows) -> Iterator[Real | None]:
    """Yield what a mechanism loses, by floats and a little more; none to be measured exactly, which takes longer."""
    level = loss_in_floats(table, rows)
    if level is not None and level > 0:
        for more in _MORE:
            yield Real.of(Rational(*(level * (1 + more)).as_integer_ratio()))
    yield None


def claim_of(
    setting: Setting, rows: Sequence[Sequence[Rational]], level: Real | None, most: Real | None
) -> Attained | None:
    """Return the claim that a mechanism keeps a level and a distortion, without any what it has; None if it does not.

    What it loses is rounded up, and where a search found it by more than another search may differ.
    """
    try:
        mechanism = Mechanism(rows, setting.universe, setting.distortion.outputs(setting.universe))
    except InvalidInput:
        return None
    distortion: object = mechanism.distortion(setting.distortion, setting.source).value
    if most is not None:
        if Real.of(distortion) > most:
            return None
        distortion = most
    levels = [] if level is None else [level]
    if level is None:
        measure = setting.notion.loss if setting.secret is None else partial(setting.secret.loss, setting.notion)
        lost = measure(mechanism, setting.source).upper
        if lost is None or lost.is_infinite:
            return None
        levels = [Real.of(lost.above() + more) for more in (ZERO, SEARCHED)]
    return next((claim for kept in levels if (claim := _checked(setting, mechanism, kept, Real.of(distortion)))), None)


def _checked(setting: Setting, mechanism: Mechanism, level: Real, distortion: Real) -> Attained | None:
    """Return the claim that a mechanism keeps a level and a distortion with what a checker needs; None if it fails."""
    hints = [
        _hints(setting, mechanism, notion, level if given is None else given, INFINITY if which else distortion)
        for which, (notion, given) in enumerate(setting.guarantees)
    ]
    further = tuple(hints[1:]) if any(hint != Hints() for hint in hints[1:]) else ()
    claim = Attained(level, distortion, mechanism, hints[0], further=further)
    try:
        check_attained(setting, claim)
    except (ProofRejected, Undecided):
        return None
    return claim


def _hints(setting: Setting, mechanism: Mechanism, notion: Notion, level: Real, distortion: Real) -> Hints:
    """Return what a checker needs to see that a guarantee is kept, and the distortion, unless that is infinite."""
    found = Hints()
    if setting.secret is None:
        plain = Setting(notion, setting.universe, setting.source, setting.distortion)
        found = completed_hints(plain, mechanism, level, distortion)
    if not isinstance(notion, Family) or level.is_infinite:
        return found
    laws = listed_laws(setting.source) if setting.secret is not None else (setting.source.uniform,)
    assert laws is not None
    pieces: set[Rational] = set()
    for law in laws:
        reading = read_at(setting, notion, law)
        pieces |= set(notion.pieces(reading.channel(mechanism), level))
    return replace(found, orders=tuple(sorted(pieces)))
