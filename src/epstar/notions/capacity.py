"""Capacity: the largest mutual information over all priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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

    Source: ngo2024, Definition 1 with every law allowed. By the minimax theorem it is also the least, over
    laws r of the output, of the largest KL(Q(.|x) || r); the two sides bracket it.

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
        """Return all laws, whatever is known of the source."""
        return Everything(source.size)

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the capacity; the source plays no part. The witness is a prior that attains it."""
        check_source(source, mechanism)
        return MutualInformation().loss(mechanism, Everything(mechanism.shape[0]))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return what the bound says at some priors: the supremum is over all of them."""
        return MutualInformation().constraints(universe, points)
