"""Wang, Ying and Zhang: identifiability, differential privacy and mutual-information privacy (2016)."""

from __future__ import annotations

from epstar_papers.theorem import Theorem
from epstar_papers.wang2016 import (
    beyond,
    beyond_local,
    beyond_rows,
    definitions,
    illustration,
    lemma_one,
    lemmas,
    theorem_one,
    theorem_two,
)
from epstar_papers.wang2016.constructions import (
    Database,
    distance_profile,
    feasible_from,
    h,
    h_inverse,
    is_feasible,
    mechanism_d,
    mechanism_i,
    output_distribution,
    prior_level,
    sphere_size,
)
from epstar_papers.wang2016.figures import FIGURES

THEOREMS: tuple[Theorem, ...] = (
    *definitions.THEOREMS,
    *theorem_one.THEOREMS,
    *theorem_two.THEOREMS,
    *illustration.THEOREMS,
    *lemma_one.THEOREMS,
    *lemmas.THEOREMS,
    *beyond.THEOREMS,
    *beyond_rows.THEOREMS,
    *beyond_local.THEOREMS,
)

__all__ = [
    "FIGURES",
    "THEOREMS",
    "Database",
    "distance_profile",
    "feasible_from",
    "h",
    "h_inverse",
    "is_feasible",
    "mechanism_d",
    "mechanism_i",
    "output_distribution",
    "prior_level",
    "sphere_size",
]
