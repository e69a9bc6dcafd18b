"""The convex program of a question at a level, and what a solver makes of it.

Minimise the worst distortion, or how far constraints must give way, over the entries that need not vanish. Rows are
kept as fractions, so that a basis can be solved for exactly; cones are for floats alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from epstar.claims.claim import mixed
from epstar.deadline import Deadline, in_time
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
from epstar.solve.program.model import Assembly, ConeKind, Cones, Solution
from epstar.solve.wider.laws import Point
from epstar.solve.wider.table import BITS, Bound, Table, is_equality

Floats = NDArray[np.float64]
Member = tuple[int, float]
Members = tuple[Member, Member, Member]
"""The three variables of a cone, each with its factor."""
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
        self._forms: dict[tuple[tuple[int, Rational], ...], int] = {}
        self.free: dict[int, list[int]] = {}
        """For each guarantee in its saddle form the variables of the law of the output."""
        self._against: dict[Hashable, int | None] = {}
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
            if isinstance(entry.bound, RatioBound):
                self._add_ratio(u, entry, entry.bound)
            else:
                self._add_sum(u, entry, entry.bound)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _variable(self, lower: float = 0.0) -> int:
        self.lower.append(lower)
        return len(self.lower) - 1

    def _equal(self, terms: dict[int, Rational], bound: Rational, tag: Hashable) -> None:
        self.rows.append(Row(terms, bound, True, tag))

    def _at_most(self, terms: dict[int, Rational], bound: Rational, tag: Hashable, unit: Rational = ONE) -> None:
        """Require a bound, which may give way, in units of what it allows, unless the distortion is minimised."""
        gives = {} if self.goal in ("distortion", "loss") else {self.worst: -unit}
        self.rows.append(Row({**terms, **gives}, bound, False, tag))

    def _firm(self, terms: dict[int, Rational], tag: Hashable = None) -> None:
        self.rows.append(Row(terms, ZERO, False, tag))

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

    def _add_ratio(self, u: int, entry: Bound, bound: RatioBound) -> None:
        exponent = entry.bounds.level * bound.distance
        if exponent > _VACUOUS:
            return
        growth = Real.exp(exponent).below(BITS)
        slack = bound.slack * (Real.exp(entry.bounds.level).below(BITS) if bound.slack_grows else ONE)
        if bound.allowance is not None:
            slack = bound.allowance.at(entry.bounds.level).below(BITS)
        excesses: dict[int, Rational] = {}
        for y in range(self.table.shape[1]):
            terms = self._terms(bound.left, y)
            for variable, amount in self._terms(bound.right, y, -growth).items():
                terms[variable] = terms.get(variable, ZERO) + amount
            if not any(value > 0 for value in terms.values()):
                continue
            if bound.events and slack > 0:
                excess = self._variable()
                excesses[excess] = ONE
                self._firm({**terms, excess: -ONE}, ("ratio", u, y))
            elif self.goal == "interior" and is_equality(entry):
                self._firm(terms)
            else:
                self._at_most(terms, slack, ("ratio", u, y), _unit(entry.bounds.level))
        if excesses:
            self._at_most(excesses, slack, None, slack)

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
        room = _unit(entry.bounds.level)
        self._at_most(total, ONE if unit != 1 else most.below(BITS), ("sum", u), room)

    def _form(self, form: Form, y: int) -> int | None:
        """Return a variable that is a form of a column; None if that vanishes."""
        terms = self._terms(form, y)
        if not terms:
            return None
        if len(terms) == 1 and next(iter(terms.values())) == 1:
            return next(iter(terms))
        key = tuple(sorted(terms.items()))
        if key not in self._forms:
            self._forms[key] = self._variable()
            self._equal({**terms, self._forms[key]: -ONE}, ZERO, None)
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

    def solve(self, deadline: Deadline) -> Solution:
        """Hand the program to the solver that it needs."""
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
            return solve_linear(assembly, deadline.left())
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
        largest = max((abs(float(value)) for value in row.coefficients.values()), default=1.0)
        return 1 / largest if self.cones and largest > _STEEP else 1.0

    def by_tag(self, solution: Solution) -> dict[Hashable, float]:
        """Return the multipliers of the rows that have a tag."""
        found: dict[Hashable, float] = {}
        for number, row in enumerate(self.rows):
            if row.tag is not None and number in solution.multipliers:
                found[row.tag] = solution.multipliers[number] * self._scale(row)
        return found

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


def _unit(level: Real) -> Rational:
    """Return about what a level leaves between equal rows and its bounds."""
    return min(ONE, level.below(BITS)) if level > 0 else ONE
