"""From the multipliers of a lower bound to an excluded claim: which number is claimed, and which steps prove it.

Nothing here is trusted: what comes out is read by the rule like any other claim. The bound that multipliers prove was
computed before; it is claimed exactly where it can be, and else a hair smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import prod

from epstar.claims.bounds import Bounds, is_relative
from epstar.claims.claim import MOST_DIGITS, Excluded, Places, Setting, Shares, Step, SumUse, Tangents
from epstar.claims.form import Form
from epstar.claims.rule import MANY_TERMS, spread_sums
from epstar.completion.converse import Converse, Mixture, laws_of, members_of, named
from epstar.completion.draft import Draft, Exclusion, Hopeless, first_derived
from epstar.completion.forced import forced, forced_loss, narrow
from epstar.completion.level_zero import has_law_alone, level_zero
from epstar.completion.rounding import DIGITS, FLOAT_DIGITS, below, digits_for, rounded_down
from epstar.distortion import Gain
from epstar.errors import EpstarError, ProofRejected, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.constraints import Exponential, Maximum, Norm, Scale, SumBound
from epstar.problem import Problem

_MULTIPLIER_DIGITS = 60
# A share of the rows that is no rounding error.
_ROOM = Rational(1, 10**9)


def exclusion(problem: Problem, converse: Converse, mechanism: AnyMechanism | None = None) -> Exclusion:
    """Return the lower end that a converse proves.

    Where few answers are left, the laws at which a `mechanism` loses most may be needed to say what all lose; without
    one the end is a guess.

    Raises:
        ProofRejected: if it proves nothing.
    """
    try:
        if problem.asks == "distortion":
            return _least_distortion(problem, converse)
        end = _loss(problem, converse)
        if end.rational is not None and end.rational <= 0:
            return Exclusion(Real.of(ZERO))
        try:
            return _at_loss(problem, converse, end, mechanism)
        except ProofRejected:
            if converse.forced and mechanism is None and not (converse.sums or converse.ratios):
                return Exclusion(end)
            raise
    except Undecided as error:
        # Numbers out of reach prove nothing.
        raise ProofRejected(str(error)) from None
    except (KeyError, IndexError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, EpstarError):
            raise
        raise ProofRejected("The multipliers refer to bounds or places that there are not.") from None


def _least_distortion(problem: Problem, converse: Converse) -> Exclusion:
    """Return the distortion at which the multiples of a converse add up to zero."""
    setting, claim = Setting.of(problem), _claim(problem, converse, problem.given, Real.of(ZERO))
    draft = Draft(setting, claim)
    if problem.given.rational == 0 and has_law_alone(converse):
        weight = converse.weight if converse.weight > 0 else ONE
        step = level_zero(draft, laws_of(converse.distortion_law, weight, problem.source))
    else:
        step = _with_rows(draft, problem, converse)
    weight = sum((multiple for multiple, _ in step.laws), ZERO)
    left = -draft.room(step)
    if weight == 0 and left <= 0:
        raise ProofRejected("The multipliers put no weight on the distortion and exclude nothing.")
    is_large = prod(problem.distortion.shape(problem.universe)) > DENSE_LIMIT
    if left == 0 and weight > 0 and is_large and not isinstance(problem.distortion, Gain):
        # No cost is negative, as a checker knows without looking at all of them.
        return Exclusion(Real.of(ZERO), replace(claim, points=()))
    ends = below(INFINITY if weight == 0 else Real.of(left / weight), draft.is_exact and _has_exact_sums(step))
    return first_derived(setting, ((end, replace(claim, distortion=end)) for end in ends), lambda one: one.add(step))


def _loss(problem: Problem, converse: Converse) -> Real:
    """Return the loss that a converse is about: that of the only mechanism left, its level, or that of its total."""
    first = left_at_infinity(problem, converse) if converse.forced else None
    loss = None if first is None else forced_loss(first, problem)
    if loss is not None:
        return loss
    if first is not None and not (converse.sums or converse.ratios or converse.weight > 0):
        first.finish()
        return INFINITY
    if converse.level is not None:
        return converse.level
    if converse.relative:
        raise ProofRejected("Multipliers in units of bounds need a level.")
    if converse.ratios or (converse.prices is not None and not converse.sums):
        raise ProofRejected("Ratio bounds were used, but the proof names no level for them.")
    # At level zero sums are in units of one, and what they are bounded by comes in last.
    draft = Draft(Setting.of(problem), _claim(problem, converse, Real.of(ZERO), problem.given))
    if first is not None:
        draft.face = first.face
    step = _with_rows(draft, problem, converse)
    allowed = problem.given.rational
    assert allowed is not None
    rest = sum(step.rows, ZERO) - allowed * sum((multiple for multiple, _ in step.laws), ZERO)
    used = [(bound.scale, multiple) for bound, multiple in _sums(converse, draft.given.bounds) if multiple > 0]
    if not used:
        return INFINITY if rest > 0 else Real.of(ZERO)
    (scale, _), *others = used
    if any(other != scale for other, _ in others):
        raise ProofRejected("The sums are bounded on different scales, so the proof must name a level.")
    bound = Real.of(rest / sum((multiple for _, multiple in used), ZERO))
    if not bound > scale.bound(Real.of(ZERO)):
        # At level zero and below nothing is claimed: losses are never negative.
        return Real.of(ZERO)
    end = scale.level(bound)
    # What was rounded on the way is no exact number, however it may be written.
    return end if _has_exact_sums(step) else Real.from_ball(end.enclose)


def left_at_infinity(problem: Problem, converse: Converse, searches: bool = True) -> Draft:
    """Return what the least distortion leaves at a finite loss, by the laws and the steps of a converse.

    Raises:
        ProofRejected: if one of its steps says nothing.
    """
    draft = Draft(Setting.of(problem), _claim(problem, converse, INFINITY, problem.given))
    narrow(draft, problem, converse, searches)
    return draft


def _at_loss(problem: Problem, converse: Converse, end: Real, mechanism: AnyMechanism | None) -> Exclusion:
    """Return the claim that no loss is below an end; a hair below it where the end itself cannot be told."""
    points: tuple[Mixture, ...] = ()
    if converse.forced and mechanism is not None and not (converse.sums or converse.ratios):
        priors = problem.notion.priors(problem.source)
        worst = problem.notion.loss(mechanism, problem.source).witness.prior
        needs = worst is not None and bool(problem.notion.needs_source or priors is not problem.source)
        points = (members_of(((ONE, worst),), priors),) if needs and worst is not None else ()
    # Many tangents are judged in floats.
    is_rough = not converse.relative and len(converse.slopes) > MANY_TERMS
    numbers = below(end, True, FLOAT_DIGITS if is_rough else DIGITS)
    if converse.level is not None and not (converse.forced or converse.sums):
        # Ratio bounds are rational: what does not follow at the level that they are read at does not next to it.
        numbers = islice(numbers, 1)
    claims = ((number, _claim(problem, converse, number, problem.given, points)) for number in numbers)
    return first_derived(Setting.of(problem), claims, lambda draft: _fill(draft, problem, converse))


def _has_exact_sums(step: Step) -> bool:
    """Return whether the sums of a step are of maxima, whose tangents are rational."""
    return all(isinstance(use.tangents, Shares) for use in step.sums)


def _claim(
    problem: Problem, converse: Converse, loss: Real, distortion: Real, further: tuple[Mixture, ...] = ()
) -> Excluded:
    points = tuple(members_of(point, problem.source) for point in converse.points)
    digits = min(MOST_DIGITS, digits_for(loss) + _cancelled(converse))
    return Excluded(loss, distortion, problem.asks, points=points + further, order=converse.order, digits=digits)


def _cancelled(converse: Converse) -> int:
    """Return how many digits a heavy weight cancels beside a light multiplier of a sum."""
    used = [multiple for multiple in converse.sums if multiple > 0]
    if not used:
        return 0
    ratio = max(converse.weight, *used) / min(ONE, *used)
    return max(0, int(ratio.ceil()).bit_length() * 3 // 10)


def _fill(draft: Draft, problem: Problem, converse: Converse) -> None:
    """Add what a converse says of a loss, up to a contradiction."""
    if converse.forced:
        forced(draft, problem, converse)
        if draft.done:
            return
    step = _with_rows(draft, problem, converse)
    if converse.prices is None and draft.room(step) > _ROOM * max(ONE, abs(sum(step.rows, ZERO))):
        raise Hopeless("The multipliers leave room, so that nothing follows.")
    draft.add(step)
    for further in converse.steps if not converse.forced else ():
        if draft.done:
            return
        draft.add_with_rows(further.of_claim(draft.given.bounds, problem.source))
    if not draft.done:
        while draft.given.bounds.constraints.spread is None and draft.spread_zeros():
            if draft.done:
                return
        draft.finish()


def drafted(problem: Problem, converse: Converse, level: Real) -> Draft:
    """Return what the steps of a converse say of all losses below a level, as far as they go.

    Raises:
        ProofRejected: if one of them says nothing.
    """
    draft = Draft(Setting.of(problem), _claim(problem, converse, level, problem.given))
    draft.add(_with_rows(draft, problem, converse))
    for further in converse.steps:
        if not draft.done:
            draft.add_with_rows(further.of_claim(draft.given.bounds, problem.source))
    return draft


def shortfall(problem: Problem, converse: Converse, level: Real) -> Rational:
    """Return by how much prices of rows fail the worst test of a column by its spread, zero if none does.

    Lowering every price by that much over the sum of 1/scale mends them.
    """
    draft = Draft(Setting.of(problem), _claim(problem, converse, level, Real.of(ZERO)))
    above, below = spread_sums(Form(draft.given, main_step(draft, problem, converse)), draft.face)
    growth = draft.given.bounds.growth(ONE)
    return max(ZERO, *(growth * lost - gained for gained, lost in zip(above, below, strict=True)))


def _with_rows(draft: Draft, problem: Problem, converse: Converse) -> Step:
    """Return the multiples of a converse as one step, with the largest multiples of rows unless it has prices."""
    step = main_step(draft, problem, converse)
    if converse.prices is not None:
        return step
    return replace(step, rows=draft.largest_rows(step, converse.relative))


def main_step(draft: Draft, problem: Problem, converse: Converse) -> Step:
    """Return the multiples of a converse as one step, without those of rows unless it has prices of them."""
    bounds = draft.given.bounds
    sums = _sum_uses(converse, bounds, draft.given.frame.outputs)
    prices = converse.prices
    inputs = draft.given.frame.inputs
    if prices is not None and len(prices) != inputs:
        raise ProofRejected(f"A converse has {len(prices)} multiples of rows; there are {inputs} rows.")
    return Step(
        laws=converse.laws(problem.source),
        ratios=named(converse.ratios, bounds),
        sums=sums,
        rows=() if prices is None else prices,
        spread=prices is not None and not sums,
    )


def _sum_uses(converse: Converse, bounds: Bounds, outputs: int) -> tuple[SumUse, ...]:
    """Return the sums that a converse uses, with its tangents; none of these is left over."""
    places = {(i, k, y): place for i, k, y, place in converse.slopes}
    shares: dict[int, list[tuple[int, int, Rational]]] = {}
    for i, k, y, x, multiple in converse.maxima:
        if multiple != 0:
            shares.setdefault(-1 if k else i, []).append((y, x, multiple / converse.sums[i]))
    found, left = list[SumUse](), len(shares) + sum(converse.sums[i] != 0 for i, *_ in converse.slopes)
    scale: Scale | None = None
    size, is_exact = ONE, True
    for i, (bound, multiple) in enumerate(_sums(converse, bounds)):
        if multiple == 0:
            continue
        if converse.relative and not is_relative(bound):
            raise ProofRejected("Multipliers in units of bounds need sums of powers and a level.")
        tangents: Tangents = "conjugate"
        used = multiple
        if converse.prices is None:
            tangents = _tangents(i, bound, places, shares, outputs)
            left -= i in shares if isinstance(tangents, Shares) else outputs * len(bound.terms)
        if not converse.relative and is_relative(bound):
            # The rule counts in units of what the level allows, which is the same for many bounds in turn.
            if bound.scale != scale:
                scale, (size, is_exact) = bound.scale, _allowed(bound.scale, bounds)
            used = multiple * size if is_exact else rounded_down(multiple * size, _MULTIPLIER_DIGITS)
        found.append(SumUse(bound.name, used, tangents))
    if left:
        raise ProofRejected("A multiplier refers to a maximum or a place that is not used, or a place stands twice.")
    return tuple(found)


def _sums(converse: Converse, bounds: Bounds) -> list[tuple[SumBound, Rational]]:
    """Return the sum bounds of the notion, each with its multiple."""
    if not converse.sums:
        return []
    found = bounds.constraints.sums
    if len(found) != len(converse.sums):
        raise ProofRejected(f"There are {len(converse.sums)} sum multipliers for {len(found)} sum bounds.")
    return list(zip(found, converse.sums, strict=True))


def _allowed(scale: Scale, bounds: Bounds) -> tuple[Rational, bool]:
    """Return the size of what the level allows on a scale, rounded down, and whether it is exact."""
    assert isinstance(scale, Exponential)
    size = scale.bound(bounds.level) * (1 if scale.rate > 0 else -1)
    return (size.below(bounds.bits), False) if size.rational is None else (size.rational, True)


def _tangents(
    i: int,
    bound: SumBound,
    places: dict[tuple[int, int, int], tuple[Rational, ...]],
    shares: dict[int, list[tuple[int, int, Rational]]],
    outputs: int,
) -> Tangents:
    atoms: Sequence[object] = [atom for _, atom in bound.terms]
    if isinstance(atoms[0], Maximum):
        return Shares(tuple(shares.get(i, ())))
    if isinstance(atoms[0], Norm):
        return Places(tuple(places[i, 0, y] for y in range(outputs)))
    found = tuple(tuple(places[i, k, y] for y in range(outputs)) for k in range(len(atoms)))
    if any(len(place) != 1 for row in found for place in row):
        raise ProofRejected("A place does not fit the term that it linearises.")
    return Places(tuple(tuple(place for (place,) in row) for row in found))
