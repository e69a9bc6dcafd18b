"""The completer: from what solvers find to claims that the rule can read. Nothing of it is trusted."""

from epstar.completion.claimed_proof import ClaimedProof
from epstar.completion.complete import AnyProof, completed, larger
from epstar.completion.converse import Converse, Mixture
from epstar.completion.distance_proof import DistanceProof
from epstar.completion.evidence import Proof
from epstar.completion.rows_proof import RowsProof

__all__ = [
    "AnyProof",
    "ClaimedProof",
    "Converse",
    "DistanceProof",
    "Mixture",
    "Proof",
    "RowsProof",
    "completed",
    "larger",
]
