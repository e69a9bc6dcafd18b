"""Proofs: what an answer claims, made checkable without the solver that found it."""

from epstar.proof.converse import Converse, Guarantee, Mixture
from epstar.proof.proof import Interval, Proof

__all__ = ["Converse", "Guarantee", "Interval", "Mixture", "Proof"]
