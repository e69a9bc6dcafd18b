"""The second checker, which shares no code with epstar, accepts every claim of the corpus, and no false one."""

import json
import random

import check_proof
import pytest
from tests.claims.corpus import solved
from tests.claims.mutations import mutated
from tests.claims.test_falsified import accepted, assert_possible
from tests.proofs.cases import PROBLEMS, name, second

from epstar.claims.document import read_bracket


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_it_accepts_the_claims(number: int) -> None:
    found = second(solved(number).document)
    assert len(found) == len({"attained", "excluded"} & set(solved(number).document))


def judged(document: object) -> bool:
    """Return whether the second checker accepts a document; nothing but its own errors may happen."""
    try:
        check_proof.check(json.dumps(document).encode())
    except (check_proof.Refused, check_proof.Unreadable):
        return False
    return True


def test_it_accepts_no_false_claim_and_agrees_with_epstar() -> None:
    ours, theirs, both = 0, 0, 0
    for seed in range(5000, 5400):
        generator = random.Random(seed)
        number = seed % len(PROBLEMS)
        others = [solved(generator.randrange(len(PROBLEMS))).document for _ in range(2)]
        document = mutated(solved(number).document, others, generator)
        is_ours, is_theirs = accepted(document) is not None, judged(document)
        ours, theirs, both = ours + is_ours, theirs + is_theirs, both + (is_ours and is_theirs)
        if is_theirs:
            assert_possible(read_bracket(document), solved(number).bracket, f"problem {number}, seed {seed}")
    # They may differ where one searches and the other needs a hint, or in the digits of an enclosure.
    assert both >= 0.8 * max(ours, theirs) > 10
