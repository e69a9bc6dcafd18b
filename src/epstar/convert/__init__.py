"""Implications between privacy notions, each naming its theorem, each rounding outward."""

from epstar.convert.curves import FunctionCurve, PrivacyCurve, SegmentCurve
from epstar.convert.edge import Edge
from epstar.convert.guarantee import Guarantee
from epstar.convert.mechanism_curve import curve_of, gaussian_curve, gaussian_local_curve, local_curve_of
from epstar.convert.search import EDGES, Conversion, convert
from epstar.convert.witness import Counterexample, witness

__all__ = [
    "EDGES",
    "Conversion",
    "Counterexample",
    "Edge",
    "FunctionCurve",
    "Guarantee",
    "PrivacyCurve",
    "SegmentCurve",
    "convert",
    "curve_of",
    "gaussian_curve",
    "gaussian_local_curve",
    "local_curve_of",
    "witness",
]
