r"""Databases under Hamming distortion when the uniform law is possible: a lower bound that is one price.

Take any mechanism and let f(l) be the mean of Q(y|x) over all databases x, y that differ in l rows
(`epstar.claims.symmetry`). For any price, price - distortion = sum N_l (price - l) f(l), which the notion bounds:
maxima by shares in proportion to N_l (price - l)+, norms of order a by Hölder's inequality (reversed for a < 1, where
the price is negative), ratios of neighbours by the least multiples that leave no coefficient negative. With M
databases, b = a/(a-1), and b = 1 for maxima:

    b log |price - distortion| - loss <= log (sum N_l |price - l|^b / M).

The best price proves the optimum. Of an information of order one the price is the factor b by which one more wrong row
is less likely: with m values for each of n rows, loss >= n log(m/(1 + (m-1) b)) - distortion log(1/b).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from epstar.claims import check_excluded
from epstar.claims.claim import DIGITS, Excluded, Mixture, Places, Point, Setting, Shares, Step, SumUse
from epstar.claims.symmetry import factor_of, is_of_order_one
from epstar.claims.tangents import LARGEST_EXACT_POWER
from epstar.completion.draft import Draft, Exclusion, first_derived
from epstar.completion.evidence import Evidence
from epstar.completion.rounding import above, ball_below, below, multiple_digits, rounded_down, rounded_up
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, largest, working_precision
from epstar.exact.enclosure import times
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.notions.constraints import Maximum, Name, Norm
from epstar.notions.measure.by_distance import holds_uniform
from epstar.notions.measure.product import total
from epstar.problem import Problem
from epstar.source import Everything, Finite, Hull
from epstar.universe import Databases

# Powers up to this one are summed in rationals, so that their bound may be the logarithm of a rational.
_LARGEST_EXACT_SUM = 3
# Beyond this many rows the multipliers of pointwise bounds are rounded, because their digits grow with each row.
EXACT_ROWS = 64
# Where numbers of many databases cancel, more digits tell what is left.
_DIGITS = (DIGITS, 4 * DIGITS, 16 * DIGITS)


@dataclass(frozen=True, repr=False)
class DistanceProof(Evidence):
    """Evidence by distances: the price of the lower bound (without one it is zero).

    `level` is the level that is ruled out, where pointwise approximate differential privacy is asked which level
    is possible; the other notions need none.
    """

    price: Rational | None
    level: Real | None = None
    law: Point | None = None
    """A law of the source whose joint probabilities are averaged, where the uniform one is not possible."""

    @cached_property
    def exclusion(self) -> Exclusion:
        """The lower end with the claim that proves it.

        Raises:
            ProofRejected: if the problem is not of this kind, or no claim close to the bound of the price holds.
        """
        if self.law is not None:
            return self._under(self.law)
        problem, setting, end = self.problem, Setting.of(self.problem), self._end()
        if problem.asks == "loss" and end.rational is not None and end.rational <= 0:
            return Exclusion(Real.of(ZERO))
        uniform = uniform_mixture(setting)

        def claim(number: Real, digits: int) -> Excluded:
            loss, distortion = (number, problem.given) if problem.asks == "loss" else (problem.given, number)
            return Excluded(loss, distortion, problem.asks, symmetry="distances", uniform=uniform, digits=digits)

        is_exact = problem.asks == "loss" or problem.given.argument_of_log is not None
        tries = ((number, claim(number, digits)) for number, digits in product(below(end, is_exact), _DIGITS))
        return first_derived(setting, tries, lambda draft: _fill(draft, self.price))

    def _under(self, law: Point) -> Exclusion:
        """Return what is excluded under a law that is not uniform: what the uniform one excludes at a larger loss."""
        problem, factor = self.problem, factor_of(self.problem.notion, law, DIGITS)
        even = replace(problem, source=Everything(problem.universe.size))
        if problem.asks == "distortion":
            even = replace(even, given=above(total([(problem.given, 1), (Real.log(factor), 1)]), True))
        found = replace(self, problem=even, law=None).exclusion
        end, claim = found.end, found.claim
        if claim is None or (problem.asks == "loss" and not end.is_infinite and end <= Real.log(factor)):
            return Exclusion(Real.of(ZERO))
        if problem.asks == "loss" and not end.is_infinite:
            end = next(below(total([(end, 1), (Real.log(1 / factor), 1)]), True))
        claim = replace(claim, loss=end if problem.asks == "loss" else problem.given, uniform=((ONE, law),))
        check_excluded(Setting.of(problem), claim)
        return Exclusion(end, claim)

    def _end(self) -> Real:
        """Return the bound that the price amounts to."""
        problem, price = self.problem, self.price
        if not fits_distances(problem):
            raise ProofRejected("Proofs by distances are for databases, Hamming distortion and the uniform prior.")
        if problem.asks == "loss" and problem.given < 0:
            return INFINITY  # Nobody has fewer than no wrong rows.
        if price is None or (problem.asks == "distortion" and problem.given.is_infinite):
            return Real.of(ZERO)  # Neither a loss nor a number of wrong rows is ever negative.
        notion = problem.notion
        if isinstance(notion, ApproximateDifferentialPrivacy):
            return self._pointwise(notion.delta, price)
        if is_of_order_one(notion):
            return self._information(price)
        power = conjugate(notion)
        assert power is not None
        if (price <= 0) if power > 0 else (price >= 0):
            raise ProofRejected("The price must be positive, and negative for orders below one.")
        total = _power_sum(_databases(problem), price, power)
        least = _least_loss if problem.asks == "loss" else _least_distortion
        return least(problem.given, price, power, total)

    def _information(self, price: Rational) -> Real:
        if not 0 < price < 1:
            raise ProofRejected("One more wrong row must be less likely.")
        databases, given = _databases(self.problem), self.problem.given
        letters, steep = databases.alphabet.size, Real.log(1 / price)
        whole = times(Real.log(letters / (1 + (letters - 1) * price)), Rational(databases.rows))
        if self.problem.asks == "loss":
            return largest([Real.of(ZERO), whole - steep * given])
        return largest([Real.of(ZERO), (whole - given) / steep])

    def _pointwise(self, delta: Rational, price: Rational) -> Real:
        problem = self.problem
        if problem.asks == "loss":
            if problem.given.rational == 0 and delta < 1:
                return INFINITY  # f(0) = 1 and f(1) = 0, which no level allows.
            if self.level is None or self.level.is_infinite:
                raise ProofRejected("The proof names no level.")
            return self.level
        setting = Setting.of(problem)
        numbers = (problem.given, Real.of(ZERO), problem.asks)
        draft = Draft(setting, Excluded(*numbers, symmetry="distances", uniform=uniform_mixture(setting)))
        paid = sum((multiple for *_, multiple in _neighbours(draft, price)), ZERO)
        return Real.of(price - delta * paid)


def fits_distances(problem: Problem) -> bool:
    """Return whether a proof by distances can speak about the problem: its form, its notion, and its source."""
    if not isinstance(problem.universe, Databases) or problem.universe.alphabet.size < 2:
        return False
    notion = problem.notion
    pointwise = isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "pointwise"
    # The powers of a price for many rows would be too long.
    is_short = is_of_order_one(notion) and problem.universe.rows <= EXACT_ROWS
    is_known = pointwise or is_short or conjugate(notion) is not None
    return type(problem.distortion) is Hamming and is_known and allows_uniform(problem)


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


def uniform_mixture(setting: Setting) -> Mixture | None:
    """Return the uniform law as a mixture of listed laws, where it is none of them and a mixture is as good."""
    source = setting.source
    if setting.notion.needs_source or not isinstance(source, Finite) or source.contains(source.uniform):
        return None
    weights = Hull(source.points).weights_of(source.uniform)
    if weights is None:
        return None
    return tuple((weight, point) for weight, point in zip(weights, source.points, strict=True) if weight != 0)


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
    if power.q == 1 and 0 < power <= _LARGEST_EXACT_SUM:
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


def _fill(draft: Draft, price: Rational | None) -> None:
    claim, constraints = draft.given.claim, draft.given.bounds.constraints
    allowed = claim.distortion.rational
    law = ((ONE, ()),)
    if allowed is not None and (allowed < 0 or (claim.open == "distortion" and allowed <= 0)):
        draft.add(Step(laws=law))
        return
    if claim.loss.is_infinite:  # nothing wrong at all: f(0) = 1, which the next distance does not allow
        draft.add(Step(laws=law))
        draft.add(Step(ratios=(((0, 1), 0, ONE),), rows=(ONE,)))
        return
    if price is None:
        raise ProofRejected("Without a price nothing is proven.")
    if is_of_order_one(draft.given.setting.notion):
        steep = rounded_up(Real.log(1 / price).above(draft.given.bits), multiple_digits(claim))
        draft.add_with_rows(Step(laws=((steep, ()),), sums=(_entropy_use(draft, price),)))
    elif constraints.sums:
        draft.add_with_rows(Step(laws=law, sums=(_sum_use(draft, price),)))
    elif len(constraints.ratios[0].right) > 1:
        gains = _gains(draft, price)
        ratios = tuple((bound.name, 0, gain) for bound, gain in zip(constraints.ratios, gains, strict=True) if gain > 0)
        draft.add_with_rows(Step(laws=law, ratios=ratios))
    else:
        draft.add_with_rows(Step(laws=law, ratios=tuple(_neighbours(draft, price))))
    draft.finish()


def _gains(draft: Draft, price: Rational) -> list[Rational]:
    sizes = draft.given.frame.sizes or ()
    return [max(ZERO, price - distance) * size for distance, size in enumerate(sizes)]


def _sum_use(draft: Draft, price: Rational) -> SumUse:
    (bound,) = draft.given.bounds.constraints.sums
    columns, (_, atom) = draft.given.frame.columns, bound.terms[0]
    if isinstance(atom, Maximum):
        gains = _gains(draft, price)
        total = sum(gains, ZERO)
        shares = tuple((0, x, gain / total) for x, gain in enumerate(gains) if gain > 0)
        return SumUse(bound.name, total / columns, Shares(shares))
    assert isinstance(atom, Norm)
    places = _places(draft, atom, price)
    return SumUse(bound.name, _norm_multiple(draft, atom, price, places), Places((places,)))


def _entropy_use(draft: Draft, price: Rational) -> SumUse:
    """Return the tangents at the law N_l b^l, to scale: each distance is this much likelier than by chance."""
    (bound,) = draft.given.bounds.constraints.sums
    sizes = draft.given.frame.sizes or ()
    unit = sum(sizes) / sum((size * price**distance for distance, size in enumerate(sizes)), ZERO)
    return SumUse(bound.name, ONE, Places(tuple((unit * price**distance,) for distance in range(len(sizes)))))


def _places(draft: Draft, atom: Norm, price: Rational) -> tuple[Rational, ...]:
    """Return |price - l|^(1/(order - 1)), where Hölder's inequality is an equality; zero where that gains nothing."""
    power = ONE / (atom.order - 1)
    found = []
    for distance in atom.weights:
        gap = price - distance if atom.order > 1 else distance - price
        if gap <= 0:
            found.append(ZERO)
        elif power.q == 1 and abs(power.p) <= LARGEST_EXACT_POWER:
            found.append(gap ** int(power.p))
        else:
            with working_precision(draft.given.bits):
                place = (ball(gap).log() * power).exp()
            found.append(rounded_down(ball_below(place, draft.given.bits), multiple_digits(draft.given.claim)))
    return tuple(found)


def _norm_multiple(draft: Draft, atom: Norm, price: Rational, places: tuple[Rational, ...]) -> Rational:
    """Return the multiple, in units of the bound, at which the gradient is N_l |price - l|."""
    claim = draft.given.claim
    if claim.open == "loss" and draft.is_exact:
        assert claim.distortion.rational is not None
        return abs(price - claim.distortion.rational)
    with working_precision(draft.given.bits):
        total = ball(ZERO)
        for place, weight in zip(places, atom.weights.values(), strict=True):
            if place > 0:
                total += (ball(place).log() * atom.order).exp() * weight
        exponent = ball((atom.order - 1) / atom.order)
        multiple = ((total.log() + claim.loss.enclose(draft.given.bits)) * exponent).exp()
    return rounded_down(ball_below(multiple, draft.given.bits), multiple_digits(draft.given.claim))


def _neighbours(draft: Draft, price: Rational) -> list[tuple[Name, int, Rational]]:
    """Return the least multiples of f(l) <= e^loss f(l+1) + slack that leave no coefficient negative."""
    sizes, growth = draft.given.frame.sizes or (), draft.given.bounds.growth(ONE)
    is_exact = draft.is_exact and len(sizes) <= EXACT_ROWS + 1
    if not draft.is_exact:
        growth = rounded_up(growth, multiple_digits(draft.given.claim))
    digits = multiple_digits(draft.given.claim)
    multiple, found = ZERO, list[tuple[Name, int, Rational]]()
    for distance, size in enumerate(sizes[:-1]):
        needed = growth * multiple + (price - distance) * size
        multiple = max(ZERO, needed) if is_exact or needed <= 0 else rounded_up(needed, digits)
        if multiple > 0:
            found.append(((distance, distance + 1), 0, multiple))
        elif distance >= price:
            break
    return found
