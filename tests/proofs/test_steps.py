"""Steps at an infinite level: what they prove, and that neither checker believes a false one."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import check_proof
import pytest
from tests.frontier.generated import Kind, generated
from tests.proofs.cases import checked_by_epstar, checked_by_the_second
from tests.proofs.mutations import mutated
from tests.proofs.schema_one import write_proof
from tests.proofs.test_schemas import validator

from epstar.completion.schema_one import read_proof
from epstar.distortion import Matrix
from epstar.errors import EpstarError
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, PointwiseLeakage
from epstar.source import Everything, Finite
from epstar.universe import Graph

Json = dict[str, Any]
# Input 0 always gives output 0; 1 must give output 1 at least half of the time, and the slack allows a little less.
_HALF = Frontier(ApproximateDifferentialPrivacy("49/100"), Finite([[1, 0], [0, 1]]), Matrix([[1, 2], [2, 0]]))
# Input 0 always gives output 0; so 1 must use all of its slack for output 1 and never gives output 2; so 2, which must
# give output 2 half of the time, cannot.
_CHAIN = Frontier(
    ApproximateDifferentialPrivacy("1/4"),
    Finite([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    Matrix([[1, 2, 2], ["4/3", 0, 1], [2, 2, 0]]),
    Graph.line(3),
)


# Inputs 0 and 3 give outputs 0 and 1 alone, so that no other may give 2 or 3: steps leave several mechanisms, and
# multipliers tell of these.
_APART = Frontier(PointwiseLeakage(), Everything(4), Matrix([[1, 1, 2, 1], [4, 0, 2, 2], [0, 4, 2, 2], [1, 1, 1, 2]]))
_HALF_BIT = math.log(3) / 2


@cache
def _written(name: str) -> str:
    if name == "apart":
        answer = _APART.loss_at(distortion=1)
    elif name == "region":
        answer = Frontier.answer(generated(Kind("local information", "box", "matrix", "ring", "loss"), 7001))
    else:
        answer = (_HALF if name == "half" else _CHAIN).loss_at(distortion=1)
    return json.dumps(write_proof(answer.proof))


def proof(name: str) -> Json:
    """Return a proof of an infinite loss as JSON."""
    document: Json = json.loads(_written(name))
    return document


every_proof = pytest.mark.parametrize("name", ["region", "half", "chain"])


def both_reject(document: Json) -> bool:
    with pytest.raises(EpstarError):
        checked_by_epstar(document)
    with pytest.raises((check_proof.Refused, check_proof.Unreadable, EpstarError)):
        checked_by_the_second(document)
    return True


@every_proof
def test_both_checkers_prove_that_no_loss_is_finite(name: str) -> None:
    document = proof(name)
    assert len(document["converse"]["steps"]) == (2 if name == "chain" else 1)
    assert checked_by_epstar(document) == (math.inf, math.inf)
    assert checked_by_the_second(document) == (math.inf, math.inf)


@every_proof
def test_a_step_survives_json(name: str) -> None:
    document = proof(name)
    validator("proof").validate(document)
    assert json.loads(json.dumps(write_proof(read_proof(document)))) == document
    changed = copy.deepcopy(document)
    changed["converse"]["steps"][0]["more"] = 1
    assert not validator("proof").is_valid(changed)


def without_steps(converse: Json) -> None:
    del converse["steps"]


def without_the_first(converse: Json) -> None:
    del converse["steps"][0]


def without_the_last(converse: Json) -> None:
    del converse["steps"][-1]


def negative_multipliers(converse: Json) -> None:
    for ratio in converse["steps"][-1]["ratios"]:
        ratio[2] = f"-{ratio[2]}"


def negative_weight(converse: Json) -> None:
    converse["steps"][-1]["weight"] = "-1"


def no_multipliers(converse: Json) -> None:
    converse["steps"][-1]["ratios"] = []


def small_multipliers(converse: Json) -> None:
    for ratio in converse["steps"][-1]["ratios"]:
        ratio[2] = "1/1000000"
    converse["steps"][-1]["weight"] = "1"


def a_bound_that_is_not_there(converse: Json) -> None:
    converse["steps"][-1]["ratios"][0][0] = 10**5


def an_output_that_is_not_there(converse: Json) -> None:
    converse["steps"][-1]["ratios"][0][1] = 10**5


def an_output_that_the_right_side_gives(converse: Json) -> None:
    # Every input may give output 0 or another that was not excluded: all outputs at once include one.
    bound = converse["steps"][0]["ratios"][0][0]
    converse["steps"][0]["ratios"] = [[bound, y, "1000000"] for y in range(2)] + [
        [bound ^ 1, y, "1000000"] for y in (0, 1)
    ]


def a_law_from_elsewhere(converse: Json) -> None:
    size = len(converse["distortion_law"][0][1])
    converse["steps"][-1]["distortion_law"] = [["1", [f"1/{size}"] * size]]


FAULTS = [
    without_steps,
    without_the_first,
    without_the_last,
    negative_multipliers,
    negative_weight,
    no_multipliers,
    small_multipliers,
    a_bound_that_is_not_there,
    an_output_that_is_not_there,
    an_output_that_the_right_side_gives,
    a_law_from_elsewhere,
]


@pytest.mark.parametrize("name", ["half", "chain"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.__name__))
def test_a_false_step_is_rejected(name: str, fault: Callable[[Json], None]) -> None:
    document = proof(name)
    document["mechanism"] = None
    fault(document["converse"])
    assert both_reject(document)


@every_proof
def test_a_hair_more_distortion_allows_a_finite_loss(name: str) -> None:
    document = proof(name)
    document["mechanism"] = None
    allowed = document["problem"]["at"]["distortion"]
    numerator, _, denominator = str(allowed).partition("/")
    scale = 10**50
    document["problem"]["at"]["distortion"] = f"{int(numerator) * scale + 1}/{int(denominator or 1) * scale}"
    assert both_reject(document)


def test_a_slack_that_grows_says_nothing_at_an_infinite_level() -> None:
    document = proof("region")
    document["mechanism"] = None
    # The bounds of one input come in pairs: the law of the output over the input, then the other way round.
    for ratio in document["converse"]["steps"][0]["ratios"]:
        ratio[0] ^= 1
        ratio[2] = "1000000"
    assert both_reject(document)


@pytest.mark.parametrize("name", ["region", "half", "chain"])
def test_no_fault_makes_the_checkers_disagree_or_believe_a_falsehood(name: str) -> None:
    generator = random.Random(name)
    original = proof(name)
    for _ in range(60):
        changed = mutated(original, [proof("half"), proof("chain")], generator)
        ends: list[tuple[float, float] | None] = []
        for check in (checked_by_epstar, checked_by_the_second):
            try:
                ends.append(check(changed))
            except (EpstarError, check_proof.Refused, check_proof.Unreadable):
                ends.append(None)
        # The loss is infinite, so that a lower end is never false; an upper end that is finite would be.
        assert all(end is None or end[1] == math.inf for end in ends)


@pytest.mark.parametrize("frontier", [_HALF, _CHAIN], ids=["half", "chain"])
@pytest.mark.parametrize("seed", range(60))
def test_no_steps_prove_that_a_finite_loss_is_infinite(frontier: Frontier, seed: int) -> None:
    generous = Frontier(ApproximateDifferentialPrivacy("1/2"), frontier.source, frontier.distortion, frontier.universe)
    document = json.loads(json.dumps(write_proof(generous.loss_at(distortion=1).proof)))
    true_upper = checked_by_epstar(document)[1]
    assert math.isfinite(true_upper)
    generator = random.Random(seed)
    size = frontier.universe.size
    laws = [["1" if x == y else "0" for x in range(size)] for y in range(size)]
    ratios = [[i, y, str(generator.randint(0, 4))] for i in range(2 * size - 2) for y in range(size)]
    document["mechanism"] = None
    document["converse"] = {
        **proof("half")["converse"],
        "distortion_law": [["1", laws[0]]],
        "steps": [
            {
                "weight": str(generator.randint(0, 2)),
                "distortion_law": [["1", generator.choice(laws)]],
                "ratios": generator.sample(ratios, generator.randint(0, 2)),
            }
            for _ in range(generator.randint(1, 2))
        ],
    }
    lowers = []
    for check in (checked_by_epstar, checked_by_the_second):
        try:
            lowers.append(check(document)[0])
        except (EpstarError, check_proof.Refused):
            lowers.append(0.0)
    assert lowers[0] == lowers[1] <= true_upper


def test_steps_and_multipliers_prove_a_finite_loss() -> None:
    document = proof("apart")
    assert document["converse"]["forced"] is True
    for ends in (checked_by_epstar(document), checked_by_the_second(document)):
        assert ends == pytest.approx((_HALF_BIT, _HALF_BIT), abs=1e-12)


def test_multipliers_prove_less_without_their_steps() -> None:
    document = proof("apart")
    document["mechanism"] = None
    # Nothing is forced with a hair more distortion, or without the claim; then answers that have no price tell little.
    unforced = {key: value for key, value in document["converse"].items() if key != "steps"} | {"forced": False}
    for converse in (document["converse"], unforced):
        for allowed in ("1", "1000000000001/1000000000000"):
            problem = {**document["problem"], "at": {"distortion": allowed}}
            faulty = {**document, "problem": problem, "converse": converse}
            is_forced = converse is not unforced and allowed == "1"
            for check in (checked_by_epstar, checked_by_the_second):
                try:
                    lower = check(faulty)[0]
                except (EpstarError, check_proof.Refused):
                    lower = 0.0
                assert (lower > _HALF_BIT - 1e-9) == is_forced
    faulty["converse"] = {**document["converse"], "weight": "0", "sums": [], "slopes": []}
    assert both_reject(faulty)


def test_no_fault_in_steps_and_multipliers_proves_a_falsehood() -> None:
    generator = random.Random(1)
    original = proof("apart")
    accepted = 0
    for _ in range(100):
        changed = mutated(original, [proof("half"), proof("apart")], generator)
        for check in (checked_by_epstar, checked_by_the_second):
            try:
                lower, upper = check(changed)
            except (EpstarError, check_proof.Refused, check_proof.Unreadable):
                continue
            accepted += 1
            assert lower <= _HALF_BIT + 1e-12
            assert upper >= _HALF_BIT - 1e-12
    assert accepted > 15
