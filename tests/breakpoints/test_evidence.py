"""Breakpoints as documents: what is claimed of each is checked, and what follows is said in words."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from tests.claims.test_schemas import validator

from epstar.breakpoints import breakpoints
from epstar.breakpoints_file import SCHEMA, write_breakpoints
from epstar.cli.main import main
from epstar.distortion import Absolute, Hamming
from epstar.errors import EpstarError
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy, MaximalLeakage, MutualInformation, Notion
from epstar.problem import Problem
from epstar.proof_file.document import write_bracket
from epstar.source import Prior, Source
from epstar.statement import established
from epstar.universe import Alphabet

BENDS = (
    "So the least distortion bends here: as e^loss grows, it falls at a rate of {} or more before this point and of {} "
    "or less after it."
)
FOUR = Prior(["4/10", "3/10", "2/10", "1/10"])


def document(notion: Notion, source: Source = FOUR, **rest: Any) -> dict[str, Any]:
    problem = Problem(notion, source, rest.get("distortion", Hamming()), Alphabet(source.size), "loss", Real.of(0))
    written: dict[str, Any] = json.loads(json.dumps(write_breakpoints(problem, breakpoints(problem))))
    validator("breakpoints-1").validate(written)
    return written


def conclusions(found: dict[str, Any]) -> list[str]:
    """Return the last sentence about each breakpoint."""
    last: dict[str, str] = {}
    for sentence in established(found).sentences:
        name, _, said = sentence.partition(": ")
        last[name] = said
    return list(last.values())


def test_a_jump_is_two_claims_on_either_side() -> None:
    assert conclusions(document(DifferentialPrivacy())) == [
        "So the least distortion is 0.",
        "That the course of the least loss changes here (kink) was found in fractions, and is not proven.",
        "That the course of the least loss changes here (kink) was found in fractions, and is not proven.",
        "So the least loss jumps at the distortion 3/5 = 0.6.",
    ]


def test_a_kink_of_a_linear_notion_is_two_lines_that_support_it() -> None:
    # With r = e^loss letters, the likeliest ones are told: one more gains its probability.
    assert conclusions(document(MaximalLeakage())) == [
        "So the least distortion is 0.",
        BENDS.format("1/5", "1/10"),
        BENDS.format("3/10", "1/5"),
        "So the least distortion at which nothing need be lost is 3/5 = 0.6.",
    ]


def test_what_is_found_numerically_says_so() -> None:
    found = document(MutualInformation(), Prior(["1/2", "3/10", "1/5"]), distortion=Absolute())
    said = conclusions(found)
    assert said[0] == "So the least distortion is 0."
    # The scan finds it in floats, and the claims decide it.
    assert said[-1] == "So the least distortion at which nothing need be lost is 7/10 = 0.7."
    inner = [point for point in found["points"][1:-1] if "tolerance" in point]
    assert inner
    assert sum("was found numerically, and is not proven" in sentence for sentence in said) == len(inner)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((0, "below", "excluded", "distortion"), "1/100"),
        ((1, "at", "attained", "distortion"), "3/10"),
        ((1, "at", "excluded", "loss"), "log(4)"),
        ((1, "distortion"), "1/20"),
        ((1, "slopes", 0, "distortion"), "1/20"),
        ((1, "slopes", 0, "loss"), "log(7/2)"),
        ((1, "slopes", 0, "steps", 0, "sums", 0, 1), "1/7"),
        ((3, "below", "excluded", "distortion"), "2/3"),
        ((1, "kind"), "bend"),
        ((1, "note"), "added"),
        ((1, "slopes"), []),
        ((1, "tolerance"), [1]),
    ],
    ids=str,
)
def test_what_is_claimed_in_excess_is_not_believed(path: tuple[str | int, ...], value: object) -> None:
    changed = copy.deepcopy(document(MaximalLeakage()))
    place: Any = changed["points"]
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    with pytest.raises(EpstarError):
        established(changed)


def test_two_claims_of_one_slope_are_no_kink() -> None:
    changed = document(MaximalLeakage())
    changed["points"][1]["slopes"] = changed["points"][1]["slopes"][:1] * 2
    with pytest.raises(EpstarError, match="the same"):
        established(changed)


def test_the_command_line_writes_and_checks_them(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["curve", "--notion", "leakage", "--prior", "0.6,0.4", "--breakpoints", "--json"]) == 0
    file = tmp_path / "breakpoints.json"
    file.write_text(capsys.readouterr().out)
    assert main(["check", str(file)]) == 0
    assert "the least distortion is 0" in capsys.readouterr().out
    assert main(["curve", "--notion", "leakage", "--prior", "0.6,0.4", "--breakpoints", "--points", "3"]) == 2
    assert "leave out --points" in capsys.readouterr().err


def test_a_curve_that_falls_steeply_does_not_jump() -> None:
    frontier = Frontier(MutualInformation(), Prior(["1/2", "1/2"]), Hamming())
    at, below = (write_bracket(found.claims) for found in (frontier.loss_at("1/4"), frontier.distortion_at(loss="1/5")))
    parts: dict[str, Any] = {"at": {"attained": at["attained"]}, "below": {"excluded": below["excluded"]}}
    forged = {"schema": SCHEMA, "problem": at["problem"], "points": [{"kind": "jump", "distortion": "1/4", **parts}]}
    (said,) = conclusions(forged)
    assert said.startswith("So the least loss falls from above 1/5 = 0.2 to 0.130812035942 nats at most between")
    assert said.endswith("(jump) was found in fractions, and is not proven.")


_COIN = {"notion": {"name": "maximal_leakage"}, "source": {"prior": ["1/2", "1/2"]}, "distortion": {"name": "hamming"}}
_BOTH = {"laws": [["1", 0]], "rows": ["1/2", "1/2"]}


@pytest.mark.parametrize(
    ("least", "truth", "problem", "steps"),
    [
        ("0", "1", {}, []),
        ("1", "1", {"distortion": {"matrix": [["1", "2"], ["2", "1"]]}}, [_BOTH]),
        (
            "1/10",
            "9/10",
            {"mechanism": {"upper": "9/10"}},
            [{**_BOTH, "limits": [["upper", 0, 0, "1/2"], ["upper", 1, 1, "1/2"]]}],
        ),
        (
            "1/10",
            "9/10",
            {"also": [{"notion": {"name": "differential_privacy"}, "loss": "log(9)"}]},
            [
                {
                    "laws": [["1", 0]],
                    "ratios": [[1, 0, 0, 1, 0, "1/20"], [1, 0, 1, 0, 1, "1/20"]],
                    "rows": ["1/20", "1/20"],
                }
            ],
        ),
    ],
    ids=["nothing", "costs", "limits", "guarantees"],
)
def test_no_loss_jumps_where_the_trade_off_ends(
    least: str, truth: str, problem: dict[str, Any], steps: list[dict[str, Any]]
) -> None:
    """Below the least distortion every loss is excluded, of no mechanism at all."""
    wrong = "0" if truth == "1" else "1/10"
    mechanism = {"rows": [[truth, wrong], [wrong, truth]]}
    excluded = {"loss": "1000", "distortion": least, "open": "distortion", "points": [[["1", 0]]], "steps": steps}
    point = {
        "kind": "jump",
        "distortion": least,
        "at": {"attained": {"loss": "log(2)", "distortion": least, "mechanism": mechanism}},
        "below": {"excluded": excluded},
    }
    (said,) = conclusions({"schema": SCHEMA, "problem": {**_COIN, **problem}, "points": [point]})
    assert said == "That the course of the least loss changes here (jump) was found in fractions, and is not proven."
