"""A law that is an average of laws of the source, where that is as good as a law of the source."""

from __future__ import annotations

from epstar.claims.claim import Mixture, Point, Setting, mixed
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO


def check_average(setting: Setting, mixture: Mixture, law: Point) -> None:
    """Check that a law is a mixture of members of the source, where that is as good as a member.

    A distortion is linear in the law, so that it is if the notion ignores the source.

    Raises:
        ProofRejected: if it is not.
    """
    source = setting.source
    if setting.notion.needs_source and not source.is_convex:
        raise ProofRejected("The source is not convex, so a notion cannot be read at a mixture of its members.")
    if any(weight < 0 for weight, _ in mixture) or sum((weight for weight, _ in mixture), ZERO) != ONE:
        raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
    if mixed(mixture) != law or not all(source.contains(point) for _, point in mixture):
        raise ProofRejected("The law is no mixture of these laws of the source.")
