"""What an answer says of itself must follow from its claims, for both checkers."""

import copy
import json
from decimal import Decimal
from typing import Any

import check_proof
import pytest
from tests.proofs.cases import second

from epstar.answer_file import check_answer, write_answer
from epstar.distortion import Gain, Hamming, Matrix
from epstar.errors import EpstarError, InvalidInput, ProofRejected
from epstar.exact import Number, Rational
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy, Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.source import Everything, Polytope, Prior, Source
from epstar.universe import Databases

_GAIN = Frontier(DifferentialPrivacy(), Prior(["1/2", "1/3", "1/6"]), Gain([[1, 0], [0, 1], ["1/2", 0]]))


def _document(answer: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(write_answer(answer)), parse_float=Decimal)
    return read


def _refused_by_both(document: dict[str, Any], kind: type[EpstarError] = ProofRejected) -> None:
    with pytest.raises(kind):
        check_answer(document)
    with pytest.raises((check_proof.Refused, check_proof.Unreadable)):
        second(document)


def test_a_utility_is_checked_as_one() -> None:
    answer = _GAIN.distortion_at(loss="log(2)")
    document = _document(answer)
    *_, interval = check_answer(document)
    assert interval.lower.lower == answer.lower > 0
    assert interval.upper.upper == answer.upper
    assert second(document)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("lower", Decimal("0.9")),
        ("lower", "infinity"),
        ("lower_exact", "log(7)"),
        ("upper", Decimal("0.1")),
        ("upper_exact", "1/7"),
        ("unit", "distortion"),
        ("at", {"loss": "log(3)"}),
    ],
)
def test_an_answer_that_claims_more_than_its_proof_is_rejected_by_both(claim: str, value: object) -> None:
    document = copy.deepcopy(_document(_GAIN.distortion_at(loss="log(2)")))
    document[claim] = value
    _refused_by_both(document)


@pytest.mark.parametrize("digits", [9, 20, 40, 200])
def test_exact_ends_may_not_be_moved_however_little(digits: int) -> None:
    frontier = Frontier(DifferentialPrivacy(), Prior([".4", ".3", ".2", ".1"]), Hamming())
    for end, move in (("lower_exact", 1), ("upper_exact", -1)):
        document = _document(frontier.loss_at("1/5"))
        assert document[end] == "log(12)"
        document[end] = f"log({12 * 10**digits + move}/{10**digits})"
        _refused_by_both(document)


@pytest.mark.parametrize(("claim", "value"), [("lower", "9e-10"), ("lower_exact", "2.6e-10"), ("upper", "2e-10")])
def test_claims_in_small_units_are_measured_in_them(claim: str, value: str) -> None:
    costs = Matrix([["0", "1e-9"], ["1e-9", "0"]])
    document = _document(Frontier(DifferentialPrivacy(), Prior(["1/2", "1/2"]), costs).distortion_at(loss="log(3)"))
    document[claim] = value if claim.endswith("_exact") else Decimal(value)
    _refused_by_both(document)


def test_large_offsets_of_a_utility_hide_no_false_claim() -> None:
    plain = [[Rational(1), Rational(0)], [Rational(0), Rational(1)]]
    moved = [[str(entry + (-1) ** x * 10**100) for entry in row] for x, row in enumerate(plain)]
    frontier = Frontier(RenyiDifferentialPrivacy("3/2"), Prior(["1/2", "1/2"]), Gain(moved))
    document = _document(frontier.distortion_at(loss="1/2"))
    check_answer(document)
    second(document)
    document |= {"lower": document["upper"]}
    document["upper"] = Decimal("0.1")
    _refused_by_both(document)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("distortion", {"name": "hamming", "gain": [[1, 0], [0, 1], ["1/2", 0]]}),
        ("universe", {"size": 3, "graph": {"nodes": [0, 1, 2], "edges": []}}),
        ("universe", {"size": 7, "alphabet": [0, 1, 2]}),
        ("source", {"prior": ["1/2", "1/3", "1/6"], "everything": 3}),
        ("source", {"ball": {"center": ["1/2", "1/3", "1/6"], "radius": "1/10", "lower": 0}}),
        ("remark", "anything"),
        ("at", {"loss": "log(2)"}),
    ],
)
def test_a_problem_that_can_be_read_in_two_ways_is_refused_by_both(entry: str, value: object) -> None:
    document = _document(_GAIN.distortion_at(loss="log(2)"))
    document["proof"]["problem"][entry] = value
    _refused_by_both(document, InvalidInput)


def test_an_answer_that_claims_less_is_accepted_by_both() -> None:
    document = _document(_GAIN.distortion_at(loss="log(2)"))
    document |= {"lower": Decimal("0.1"), "upper": "infinity"}
    del document["upper_exact"]
    del document["lower_exact"]
    check_answer(document)
    second(document)


_WORST = Polytope([[1, -1, 0]], ["1/4"])


@pytest.mark.parametrize(
    ("notion", "source", "universe", "loss"),
    [
        (SibsonMutualInformation("1/2"), Everything(4), Databases(2, 2), 1),
        (SibsonMutualInformation(3), Everything(9), Databases(3, 2), 1),
        (SibsonMutualInformation(2), _WORST, None, 0),
        (SibsonMutualInformation("1/2"), _WORST, None, 0),
    ],
    ids=str,
)
def test_symmetric_and_constant_mechanisms_over_sets_of_priors(
    notion: Notion, source: Source, universe: Databases | None, loss: Number
) -> None:
    """The second checker must bound the supremum to the last digit: such answers use up all that is allowed."""
    distortion = Hamming() if universe is not None else Matrix([[0, 1], [1, 0], ["1/2", "1/3"]])
    assert second(_document(Frontier(notion, source, distortion, universe).distortion_at(loss)))


@pytest.mark.parametrize("level", ["infinity", "1e400", "1e-400"])
def test_levels_beyond_all_floats_survive_both_checkers(level: str) -> None:
    answer = Frontier(DifferentialPrivacy(), Prior(["2/3", "1/3"]), Hamming()).distortion_at(level)
    document = _document(answer)
    assert check_answer(document)[2].upper.upper == answer.upper
    second(document)


@pytest.mark.parametrize("distortion", ["log(2)", "x", "1/0"])
def test_a_distortion_is_a_fraction_for_both(distortion: str) -> None:
    document = _document(Frontier(DifferentialPrivacy(), Prior(["2/3", "1/3"]), Hamming()).loss_at("1/2"))
    document["at"] = {"distortion": distortion}
    _refused_by_both(document, InvalidInput)
