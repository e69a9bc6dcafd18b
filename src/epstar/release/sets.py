"""Answers that are sets of categories, in the form in which they are released."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.arguments import typed, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Real
from epstar.mechanism import AnyMechanism, BlockDesign, SubsetSelection
from epstar.statistics.by_counts import set_size
from epstar.statistics.proof import sets_of
from epstar.statistics.protocols import next_prime
from epstar.statistics.rays import rounded_ratio
from epstar.universe import Alphabet, Label

# Sets are written by the names of their members while a matrix of them has at most so many entries.
_NAMED_SETS = 1 << 12


def answers_in_sets(labels: Sequence[Label], chosen: int, loss: Number) -> AnyMechanism:
    """Return the mechanism that answers with sets of so many categories, at a loss of differential privacy.

    It is what `epstar plan` plans with. A single category is randomised response.

    Raises:
        InvalidInput: if there are not so many categories, or the loss is not above 0 and finite.

    >>> answers_in_sets(["a", "b", "c", "d"], 2, 1).outputs[:3]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    level = Real.of(typed(loss))
    if level.is_infinite or not level > ZERO:
        raise InvalidInput("Answers in sets need a finite loss above 0; give it in nats.")
    size = whole_number(chosen, "The size of the sets", 1)
    return released_form(sets_of(Alphabet(labels), size, rounded_ratio(level, ONE, outward=False)), size)


def released_form(mechanism: AnyMechanism, chosen: int | None = None) -> AnyMechanism:
    """Return the mechanism whose answers are written: too many sets to be named become those of a block design.

    It loses no more, and its error is that of sets of one size over the next prime number of categories; without a
    given size, of the best.
    """
    if not isinstance(mechanism, SubsetSelection) or mechanism.shape[0] * mechanism.shape[1] <= _NAMED_SETS:
        return mechanism
    prime, universe = next_prime(mechanism.shape[0]), mechanism.universe
    assert isinstance(universe, Alphabet)
    return BlockDesign(universe, prime, chosen or set_size(prime, mechanism.ratio), mechanism.ratio)
