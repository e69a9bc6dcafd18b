"""Coq proves answers of every notion over every kind of source, but for those that have none.

`EPSTAR_PROBLEMS` may name more files of questions, such as `papers.json:random.json`; all linear ones are proven.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.theory.building import ROOT, proven
from tests.theory.test_exported_answers import QUESTIONS as ONE_OF_EACH

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
SLACK = {"notion": {"name": "local_information_privacy", "delta": "1/20"}, "at": {"loss": "4/5"}}
QUESTIONS = {**ONE_OF_EACH, "local with a slack": SLACK}
# What has no answer: some input is certain, and then no posterior probability is near to that of another.
NONE = {"polytope": {"identifiability"}, "everything": {"identifiability"}}
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
# What the theory cannot say, as `export` tells.
REFUSALS = ("are not convex",)


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


@pytest.mark.parametrize("source", SOURCES)
def test_answers_of_every_notion_over_every_kind_of_source(source: str, tmp_path: Path) -> None:
    problem = {"schema": "epstar/problem/1", "distortion": {"name": "hamming"}, "source": SOURCES[source]}
    found = {name: exported({**problem, **QUESTIONS[name], "source": SOURCES[source]}) for name in QUESTIONS}
    assert {name for name, text in found.items() if text is None} == NONE.get(source, set())
    texts = [text for text in found.values() if text is not None]
    verdict = proven(texts, tmp_path)
    assert verdict.accepted, verdict.said


def linear_questions() -> Iterator[dict[str, Any]]:
    files = [ROOT / "tests" / "data" / "problems.json"]
    files += [Path(name) for name in os.environ.get("EPSTAR_PROBLEMS", "").split(os.pathsep) if name]
    for file in files:
        known = json.loads(file.read_text(encoding="utf-8"))
        yield from (entry["problem"] for entry in known if entry["problem"]["notion"]["name"] in LINEAR)


def test_all_linear_questions_whose_answers_are_known(tmp_path: Path) -> None:
    texts = [text for text in map(exported, linear_questions()) if text is not None]
    assert len(texts) >= 80
    for start in range(0, len(texts), BATCH):
        verdict = proven(texts[start : start + BATCH], tmp_path, f"batch{start}")
        assert verdict.accepted, verdict.said
