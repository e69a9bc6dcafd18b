"""Mechanisms that break claims: a guarantee holds for them and what was claimed to follow does not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from epstar.arguments import check_kind
from epstar.convert.extremal_mechanisms import extremal_mechanisms, kept_loss
from epstar.convert.guarantee import Guarantee, needs_source
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import ZERO, Real
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, LocalInformationPrivacy, Notion
from epstar.source import Source
from epstar.universe import Alphabet, Universe

_WITH_SLACK = (ApproximateDifferentialPrivacy, LocalInformationPrivacy)
# So many of the mechanisms that lose most in floats are measured exactly.
_MEASURED = 3


@dataclass(frozen=True)
class Counterexample:
    """An exact mechanism, its loss under the given notion (within the level) and under the claimed one (above it).

    >>> from epstar import Alphabet, DifferentialPrivacy, Guarantee, MaximalLeakage
    >>> from epstar.convert import witness
    >>> given = Guarantee(MaximalLeakage(), "log(1.01)", Alphabet(2))
    >>> witness(given, Guarantee(DifferentialPrivacy(), 50, Alphabet(2))).mechanism.shape
    (2, 2)
    """

    mechanism: Mechanism
    given: Real
    claimed: Real


def witness(premise: Guarantee, claim: Guarantee) -> Counterexample | None:
    """Return a mechanism for which the premise holds and the claim does not, or None if none was found.

    Every mechanism that is known to attain a tight bound is tried, and the strongest ones of some families for which
    the premise holds, on up to 64 inputs; both losses are compared by proof. None does not prove the claim: `convert`
    does, where its level is at most the claimed one.

    Raises:
        InvalidInput: for curves (claim a level at one delta instead), and for different universes.

    >>> from epstar.notions import LocalInformationPrivacy, MutualInformation
    >>> from epstar.source import Prior
    >>> coin = Prior(["1/2", "1/2"])
    >>> premise = Guarantee(MutualInformation(), "0.07", source=coin)
    >>> found = witness(premise, Guarantee(LocalInformationPrivacy("0.0722"), 1, source=coin))
    >>> found is not None and found.given <= premise.level
    True
    """
    for guarantee, what in ((premise, "The premise"), (claim, "The claim")):
        check_kind(guarantee, Guarantee, what, "a Guarantee")
    if premise.curve is not None or claim.curve is not None:
        raise InvalidInput("A witness is for levels; claim a level at one delta instead of a whole curve.")
    premise = _on(premise, claim.universe)
    claimed = claim.notion
    assert isinstance(claimed, Notion)
    law = claim.source if claim.source is not None else premise.source
    for mechanism, loss in _keeping(premise, claim.level):
        lower = claimed.loss(mechanism, law if needs_source(claimed) else None).lower
        if lower is not None and _above(lower, claim.level):
            return Counterexample(mechanism, loss, lower)
    return None


def strongest(premise: Guarantee, result: Guarantee) -> Counterexample | None:
    """Return the mechanism that loses most under the notion of a result, of those tried for which the premise holds.

    Floats choose among them; the loss that is returned was measured exactly, from below. None if the premise is a whole
    curve or about more than 64 inputs, of which no mechanisms are tried.
    """
    notion = result.notion
    if premise.curve is not None or not isinstance(notion, Notion):
        return None
    source = result.source
    probe = result.level if isinstance(notion, _WITH_SLACK) and not result.level.is_infinite else None
    kept = _all_keeping(_on(premise, result.universe), probe)
    ranked = sorted(kept, key=lambda item: _seems(item[0], notion, source), reverse=True)
    best: Counterexample | None = None
    for mechanism, loss in ranked[:_MEASURED]:
        lower = notion.loss(mechanism, source).lower
        if lower is not None and (best is None or _above(lower, best.claimed)):
            best = Counterexample(mechanism, loss, lower)
    return best


def largest_delta(premise: Guarantee, result: Guarantee, level: Real) -> Real:
    """Return the largest delta at a level of the mechanisms tried for which the premise holds, from below."""
    source = result.source
    best = Real.of(ZERO)
    if premise.curve is not None:
        return best
    for mechanism, _ in _all_keeping(_on(premise, result.universe), level):
        if result.notion is LocalInformationPrivacy:
            assert source is not None
            found = LocalInformationPrivacy().delta_at(mechanism, level, source).lower
        else:
            found = ApproximateDifferentialPrivacy(ZERO).delta_at(mechanism, level).lower
        if found is not None and found.lower > best.lower:
            best = found
    return best


def _on(premise: Guarantee, universe: Universe | None) -> Guarantee:
    """The premise on the universe of what was claimed or concluded."""
    if premise.universe is None and isinstance(universe, Alphabet):
        return Guarantee(premise.notion, premise.level, universe, outputs=premise.outputs)
    if universe is not None and premise.universe != universe:
        raise InvalidInput("The premise and the claim are about different universes; make them equal.")
    return premise


def _keeping(premise: Guarantee, level: Real | None) -> Iterator[tuple[Mechanism, Real]]:
    """Mechanisms that may lose much and for which the premise holds, with their loss under its notion."""
    for mechanism in extremal_mechanisms(premise, level):
        if premise.outputs is not None and mechanism.shape[1] > premise.outputs:
            continue
        loss = kept_loss(premise, mechanism)
        if loss is not None:
            yield mechanism, loss


@lru_cache(maxsize=16)
def _all_keeping(premise: Guarantee, level: Real | None) -> tuple[tuple[Mechanism, Real], ...]:
    """The same, remembered: one guarantee is often converted to many notions."""
    return tuple(_keeping(premise, level))


def _seems(mechanism: Mechanism, notion: Notion, source: Source | None) -> float:
    try:
        loss = notion.loss(Mechanism(mechanism.floats, mechanism.universe), source).value
    except EpstarError:
        return 0.0  # such as a loss over a source that floats cannot decide
    return 0.0 if math.isnan(loss) else loss


def _above(loss: Real, level: Real) -> bool:
    if level.is_infinite:
        return False
    return loss.is_infinite or bool(loss.ball(160) > level.ball(160))
