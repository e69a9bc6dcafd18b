"""The JSON schemas that ship with the package accept what epstar writes and refuse what it does not."""

import copy
import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.proofs.cases import PROBLEMS, case, checked_by_epstar, checked_by_the_second, name
from tests.proofs.earlier import write_answer as earlier_answer
from tests.proofs.schema_one import write_proof

from epstar.completion.schema_one import read_proof
from epstar.distortion import Hamming
from epstar.earlier_documents import read_evidence
from epstar.frontier import Frontier
from epstar.mechanism import DistanceMechanism, Mechanism, ProductMechanism, TopRandomisedResponse
from epstar.notions import DifferentialPrivacy
from epstar.problem_file import read_problem, write_problem
from epstar.source import Prior
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

SCHEMAS: dict[str, dict[str, Any]] = {
    kind: json.loads(files("epstar").joinpath("schemas", f"{kind}-1.json").read_text(encoding="utf-8"))
    for kind in ("problem", "mechanism", "proof", "answer")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()]
)


def validator(kind: str) -> Any:
    return Draft202012Validator(SCHEMAS[kind], registry=REGISTRY)


def is_valid(kind: str, document: object) -> bool:
    return bool(validator(kind).is_valid(document))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_they_are_schemas(kind: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[kind])
    assert SCHEMAS[kind]["$id"] == f"urn:epstar:{kind}:1"


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_real_documents_are_valid(number: int) -> None:
    solved = case(number)
    validator("answer").validate(solved.answer)
    validator("proof").validate(solved.proof)
    validator("problem").validate(solved.proof["problem"])
    validator("problem").validate(PROBLEMS[number]["problem"])


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_a_proof_survives_json(number: int) -> None:
    proof = read_proof(case(number).proof)
    again = read_proof(json.loads(json.dumps(write_proof(proof))))
    assert write_proof(again) == case(number).proof
    interval, repeated = proof.check(), again.check()
    assert (repeated.lower.lower, repeated.upper.upper) == (interval.lower.lower, interval.upper.upper)
    assert write_problem(read_problem(case(number).proof["problem"])) == case(number).proof["problem"]


@pytest.mark.parametrize(
    "universe",
    [
        Alphabet([("x", 1), None]),
        Metric([[0, 1], [1, 0]], labels=["a", "b"]),
        Graph([("x", 1), ("y", 2)], [(("x", 1), ("y", 2))]),
    ],
    ids=["tuples", "metric", "graph"],
)
def test_labels_survive_json(universe: Universe) -> None:
    answer = Frontier(DifferentialPrivacy(), Prior(["2/3", "1/3"]), Hamming(), universe).loss_at("1/6")
    document = json.loads(json.dumps(earlier_answer(answer)))
    validator("answer").validate(document)
    assert read_evidence(document).problem.universe == universe
    assert checked_by_epstar(document["proof"])[0] == answer.lower
    assert checked_by_the_second(document)[1] == answer.upper


def test_every_kind_of_mechanism_is_valid() -> None:
    coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    metric = Metric([[0, "3/2"], ["3/2", 0]], labels=["a", "b"])
    for mechanism in (
        coin,
        Mechanism([[0.25, 0.75], [0.5, 0.5]]),
        Mechanism([["1"], ["1"]], Graph(["a", "b"], [("a", "b")]), ["only"]),
        Mechanism([["1/2", "1/2"], ["1", "0"]], metric, [("x", 1), None]),
        TopRandomisedResponse(Alphabet(3), [0, 2], "5/2", "1/10"),
        DistanceMechanism(Databases(3, 2), ["1/2", "1/4", "1/4"]),
        ProductMechanism([coin, coin.then(coin)]),
    ):
        validator("mechanism").validate(json.loads(json.dumps(mechanism.to_json())))


@pytest.mark.parametrize("kind", ["problem", "mechanism", "proof", "answer"])
def test_no_required_part_may_be_left_out(kind: str) -> None:
    answer = case(0).answer
    document = {
        "answer": answer,
        "proof": answer["proof"],
        "problem": answer["proof"]["problem"],
        "mechanism": answer["mechanism"],
    }[kind]
    assert is_valid(kind, document)
    optional = {"problem": {"schema", "universe"}, "answer": {"lower_exact", "upper_exact"}, "mechanism": {"delta"}}
    for part in set(document) - optional.get(kind, set()):
        assert not is_valid(kind, {key: value for key, value in document.items() if key != part}), part


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("problem", "notion", "name"), "privacy"),
        (("problem", "source"), {"prior": ["1/2", "1/2"], "everything": 2}),
        (("problem", "at"), {"distortion": "a little"}),
        (("mechanism", "kind"), "oracle"),
        (("converse", "weight"), 0.5),
        (("converse", "prices"), ["1/2", "about 3"]),
        (("converse", "ratios"), [[0, -1, "1"]]),
        (("converse", "distortion_law"), []),
        (("rows",), []),
    ],
)
def test_wrong_parts_are_refused(path: tuple[str, ...], value: object) -> None:
    proof = copy.deepcopy(case(0).proof)
    assert is_valid("proof", proof)
    part = proof
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    assert not is_valid("proof", proof)
