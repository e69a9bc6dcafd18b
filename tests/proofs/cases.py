"""Problems of every notion, source and universe with proven answers, for the tests of this folder to take apart."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import check_proof

from epstar.answer_file import write_answer
from epstar.frontier import Frontier
from epstar.problem_file import read_problem
from epstar.proof import Interval
from epstar.proof.document import read_proof

PROBLEMS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "problems.json").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Case:
    """A problem, its answer as JSON, and the ends of the interval that epstar proves (not turned round for a gain)."""

    number: int
    answer: dict[str, Any]
    lower: float
    upper: float

    @property
    def proof(self) -> dict[str, Any]:
        """The proof in the answer."""
        found: dict[str, Any] = self.answer["proof"]
        return found


@cache
def case(number: int) -> Case:
    """Return the answer to one of the problems."""
    answer = Frontier.answer(read_problem(PROBLEMS[number]["problem"]))
    interval = answer.proof.check()
    return Case(number, json.loads(json.dumps(write_answer(answer))), interval.lower.lower, interval.upper.upper)


def name(number: int) -> str:
    """Return a name that says what the problem is about."""
    problem = PROBLEMS[number]["problem"]
    parts = [problem["notion"]["name"], *problem.get("universe", {}), next(iter(problem["source"])), *problem["at"]]
    return f"{number}-{'-'.join(parts)}"


def checked_by_epstar(proof: object) -> tuple[float, float]:
    """Return the ends that epstar's checker proves, rounded outward."""
    interval: Interval = read_proof(proof).check()
    return interval.lower.lower, interval.upper.upper


def checked_by_the_second(document: object) -> tuple[float, float]:
    """Return the ends that the second checker proves, rounded outward, not turned round for a gain."""
    written = json.dumps(document)
    found = check_proof.check(json.loads(written, parse_float=Decimal))
    ends = (float_below(found.lower.low), -float_below(found.upper.high.copy_negate()))
    return (-ends[1], -ends[0]) if found.quantity == "best utility" else ends


def float_below(value: Decimal) -> float:
    """Return the largest float that is not above a decimal."""
    nearest = float(value)
    return math.nextafter(nearest, -math.inf) if Decimal(nearest) > value else nearest
