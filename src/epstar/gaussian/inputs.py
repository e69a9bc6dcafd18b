"""What may enter a Gaussian mechanism when its law is known: finitely many points of the line."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.reading import law, shown, vector


@dataclass(frozen=True, init=False)
class DiscreteInput:
    """Points of the line, in increasing order, and their probabilities, which are positive.

    Raises:
        InvalidInput: for points that repeat, another number of probabilities, or a sum that is not 1.

    >>> DiscreteInput([1, -1], ["1/4", "3/4"]).points
    (-1, 1)
    """

    points: tuple[Rational, ...]
    probabilities: tuple[Rational, ...]

    def __init__(self, points: object, probabilities: object) -> None:
        places = vector(points, "The points")
        weights = law(probabilities, "The law of the points")
        if len(places) != len(weights):
            raise InvalidInput(f"{len(places)} points have {len(weights)} probabilities; give one for each point.")
        if len(set(places)) != len(places):
            twice = next(place for place in places if places.count(place) > 1)
            raise InvalidInput(f"The point {shown(twice)} is given twice; add up its probabilities.")
        kept = sorted((place, weight) for place, weight in zip(places, weights, strict=True) if weight > 0)
        object.__setattr__(self, "points", tuple(place for place, _ in kept))
        object.__setattr__(self, "probabilities", tuple(weight for _, weight in kept))

    @property
    def diameter(self) -> Rational:
        """The distance of the two outermost points."""
        return self.points[-1] - self.points[0]

    @property
    def power(self) -> Rational:
        """The mean square."""
        return sum((p * x * x for x, p in zip(self.points, self.probabilities, strict=True)), Rational(0))
