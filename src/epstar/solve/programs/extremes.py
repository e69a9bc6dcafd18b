"""The laws of a source against which a mechanism is judged: all extreme ones, or of a region those that matter.

What is judged here is linear in the law, so that a mixture is never worse than the worst of its laws. A region with too
many corners gives them up one by one: whenever a mechanism is found, the law under which it does worst.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE
from epstar.proof import Mixture
from epstar.proof.converse import Point
from epstar.reading import nearest_floats, sum_of
from epstar.solve.programs.evidence import exact, mixture
from epstar.source import Ball, Box, Everything, Hull, Prior, Source

Floats = NDArray[np.float64]

_FAINT = 1e-13
# A law that is worse by a smaller share is as good as known.
_WORSE = 1e-12


@dataclass(frozen=True, eq=False)
class Extremes:
    """Some laws of a source, and the region that has more of them, if any; no points stand for all laws there are."""

    laws: Floats
    points: tuple[Point, ...] | None
    region: Source | None = None

    @classmethod
    def of(cls, source: Source) -> Extremes | None:
        """Return the laws to begin with; None for a source that is not convex, or has no law to begin with."""
        if isinstance(source, Prior):
            return cls(source.floats[None], (source.probabilities,))
        if isinstance(source, Hull):
            return cls(source.floats, source.points)
        if isinstance(source, Box | Ball):
            # It has all letters that any law of the region has.
            return cls(source.flattest.floats[None], (source.flattest.probabilities,), source)
        return cls(np.eye(source.size), None) if isinstance(source, Everything) else None

    def joined(self, point: Point) -> Extremes:
        """Return these laws and one more."""
        points = (*(self.points or ()), point)
        return replace(self, laws=np.vstack([self.laws, nearest_floats(point)]), points=points)

    def with_worst(self, values: Floats) -> tuple[Extremes, float]:
        """Return these laws and the one of the region under which the mean of `values` is largest, and that mean.

        The laws themselves, where none is worse.
        """
        known = float((self.laws @ values).max())
        if self.region is None:
            return self, known
        point = self.region.maximum(values.tolist()).point
        mean = float(nearest_floats(point) @ values)
        is_worse = mean > known + _WORSE * max(1.0, abs(known))
        return (self.joined(point) if is_worse else self), max(mean, known)

    def mixed(self, weights: Floats) -> Mixture:
        """Return the mixture with the given weights, in exact numbers; the faintest are mere rounding errors."""
        kept = np.where(weights > _FAINT * weights.max(), weights, 0.0).tolist()
        if self.points is not None:
            return mixture(kept, self.points)
        entries = [exact(weight) for weight in kept]
        total = sum_of(entries)
        return ((ONE, tuple(entry / total for entry in entries)),)
