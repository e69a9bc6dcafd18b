"""Problems of every notion, source and universe with proven answers, for the tests of this folder to take apart."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import check_proof
from tests.proofs.earlier import write_answer as earlier_answer

from epstar.answer import claimed_ends
from epstar.answer_file import SCHEMA, check_answer
from epstar.completion.schema_one import read_proof
from epstar.earlier_documents import read_evidence
from epstar.exact import Interval
from epstar.frontier import Frontier
from epstar.problem_file import read_problem
from epstar.proof_file.document import write_bracket

# Questions whose proofs say what few others do: steps of an equality, and rows that are equal at level zero.
_RARE: list[tuple[dict[str, Any], float]] = [
    (
        {
            "notion": {"name": "approximate_differential_privacy", "delta": "1/4"},
            "universe": {"graph": {"nodes": [0, 1], "edges": [[0, 1]]}},
            "source": {"hull": [["17/20", "3/20"], ["7/15", "8/15"]]},
            "distortion": {"name": "squared"},
            "at": {"distortion": "1/5"},
        },
        math.log(11 / 4),
    ),
    (
        {
            "notion": {"name": "local_information_privacy", "delta": "1/10"},
            "universe": {"metric": [[0, 3], [3, 0]]},
            "source": {"everything": 2},
            "distortion": {"gain": [[0, -1], [-1, 0]]},
            "at": {"distortion": "3/10"},
        },
        math.log(2),
    ),
    (
        {
            "notion": {"name": "differential_privacy"},
            "universe": {"graph": {"nodes": [0, 1, 2, 3], "edges": [[0, 1], [0, 2], [0, 3]]}},
            "source": {"everything": 4},
            "distortion": {"name": "hamming"},
            "at": {"distortion": "2/3"},
        },
        math.log(3 / 2),
    ),
    (
        {
            "notion": {"name": "mutual_information"},
            "source": {"finite": [[1, 0, 0], [0, "1/2", "1/2"]]},
            "distortion": {"name": "hamming"},
            "at": {"loss": 0},
        },
        1 / 2,
    ),
    (
        {
            "notion": {"name": "renyi_differential_privacy", "order": 2},
            "universe": {"graph": {"nodes": [0, 1, 2], "edges": [[1, 2]]}},
            "source": {"prior": ["1/2", "1/4", "1/4"]},
            "distortion": {"name": "hamming"},
            "at": {"loss": 0},
        },
        1 / 4,
    ),
]
PROBLEMS: list[dict[str, Any]] = [
    *json.loads((Path(__file__).parents[1] / "data" / "problems.json").read_text(encoding="utf-8")),
    *({"problem": {"schema": "epstar/problem/1", **problem}, "value": value, "tol": 1e-9} for problem, value in _RARE),
]


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
    return Case(number, json.loads(json.dumps(earlier_answer(answer))), interval.lower.lower, interval.upper.upper)


def name(number: int) -> str:
    """Return a name that says what the problem is about."""
    problem = PROBLEMS[number]["problem"]
    parts = [problem["notion"]["name"], *problem.get("universe", {}), next(iter(problem["source"])), *problem["at"]]
    return f"{number}-{'-'.join(parts)}"


def checked_by_epstar(proof: object) -> tuple[float, float]:
    """Return the ends that epstar's checker proves, rounded outward."""
    interval: Interval = read_proof(proof).check()
    return interval.lower.lower, interval.upper.upper


def checked_by_the_second(document: Any) -> tuple[float, float]:
    """Return the ends that the second checker proves, rounded outward, not turned round for a gain."""
    interval = interval_of_the_second(document)
    return interval.lower.lower, interval.upper.upper


def interval_of_the_second(document: Any) -> Interval:
    """Return what the second checker proves by the claims of an answer, or by those that multipliers are completed to.

    Raises:
        check_proof.Refused: if it does not accept them.
        EpstarError: if the multipliers prove nothing, so that there are no claims.
    """
    if document.get("schema") == SCHEMA:
        second(document)
        problem, claims, _ = check_answer(document)
    else:
        evidence = read_evidence(document)
        problem, claims = evidence.problem, evidence.completed()
        if claims.attained is not None or claims.excluded is not None:  # else only that no loss is negative
            second(write_bracket(claims))
    return Interval(*claimed_ends(problem, claims))


# What the second checker cannot tell of: e^20000, and informations at extreme orders over a set of laws, for which no
# law of the output is known that bounds them closely.
_BEYOND = ("an exponent beyond", "a distribution of the outputs is needed")


def second(document: object) -> list[str]:
    """Return the statements that the second checker says are proven; none beyond its limits."""
    try:
        return check_proof.check(json.dumps(document, default=float).encode())
    except (check_proof.Refused, check_proof.Unreadable) as error:
        if any(part in str(error) for part in _BEYOND):
            return []
        raise
