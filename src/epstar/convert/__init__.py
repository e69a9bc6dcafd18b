"""Implications between privacy notions, each naming its theorem, each rounding outward.

>>> from epstar.convert import Guarantee, convert
>>> from epstar.notions import DifferentialPrivacy, RenyiDifferentialPrivacy
>>> str(convert(Guarantee(DifferentialPrivacy(), "log(2)"), to=RenyiDifferentialPrivacy(2)).guarantee.level)
'log(3/2)'
"""

from epstar.convert.counterexamples import Counterexample, witness
from epstar.convert.guarantee import Guarantee
from epstar.convert.implication import Implication
from epstar.convert.mechanism_curve import curve_of, gaussian_curve, gaussian_local_curve, local_curve_of
from epstar.convert.privacy_curve import FunctionCurve, PrivacyCurve, SegmentCurve
from epstar.convert.search import EDGES, Conversion, Route, convert

__all__ = [
    "EDGES",
    "Conversion",
    "Counterexample",
    "FunctionCurve",
    "Guarantee",
    "Implication",
    "PrivacyCurve",
    "Route",
    "SegmentCurve",
    "convert",
    "curve_of",
    "gaussian_curve",
    "gaussian_local_curve",
    "local_curve_of",
    "witness",
]
