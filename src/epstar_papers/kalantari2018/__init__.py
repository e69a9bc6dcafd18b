"""Kalantari, Sankar and Sarwate: robust trade-offs under differential privacy and Hamming distortion (2018)."""

from __future__ import annotations

from epstar_papers.kalantari2018 import (
    beyond,
    beyond_information,
    class_one,
    class_three,
    class_three_proof,
    class_two,
    class_two_achievability,
    class_two_converse,
    convex_hulls,
    definitions,
    illustrations,
    information,
    preliminaries,
    supports,
)
from epstar_papers.kalantari2018.constructions import (
    Colour,
    OrderedPiece,
    colouring,
    folded,
    folding_permutations,
    generated_group,
    mechanism_48,
    mechanism_from_diagonal,
    orbit_averages,
    orbits,
    ordered_pieces,
    permuted,
    symmetric_mechanism,
)
from epstar_papers.kalantari2018.figures import FIGURES
from epstar_papers.theorem import Theorem

THEOREMS: tuple[Theorem, ...] = (
    *definitions.THEOREMS,
    *preliminaries.THEOREMS,
    *convex_hulls.THEOREMS,
    *class_one.THEOREMS,
    *class_two.THEOREMS,
    *supports.THEOREMS,
    *class_two_converse.THEOREMS,
    *class_two_achievability.THEOREMS,
    *class_three.THEOREMS,
    *class_three_proof.THEOREMS,
    *information.THEOREMS,
    *illustrations.THEOREMS,
    *beyond.THEOREMS,
    *beyond_information.THEOREMS,
)

__all__ = [
    "FIGURES",
    "THEOREMS",
    "Colour",
    "OrderedPiece",
    "colouring",
    "folded",
    "folding_permutations",
    "generated_group",
    "mechanism_48",
    "mechanism_from_diagonal",
    "orbit_averages",
    "orbits",
    "ordered_pieces",
    "permuted",
    "symmetric_mechanism",
]
