"""Finite sets with a distance: alphabets, databases, graphs and metrics."""

from epstar.universe.base import PAIR_LIMIT, Alphabet, Label, Pairs, Universe
from epstar.universe.databases import Databases, digits, from_digits
from epstar.universe.graph import Graph
from epstar.universe.metric import Metric

__all__ = [
    "PAIR_LIMIT",
    "Alphabet",
    "Databases",
    "Graph",
    "Label",
    "Metric",
    "Pairs",
    "Universe",
    "digits",
    "from_digits",
]
