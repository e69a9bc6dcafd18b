"""Coq proves answers of every notion over every kind of source, but for those that `export` refuses with a reason."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.theory.building import ROOT, built_theory, judged
from tests.theory.test_exported_answers import QUESTIONS

from epstar.answer import answer
from epstar.errors import InvalidInput, NoSolution
from epstar.export import export
from epstar.problem_file import read_problem

pytestmark = [pytest.mark.xdist_group("coq"), pytest.mark.full]

PRIOR = ["1/2", "3/10", "1/5"]
SOURCES: dict[str, dict[str, Any]] = {
    "finite": {"finite": [PRIOR, ["1/3", "1/3", "1/3"]]},
    "hull": {"hull": [PRIOR, ["2/5", "2/5", "1/5"]]},
    "box": {"box": {"lower": ["1/10"] * 3, "upper": ["3/5", "3/5", "1/2"]}},
    "ball": {"ball": {"center": PRIOR, "radius": "1/10"}},
    "polytope": {"polytope": {"matrix": [[-1, 1, 0], [0, -1, 1], [-1, 0, 0]], "bounds": ["0", "0", "-2/5"]}},
    "everything": {"everything": 3},
}
LINEAR = {
    "differential_privacy",
    "approximate_differential_privacy",
    "identifiability",
    "maximal_information",
    "local_information_privacy",
    "maximal_leakage",
    "min_entropy_leakage",
}
BATCH = 12
# What the theory cannot say yet, as `export` tells.
REFUSALS = ("over a region", "single rows", "averages over symmetries", "independent rows", "product over rows")


def exported(problem: dict[str, Any]) -> str | None:
    """The answer to a question as a theorem; None where there is no answer, or no such theorem."""
    try:
        return export(answer(read_problem(problem)).claims, "coq")
    except NoSolution:
        return None
    except InvalidInput as refusal:
        if not any(reason in str(refusal) for reason in REFUSALS):
            raise
        return None


def together(texts: list[str]) -> str:
    """Many files as modules of one, so that the theory is loaded once."""
    head, body = "From Epstar Require Import Epstar.\nOpen Scope Q_scope.\n", []
    for number, text in enumerate(texts):
        inner = text.partition("Open Scope Q_scope.\n")[2].replace("Print Assumptions answer.\n", "")
        body.append(f"Module M{number}.\n{inner}End M{number}.\n")
    return head + "".join(body)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_over_every_kind_of_source(name: str, source: str, tmp_path: Path) -> None:
    problem = {"schema": "epstar/problem/1", "distortion": {"name": "hamming"}, **QUESTIONS[name]}
    text = exported({**problem, "source": SOURCES[source]})
    if text is not None:
        verdict = judged(text, tmp_path, built_theory())
        assert verdict.accepted, verdict.said


def linear_questions() -> Iterator[dict[str, Any]]:
    known = json.loads((ROOT / "tests" / "data" / "problems.json").read_text(encoding="utf-8"))
    yield from (entry["problem"] for entry in known if entry["problem"]["notion"]["name"] in LINEAR)


def test_all_linear_questions_whose_answers_are_known(tmp_path: Path) -> None:
    texts = [text for text in map(exported, linear_questions()) if text is not None]
    assert len(texts) > 50
    for start in range(0, len(texts), BATCH):
        verdict = judged(together(texts[start : start + BATCH]), tmp_path, built_theory(), f"batch{start}")
        assert verdict.accepted, verdict.said
