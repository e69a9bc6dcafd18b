"""Proofs about large orders: multipliers in units of bounds, and notions read at a smaller order."""

from __future__ import annotations

import copy
import random
from typing import Any

import check_proof
import pytest
from tests.proofs.cases import Case, checked_by_epstar, checked_by_the_second
from tests.proofs.mutations import mutated
from tests.proofs.schema_one import write_proof
from tests.proofs.test_mutations import Tally, by_epstar, by_the_second, judge

from epstar.distortion import Hamming, Matrix
from epstar.errors import EpstarError
from epstar.frontier import Frontier
from epstar.notions import MaximalLeakage, Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.source import Hull, Prior

COST = Matrix([[0, 1, "1/2"], ["1/3", 0, "1/5"], [1, "1/2", 0]])
PRIOR = Prior(["1/2", "1/3", "1/6"])
HULL = Hull([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]])


def _proof(notion: Notion, asks: str, given: str) -> dict[str, Any]:
    frontier = Frontier(notion, HULL if isinstance(notion, SibsonMutualInformation) else PRIOR, COST)
    answer = frontier.loss_at(given) if asks == "loss" else frontier.distortion_at(given)
    return write_proof(answer.proof)


PROOFS = {
    "relative loss": _proof(RenyiDifferentialPrivacy(1000), "loss", "1/10"),
    "relative distortion": _proof(RenyiDifferentialPrivacy(10**6), "distortion", "1"),
    "smaller order": _proof(RenyiDifferentialPrivacy("1e12"), "distortion", "1"),
    "smaller order, loss": _proof(RenyiDifferentialPrivacy("1.000000000001"), "loss", "1/10"),
    "smaller information": _proof(SibsonMutualInformation("1e12"), "loss", "1/10"),
}


def test_the_fields_are_there_and_both_checkers_agree() -> None:
    for name, proof in PROOFS.items():
        assert proof["converse"].get("relative", False) is ("relative" in name or name == "smaller order")
        assert ("order" in proof["converse"]) is ("smaller" in name)
        # Powers of such orders of a mechanism are out of reach of the second checker; what is excluded is not.
        alone = {**proof, "mechanism": None}
        assert checked_by_the_second(alone)[0] == pytest.approx(checked_by_epstar(proof)[0], abs=1e-12)


@pytest.mark.parametrize("order", ["2e12", "-1", "0", "1e13"])
def test_a_larger_order_says_nothing(order: str) -> None:
    proof = copy.deepcopy(PROOFS["smaller order"])
    proof["converse"]["order"] = order
    with pytest.raises(EpstarError):
        checked_by_epstar(proof)
    with pytest.raises((check_proof.Refused, check_proof.Unreadable, EpstarError)):
        checked_by_the_second(proof)


@pytest.mark.parametrize("fault", [{"order": "1/2"}, {"relative": True}])
def test_other_notions_have_neither(fault: dict[str, object]) -> None:
    proof: dict[str, Any] = write_proof(Frontier(MaximalLeakage(), HULL, Hamming()).distortion_at("1/2").proof)
    proof["converse"] |= fault
    with pytest.raises(EpstarError):
        checked_by_epstar(proof)
    with pytest.raises((check_proof.Refused, check_proof.Unreadable, EpstarError)):
        checked_by_the_second(proof)


def test_relative_multipliers_need_a_level() -> None:
    proof = copy.deepcopy(PROOFS["relative loss"])
    proof["converse"]["level"] = None
    with pytest.raises(EpstarError, match="level"):
        checked_by_epstar(proof)
    with pytest.raises(EpstarError, match="level"):
        checked_by_the_second(proof)


def test_no_fault_makes_a_checker_accept_a_falsehood() -> None:
    ours, second = Tally(), Tally()
    proofs = list(PROOFS.values())
    for seed in range(300):
        generator = random.Random(seed)
        original = generator.choice(proofs)
        faulty = mutated(original, proofs, generator)
        converse = faulty.get("converse")
        if isinstance(converse, dict) and generator.random() < 0.4:
            fault = generator.choice(["relative", "order", "drop"])
            if fault == "relative":
                converse["relative"] = not converse.get("relative", False)
            elif fault == "order":
                converse["order"] = generator.choice(["1", "1/2", "2", "999", "1000", "1000000", "1e9", "1e13"])
            else:
                converse.pop(generator.choice(["relative", "order"]), None)
        lower, upper = checked_by_epstar(original)
        truth = Case(0, {}, lower, upper)
        judge(by_epstar(faulty), truth, ours, f"epstar, seed {seed}")
        if seed % 3 == 0:
            judge(by_the_second(faulty), truth, second, f"second, seed {seed}")
    assert min(ours.accepted, ours.rejected, second.accepted, second.rejected) > 10
