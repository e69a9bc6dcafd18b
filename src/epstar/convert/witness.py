"""Mechanisms that break claims: a guarantee holds for them and what was claimed to follow does not."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.convert.calibrated import kept_loss
from epstar.convert.extremal import extremal_mechanisms
from epstar.convert.guarantee import Guarantee, needs_source
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.mechanism import Mechanism
from epstar.notions import Notion
from epstar.reading import check_kind
from epstar.universe import Alphabet


@dataclass(frozen=True)
class Counterexample:
    """An exact mechanism, its loss under the given notion (within the level) and under the claimed one (above it)."""

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
    if premise.universe is None and isinstance(claim.universe, Alphabet):
        premise = Guarantee(premise.notion, premise.level, claim.universe, outputs=premise.outputs)
    if claim.universe is not None and premise.universe != claim.universe:
        raise InvalidInput("The premise and the claim are about different universes; make them equal.")
    claimed = claim.notion
    assert isinstance(claimed, Notion)
    law = claim.source if claim.source is not None else premise.source
    for mechanism in extremal_mechanisms(premise, claim.level):
        if premise.outputs is not None and mechanism.shape[1] > premise.outputs:
            continue
        loss = kept_loss(premise, mechanism)
        if loss is None:
            continue
        lower = claimed.loss(mechanism, law if needs_source(claimed) else None).lower
        if lower is not None and _above(lower, claim.level):
            return Counterexample(mechanism, loss, lower)
    return None


def _above(loss: Real, level: Real) -> bool:
    if level.is_infinite:
        return False
    return loss.is_infinite or bool(loss.ball(160) > level.ball(160))
