"""No claim about a mechanism over a region of distributions is accepted that is false at one of them."""

from __future__ import annotations

import json
from typing import Any

import check_proof
import pytest
from tests.claims.campaign import CHECKERS, Base
from tests.claims.forged_regions import TRUE, UNTRUE
from tests.claims.regions import BATCH, batch


@pytest.mark.parametrize("name", TRUE)
def test_a_cover_that_is_one_is_believed(name: str) -> None:
    assert [who for who, accepts in CHECKERS.items() if accepts(TRUE[name], Base(TRUE[name]))] == [*CHECKERS]


@pytest.mark.parametrize("name", UNTRUE)
def test_a_cover_that_is_none_is_not(name: str) -> None:
    assert [who for who, accepts in CHECKERS.items() if accepts(UNTRUE[name], Base(UNTRUE[name]))] == []


def test_an_output_of_less_than_no_probability_is_refused_and_not_misread() -> None:
    with pytest.raises(check_proof.Refused, match="loses more"):
        check_proof.check(json.dumps(UNTRUE["an envelope below nothing"]).encode())


def test_nothing_false_is_accepted_over_regions() -> None:
    """A slice of the campaign of `tests.claims.regions`."""
    tally = batch(seed=10**6, count=400, each=8)
    assert tally.false == []
    assert tally.errors == []
    assert sum(tally.drawn.values()) >= 400
    # The documents that false ones are made from hold, and are as tight as can be.
    assert sum(tally.held.values()) > 0.8 * sum(tally.true.values()) > 30
    assert sum(tally.tight.values()) > 0.7 * sum(tally.true.values())


def test_the_campaign_finds_parts_that_leave_something_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = check_proof.Source.corners

    def corners(source: check_proof.Source, *_: Any) -> list[check_proof.Law]:
        return whole(source)

    monkeypatch.setattr(check_proof.Source, "corners", corners)
    tally = batch(seed=10**6, count=200, each=10, names=["min-entropy leakage"], kinds=["ball", "box"])
    assert len(tally.false) > 10
    assert {who for found in tally.false for who in found["by"]} == {"second"}


@pytest.mark.full
def test_nothing_false_is_accepted_over_regions_in_a_long_campaign() -> None:
    for seed in range(10):
        tally = batch(seed, BATCH)
        assert tally.false == []
        assert tally.errors == []
