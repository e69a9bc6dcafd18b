"""What the notions that depend on the input law share: the law of the output, and the laws to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Point
from epstar.reading import nearest_floats
from epstar.source import Finite, Hull, Prior, Source

Floats = NDArray[np.float64]


def required(source: Source | None, mechanism: AnyMechanism, title: str) -> Source:
    """Return the source after checking that there is one and that it fits the mechanism."""
    if source is None:
        raise InvalidInput(
            f"{title.capitalize()} depends on the input law; give a source, such as a Prior or Everything."
        )
    if source.size != mechanism.shape[0]:
        raise InvalidInput(
            f"The source has {source.size} letters and the mechanism {mechanism.shape[0]} inputs; "
            "they must be the same."
        )
    return source


def extreme_laws(source: Source) -> Sequence[Point]:
    """Return laws at which every quasi-convex function of the law attains its supremum over the source.

    Raises:
        InvalidInput: if there are too many to list.
    """
    if isinstance(source, Prior):
        return (source.probabilities,)
    if isinstance(source, Finite | Hull):
        return source.points
    return source.vertices()


def listed_laws(source: Source) -> Sequence[Point] | None:
    """Return all laws of a source that has finitely many, None for any other."""
    if isinstance(source, Prior):
        return (source.probabilities,)
    return source.points if isinstance(source, Finite) else None


def float_law(prior: Point) -> Floats:
    """Return the law in floats."""
    return nearest_floats(prior)


def output_law(rows: Sequence[Sequence[Rational]], prior: Point) -> list[Rational]:
    """Return the law of the output, exactly."""
    law = [ZERO] * len(rows[0])
    for weight, row in zip(prior, rows, strict=True):
        if weight:
            for y, entry in enumerate(row):
                if entry:
                    law[y] += weight * entry
    return law
