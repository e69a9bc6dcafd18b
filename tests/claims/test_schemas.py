"""The JSON schemas of claims accept what epstar writes and refuse what is no claim."""

import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.claims.corpus import solved
from tests.proofs.cases import PROBLEMS, name

from epstar.answer_file import write_answer
from epstar.curve_file import write_curve
from epstar.frontier import Frontier
from epstar.problem_file import read_problem

SCHEMAS: dict[str, dict[str, Any]] = {
    kind: json.loads(files("epstar").joinpath("schemas", f"{kind}.json").read_text(encoding="utf-8"))
    for kind in ("problem-1", "problem-2", "mechanism-1", "proof-2", "answer-2", "curve-2", "breakpoints-1")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()]
)


def validator(kind: str) -> Any:
    return Draft202012Validator(SCHEMAS[kind], registry=REGISTRY)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_they_are_schemas(kind: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[kind])
    assert SCHEMAS[kind]["$id"] == f"urn:epstar:{kind.replace('-', ':')}"


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_real_documents_are_valid(number: int) -> None:
    validator("proof-2").validate(solved(number).document)


def test_answers_and_curves_are_valid() -> None:
    problem = read_problem(PROBLEMS[62]["problem"])
    validator("answer-2").validate(json.loads(json.dumps(write_answer(Frontier.answer(problem)))))
    frontier = Frontier(problem.notion, problem.source, problem.distortion, problem.universe)
    document = json.loads(json.dumps(write_curve(frontier.curve(distortions=["-1", "0", "3/25"]))))
    validator("curve-2").validate(document)


def test_what_is_no_claim_is_refused() -> None:
    document = solved(62).document
    accepted = validator("proof-2").is_valid
    assert accepted(document)
    assert not accepted({**document, "note": ""})
    assert not accepted({key: document[key] for key in ("schema", "problem")})
    assert not accepted({**document, "excluded": {**document["excluded"], "loss": 3.09}})
    assert not accepted({**document, "excluded": {**document["excluded"], "open": "both"}})
