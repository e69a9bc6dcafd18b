"""The completer: from what solvers find to claims that the rule can read. Nothing of it is trusted."""

from epstar.completion.converse import Converse, Mixture
from epstar.completion.distances import DistanceProof
from epstar.completion.evidence import AnyProof, ClaimedProof, Evidence, Proof
from epstar.completion.rows import RowsProof

__all__ = [
    "AnyProof",
    "ClaimedProof",
    "Converse",
    "DistanceProof",
    "Evidence",
    "Mixture",
    "Proof",
    "RowsProof",
]
