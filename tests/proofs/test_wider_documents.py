"""The second checker on wider questions and errors of statistics: genuine, false, malformed and costly documents."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from fractions import Fraction

import check_proof
import pytest
from tests.proofs.certificates import Document
from tests.proofs.test_check_proof import HAIR, changed, lies, mutations, verdict
from tests.proofs.wider_forgeries import (
    ALONE,
    ANSWERS,
    COSTLY,
    FALSE,
    FORGED,
    HAND_MADE,
    MALFORMED,
    OTHERS,
    STATISTICS,
    statistic,
)

from epstar.answer import answer
from epstar.answer_file import read_answer
from epstar.claims import check
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.problem_file import read_problem
from epstar.proof_file.document import read_bracket
from epstar.statistics.document import read_design


def proof_of(document: Document) -> Document:
    """Return the proof in an answer, or a proof itself."""
    found: Document = document.get("proof", document)
    return found


@pytest.mark.parametrize("name", ANSWERS)
def test_both_checkers_accept_wider_answers(name: str) -> None:
    document = ANSWERS[name]
    assert verdict(document) == "yes"
    if document["schema"] == "epstar/answer/2":
        read_answer(document)
    else:
        check(read_bracket(document))


@pytest.mark.parametrize("number", range(len(OTHERS)), ids=[other["name"] for other in OTHERS])
def test_both_checkers_accept_wider_answers_that_others_are_told_from(number: int) -> None:
    document = OTHERS[number]["answer"]
    assert verdict(document) == "yes"
    read_answer(document)


def test_a_question_whose_slack_is_out_of_reach_of_numbers_is_answered() -> None:
    """Next to a loss of zero normal distributions at some thresholds differ by less than any number that is written."""
    name = "secret-gaussian_differential_privacy-distortion"
    document = next(other["answer"] for other in OTHERS if other["name"] == name)
    question = {"schema": "epstar/problem/2", **document["proof"]["problem"], "at": document["at"]}
    found = answer(read_problem(question))
    assert found.lower <= document["upper"]
    assert document["lower"] <= found.upper <= document["upper"] + 1e-9


@pytest.mark.parametrize("name", STATISTICS)
def test_both_checkers_accept_answers_about_statistics(name: str) -> None:
    assert verdict(STATISTICS[name]) == "yes"
    read_design(STATISTICS[name])


@pytest.mark.parametrize("name", HAND_MADE)
def test_proofs_may_be_written_by_hand(name: str) -> None:
    assert verdict(HAND_MADE[name]) == "yes"


@pytest.mark.parametrize("name", ANSWERS)
def test_no_evidence_proves_a_wider_claim_that_is_false_by_a_hair(name: str) -> None:
    document, chance = proof_of(ANSWERS[name]), random.Random(name)
    for lie in lies(document):
        assert verdict(lie) != "yes"
        claim = "excluded" if lie["attained"] is document["attained"] else "attained"
        forged = list(mutations(lie[claim]))
        for evidence in chance.sample(forged, min(4, len(forged))):
            assert verdict({**lie, claim: evidence}) != "yes"


def false_errors(document: Document) -> Iterator[Document]:
    """Yield answers one of whose claims contradicts the other, which was verified."""
    attained, excluded = document["attained"], document["excluded"]
    plain = {**document, "lower": 0, "upper": "infinity"}
    yield {
        **plain,
        "excluded": {**excluded, "loss": attained["loss"], "error": str(Fraction(attained["error"]) + HAIR)},
    }
    yield {
        **plain,
        "attained": {**attained, "loss": excluded["loss"], "error": str(Fraction(excluded["error"]) - HAIR)},
    }


@pytest.mark.parametrize("name", STATISTICS)
def test_no_evidence_proves_an_error_that_is_false_by_a_hair(name: str) -> None:
    document, chance = STATISTICS[name], random.Random(name)
    for lie in false_errors(document):
        assert verdict(lie) != "yes"
        claim, part = (
            ("excluded", "certificate") if lie["attained"] is document["attained"] else ("attained", "mechanism")
        )
        forged = list(mutations(lie[claim][part]))
        for evidence in chance.sample(forged, min(20, len(forged))):
            assert verdict({**lie, claim: {**lie[claim], part: evidence}}) != "yes"


@pytest.mark.parametrize("number", range(len(OTHERS)), ids=[other["name"] for other in OTHERS])
def test_a_proof_of_another_problem_proves_nothing(number: int) -> None:
    """Another secret, limit, gain or further level: an answer apart from this one was found for that problem."""
    answer, other = OTHERS[number]["answer"], OTHERS[number]["other"]
    assert verdict(answer) == "yes"
    assert verdict({**answer, "proof": {**answer["proof"], "problem": other}}) != "yes"


@pytest.mark.parametrize(("name", "path", "value"), MALFORMED)
def test_malformed_documents_cannot_be_read(name: str, path: str, value: object) -> None:
    assert verdict(changed(HAND_MADE[name], path, value)) == "?"


@pytest.mark.parametrize(("name", "path", "value"), FALSE)
def test_false_documents_are_refused(name: str, path: str, value: object) -> None:
    assert verdict(changed(HAND_MADE[name], path, value)) == "no"


@pytest.mark.parametrize("name", FORGED)
def test_forged_documents_are_refused(name: str) -> None:
    assert verdict(FORGED[name]) != "yes"


def test_the_package_refuses_a_price_below_nothing() -> None:
    with pytest.raises(ProofRejected):
        read_design({**ALONE, "method": "", "theorem": "", "status": ""})


def test_the_package_refuses_errors_of_more_than_a_statistic() -> None:
    """Neither further guarantees nor a secret come into the claims about an error."""
    document = HAND_MADE["sets"]
    read_design(document)
    also = {"also": [{"notion": {"name": "differential_privacy"}, "loss": "0"}]}
    for more in (also, {"secret": {"given": [["1", "0"], ["0", "1"]]}}):
        with pytest.raises(InvalidInput, match="goes with no secret"):
            read_design({**document, "problem": {**document["problem"], **more}})
    with pytest.raises(ProofRejected, match="Nothing is claimed"):
        read_design(statistic())


def test_the_package_does_not_write_out_what_far_inputs_may_differ_by() -> None:
    """A few bytes name a distance whose power of e^loss would fill the memory."""
    far = {"metric": [["0", "100000000000"], ["100000000000", "0"]]}
    with pytest.raises(Undecided):
        read_design({**HAND_MADE["rays"], "problem": {**HAND_MADE["rays"]["problem"], "universe": far}})


@pytest.mark.parametrize("name", COSTLY)
def test_the_work_is_bounded_by_the_size_of_the_document(name: str) -> None:
    started = time.process_time()
    assert verdict(COSTLY[name]) == "?"
    assert check_proof.Work.left < 0
    assert time.process_time() - started < 30


def test_the_normal_law_is_enclosed() -> None:
    """One half at 0; the quantiles of a table, to the digits that stand there; far out it is small, and known."""
    check_proof.Work.left = 10**7
    check_proof.use_digits()
    assert check_proof.normal(Fraction(0)) == (Fraction(1, 2), Fraction(1, 2))
    for p, digits in ((Fraction(975, 1000), "1.959963984540054"), (Fraction(1, 10**6), "-4.753424308822899")):
        least, most = (check_proof.normal(Fraction(digits) + sign * Fraction(1, 10**15)) for sign in (-1, 1))
        assert least[1] <= p <= most[0]
        assert least[1] - least[0] < HAIR
    for x in (-12, -40, -150, -300):
        low, high = check_proof.normal(Fraction(x))
        density = check_proof.exp(Fraction(-x * x, 2), Fraction(-x * x, 2))
        # Mills' ratio: the tail lies between x / (x^2 + 1) and 1 / x of the density.
        assert 0 <= low <= high <= density[1]
        assert low == 0 or density[0] * Fraction(-x, x * x + 1) / 3 < low


@pytest.mark.full
@pytest.mark.parametrize("name", ANSWERS)
def test_mutations_of_evidence_never_prove_what_is_false(name: str) -> None:
    document, chance = proof_of(ANSWERS[name]), random.Random(name)
    for lie in lies(document):
        claim = "excluded" if lie["attained"] is document["attained"] else "attained"
        forged = list(mutations(lie[claim]))
        for evidence in chance.sample(forged, min(300, len(forged))):
            assert verdict({**lie, claim: evidence}) != "yes"
