"""Laws that keep an average power and lose as much as one likes: the reason why no noise is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from epstar.exact import Rational, Real
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.mechanism import Gaussian
from epstar.notions import MaximalLeakage, MinEntropyCapacity, MinEntropyLeakage, Notion, SibsonMutualInformation


@dataclass(frozen=True)
class FarInputs:
    """For each number of points, a law on a line that keeps the power and hardly hides which far point was the input.

    All points are equally likely: `count` that are `gap` apart, and as many close to zero as keep the power. So the
    largest density at an output is that of the nearest point, and whatever the deviation of the noise the min-entropy
    leakage is at least log(1 + count c) with c the mass of the noise within half a gap. Sibson's information of an
    order above 3 grows without bound, too.
    """

    power: Rational

    def law(self, count: int, gap: Rational) -> DiscreteInput:
        """Return the law with this many points, `gap` apart.

        >>> law = FarInputs(Rational(9)).law(1, Rational(3))
        >>> law.points, law.power <= 9
        ((-1/2, 0, 3), True)
        """
        far = [gap * k for k in range(1, count + 1)]
        squares = sum((x * x for x in far), Rational(0))
        close = max(1, int((2 * squares / self.power).ceil())) - count
        close = max(close, 2)
        step = Rational(1, 1 + math.isqrt(int((2 * close * close / self.power).ceil())))
        points = [*(-step * k for k in range(close)), *far]
        return DiscreteInput(points, [Rational(1, len(points))] * len(points))


def escape(gaussian: Gaussian, notion: Notion) -> FarInputs | None:
    """Return the family that makes a notion infinite for a bound on the average power, where points of a line do."""
    if gaussian.average_power is None:
        return None
    is_leakage = isinstance(notion, MaximalLeakage | MinEntropyCapacity | MinEntropyLeakage)
    is_high = isinstance(notion, SibsonMutualInformation) and Real.of(notion.order) > 3
    return FarInputs(gaussian.average_power * gaussian.dimension) if is_leakage or is_high else None
