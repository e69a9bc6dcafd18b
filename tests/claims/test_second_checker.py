"""The second checker, which shares no code with epstar, accepts every claim of the corpus, and no false one."""

import json
import random
from collections.abc import Iterator
from typing import Any

import check_proof
import pytest
from tests.claims import forged_attained, forged_claims, forged_regions, forged_wholes, forged_wider
from tests.claims.certificates import CERTIFICATES
from tests.claims.corpus import solved
from tests.claims.forged_readings import MALFORMED
from tests.claims.mutations import mutated
from tests.claims.test_falsified import accepted, assert_possible
from tests.proofs.cases import PROBLEMS, name, second
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.forgeries import FORGED
from tests.proofs.test_check_proof import FALSE, WRONG, changed, lies

from epstar.claims import Bracket
from epstar.json_document import parse_json
from epstar.proof_file.document import read_bracket, write_bracket

Json = dict[str, Any]
# Refused by the second checker for what it would cost, which the package affords.
BEYOND_A_LIMIT = {"no common denominator", "many databases", "a large exponent"}
FORGED_FOR_THE_PACKAGE = {
    **{
        name: document
        for module in (forged_attained, forged_claims, forged_regions, forged_wholes, forged_wider)
        for name, document in module.UNTRUE.items()
    },
    **MALFORMED,
}


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


def documents() -> Iterator[tuple[str, Json]]:
    """Yield the proofs of these tests and of those of the second checker, true and false ones."""
    yield from HAND_MADE.items()
    yield from ((f"genuine {k}", document) for k, document in enumerate(GENUINE))
    yield from ((c.name, write_bracket(Bracket(c.setting, None, c.claim))) for c in CERTIFICATES)
    yield from ((key, document) for key, document in FORGED.items() if document.get("schema") == "epstar/proof/2")
    yield from ((f"{key} {path}", changed(HAND_MADE[key], path, value)) for key, path, value in FALSE)
    yield from ((f"{path} {value}", changed(SPREAD, path, value)) for path, value in WRONG)
    yield from (("a lie", lie) for document in HAND_MADE.values() for lie in lies(document))


def test_both_checkers_give_the_same_verdict() -> None:
    ours = {}
    for key, document in documents():
        text = json.dumps(document)
        ours[key], theirs = accepted(parse_json(text)) is not None, judged(document)
        if key not in BEYOND_A_LIMIT:
            assert ours[key] == theirs, f"{key}: the package says {ours[key]}, the second checker {theirs}"
    assert sum(ours.values()) > 100
    assert len(ours) - sum(ours.values()) > 200


@pytest.mark.parametrize("key", FORGED_FOR_THE_PACKAGE)
def test_it_refuses_what_was_forged_for_the_package(key: str) -> None:
    assert not judged(FORGED_FOR_THE_PACKAGE[key])
