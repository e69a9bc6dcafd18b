"""From a notion's constraints to a program that a solver can read.

The variables are the entries of the mechanism and, where needed, the law of the output. Two questions are asked:
the least distortion at a level, and (for sum bounds that share a scale) the least bound at a distortion.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import Deadline, in_time
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
from epstar.solve.program.clarabel import solve_conic
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.lazy import Place, Read, Start, UnreadRatios, UnreadSums, coefficients, needed_ratios
from epstar.solve.program.model import FAINT, Assembly, Basis, ConeKind, Cones, Places, Solution
from epstar.solve.program.robust import Envelope, LawRatios

Floats = NDArray[np.float64]

# Exponents of ratios beyond which a coefficient would swamp the others in floats.
_VACUOUS = 25
# Nats: the exponent of a power of a ratio beyond which sums of them are more than floats hold.
_LARGEST_EXPONENT = 600.0


@dataclass(frozen=True)
class Found:
    """A solver's answer in the program's own terms; see `Program` for the tags of the multipliers."""

    matrix: Floats
    solution: Solution
    units: Mapping[int, float] = field(default_factory=dict)

    def multiplier(self, *tag: object) -> float:
        """Return the non-negative multiplier of a row, zero where the program has no such row."""
        return max(0.0, self.solution.multipliers.get(tag, 0.0))

    def slopes(self, atom: Atom, i: int, k: int) -> Floats:
        """Return where the solver linearised term k of sum i, by output: ratios left/right, or columns in their rows.

        The multipliers of a cone are, up to scale, the coefficients of its supporting plane.
        """
        u, _, w = self.solution.cone_multipliers[i, k].T
        if isinstance(atom, RelativeEntropy):
            return _places(w, -u)[:, None]
        if isinstance(atom, Power):
            order = float(atom.order)
            rescaled = self.units.get(i, 1.0) ** (1 - 1 / order)
            steepness = _places(-w * rescaled, u) if order > 1 else _places(u, -w)
            places: Floats = (steepness / order) ** (1 / (order - 1))
            return places[:, None]
        if isinstance(atom, Norm):
            order = float(atom.order)
            weights = np.array([float(weight) for weight in atom.weights.values()])
            planes = (-w if order > 1 else u).reshape(-1, weights.size)
            steep = planes * weights ** (1 / order) if order > 1 else planes
            logarithms = np.log(np.maximum(steep, 1e-300) / weights) / (order - 1)
            # A direction must be positive; a vanishing entry costs nothing at this size.
            columns: Floats = np.maximum(np.exp(logarithms - logarithms.max(axis=1, keepdims=True)), 1e-40)
            return columns
        raise SolverFailure(f"{type(atom).__name__} has no slope; it is linear in its multipliers.")


@dataclass
class Program:
    """Minimise distortion (or a bound) over mechanisms with `cost.shape` inputs and outputs.

    Tags of multipliers: ("point", j), ("row", x), ("sum", i), and of those in blocks ("ratio", i), by output, and
    ("maximum", i, k), by output and input, with i the position among the pairwise ratio bounds or the sums. A spread
    without events is written compactly, and its rows are not tagged because its proof needs the row prices alone.
    """

    cost: Floats
    points: Sequence[Floats]
    read: Read = field(default_factory=Read)
    region: Envelope | None = None
    """All laws of a convex source, instead of some points of it; the worst of them is then the point found."""
    law_ratios: LawRatios | None = None
    """Bounds on ratios to the law of the output under all laws, instead of those at some."""
    assembly: Assembly = field(default_factory=Assembly)

    def __post_init__(self) -> None:
        inputs, outputs = self.cost.shape
        self.entries = np.asarray(self.assembly.variables(inputs * outputs)).reshape(inputs, outputs)
        for x in range(inputs):
            self.assembly.equal(dict.fromkeys(self.entries[x].tolist(), 1.0), 1.0, ("row", x))
        self.law: Places | None = None
        # Whether some bound grows so fast with the level that it needs its own unit.
        self.is_steep = False
        self._units: dict[int, float] = {}
        self._objective_unit = 1.0
        self._constraints = Constraints()
        self._ratios: Sequence[RatioBound] = ()
        self._level = Real.of(0)
        self._unread_ratios = UnreadRatios((), (), self._level, self.read, inputs)
        self._unread_sums = UnreadSums((), self.read.sums, 0)
        self._largest: int | None = None
        self._forms: dict[tuple[tuple[int, float], ...], Places] = {}
        self._atoms: dict[Hashable, Places] = {}
        # What is asked for from the start, and the rows that joined, in their order.
        self._bounds_read: Hashable = None
        self._rows_read: list[Place] = []

    def least_distortion(self, constraints: Constraints, level: Real) -> None:
        """Ask for the least worst-case distortion at `level`."""
        # Next to large ratios a solver takes a variable without a lower bound for an unbounded one; this never binds.
        worst = self.assembly.variable(-math.inf if constraints.sums else float(self.cost.min()) - 1)
        self.assembly.objective = {worst: 1.0}
        self._distortion_at_most({worst: -1.0}, 0.0)
        compact = constraints.spread
        if compact is not None and not (compact.events and compact.slack > 0):
            self._spread(compact, float(Real.exp(level)))
            self._ratios = constraints.ratios
        else:
            self._ratios = constraints.pairwise()
        self._level = level
        needed = needed_ratios(self._ratios, level)
        self._unread_ratios = UnreadRatios(self._ratios, needed, level, self.read, len(self.cost))
        unread = set(self._unread_ratios.places)
        first = [(i, None) for i in needed if i not in unread]
        rows, outputs = len(first), self.cost.shape[1]
        mentioned = sum(len(self._ratios[i].left) + len(self._ratios[i].right) for i, _ in first)
        self.assembly.reserve(rows * outputs, mentioned * outputs)
        self._bounds_read = (tuple(first), compact is None, len(constraints.sums), len(self.assembly.lower))
        self._rows_read = [place for place in self.read.ratios if place[0] in unread]
        for i, output in in_time([*first, *self._rows_read]):
            self._ratio(i, output)
        if self.law_ratios is not None:
            exponents = {ratio.distance: float(level * ratio.distance) for ratio in self.law_ratios.ratios}
            growths = {distance: math.exp(e) for distance, e in exponents.items() if e <= _VACUOUS}
            self.law_ratios.add(self.assembly, self.entries, growths)
        self._read_sums(constraints)

    def least_bound(self, constraints: Constraints, distortion: float, unit: float = 1.0) -> None:
        """Ask for the least common bound of the sums when the distortion is at most `distortion`.

        The bound is measured in `unit`s, which steep sums need for accuracy.
        """
        self._objective_unit = unit
        largest = self.assembly.variable(-math.inf)
        self.assembly.objective = {largest: 1.0}
        self._distortion_at_most({}, distortion)
        self.is_steep = any(_is_steep(total) for total in constraints.sums)
        self._largest = largest
        self._read_sums(constraints)

    def losses(self, found: Found, constraints: Constraints) -> Floats:
        """Return what each input contributes to a sum read at the uniform prior, for the law of the output found."""
        law = found.solution.values[self.law]
        total = np.zeros(self.cost.shape[0])
        for _, atom in constraints.sums[0].terms:
            if isinstance(atom, RelativeEntropy | Power):
                (x,) = atom.left
                # Answers of mere rounding errors would decide what is worst.
                given = (law > FAINT) & (found.matrix[x] > 0)
                entries = found.matrix[x, given]
                gains = np.log(entries / law[given])
                if isinstance(atom, Power):
                    rate = float(atom.order) - 1
                    gains = math.copysign(1.0, rate) * np.exp(np.minimum(rate * gains, _LARGEST_EXPONENT))
                total[x] = (entries * gains).sum()
        return total

    def solve(self, deadline: Deadline) -> Found:
        """Hand the program to the solver it needs."""
        solution = self._solved(deadline)
        while not solution.is_cut_short and self._has_read_broken(solution):
            solution = self._solved(deadline)
        restored: dict[Hashable, float] = {
            tag: value * self._objective_unit / (self._units[tag[1]] if tag[0] == "sum" else 1.0)
            for tag, value in solution.multipliers.items()
            if isinstance(tag, tuple)
        }
        blocks = {tag: values * self._objective_unit for tag, values in solution.block_multipliers.items()}
        for kind, i, output in [tag for tag in restored if isinstance(tag, tuple) and len(tag) == 3]:
            block = blocks.setdefault((kind, i), np.zeros(self.cost.shape[1]))
            block[output] = restored.pop((kind, i, output))
        if self.region is not None:
            restored = self._with_law(restored, self.region)
        objective = solution.objective * self._objective_unit
        solution = replace(solution, multipliers=restored, block_multipliers=blocks, objective=objective)
        return Found(solution.values[self.entries], solution, dict(self._units))

    def _solved(self, deadline: Deadline) -> Solution:
        """Hand the program over, a linear one with the basis of the one before it, from which a few steps are left."""
        if self.assembly.cones:
            return solve_conic(self.assembly, deadline.left())
        solution = solve_linear(self.assembly, deadline.left(), self._start())
        if solution.basis is not None and self._largest is None:
            rows = tuple(self._rows_read)
            self.read.start = Start(solution.basis, self._bounds_read, len(self.points), rows)
        return solution

    def _start(self) -> Basis | None:
        """Return the basis of the last program if this one has the same rows, and laws and lazy rows joined at most."""
        known, rows = self.read.start, tuple(self._rows_read)
        if self._largest is not None or known is None or known.bounds != self._bounds_read:
            return None
        joined = len(self.points) - known.laws
        is_longer = rows[: len(known.rows)] == known.rows and (
            len(rows) == len(known.rows) or not self._constraints.sums
        )
        if joined < 0 or not is_longer:
            return None
        # The laws come after the inputs; rows that are not named are basic.
        last = len(self.cost) + known.laws
        return Basis(known.basis.columns, frozenset(i + joined * (i >= last) for i in known.basis.tight_rows))

    def _distortion_at_most(self, most: dict[int, float], bound: float) -> None:
        """Bound the distortion under all laws: at each point, or over a region."""
        if self.region is None:
            for j, point in enumerate(self.points):
                self.assembly.at_most(self._expected(point) | most, bound, ("point", j))
            return
        means = self.assembly.variables(len(self.cost), -math.inf)
        for mean, entries, costs in zip(means, self.entries.tolist(), self.cost.tolist(), strict=True):
            self.assembly.equal(dict(zip(entries, costs, strict=True)) | {mean: -1.0}, 0.0)
        self.assembly.at_most(self.region.add(self.assembly, means, "distortion") | most, bound, ("region",))

    def _with_law(self, multipliers: dict[Hashable, float], region: Envelope) -> dict[Hashable, float]:
        """Return the multipliers of the distortion as those of the one law that they make, which becomes the point."""
        weight = max(0.0, multipliers.get(("region",), 0.0))
        self.points = [region.law(multipliers, "distortion")[0]]
        return multipliers | {("point", 0): weight}

    def _expected(self, point: Floats) -> dict[int, float]:
        weights = point[:, None] * self.cost
        return dict(zip(self.entries.ravel().tolist(), weights.ravel().tolist(), strict=True))

    def _variables(self, lower: float = 0.0) -> Places:
        """Add a variable for each output."""
        return np.asarray(self.assembly.variables(self.cost.shape[1], lower))

    def _form(self, form: Form) -> tuple[Places, float]:
        """Return, per output, a variable that is, up to the factor returned with it, a form of the column."""
        if form is LAW:
            if self.law is None:
                self.law = self._variables()
                self.assembly.equal(dict.fromkeys(self.law.tolist(), 1.0), 1.0)
            return self.law, 1.0
        if len(form) == 1:
            ((x, weight),) = form.items()
            return self.entries[x], float(weight)
        key = tuple((x, float(weight)) for x, weight in sorted(form.items()))
        if key not in self._forms:
            self._forms[key] = self._variables()
            terms = [(self.entries[x], weight) for x, weight in key]
            self.assembly.all_equal(*terms, (self._forms[key], -1.0), bound=0.0)
        return self._forms[key], 1.0

    def _spread(self, spread: Spread, ratio: float) -> None:
        scales = np.array([float(scale) for scale in spread.scales])[:, None]
        least = self._variables()
        self.assembly.all_at_most((least, 1.0), (self.entries, -scales), bound=0.0)
        self.assembly.all_at_most((self.entries, scales), (least, -ratio), bound=float(spread.slack))

    def _read_sums(self, constraints: Constraints) -> None:
        """Read the sums of which it is known that they matter."""
        self._constraints = constraints
        self._unread_sums = UnreadSums(constraints.sums, self.read.sums, len(self.cost))
        for i in in_time(sorted(self.read.sums)):
            self._read_sum(i)

    def _read_sum(self, i: int) -> None:
        total = self._constraints.sums[i]
        if self._largest is not None:
            self._units[i] = self._objective_unit
            self._sum(i, total, {self._largest: -1.0}, 0.0)
        else:
            most = float(total.scale.bound(self._level))
            self._units[i] = most if most > 1 and _is_steep(total) else 1.0
            self._sum(i, total, {}, most / self._units[i])

    def _has_read_broken(self, solution: Solution) -> bool:
        """Read the bounds that a mechanism breaks; return whether there are any."""
        matrix = solution.values[self.entries]
        ratios = self._unread_ratios.broken(matrix)
        for i, output in ratios:
            self._ratio(i, output)
        self._rows_read += ratios
        bound = float(self._level) if self._largest is None else solution.objective
        sums = self._unread_sums.broken(matrix, bound)
        for i in sums:
            self._read_sum(i)
        return bool(ratios or sums)

    def _ratio(self, i: int, output: int | None) -> None:
        """Read a bound at one output, or at all."""
        bound = self._ratios[i]
        if self._level * bound.distance > _VACUOUS:
            # Such a ratio asks for no more than a trace of the right side, which the repair of the mechanism adds.
            return
        ratio, slack = coefficients(bound, self._level)
        if output is not None:
            row: dict[int, float] = {}
            for form, scale in ((bound.left, 1.0), (bound.right, -ratio)):
                for x, share in form.items():
                    place = int(self.entries[x, output])
                    row[place] = row.get(place, 0.0) + scale * float(share)
            self.assembly.at_most(row, slack, ("ratio", i, output))
            return
        (left, factor), (right, other) = self._form(bound.left), self._form(bound.right)
        terms: list[tuple[Places, float]] = [(left, factor), (right, -ratio * other)]
        if np.array_equal(left, right):
            # Under a law that is certain of one input both sides are about that input.
            terms = [(left, factor - ratio * other)]
        if bound.events and slack > 0:
            excess = self._variables()
            self.assembly.all_at_most(*terms, (excess, -1.0), bound=0.0, tag=("ratio", i))
            self.assembly.at_most(dict.fromkeys(excess.tolist(), 1.0), slack)
        else:
            self.assembly.all_at_most(*terms, bound=slack, tag=("ratio", i))

    def _sum(self, i: int, total: SumBound, extra: dict[int, float], bound: float) -> None:
        row = dict(extra)
        for k, (weight, atom) in enumerate(total.terms):
            variables = self._atom_of_law(i, k, atom) if has_free_law(atom) else self._atom(i, k, atom)
            for variable in variables.tolist():
                row[variable] = row.get(variable, 0.0) + float(weight)
        self.assembly.at_most(row, bound, ("sum", i))

    def _atom_of_law(self, i: int, k: int, atom: RelativeEntropy | Power) -> Places:
        """Return the variables of an atom whose right side is the free law, which all members of a source share."""
        key = (tuple(atom.left.items()), self._units[i])
        if key not in self._atoms:
            self._atoms[key] = self._atom(i, k, atom)
        return self._atoms[key]

    def _atom(self, i: int, k: int, atom: Atom) -> Places:
        """Return variables, one per output, that are at least the atom's value (or at most, negated)."""
        values = self._variables(-math.inf)
        if isinstance(atom, Maximum):
            weights = np.array([float(weight) for weight in atom.weights.values()])
            entries = self.entries[list(atom.weights)].T
            self.assembly.all_at_most((entries, weights), (values[:, None], -1.0), bound=0.0, tag=("maximum", i, k))
        elif isinstance(atom, RelativeEntropy):
            (left, factor), (right, other) = self._form(atom.left), self._form(atom.right)
            cones = Cones.of(ConeKind.EXPONENTIAL, (values, left, right), (-1.0, factor, other), (i, k))
            self.assembly.cones.append(cones)
        elif isinstance(atom, Power):
            self._power(atom, (i, k), values)
        elif isinstance(atom, Norm):
            self._norm(atom, (i, k), values)
        return values

    def _power(self, atom: Power, tag: tuple[int, int], values: Places) -> None:
        order = float(atom.order)
        (left, factor), (right, other) = self._form(atom.left), self._form(atom.right)
        if order > 1:
            # In units of the bound the value shrinks by it, so the left side by its root.
            factor *= self._units[tag[0]] ** (-1 / order)
            cones = Cones.of(ConeKind.POWER, (values, right, left), (1.0, other, factor), tag, 1 / order)
        else:
            cones = Cones.of(ConeKind.POWER, (left, right, values), (factor, other, -1.0), tag, order)
        self.assembly.cones.append(cones)

    def _norm(self, atom: Norm, tag: tuple[int, int], values: Places) -> None:
        order = float(atom.order)
        weights = np.array([float(weight) for weight in atom.weights.values()])
        entries, totals = self.entries[list(atom.weights)].T, values[:, None]
        parts = np.asarray(self.assembly.variables(entries.size)).reshape(entries.shape)
        factors = np.ones((*entries.shape, 3))
        if order > 1:
            factors[..., 2] = weights ** (1 / order)
            columns, exponent = (parts, totals, entries), 1 / order
        else:
            factors[..., 1], factors[..., 2] = -1.0, 1 / weights
            columns, exponent = (entries, totals, parts), order
        shape = Cones.of(ConeKind.POWER, columns, (1.0, 1.0, 1.0), tag, exponent)
        self.assembly.cones.append(replace(shape, values=factors.reshape(-1, 3)))
        # The parts add up to the norm; for orders below one the atom is minus the norm.
        sign = 1.0 if order > 1 else -1.0
        self.assembly.all_at_most(*((part, sign) for part in parts.T), (values, -1.0), bound=0.0)


def has_free_law(atom: Atom) -> TypeGuard[RelativeEntropy | Power]:
    """Return whether the right side of a term is the law of the output, free to choose."""
    return isinstance(atom, RelativeEntropy | Power) and atom.right is LAW


def _is_steep(total: SumBound) -> bool:
    return all(isinstance(atom, Power) and atom.order > 1 for _, atom in total.terms)


def _places(numerators: Floats, denominators: Floats) -> Floats:
    """Return quotients of cone multipliers, kept positive and finite where both are solver noise."""
    quotients = np.divide(numerators, denominators, out=np.full(len(numerators), np.inf), where=denominators > 0)
    clipped: Floats = np.clip(quotients, 1e-9, 1e9)
    return clipped
