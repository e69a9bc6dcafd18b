"""The explorer of a notebook: what it is asked, what it answers, and that nothing else is shown."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from epstar import Frontier, Limits, MissingExtra
from epstar.distortion import Gain
from epstar.exact import Real
from epstar.notebook.explorer import Explorer
from epstar.source import Everything

ANSWERS = {"never": "2/5", "sometimes": "3/10", "often": "1/5", "always": "1/10"}


def opened(**changes: Any) -> Explorer:
    """An explorer that is asked something else after it was opened."""
    explorer: Explorer = Frontier("dp", ANSWERS, "hamming").explore(distortion="1/5")
    explorer.question = {**explorer.question, **changes}
    return explorer


def loss(explorer: Explorer) -> Real:
    """What the answer says that is shown."""
    assert explorer.answer is not None
    return explorer.answer.interval.upper


def test_it_opens_with_an_answer_a_curve_and_a_mechanism() -> None:
    explorer = opened()
    assert explorer.labels == list(ANSWERS)
    assert str(loss(explorer)) == "log(12)"
    assert "log(12)" in explorer.shown["value"]
    assert "by a factor of at most 12" in explorer.shown["risk"]
    assert explorer.shown["matrix"][0] == pytest.approx([0.8, 0.2 / 3, 0.2 / 3, 0.2 / 3])
    assert explorer.curve["jumps"] == [[0.6, pytest.approx(0.2876820724), 0.0]]
    assert explorer.curve["is_joined"] is True
    # All that is sent to the browser can be.
    assert json.loads(json.dumps(explorer.get_state(), default=str))["labels"] == list(ANSWERS)


def test_what_is_shown_is_the_answer_of_the_library() -> None:
    explorer = opened(shares=["1/4", "1/4", "1/4", "1/4"], notion="mutual_information", distortion="1/2")
    same = Frontier("information", ["1/4"] * 4, "hamming").loss_at("1/2")
    assert loss(explorer).upper == same.interval.upper.upper
    assert explorer.shown["question"] == explorer.question
    assert explorer.frontier.notion.name == "mutual_information"
    assert explorer.frontier.universe.labels == tuple(ANSWERS)


def test_another_point_keeps_the_curve_and_another_question_has_its_own() -> None:
    explorer = opened()
    drawn = []
    explorer.observe(lambda change: drawn.append(change["new"]["question"]), "curve")
    explorer.question = {**explorer.question, "distortion": "1/3"}
    assert drawn == []
    explorer.question = {**explorer.question, "notion": "maximal_leakage"}
    assert [question["notion"] for question in drawn] == ["maximal_leakage"]


def test_every_notion_that_is_offered_is_answered() -> None:
    quick = ("approximate_differential_privacy", "maximal_leakage", "identifiability", "min_entropy_capacity")
    assert {entry["name"] for entry in opened().notions} > set(quick)
    for name in quick:
        assert opened(notion=name).shown["status"] == "proven"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"distortion": "-1"}, "No mechanism has a distortion of at most -1"),
        ({"distortion": "much"}, "'much'"),
        ({"distortion": None}, "is not a distortion; write a number such as 0.2 or '1/5'"),
        ({"notion": "secrecy"}, "secrecy"),
        ({"shares": ["1", "-1", "1", "0"]}, "weights that are at least 0"),
        ({"shares": ["1"]}, "1 inputs and the universe has 4"),
    ],
)
def test_what_cannot_be_answered_has_a_sentence_and_no_answer(changes: dict[str, Any], sentence: str) -> None:
    explorer = opened(**changes)
    assert sentence in explorer.shown["problem"]
    assert explorer.answer is None
    assert "matrix" not in explorer.shown
    # A way back.
    explorer.question = opened().question
    assert str(loss(explorer)) == "log(12)"


def test_conditions_and_gains_travel_with_the_frontier() -> None:
    capped = Frontier("dp", ["1/2", "1/2"], "hamming", limits=Limits(upper="2/3")).explore(distortion="2/5")
    assert capped.frontier.limits == Limits(upper="2/3")
    assert max(max(row) for row in capped.shown["matrix"]) <= 2 / 3
    useful = Frontier("dp", ["1/2", "1/2"], Gain([[1, 0], [0, 1]])).explore(distortion="-3/4")
    assert useful.shown["place"][0] == 0.75
    assert useful.curve["axis"] == "utility"


def test_frequencies_that_are_not_known_have_no_sliders() -> None:
    explorer = Frontier("dp", Everything(3), "hamming").explore()
    assert (explorer.labels, explorer.question["shares"]) == ([], [])
    assert explorer.shown["status"] == "proven"


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "epstar.notebook.explorer", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingExtra, match=r"pip install 'epstar\[notebook\]'"):
        Frontier("dp", ANSWERS, "hamming").explore()
