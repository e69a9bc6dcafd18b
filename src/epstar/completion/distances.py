"""From the price of a proof by distances to the step that it stands for, on the one column f(0), f(1), ... left.

For any price, price - distortion = sum N_l (price - l) f(l), which the notion bounds: maxima by shares in proportion to
N_l (price - l)+, norms at the place where Hölder's inequality is an equality, ratios of neighbours by the least
multiples that leave no coefficient negative.
"""

from __future__ import annotations

from itertools import product

from epstar.claims.claim import DIGITS, Excluded, Mixture, Places, Setting, Shares, Step, SumUse
from epstar.completion.distance_proof import EXACT_ROWS, DistanceProof
from epstar.completion.draft import Draft
from epstar.completion.rounding import below, multiple_digits, rounded_down, rounded_up
from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.notions.constraints import Maximum, Name, Norm
from epstar.source import Finite, Hull

_LARGEST_EXACT_POWER = 64


def excluded_by_distances(proof: DistanceProof, lower: Real) -> Excluded | None:
    """Return the claim that a proof by distances makes; None where that is that a loss is not negative.

    Raises:
        ProofRejected: if no claim close to the bound can be proven.
    """
    problem = proof.problem
    if problem.asks == "loss" and lower.rational is not None and lower.rational <= 0:
        return None
    is_exact = problem.asks == "loss" or problem.given.argument_of_log is not None
    last = ProofRejected("Nothing is excluded.")
    for number, digits in product(below(lower, is_exact), (DIGITS, 4 * DIGITS, 16 * DIGITS)):
        loss, distortion = (number, problem.given) if problem.asks == "loss" else (problem.given, number)
        uniform = uniform_mixture(Setting.of(problem))
        numbers = (loss, distortion, problem.asks)
        claim = Excluded(*numbers, symmetry="distances", uniform=uniform, digits=digits)
        try:
            draft = Draft(Setting.of(problem), claim)
            _fill(draft, proof.price)
            return draft.claim
        except (ProofRejected, Undecided) as error:
            last = error if isinstance(error, ProofRejected) else last
    raise last


def uniform_mixture(setting: Setting) -> Mixture | None:
    """Return the uniform law as a mixture of listed laws, where it is none of them and a mixture is as good."""
    source = setting.source
    if setting.notion.needs_source or not isinstance(source, Finite) or source.contains(source.uniform):
        return None
    weights = Hull(source.points).weights_of(source.uniform)
    if weights is None:
        return None
    return tuple((weight, point) for weight, point in zip(weights, source.points, strict=True) if weight != 0)


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
    if constraints.sums:
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


def _places(draft: Draft, atom: Norm, price: Rational) -> tuple[Rational, ...]:
    """Return |price - l|^(1/(order - 1)), where Hölder's inequality is an equality; zero where that gains nothing."""
    power = ONE / (atom.order - 1)
    found = []
    for distance in atom.weights:
        gap = price - distance if atom.order > 1 else distance - price
        if gap <= 0:
            found.append(ZERO)
        elif power.q == 1 and abs(power.p) <= _LARGEST_EXACT_POWER:
            found.append(gap ** int(power.p))
        else:
            with working_precision(draft.given.bits):
                place = (ball(gap).log() * power).exp()
            found.append(rounded_down(_below(place, draft.given.bits), multiple_digits(draft.given.claim)))
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
    return rounded_down(_below(multiple, draft.given.bits), multiple_digits(draft.given.claim))


def _below(value: Ball, bits: int) -> Rational:
    return Real.from_ball(lambda _: value).below(bits)


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
