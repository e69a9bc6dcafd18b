"""From the multipliers of a lower bound to an excluded claim: which number is claimed, and which steps prove it.

Nothing here is trusted: what comes out is read by the rule like any other claim. The bound that multipliers prove was
computed before; it is claimed exactly where it can be, and else a hair smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from epstar.claims.bounds import Bounds, is_relative
from epstar.claims.claim import MOST_DIGITS, Excluded, Places, Point, Setting, Shares, Step, SumUse, Tangents
from epstar.completion.draft import Draft
from epstar.completion.forced import forced
from epstar.completion.level_zero import level_zero
from epstar.completion.rounding import below, digits_for, rounded_down
from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.constraints import Exponential, Maximum, Norm, SumBound
from epstar.problem import Problem
from epstar.proof.converse import Converse, Mixture
from epstar.proof.converse import Step as OldStep
from epstar.proof.level_zero import has_law_alone
from epstar.source import Finite, Hull, Source

_MULTIPLIER_DIGITS = 60


def excluded(
    problem: Problem, converse: Converse, lower: Real, mechanism: AnyMechanism | None = None
) -> Excluded | None:
    """Return the claim that a converse proves, whose bound is `lower`; None where that is that a loss is not negative.

    Where few answers are left, the laws at which a `mechanism` loses most may be needed to say what all lose.

    Raises:
        ProofRejected: if no claim close to the bound can be proven.
    """
    setting = Setting.of(problem)
    if problem.asks == "loss" and lower.rational is not None and lower.rational <= 0:
        return None
    points = tuple(_members(point, problem.source) for point in converse.points)
    if converse.forced and mechanism is not None and not (converse.sums or converse.ratios):
        priors = problem.notion.priors(problem.source)
        worst = problem.notion.loss(mechanism, problem.source).witness.prior
        needs = worst is not None and bool(problem.notion.needs_source or priors is not problem.source)
        points += (_members(((ONE, worst),), priors),) if needs and worst is not None else ()
    is_exact = problem.asks == "loss" or problem.given.argument_of_log is not None
    last = ProofRejected("Nothing is excluded.")
    for number in below(lower, is_exact):
        loss, distortion = (number, problem.given) if problem.asks == "loss" else (problem.given, number)
        digits = min(MOST_DIGITS, digits_for(loss) + _cancelled(converse))
        claim = Excluded(loss, distortion, problem.asks, points=points, order=converse.order, digits=digits)
        try:
            draft = Draft(setting, claim)
            _fill(draft, problem, converse)
            return draft.claim
        except (ProofRejected, Undecided) as error:
            last = error if isinstance(error, ProofRejected) else last
    raise last


def _cancelled(converse: Converse) -> int:
    """Return how many digits a heavy weight cancels beside a light multiplier of a sum."""
    used = [multiple for multiple in converse.sums if multiple > 0]
    if not used:
        return 0
    ratio = max(converse.weight, *used) / min(ONE, *used)
    return max(0, int(ratio.ceil()).bit_length() * 3 // 10)


def _fill(draft: Draft, problem: Problem, converse: Converse) -> None:
    if problem.asks == "distortion" and problem.given.rational == 0 and has_law_alone(converse):
        level_zero(
            draft, laws_of(converse.distortion_law, converse.weight if converse.weight > 0 else ONE, problem.source)
        )
        return
    if converse.forced and problem.asks == "loss":
        forced(draft, problem, converse)
        if draft.done:
            return
    step = main_step(draft, problem, converse)
    if converse.prices is not None:
        draft.add(step)
    else:
        draft.add_with_rows(step)
    for further in converse.steps if not converse.forced else ():
        if draft.done:
            return
        draft.add_with_rows(step_of(draft, problem, further))
    if not draft.done:
        while draft.given.bounds.constraints.spread is None and draft.spread_zeros():
            if draft.done:
                return
        draft.finish()


def main_step(draft: Draft, problem: Problem, converse: Converse) -> Step:
    """Return the multiples of a converse as one step, without those of rows unless it has prices of them."""
    bounds = draft.given.bounds
    sums = tuple(_sum_uses(converse, bounds, draft.given.frame.outputs)) if converse.sums else ()
    prices = converse.prices
    return Step(
        laws=_weighted(converse, problem.source),
        ratios=_named(converse.ratios, bounds),
        sums=sums,
        rows=() if prices is None else prices,
        spread=prices is not None and not sums,
    )


def step_of(draft: Draft, problem: Problem, step: OldStep) -> Step:
    """Return a further step of a converse, without multiples of rows."""
    laws = laws_of(step.distortion_law, step.weight, problem.source) if step.weight != 0 else ()
    return Step(laws=laws, ratios=_named(step.ratios, draft.given.bounds))


def laws_of(mixture: Mixture, weight: Rational, source: Source) -> tuple[tuple[Rational, Point], ...]:
    """Return a multiple of a mixture of laws as multiples of members, of points where the source lists them."""
    return tuple((weight * share, law) for share, law in _members(mixture, source) if share != 0)


def _weighted(converse: Converse, source: Source) -> tuple[tuple[Rational, Point], ...]:
    if converse.weight == 0:
        return ()
    if converse.weights is not None and isinstance(source, Finite | Hull):
        pairs = zip(converse.weights, source.points, strict=True)
        return tuple((converse.weight * share, point) for share, point in pairs if share != 0)
    return laws_of(converse.distortion_law, converse.weight, source)


def _members(mixture: Mixture, source: Source) -> Mixture:
    """Return a mixture of members of a source; those of a hull as mixtures of its points."""
    if not isinstance(source, Hull):
        return mixture
    shares: dict[Point, Rational] = {}
    listed = set(source.points)
    for share, law in mixture:
        weights = {law: ONE} if law in listed else _weights(law, source)
        for point, weight in weights.items():
            shares[point] = shares.get(point, ZERO) + share * weight
    return tuple((share, point) for point, share in shares.items() if share != 0)


def _weights(law: Point, source: Hull) -> dict[Point, Rational]:
    weights = source.weights_of(law)
    # A law that is not in the source at all is left for the rule to refuse.
    return {law: ONE} if weights is None else dict(zip(source.points, weights, strict=True))


def _named(
    ratios: Iterable[tuple[int, int, Rational]], bounds: Bounds
) -> tuple[tuple[tuple[int, ...], int, Rational], ...]:
    ratios = tuple(ratios)
    pairs = bounds.constraints.pairwise() if ratios else ()
    return tuple((pairs[i].name, y, multiple) for i, y, multiple in ratios if multiple != 0)


def _sum_uses(converse: Converse, bounds: Bounds, outputs: int) -> Iterator[SumUse]:
    places = {(i, k, y): place for i, k, y, place in converse.slopes}
    shares: dict[int, list[tuple[int, int, Rational]]] = {}
    for i, _, y, x, multiple in converse.maxima:
        if multiple == 0:
            continue
        shares.setdefault(i, []).append((y, x, multiple / converse.sums[i]))
    for i, (multiple, bound) in enumerate(zip(converse.sums, bounds.constraints.sums, strict=False)):
        if multiple == 0:
            continue
        yield SumUse(
            bound.name,
            multiple if converse.relative or not is_relative(bound) else _in_units(multiple, bound, bounds),
            "conjugate" if converse.prices is not None else _tangents(i, bound, places, shares, outputs),
        )


def _in_units(multiple: Rational, bound: SumBound, bounds: Bounds) -> Rational:
    """Return a multiple of a bound in units of its size at the level."""
    assert isinstance(bound.scale, Exponential)
    size = bound.scale.bound(bounds.level) * (1 if bound.scale.rate > 0 else -1)
    if size.rational is not None:
        return multiple * size.rational
    return rounded_down(multiple * size.below(bounds.bits), _MULTIPLIER_DIGITS)


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
    return Places(tuple(tuple(places[i, k, y][0] for y in range(outputs)) for k in range(len(atoms))))
