"""The theory says what it must, proves it, and assumes no more than Coq's real numbers."""

import re
from pathlib import Path

import pytest
from tests.theory.building import AXIOMS, THEORY, judged

from epstar_papers import all_theorems

pytestmark = pytest.mark.xdist_group("coq")

THEOREMS = (
    "excluded_loss_sound",
    "excluded_distortion_sound",
    "excluded_below_sound",
    "excluded_mechanism_sound",
    "excluded_cost_sound",
    "attained_sound",
    "some_mechanism_sound",
    "kalantari_theorem_1",
    "kalantari_theorem_1_beyond",
    "kalantari_theorem_2a",
    "kalantari_theorem_2a_ordered",
    "kalantari_theorem_2b",
    "kalantari_theorem_2b_first",
    "kalantari_theorem_2b_zero",
    "zhong_theorem_13",
    "zhong_theorem_13_ordered",
    "zhong_theorem_13_zero",
    "wang_theorem_1",
    "wang_theorem_1_beyond",
    "wang_theorem_1_privacy",
    "ngo_theorem_2a",
    "alvim_theorem_1",
    "alvim_symmetric_graphs",
    "alvim_symmetric_graphs_attained",
    "alvim_one_orbit",
)


def test_no_proof_is_left_open_and_nothing_is_assumed() -> None:
    banned = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort|bypass_check)\b|Unset (Guard|Universe)")
    found = [file.name for file in THEORY.glob("*.v") if banned.search(file.read_text(encoding="utf-8"))]
    assert found == []


def test_every_file_is_built() -> None:
    listed = (THEORY / "_CoqProject").read_text(encoding="utf-8").split()
    assert sorted(name for name in listed if name.endswith(".v")) == sorted(file.name for file in THEORY.glob("*.v"))


def test_the_theorems_rest_on_the_axioms_of_the_real_numbers_alone(tmp_path: Path) -> None:
    """The build prints the same; every theorem is a part of what it prints the axioms of."""
    printed = (THEORY / "Assumptions.v").read_text(encoding="utf-8")
    assert "Print Assumptions main_theorems." in printed
    verdict = judged("From Epstar Require Import Assumptions.\nPrint Assumptions main_theorems.\n", tmp_path)
    assert verdict.accepted, verdict.said
    assert verdict.axioms == AXIOMS
    listed = re.findall(r"\w+", printed.partition("soundness :=")[2].partition("Definition main_theorems")[0])
    assert sorted(name for name in listed if name not in ("Definition", "theorems_of_papers")) == sorted(THEOREMS)


def test_claims_that_are_proven_for_all_sizes_name_theorems_that_are_checked() -> None:
    named = [claim.proven_in for claim in all_theorems() if claim.proven_in]
    assert len(named) == 12
    for place in named:
        file, _, theorems = place.partition(": ")
        text = (THEORY / file).read_text(encoding="utf-8")
        assert all(f"Theorem {theorem} :" in text for theorem in theorems.split(", "))
        assert set(theorems.split(", ")) <= set(THEOREMS)


def test_a_theorem_says_which_part_of_it_is_proven_for_all_sizes() -> None:
    told = {claim.key: claim.evidence for claim in all_theorems() if claim.proven_in}
    partly = {
        key: evidence
        for key, evidence in told.items()
        if evidence.partition("proven")[2].startswith(" for all sizes, ")
    }
    assert list(partly) == ["kalantari2018:thm-2b"]
    evidence = partly["kalantari2018:thm-2b"]
    assert re.fullmatch(
        r"false; as corrected with l = 0 proven for all sizes, the rest not refuted in \d+ cases", evidence
    )
    assert "$l = 0$ alone" in next(claim for claim in all_theorems() if claim.key == "kalantari2018:thm-2b").correction
