"""One proof for all points of a curve."""

from epstar.proof.curve import CurvePoint, CurveProof

__all__ = ["CurvePoint", "CurveProof"]
