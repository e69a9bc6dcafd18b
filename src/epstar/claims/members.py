"""Laws that a claim names: members of the source, or mixtures of members where these are as good."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epstar.claims.claim import Mixture, Point
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO
from epstar.source import Finite, Hull, Prior, Source

# Entries of products of laws; one of many digits counts as often as it takes longer, which grows with their square.
MOST_PRODUCTS = 1 << 24
_BITS_OF_ONE = 1024


def check_products(laws: Sequence[Point], count: int = 1) -> None:
    """Check that products of the laws of rows, of which there are `count`, take little: their digits multiply."""
    length = sum(max(p.height_bits() for p in law) for law in laws)
    if count * math.prod(map(len, laws)) * (1 + (length // _BITS_OF_ONE) ** 2) > MOST_PRODUCTS:
        raise ProofRejected(
            "The distributions of whole databases have too many digits, or are too many, to be checked."
        )


def check_member(law: Point, source: Source) -> None:
    """Check that a law belongs to a source."""
    listed = isinstance(source, Finite | Hull) and law in source.points
    listed = listed or (isinstance(source, Prior) and law is source.probabilities)
    if not listed and (len(law) != source.size or not source.contains(law)):
        raise ProofRejected("The proof uses a distribution that is not in the source.")


def check_mixture(mixture: Mixture, source: Source, is_read: bool = True) -> None:
    """Check that a mixture is one of members of a source, which a notion is read at only if it belongs there as well.

    A distortion is linear in the law, so that a mixture is as good as a member to whoever does not read the notion.
    """
    weights = [weight for weight, _ in mixture]
    if any(weight < 0 for weight in weights) or sum(weights, ZERO) != ONE:
        raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
    if is_read and len(mixture) > 1 and not source.is_convex:
        raise ProofRejected("The source is not convex, so a notion cannot be read at a mixture of its members.")
    for _, point in mixture:
        check_member(point, source)
