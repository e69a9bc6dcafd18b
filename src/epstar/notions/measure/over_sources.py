"""From the loss at one prior and the loss over all laws to the loss over any source, for mechanisms never expanded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from epstar.exact import ZERO, Real
from epstar.notions.base import Loss
from epstar.source import Everything, Finite, Prior, Source

# Smaller mechanisms are written out, and their supremum over a region is computed as closely as it can be.
_MANY_LETTERS = 256


def over_letters(
    source: Source,
    at: Callable[[Prior], Loss],
    everywhere: Callable[[], Loss | None],
    above: Callable[[Source, Prior], Real] | None = None,
) -> Loss | None:
    """Return the loss over a source: exact for priors and for all laws, two bounds for a region of many letters.

    What is lost at one distribution of a region is a lower bound, and what is lost over all distributions an upper one;
    `above` may give a better one from the source and that distribution. None where the matrix is small enough to be
    written out, or nothing is known over all distributions.
    """
    if isinstance(source, Prior):
        return at(source)
    if isinstance(source, Everything):
        return everywhere()
    if source.size <= _MANY_LETTERS:
        return None
    if isinstance(source, Finite):
        return largest_loss([at(Prior(point)) for point in source.points])
    most = everywhere()
    if most is None:
        return None
    member = source.flattest
    prior = Prior(source.maximum([ZERO] * source.size).point) if member is None else member
    least, upper = at(prior), most.upper
    if above is not None and upper is not None:
        upper = min(upper, above(source, prior), key=lambda bound: bound.upper)
    return Loss(least.value, least.witness, least.lower, upper)


def largest_loss(losses: Sequence[Loss]) -> Loss:
    """Return the largest of some losses, whose upper bound is the largest of theirs; floats have none."""
    best = max(losses, key=lambda loss: loss.value)
    uppers = [loss.upper for loss in losses if loss.upper is not None]
    return Loss(best.value, best.witness, best.lower, max(uppers, key=lambda upper: upper.upper, default=None))
