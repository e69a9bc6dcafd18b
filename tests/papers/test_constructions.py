"""The papers' constructions are found under names of their own, each saying what of the paper it is."""

from importlib import import_module

import pytest

from epstar_papers import PAPERS

CONSTRUCTIONS = {
    "zhong2022": {
        "privacy_colouring": "colours for approximate differential privacy",
        "leakage_colouring": "colours for maximal leakage",
        "sorted_by_diagonal": "T_1",
        "one_colour_rows": "T_2",
        "raised_diagonal": "diagonal entry raised",
        "merged_last_outputs": "Lemma 24",
        "symmetric_mechanism": "Q_D",
        "free_mechanism": "Q_delta",
        "uniform_mechanism": "Q_U",
        "subset_response": "randomised response",
        "mechanism_from_diagonal": "Theorem 9",
        "leakage_mechanism": "Theorem 14",
    },
    "kalantari2018": {
        "colouring": "colour of every entry",
        "symmetric_mechanism": "(6)",
        "mechanism_48": "(48)",
        "mechanism_from_diagonal": "least loss",
        "folding_permutations": "Definition 5",
        "folded": "T^-1(P)",
        "orbit_averages": "corrected Theorem 3",
        "ordered_pieces": "pieces",
    },
    "wang2016": {
        "mechanism_i": "E_i",
        "mechanism_d": "E_d",
        "output_distribution": "p_Y",
        "h": "h(log ratio)",
        "h_inverse": "h^-1",
        "prior_level": "epsilon_X",
        "feasible_from": "tilde epsilon_X",
    },
    "alvim2011": {
        "square_with_maxima_on_the_diagonal": "Lemma 1",
        "averaged_over_distances": "Lemma 2",
        "averaged_over_orbit": "Lemma 5",
        "averaged_over_group": "Lemma 5",
        "even_ring": "Remark 1",
    },
    "ngo2024": {
        "delta_from_capacity": "(6)",
        "binary_asymmetric_capacity": "(7)",
        "capacity_from_curve": "(8)",
        "delta_9": "(9)",
        "delta_from_information": "Theorem 2(a)",
        "information_10": "(10)",
        "capped_information": "capped",
        "binary_mechanism": "M*",
        "telling_mechanism": "Theorem 2(a)",
    },
}
EVERY = [(paper, name, words) for paper, names in CONSTRUCTIONS.items() for name, words in names.items()]


def test_every_paper_has_constructions() -> None:
    assert set(CONSTRUCTIONS) == set(PAPERS)


@pytest.mark.parametrize(("paper", "name", "words"), EVERY)
def test_a_construction_is_found_by_its_name(paper: str, name: str, words: str) -> None:
    module = import_module(f"epstar_papers.{paper}")
    assert name in module.__all__
    construction = getattr(module, name)
    assert callable(construction)
    assert words in construction.__doc__
