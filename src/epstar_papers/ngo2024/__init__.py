"""Ngo, Östman and Graell i Amat: local mutual-information differential privacy (2024)."""

from __future__ import annotations

from epstar_papers.ngo2024 import (
    appendix,
    beyond,
    definitions,
    illustrations,
    lemma_one,
    noise,
    one_mechanism,
    peak,
    saddle_point,
    theorem_one,
    theorem_two,
)
from epstar_papers.ngo2024.constructions import (
    binary_asymmetric_capacity,
    binary_mechanism,
    capacity_from_curve,
    capped_information,
    delta_9,
    delta_from_capacity,
    delta_from_information,
    indicator,
    information_10,
    limit_of_capacity,
    limit_of_information,
    one_sided,
    telling_mechanism,
)
from epstar_papers.ngo2024.figures import FIGURES
from epstar_papers.theorem import Theorem

THEOREMS: tuple[Theorem, ...] = (
    *definitions.THEOREMS,
    *theorem_one.THEOREMS,
    *one_mechanism.THEOREMS,
    *theorem_two.THEOREMS,
    *illustrations.THEOREMS,
    *noise.THEOREMS,
    *peak.THEOREMS,
    *lemma_one.THEOREMS,
    *appendix.THEOREMS,
    *saddle_point.THEOREMS,
    *beyond.THEOREMS,
)

__all__ = [
    "FIGURES",
    "THEOREMS",
    "binary_asymmetric_capacity",
    "binary_mechanism",
    "capacity_from_curve",
    "capped_information",
    "delta_9",
    "delta_from_capacity",
    "delta_from_information",
    "indicator",
    "information_10",
    "limit_of_capacity",
    "limit_of_information",
    "one_sided",
    "telling_mechanism",
]
