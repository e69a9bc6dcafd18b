"""Capacity: the largest mutual information over all priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Ball, Number, Rational, Real, ball, rational
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Loss, Notion, Point
from epstar.notions.constraints import Constraints
from epstar.notions.mutual_information import MutualInformation
from epstar.notions.priors import check_source
from epstar.source import Everything, Source
from epstar.universe import Universe


@dataclass(frozen=True)
class Capacity(Notion):
    """sup over all priors P of I(X; Y), in nats: what the best-informed prior lets the output say.

    Source: ngo2024, Definition 1 with every distribution allowed. By the minimax theorem it is also the least, over
    distributions r of the output, of the largest KL(Q(.|x) || r); the two sides bracket it.

    >>> from epstar.mechanism import Mechanism
    >>> loss = Capacity().loss(Mechanism([["1", "0"], ["1/2", "1/2"]]))
    >>> round(loss.value, 12), float(loss.upper) - float(loss.lower) < 1e-12
    (0.223143551314, True)
    """

    name: ClassVar[str] = "capacity"
    title: ClassVar[str] = "capacity"
    needs_source: ClassVar[bool] = True
    is_concave_in_prior: ClassVar[bool] = True

    def priors(self, source: Source) -> Source:
        """Return all distributions, whatever is known of the source."""
        return Everything(source.size)

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the capacity; the source plays no part. The witness is a prior that attains it."""
        check_source(source, mechanism)
        return MutualInformation().loss(mechanism, Everything(mechanism.shape[0]))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return what the bound says at some priors: the supremum is over all of them."""
        return MutualInformation().constraints(universe, points)


def binary_asymmetric_capacity(first: Number, second: Number) -> Real:
    """Return C_BAC: the capacity of a channel with two inputs and two outputs, by how often each input is misread.

    Source: ngo2024, equation (7), in nats, with the value 0 that it lacks where the output tells nothing.

    >>> print(binary_asymmetric_capacity("1/4", "1/4"))
    0.13081203594113695913
    """
    low, high = rational(first), rational(second)
    if not (0 <= low <= 1 and 0 <= high <= 1):
        raise InvalidInput("How often an input is misread is a probability; give numbers from 0 to 1.")
    if low + high == 1:
        return Real.of(ZERO)
    if low + high > 1:
        # The outputs change their names.
        low, high = 1 - high, 1 - low
    low, high = min(low, high), max(low, high)
    rest = 1 - low - high

    def enclose(_bits: int) -> Ball:
        less, more = _entropy(low), _entropy(high)
        raised = (1 + ((less - more) / rest).exp()).log()
        return more * (low / rest) - less * ((1 - high) / rest) + raised

    return Real.from_ball(enclose)


def _entropy(chance: Rational) -> Ball:
    return -sum((ball(p).log() * p for p in (chance, 1 - chance) if p > 0), ball(ZERO))
