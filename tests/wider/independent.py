"""An independent program for wider questions, written from the definitions of the notions.

Linear ones are solved by scipy. Relative entropies, powers and norms are cones, handed to Clarabel as they stand in the
definition; where that leaves digits open, tangents of the cones bound them from below in linear programs, which join
where a solution breaks a cone (Kelley, 1960). Orders of concentrated and thresholds of Gaussian privacy join likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize_scalar
from scipy.sparse import csc_matrix, csr_matrix
from scipy.special import logsumexp

Floats = NDArray[np.float64]
Terms = dict[int, float]
Cone = tuple[Terms, Terms, Terms]
_ROUNDS = 60
# From what doubt on tangents are worth it; the first box about a point and the smallest, what a box shrinks by, and the
# share of a promised gain that keeps its size.
_DOUBTFUL, _BOX, _SMALLEST, _SHRINKS, _WORTH = 1e-9, 0.03, 1e-9, 0.3, 0.1
# From what doubt on they have lost their way, and the least share of an entry that a box leaves.
_LOST, _LEFT = 1e-7, 0.1
# How scipy says that a solver ran into numerical difficulties.
_BROKE_DOWN = 4
_PHI = NormalDist().cdf


@dataclass
class Program:
    """Rows over the entries of a mechanism, cones over forms of them, and what is added to them."""

    inputs: int
    outputs: int
    rows: list[tuple[Terms, float]] = field(default_factory=list)
    equal: list[tuple[Terms, float]] = field(default_factory=list)
    ends: list[tuple[float | None, float | None]] = field(default_factory=list)
    cones: list[tuple[Cone, float | None]] = field(default_factory=list)
    """b exp(a/b) <= c without an exponent p, a^p b^(1-p) >= |c| with one."""
    more: list[Callable[[Floats], bool]] = field(default_factory=list)
    doubt: float = 0.0
    """By how much the solver itself says that it may be wrong."""

    def __post_init__(self) -> None:
        self.ends = [(0.0, 1.0)] * (self.inputs * self.outputs)
        self.worst = self.variable(None)
        for x in range(self.inputs):
            self.equal.append(({self.at(x, y): 1.0 for y in range(self.outputs)}, 1.0))

    def at(self, x: int, y: int) -> int:
        return x * self.outputs + y

    def variable(self, lower: float | None = 0.0) -> int:
        self.ends.append((lower, None))
        return len(self.ends) - 1

    def form(self, weights: Sequence[float] | Floats, y: int) -> Terms:
        """Return a weighted sum of a column; entries that are not allowed are left out."""
        places = ((self.at(x, y), float(w)) for x, w in enumerate(weights) if w != 0)
        return {place: w for place, w in places if self.ends[place] != (0.0, 0.0)}

    def at_most(self, terms: Sequence[tuple[float, Terms]], bound: float) -> None:
        total = _total(terms)
        if total:
            self.rows.append((total, bound))

    def least(self) -> float | None:
        """Return the least worst distortion; None if there is no mechanism."""
        found: Floats | None = None
        is_near = is_last = False
        for _ in range(_ROUNDS):
            if found is not None and is_near:
                found = self._by_tangents(found)
                # Where linear programs lose their way, cones show it again.
                is_near = self.doubt <= _LOST
            if found is None or not is_near:
                found = self._by_cones() if self.cones else self._solved()
            if found is None:
                return None
            if not self._is_broken(found):
                if is_last or self.doubt <= _DOUBTFUL:
                    return float(found[self.worst])
                is_near = is_last = True
        raise AssertionError("The bounds of the independent program did not settle.")

    def _is_broken(self, found: Floats) -> bool:
        """Let bounds of families join that a mechanism breaks; return whether any did."""
        matrix = found[: self.inputs * self.outputs].reshape(self.inputs, self.outputs)
        grown = [look(matrix) for look in self.more]
        return any(grown)

    def _solved(self) -> Floats | None:
        found = self._linear([])
        return None if found.x is None else np.asarray(found.x)

    def _linear(self, more: Sequence[tuple[Terms, float]], near: tuple[Floats, float] | None = None) -> Any:
        """Solve the linear part, with more rows and perhaps in a box about a point."""
        ends = list(self.ends)
        if near is not None:
            (point, box), count = near, self.inputs * self.outputs
            for v, (low, high) in enumerate(ends[:count]):
                assert low is not None
                assert high is not None
                least = max(low, point[v] - box, _LEFT * point[v])
                ends[v] = min(least, high), min(high, max(low, point[v] + box))
        cost = np.zeros(len(ends))
        cost[self.worst] = 1.0
        above, most = self._matrix([*self.rows, *more])
        equal, sides = self._matrix(self.equal)
        for digits in (1e-10, 1e-8):
            settings = {"primal_feasibility_tolerance": digits, "dual_feasibility_tolerance": digits}
            found = linprog(cost, above, most, equal, sides, ends, method="highs", options=settings)
            if found.status != _BROKE_DOWN:
                break
        return found

    def _by_cones(self) -> Floats | None:
        fixed = [({v: 1.0}, low) for v, (low, high) in enumerate(self.ends) if low is not None and low == high]
        equal = [*self.equal, *fixed]
        moving = [(v, low, high) for v, (low, high) in enumerate(self.ends) if low is None or low != high]
        above = [*self.rows, *(({v: -1.0}, -low) for v, low, _ in moving if low is not None)]
        above += [({v: 1.0}, high) for v, _, high in moving if high is not None]
        sides = [({v: -a for v, a in form.items()}, 0.0) for cone, _ in self.cones for form in cone]
        matrix, bounds = self._matrix([*equal, *above, *sides])
        kinds = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(above))]
        kinds += [clarabel.ExponentialConeT() if p is None else clarabel.PowerConeT(p) for _, p in self.cones]
        cost = np.zeros(len(self.ends))
        cost[self.worst] = 1.0
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        nothing = csc_matrix((len(cost), len(cost)))
        for settings.max_step_fraction in (0.99, 0.9):
            found = clarabel.DefaultSolver(nothing, cost, csc_matrix(matrix), np.array(bounds), kinds, settings).solve()
            if str(found.status) in ("Solved", "AlmostSolved"):
                break
        if "Infeasible" in str(found.status):
            return None
        assert str(found.status) in ("Solved", "AlmostSolved", "InsufficientProgress")
        self.doubt = max(abs(found.obj_val - found.obj_val_dual), found.r_prim, found.r_dual)
        return np.asarray(found.x)

    def _by_tangents(self, start: Floats) -> Floats:
        """Return a better point by linear programs in boxes about it; the doubt is how much better any might be."""
        forms = [self._matrix([(cone[k], 0.0) for cone, _ in self.cones])[0] for k in range(3)]
        cuts: list[tuple[Terms, float]] = []
        # What was added since is bounded by what the entries are.
        point = centre = np.append(start, np.zeros(len(self.ends) - len(start)))
        box, least, predicted = _BOX, math.inf, -math.inf
        prices: Floats | None = None
        for _ in range(_ROUNDS):
            values = np.array([form @ point for form in forms])
            tangents = [_tangents(values[:, place], power) for place, (_, power) in enumerate(self.cones)]
            if prices is not None:
                # What broken cones may cost: those that had room may have a price, too.
                excess = (
                    max((float(w @ v) for w in found), default=0.0) for v, found in zip(values.T, tangents, strict=True)
                )
                most = float(point[self.worst] + prices.max() * sum(max(part, 0.0) for part in excess))
                is_worth = math.isinf(least) or most < least - _WORTH * (least - predicted)
                box *= 1.0 if is_worth else _SHRINKS
                if most < least:
                    centre, least = point, most
            if least - predicted < _DOUBTFUL / 2 or box < _SMALLEST:
                break
            for place, found in enumerate(tangents):
                cone, _ = self.cones[place]
                cuts += [(_total(zip(weights.tolist(), cone, strict=True)), 0.0) for weights in found]
            near = self._linear(cuts, (centre, box))
            if near.x is None:
                break
            point, prices = np.asarray(near.x), -near.ineqlin.marginals[len(self.rows) :]
            predicted = float(point[self.worst])
        whole = self._linear(cuts)
        self.doubt = math.inf if whole.x is None else max(0.0, least - float(whole.x[self.worst]))
        return centre

    def _matrix(self, rows: Sequence[tuple[Terms, float]]) -> tuple[csr_matrix, list[float]]:
        places = [(i, v, a) for i, (terms, _) in enumerate(rows) for v, a in terms.items()]
        lines, columns, values = zip(*places, strict=True)
        return csr_matrix((values, (lines, columns)), (len(rows), len(self.ends))), [bound for _, bound in rows]

    def divergence(self, left: Terms, right: Terms) -> int:
        """Return a variable of at least left log(left / right)."""
        if not left or not right:
            return self._nothing(left)
        value = self.variable(None)
        self.cones.append((({value: -1.0}, left, right), None))
        return value

    def _nothing(self, left: Terms) -> int:
        """Return a variable of at least zero, for terms of which a side is not allowed."""
        if left:
            self.equal.append((left, 0.0))
        return self.variable()

    def power(self, left: Terms, right: Terms, order: float, unit: float = 1.0) -> int:
        """Return a variable of at least (left/unit)^order right^(1-order), below order one of minus that."""
        if not left or not right:
            return self._nothing(left if order > 1 else {})
        value, small = self.variable(None), {v: a / unit for v, a in left.items()}
        if order > 1:
            self.cones.append((({value: 1.0}, right, small), 1 / order))
        else:
            self.cones.append(((small, right, {value: -1.0}), order))
        return value

    def norm(self, forms: Sequence[Terms], law: Floats, order: float) -> int:
        """Return a variable of at least (sum of law form^order)^(1/order), below order one of minus that."""
        value, sign, parts = self.variable(None), 1.0 if order > 1 else -1.0, {}
        for p, form in ((p, form) for p, form in zip(law.tolist(), forms, strict=True) if form):
            part = self.variable()
            parts[part] = sign
            if order > 1:
                scaled = {v: a * p ** (1 / order) for v, a in form.items()}
                self.cones.append((({part: 1.0}, {value: 1.0}, scaled), 1 / order))
            else:
                self.cones.append(((form, {value: -1.0}, {part: 1 / p}), order))
        self.at_most([(1.0, parts), (-1.0, {value: 1.0})], 0.0)
        if not parts:
            self.at_most([(-1.0, {value: 1.0})], 0.0)
        return value


def _total(terms: Iterable[tuple[float, Terms]]) -> Terms:
    total: Terms = {}
    for factor, form in terms:
        for variable, value in form.items():
            total[variable] = total.get(variable, 0.0) + factor * value
    return total


class Guarantees:
    """Adds guarantees to a program, each on the channel from some rows of weights (the secret's values) at a law."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def add(self, name: str, level: float, channel: Floats, law: Floats, **given: Any) -> None:
        getattr(self, f"_{name}")(level, channel, law, **given)

    def _pairs(self, channel: Floats) -> list[tuple[Floats, Floats]]:
        return [(one, other) for i, one in enumerate(channel) for j, other in enumerate(channel) if i != j]

    def _each(self, terms: Sequence[tuple[float, Floats]], bound: float = 0.0) -> None:
        for y in range(self.program.outputs):
            self.program.at_most([(factor, self.program.form(row, y)) for factor, row in terms], bound)

    def _largest(self, rows: Sequence[Floats] | Floats, most: float) -> None:
        program, tops = self.program, {}
        for y in range(program.outputs):
            top = program.variable()
            tops[top] = 1.0
            for row in rows:
                program.at_most([(1.0, program.form(row, y)), (-1.0, {top: 1.0})], 0.0)
        program.at_most([(1.0, tops)], most)

    def _sticks(self, one: Floats, other: Floats, factor: float, slack: float) -> None:
        program, excesses = self.program, {}
        for y in range(program.outputs):
            excess = program.variable()
            excesses[excess] = 1.0
            # In units of the slack: next to a tiny one a solver's rounding errors would be large.
            forms = [
                (1 / slack, program.form(one, y)),
                (-factor / slack, program.form(other, y)),
                (-1.0, {excess: 1.0}),
            ]
            program.at_most(forms, 0.0)
        program.at_most([(1.0, excesses)], 1.0)

    def _differential_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for one, other in self._pairs(channel):
            self._each([(1.0, one), (-math.exp(level), other)])

    def _approximate_differential_privacy(self, level: float, channel: Floats, law: Floats, delta: float) -> None:
        for one, other in self._pairs(channel):
            self._sticks(one, other, math.exp(level), delta)

    def _maximal_leakage(self, level: float, channel: Floats, law: Floats) -> None:
        self._largest(channel, math.exp(level))

    _min_entropy_capacity = _maximal_leakage

    def _min_entropy_leakage(self, level: float, channel: Floats, law: Floats) -> None:
        self._largest([p * row for p, row in zip(law, channel, strict=True)], math.exp(level) * law.max())

    def _g_leakage(self, level: float, channel: Floats, law: Floats, gain: Floats) -> None:
        self._largest(list((gain * law[:, None]).T @ channel), math.exp(level) * float((law @ gain).max()))

    def _maximal_information(self, level: float, channel: Floats, law: Floats) -> None:
        for row in channel:
            self._each([(1.0, row), (-math.exp(level), law @ channel)])

    def _local_information_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for row in channel:
            self._each([(1.0, row), (-math.exp(level), law @ channel)])
            self._each([(1.0, law @ channel), (-math.exp(level), row)])

    def _identifiability(self, level: float, channel: Floats, law: Floats) -> None:
        for one, other in self._pairs(law[:, None] * channel):
            self._each([(1.0, one), (-math.exp(level), other)])

    def _sum(self, parts: Sequence[tuple[float, Floats, Floats | list[int]]], most: float) -> None:
        program, total = self.program, []
        for weight, row, against in parts:
            for y in range(program.outputs):
                right = program.form(against, y) if isinstance(against, np.ndarray) else {against[y]: 1.0}
                total.append((weight, {program.divergence(program.form(row, y), right): 1.0}))
        program.at_most(total, most)

    def _powers(self, one: Floats, other: Floats, order: float, most: float, unit: float = 1.0) -> None:
        program = self.program
        sides = [(program.form(one, y), program.form(other, y)) for y in range(program.outputs)]
        values = [program.power(left, right, order, unit) for left, right in sides]
        program.at_most([(1.0, dict.fromkeys(values, 1.0))], most)

    def _mutual_information(self, level: float, channel: Floats, law: Floats) -> None:
        self._sum([(float(p), row, law @ channel) for p, row in zip(law, channel, strict=True)], level)

    def _pointwise_leakage(self, level: float, channel: Floats, law: Floats) -> None:
        for row in channel:
            self._sum([(1.0, row, law @ channel)], level)

    def _capacity(self, level: float, channel: Floats, law: Floats) -> None:
        output = [self.program.variable() for _ in range(self.program.outputs)]
        self.program.equal.append((dict.fromkeys(output, 1.0), 1.0))
        for row in channel:
            self._sum([(1.0, row, output)], level)

    def _renyi_differential_privacy(self, level: float, channel: Floats, law: Floats, order: float) -> None:
        sign = 1.0 if order > 1 else -1.0
        for one, other in self._pairs(channel):
            self._powers(one, other, order, sign * math.exp((order - 1) * level))

    def _sibson_mutual_information(self, level: float, channel: Floats, law: Floats, order: float) -> None:
        program, sign = self.program, 1.0 if order > 1 else -1.0
        columns = ([program.form(row, y) for row in channel] for y in range(program.outputs))
        values = [program.norm(forms, law, order) for forms in columns]
        program.at_most([(1.0, dict.fromkeys(values, 1.0))], sign * math.exp((order - 1) / order * level))

    def _concentrated_differential_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for one, other in self._pairs(channel):
            self._sum([(1.0, one, other)], level)
        seen: dict[tuple[int, int], list[float]] = {}

        def look(matrix: Floats) -> bool:
            rows, grown = np.maximum(channel @ matrix, 1e-12), False
            orders = 1 + np.logspace(-3, 2, 500)
            for i, one in enumerate(rows):
                for j, other in enumerate(rows):
                    excess = _divergences(one, other, orders) - level
                    best = int(excess.argmax())
                    if i == j or excess[best] <= -1e-4:
                        continue
                    # Between the points of a grid the worst order is missed by more than is compared.
                    ends = float(orders[max(best - 1, 0)]), float(orders[min(best + 1, orders.size - 1)])
                    order = _worst_order(one, other, ends)
                    broken = _divergences(one, other, np.array([order]))[0] - level
                    is_known = any(abs(order - known) < 1e-5 * (order - 1) for known in seen.get((i, j), ()))
                    if broken > 1e-9 and not is_known:
                        seen.setdefault((i, j), []).append(order)
                        unit = math.exp((order - 1) * level)
                        self._powers(channel[i], channel[j], order, 1.0, unit)
                        grown = True
            return grown

        self.program.more.append(look)

    def _gaussian_differential_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for threshold in np.exp(np.linspace(0, 3, 13)):
            self._normal(level, channel, threshold)
        seen: set[tuple[int, int, float]] = set()

        def look(matrix: Floats) -> bool:
            rows, grown = channel @ matrix, False
            for i, one in enumerate(rows):
                for j, other in enumerate(rows):
                    for ratio in (one / np.maximum(other, 1e-15)).tolist() if i != j else ():
                        # A threshold below one is the inverse of one, with the pair turned round.
                        turned = (
                            (i, j, math.exp(steep)) if steep >= 0 else (j, i, math.exp(-steep))
                            for steep in _steep(one, other, ratio, level)
                        )
                        for first, second, threshold in ((i, j, ratio * (1 - 1e-7)), *turned):
                            if not 1 <= threshold < 1e12 or (first, second, threshold) in seen:
                                continue
                            most = _normal_stick(threshold, level)
                            excesses = np.maximum(rows[first] - threshold * rows[second], 0)
                            if most > 1e-12 and excesses.sum() > (1 + 1e-8) * most:
                                seen.add((first, second, threshold))
                                self._sticks(channel[first], channel[second], threshold, most)
                                grown = True
            return grown

        self.program.more.append(look)

    def _normal(self, level: float, channel: Floats, threshold: float) -> None:
        for one, other in self._pairs(channel):
            self._sticks(one, other, threshold, _normal_stick(threshold, level))


def _tangents(values: Floats, power: float | None) -> list[Floats]:
    """Return weights of the forms of a cone whose sums are at most zero on it: its tangents near values."""
    first, second, third = values.tolist()
    if second <= 0:
        return []
    slopes = [third / second] + ([] if power is None or first <= 0 else [(first / second) ** power])
    if power is None:
        found = [np.array([s, s * (1.0 - math.log(s)), -1.0]) for s in slopes if s > 0]
    else:
        found = [np.array([-power * s ** (1 - 1 / power), -(1 - power) * s, 1.0]) for s in slopes if s > 0]
    return [weights / np.abs(weights).min() for weights in found if np.isfinite(weights).all()]


def _divergences(one: Floats, other: Floats, orders: Floats) -> Floats:
    """Return the Rényi divergences of some orders, each over its order."""
    powers = np.log(one) + np.outer(orders - 1, np.log(one / other))
    return np.asarray(logsumexp(powers, axis=1) / (orders * (orders - 1)))


def _worst_order(one: Floats, other: Floats, ends: tuple[float, float]) -> float:
    def value(order: float) -> float:
        return -float(_divergences(one, other, np.array([order]))[0])

    found = minimize_scalar(value, bounds=ends, method="bounded", options={"xatol": 1e-9})
    return float(found.x)


def _steep(one: Floats, other: Floats, ratio: float, level: float) -> list[float]:
    """Return the logarithm of the threshold at which the normal trade-off has the errors of a likeliest event."""
    chosen = one >= ratio * other
    below = float(other[chosen].sum())
    if not 1e-12 < below < 1 - 1e-12:
        return []
    steep = -level * NormalDist().inv_cdf(below) - level * level / 2
    return [steep] if abs(steep) < 27 else []


def _normal_stick(threshold: float, level: float) -> float:
    log = math.log(threshold)
    return _PHI(level / 2 - log / level) - threshold * _PHI(-level / 2 - log / level)
