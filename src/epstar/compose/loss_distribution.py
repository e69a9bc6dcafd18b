"""Privacy-loss distributions in exact arithmetic: how likelihood ratios multiply when mechanisms are composed.

The privacy loss of two distributions is the logarithm of their ratio, and its distribution under the first one decides
every hockey-stick divergence. Ratios are kept as rationals and their probabilities, too, so that composition is a
product without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from epstar.arguments import check_kind, whole_number
from epstar.convert.guarantee import digits_of
from epstar.convert.privacy_curve import Point, SegmentCurve
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, rational
from epstar.probability_vectors import law

PAIR_LIMIT = 1 << 22
_GRID = 1 << 200
_ATOMS = 1500


@dataclass(frozen=True, init=False)
class LossDistribution:
    """The distribution, under the first of two, of their likelihood ratio: masses at positive ratios and at infinity.

    Raises: InvalidInput: unless the masses are non-negative and sum to exactly 1, and those of the second distribution
        to at most 1.

    >>> coin = LossDistribution.of([Rational(3, 4), Rational(1, 4)], [Rational(1, 4), Rational(3, 4)])
    >>> str(coin.power(2).delta(Real.of("log(3)")))
    '3/8'
    """

    masses: Mapping[Rational, Rational]
    infinite: Rational

    def __init__(self, masses: Mapping[Rational, Rational], infinite: Rational = ZERO) -> None:
        check_kind(masses, Mapping, "The masses of a privacy-loss distribution", "a mapping from ratios to masses")
        read = {rational(ratio): rational(mass) for ratio, mass in masses.items()}
        infinite = rational(infinite)
        kept = {ratio: mass for ratio, mass in sorted(read.items()) if mass != 0}
        if any(ratio <= 0 or mass < 0 for ratio, mass in kept.items()) or infinite < 0:
            raise InvalidInput("A privacy-loss distribution needs positive ratios and masses that are not negative.")
        if sum(kept.values(), ZERO) + infinite != 1:
            raise InvalidInput("The masses of a privacy-loss distribution must sum to exactly 1.")
        if sum((mass / ratio for ratio, mass in kept.items()), ZERO) > 1:
            raise InvalidInput(
                "These ratios belong to no pair of distributions: the second would have more than mass 1."
            )
        object.__setattr__(self, "masses", kept)
        object.__setattr__(self, "infinite", infinite)

    @classmethod
    def of(cls, left: Sequence[Rational], right: Sequence[Rational]) -> LossDistribution:
        """Return the distribution for two exact distributions on the same outputs.

        Raises:
            InvalidInput: for anything but two distributions with equally many entries.
        """
        first, second = law(left, "The first distribution"), law(right, "The second distribution")
        if len(first) != len(second):
            raise InvalidInput(
                f"The distributions have {len(first)} and {len(second)} entries; list the same outputs in both."
            )
        masses: dict[Rational, Rational] = {}
        infinite = ZERO
        for p, q in zip(first, second, strict=True):
            if p > 0 and q == 0:
                infinite += p
            elif p > 0:
                masses[p / q] = masses.get(p / q, ZERO) + p
        return cls(masses, infinite)

    @classmethod
    def dominating(cls, curve: SegmentCurve) -> LossDistribution:
        """Return a pair whose privacy curve is not below `curve`, nor below that of the mechanisms it bounds.

        A true curve is convex in the factor E and, for the opposite order of the two distributions, gives 1 - E + E
        delta(1/E) at factors below 1; the second distribution has mass at a ratio wherever the slope changes. So
        mechanisms with this curve, even if each is chosen after the outputs of those before, lose no more than these
        distributions composed.
        """
        check_kind(curve, SegmentCurve, "The curve", "a SegmentCurve; .segments(factor) makes one of another curve")
        points = _convex(curve.points)
        places = [(1 / factor, 1 - 1 / factor + delta / factor) for factor, delta in reversed(points) if factor > 1]
        places += points
        # Before the first place the curve is 1 minus a multiple of the factor, after the last it is constant.
        slopes = [(places[0][1] - 1) / places[0][0]]
        slopes += [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(places)]
        slopes.append(ZERO)
        masses = {
            place[0]: place[0] * (after - before)
            for place, before, after in zip(places, slopes[:-1], slopes[1:], strict=True)
        }
        return cls(masses, points[-1][1])

    def compose(self, other: LossDistribution) -> LossDistribution:
        """Return the distribution of the two mechanisms together: ratios and masses multiply.

        Raises:
            InvalidInput: for more than four million pairs of ratios; `coarsened` reduces them.
        """
        check_kind(other, LossDistribution, "What is composed", "another LossDistribution")
        if len(self.masses) * len(other.masses) > PAIR_LIMIT:
            raise InvalidInput("The composition has too many different ratios; call .coarsened(atoms) first.")
        masses: dict[Rational, Rational] = {}
        for ratio, mass in self.masses.items():
            for factor, share in other.masses.items():
                key = ratio * factor
                masses[key] = masses.get(key, ZERO) + mass * share
        return LossDistribution(masses, 1 - (1 - self.infinite) * (1 - other.infinite))

    def power(self, times: int) -> LossDistribution:
        """Return the distribution of the mechanism used several times."""
        count = whole_number(times, "The number of uses", 0)
        result, base = LossDistribution({ONE: ONE}), self
        while count:
            if count & 1:
                result = result.compose(base)
            count >>= 1
            if count:
                base = base.compose(base)
        return result

    def coarsened(self, atoms: int) -> LossDistribution:
        """Return a distribution with at most about `atoms` ratios that loses at least as much at every level.

        Neighbouring ratios are put at the largest of their group. The ratio of what the second distribution then lacks
        is not used.
        """
        if len(self.masses) <= whole_number(atoms, "The number of atoms", 1):
            return self
        step = -(-len(self.masses) // atoms)
        items = list(self.masses.items())
        masses = {}
        for start in range(0, len(items), step):
            group = items[start : start + step]
            masses[group[-1][0]] = sum((mass for _, mass in group), ZERO)
        return LossDistribution(masses, self.infinite)

    def rounded(self, digits: int = 2000) -> LossDistribution:
        """Return the same distribution, or one of shorter numbers that loses at least as much if any is too long.

        Numbers of more than `digits` bits are shortened: ratios are rounded up, masses down, and what the masses lose
        is put at infinity.
        """
        most = whole_number(digits, "The number of digits", 1)
        if all(digits_of(ratio) <= most and digits_of(mass) <= most for ratio, mass in self.masses.items()):
            return self
        masses: dict[Rational, Rational] = {}
        for ratio, mass in self.masses.items():
            key = _above(ratio)
            masses[key] = masses.get(key, ZERO) + Rational(int((mass * _GRID).floor()), _GRID)
        return LossDistribution(masses, 1 - sum(masses.values(), ZERO))

    def shortened(self) -> LossDistribution:
        """Return the distribution with at most 1500 ratios of at most 2000 bits, which loses at least as much."""
        return self.coarsened(_ATOMS).rounded()

    def delta(self, level: object) -> Real:
        """Return the hockey-stick divergence of the two distributions at a level: exact where e^level is rational."""
        real = Real.of(level)
        if real.is_infinite:
            return Real.of(self.infinite)
        factor = Real.exp(real)
        if factor.rational is not None:
            return Real.of(self.delta_at(factor.rational))
        items = list(self.masses.items())

        def enclose(bits: int) -> Ball:
            edge = factor.enclose(bits)
            total = Ball(self.infinite)
            for ratio, mass in items:
                total += ((ratio - edge) * mass / ratio).max(Ball(0))
            return total

        return Real.from_ball(enclose)

    def delta_at(self, factor: object) -> Rational:
        """Return the hockey-stick divergence at a rational factor e^level, exactly."""
        edge = rational(factor)
        parts = (mass * (1 - edge / ratio) for ratio, mass in self.masses.items() if ratio > edge)
        return self.infinite + sum(parts, ZERO)

    def level(self, delta: object) -> Real:
        """Return the least level at which `delta` is enough: the logarithm of a rational, or infinity."""
        slack = rational(delta)
        if slack < self.infinite:
            return INFINITY
        above, inverse = self.infinite, ZERO
        for ratio, mass in reversed(list(self.masses.items())):
            # With the ratios from here on, delta(E) = above - E * inverse; it grows as E falls to the next ratio.
            if above - ratio * inverse > slack:
                break
            above, inverse = above + mass, inverse + mass / ratio
        if above - inverse <= slack or inverse == 0:
            return Real.of(ZERO)
        factor = (above - slack) / inverse
        return Real.log(factor) if factor > 1 else Real.of(ZERO)

    def curve(self) -> SegmentCurve:
        """Return the privacy curve of the two distributions for levels of at least 0, exactly."""
        factors = [ONE, *(ratio for ratio in self.masses if ratio > 1)]
        return SegmentCurve([(factor, self.delta_at(factor)) for factor in factors])


def _above(ratio: Rational) -> Rational:
    """A ratio not below the given one whose inverse has 96 significant bits: masses are divided by it and added."""
    shift = 96 + (int(ratio.p).bit_length() - int(ratio.q).bit_length())
    scale = Rational(2) ** shift
    return scale / Rational(int((scale / ratio).floor()))


def _convex(points: Sequence[Point]) -> list[Point]:
    """The largest convex curve below the points that a pair of laws in both orders can have: true ones lie below it."""
    first = min([points[0][1], *(d + (1 - d) * (e - 1) / (e + 1) for e, d in points)])
    hull: list[Point] = []
    for point in [(ONE, first), *points[1:]]:
        while len(hull) > 1 and _turns_down(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _turns_down(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
