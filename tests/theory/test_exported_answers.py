"""Coq proves exported answers, one for each notion, and refuses what is false."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.theory.building import AXIOMS, built_theory, judged

from epstar.answer import answer
from epstar.export import export
from epstar.problem_file import read_problem

pytestmark = pytest.mark.xdist_group("coq")

PRIOR = {"prior": ["1/2", "3/10", "1/5"]}
AT_DISTORTION, AT_LOSS = {"distortion": "1/5"}, {"loss": "4/5"}
QUESTIONS: dict[str, dict[str, Any]] = {
    "differential": {"notion": {"name": "differential_privacy"}, "at": AT_DISTORTION},
    "enclosed": {"notion": {"name": "differential_privacy"}, "at": AT_LOSS},
    "approximate": {"notion": {"name": "approximate_differential_privacy", "delta": "1/20"}, "at": AT_LOSS},
    "pointwise": {
        "notion": {"name": "approximate_differential_privacy", "delta": "1/20", "reading": "pointwise"},
        "at": AT_DISTORTION,
    },
    "identifiability": {"notion": {"name": "identifiability"}, "at": {"loss": "2"}},
    "maximal information": {"notion": {"name": "maximal_information"}, "at": AT_LOSS},
    "local": {"notion": {"name": "local_information_privacy"}, "at": AT_LOSS},
    "leakage": {"notion": {"name": "maximal_leakage"}, "at": AT_DISTORTION, "source": {"everything": 3}},
    "guessing": {"notion": {"name": "min_entropy_leakage"}, "at": AT_DISTORTION},
    "guessing capacity": {"notion": {"name": "min_entropy_capacity"}, "at": AT_DISTORTION},
    "information": {"notion": {"name": "mutual_information"}, "at": AT_DISTORTION},
    "capacity": {"notion": {"name": "capacity"}, "at": AT_DISTORTION},
    "pointwise leakage": {"notion": {"name": "pointwise_leakage"}, "at": AT_DISTORTION},
}


@cache
def exported(name: str) -> str:
    problem = {"schema": "epstar/problem/1", "source": PRIOR, "distortion": {"name": "hamming"}, **QUESTIONS[name]}
    return export(answer(read_problem(problem)).claims, "coq")


@pytest.mark.parametrize("name", QUESTIONS)
def test_coq_proves_an_exported_answer(name: str, tmp_path: Path) -> None:
    verdict = judged(exported(name), tmp_path, built_theory())
    assert verdict.accepted, verdict.said
    assert verdict.axioms <= AXIOMS


def test_the_statement_is_readable_in_one_screen() -> None:
    stated = exported("differential").partition("Proof.")[0]
    assert len(stated.splitlines()) <= 25
    assert "attained question (Log 8) (1#5) /\\\n  no_smaller_loss question (Log 8) (1#5)." in stated


@pytest.mark.parametrize(
    ("name", "told", "false"),
    [
        (
            "differential",
            "no_smaller_loss question (Log 8)",
            "no_smaller_loss question (Log (8000000000001#1000000000000))",
        ),
        ("differential", "attained question (Log 8)", "attained question (Log (7999999999999#1000000000000))"),
        ("differential", "(Log 8) (1#5).", "(Log 8) (200000000001#1000000000000)."),
        ("differential", "[5#10; 3#10; 2#10]", "[4#10; 4#10; 2#10]"),
        ("differential", "notion := differential_privacy", "notion := maximal_leakage"),
        ("differential", "distance := alphabet", "distance := graph [(0, 1)]%nat"),
        ("leakage", "notion := maximal_leakage", "notion := differential_privacy"),
        ("leakage", "cost := hamming", "cost := fun x y => 0"),
    ],
)
def test_coq_refuses_a_claim_that_was_changed(name: str, told: str, false: str, tmp_path: Path) -> None:
    text = exported(name)
    assert told in text
    assert not judged(text.replace(told, false), tmp_path, built_theory()).accepted
