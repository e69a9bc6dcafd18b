"""No fault makes a checker accept a claim that contradicts what is known to be true.

What is known is the corpus itself: a claim that is attained where the untouched document excludes it, or excluded where
that attains it, is false. A faulty claim may be rejected, or accepted if it is true all the same; nothing else may
happen.
"""

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from tests.claims.campaign import bases, batch, judged
from tests.claims.corpus import contradict, solved
from tests.claims.falsify import shifted
from tests.claims.mutations import mutated
from tests.proofs.cases import PROBLEMS, name

from epstar.claims import Bracket, check
from epstar.errors import EpstarError
from epstar.proof_file.document import read_bracket


@dataclass
class Tally:
    """How falsified documents were judged."""

    accepted: int = 0
    rejected: int = 0


def accepted(document: object) -> Bracket | None:
    """Return the claims of a document if they hold."""
    try:
        bracket = read_bracket(document)
        check(bracket)
    except EpstarError:
        return None
    return bracket


def assert_possible(found: Bracket, truth: Bracket, where: str) -> None:
    """Check that accepted claims do not contradict those that are known to be true."""
    for attained, excluded in ((found.attained, truth.excluded), (truth.attained, found.excluded)):
        if attained is not None and excluded is not None:
            assert not contradict(attained, excluded), where


def campaign(seeds: range) -> Tally:
    tally = Tally()
    for seed in seeds:
        generator = random.Random(seed)
        number = seed % len(PROBLEMS)
        others = [solved(generator.randrange(len(PROBLEMS))).document for _ in range(2)]
        found = accepted(mutated(solved(number).document, others, generator))
        if found is None:
            tally.rejected += 1
        else:
            tally.accepted += 1
            assert_possible(found, solved(number).bracket, f"problem {number}, seed {seed}")
    return tally


def test_no_falsified_claim_is_accepted() -> None:
    tally = campaign(range(1000))
    # Some faults are harmless: a repeated share of nothing, a number that is not as tight.
    assert tally.rejected > 600
    assert tally.accepted > 20


@pytest.mark.full
def test_no_falsified_claim_is_accepted_in_a_long_campaign() -> None:
    assert campaign(range(1000, 60_000)).rejected > 30_000


def test_nothing_false_is_accepted_by_either_checker() -> None:
    """A slice of the campaign of `tests.claims.campaign`, judged by definition and not by the solver."""
    tally = batch(seed=10**6, count=1200)
    assert tally.false == []
    assert tally.errors == []
    assert sum(tally.drawn.values()) > 900
    # Some faults are harmless, and what is left is true.
    assert sum(tally.proven.values()) > 20


def test_the_definitions_agree_with_the_documents() -> None:
    """What is accepted is true by definition, and by definition a claim that is moved is false."""
    judgements = []
    for untouched in bases()[0]:
        document, known = untouched.document, untouched.world
        if known is None or "mechanism" not in document.get("attained", {}):
            continue
        assert judged(document, "attained", untouched) is not False
        if "excluded" in document:
            assert judged(document, "excluded", untouched) is True
        claim = document["attained"]
        if known.is_exact and claim["loss"] not in ("0", "infinity") and not claim["loss"].startswith("log(1)"):
            moved = {**document, "attained": {**claim, "loss": shifted(claim["loss"], -Fraction(1, 10**9))}}
            judgements.append(judged(moved, "attained", untouched))
    # A few mechanisms lose less than is claimed of them.
    assert judgements.count(False) > 0.8 * len(judgements) > 20


@pytest.mark.full
def test_nothing_false_is_accepted_in_a_long_campaign() -> None:
    for seed in range(10):
        tally = batch(seed, 2000)
        assert tally.false == []
        assert tally.errors == []


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_an_exact_claim_cannot_be_moved_at_all(number: int) -> None:
    found = solved(number)
    document = found.document
    width = found.proven.width
    for claim, end in (("excluded", 1), ("attained", -1)):
        if claim not in document or document[claim][found.problem.asks] == "infinity":
            continue
        value: str = document[claim][found.problem.asks]
        for move in (10.0**-30, 10.0**-9, 10.0**-3, 0.5):
            if move <= 4 * width:
                continue  # as loose as that the claim may be true
            moved = _moved(value, end, move)
            if moved is not None:
                changed: dict[str, Any] = {"schema": document["schema"], "problem": document["problem"]}
                changed[claim] = {**document[claim], found.problem.asks: moved}
                assert accepted(changed) is None, (claim, move)


def _moved(value: str, end: int, move: float) -> str | None:
    inner = Fraction(value[4:-1] if value.startswith("log(") else value)
    number = inner * (1 + end * Fraction(move)) if inner > 0 else inner + end * Fraction(move)
    if value.startswith("log("):
        return f"log({number})" if number > 0 else None
    return str(number)


def test_floats_are_not_numbers_of_a_proof() -> None:
    document = solved(62).document
    for claim in ("attained", "excluded"):
        changed = {**document, claim: {**document[claim], "loss": 3.091042453358316}}
        assert accepted(changed) is None


def test_another_parameter_of_the_notion_is_another_problem() -> None:
    document = solved(64).document
    assert document["problem"]["notion"]["delta"] == "1/10"
    changed = {
        **document,
        "problem": {**document["problem"], "notion": {**document["problem"]["notion"], "delta": "1/5"}},
    }
    assert accepted({key: changed[key] for key in ("schema", "problem", "excluded")}) is None
    changed["problem"]["notion"]["delta"] = "1/20"
    assert accepted({key: changed[key] for key in ("schema", "problem", "attained")}) is None


def test_an_unknown_field_is_refused_wherever_it_stands() -> None:
    document = solved(62).document
    for place in (
        document,
        document["problem"],
        document["attained"],
        document["excluded"],
        document["excluded"]["steps"][0],
    ):
        place["note"] = "believe me"
        assert accepted(document) is None
        del place["note"]
    assert accepted(document) is not None
