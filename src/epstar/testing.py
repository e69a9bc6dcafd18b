"""Hypothesis strategies for everything that epstar computes with, for its own tests and for yours.

Numbers are small fractions, so that counterexamples shrink to something readable, and zeros, ties and
certainty come up often: that is where privacy losses jump.
"""

from __future__ import annotations

from epstar.extras import missing

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError:
    raise missing("hypothesis", "Examples are made with") from None

import numpy as np

from epstar.exact import ONE, ZERO, Rational
from epstar.mechanism import Mechanism
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

_LARGEST_WEIGHT = 9


def laws(size: int, zeros: bool = True) -> SearchStrategy[tuple[Rational, ...]]:
    """Return exact distributions on `size` categories; with `zeros` some probabilities may vanish."""
    weights = st.lists(st.integers(0 if zeros else 1, _LARGEST_WEIGHT), min_size=size, max_size=size)
    return weights.filter(any).map(lambda row: tuple(Rational(weight, sum(row)) for weight in row))


def priors(size: int, zeros: bool = True) -> SearchStrategy[Prior]:
    """Return exact priors on `size` categories."""
    return laws(size, zeros).map(Prior)


def mechanisms(
    inputs: int, outputs: int, zeros: bool = True, universe: Universe | None = None
) -> SearchStrategy[Mechanism]:
    """Return exact mechanisms with small denominators, on an alphabet unless a universe is given."""
    rows = st.lists(laws(outputs, zeros), min_size=inputs, max_size=inputs)
    return rows.map(lambda matrix: Mechanism(matrix, universe))


def float_mechanisms(inputs: int, outputs: int, zeros: bool = True) -> SearchStrategy[Mechanism]:
    """Return mechanisms of floats, whose rows sum to 1 as nearly as floats do."""
    entries = st.floats(0 if zeros else 1e-6, 1, allow_subnormal=False)
    rows = st.lists(entries, min_size=outputs, max_size=outputs).filter(lambda row: sum(row) > 1e-3)
    matrices = st.lists(rows, min_size=inputs, max_size=inputs).map(np.array)
    return matrices.map(lambda matrix: Mechanism(matrix / matrix.sum(axis=1, keepdims=True)))


def sources(size: int) -> SearchStrategy[Source]:
    """Return sources of every kind on `size` categories, none of them empty."""
    points = st.lists(laws(size), min_size=1, max_size=4)
    return st.one_of(
        priors(size),
        points.map(Finite),
        points.map(Hull),
        _boxes(size),
        st.builds(Ball, laws(size), st.fractions(0, 2, max_denominator=20)),
        _polytopes(size),
        st.just(Everything(size)),
    )


@st.composite
def _boxes(draw: st.DrawFn, size: int) -> Box:
    """Boxes around a distribution, so that they hold one."""
    center = draw(laws(size))
    slack = st.integers(0, 10).map(lambda tenths: Rational(tenths, 10))
    below, above = (draw(st.lists(slack, min_size=size, max_size=size)) for _ in range(2))
    return Box(
        [max(ZERO, p - room) for p, room in zip(center, below, strict=True)],
        [min(ONE, p + room) for p, room in zip(center, above, strict=True)],
    )


@st.composite
def _polytopes(draw: st.DrawFn, size: int) -> Polytope:
    """Half-spaces that all hold one distribution."""
    inside = draw(laws(size))
    row = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    matrix = draw(st.lists(row, min_size=1, max_size=3))
    slack = [Rational(draw(st.integers(0, 4)), 4) for _ in matrix]
    bounds = [
        sum((a * p for a, p in zip(normal, inside, strict=True)), ZERO) + room
        for normal, room in zip(matrix, slack, strict=True)
    ]
    return Polytope(matrix, bounds)


def universes(largest: int = 6) -> SearchStrategy[Universe]:
    """Return universes of every kind with at most `largest` elements (at least 4)."""
    sizes = st.integers(2, largest)
    names = st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=largest, unique=True)
    row_counts = st.integers(1, max(2, largest.bit_length() - 1))
    return st.one_of(
        sizes.map(Alphabet),
        names.map(Alphabet),
        row_counts.map(lambda rows: Databases(2, rows)),
        sizes.map(Graph.line),
        st.integers(3, largest).map(Graph.ring),
        sizes.flatmap(_graphs),
        sizes.flatmap(_metrics),
    )


@st.composite
def _graphs(draw: st.DrawFn, size: int) -> Graph:
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    return Graph(size, draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True)))


@st.composite
def _metrics(draw: st.DrawFn, size: int) -> Metric:
    """Distances of points on a line, which keep the triangle inequality."""
    steps = draw(st.lists(st.integers(1, 5), min_size=size - 1, max_size=size - 1))
    unit = Rational(1, draw(st.integers(1, 3)))
    places = [unit * sum(steps[:k]) for k in range(size)]
    return Metric([[abs(a - b) for b in places] for a in places])
