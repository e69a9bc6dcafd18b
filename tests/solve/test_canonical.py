"""Tables that are Hamming distortion in disguise have its answers, in their own units."""

import pytest
from tests.proofs.cases import second

from epstar.answer_file import write_answer
from epstar.completion import Proof
from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MinEntropyCapacity,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Everything, Hull, Prior, Source

_NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    MaximalLeakage(),
    MutualInformation(),
    SibsonMutualInformation(2),
    RenyiDifferentialPrivacy(2),
    Identifiability(),
]
_PRIOR = Prior(["1/2", "3/10", "1/5"])


def _table(truth: Rational, error: Rational) -> list[list[Rational]]:
    return [[truth if x == y else error for y in range(3)] for x in range(3)]


def _agrees(answer: Answer) -> None:
    second(write_answer(answer))


@pytest.mark.parametrize("notion", _NOTIONS, ids=str)
def test_a_scaled_and_shifted_table_has_the_answers_of_hamming_distortion(notion: Notion) -> None:
    plain, scaled = (Frontier(notion, _PRIOR, kind) for kind in (Hamming(), Matrix(_table(Rational(2), Rational(7)))))
    gain = Frontier(notion, _PRIOR, Gain(_table(Rational(3), Rational(1))))
    loss = plain.loss_at(distortion="1/4")
    for answer in (scaled.loss_at(distortion="13/4"), gain.loss_at(distortion="-5/2")):
        assert (answer.lower, answer.upper, answer.method) == (loss.lower, loss.upper, loss.method)
        assert answer.proof.check().width <= max(1e-30, loss.interval.width)
        _agrees(answer)
    least = plain.distortion_at(loss="log(3)").interval
    found = scaled.distortion_at(loss="log(3)")
    assert found.interval.width <= max(1e-12, 6 * least.width)
    assert abs(float(found.interval.lower) - 2 - 5 * float(least.lower)) < 1e-12
    utility = gain.distortion_at(loss="log(3)")
    assert abs(float(utility.interval.upper) - 3 + 2 * float(least.lower)) < 1e-12
    _agrees(found)
    _agrees(utility)


@pytest.mark.parametrize(
    ("source", "distortion", "given", "expected"),
    [
        (Everything(2), Gain([[0, -1], [-1, 0]]), "1/20", "log(181/100)"),
        (Hull([["3/5", "2/5"], ["3/7", "4/7"]]), Absolute(), "1/8", "log(25/16)"),
    ],
)
def test_closed_forms_are_found_behind_other_names(
    source: Source, distortion: Distortion, given: str, expected: str
) -> None:
    answer = Frontier(SibsonMutualInformation(2), source, distortion).loss_at(distortion=given)
    assert answer.method == "closed form"
    assert answer.interval.width < 1e-12
    assert answer.interval.lower <= Real.of(expected) <= answer.interval.upper


@pytest.mark.parametrize(
    ("named", "plain"),
    [
        (RenyiDifferentialPrivacy("infinity"), DifferentialPrivacy()),
        (SibsonMutualInformation("infinity"), MaximalLeakage()),
        (MinEntropyCapacity(), MaximalLeakage()),
        (SibsonMutualInformation(1), MutualInformation()),
    ],
)
def test_a_notion_under_another_name_has_its_closed_forms(named: Notion, plain: Notion) -> None:
    for source in (Prior(["2/5", "3/10", "1/5", "1/10"]), Everything(4)):
        first, second = (Frontier(notion, source, Hamming()) for notion in (named, plain))
        losses = [frontier.loss_at(distortion="3/10") for frontier in (first, second)]
        least = [frontier.distortion_at(loss="log(2)") for frontier in (first, second)]
        for one, other in (losses, least):
            assert (one.lower, one.upper, one.method) == (other.lower, other.upper, other.method)
            assert one.proof.problem.notion == named
            _agrees(one)


def test_a_refusal_is_about_the_question_asked() -> None:
    costs = Matrix(_table(Rational(2), Rational(7)))
    with pytest.raises(NoSolution) as refused:
        Frontier(Identifiability(), _PRIOR, costs).distortion_at(loss="1/10")
    witness = refused.value.witness
    assert isinstance(witness, Proof)
    assert witness.problem.distortion == costs
    assert witness.check().lower.is_infinite
    with pytest.raises(NoSolution, match="at most 1"):
        Frontier(DifferentialPrivacy(), _PRIOR, costs).loss_at(distortion=1)
