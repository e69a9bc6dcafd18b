"""Alvim, Andres, Chatzikokolakis, Degano and Palamidessi: leakage and utility of private queries (2011)."""

from __future__ import annotations

from epstar_papers.alvim2011 import (
    background,
    beyond,
    beyond_leakage,
    examples,
    individuals,
    leakage,
    limited_range,
    mechanisms,
    symmetrisation,
    utility,
)
from epstar_papers.alvim2011.constructions import (
    EvenRing,
    averaged_over_distances,
    averaged_over_group,
    averaged_over_orbit,
    even_ring,
    projection,
    relaxed_square,
    single_orbit_automorphism,
    square_with_maxima_on_the_diagonal,
    translations,
)
from epstar_papers.alvim2011.figures import FIGURES
from epstar_papers.theorem import Theorem

THEOREMS: tuple[Theorem, ...] = (
    *background.THEOREMS,
    *leakage.THEOREMS,
    *limited_range.THEOREMS,
    *individuals.THEOREMS,
    *symmetrisation.THEOREMS,
    *utility.THEOREMS,
    *mechanisms.THEOREMS,
    *examples.THEOREMS,
    *beyond.THEOREMS,
    *beyond_leakage.THEOREMS,
)

__all__ = [
    "FIGURES",
    "THEOREMS",
    "EvenRing",
    "averaged_over_distances",
    "averaged_over_group",
    "averaged_over_orbit",
    "even_ring",
    "projection",
    "relaxed_square",
    "single_orbit_automorphism",
    "square_with_maxima_on_the_diagonal",
    "translations",
]
