"""An end of an answer that cannot be checked is claimed a little wider, or left open; the other one stays."""

from __future__ import annotations

import math

import pytest

from epstar import answer as answers
from epstar.claims import Attained, Excluded, Setting, check_attained
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.source import Prior

FRONTIER = Frontier(DifferentialPrivacy(), Prior(["1/2", "1/3", "1/6"]), Hamming())
KNOWN = FRONTIER.loss_at("1/4")


def _reject(_: Setting, __: Attained | Excluded) -> None:
    raise ProofRejected("Never.")


def test_a_number_that_cannot_be_checked_is_claimed_a_little_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KNOWN.interval.upper

    def check(setting: Setting, claim: Attained) -> None:
        if claim.loss <= known * Real.of("1.00000000000000000001"):
            raise ProofRejected("Too near.")
        check_attained(setting, claim)

    monkeypatch.setattr(answers, "check_attained", check)
    found = FRONTIER.loss_at("1/4")
    assert known < found.interval.upper < known * Real.of("1.0000000000001")
    assert str(found.interval.lower) == str(KNOWN.interval.lower)
    assert found.mechanism == KNOWN.mechanism


def test_an_end_that_cannot_be_checked_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "check_attained", _reject)
    found = FRONTIER.loss_at("1/4")
    assert math.isinf(found.upper)
    assert found.mechanism is None
    assert found.claims.attained is None
    assert str(found.interval.lower) == str(KNOWN.interval.lower)


def test_a_loss_of_which_nothing_is_excluded_is_not_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "check_excluded", _reject)
    found = FRONTIER.loss_at("1/4")
    assert found.interval.lower.rational == 0
    assert str(found.interval.upper) == str(KNOWN.interval.upper)
    monkeypatch.setattr(answers, "check_attained", _reject)
    with pytest.raises(ProofRejected):
        FRONTIER.loss_at("1/4")
