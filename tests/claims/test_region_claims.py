"""No claim about a mechanism over a region of distributions is accepted that is false at one of them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import check_proof
import pytest
from tests.claims import forged_covers, forged_regions
from tests.claims.campaign import CHECKERS, Base
from tests.claims.regions import BATCH, batch

TRUE = {**forged_regions.TRUE, **forged_covers.TRUE}
UNTRUE = {**forged_regions.UNTRUE, **forged_covers.UNTRUE}


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


def test_the_campaign_finds_covers_that_leave_something_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def believing(corners: list[list[Any]], *_: Any) -> list[check_proof.Law]:
        return [tuple(map(Fraction, point)) for point, *_ in corners]

    monkeypatch.setattr(check_proof, "held_by", believing)
    tally = batch(seed=10**6, count=600, each=40, names=["pointwise leakage"], kinds=["ball", "box", "polytope"])
    assert len(tally.false) > 4
    assert {who for found in tally.false for who in found["by"]} == {"second"}


@pytest.mark.full
def test_nothing_false_is_accepted_over_regions_in_a_long_campaign() -> None:
    for seed in range(10):
        tally = batch(seed, BATCH)
        assert tally.false == []
        assert tally.errors == []
