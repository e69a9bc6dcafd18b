"""The convex program of a question at a level, and what a solver makes of it.

Minimise the worst distortion, or how far constraints must give way, over the entries that need not vanish. Rows are
kept as fractions, so that a basis can be solved for exactly; curved bounds are for floats alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from epstar.claims.bounds import combined
from epstar.claims.claim import mixed
from epstar.deadline import Deadline, in_time
from epstar.errors import Undecided
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import times
from epstar.limits import Entry
from epstar.notions.constraints import LAW, Allowance, Form, Maximum, Power, RatioBound, RelativeEntropy, SumBound
from epstar.solve.program.coefficients import VACUOUS
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.laws import FAINT_MULTIPLIER
from epstar.solve.program.model import Assembly, Basis, Solution
from epstar.solve.wider.bounds import BITS, AllPairs, Bound, equalities, largest_parts
from epstar.solve.wider.curved import Curved, solve_curved
from epstar.solve.wider.laws import Point
from epstar.solve.wider.table import Table

Floats = NDArray[np.float64]
Number = TypeVar("Number", Rational, float)
Moves = tuple[dict[int, float], float]
# A slack of probability below this is none to floats, and multipliers that it asks for lose the digits of others.
_FAINT = 1e-17
Goal = Literal["distortion", "loss", "violation", "interior"]


@dataclass(frozen=True)
class Row:
    """sum of coefficients times variables <= bound, or = bound."""

    coefficients: dict[int, Rational]
    bound: Rational
    is_equation: bool
    tag: Hashable
    moves: Moves | None = None
    """How coefficients and the bound change with the level of the notion, where they do."""
    is_tight: bool = False
    """Whether every mechanism keeps it with equality, so that it leaves a method inside all bounds no room."""
    floats: dict[int, float] | None = None
    """The coefficients in floats, where they are known: a bound is the same for every output."""


@dataclass(frozen=True)
class CurvedBound:
    """A sum that is not linear, with laws of the output that are free as rows beside those of the matrix.

    `level` is None where its bound is the goal; elsewhere the goal gives it so much more than the level.
    """

    bound: SumBound
    level: Real | None
    gives: float


@dataclass(eq=False)
class Program:
    """A program with one of four goals.

    "distortion": the least worst distortion. "loss": the least bound of sums that have one scale, at a distortion of at
    most `Table.most`. "violation": the least amount by which all constraints but the rows of a
    mechanism, its distortion at most `Table.most` among them, must give way: above zero they contradict each other.
    "interior": the same, where equations do not give way and entries are positive: below zero there is a mechanism
    strictly within all bounds.
    """

    table: Table
    goal: Goal
    lower: list[float] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    curved: dict[int, CurvedBound] = field(default_factory=dict)
    """The curved bounds by their places in the table."""
    places: list[tuple[Hashable, int]] = field(default_factory=list)
    """For each variable but the goal its row and output: variables stand in rows beside those of the matrix."""

    def __post_init__(self) -> None:
        inputs, outputs = self.table.shape
        vanishing = self.table.face[0]
        self.entries: dict[Entry, int] = {}
        for x in range(inputs):
            for y in range(outputs):
                if (x, y) not in vanishing:
                    self.entries[x, y] = self._variable(x, y)
        self.worst = self._variable(None, 0)
        self.lower[self.worst] = -math.inf if self.goal != "interior" else -1.0
        self.laws: dict[int, list[int]] = {}
        self._growths: dict[tuple[Real, Rational], Rational | None] = {}
        for x in range(inputs):
            self._equal({self.entries[x, y]: ONE for y in range(outputs) if (x, y) in self.entries}, ONE, ("row", x))
        if self.goal == "interior":
            for variable in self.entries.values():
                self._at_most({variable: -ONE}, ZERO, None)
        self._add_distortion()
        for i, limit in enumerate(self.table.limits):
            terms: dict[int, Rational] = {}
            for place, value in limit.coefficients.items():
                if place in self.entries:
                    terms[self.entries[place]] = value
            if self.goal in ("distortion", "loss") and i in self.table.tight:
                self.rows.append(Row(terms, limit.bound, limit.is_equation, ("limit", i), is_tight=True))
            elif self.goal == "interior" and i in self.table.tight:
                self._equal(terms, limit.bound, ("limit", i))
            elif not limit.is_equation:
                self._at_most(terms, limit.bound, ("limit", i))
            elif self.goal == "violation":
                self._at_most(terms, limit.bound, ("limit", i))
                self._at_most({v: -a for v, a in terms.items()}, -limit.bound, ("limit", i, "below"))
            else:
                self._equal(terms, limit.bound, ("limit", i))
        for u, entry in enumerate(in_time(self.table.bounds)):
            if isinstance(entry.bound, SumBound):
                self._add_sum(u, entry, entry.bound)
            elif isinstance(entry.bound, AllPairs):
                self._add_pairs(u, entry, entry.bound)
            else:
                self._add_ratio(u, entry, entry.bound)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _variable(self, row: Hashable, y: int) -> int:
        self.lower.append(0.0)
        self.places.append((row, y))
        return len(self.lower) - 1

    def _equal(self, terms: dict[int, Rational], bound: Rational, tag: Hashable) -> None:
        self.rows.append(Row(terms, bound, True, tag))

    def _at_most(
        self,
        terms: dict[int, Rational],
        bound: Rational,
        tag: Hashable,
        unit: Rational = ONE,
        moves: Moves | None = None,
        floats: dict[int, float] | None = None,
    ) -> None:
        """Require a bound, which may give way, in units of what it allows, unless the distortion is minimised."""
        if self.goal not in ("distortion", "loss"):
            terms = {**terms, self.worst: -unit}
            floats = None if floats is None else {**floats, self.worst: -float(unit)}
        self.rows.append(Row(terms, bound, False, tag, moves, floats=floats))

    def _firm(
        self,
        terms: dict[int, Rational],
        tag: Hashable = None,
        moves: Moves | None = None,
        floats: dict[int, float] | None = None,
    ) -> None:
        self.rows.append(Row(terms, ZERO, False, tag, moves, floats=floats))

    def _add_distortion(self) -> None:
        cost = self.table.setting.distortion.matrix(self.table.setting.universe)
        for j, law in enumerate(self.table.laws.for_distortion):
            terms = {v: law[x] * cost[x][y] for (x, y), v in self.entries.items() if law[x] * cost[x][y] != 0}
            if self.goal == "distortion":
                self._firm({**terms, self.worst: -ONE}, ("law", j))
            elif j in self.table.spent:
                continue
            elif self.table.most is not None and (self.goal != "interior" or self.table.keeps_cost):
                is_tight = self.goal == "interior" and j in self.table.tight_costs
                add = self._equal if is_tight else self._at_most
                add(terms, self.table.most, ("law", j))

    def _terms(self, form: Mapping[int, Number], y: int) -> dict[int, Number]:
        return {self.entries[x, y]: share for x, share in form.items() if (x, y) in self.entries}

    def _growth(self, entry: Bound, distance: Rational) -> Rational | None:
        """Return e^(level * distance) rounded down; None where that is beyond what asks for anything."""
        key = (entry.bounds.level, distance)
        if key not in self._growths:
            exponent = times(entry.bounds.level, distance)
            self._growths[key] = None if exponent > VACUOUS else Real.exp(exponent).below(BITS)
        return self._growths[key]

    def _add_pairs(self, u: int, entry: Bound, bound: AllPairs) -> None:
        growth, is_own = self._growth(entry, ONE), entry.name[0] == 0
        is_firm = self.goal == "interior" and any(equalities(entry))
        unit = _unit(entry.bounds.level)
        if growth is None:
            return
        for y in range(self.table.shape[1]):
            columns = [self._terms(form, y) for form in bound.forms]
            if not any(columns):
                continue
            least = self._variable(("least", u), y)
            moves = ({least: -float(growth)}, 0.0) if is_own else None
            for x, terms in enumerate(columns):
                self._firm({**{v: -a for v, a in terms.items()}, least: ONE}, ("least", u, y, x))
                if is_firm:
                    self._firm({**terms, least: -growth})
                else:
                    self._at_most({**terms, least: -growth}, ZERO, ("most", u, y, x), unit, moves)

    def _add_ratio(self, u: int, entry: Bound, bound: RatioBound) -> None:
        level, is_own = entry.bounds.level, entry.name[0] == 0
        growth = self._growth(entry, bound.distance)
        if growth is None:
            return
        slack, more = bound.slack, 0.0
        if bound.slack_grows and slack > 0:
            slack *= Real.exp(level).below(BITS)
            more = float(slack)
        if bound.allowance is not None:
            slack, more = self._allowed(bound.allowance, level)
        # The same for every output.
        compared, steep = combined(((ONE, bound.left), (-growth, bound.right))), float(growth * bound.distance)
        steeper = {x: -steep * float(a) for x, a in bound.right.items()} if is_own and steep else {}
        excesses: dict[int, Rational] = {}
        near = {x: float(share) for x, share in compared.items()}
        unit, is_firm = _unit(level), self.goal == "interior" and any(equalities(entry))
        events = self.table.events(entry.name) if bound.events and slack > 0 else ()
        if events:
            for event in events:
                self._add_event(u, bound, event, slack, more if is_own else 0.0)
            return
        for y in range(self.table.shape[1]):
            terms = self._terms(compared, y)
            if not any(value > 0 for value in terms.values()):
                continue
            rise, floats = self._terms(steeper, y), self._terms(near, y)
            if bound.events and slack > 0:
                excess = self._variable(("excess", u), y)
                excesses[excess] = ONE
                self._firm({**terms, excess: -ONE}, ("ratio", u, y), (rise, 0.0), {**floats, excess: -1.0})
            elif is_firm:
                self._firm(terms)
            else:
                self._at_most(terms, slack, ("ratio", u, y), unit, (rise, more if is_own else 0.0), floats)
        if excesses:
            self._at_most(excesses, slack, None, slack, ({}, more if is_own else 0.0))

    def _add_event(self, u: int, bound: RatioBound, event: frozenset[int], slack: Rational, more: float) -> None:
        """Bound one event alone; the growth of such a bound stands on its right side."""
        terms: dict[int, Rational] = {}
        for y in event:
            terms |= self._terms(bound.left, y)
            for variable, amount in self._terms(bound.right, y).items():
                terms[variable] = terms.get(variable, ZERO) - amount
        self._at_most(terms, slack, ("event", u, event), slack, ({}, more))

    def _allowed(self, allowance: Allowance, level: Real) -> tuple[Rational, float]:
        """Return what is allowed at a level, rounded down, and how fast it grows; programs at a level share it."""
        key = (allowance, level)
        if key not in self.table.allowed:
            allowed = allowance.at(level)
            slack = allowed.below(BITS) if allowed.upper >= _FAINT else ZERO
            self.table.allowed[key] = slack, _slope(allowance.at, level, slack) if slack > 0 else 0.0
        return self.table.allowed[key]

    # -- sums ---------------------------------------------------------------------------------------------------------

    def _add_sum(self, u: int, entry: Bound, bound: SumBound) -> None:
        is_least, room = self.goal == "loss" and entry.name[0] == 0, _unit(entry.bounds.level)
        if not all(isinstance(atom, Maximum) for _, atom in bound.terms):
            gives = 0.0 if self.goal in ("distortion", "loss") else float(room)
            freed = bound if entry.corner is None else self._with_law(bound, entry.name[0])
            self.curved[u] = CurvedBound(freed, None if is_least else entry.bounds.level, gives)
            return
        parts = largest_parts(entry) if self.goal == "interior" else []
        if parts:
            self._add_parts(parts, list(equalities(entry)))
            return
        total: dict[int, Rational] = {}
        for k, (weight, atom) in enumerate(bound.terms):
            assert isinstance(atom, Maximum)
            forms = {place: combined(((share, atom.form(place)),)) for place, share in atom.weights.items()}
            for y in range(self.table.shape[1]):
                columns = {place: self._terms(form, y) for place, form in forms.items()}
                if any(columns.values()):
                    value = self._variable(("maximum", u, k), y)
                    total[value] = weight
                    for place, terms in columns.items():
                        if terms:
                            self._firm({**terms, value: -ONE}, ("share", u, y, place))
        if is_least:
            self._firm({**total, self.worst: -ONE}, ("sum", u))
            return
        side = bound.scale.bound(entry.bounds.level).below(BITS)
        more = _slope(bound.scale.bound, entry.bounds.level, side) if entry.name[0] == 0 else 0.0
        self._at_most(total, side, ("sum", u), room, ({}, more))

    def _add_parts(self, parts: list[tuple[Form, Form]], tied: list[tuple[Form, Form]]) -> None:
        """Require that parts of a sum of maxima are less than the largest one, or where they are tied, the same."""
        for pair in parts:
            left, right = pair
            for y in range(self.table.shape[1]):
                terms = self._terms(left, y)
                for variable, amount in self._terms(right, y).items():
                    terms[variable] = terms.get(variable, ZERO) - amount
                if terms and pair in tied:
                    self._equal(terms, ZERO, None)
                elif terms:
                    self._at_most(terms, ZERO, None)

    def _with_law(self, bound: SumBound, which: int) -> SumBound:
        """Return a bound in its saddle form, with the law of the output of a guarantee as a row of its own."""
        if which not in self.laws:
            self.laws[which] = [self._variable(("law", which), y) for y in range(self.table.shape[1])]
            self._equal(dict.fromkeys(self.laws[which], ONE), ONE, None)
        law = {self.table.shape[0] + list(self.laws).index(which): ONE}
        terms = []
        for weight, atom in bound.terms:
            assert isinstance(atom, RelativeEntropy | Power)
            terms.append((weight, replace(atom, right=law) if atom.right is LAW else atom))
        return replace(bound, terms=tuple(terms))

    # -- solving ------------------------------------------------------------------------------------------------------

    def solve(self, deadline: Deadline, start: Basis | None = None) -> Solution:
        """Hand the program to the solver that it needs; a linear one may start from a basis of a like one."""
        if self.curved:
            return solve_curved(self, deadline)
        return solve_linear(self.assembly(), deadline.left(), start)

    def assembly(self) -> Assembly:
        """Return the linear part for a solver, by the numbers of its rows."""
        assembly = Assembly()
        for lower in self.lower:
            assembly.variable(lower)
        assembly.objective = {self.worst: 1.0}
        for number, row in enumerate(self.rows):
            add = assembly.equal if row.is_equation else assembly.at_most
            known = row.floats
            floats = {v: float(value) for v, value in row.coefficients.items()} if known is None else known
            add(floats, float(row.bound), number)
        return assembly

    def by_tag(self, solution: Solution) -> dict[Hashable, float]:
        """Return the multipliers of the rows that have a tag, but for those that are zero."""
        found: dict[Hashable, float] = {}
        for number, row in enumerate(self.rows):
            multiplier = solution.multipliers.get(number, 0.0) if row.tag is not None else 0.0
            if multiplier != 0.0:
                for tag in _told(row.tag):
                    found[tag] = found.get(tag, 0.0) + multiplier
        if isinstance(solution, Curved):
            found |= {("sum", u): multiplier for u, multiplier in solution.sums.items()}
        return found

    def slope(self, solution: Solution) -> float:
        """Return how fast the optimum changes with the level of the notion (the envelope theorem)."""
        total = 0.0
        for number, row in enumerate(self.rows):
            multiplier = solution.multipliers.get(number, 0.0) if row.moves is not None else 0.0
            if row.moves is not None and multiplier != 0.0:
                terms, more = row.moves
                change = sum(rate * float(solution.values[v]) for v, rate in terms.items()) - more
                total += multiplier * change
        for u, multiplier in solution.sums.items() if isinstance(solution, Curved) else ():
            entry = self.table.bounds[u]
            if entry.name[0] == 0:
                assert isinstance(entry.bound, SumBound)
                scale, level = entry.bound.scale, entry.bounds.level
                total -= multiplier * _slope(scale.bound, level, scale.bound(level).below(BITS))
        return total

    def worst_laws(self, solution: Solution) -> dict[int, Point]:
        """Return the worst law for each guarantee in its saddle form: the mixture of corners by their multipliers."""
        multipliers, found = self.by_tag(solution), dict[int, list[tuple[Rational, Point]]]()
        for u, entry in enumerate(self.table.bounds):
            weight = multipliers.get(("sum", u), 0.0)
            if entry.corner is not None and np.isfinite(weight):
                exact = Rational(*max(weight, 0.0).as_integer_ratio())
                found.setdefault(entry.name[0], []).append((exact, entry.corner))
        laws = {}
        for which, corners in found.items():
            largest = max(weight for weight, _ in corners)
            # A corner that hardly counts leaves bounds that stop the solver, and changes next to nothing.
            weighted = [(weight, corner) for weight, corner in corners if weight >= FAINT_MULTIPLIER * largest]
            total = sum((weight for weight, _ in weighted), ZERO)
            share = Rational(1, len(weighted))
            laws[which] = mixed([(weight / total if total > 0 else share, corner) for weight, corner in weighted])
        return laws

    def matrix(self, values: Floats) -> Floats:
        """Return the mechanism among the values of the variables."""
        found = np.zeros(self.table.shape)
        for (x, y), variable in self.entries.items():
            found[x, y] = values[variable]
        return found


def _told(tag: Hashable) -> Iterator[Hashable]:
    """Yield the tags that a multiplier counts for: that of an event counts for each of its outputs."""
    if isinstance(tag, tuple) and tag[0] == "event":
        yield from (("ratio", tag[1], y) for y in tag[2])
    else:
        yield tag


def _slope(function: Callable[[Real], Real], level: Real, value: Rational) -> float:
    """Return how fast a function of a level grows, its value there being given."""
    step = Rational(1, 1 << 40)
    try:
        return float((function(level + step).below(BITS) - value) / step)
    except Undecided:  # so small a number that it hardly grows
        return 0.0


def _unit(level: Real) -> Rational:
    """Return about what a level leaves between equal rows and its bounds."""
    return min(ONE, level.below(BITS)) if level > 0 else ONE
