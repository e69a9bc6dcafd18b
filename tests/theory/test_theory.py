"""The theory says what it must, proves it, and assumes no more than Coq's real numbers."""

import re
from pathlib import Path

import pytest
from tests.theory.building import AXIOMS, THEORY, built_theory, judged

pytestmark = pytest.mark.xdist_group("coq")

THEOREMS = (
    "excluded_loss_sound",
    "excluded_distortion_sound",
    "excluded_mechanism_sound",
    "attained_sound",
    "some_mechanism_sound",
)


def test_no_proof_is_left_open_and_nothing_is_assumed() -> None:
    banned = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort|bypass_check)\b|Unset (Guard|Universe)")
    found = [file.name for file in THEORY.glob("*.v") if banned.search(file.read_text(encoding="utf-8"))]
    assert found == []


def test_every_file_is_built() -> None:
    listed = (THEORY / "_CoqProject").read_text(encoding="utf-8").split()
    assert sorted(name for name in listed if name.endswith(".v")) == sorted(file.name for file in THEORY.glob("*.v"))


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_theorem_rests_on_the_axioms_of_the_real_numbers_alone(theorem: str, tmp_path: Path) -> None:
    verdict = judged(f"From Epstar Require Import Epstar.\nPrint Assumptions {theorem}.\n", tmp_path, built_theory())
    assert verdict.accepted, verdict.said
    assert verdict.axioms
    assert verdict.axioms <= AXIOMS


def test_the_build_prints_what_the_theorems_rest_on() -> None:
    printed = (THEORY / "Assumptions.v").read_text(encoding="utf-8")
    assert all(f"Print Assumptions {theorem}." in printed for theorem in THEOREMS)
