"""Proofs: what an answer claims, made checkable without the solver that found it."""

from epstar.proof.converse import Converse, Guarantee, Mixture
from epstar.proof.curve import CurvePoint, CurveProof
from epstar.proof.distances import DistanceProof
from epstar.proof.proof import Interval, Proof
from epstar.proof.rows import RowsProof

AnyProof = Proof | RowsProof | DistanceProof

__all__ = [
    "AnyProof",
    "Converse",
    "CurvePoint",
    "CurveProof",
    "DistanceProof",
    "Guarantee",
    "Interval",
    "Mixture",
    "Proof",
    "RowsProof",
]
