"""Sources: what is known of the input distribution, as a set of distributions in exact rationals."""

from epstar.source.base import (
    Disagreement,
    Maximum,
    Minimum,
    Mixture,
    Order,
    Point,
    Source,
    SourceClass,
)
from epstar.source.points import Finite, Hull
from epstar.source.polytope import Polytope
from epstar.source.prior import Prior
from epstar.source.regions import Ball, Box, Everything
from epstar.source.rows import Rows, RowsMaximum, product_rows

__all__ = [
    "Ball",
    "Box",
    "Disagreement",
    "Everything",
    "Finite",
    "Hull",
    "Maximum",
    "Minimum",
    "Mixture",
    "Order",
    "Point",
    "Polytope",
    "Prior",
    "Rows",
    "RowsMaximum",
    "Source",
    "SourceClass",
    "product_rows",
]
