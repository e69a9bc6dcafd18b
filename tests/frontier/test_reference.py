"""Every optimum that independent programs found for the papers' settings, and random ones beside them.

The values come from linear and conic programs that share no code with epstar, never from the papers' formulas.
Where a value is known as a rational, or as the logarithm of one, the answer must be that number exactly.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.frontier.generated import width_limit

from epstar.distortion import Hamming
from epstar.exact import Real
from epstar.frontier import Answer, Frontier
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy, MaximalInformation
from epstar.problem_file import read_problem
from epstar.source import Hull, Prior

_DATA: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent.parent / "data" / "frontier_optima.json").read_text()
)
# The reference ended on the wrong side of a jump; see the test of its own below.
_WRONG = "zhong2022/60"
_OPTIMA = {str(entry["id"]): entry for entry in _DATA["optima"] if entry["id"] != _WRONG}
# Of questions that differ in their numbers alone so many are asked every time, and the others in full runs.
_OF_EACH_KIND = 2


def _kind(name: str) -> tuple[str, ...]:
    """Return what a question is about, without its numbers."""
    problem = _OPTIMA[name]["problem"]
    parts = (*problem["source"], *problem.get("universe", {}), *problem["distortion"], *problem["at"])
    return name.partition("/")[0], problem["notion"]["name"], *parts, str("exact" in _OPTIMA[name])


def _often_or_full() -> list[Any]:
    """Return the names of all questions, marked where enough of their kind came before."""
    seen: Counter[tuple[str, ...]] = Counter()
    found: list[Any] = []
    for name in _OPTIMA:
        seen[_kind(name)] += 1
        found.append(name if seen[_kind(name)] <= _OF_EACH_KIND else pytest.param(name, marks=pytest.mark.full))
    return found


def _answered(problem_file: dict[str, Any]) -> Answer:
    problem = read_problem(problem_file)
    answer = Frontier.answer(problem)
    assert answer.mechanism is not None
    assert answer.lower <= answer.upper
    assert answer.interval.width <= width_limit(problem.notion)
    return answer


@pytest.mark.parametrize("name", _often_or_full())
def test_the_proven_interval_holds_the_optimum(name: str) -> None:
    entry = _OPTIMA[name]
    answer = _answered(entry["problem"])
    tolerance = entry["tol"] * max(1.0, abs(entry["value"]))
    assert answer.lower - tolerance <= entry["value"] <= answer.upper + tolerance
    if "exact" in entry:
        assert answer.interval.lower <= Real.of(entry["exact"]) <= answer.interval.upper


def test_there_are_as_many_as_were_written_down() -> None:
    assert len(_DATA["optima"]) == 451
    assert len({entry["id"] for entry in _DATA["optima"]}) == 451


def test_a_reference_on_the_wrong_side_of_a_jump() -> None:
    """Maximal information of the prior (.5, .3, .2) jumps at D = 1/5, and the reference gives log 2.5 there.

    Answering 1 to 1, 2 to 2 and 3 to 2 errs with probability exactly 1/5 and loses log 2.
    """
    frontier = Frontier(MaximalInformation(), Prior([0.5, 0.3, 0.2]), Hamming())
    answer = frontier.loss_at(distortion="1/5")
    assert answer.lower <= math.log(2) <= answer.upper
    assert answer.interval.width <= 1e-9

    merged = Mechanism([[1, 0, 0], [0, 1, 0], [0, 1, 0]])
    assert str(merged.distortion(Hamming(), frontier.source).value) == "1/5"
    assert str(MaximalInformation().loss(merged, frontier.source).upper) == "log(2)"

    (reference,) = (entry for entry in _DATA["optima"] if entry["id"] == _WRONG)
    assert reference["value"] > answer.upper + 0.2
    # Just below the jump the reference is right.
    below = frontier.loss_at(distortion="0.199999999")
    assert below.lower - 1e-6 <= reference["value"] <= below.upper + 1e-6


@pytest.mark.parametrize("curve", _DATA["curves"], ids=lambda curve: str(curve["id"]))
def test_the_curves_of_a_source_set_are_exact(curve: dict[str, Any]) -> None:
    """kalantari2018, Figures 4 and 5: e^loss is a known rational at each distortion, also beside the jump."""
    frontier = Frontier(DifferentialPrivacy(), Hull(curve["vertices"]), Hamming())
    for distortion, ratio in zip(curve["distortions"], curve["ratios"], strict=True):
        interval = frontier.loss_at(distortion=distortion).interval
        known = Real.of(f"log({ratio})")
        assert interval.lower <= known <= interval.upper
        assert interval.width <= 1e-12
    end = Real.of(curve["jump"])
    assert frontier.loss_at(distortion=end).upper == 0.0
    # The curve jumps at its end where one letter alone is the likeliest under the least favourable law.
    jump = {"fig4/II_6": math.log(14 / 3), "fig5/II_10": math.log(3 / 2)}.get(curve["id"], 0.0)
    before = frontier.loss_at(distortion=end - "1e-12")
    assert before.lower > 0.0
    assert before.upper == pytest.approx(jump, abs=1e-10)
