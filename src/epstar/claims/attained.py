"""What is attained: a mechanism keeps to the loss and to the distortion that are claimed of it.

Its worst distortion over the source is computed exactly, or enclosed for a large table of floats, and so is its loss by
the definition of the notion. An information over a convex source is measured from the law of the output that the claim
names; other hints are for checkers that do not search.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.claims.claim import Attained, Setting
from epstar.claims.enclosed_distortion import enclosed_distortion
from epstar.claims.saddle import bounded_information
from epstar.errors import ProofRejected, Undecided
from epstar.exact import Real
from epstar.mechanism import AnyMechanism


def check_mechanism(setting: Setting, claim: Attained) -> None:
    """Check that the mechanism of a claim has the loss and the distortion that are claimed.

    Raises:
        ProofRejected: if it has not, or is not exact, or is not about these inputs.
    """
    mechanism = claim.mechanism
    if mechanism is None:
        raise ProofRejected("What is attained needs a mechanism, or proofs about the rows of the database.")
    if mechanism.universe != setting.universe:
        raise ProofRejected("The mechanism has other inputs than the problem.")
    if not claim.distortion.is_infinite:
        _check_distortion(setting, mechanism, claim.distortion)
    if claim.loss.is_infinite:
        return
    output = claim.hints.output
    if output is not None and mechanism.is_exact:
        loss: Real | None = bounded_information(setting, mechanism.dense().rows, output, claim.digits)
    else:
        loss = measured_loss(setting, mechanism)
    if loss is None:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    try:
        kept = loss <= claim.loss
    except Undecided:
        kept = False
    if not kept:
        raise ProofRejected(f"The mechanism has loss {float(loss)}, more than claimed.")


@dataclass
class _Measured:
    """The loss that was measured last: a mechanism is often judged, and then claimed something of."""

    mechanism: AnyMechanism | None = None
    setting: Setting | None = None
    loss: Real | None = None


_LAST = _Measured()


def measured_loss(setting: Setting, mechanism: AnyMechanism) -> Real | None:
    """Return a number not below the loss of a mechanism, None for one that is not exact."""
    known = _LAST.setting
    is_same = known is not None and _LAST.mechanism is mechanism and known.source is setting.source
    if known is None or not is_same or known.notion != setting.notion:
        loss = setting.notion.loss(mechanism, setting.source).upper
        _LAST.mechanism, _LAST.setting, _LAST.loss = mechanism, setting, loss
    return _LAST.loss


def _check_distortion(setting: Setting, mechanism: AnyMechanism, claimed: Real) -> None:
    enclosed = enclosed_distortion(setting, mechanism)
    if enclosed is not None and enclosed.upper <= claimed.lower:
        return
    worst = Real.of(mechanism.distortion(setting.distortion, setting.source).value)
    if worst > claimed:
        raise ProofRejected(f"The mechanism has distortion {float(worst)}, more than claimed.")
