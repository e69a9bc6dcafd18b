"""Whatever a problem file can say, the page's tasks answer: secrets, limits, further guarantees, statistics."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from epstar.errors import InvalidInput
from epstar.problem_file import read_problem
from epstar.statement import established
from epstar.web.code import program
from epstar.web.limits import Limits
from epstar.web.tasks import find_task
from epstar.web.worker import Context

PLAIN: dict[str, Any] = {
    "schema": "epstar/problem/2",
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["a", "b", "c"]},
    "source": {"prior": ["1/2", "3/10", "1/5"]},
    "distortion": {"name": "hamming"},
    "at": {"distortion": "2/5"},
}
CONDITIONS: dict[str, dict[str, Any]] = {
    "a secret": {"secret": {"of": ["low", "low", "high"]}, "at": {"distortion": "1/10"}},
    "a secret that is hinted at": {
        "secret": {"given": [["9/10", "1/10"], ["1/2", "1/2"], ["1/5", "4/5"]], "labels": ["low", "high"]},
        "at": {"distortion": "1/20"},
    },
    "limits": {"mechanism": {"upper": "2/3", "invariant": True}, "at": {"distortion": "1/2"}},
    "values that are forbidden": {
        "notion": {"name": "maximal_leakage"},
        "mechanism": {"allowed": [[True, True, False], [True, True, True], [False, True, True]]},
    },
    "a further guarantee": {"also": [{"notion": {"name": "maximal_leakage"}, "loss": "log(2)"}]},
    "all events": {"notion": {"name": "gaussian_differential_privacy"}, "at": {"loss": 1}},
    "given gains": {"notion": {"name": "g_leakage", "gain": [[1, 0, 0], [0, 2, 0], [0, 0, 3]]}, "at": {"loss": "1/10"}},
    "a statistic": {"distortion": {"statistic": {"name": "frequencies", "rows": 1000}}, "at": {"loss": 1}},
    "contrasts": {
        "distortion": {"statistic": {"name": "contrasts", "rows": 100, "contrasts": [[1, -1, 0]]}},
        "at": {"loss": 1},
    },
}


def ask(task: str, document: object) -> Any:
    """Return what a worker answers, as JSON."""
    context = Context(Limits(), time.monotonic() + 60, lambda done, total: None, lambda make: None)
    return json.loads(json.dumps(find_task(task)(document, context), allow_nan=False))


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_answer_is_proven_and_says_what_is_kept(name: str) -> None:
    question = {**PLAIN, **CONDITIONS[name]}
    answer = ask("solve", question)
    assert answer["status"].startswith("proven")
    assert ask("check", answer)["holds"] is True
    assert answer["shown"]["matrix"]["inputs"] == ["a", "b", "c"]
    has_conditions = not {"mechanism", "also"}.isdisjoint(question)
    assert bool(answer["shown"]["kept"]) is has_conditions
    # The program that the page hands out asks the very same.
    scope: dict[str, Any] = {}
    exec(compile(program(read_problem(question)).split("print")[0], "program", "exec"), scope)
    assert (scope["answer"].lower, scope["answer"].upper) == (answer["lower"], answer["upper"])


def test_a_condition_is_part_of_every_point_of_the_curve() -> None:
    further = {**PLAIN, "also": [{"notion": {"name": "maximal_leakage"}, "loss": "log(5/4)"}]}
    points = ["2/5", "9/20", "1/2"]
    plain, kept = (ask("curve", {"problem": {**asked, "at": {"curve": points}}}) for asked in (PLAIN, further))
    # The columns' largest entries add up to 5/4: a is told truly, b in a quarter of its cases, so 17/40 is the least.
    assert [point["upper"] is None for point in plain["points"]] == [False] * 3
    assert kept["points"][0]["upper"] is None
    assert kept["points"][2]["upper"] is not None


def test_the_error_of_a_statistic_has_a_curve_from_a_large_loss_to_a_small_one() -> None:
    asked = {**PLAIN, **CONDITIONS["a statistic"]}
    found = ask("curve", {"problem": asked, "points": 5})["points"]
    losses = [point["upper"] for point in found]
    assert len(losses) == 5
    assert losses == sorted(losses, reverse=True)
    assert 5 < losses[0] < 6
    assert 0.4 < losses[-1] < 0.5
    assert ask("ends", asked)["middle"] == found[2]["distortion"]
    with pytest.raises(InvalidInput, match="not looked for where the distortion is the error of a statistic"):
        ask("breakpoints", asked)


def test_a_release_file_says_what_is_promised_about_a_secret() -> None:
    conditions = {**PLAIN, **CONDITIONS["a secret"], "at": {"loss": "1/2"}}
    file = json.loads(ask("release", {"problem": conditions, "column": "district"})["file"])
    (column,) = file["columns"]
    assert column["secret"]["budget"] == {"notion": column["secret"]["budget"]["notion"], "loss": "1/2"}
    assert column["secret"]["universe"] == {"alphabet": ["low", "high"]}
    assert file["per_secret"][0]["upper"] <= 0.5
    assert established(file).sentences[0].endswith("of the very matrix that was sampled.")


def test_a_short_document_with_a_huge_secret_is_refused() -> None:
    universe = {"databases": {"size": 10, "rows": 9}}
    with pytest.raises(InvalidInput, match="The page takes at most 128 inputs here"):
        ask("solve", {**PLAIN, "secret": {"given": [[1, 0]] * 3, "universe": universe}})
