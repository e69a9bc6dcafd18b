"""The exact optimum of a small linear question, without floats: a cut for each law, event and choice that matters.

A program in floats cannot hold a probability of 1e-300 next to one of 1/2, nor e^690 next to 1. This one can; it begins
with the cheapest answers and adds what the mechanism breaks most: a law of the source, an event of a ratio bound, or
for a sum of maxima the choice of an input for each output.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse
from epstar.deadline import keep_time
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Exponential, Maximum, RatioBound, Scale
from epstar.notions.enclosure import times
from epstar.notions.priors import extreme_laws
from epstar.problem import Problem
from epstar.solve.program.cuts import Choice, Corner, Cut, CutProgram, Event, Law, RatioBounds
from epstar.source import Rows

Floats = NDArray[np.float64]
Rounded = Callable[[Real], Rational]

# Beyond these, exact arithmetic would take minutes: entries of a mechanism, and laws at which bounds are read.
_MOST_ENTRIES = 144
_MOST_LAWS = 128
# Nats: beyond that a ratio that is rounded asks for no more than that its right side is not zero.
_LARGEST_EXPONENT = 1000
# Floats hold no more.
_HUGE = Rational(10) ** 300
# The share of an excess that floats cannot tell from zero, which is decided exactly.
_DOUBT = 1e-12


def is_small(problem: Problem) -> bool:
    """Return whether cuts apply to a problem, and take seconds."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs <= _MOST_ENTRIES and not (isinstance(problem.source, Rows) and problem.source.is_curved)


def all_bounds(problem: Problem) -> RatioBounds | None:
    """Return the bounds of a small problem at all extreme laws; None if it is not small or linear, or has too many."""
    if not is_small(problem):
        return None
    try:
        points = list(extreme_laws(problem.notion.priors(problem.source))) if problem.notion.needs_source else []
    except InvalidInput:
        return None
    if len(points) > _MOST_LAWS:
        return None
    bounds = RatioBounds(problem, points)
    return bounds if bounds.are_linear else None


class CutOptimum:
    """The least distortion at a level, or without one the least common bound of sums of maxima, with what proves it.

    Coefficients that are not fractions may be `rounded`: down where the mechanism counts, up where the multipliers do.
    What mattered `before`, at another level, is likely to matter again.

    Raises:
        TimeLimit: if a deadline is kept and has passed.
    """

    def __init__(
        self,
        bounds: RatioBounds,
        level: Real | None,
        rounded: Rounded | None = None,
        before: CutOptimum | None = None,
    ) -> None:
        self.bounds, self.level = bounds, level
        problem = self.problem = bounds.problem
        distances = {ONE, *(bound.distance for listed in bounds.listed for bound in listed)}
        scales = {total.scale for listed in bounds.sums for total in listed}
        self._cost = problem.distortion.matrix(problem.universe)
        self._capped: set[Rational] = set()
        self._growth: dict[Rational, Rational] = {}
        self._most: dict[Scale, Rational] = {}
        self._allowed = problem.given.rational if level is None else None
        self.value: Rational | None = None
        """The optimum; None where no mechanism meets the bounds, or coefficients are no fractions."""
        self.multipliers: Mapping[Hashable, Rational] = {}
        """The multipliers of cuts that prove the optimum, or that there is none; empty where neither is known."""
        if level is None:
            # What is sought is the bound itself, of sums that are all bounded alike.
            if scales != {Exponential()} or any(bounds.listed) or self._allowed is None:
                return
        elif not self._read(level, distances, scales, rounded):
            return
        self._program = CutProgram([range(len(row)) for row in self._cost], len(self._cost[0]), None)
        self._forms: _Forms = _Forms(bounds, len(self._cost)) if before is None else before._forms
        listed = [bounds.listed[k][i] for k, i in self._forms.places]
        self._growths = np.array([_float(self._growth[bound.distance]) for bound in listed])
        slacks = zip(map(self._slack, listed), self._forms.units, strict=True)
        self._slacks = np.array([_float(slack / unit) for slack, unit in slacks])
        self._names: set[Hashable] = set() if before is None else before._names
        first = self._first()
        known = [first, *(self._cut(name) for name in sorted(self._names, key=str) if name != first.name)]
        self._corner: Corner | None = None if before is None else before._corner
        impossible = self._program.solve(self._broken, known, self._corner)
        self.multipliers = self._program.multipliers() if impossible is None else impossible
        self._names = {*self._names, *self.multipliers}
        if impossible is None:
            self.value, self._corner = self._program.value, self._program.corner
            self._names |= self._corner.cuts

    def _read(self, level: Real, distances: set[Rational], scales: set[Scale], rounded: Rounded | None) -> bool:
        """Read the coefficients at a level; return whether all are fractions."""
        read: Callable[[Real], Rational | None] = rounded or (lambda coefficient: coefficient.rational)
        exponents = {distance: times(level, distance) for distance in distances}
        if rounded is not None:
            self._capped = {distance for distance, exponent in exponents.items() if exponent > _LARGEST_EXPONENT}
        growth = {
            distance: read(Real.exp(Real.of(_LARGEST_EXPONENT) if distance in self._capped else exponent))
            for distance, exponent in exponents.items()
        }
        most = {scale: read(scale.bound(level)) for scale in scales}
        self._growth = {distance: value for distance, value in growth.items() if value is not None}
        self._most = {scale: value for scale, value in most.items() if value is not None}
        return len(self._growth) == len(distances) and len(self._most) == len(scales)

    def mechanism(self) -> Mechanism:
        """Return the mechanism of the optimum."""
        outputs = self.problem.distortion.outputs(self.problem.universe)
        return Mechanism(self._program.mechanism(), self.problem.universe, outputs)

    def converse(self) -> Converse:
        """Return the multipliers as a converse; bounds with capped ratios are left out of it."""
        used = {
            name: value
            for name, value in self.multipliers.items()
            if not (isinstance(name, Event) and self.bounds[name].distance in self._capped)
        }
        weight, law = self.bounds.weight_and_law(used)
        points = self.bounds.used_points(used)
        ratios = self.bounds.ratios(used, points)
        sums, maxima = self.bounds.sums_and_maxima(used, points)
        laws = tuple(((ONE, point),) for point in points)
        return Converse(weight, law, laws, ratios=ratios, sums=sums, maxima=maxima)

    def slopes(self) -> dict[Rational, Rational]:
        """Return how fast the least distortion falls as the level times a distance rises, by distance."""
        rows = self._program.mechanism()
        slopes: dict[Rational, Rational] = {}
        for name, multiplier in self.multipliers.items():
            if isinstance(name, Event):
                bound = self.bounds[name]
                right = sum((w * rows[x][y] for x, w in bound.right.items() for y in name.outputs), ZERO)
                slack = bound.slack if bound.slack_grows else ZERO
                slope = multiplier * self._growth[bound.distance] * (right + slack)
                slopes[bound.distance] = slopes.get(bound.distance, ZERO) + slope
        return slopes

    def _first(self) -> Cut:
        """Return a cut that says what is minimised: the worst law for the cheapest answers, or any choice."""
        if self.level is not None:
            law = self.problem.source.maximum([min(row) for row in self._cost]).point
            return self.bounds.distortion_cut(Law(law))
        return self.bounds.choice_cut(self._worst_choice(0, 0, [[ONE] * len(row) for row in self._cost])[1])

    def _broken(self, program: CutProgram) -> list[Cut]:
        """Return the cuts that the mechanism breaks most."""
        keep_time()
        rows = program.mechanism()
        names: set[Hashable] = set(self._broken_events(rows))
        for k, listed in enumerate(self.bounds.sums):
            for i, total in enumerate(listed):
                value, choice = self._worst_choice(k, i, rows)
                if value > self._most.get(total.scale, program.value):
                    names.add(choice)
        worst = self.problem.source.maximum([dot(row, costs) for row, costs in zip(rows, self._cost, strict=True)])
        if worst.value > (program.value if self._allowed is None else self._allowed):
            names.add(Law(worst.point))
        return [self._cut(name) for name in sorted(names, key=str)]

    def _cut(self, name: Hashable) -> Cut:
        if isinstance(name, Law):
            return self.bounds.distortion_cut(name, self._allowed)
        if isinstance(name, Choice):
            return self.bounds.choice_cut(name, self._most.get(self.bounds.sums[name.point][name.bound].scale))
        assert isinstance(name, Event)
        bound = self.bounds[name]
        return self.bounds.excess_cut(name, self._growth[bound.distance], self._slack(bound))

    def _slack(self, bound: RatioBound) -> Rational:
        return bound.slack * self._growth[ONE] if bound.slack_grows else bound.slack

    def _broken_events(self, rows: list[list[Rational]]) -> Iterator[Event]:
        """Yield for each bound of the notion the event that breaks it most, over the points of the source.

        Floats say how much, and which outputs may matter at all; whether a bound is broken is decided exactly.
        """
        matrix, forms = np.array([[float(entry) for entry in row] for row in rows]), self._forms
        left = forms.left @ matrix
        excess = left - self._growths[:, None] * (forms.right @ matrix)
        slack = self._slacks[:, None]
        limit = np.where(forms.events[:, None], 0.0, slack)
        is_doubtful = excess > limit - _DOUBT * (left + slack)
        over = np.where(is_doubtful, excess - limit, 0.0)
        most = np.where(is_doubtful, over, -np.inf).max(axis=1)
        totals = np.where(forms.events, over.sum(axis=1) - self._slacks, most)
        shares = totals / (left.sum(axis=1) + self._slacks)
        seen: set[int] = set()
        for place in np.argsort(-shares).tolist():
            if not shares[place] > -_DOUBT * len(rows[0]):
                return
            k, i = forms.places[place]
            if i not in seen and is_doubtful[place].any():
                bound = self.bounds.listed[k][i]
                outputs = self._broken_outputs(bound, np.flatnonzero(is_doubtful[place]).tolist(), rows)
                if outputs:
                    seen.add(i)
                    yield Event(k, i, outputs)

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

    def _worst_choice(self, point: int, bound: int, rows: list[list[Rational]]) -> tuple[Rational, Choice]:
        """Return the sum of maxima of a mechanism, and the inputs that attain them."""
        value, inputs = ZERO, []
        for weight, atom in self.bounds.sums[point][bound].terms:
            assert isinstance(atom, Maximum)
            shares = [{x: share * rows[x][y] for x, share in atom.weights.items()} for y in range(len(rows[0]))]
            inputs.append(tuple(max(found, key=lambda x: found[x]) for found in shares))
            value += weight * sum((max(found.values()) for found in shares), ZERO)
        return value, Choice(point, bound, tuple(inputs))


def _float(value: Rational) -> float:
    """Return a number in floats, a huge one as if it were smaller."""
    return float(min(value, _HUGE))


class _Forms:
    """The two sides of ratio bounds in floats, each in units of its largest coefficient on the left.

    In these units tiny probabilities are told from nothing.
    """

    def __init__(self, bounds: RatioBounds, inputs: int) -> None:
        self.places = [(k, i) for k, listed in enumerate(bounds.listed) for i in range(len(listed))]
        found = [bounds.listed[k][i] for k, i in self.places]
        self.units = [max(bound.left.values()) for bound in found]
        self.left, self.right = np.zeros((len(found), inputs)), np.zeros((len(found), inputs))
        self.events = np.array([bound.events for bound in found], dtype=np.bool_)
        for side, forms in ((self.left, [b.left for b in found]), (self.right, [b.right for b in found])):
            for place, (form, unit) in enumerate(zip(forms, self.units, strict=True)):
                side[place, list(form)] = [_float(weight / unit) for weight in form.values()]
