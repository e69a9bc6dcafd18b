"""Questions at the edge: zeros, ties, single letters, nothing allowed and everything allowed."""

from __future__ import annotations

import math

import pytest
from tests.frontier.generated import width_limit
from tests.proofs.cases import checked_by_the_second
from tests.proofs.schema_one import write_proof

from epstar.completion import Proof, RowsProof
from epstar.completion.distances import DistanceProof
from epstar.distortion import Absolute, Hamming, Matrix
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import ONE, Number, Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Ball, Box, Finite, Hull, Polytope, Prior, Rows, Source

_NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/10", "pointwise"),
    RenyiDifferentialPrivacy(2),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(1),
    MutualInformation(),
    Capacity(),
    SibsonMutualInformation(2),
    MaximalLeakage(),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/20"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
    MinEntropyCapacity(),
]
_PRIOR = Prior(["1/2", "3/10", "1/5"])
every_notion = pytest.mark.parametrize("notion", _NOTIONS, ids=repr)
# The loss of the truthful mechanism under the prior above.
_TRUTHFUL = {
    "mutual_information": -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2)),
    "capacity": math.log(3),
    "sibson_mutual_information": 2 * math.log(math.sqrt(0.5) + math.sqrt(0.3) + math.sqrt(0.2)),
    "maximal_leakage": math.log(3),
    "maximal_information": math.log(5),
    "pointwise_leakage": math.log(5),
    "min_entropy_leakage": math.log(2),
    "min_entropy_capacity": math.log(3),
}


def _encloses(answer: Answer, value: float, tolerance: float = 0.0) -> bool:
    return answer.lower - tolerance <= value <= answer.upper + tolerance


@every_notion
def test_one_letter_has_nothing_to_hide(notion: Notion) -> None:
    frontier = Frontier(notion, Prior([1]), Hamming())
    assert frontier.loss_at(distortion=0).upper == 0.0
    assert frontier.distortion_at(loss=0).upper == 0.0
    assert frontier.distortion_at(loss=3).upper == 0.0


@every_notion
def test_no_distortion_forces_the_truth(notion: Notion) -> None:
    answer = Frontier(notion, _PRIOR, Hamming()).loss_at(distortion=0)
    expected = _TRUTHFUL.get(notion.name, math.inf)
    assert answer.upper == pytest.approx(expected)
    assert answer.lower == pytest.approx(expected)


@every_notion
@pytest.mark.parametrize("distortion", ["1/2", 1, 7])
def test_a_constant_answer_is_enough(notion: Notion, distortion: Number) -> None:
    answer = Frontier(notion, _PRIOR, Hamming()).loss_at(distortion=distortion)
    # Identifiability starts from what the prior itself gives away.
    expected = math.log(5 / 2) if isinstance(notion, Identifiability) else 0.0
    assert _encloses(answer, expected, 1e-15)
    assert answer.interval.width <= 1e-15


@every_notion
@pytest.mark.parametrize("distortion", [-1, "-1e-30"])
def test_an_unreachable_distortion_has_no_solution(notion: Notion, distortion: Number) -> None:
    with pytest.raises(NoSolution, match=r"No mechanism has a distortion of at most -1.*\.") as refusal:
        Frontier(notion, _PRIOR, Hamming()).loss_at(distortion=distortion)
    assert isinstance(refusal.value.witness, Proof)
    assert refusal.value.witness.check().lower.is_infinite


_IMPOSSIBLE: list[Source] = [
    Prior(["1/2", "1/2", 0]),
    # Of the laws that are impossible for the last letter, none gives the first as much as another does.
    Hull([["1/2", "1/4", "1/4"], ["1/10", "9/10", 0]]),
    Box([0, 0, 0], [1, 1, 1]),
    Rows(Prior([1, 0]), 2),
    Rows([Prior(["1/3", "2/3"]), Prior([1, 0])]),
]


@pytest.mark.parametrize("source", _IMPOSSIBLE, ids=repr)
@pytest.mark.parametrize(("asks", "given"), [("loss_at", "1/10"), ("distortion_at", 5)])
def test_next_to_an_impossible_letter_every_mechanism_is_identifiable(source: Source, asks: str, given: object) -> None:
    frontier = Frontier(Identifiability(), source, Hamming())
    with pytest.raises(NoSolution, match="infinitely identifiable") as refusal:
        getattr(frontier, asks)(given)
    proof = refusal.value.witness
    assert isinstance(proof, Proof | RowsProof)
    assert proof.check().lower.is_infinite
    assert checked_by_the_second(write_proof(proof))[0] == math.inf
    # A loss without bound allows the truth.
    assert frontier.distortion_at(math.inf).upper == 0.0


@pytest.mark.parametrize("notion", [MaximalLeakage(), SibsonMutualInformation(2)], ids=repr)
def test_fewer_than_no_wrong_rows_are_impossible(notion: Notion) -> None:
    with pytest.raises(NoSolution, match="negative number of wrong rows") as refusal:
        Frontier(notion, Rows(Prior(["1/2", "1/2"]), 100), Hamming()).loss_at(-1)
    proof = refusal.value.witness
    assert isinstance(proof, DistanceProof)
    assert proof.check().lower.is_infinite
    assert checked_by_the_second(write_proof(proof))[0] == math.inf


@every_notion
def test_levels_from_nothing_to_everything(notion: Notion) -> None:
    frontier = Frontier(notion, _PRIOR, Hamming())
    if isinstance(notion, Identifiability):
        for level in (0, "1e-9", "0.9162907"):
            with pytest.raises(NoSolution, match="the prior alone gives away more"):
                frontier.distortion_at(loss=level)
    else:
        slack = Rational(1, 10) if isinstance(notion, ApproximateDifferentialPrivacy) else Rational(0)
        least = float(Real.of((1 - slack) / 2))
        nothing = frontier.distortion_at(loss=0)
        if not (isinstance(notion, LocalInformationPrivacy) and notion.delta > 0):
            assert _encloses(nothing, least, 1e-15)
        assert nothing.interval.width <= 1e-9
        tiny = frontier.distortion_at(loss="1e-9")
        assert tiny.lower <= nothing.upper
        assert tiny.interval.width <= width_limit(notion)
    for level in (30, 700):
        answer = frontier.distortion_at(loss=level)
        assert answer.lower == 0.0
        assert answer.upper <= 1e-12


@every_notion
def test_a_negative_level_is_refused(notion: Notion) -> None:
    with pytest.raises(InvalidInput, match="negative"):
        Frontier(notion, _PRIOR, Hamming()).distortion_at(loss=-1)


@every_notion
@pytest.mark.parametrize("prior", [["1/2", "1/2", 0], [1, 0, 0], ["1/3", "1/3", "1/3"]], ids=str)
def test_zeros_and_ties(notion: Notion, prior: list[object]) -> None:
    frontier = Frontier(notion, Prior(prior), Hamming())
    if isinstance(notion, Identifiability) and 0 in prior:
        with pytest.raises(NoSolution, match="positive probability"):
            frontier.loss_at(distortion="1/4")
        with pytest.raises(NoSolution, match="positive probability"):
            frontier.distortion_at(loss=2)
        return
    for answer in (frontier.loss_at(distortion="1/4"), frontier.distortion_at(loss=1)):
        assert answer.mechanism is not None
        assert answer.interval.width <= width_limit(notion)
    if prior[0] == 1:
        assert frontier.loss_at(distortion=0).upper == 0.0


@every_notion
@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_sources_that_hold_one_law_are_that_law(notion: Notion, asks: str) -> None:
    law = _PRIOR.probabilities
    fixed = [[*(ONE if x == y else Rational(0) for x in range(3))] for y in range(3)]
    same: list[Source] = [
        Finite([law]),
        Finite([law, law]),
        Hull([law]),
        Hull([law, law, law]),
        Box(law, law),
        Ball(law, 0),
        Polytope(fixed, list(law)),
    ]

    def ask(source: Source) -> Answer:
        frontier = Frontier(notion, source, Absolute())
        return frontier.loss_at(distortion="1/4") if asks == "loss" else frontier.distortion_at(loss="3/2")

    known = ask(_PRIOR)
    for source in same:
        answer = ask(source)
        assert answer.interval.width <= width_limit(notion)
        assert answer.lower <= known.upper
        assert known.lower <= answer.upper


@every_notion
def test_costs_that_do_not_depend_on_the_answer(notion: Notion) -> None:
    frontier = Frontier(notion, _PRIOR, Matrix([[1, 1], [1, 1], [1, 1]]))
    floor = math.log(5 / 2) if isinstance(notion, Identifiability) else 0.0
    assert _encloses(frontier.loss_at(distortion=1), floor, 1e-15)
    assert _encloses(frontier.distortion_at(loss=1), 1.0)
    with pytest.raises(NoSolution, match="allow more distortion"):
        frontier.loss_at(distortion="999/1000")


_COPIES_MATTER = ApproximateDifferentialPrivacy("1/10", "pointwise")


@pytest.mark.parametrize("notion", [notion for notion in _NOTIONS if notion != _COPIES_MATTER], ids=repr)
def test_copies_of_an_output_change_nothing(notion: Notion) -> None:
    once = Frontier(notion, _PRIOR, Matrix([[0, 1], [1, 0], [1, 1]]))
    twice = Frontier(notion, _PRIOR, Matrix([[0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]]))
    for distortion in ("3/10", "2/5"):
        first, second = once.loss_at(distortion=distortion), twice.loss_at(distortion=distortion)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


def test_copies_of_an_output_lower_the_pointwise_loss() -> None:
    once = Frontier(_COPIES_MATTER, _PRIOR, Matrix([[0, 1], [1, 0], [1, 1]]))
    twice = Frontier(_COPIES_MATTER, _PRIOR, Matrix([[0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]]))
    assert twice.loss_at(distortion="3/10").upper < once.loss_at(distortion="3/10").lower
