"""Rows whose distributions a hull holds: what they are mixtures of is shown to checkers that do not search."""

from __future__ import annotations

import json
from typing import Any

import check_proof
import pytest

from epstar.answer import answer
from epstar.answer_file import read_answer, write_answer
from epstar.errors import InvalidInput
from epstar.problem_file import read_problem

HULL = {"hull": [["1/5", "4/5"], ["3/5", "2/5"]]}
OTHER = {"hull": [["1/3", "2/3"], ["3/4", "1/4"]]}
SOURCES: dict[str, dict[str, Any]] = {
    "shared": {"rows": HULL},
    "apart": {"rows": HULL, "iid": False},
    "several": {"rows": [HULL, OTHER]},
    "known": {"rows": [HULL, {"prior": ["1/4", "3/4"]}]},
    "listed": {"rows": [{"finite": HULL["hull"]}, OTHER]},
}
NOTIONS: tuple[dict[str, Any], ...] = (
    {"name": "differential_privacy"},
    {"name": "mutual_information"},
    {"name": "capacity"},
    {"name": "sibson_mutual_information", "order": 2},
    {"name": "maximal_leakage"},
    {"name": "maximal_information"},
    {"name": "min_entropy_leakage"},
)


def asked(source: dict[str, Any], notion: dict[str, Any], cost: str) -> dict[str, Any]:
    databases = {"databases": {"size": 2, "rows": 2}}
    return {"notion": notion, "universe": databases, "source": source, "distortion": {"name": cost}}


@pytest.mark.parametrize("cost", ["hamming", "absolute"])
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_both_checkers_accept_what_is_excluded(source: dict[str, Any], notion: dict[str, Any], cost: str) -> None:
    found = answer(read_problem({**asked(source, notion, cost), "at": {"loss": "1/4"}}))
    written = json.loads(json.dumps(write_answer(found)))
    assert check_proof.check(json.dumps(written).encode())
    assert read_answer(written).lower == found.lower


def shown() -> dict[str, Any]:
    question = asked(SOURCES["several"], {"name": "differential_privacy"}, "hamming")
    found = json.loads(json.dumps(write_answer(answer(read_problem({**question, "at": {"loss": "1/4"}})))))
    assert found["proof"]["excluded"]["members"]
    return dict(found)


def test_what_is_no_mixture_of_the_hull_is_refused() -> None:
    document = shown()
    excluded = document["proof"]["excluded"]
    members = excluded.pop("members")
    forged = [
        [],
        members[:1],  # the other hull may hold something else
        [[["1", ["1/2", "1/2"]]]],  # of itself, which no hull lists
        [[["2", ["1/4", "3/4"]], ["-1", ["0", "1"]]]],
        [[["1/2", ["0", "1"]], ["1/2", ["1", "0"]]]],
    ]
    for other in forged:
        excluded["members"] = other
        with pytest.raises((check_proof.Refused, check_proof.Unreadable)):
            check_proof.check(json.dumps(document).encode())
    excluded["members"] = [*members, *forged[2]]
    assert check_proof.check(json.dumps(document).encode())


def test_what_one_document_shows_is_not_known_to_the_next() -> None:
    document = shown()
    assert check_proof.check(json.dumps(document).encode())
    del document["proof"]["excluded"]["members"]
    with pytest.raises(check_proof.Refused, match="not in the source"):
        check_proof.check(json.dumps(document).encode())


@pytest.mark.parametrize("members", [[[]], [[["1"]]], [[["1", "2"]]], "1", [[["1", ["1/2", "1/3"]]]]], ids=str)
def test_what_is_malformed_cannot_be_read(members: object) -> None:
    document = shown()
    document["proof"]["excluded"]["members"] = members
    with pytest.raises(check_proof.Unreadable):
        check_proof.check(json.dumps(document).encode())


def test_members_are_mixtures_to_the_package_too() -> None:
    document = shown()
    document["proof"]["excluded"]["members"] = [[["1", "2"]]]
    with pytest.raises(InvalidInput):
        read_answer(document)
