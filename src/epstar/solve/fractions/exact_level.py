r"""The least level at a distortion near the least of all, found in exact rationals.

There the answer is far out, e^level is larger than a float can hold next to one, and so small a change of the
distortion decides that a program in floats proves little. For ratio bounds the least distortion at a level is a linear
program: it is solved exactly, with one cut for each law of the source and each event that matters. Where it exceeds the
distortion allowed, its multipliers exclude the level; elsewhere its mechanism shows that the level is enough. In
e^-level it is nearly linear there, so that a few steps of Newton's method, held between the two, end at the answer.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Proof
from epstar.completion.converse import Point
from epstar.deadline import Deadline
from epstar.errors import InvalidInput, ProofRejected, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Form, RatioBound
from epstar.notions.priors import extreme_laws
from epstar.problem import Problem
from epstar.solve.methods.exact_cuts import Cut, CutProgram
from epstar.solve.program.cuts import Event, Law, RatioBounds
from epstar.solve.program.laws import exact
from epstar.source import Rows

Floats = NDArray[np.float64]
ENOUGH = 1e-10
"""The width of an interval that counts as an answer."""
# Up to so many, programs take seconds, half a minute where bounds over events have several laws; beyond, or with more
# laws, minutes.
_MOST_ENTRIES = 144
_MOST_LAWS = 128
_MOST_STEPS = 60
# How many steps of Newton's method may leave more than half of the bracket before it is cut without it, and where.
_PATIENCE = 4
_JUST_BELOW = 1e-3
# Beyond that a bound asks for no more than that its right side is not zero.
_LARGEST_EXPONENT = 1000
# The share of the level by which a step goes beyond the root, to close the bracket from there.
_BEYOND = 1e-14
# The digits of e^level, which are what makes exact arithmetic slow, and of evidence that need not be exact.
_GROWTH_BITS = 56
_EVIDENCE_BITS = (128, 256, 512)
_HUGE = Rational(10) ** 300
# What floats cannot tell from zero is decided exactly.
_DOUBT = 1e-12


def sharpened(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof of the least level whose ends agree, or `proof` where the problem is not a small linear one.

    A proof of an interval that is narrow enough is left alone.

    Cost: some programs of about 0.05 s each for five inputs and seven outputs.
    """
    if not is_small(proof.problem):
        return proof
    interval = proof.check()
    bounds = _all_bounds(proof.problem) if interval.width > ENOUGH else None
    if bounds is None:
        return proof
    low, high = interval.lower.lower, math.inf if interval.upper.is_infinite else interval.upper.upper
    mechanism, converse = proof.mechanism, proof.converse
    # Near the least distortion the answer is far out, where a mechanism is known to be enough.
    level = low if math.isinf(high) else high
    nearest = min((float(bound.distance) for listed in bounds.listed for bound in listed), default=1.0)
    solved: _LeastDistortion | None = None
    slow = 0
    with suppress(TimeLimit):
        for _ in range(_MOST_STEPS):
            gap = high - low
            solved = _LeastDistortion(bounds, _rounded(max(level, _beyond(0.0))), solved, deadline)
            here = float(solved.level)
            if solved.is_allowed:
                high, mechanism = min(high, here), solved.mechanism()
            else:
                low, converse = max(low, here), solved.converse()
            slow = slow + 1 if high - low > gap / 2 else 0
            level = solved.next_level(low, high)
            if slow > _PATIENCE and math.isfinite(high):
                # Above a kink the distortion is flat and tells nothing of the root, which may be just below.
                level = high - (high - low) * (_JUST_BELOW if slow % 2 else 0.5)
            level = min(level, _LARGEST_EXPONENT / nearest)
            if high - low <= 4 * _beyond(low) or level <= low:
                break
    found = Proof(proof.problem, mechanism, converse)
    try:
        return found if found.check().width < interval.width else proof
    except ProofRejected:
        return proof


def is_small(problem: Problem) -> bool:
    """Return whether exact programs apply to a problem, and take seconds."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs <= _MOST_ENTRIES and not (isinstance(problem.source, Rows) and problem.source.is_curved)


def _all_bounds(problem: Problem) -> RatioBounds | None:
    """Return the bounds of a problem at all extreme laws; None if these are many, or there are other bounds."""
    points: list[Point] = []
    if problem.notion.needs_source:
        try:
            points = list(extreme_laws(problem.notion.priors(problem.source)))
        except InvalidInput:
            return None
    if len(points) > _MOST_LAWS:
        return None
    bounds = RatioBounds(problem, points)
    return bounds if bounds.are_all else None


def _beyond(level: float) -> float:
    return _BEYOND * max(16.0, level)


def _rounded(level: float) -> Real:
    """Return a level of few digits, the logarithm of a number of few digits where it is not too large."""
    if level > _LARGEST_EXPONENT:
        return Real.of(exact(level))
    return Real.log(_shortened(Real.exp(exact(level)).above(), _GROWTH_BITS))


def _shortened(value: Rational, bits: int) -> Rational:
    """Return a number of so many digits that is not below a positive one."""
    size = int(value.ceil()).bit_length() if value >= 1 else 1 - int((1 / value).ceil()).bit_length()
    scale = Rational(2) ** (size - bits)
    return Rational((value / scale).ceil()) * scale


class _LeastDistortion:
    """The least distortion at a level, with the mechanism and the multipliers.

    What mattered `before`, at another level, is likely to matter again.
    """

    def __init__(self, bounds: RatioBounds, level: Real, before: _LeastDistortion | None, deadline: Deadline) -> None:
        self.level = level
        self._bounds = bounds
        self._problem = bounds.problem
        self._deadline = deadline
        distances = {bound.distance for listed in bounds.listed for bound in listed} | {ONE}
        # Larger factors allow more mechanisms, so that a lower bound stays valid; capped ones are left out of it.
        exponents = {d: level if d == 1 else level * d for d in distances}
        self._capped = {d for d, exponent in exponents.items() if exponent > _LARGEST_EXPONENT}
        capped = {d: Real.of(_LARGEST_EXPONENT) if d in self._capped else exponents[d] for d in distances}
        self._growth = {d: _shortened(Real.exp(exponent).above(), _GROWTH_BITS) for d, exponent in capped.items()}
        self._cost = self._problem.distortion.matrix(self._problem.universe)
        first = self._problem.source.maximum([min(row) for row in self._cost]).point
        weighed = [[p * d for d in row] for p, row in zip(first, self._cost, strict=True)]
        self._program = CutProgram([range(len(row)) for row in self._cost], weighed, Law(first))
        known = () if before is None else map(self._cut, sorted(before.names, key=str))
        impossible = self._program.solve(self._broken, known, frozenset() if before is None else before.zero)
        self._value = self._program.value if impossible is None else None
        self.multipliers = self._program.multipliers() if impossible is None else impossible
        self.zero: frozenset[Hashable] = self._program.zero
        used = (name for name in (*self.zero, *self.multipliers) if isinstance(name, Law | Event))
        self.names: set[Hashable] = {*used, *(() if before is None else before.names)}

    @property
    def is_allowed(self) -> bool:
        """Whether the least distortion is at most the one that the problem allows."""
        return self._value is not None and Real.of(self._value) <= self._problem.given

    def mechanism(self) -> Mechanism:
        """Return the mechanism of least distortion, in short fractions where these do as well."""
        problem = self._problem
        outputs = problem.distortion.outputs(problem.universe)
        rows = self._program.mechanism()
        enough = self.level + exact(_beyond(float(self.level)))
        for bits in _EVIDENCE_BITS:
            short = Mechanism([_short_law(row, bits) for row in rows], problem.universe, outputs)
            if Real.of(short.distortion(problem.distortion, problem.source).value) <= problem.given:
                # A slack that is just used up may be exceeded by a hair, which makes the loss infinite.
                loss = problem.notion.loss(short, problem.source).upper
                if loss is not None and loss <= enough:
                    return short
        return Mechanism(rows, problem.universe, outputs)

    def converse(self) -> Converse:
        """Return the multipliers, which exclude the level, in short fractions where these do as well."""
        used = {name: value for name, value in self.multipliers.items() if not self._is_capped(name)}
        weight, law = self._bounds.weight_and_law(used)
        points = self._bounds.used_points(used)
        ratios = self._bounds.ratios(used, points)
        found = Converse(weight, law, tuple(((ONE, point),) for point in points), self.level, ratios)
        for bits in _EVIDENCE_BITS:
            shares = _short_law([share for share, _ in law], bits)
            short = replace(
                found,
                distortion_law=tuple((share, point) for share, (_, point) in zip(shares, law, strict=True)),
                ratios=tuple((i, y, _shortened(value, bits)) for i, y, value in ratios),
            )
            with suppress(ProofRejected):
                Proof(self._problem, None, short).check()
                return short
        return found

    def _is_capped(self, name: Hashable) -> bool:
        return isinstance(name, Event) and self._bounds[name].distance in self._capped

    def next_level(self, low: float, high: float) -> float:
        """Return the level to try next, between the ends: Newton's step in e^(-rate level), and a little beyond.

        The rate is the mean distance of the bounds that matter.
        """
        here = float(self.level)
        slopes = self._slopes()
        slope = sum((distance * slope for distance, slope in slopes.items()), ZERO)
        if self._value is not None and slope > 0:
            excess = self._value - self._problem.given.below()
            rate = slope / sum(slopes.values(), ZERO)
            share = 1 - rate * excess / slope
            if share > 0:
                beyond = _beyond(here) if excess > 0 else -_beyond(here)
                root = here - float(Real.log(share)) / float(rate) + beyond
                if low < root < high:
                    return root
                # A step of Newton's method that went too far went too far by about its square.
                gap = high - low
                back = min(gap / 2, max(gap * gap, 2 * _beyond(low)))
                return low + back if root <= low else high - back
        return 2 * max(here, 1.0) if math.isinf(high) else (low + high) / 2

    def _slopes(self) -> dict[Rational, Rational]:
        """Return how fast the least distortion falls as the level times a distance rises, by distance."""
        rows = self._program.mechanism()
        slopes: dict[Rational, Rational] = {}
        for name, multiplier in self.multipliers.items():
            if isinstance(name, Event):
                bound = self._bounds[name]
                right = sum((w * rows[x][y] for x, w in bound.right.items() for y in name.outputs), ZERO)
                slack = bound.slack if bound.slack_grows else ZERO
                slope = multiplier * self._growth[bound.distance] * (right + slack)
                slopes[bound.distance] = slopes.get(bound.distance, ZERO) + slope
        return slopes

    def _broken(self, program: CutProgram) -> Sequence[Cut]:
        """Return the cuts that the mechanism breaks."""
        self._deadline.left()
        rows = program.mechanism()
        worst = self._problem.source.maximum([dot(row, costs) for row, costs in zip(rows, self._cost, strict=True)])
        names: set[Hashable] = {*self._broken_events(rows)}
        if worst.value > program.value:
            names.add(Law(worst.point))
        return [self._cut(name) for name in sorted(names, key=str)]

    def _broken_events(self, rows: list[list[Rational]]) -> list[Event]:
        """Return for each bound of the notion the event that breaks it most, over the points of the source.

        Floats say how much, and which outputs may matter at all; whether a bound is broken is decided exactly.
        """
        matrix = np.array([[float(entry) for entry in row] for row in rows])
        worst: dict[int, tuple[float, Event]] = {}
        for k, listed in enumerate(self._bounds.listed):
            for i, bound in enumerate(listed):
                # In units of its largest coefficient: tiny probabilities are told from nothing.
                unit = max(bound.left.values())
                left = _in_floats(bound.left, matrix, 1 / unit)
                excess = left - _in_floats(bound.right, matrix, self._growth[bound.distance] / unit)
                slack = _float(self._slack(bound) / unit)
                doubtful = np.flatnonzero(excess > (0.0 if bound.events else slack) - _DOUBT * (left + slack))
                over = excess[doubtful] - (0.0 if bound.events else slack)
                total = float(over.sum() - slack if bound.events else over.max(initial=-1.0))
                share = total / (float(left.sum()) + slack)
                if share > max(-_DOUBT * len(rows[0]), worst[i][0] if i in worst else -1.0):
                    outputs = self._broken_outputs(bound, doubtful.tolist(), rows)
                    if outputs:
                        worst[i] = share, Event(k, i, outputs)
        return [event for _, event in worst.values()]

    def _broken_outputs(self, bound: RatioBound, outputs: list[int], rows: list[list[Rational]]) -> tuple[int, ...]:
        """Return the outputs that break a bound most, together or alone; none if it holds."""
        growth, slack = self._growth[bound.distance], self._slack(bound)
        excess = {
            y: sum((weight * rows[x][y] for x, weight in bound.left.items()), ZERO)
            - growth * sum((weight * rows[x][y] for x, weight in bound.right.items()), ZERO)
            for y in outputs
        }
        if bound.events:
            positive = {y: value for y, value in excess.items() if value > 0}
            return tuple(positive) if sum(positive.values(), ZERO) > slack else ()
        most = max(excess, key=lambda y: excess[y])
        return (most,) if excess[most] > slack else ()

    def _slack(self, bound: RatioBound) -> Rational:
        return bound.slack * self._growth[ONE] if bound.slack_grows else bound.slack

    def _cut(self, name: Hashable) -> Cut:
        if isinstance(name, Law):
            return self._bounds.distortion_cut(name)
        assert isinstance(name, Event)
        bound = self._bounds[name]
        return self._bounds.excess_cut(name, self._growth[bound.distance], self._slack(bound))


def _float(value: Rational) -> float:
    """Return a number in floats, a huge one as if it were smaller."""
    return float(min(value, _HUGE))


def _in_floats(form: Form, matrix: Floats, factor: Rational) -> Floats:
    """Return a multiple of a form of every column."""
    value: Floats = np.array([_float(weight * factor) for weight in form.values()]) @ matrix[list(form)]
    return value


def _short_law(law: Sequence[Rational], bits: int) -> list[Rational]:
    """Return a law with the same zeros and fewer digits: the largest entry makes up for the rounding of the others."""
    largest = max(range(len(law)), key=lambda k: law[k])
    short = [_shortened(p, bits) if p > 0 else ZERO for p in law]
    short[largest] += 1 - sum(short, ZERO)
    return short
