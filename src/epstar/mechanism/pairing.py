"""Two universes side by side."""

from __future__ import annotations

from itertools import product

from epstar.exact import Rational
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe


def paired_universe(first: Universe, second: Universe) -> Universe:
    """Return the pairs of elements, at the sum of the two distances, in lexicographic order.

    Two equal alphabets give `Databases` of two rows; universes of unit steps give the product graph; one with
    weights gives a `Metric`.
    """
    if isinstance(first, Alphabet) and first == second:
        return Databases(first, 2)
    labels = list(product(first.labels, second.labels))
    width = second.size
    if isinstance(first, Metric) or isinstance(second, Metric):
        places = list(product(range(first.size), range(width)))
        return Metric(
            [[_summed(first.distance(a, c), second.distance(b, d)) for c, d in places] for a, b in places],
            labels,
        )
    edges = []
    steps = first.pairs()
    for a, c in zip(steps.first.tolist(), steps.second.tolist(), strict=True):
        edges += [(labels[a * width + b], labels[c * width + b]) for b in range(width)]
    steps = second.pairs()
    for b, d in zip(steps.first.tolist(), steps.second.tolist(), strict=True):
        edges += [(labels[a * width + b], labels[a * width + d]) for a in range(first.size)]
    return Graph(labels, edges)


def _summed(left: Rational | None, right: Rational | None) -> Rational | None:
    return None if left is None or right is None else left + right
