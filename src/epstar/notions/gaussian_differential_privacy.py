"""Gaussian differential privacy: two inputs as hard to tell apart as two normal distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, rational, working_precision
from epstar.exact.enclosure import greatest
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Allowance, Constraints, RatioBound
from epstar.notions.family import Broken, Family
from epstar.notions.measure.product import worst_row
from epstar.notions.pairs import LawPair, bounded_pairs, law_pairs, ordered_pairs
from epstar.notions.priors import check_points, check_source
from epstar.source import Source
from epstar.universe import Universe

Floats = NDArray[np.float64]
_STANDARD = NormalDist()
# Binary digits of a number that shows that a corner is kept: the fewest that do.
_BITS = (32, 64, 128, 256)
# More digits than those of a claim, in which mechanisms that are rounded just inside a bound are seen to be there.
_ROOM = 32


@dataclass(frozen=True)
class GaussianDifferentialPrivacy(Family):
    """Every pair of neighbours is at least as hard to tell apart as N(0,1) and N(mu,1), mu = level * distance.

    That is P(S) <= Phi(Phi^-1(P'(S)) + mu) for every event S; over events it is a family of bounds on hockey-stick
    divergences, one for each threshold. Source: Dong, Roth and Su, "Gaussian differential privacy" (JRSS B 2022).

    >>> from epstar.mechanism import Mechanism
    >>> round(GaussianDifferentialPrivacy().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).value, 6)
    1.34898
    """

    name: ClassVar[str] = "gaussian_differential_privacy"
    title: ClassVar[str] = "Gaussian differential privacy"
    unit: ClassVar[str] = "μ"
    is_general: ClassVar[bool] = True
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"
    is_about_events: ClassVar[bool] = True

    def member(self, number: Rational) -> Notion:
        return _AtThreshold(number)

    def has_member(self, number: Rational) -> bool:
        return number > 0

    def first_members(self) -> tuple[Rational, ...]:
        return tuple(map(rational, (1, "3/2", 2, 4)))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return the bounds of a few thresholds, which are implied; each is one of the members."""
        parts = [self.member(threshold).constraints(universe, points) for threshold in self.first_members()]
        return Constraints(ratios=tuple(bound for part in parts for bound in part.ratios))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, enclosed to any precision for an exact mechanism; the source plays no part.

        By the lemma of Neyman and Pearson the outputs in the order of their likelihood ratio decide.
        """
        check_source(source, mechanism)
        by_row = worst_row(self, mechanism)
        if by_row is not None:
            return by_row
        dense = mechanism.dense()
        if not dense.is_exact:
            pairs = [pair[:2] for pair in ordered_pairs(dense.universe)]
            values = self.losses(dense.floats, dense.universe).tolist()
            value, inputs = max(zip(values, pairs, strict=True), default=(0.0, ()))
            return Loss(value, Witness(inputs if value > 0 else ()))
        candidates = [(Witness(), Real.of(ZERO))]
        for pair in law_pairs(dense):
            for outputs, a, b in _corners(pair):
                if b == 0 or a == 1:
                    return Loss.known(Real.of("infinity"), Witness(pair.witness.inputs, outputs))
                gap = Real.from_ball(_gap(a, b)) / pair.distance
                candidates.append((Witness(pair.witness.inputs, outputs), gap))
        witness, real = greatest(candidates)
        return Loss.known(real, witness)

    def pieces(self, mechanism: Mechanism, level: Real) -> tuple[Rational, ...]:
        """Return numbers x with Phi(x) <= P'(S) and P(S) <= Phi(x + mu), one for each corner S of the trade-offs.

        Whoever has one checks a corner without looking for where the normal distribution has a value.
        """
        found: list[Rational] = []
        with working_precision(_BITS[-1]):
            for pair in law_pairs(mechanism):
                mu = level.enclose(_BITS[-1]) * pair.distance
                for _, a, b in _corners(pair):
                    if b > 0 and a < 1:
                        least, most = quantile(ball(a)) - mu, quantile(ball(b))
                        options = (*found, *(_middle(least, most).below(bits) for bits in _BITS))
                        found += [x for x in options if least <= x and most >= x][:1]
        return tuple(dict.fromkeys(found))

    def is_kept(self, mechanism: Mechanism, level: Real, orders: Sequence[Rational], bits: int) -> bool:
        """Return whether a mechanism surely keeps a level at every event: one of `orders` shows it at each corner.

        What normal distributions allow is concave, so that it holds between two corners if it holds at them.
        """
        # A number lies in the middle of what is allowed, which leaves it half the room that the mechanism has.
        with working_precision(bits + _ROOM):
            for pair in law_pairs(mechanism):
                mu = level.enclose(bits + _ROOM) * pair.distance
                reached = [(_probability(ball(x)), _probability(ball(x) + mu)) for x in orders]
                for _, a, b in _corners(pair):
                    if not any(below <= b and above >= a for below, above in reached):
                        return False
        return True

    def broken(self, matrix: Floats, universe: Universe, level: float) -> list[Broken]:
        """Return by how much each event is too likely at a level, and the threshold whose bound speaks of it."""
        found: list[Broken] = []
        everything = frozenset(range(matrix.shape[1]))
        for first, second, distance in ordered_pairs(universe):
            mu = level * float(distance)
            for a, b, outputs in _corners_in_floats(matrix[first], matrix[second]):
                excess = a - _most_likely(b, mu)
                if excess > 0:
                    place = _STANDARD.inv_cdf(min(max(b, 1e-300), 1 - 1e-16))
                    # A threshold below one is the inverse of one, with the pair turned round.
                    steep = -mu * place - mu * mu / 2
                    number = _short(math.exp(min(abs(steep), 20.0)), excess)
                    event = frozenset(outputs)
                    if steep >= 0:
                        found.append(Broken(excess, (first, second), number, event))
                    else:
                        found.append(Broken(excess, (second, first), number, everything - event))
        return found

    def share_needed(self, near: Floats, inside: Floats, universe: Universe, level: float) -> float:
        """Return the share of a mechanism inside that makes up for what another breaks: what is allowed is concave."""
        found = 0.0
        for first, second, distance in ordered_pairs(universe):
            mu = level * float(distance)
            for a, b, outputs in _corners_in_floats(near[first], near[second]):
                excess = a - _most_likely(b, mu)
                if excess > 0:
                    room = _most_likely(float(inside[second, outputs].sum()), mu) - float(inside[first, outputs].sum())
                    found = max(found, excess / (excess + room) if room > 0 else 1.0)
        return found

    def losses(self, matrix: Floats, universe: Universe) -> Floats:
        """Return what each pair loses, in floats."""
        found = []
        for first, second, distance in ordered_pairs(universe):
            corners = _corners_in_floats(matrix[first], matrix[second])
            found.append(max((_distance_in_floats(a, b) for a, b, _ in corners), default=0.0) / float(distance))
        return np.array(found)


@dataclass(frozen=True)
class Normal(Allowance):
    """The hockey-stick divergence of N(mu,1) from N(0,1) at a threshold t > 0, mu = level * distance.

    It is Phi(mu/2 - log(t)/mu) - t Phi(-mu/2 - log(t)/mu).
    """

    threshold: Rational
    distance: Rational

    def at(self, level: Real) -> Real:
        if level.rational == 0 or self.distance == 0:
            return Real.of(max(ZERO, 1 - self.threshold))
        log = Real.log(self.threshold)
        return Real.computed(self._allowed, level * self.distance, log)

    def _allowed(self, mu: Ball, log: Ball) -> Ball:
        return _probability(mu / 2 - log / mu) - _probability(-mu / 2 - log / mu) * self.threshold


@dataclass(frozen=True)
class _AtThreshold(Notion):
    """The bounds at one threshold."""

    title: ClassVar[str] = "Gaussian differential privacy at a threshold"
    threshold: Rational

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        return GaussianDifferentialPrivacy().loss(mechanism, source)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        check_points(points, universe)
        t = self.threshold
        return Constraints(
            ratios=tuple(
                RatioBound({x: ONE}, {z: t}, ZERO, events=True, name=(x, z), allowance=Normal(t, distance))
                for x, z, distance in bounded_pairs(universe)
            )
        )


def _probability(place: Ball) -> Ball:
    """Return the standard normal distribution function."""
    return (-place / Ball(2).sqrt()).erfc() / 2


def quantile(probability: Ball) -> Ball:
    """Return where the standard normal distribution function has a value."""
    return -(probability * 2).erfcinv() * Ball(2).sqrt()


def _middle(least: Ball, most: Ball) -> Real:
    return Real.from_ball(lambda _: (least + most) / 2)


def _gap(a: Rational, b: Rational) -> Callable[[int], Ball]:
    def enclose(bits: int) -> Ball:
        with working_precision(bits):
            return quantile(ball(a)) - quantile(ball(b))

    return enclose


def _corners(pair: LawPair) -> Iterator[tuple[tuple[int, ...], Rational, Rational]]:
    """Yield the likeliest events by the ratio of two laws, with their probabilities, where the first is larger."""
    entries = [(y, p, q) for y, (p, q) in enumerate(zip(pair.left, pair.right, strict=True)) if p > 0 or q > 0]
    entries.sort(key=lambda entry: (entry[2] != 0, -entry[1] / entry[2] if entry[2] != 0 else ZERO))
    outputs: tuple[int, ...] = ()
    a = b = ZERO
    for y, p, q in entries[:-1]:
        outputs, a, b = (*outputs, y), a + p, b + q
        if a > b:
            yield outputs, a, b


def _corners_in_floats(left: Floats, right: Floats) -> Iterator[tuple[float, float, list[int]]]:
    with np.errstate(all="ignore"):
        order = np.argsort(-np.where(right > 0, left / right, np.inf), kind="stable")
    above, below = np.cumsum(left[order])[:-1], np.cumsum(right[order])[:-1]
    outputs = order.tolist()
    for last, (a, b) in enumerate(zip(above.tolist(), below.tolist(), strict=True), 1):
        if a > b + 1e-15:
            yield a, b, outputs[:last]


def _most_likely(b: float, mu: float) -> float:
    """Return how likely an event may be for one input whose probability is b for another."""
    if not 0 < b < 1:
        return min(max(b, 0.0), 1.0)
    return _STANDARD.cdf(_STANDARD.inv_cdf(b) + mu)


def _short(threshold: float, excess: float) -> Rational:
    """Return a threshold in as few digits as what is broken there by some excess needs: it counts by its square."""
    digits = 1 << min(40, 6 + max(0, math.ceil(-math.log2(min(excess, 1.0)) / 2)))
    return rational(max(digits, round(threshold * digits))) / digits


def _distance_in_floats(a: float, b: float) -> float:
    if b <= 0 or a >= 1:
        return 0.0 if a - b < 1e-12 else math.inf
    return _STANDARD.inv_cdf(a) - _STANDARD.inv_cdf(b)
