"""Witnesses in words, the catalogue of notions and the program of a question."""

from typing import Any

import pytest
from tests.web.live import ASKED

from epstar.catalogue import catalogue, usual_notions
from epstar.mechanism import Mechanism
from epstar.notions import NOTIONS, DifferentialPrivacy, Notion
from epstar.problem_file import read_problem
from epstar.source import Box, Prior
from epstar.universe import Alphabet
from epstar.web.code import program
from epstar.web.sentences import explain

COIN = Mechanism([["3/4", "1/4"], ["1/8", "7/8"]], Alphabet(["yes", "no"]))
OPEN = Mechanism([["1", "0"], ["1/8", "7/8"]], Alphabet(["yes", "no"]))
BOX = Box(["2/5", "2/5"], ["3/5", "3/5"])


@pytest.mark.parametrize("notion", list(usual_notions()), ids=lambda notion: notion.name)
def test_every_notion_explains_itself(notion: Notion) -> None:
    for mechanism in (COIN, OPEN):
        sentence = explain(notion, notion.loss(mechanism, BOX), mechanism, law_is_known=False)
        assert sentence.endswith(".")
        assert "{" not in sentence
        assert "output seen" not in sentence
        assert "input itself" not in sentence


def test_the_sentence_says_what_the_numbers_are() -> None:
    loss = DifferentialPrivacy().loss(COIN)
    assert explain(DifferentialPrivacy(), loss, COIN, True) == (
        "The output “yes” is 6 times as likely for the input “yes” as for “no”."
    )
    infinite = DifferentialPrivacy().loss(OPEN)
    assert explain(DifferentialPrivacy(), infinite, OPEN, True) == (
        "The output “no” can occur for the input “no” and never for “yes”."
    )


def test_the_worst_law_is_named_where_there_is_a_choice() -> None:
    notion = NOTIONS["mutual_information"]()
    assert "if the frequencies are" in explain(notion, notion.loss(COIN, BOX), COIN, law_is_known=False)
    known = Prior(["1/2", "1/2"])
    assert "if the frequencies" not in explain(notion, notion.loss(COIN, known), COIN, law_is_known=True)


def test_nothing_lost_is_said_plainly() -> None:
    constant = Mechanism([["1/2", "1/2"], ["1/2", "1/2"]])
    loss = DifferentialPrivacy().loss(constant)
    assert explain(DifferentialPrivacy(), loss, constant, True).startswith("The output says nothing")


def test_the_catalogue_holds_every_notion_with_a_question() -> None:
    shown = catalogue()
    assert [entry.name for entry in shown] == list(NOTIONS)
    assert all(str(entry.question).endswith(("?", ".")) for entry in shown)


@pytest.mark.parametrize(
    "universe",
    [
        {"graph": {"nodes": ["a", "b", "c", "d"], "edges": [["a", "b"], ["b", "c"], ["c", "d"]]}},
        {"metric": [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]},
        {"databases": {"size": 2, "rows": 2}},
        {"query": {"name": "average", "individuals": 3, "values": 2}},
    ],
)
def test_the_program_builds_the_same_question(universe: dict[str, object]) -> None:
    problem = read_problem({**ASKED, "universe": universe})
    text = program(problem).split("answer = ")[0]
    scope: dict[str, Any] = {}
    exec(compile(text, "program", "exec"), scope)
    frontier = scope["frontier"]
    assert frontier.universe == problem.universe
    assert frontier.source == problem.source
