"""From a notion's constraints to a program that a solver can read.

The variables are the entries of the mechanism and, where needed, the law of the output. Two questions are asked:
the least distortion at a level, and (for sum bounds that share a scale) the least bound at a distortion.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import Real
from epstar.notions.constraints import (
    LAW,
    Atom,
    Constraints,
    Form,
    Maximum,
    Norm,
    Power,
    RatioBound,
    RelativeEntropy,
    Spread,
    SumBound,
)
from epstar.solve.assembly import Assembly, Cone, ConeKind, Solution
from epstar.solve.clarabel import solve_conic
from epstar.solve.highs import solve_linear

Floats = NDArray[np.float64]

# Exponents of ratios beyond which a coefficient would swamp the others in floats.
_VACUOUS = 25


@dataclass(frozen=True)
class Found:
    """A solver's answer in the program's own terms; see `Program` for the tags of the multipliers."""

    matrix: Floats
    solution: Solution
    units: Mapping[int, float] = field(default_factory=dict)

    def multiplier(self, *tag: object) -> float:
        """Return the non-negative multiplier of a row, zero where the program has no such row."""
        return max(0.0, self.solution.multipliers.get(tag, 0.0))

    def slope(self, atom: Atom, tag: tuple[int, int, int]) -> tuple[float, ...]:
        """Return where the solver linearised an atom: a ratio left/right, or a direction of the column.

        The multipliers of a cone are, up to scale, the coefficients of its supporting plane.
        """
        duals = self.solution.cone_multipliers
        if isinstance(atom, RelativeEntropy):
            u, _, w = duals[tag]
            return (_place(w, -u),)
        if isinstance(atom, Power):
            order = float(atom.order)
            u, _, w = duals[tag]
            rescaled = self.units.get(tag[0], 1.0) ** (1 - 1 / order)
            steepness = _place(-w * rescaled, u) if order > 1 else _place(u, -w)
            return ((steepness / order) ** (1 / (order - 1)),)
        if isinstance(atom, Norm):
            order = float(atom.order)
            weights = np.array([float(weight) for weight in atom.weights.values()])
            rows = [duals[(*tag, x)] for x in atom.weights]
            if order > 1:
                slopes = np.array([-w for _, _, w in rows]) * weights ** (1 / order)
            else:
                slopes = np.array([u for u, _, _ in rows])
            logarithms = np.log(np.maximum(slopes, 1e-300) / weights) / (order - 1)
            # A direction must be positive; a vanishing entry costs nothing at this size.
            return tuple(np.maximum(np.exp(logarithms - logarithms.max()), 1e-40).tolist())
        raise SolverFailure(f"{type(atom).__name__} has no slope; it is linear in its multipliers.")


@dataclass
class Program:
    """Minimise distortion (or a bound) over mechanisms with `cost.shape` inputs and outputs.

    Tags of multipliers: ("point", j), ("row", x), ("ratio", i, y), ("maximum", i, k, y, x), ("sum", i),
    with i the position among the pairwise ratio bounds or the sums. A spread without events is written compactly,
    and its rows are not tagged because its proof needs the row prices alone.
    """

    cost: Floats
    points: Sequence[Floats]
    assembly: Assembly = field(default_factory=Assembly)

    def __post_init__(self) -> None:
        inputs, outputs = self.cost.shape
        self.entries = np.asarray(self.assembly.variables(inputs * outputs)).reshape(inputs, outputs)
        for x in range(inputs):
            self.assembly.equal(dict.fromkeys(self.entries[x].tolist(), 1.0), 1.0, ("row", x))
        self.law: Sequence[int] | None = None
        # Whether some bound grows so fast with the level that it needs its own unit.
        self.is_steep = False
        self._units: dict[int, float] = {}
        self._objective_unit = 1.0
        self._forms: dict[tuple[tuple[int, float], ...], Sequence[int]] = {}
        self._atoms: dict[Hashable, Iterable[int]] = {}

    def least_distortion(self, constraints: Constraints, level: Real) -> None:
        """Ask for the least worst-case distortion at `level`."""
        worst = self.assembly.variable(-math.inf)
        self.assembly.objective = {worst: 1.0}
        for j, point in enumerate(self.points):
            self.assembly.at_most(self._expected(point) | {worst: -1.0}, 0.0, ("point", j))
        compact = constraints.spread
        if compact is not None and not (compact.events and compact.slack > 0):
            self._spread(compact, float(Real.exp(level)))
            ratios = constraints.ratios
        else:
            ratios = constraints.pairwise()
        for i, bound in enumerate(ratios):
            self._ratio(i, bound, level)
        for i, total in enumerate(constraints.sums):
            most = float(total.scale.bound(level))
            self._units[i] = most if most > 1 and _is_steep(total) else 1.0
            self._sum(i, total, {}, most / self._units[i])

    def least_bound(self, constraints: Constraints, distortion: float, unit: float = 1.0) -> None:
        """Ask for the least common bound of the sums when the distortion is at most `distortion`.

        The bound is measured in `unit`s, which steep sums need for accuracy.
        """
        self._objective_unit = unit
        largest = self.assembly.variable(-math.inf)
        self.assembly.objective = {largest: 1.0}
        for j, point in enumerate(self.points):
            self.assembly.at_most(self._expected(point), distortion, ("point", j))
        for i, total in enumerate(constraints.sums):
            self.is_steep = self.is_steep or _is_steep(total)
            self._units[i] = unit
            self._sum(i, total, {largest: -1.0}, 0.0)

    def losses(self, found: Found, constraints: Constraints) -> Floats:
        """Return what each input contributes to a sum read at the uniform prior, for the law of the output found."""
        law = np.maximum(found.solution.values[list(self.law or [])], 1e-300)
        total = np.zeros(self.cost.shape[0])
        for _, atom in constraints.sums[0].terms:
            if isinstance(atom, RelativeEntropy | Power):
                (x,) = atom.left
                entries = np.maximum(found.matrix[x], 0.0)
                if isinstance(atom, RelativeEntropy):
                    total[x] = (entries * np.log(np.maximum(entries, 1e-300) / law)).sum()
                else:
                    order = float(atom.order)
                    total[x] = math.copysign(1.0, order - 1) * (entries**order * law ** (1 - order)).sum()
        return total

    def solve(self, time_limit: float | None = None) -> Found:
        """Hand the program to the solver it needs."""
        solver = solve_conic if self.assembly.cones else solve_linear
        solution = solver(self.assembly, time_limit)
        restored: dict[Hashable, float] = {
            tag: value * self._objective_unit / (self._units[tag[1]] if tag[0] == "sum" else 1.0)
            for tag, value in solution.multipliers.items()
            if isinstance(tag, tuple)
        }
        objective = solution.objective * self._objective_unit
        solution = replace(solution, multipliers=restored, objective=objective)
        return Found(solution.values[self.entries], solution, dict(self._units))

    def _expected(self, point: Floats) -> dict[int, float]:
        weights = point[:, None] * self.cost
        return dict(zip(self.entries.ravel().tolist(), weights.ravel().tolist(), strict=True))

    def _form(self, form: Form) -> Sequence[int] | None:
        """Return, per output, a variable equal to a form of the column; None for a single entry."""
        if form is LAW:
            if self.law is None:
                self.law = self.assembly.variables(self.cost.shape[1])
                self.assembly.equal(dict.fromkeys(self.law, 1.0), 1.0)
            return self.law
        if len(form) == 1:
            return None
        key = tuple((x, float(weight)) for x, weight in sorted(form.items()))
        if key not in self._forms:
            self._forms[key] = self.assembly.variables(self.cost.shape[1])
            for y, variable in enumerate(self._forms[key]):
                row = {int(self.entries[x, y]): weight for x, weight in key}
                self.assembly.equal(row | {variable: -1.0}, 0.0)
        return self._forms[key]

    def _expression(self, form: Form, y: int, factor: float = 1.0) -> dict[int, float]:
        variables = self._form(form)
        if variables is not None:
            return {variables[y]: factor}
        ((x, weight),) = form.items()
        return {int(self.entries[x, y]): factor * float(weight)}

    def _spread(self, spread: Spread, ratio: float) -> None:
        scales = [float(scale) for scale in spread.scales]
        for y, least in enumerate(self.assembly.variables(self.cost.shape[1])):
            for x, scale in enumerate(scales):
                entry = int(self.entries[x, y])
                self.assembly.at_most({least: 1.0, entry: -scale}, 0.0)
                self.assembly.at_most({entry: scale, least: -ratio}, float(spread.slack))

    def _ratio(self, i: int, bound: RatioBound, level: Real) -> None:
        exponent = level if bound.distance == 1 else level * bound.distance
        if exponent > _VACUOUS:
            # Such a ratio asks for no more than a trace of the right side, which the repair of the mechanism adds.
            return
        ratio = float(Real.exp(exponent))
        slack = float(bound.slack) * (float(Real.exp(level)) if bound.slack_grows else 1.0)
        outputs = self.cost.shape[1]
        excess = list(self.assembly.variables(outputs)) if bound.events and slack > 0 else None
        for y in range(outputs):
            row = _added(self._expression(bound.left, y), self._expression(bound.right, y, -ratio))
            if excess is not None:
                row[excess[y]] = -1.0
            self.assembly.at_most(row, slack if excess is None else 0.0, ("ratio", i, y))
        if excess is not None:
            self.assembly.at_most(dict.fromkeys(excess, 1.0), slack)

    def _sum(self, i: int, total: SumBound, extra: dict[int, float], bound: float) -> None:
        row = dict(extra)
        for k, (weight, atom) in enumerate(total.terms):
            for variable in self._atom_of_law(i, k, atom) if _has_free_law(atom) else self._atom(i, k, atom):
                row[variable] = row.get(variable, 0.0) + float(weight)
        self.assembly.at_most(row, bound, ("sum", i))

    def _atom_of_law(self, i: int, k: int, atom: RelativeEntropy | Power) -> Iterable[int]:
        """Return the variables of an atom whose right side is the free law, which all members of a source share."""
        key = (tuple(atom.left.items()), self._units[i])
        if key not in self._atoms:
            self._atoms[key] = self._atom(i, k, atom)
        return self._atoms[key]

    def _atom(self, i: int, k: int, atom: Atom) -> Iterable[int]:
        """Return variables, one per output, that are at least the atom's value (or at most, negated)."""
        values = self.assembly.variables(self.cost.shape[1], -math.inf)
        for y, value in enumerate(values):
            if isinstance(atom, Maximum):
                for x, weight in atom.weights.items():
                    row = {int(self.entries[x, y]): float(weight), value: -1.0}
                    self.assembly.at_most(row, 0.0, ("maximum", i, k, y, x))
            elif isinstance(atom, RelativeEntropy):
                rows = ({value: -1.0}, self._expression(atom.left, y), self._expression(atom.right, y))
                self.assembly.cones.append(Cone(ConeKind.EXPONENTIAL, rows, (i, k, y)))
            elif isinstance(atom, Power):
                self._power(atom, (i, k, y), value)
            elif isinstance(atom, Norm):
                self._norm(atom, (i, k, y), value)
        return values

    def _power(self, atom: Power, tag: tuple[int, int, int], value: int) -> None:
        order = float(atom.order)
        # In units of the bound the value shrinks by it, so the left side by its root.
        factor = self._units[tag[0]] ** (-1 / order) if order > 1 else 1.0
        left, right = self._expression(atom.left, tag[2], factor), self._expression(atom.right, tag[2])
        if order > 1:
            self.assembly.cones.append(Cone(ConeKind.POWER, ({value: 1.0}, right, left), tag, 1 / order))
        else:
            self.assembly.cones.append(Cone(ConeKind.POWER, (left, right, {value: -1.0}), tag, order))

    def _norm(self, atom: Norm, tag: tuple[int, int, int], value: int) -> None:
        order = float(atom.order)
        parts = self.assembly.variables(len(atom.weights))
        for part, (x, weight) in zip(parts, atom.weights.items(), strict=True):
            entry = int(self.entries[x, tag[2]])
            if order > 1:
                rows = ({part: 1.0}, {value: 1.0}, {entry: float(weight) ** (1 / order)})
                self.assembly.cones.append(Cone(ConeKind.POWER, rows, (*tag, x), 1 / order))
            else:
                rows = ({entry: 1.0}, {value: -1.0}, {part: 1 / float(weight)})
                self.assembly.cones.append(Cone(ConeKind.POWER, rows, (*tag, x), order))
        # The parts add up to the norm; for orders below one the atom is minus the norm.
        sign = 1.0 if order > 1 else -1.0
        self.assembly.at_most(dict.fromkeys(parts, sign) | {value: -1.0}, 0.0)


def _has_free_law(atom: Atom) -> TypeGuard[RelativeEntropy | Power]:
    return isinstance(atom, RelativeEntropy | Power) and atom.right is LAW


def _is_steep(total: SumBound) -> bool:
    return all(isinstance(atom, Power) and atom.order > 1 for _, atom in total.terms)


def _place(numerator: float, denominator: float) -> float:
    """Return a quotient of cone multipliers, kept positive and finite where both are solver noise."""
    quotient = numerator / denominator if denominator > 0 else math.inf
    return min(max(quotient, 1e-9), 1e9)


def _added(left: dict[int, float], right: dict[int, float]) -> dict[int, float]:
    result = dict(left)
    for column, value in right.items():
        result[column] = result.get(column, 0.0) + value
    return result
