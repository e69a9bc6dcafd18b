"""What a wider question may not say is refused in one sentence, the same from every door: file, command line, page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput, NoSolution
from epstar.frontier import Frontier
from epstar.limits import Limits
from epstar.problem_file import read_problem
from epstar.secret import Secret
from epstar.source import Everything, Prior
from epstar.web.limits import Limits as PageLimits
from epstar.web.tasks import find_task
from epstar.web.worker import Context

PLAIN: dict[str, Any] = {
    "schema": "epstar/problem/2",
    "notion": {"name": "differential_privacy"},
    "source": {"prior": ["1/2", "3/10", "1/5"]},
    "distortion": {"name": "hamming"},
    "at": {"loss": 1},
}
BOX = {"box": {"lower": ["1/10"] * 3, "upper": ["6/10"] * 3}}
# What is wrong, what the problem file says, the same in options, and what to do instead.
REFUSED: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "a secret that depends on nothing": (
        {"secret": {"of": ["a", "a", "a"]}},
        ["--secret", "a,a,a"],
        "The secret depends on nothing: it follows every input alike; leave it out.",
    ),
    "a secret that every input follows alike": (
        {"secret": {"given": [["1/2", "1/2"]] * 3}},
        ["--secret", '{"given": [["1/2", "1/2"], ["1/2", "1/2"], ["1/2", "1/2"]]}'],
        "The secret depends on nothing: it follows every input alike; leave it out.",
    ),
    "probabilities that do not sum to one": (
        {"secret": {"given": [["1/2", "1/3"], ["1", "0"], ["0", "1"]]}},
        ["--secret", '{"given": [["1/2", "1/3"], ["1", "0"], ["0", "1"]]}'],
        "correct the entries, or divide each by their sum.",
    ),
    "a secret of other inputs": (
        {"secret": {"of": ["a", "b"]}},
        ["--secret", "a,b"],
        "The secret is about 2 inputs and the universe has 3; make them agree.",
    ),
    "allowed outputs of another shape": (
        {"mechanism": {"allowed": [[True, True]] * 3}},
        ["--allow", "[[true, true], [true, true], [true, true]]"],
        "The limits are for 3 inputs and 2 outputs, and the mechanism has 3 and 3; make them agree.",
    ),
    "bounds of another shape": (
        {"mechanism": {"upper": [["1", "1"], ["1", "1"]]}},
        ["--upper", "[[1, 1], [1, 1]]"],
        "The limits are for 2 inputs and 2 outputs, and the mechanism has 3 and 3; make them agree.",
    ),
    "limits of two shapes": (
        {"mechanism": {"lower": [[0] * 3] * 3, "upper": [[1] * 3] * 2}},
        ["--lower", "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", "--upper", "[[1, 1, 1], [1, 1, 1]]"],
        "The limits on the mechanism have different shapes; give inputs as rows of all of them.",
    ),
    "an invariant mechanism without a prior": (
        {"source": BOX, "mechanism": {"invariant": True}},
        ["--invariant", "--source", json.dumps(BOX)],
        "A mechanism is invariant for one prior; give a prior, or drop 'invariant'.",
    ),
    "a region with a secret": (
        {"source": BOX, "secret": {"of": ["a", "b", "a"]}},
        ["--secret", "a,b,a", "--source", json.dumps(BOX)],
        "list the distributions that the promise should hold for as 'finite', or leave the secret out.",
    ),
    "a guarantee below zero": (
        {"also": [{"notion": {"name": "maximal_leakage"}, "loss": -1}]},
        ["--also", "leakage:-1"],
        "The loss -1 of maximal leakage is negative; privacy losses are at least 0.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_one_sentence_from_every_door(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries, options, sentence = REFUSED[name]
    document = {**PLAIN, **entries}
    with pytest.raises(InvalidInput) as library:
        read_problem(document)
    said = str(library.value)
    assert sentence in said
    assert "\n" not in said
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    known = [] if "--source" in options else ["--prior", "1/2,3/10,1/5"]
    for arguments in ([str(file)], ["--notion", "dp", "--loss", "1", *known, *options]):
        assert main(["solve", *arguments]) == 2
        assert capsys.readouterr().err == f"epstar: {said}\n"
    context = Context(PageLimits(), time.monotonic() + 60, lambda done, total: None, lambda make: None)
    with pytest.raises(InvalidInput) as page:
        find_task("solve")(document, context)
    assert str(page.value) == said


def test_the_library_says_the_same_where_parts_meet() -> None:
    with pytest.raises(InvalidInput, match="or leave the secret out"):
        Frontier("dp", Everything(2), "hamming", secret=Secret.of(["a", "b"])).distortion_at(1)
    with pytest.raises(InvalidInput, match="give a prior, or drop 'invariant'"):
        Frontier("dp", Everything(2), "hamming", limits=Limits(invariant=True)).distortion_at(1)
    with pytest.raises(InvalidInput, match="make them agree"):
        Frontier("dp", Prior(["1/2", "1/2"]), "hamming", limits=Limits(equations=[([[1]], 1)])).distortion_at(1)


def test_forbidden_transitions_are_named_where_they_clash() -> None:
    apart, loose = (
        Limits(allowed=[[True, False], [False, True]]),
        Limits(allowed=[[True, True], [False, True]], lower=[["3/5", "3/5"], [0, 0]]),
    )
    with pytest.raises(NoSolution, match=r"; it clashes with the forbidden transitions\.$"):
        Frontier("dp", ["1/2", "1/2"], "hamming", limits=apart).distortion_at(loss=1)
    with pytest.raises(NoSolution, match=r"; these clash: differential privacy at 1 nat, the forbidden transitions\.$"):
        Frontier("leakage", ["1/2", "1/2"], "hamming", limits=apart, also=[("dp", 1)]).distortion_at(loss=1)
    with pytest.raises(NoSolution, match=r"; these clash: the lower bound of input 0") as refused:
        Frontier("leakage", ["1/2", "1/2"], "hamming", limits=loose).distortion_at(loss=1)
    assert "forbidden" not in str(refused.value)
