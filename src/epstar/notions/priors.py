"""What the notions that depend on the input law share: the law of the output, and the laws to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.deadline import in_time
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Point
from epstar.source import Ball, Box, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]

_MOST_LETTERS = 16
_MOST_CORNERS = 100_000
# Corners times letters squared.
_MOST_TERMS = 50_000


def required(source: Source | None, mechanism: AnyMechanism, title: str) -> Source:
    """Return the source after checking that there is one and that it fits the mechanism."""
    if source is None:
        raise InvalidInput(
            f"{title.capitalize()} depends on the frequencies of the inputs; give a source such as a Prior."
        )
    check_source(source, mechanism)
    return source


def check_source(source: Source | None, mechanism: AnyMechanism) -> None:
    """Check that the source fits the mechanism, for notions in which it plays no other part."""
    if source is not None and source.size != mechanism.shape[0]:
        raise InvalidInput(
            f"The source has {shown(source.size)} categories and the mechanism "
            f"{shown(mechanism.shape[0])} inputs; they must be the same."
        )


def check_points(points: Sequence[Point], universe: Universe) -> None:
    """Check that every point has one entry per input, for notions in which points play no other part."""
    for point in points:
        if len(point) != universe.size:
            raise InvalidInput(
                f"A prior has {len(point)} entries and the universe {shown(universe.size)} elements; "
                "they must be the same."
            )


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


def few_extreme_laws(source: Source) -> Sequence[Point] | None:
    """Return the extreme distributions, None where a region has more of them than anybody waits for."""
    return _corners(source) if isinstance(source, Box | Ball | Polytope) else extreme_laws(source)


@lru_cache(maxsize=2)
def _corners(region: Source) -> tuple[Point, ...] | None:
    if region.size > _MOST_LETTERS:
        # There are nearly always too many, and to find that out takes as long as to list all that are allowed.
        return None
    # The corners of a polytope are much harder to list than those of a box or a ball.
    limit = _MOST_TERMS // region.size**2 if isinstance(region, Polytope) else _MOST_CORNERS
    try:
        return tuple(region.vertices(limit))
    except InvalidInput:
        return None


def in_rows(laws: Sequence[Point], source: Source) -> Floats:
    """Return the nearest floats of the extreme distributions of a source, which are given, in their order."""
    if isinstance(source, Prior):
        return source.floats[None]
    if isinstance(source, Finite | Hull):
        return source.floats
    return _corners_in_rows(source) if isinstance(source, Box | Ball | Polytope) else _rows(laws)


@lru_cache(maxsize=2)
def _corners_in_rows(region: Source) -> Floats:
    return _rows(_corners(region) or ())


def _rows(laws: Sequence[Point]) -> Floats:
    return np.array([nearest_floats(law) for law in in_time(laws)])


def listed_laws(source: Source) -> Sequence[Point] | None:
    """Return all distributions of a source that has finitely many, None for a convex set."""
    if isinstance(source, Prior):
        return (source.probabilities,)
    if isinstance(source, Finite):
        return source.points
    if isinstance(source, Rows) and all(isinstance(row, Prior | Finite) for row in source.sources):
        return source.vertices()
    return None


def float_law(prior: Point) -> Floats:
    """Return the distribution in floats."""
    return nearest_floats(prior)


def in_floats(laws: Sequence[Point], source: Source) -> Iterable[tuple[Point, Floats]]:
    """Yield each distribution with its floats, which one prior and some priors have at hand."""
    if isinstance(source, Prior):
        return [(source.probabilities, source.floats)]
    if isinstance(source, Finite):
        return zip(source.points, source.floats, strict=True)
    return ((law, nearest_floats(law)) for law in in_time(laws))


def float_output_law(prior: Floats, matrix: Floats) -> Floats:
    """Return the distribution of the output in floats, over the last two axes.

    A product of a vector and a matrix is limited by memory, so it is kept away from threads, which would wait
    for each other longer than they work.
    """
    return np.asarray(np.einsum("...x,...xy->...y", prior, matrix))


def output_law(rows: Sequence[Sequence[Rational]], prior: Point) -> list[Rational]:
    """Return the distribution of the output, exactly."""
    law = [ZERO] * len(rows[0])
    for weight, row in zip(prior, rows, strict=True):
        if weight != 0:
            for y, entry in enumerate(row):
                if entry != 0:
                    law[y] += weight * entry
    return law
