"""Every answer of the corpus becomes claims that hold, as tight as the evidence that they were made of."""

import json

import pytest
from tests.claims.corpus import contradict, solved
from tests.proofs.cases import PROBLEMS, name
from tests.proofs.schema_one import write_proof

from epstar.claims import check
from epstar.exact import Interval
from epstar.proof_file.document import read_bracket, write_bracket

# More than two roundings of a claimed number, which has forty-five digits.
HAIR = 1e-30


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_claims_hold_and_are_as_tight_as_their_evidence(number: int) -> None:
    found = solved(number)
    check(found.bracket)
    problem = found.problem
    claimed = Interval(
        found.bracket.lower(problem.asks, problem.given), found.bracket.upper(problem.asks, problem.given)
    )
    if found.proven.lower.is_infinite:
        assert claimed.lower.is_infinite
        return
    assert claimed.lower <= found.proven.lower
    assert claimed.upper >= found.proven.upper
    # What was exact stays exact.
    assert claimed.width <= (found.proven.width + HAIR if found.proven.width > 0 else 0.0)
    if "value" in PROBLEMS[number]:
        tolerance = PROBLEMS[number]["tol"]
        assert claimed.lower.lower - tolerance <= PROBLEMS[number]["value"] <= claimed.upper.upper + tolerance


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_a_document_says_the_same_as_the_claims(number: int) -> None:
    document = solved(number).document
    bracket = read_bracket(document)
    assert json.loads(json.dumps(write_bracket(bracket))) == document
    check(bracket)
    if bracket.attained is not None and bracket.excluded is not None:
        assert not contradict(bracket.attained, bracket.excluded)


def test_documents_are_no_longer_than_half_as_long_again_as_multipliers_were() -> None:
    from epstar.frontier import Frontier
    from epstar.problem_file import read_problem

    before = after = 0
    for number in range(0, len(PROBLEMS), 3):
        proof = Frontier.answer(read_problem(PROBLEMS[number]["problem"])).proof
        before += len(json.dumps(write_proof(proof)))
        after += len(json.dumps(solved(number).document))
    assert after <= 1.5 * before
