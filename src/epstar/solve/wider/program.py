"""The convex program of a question at a level, and what a solver makes of it.

Minimise the worst distortion, or how far constraints must give way, over the entries that need not vanish. Rows are
kept as fractions, so that a basis can be solved for exactly; cones are for floats alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from epstar.claims.claim import mixed
from epstar.deadline import Deadline, in_time
from epstar.errors import Undecided
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.limits import Entry
from epstar.notions.constraints import (
    Atom,
    Exponential,
    Form,
    Maximum,
    Measured,
    Norm,
    Power,
    RatioBound,
    RelativeEntropy,
    SumBound,
)
from epstar.solve.program.clarabel import solve_conic
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly, Basis, ConeKind, Cones, Solution
from epstar.solve.wider.laws import Point
from epstar.solve.wider.table import BITS, AllPairs, Bound, Table, equalities

Floats = NDArray[np.float64]
Member = tuple[int, float]
Members = tuple[Member, Member, Member]
"""The three variables of a cone, each with its factor."""
Moves = tuple[dict[int, float], float]
Goal = Literal["distortion", "loss", "violation", "interior"]
# A ratio beyond e^25 asks for no more than a trace of its right side, which the repair of the mechanism adds.
_VACUOUS = 25
# A share of the largest weight of a corner, below which it is left out of the worst law.
_SMALL = Rational(1, 10**7)
# A row with larger coefficients stops an interior-point method before its last digits.
_STEEP = 1e3


@dataclass(frozen=True)
class Row:
    """sum of coefficients times variables <= bound, or = bound."""

    coefficients: dict[int, Rational]
    bound: Rational
    is_equation: bool
    tag: Hashable
    moves: Moves | None = None
    """How coefficients and the bound change with the level of the notion, where they do."""


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
    cones: list[tuple[ConeKind, Members, Hashable, float]] = field(default_factory=list)
    units: dict[Hashable, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        inputs, outputs = self.table.shape
        vanishing = self.table.face[0]
        self.entries: dict[Entry, int] = {}
        for x in range(inputs):
            for y in range(outputs):
                if (x, y) not in vanishing:
                    self.entries[x, y] = self._variable()
        self.worst = self._variable(-math.inf if self.goal != "interior" else -1.0)
        self._kinds: dict[int, int] = {}
        self._known: dict[tuple[tuple[int, Rational], ...], int] = {}
        self._forms: dict[tuple[int, int], int | None] = {}
        self.free: dict[int, list[int]] = {}
        """For each guarantee in its saddle form the variables of the law of the output."""
        self._against: dict[Hashable, int | None] = {}
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
            if self.goal == "interior" and i in self.table.tight:
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

    def _variable(self, lower: float = 0.0) -> int:
        self.lower.append(lower)
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
    ) -> None:
        """Require a bound, which may give way, in units of what it allows, unless the distortion is minimised."""
        gives = {} if self.goal in ("distortion", "loss") else {self.worst: -unit}
        self.rows.append(Row({**terms, **gives}, bound, False, tag, moves))

    def _firm(self, terms: dict[int, Rational], tag: Hashable = None, moves: Moves | None = None) -> None:
        self.rows.append(Row(terms, ZERO, False, tag, moves))

    def _add_distortion(self) -> None:
        cost = self.table.setting.distortion.matrix(self.table.setting.universe)
        for j, law in enumerate(self.table.laws.for_distortion):
            terms = {v: law[x] * cost[x][y] for (x, y), v in self.entries.items() if law[x] * cost[x][y] != 0}
            if self.goal == "distortion":
                self._firm({**terms, self.worst: -ONE}, ("law", j))
            elif self.goal in ("violation", "loss") and self.table.most is not None:
                self._at_most(terms, self.table.most, ("law", j))

    def _terms(self, form: Form, y: int, factor: Rational = ONE) -> dict[int, Rational]:
        return {self.entries[x, y]: factor * share for x, share in form.items() if (x, y) in self.entries}

    def _growth(self, entry: Bound, distance: Rational) -> Rational | None:
        """Return e^(level * distance) rounded down; None where that is beyond what asks for anything."""
        key = (entry.bounds.level, distance)
        if key not in self._growths:
            exponent = entry.bounds.level * distance
            self._growths[key] = None if exponent > _VACUOUS else Real.exp(exponent).below(BITS)
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
            least = self._variable()
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
            slack = bound.allowance.at(level).below(BITS)
            more = _slope(bound.allowance.at, level, slack) if is_own else 0.0
        steep = float(growth * bound.distance)
        excesses: dict[int, Rational] = {}
        is_firm = self.goal == "interior" and any(equalities(entry))
        for y in range(self.table.shape[1]):
            terms, right = self._terms(bound.left, y), self._terms(bound.right, y)
            for variable, amount in right.items():
                terms[variable] = terms.get(variable, ZERO) - growth * amount
            if not any(value > 0 for value in terms.values()):
                continue
            rise = {v: -steep * float(a) for v, a in right.items()} if is_own and steep else {}
            if bound.events and slack > 0:
                excess = self._variable()
                excesses[excess] = ONE
                self._firm({**terms, excess: -ONE}, ("ratio", u, y), (rise, 0.0))
            elif is_firm:
                self._firm(terms)
            else:
                self._at_most(terms, slack, ("ratio", u, y), _unit(level), (rise, more if is_own else 0.0))
        if excesses:
            self._at_most(excesses, slack, None, slack, ({}, more if is_own else 0.0))

    # -- sums ---------------------------------------------------------------------------------------------------------

    def _add_sum(self, u: int, entry: Bound, bound: SumBound) -> None:
        most, is_least = bound.scale.bound(entry.bounds.level), self.goal == "loss" and entry.name[0] == 0
        unit = ONE
        if (
            not is_least
            and isinstance(bound.scale, Exponential)
            and all(isinstance(a, Power) and a.order > 1 for _, a in bound.terms)
        ):
            unit = most.below(BITS)
        self.units[u] = float(unit)
        total: dict[int, Rational] = {}
        for k, (weight, atom) in enumerate(bound.terms):
            for y in range(self.table.shape[1]):
                value = self._atom((u, k, y), y, atom) if entry.corner is None else self._to_law(u, entry, y, atom)
                if value is not None:
                    total[value] = total.get(value, ZERO) + weight
        if is_least:
            self._firm({**total, self.worst: -ONE}, ("sum", u))
            return
        room, side = _unit(entry.bounds.level), most.below(BITS)
        more = _slope(bound.scale.bound, entry.bounds.level, side) / float(unit) if entry.name[0] == 0 else 0.0
        self._at_most(total, ONE if unit != 1 else side, ("sum", u), room, ({}, more))

    def _form(self, form: Form, y: int) -> int | None:
        """Return a variable that is a form of a column; None if that vanishes."""
        if len(form) == 1:
            ((x, share),) = form.items()
            if share == 1:
                return self.entries.get((x, y))
        if id(form) not in self._kinds:
            # Forms are many, and few are different.
            self._kinds[id(form)] = self._known.setdefault(tuple(sorted(form.items())), len(self._known))
        key = (self._kinds[id(form)], y)
        if key not in self._forms:
            terms = self._terms(form, y)
            variable = self._forms[key] = self._variable() if terms else None
            if variable is not None:
                self._equal({**terms, variable: -ONE}, ZERO, None)
        return self._forms[key]

    def _to_law(self, u: int, entry: Bound, y: int, atom: Atom) -> int | None:
        """Return a variable not below the divergence of an input from the free law, which all corners share."""
        assert isinstance(atom, RelativeEntropy | Power)
        which, (x,) = entry.name[0], atom.left
        if which not in self.free:
            self.free[which] = [self._variable() for _ in range(self.table.shape[1])]
            self._equal(dict.fromkeys(self.free[which], ONE), ONE, None)
        key = ("law", which, x, y)
        if key not in self._against:
            left = self._form(atom.left, y)
            self._against[key] = None if left is None else self._divergence(atom, left, self.free[which][y], u, key)
        return self._against[key]

    def _atom(self, tag: tuple[int, int, int], y: int, atom: Atom) -> int | None:
        """Return a variable that is at least the value of an atom at a column; None if that is zero."""
        u, k, _ = tag
        if isinstance(atom, Measured):
            forms = {place: self._form(atom.form(place), y) for place in atom.weights}
            present = {place: variable for place, variable in forms.items() if variable is not None}
            if not present:
                return None
            value = self._variable(-math.inf)
            if isinstance(atom, Maximum):
                for place in atom.weights:
                    if place in present:
                        terms = self._terms(atom.form(place), y, atom.weights[place])
                        self._firm({**terms, value: -ONE}, ("share", u, y, place))
                return value
            assert isinstance(atom, Norm)
            self._norm(u, k, y, atom, present, value)
            return value
        assert isinstance(atom, RelativeEntropy | Power)
        left, right = self._form(atom.left, y), self._form(atom.right, y)
        if left is None or (right is None and isinstance(atom, Power)):
            return None
        assert right is not None
        return self._divergence(atom, left, right, u, tag)

    def _divergence(self, atom: RelativeEntropy | Power, left: int, right: int, u: int, tag: Hashable) -> int:
        value = self._variable(-math.inf)
        if isinstance(atom, RelativeEntropy):
            self._cone(ConeKind.EXPONENTIAL, ((value, -1.0), (left, 1.0), (right, 1.0)), tag)
        elif atom.order > 1:
            order = float(atom.order)
            shrunk = self.units[u] ** (-1 / order)
            self._cone(ConeKind.POWER, ((value, 1.0), (right, 1.0), (left, shrunk)), tag, 1 / order)
        else:
            order = float(atom.order)
            self._cone(ConeKind.POWER, ((left, 1.0), (right, 1.0), (value, -1.0)), tag, order)
        return value

    def _norm(self, u: int, k: int, y: int, atom: Norm, present: dict[int, int], value: int) -> None:
        order, parts = float(atom.order), {}
        for place, variable in present.items():
            part = parts[place] = self._variable()
            weight = float(atom.weights[place])
            if order > 1:
                cone = ((part, 1.0), (value, 1.0), (variable, weight ** (1 / order)))
            else:
                cone = ((variable, 1.0), (value, -1.0), (part, 1 / weight))
            self._cone(ConeKind.POWER, cone, (u, k, y, place), 1 / order if order > 1 else order)
        sign = ONE if order > 1 else -ONE
        self._firm({**dict.fromkeys(parts.values(), sign), value: -ONE})

    def _cone(self, kind: ConeKind, members: Members, tag: Hashable, exponent: float = 0.0) -> None:
        self.cones.append((kind, members, tag, exponent))

    # -- solving ------------------------------------------------------------------------------------------------------

    def solve(self, deadline: Deadline, start: Basis | None = None) -> Solution:
        """Hand the program to the solver that it needs; a linear one may start from a basis of a like one."""
        assembly = Assembly()
        for lower in self.lower:
            assembly.variable(lower)
        assembly.objective = {self.worst: 1.0}
        for number, row in enumerate(self.rows):
            scale = self._scale(row)
            terms = {variable: float(value) * scale for variable, value in row.coefficients.items()}
            add = assembly.equal if row.is_equation else assembly.at_most
            add(terms, float(row.bound) * scale, number)
        if not self.cones:
            return solve_linear(assembly, deadline.left(), start)
        blocks: dict[tuple[ConeKind, float], list[tuple[Members, Hashable]]] = {}
        for kind, members, tag, exponent in self.cones:
            blocks.setdefault((kind, exponent), []).append((members, tag))
        for (kind, exponent), alike in blocks.items():
            columns = np.array([[variable for variable, _ in members] for members, _ in alike])
            factors = np.array([[factor for _, factor in members] for members, _ in alike])
            assembly.cones.append(Cones(kind, columns, factors, (kind, exponent), exponent))
        solution = solve_conic(assembly, deadline.left())
        found = {
            tag: solution.cone_multipliers[block][place]
            for block, alike in blocks.items()
            for place, (_, tag) in enumerate(alike)
        }
        return replace(solution, cone_multipliers=found)

    def _scale(self, row: Row) -> float:
        """Return what makes the largest coefficient of a steep row one, for a solver of cones."""
        if not self.cones:
            return 1.0
        largest = max((abs(float(value)) for value in row.coefficients.values()), default=1.0)
        return 1 / largest if largest > _STEEP else 1.0

    def by_tag(self, solution: Solution) -> dict[Hashable, float]:
        """Return the multipliers of the rows that have a tag, but for those that are zero."""
        found: dict[Hashable, float] = {}
        for number, row in enumerate(self.rows):
            multiplier = solution.multipliers.get(number, 0.0) if row.tag is not None else 0.0
            if multiplier != 0.0:
                found[row.tag] = multiplier * self._scale(row)
        return found

    def slope(self, solution: Solution) -> float:
        """Return how fast the optimum changes with the level of the notion (the envelope theorem)."""
        total = 0.0
        for number, row in enumerate(self.rows):
            multiplier = solution.multipliers.get(number, 0.0) if row.moves is not None else 0.0
            if row.moves is not None and multiplier != 0.0:
                terms, more = row.moves
                change = sum(rate * float(solution.values[v]) for v, rate in terms.items()) - more
                total += multiplier * self._scale(row) * change
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
            # A corner that hardly counts makes cones that stop the solver, and changes next to nothing.
            weighted = [(weight, corner) for weight, corner in corners if weight >= _SMALL * largest]
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
