r"""Databases under Hamming distortion when the uniform law is possible: a lower bound that is one number.

Take any mechanism and let f(l) be the mean of Q(y|x) over all databases x, y that differ in l rows. With N_l of the
M databases at distance l from any one, the numbers N_l f(l) are a law on the distances whose mean is the distortion
under the uniform law. What a notion says about Q it says about f as well (zhong2022, Class I):

* maximal leakage and whatever is at least as large: e^level >= M f(l) for every l;
* Sibson's information of order a at the uniform law, with b = a/(a-1): level >= b log (M^(1/b) |f|_a), where
  |f|_a^a = sum N_l f(l)^a, because the loss falls when a mechanism is averaged over symmetries;
* pointwise approximate differential privacy: f(l-1) <= e^level f(l) + delta for every l.

So for any price, price - distortion = sum N_l (price - l) f(l) is bounded: by Hölder's inequality (reversed for
a < 1, where the price is negative), and for the last notion by adding up its bounds with the least multipliers
that make every coefficient non-negative. The best price proves the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from epstar.completion.converse import BITS
from epstar.completion.evidence import achieved, checked
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Ball, Interval, Rational, Real, ball
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed, Saved
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.notions.distances import holds_uniform
from epstar.problem import Problem
from epstar.source import Finite, Hull
from epstar.universe import Databases

# Powers up to this one are summed in rationals, so that their bound may be the logarithm of a rational.
_LARGEST_EXACT_POWER = 3
# Beyond this many rows the multipliers of pointwise bounds are rounded, because their digits grow with each row.
EXACT_ROWS = 64


@dataclass(frozen=True, repr=False)
class DistanceProof(Displayed, Saved):
    """Evidence by distances: a mechanism, and the price of the lower bound (without one it is zero).

    `level` is the level that is ruled out, where pointwise approximate differential privacy is asked which level
    is possible; the other notions need none.
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    mechanism: AnyMechanism | None
    price: Rational | None
    level: Real | None = None

    def check(self) -> Interval:
        """Return the interval that the evidence establishes.

        Raises:
            ProofRejected: if the problem is not of this kind, or the price proves nothing.
        """
        return checked(self._lower(), achieved(self.problem, self.mechanism))

    def _lower(self) -> Real:
        problem, price = self.problem, self.price
        if not fits_distances(problem):
            raise ProofRejected("Proofs by distances are for databases, Hamming distortion and the uniform law.")
        if problem.asks == "loss" and problem.given < 0:
            return INFINITY  # Nobody has fewer than no wrong rows.
        if price is None or (problem.asks == "distortion" and problem.given.is_infinite):
            return Real.of(ZERO)  # Neither a loss nor a number of wrong rows is ever negative.
        notion = problem.notion
        if isinstance(notion, ApproximateDifferentialPrivacy):
            return self._pointwise(notion.delta, price)
        power = conjugate(notion)
        assert power is not None
        if (price <= 0) if power > 0 else (price >= 0):
            raise ProofRejected("The price must be positive, and negative for orders below one.")
        total = _power_sum(_databases(problem), price, power)
        return (
            _least_loss(problem.given, price, power, total)
            if problem.asks == "loss"
            else _least_distortion(problem.given, price, power, total)
        )

    def _pointwise(self, delta: Rational, price: Rational) -> Real:
        problem = self.problem
        if problem.asks == "loss" and problem.given.rational == 0 and delta < 1:
            return INFINITY  # f(0) = 1 and f(1) = 0, which no level allows.
        level = self.level if problem.asks == "loss" else problem.given
        if level is None or level.is_infinite:
            raise ProofRejected("The proof names no level.")
        # Rounded up: that enlarges the set of mechanisms, and a lower bound stays valid.
        growth = Real.exp(level).above(BITS)
        least = Real.of(_least_mean_distance(_databases(problem).sphere_sizes(), growth, delta, price))
        if problem.asks == "distortion":
            return least
        if least > problem.given:
            return level
        raise ProofRejected(f"The price does not exclude the level {float(level)}.")


def fits_distances(problem: Problem) -> bool:
    """Return whether a proof by distances can speak about the problem: its form, its notion, and its source."""
    if not isinstance(problem.universe, Databases) or problem.universe.alphabet.size < 2:
        return False
    notion = problem.notion
    pointwise = isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "pointwise"
    return (
        type(problem.distortion) is Hamming and (pointwise or conjugate(notion) is not None) and allows_uniform(problem)
    )


def conjugate(notion: Notion) -> Rational | None:
    """Return the power b of the bound on sum N_l |price - l|^b f(l), None for a notion without one."""
    if isinstance(notion, MaximalLeakage | MinEntropyLeakage | MaximalInformation):
        return ONE
    if not isinstance(notion, SibsonMutualInformation) or notion.order == 1:
        return None
    return ONE if isinstance(notion.order, float) else notion.order / (notion.order - 1)


def allows_uniform(problem: Problem) -> bool:
    """Return whether a lower bound at the uniform law holds for the problem.

    It does if that law is in the source: neither the worst loss nor the worst distortion is smaller than there. For a
    notion that ignores the source a mixture of members is enough, because a distortion is linear in the law.
    """
    source = problem.source
    if isinstance(source, Finite) and not problem.notion.needs_source:
        return Hull(source.points).contains(source.uniform)
    return holds_uniform(source)


def rounded_down(value: Rational, bits: int) -> Rational:
    """Return the largest dyadic number with about `bits` significant bits that is not above `value`."""
    numerator, denominator = int(value.p), int(value.q)
    shift = bits + denominator.bit_length() - abs(numerator).bit_length()
    if shift <= 0 or numerator == 0:
        return Rational(numerator // denominator)
    return Rational((numerator << shift) // denominator, 1 << shift)


def _databases(problem: Problem) -> Databases:
    assert isinstance(problem.universe, Databases)
    return problem.universe


def _power_sum(databases: Databases, price: Rational, power: Rational) -> Real:
    """Return sum N_l (price - l)_+^power / M, or sum N_l (l - price)^power / M for a negative power."""
    terms = [
        (size, abs(price - distance))
        for distance, size in enumerate(databases.sphere_sizes())
        if power < 0 or distance < price
    ]
    if power.q == 1 and 0 < power <= _LARGEST_EXACT_POWER:
        total = sum((gap ** int(power.p) * size for size, gap in terms), ZERO)
        return Real.of(total / databases.size)

    def enclose(_: int) -> Ball:
        total = Ball(0)
        for size, gap in terms:
            total += (ball(gap).log() * power).exp() * size
        return total / databases.size

    return Real.from_ball(enclose)


def _least_loss(distortion: Real, price: Rational, power: Rational, total: Real) -> Real:
    """Return power * log |price - distortion| - log total, or zero where the price proves nothing."""
    gap = Real.of(price) - distortion if power > 0 else distortion - price
    if gap <= 0:
        return Real.of(ZERO)
    if gap.rational is not None and total.rational is not None:
        return Real.log(max(ONE, gap.rational ** int(power.p) / total.rational))
    return Real.from_ball(lambda bits: (gap.enclose(bits).log() * power - total.enclose(bits).log()).max(Ball(0)))


def _least_distortion(level: Real, price: Rational, power: Rational, total: Real) -> Real:
    """Return price - r, or price + r for a negative power, where r^power = e^level * total."""
    if power == 1:
        return Real.of(price) - Real.exp(level) * total

    def enclose(bits: int) -> Ball:
        root = ((level.enclose(bits) + total.enclose(bits).log()) / power).exp()
        return (price - root if power > 0 else root + price).max(Ball(0))

    return Real.from_ball(enclose)


def _least_mean_distance(spheres: tuple[int, ...], growth: Rational, delta: Rational, price: Rational) -> Rational:
    """Return a lower bound on sum l N_l f(l) under f(l-1) <= growth f(l) + delta, from the price of sum N_l f(l) = 1.

    The multiplier of the bound between l and l + 1 must be at least growth times the one before plus
    (price - l) N_l, for the coefficient of f(l) not to be negative; it may be rounded up.
    """
    multiplier, total = ZERO, ZERO
    exact = len(spheres) <= EXACT_ROWS + 1
    for distance, size in enumerate(spheres):
        needed = growth * multiplier + (price - distance) * size
        if distance == len(spheres) - 1 and needed > 0:
            raise ProofRejected("The price is too high: no multiplier balances the largest distance.")
        multiplier = max(ZERO, needed) if exact else -rounded_down(-max(ZERO, needed), 2 * BITS)
        total += multiplier
        if multiplier == 0 and distance >= price:
            break
    return price - delta * total
