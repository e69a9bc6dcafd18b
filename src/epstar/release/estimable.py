"""Every category stays estimable: the best mechanism for known frequencies may never name rare categories.

Then no table tells how frequent they are. The limit is kept by looking at the known frequencies as if they were less
uneven: (1 - t) times them and t times the uniform distribution, with the least t, in steps of 1/64, at which the best
mechanism tells all categories apart. The loss stays what it was; what is paid is some of the distortion.
"""

from __future__ import annotations

from collections.abc import Callable

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.mechanism import AnyMechanism, BlockDesign
from epstar.notions.measure.rank_one import RankOne
from epstar.release.inverse import LARGEST, Inverse
from epstar.source import Prior, Source

_STEPS = 64


def tells_all(mechanism: AnyMechanism) -> bool:
    """Return whether the frequencies of all inputs can be estimated from the outputs.

    >>> from epstar.mechanism import TopRandomisedResponse
    >>> from epstar.universe import Alphabet
    >>> [tells_all(TopRandomisedResponse(Alphabet(3), active, 4)) for active in ([0, 1], [0, 1, 2])]
    [False, True]
    """
    if isinstance(mechanism, BlockDesign):
        return bool(mechanism.ratio > 1)
    rank_one = RankOne.of(mechanism)
    if rank_one is not None:
        return all(kind.excess > 0 for kind in rank_one.kinds)
    return mechanism.shape[0] <= LARGEST and Inverse(mechanism.dense()).is_complete


def telling_all(best: Callable[[Source], AnyMechanism], source: Source) -> AnyMechanism:
    """Return the best mechanism that tells all categories, among those for evened-out frequencies.

    Raises:
        InvalidInput: if even the best for the uniform distribution does not.
    """
    first = best(source)
    if tells_all(first):
        return first
    uneven = "No mechanism that was tried tells all categories apart at this loss; allow a larger one."
    if not isinstance(source, Prior):
        raise InvalidInput(uneven)
    even = Rational(1, source.size)

    def at(step: int) -> AnyMechanism:
        share = Rational(step, _STEPS)
        return best(Prior([(1 - share) * entry + share * even for entry in source.probabilities]))

    found = at(_STEPS)
    if not tells_all(found):
        raise InvalidInput(uneven)
    low, high = 0, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        tried = at(middle)
        if tells_all(tried):
            high, found = middle, tried
        else:
            low = middle
    return found
