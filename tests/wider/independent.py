"""An independent program for wider questions: linear programs of scipy, written from the definitions of the notions.

Convex sums are bounded from below by tangents, and tangents are added where the solution lies above them (Kelley 1960):
each is a function of two or more forms of a column that scales with it, so that a few rounds give nine digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from scipy.special import logsumexp

Floats = NDArray[np.float64]
Terms = dict[int, float]
_ROUNDS, _NARROW = 60, 1e-10
_PHI = NormalDist().cdf


@dataclass
class Convex:
    """A variable that is at least a function of some forms, which scales with them: its tangents, by gradients."""

    value: int
    forms: list[Terms]
    gradient: Callable[[Floats], Floats]


@dataclass
class Program:
    """Rows over the entries of a mechanism, and what is added to them."""

    inputs: int
    outputs: int
    rows: list[tuple[Terms, float]] = field(default_factory=list)
    equal: list[tuple[Terms, float]] = field(default_factory=list)
    ends: list[tuple[float | None, float | None]] = field(default_factory=list)
    curves: list[Convex] = field(default_factory=list)
    more: list[Callable[[Floats], bool]] = field(default_factory=list)

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
        return {self.at(x, y): float(w) for x, w in enumerate(weights) if w != 0}

    def at_most(self, terms: Sequence[tuple[float, Terms]], bound: float) -> None:
        total: Terms = {}
        for factor, form in terms:
            for variable, value in form.items():
                total[variable] = total.get(variable, 0.0) + factor * value
        self.rows.append((total, bound))

    def above(self, forms: list[Terms], gradient: Callable[[Floats], Floats], starts: Sequence[Sequence[float]]) -> int:
        """Return a variable above a convex function, with tangents at some places."""
        value = self.variable(None)
        self.curves.append(Convex(value, forms, gradient))
        for start in starts:
            self._touch(self.curves[-1], np.array(start, dtype=float))
        return value

    def _touch(self, curve: Convex, place: Floats) -> None:
        slopes = curve.gradient(np.maximum(place, 1e-9))
        self.at_most([*zip(slopes.tolist(), curve.forms, strict=True), (-1.0, {curve.value: 1.0})], 0.0)

    def least(self) -> float | None:
        """Return the least worst distortion; None if there is no mechanism."""
        for _ in range(_ROUNDS):
            found = self._solved()
            if found is None:
                return None
            grown = False
            for curve in self.curves:
                place = np.array([sum(found[v] * a for v, a in form.items()) for form in curve.forms])
                lifted = np.maximum(place, 1e-9)
                if float(curve.gradient(lifted) @ lifted) > found[curve.value] + _NARROW and place.max() > 1e-8:
                    self._touch(curve, lifted)
                    grown = True
            matrix = found[: self.inputs * self.outputs].reshape(self.inputs, self.outputs)
            for look in self.more:
                grown = look(matrix) or grown
            if not grown:
                return float(found[self.worst])
        raise AssertionError("The tangents of the independent program did not settle.")

    def _solved(self) -> Floats | None:
        cost = np.zeros(len(self.ends))
        cost[self.worst] = 1.0
        above, most = self._matrix(self.rows)
        equal, sides = self._matrix(self.equal)
        for tolerance in (1e-10, 1e-8):
            # Steep tangents may leave the method without an answer at the last digits.
            digits = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            found = linprog(cost, above, most, equal, sides, self.ends, method="highs", options=digits)
            if found.x is not None:
                return np.asarray(found.x)
        return None

    def _matrix(self, rows: list[tuple[Terms, float]]) -> tuple[csr_matrix, list[float]]:
        places = [(i, v, a) for i, (terms, _) in enumerate(rows) for v, a in terms.items()]
        lines, columns, values = zip(*places, strict=True)
        return csr_matrix((values, (lines, columns)), (len(rows), len(self.ends))), [bound for _, bound in rows]


def divergence_slopes(place: Floats) -> Floats:
    q, r = place
    return np.array([math.log(q / r) + 1, -q / r])


def power_slopes(order: float, unit: float = 1.0) -> Callable[[Floats], Floats]:
    """The slopes of (q/unit)^order r^(1-order), or below order one of minus that."""
    sign = 1.0 if order > 1 else -1.0

    def slopes(place: Floats) -> Floats:
        q, r = place[0] / unit, place[1]
        return sign * np.array([order / unit * (q / r) ** (order - 1), (1 - order) * (q / r) ** order])

    return slopes


def norm_slopes(law: Floats, order: float) -> Callable[[Floats], Floats]:
    sign = 1.0 if order > 1 else -1.0

    def slopes(place: Floats) -> Floats:
        total = float(law @ place**order)
        return np.asarray(sign * total ** (1 / order - 1) * law * place ** (order - 1))

    return slopes


RATIOS = [(1.0, 1.0), (1.0, 0.5), (0.5, 1.0), (1.0, 0.1), (0.1, 1.0)]


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
            forms = [(1.0, program.form(one, y)), (-factor, program.form(other, y)), (-1.0, {excess: 1.0})]
            program.at_most(forms, 0.0)
        program.at_most([(1.0, excesses)], slack)

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

    def _sum(
        self,
        parts: Sequence[tuple[float, Floats, Floats | list[int]]],
        slopes: Callable[[Floats], Floats],
        most: float,
        starts: Sequence[tuple[float, float]] = RATIOS,
    ) -> None:
        program, total = self.program, []
        for weight, row, against in parts:
            for y in range(program.outputs):
                right = program.form(against, y) if isinstance(against, np.ndarray) else {against[y]: 1.0}
                value = program.above([program.form(row, y), right], slopes, starts)
                total.append((weight, {value: 1.0}))
        program.at_most(total, most)

    def _mutual_information(self, level: float, channel: Floats, law: Floats) -> None:
        parts = [(float(p), row, law @ channel) for p, row in zip(law, channel, strict=True)]
        self._sum(parts, divergence_slopes, level)

    def _pointwise_leakage(self, level: float, channel: Floats, law: Floats) -> None:
        for row in channel:
            self._sum([(1.0, row, law @ channel)], divergence_slopes, level)

    def _capacity(self, level: float, channel: Floats, law: Floats) -> None:
        output = [self.program.variable() for _ in range(self.program.outputs)]
        self.program.equal.append((dict.fromkeys(output, 1.0), 1.0))
        for row in channel:
            self._sum([(1.0, row, output)], divergence_slopes, level)

    def _renyi_differential_privacy(self, level: float, channel: Floats, law: Floats, order: float) -> None:
        sign = 1.0 if order > 1 else -1.0
        for one, other in self._pairs(channel):
            self._sum([(1.0, one, other)], power_slopes(order), sign * math.exp((order - 1) * level))

    def _sibson_mutual_information(self, level: float, channel: Floats, law: Floats, order: float) -> None:
        program, total = self.program, []
        for y in range(program.outputs):
            forms = [program.form(row, y) for row in channel]
            value = program.above(forms, norm_slopes(law, order), [np.ones(len(law)).tolist()])
            total.append((1.0, {value: 1.0}))
        sign = 1.0 if order > 1 else -1.0
        program.at_most(total, sign * math.exp((order - 1) / order * level))

    def _concentrated_differential_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for one, other in self._pairs(channel):
            self._sum([(1.0, one, other)], divergence_slopes, level)
        seen: set[tuple[int, int, float]] = set()

        def look(matrix: Floats) -> bool:
            rows, grown = np.maximum(channel @ matrix, 1e-12), False
            orders = 1 + np.logspace(-3, 2, 2000)
            for i, one in enumerate(rows):
                for j, other in enumerate(rows):
                    powers = np.log(one) + np.outer(orders - 1, np.log(one / other))
                    excess = logsumexp(powers, axis=1) / (orders * (orders - 1)) - level
                    order = float(orders[int(excess.argmax())])
                    if i != j and excess.max() > 1e-9 and (i, j, order) not in seen:
                        seen.add((i, j, order))
                        unit = math.exp((order - 1) * level)
                        self._sum([(1.0, channel[i], channel[j])], power_slopes(order, unit), 1.0, [(unit, 1.0)])
                        grown = True
            return grown

        self.program.more.append(look)

    def _gaussian_differential_privacy(self, level: float, channel: Floats, law: Floats) -> None:
        for threshold in np.exp(np.linspace(0, 6, 25)):
            self._normal(level, channel, threshold)
        seen: set[float] = set()

        def look(matrix: Floats) -> bool:
            rows, grown = channel @ matrix, False
            for i, one in enumerate(rows):
                for j, other in enumerate(rows):
                    for ratio in (one / np.maximum(other, 1e-15)).tolist() if i != j else ():
                        near = (ratio * (1 - 1e-7), *_steep(one, other, ratio, level))
                        for threshold in (place for place in near if 1 <= place < 1e5 and place not in seen):
                            excess = np.maximum(one - threshold * other, 0).sum() - _normal_stick(threshold, level)
                            if excess > 1e-10:
                                seen.add(threshold)
                                self._normal(level, channel, threshold)
                                grown = True
            return grown

        self.program.more.append(look)

    def _normal(self, level: float, channel: Floats, threshold: float) -> None:
        for one, other in self._pairs(channel):
            self._sticks(one, other, threshold, _normal_stick(threshold, level))


def _steep(one: Floats, other: Floats, ratio: float, level: float) -> list[float]:
    """Return the threshold at which the normal trade-off has the errors of a likeliest event, or its inverse."""
    chosen = one >= ratio * other
    below = float(other[chosen].sum())
    if not 1e-12 < below < 1 - 1e-12:
        return []
    steep = -level * NormalDist().inv_cdf(below) - level * level / 2
    return [math.exp(steep)] if 0 <= steep < 12 else []


def _normal_stick(threshold: float, level: float) -> float:
    log = math.log(threshold)
    return _PHI(level / 2 - log / level) - threshold * _PHI(-level / 2 - log / level)
