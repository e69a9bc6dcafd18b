"""The claims about the problems of `tests.proofs.cases`, and what they say about each other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.proofs.cases import PROBLEMS

from epstar.claims import Attained, Bracket, Excluded
from epstar.exact import Interval
from epstar.frontier import Frontier
from epstar.problem import Problem
from epstar.problem_file import read_problem
from epstar.proof_file.document import write_bracket


@dataclass(frozen=True)
class Solved:
    """A problem, the interval that its solver's evidence establishes, and the claims made of it."""

    problem: Problem
    proven: Interval
    bracket: Bracket

    @property
    def document(self) -> dict[str, Any]:
        """The claims as JSON, read back, so that it can be changed."""
        found: dict[str, Any] = json.loads(json.dumps(write_bracket(self.bracket)))
        return found


@cache
def solved(number: int) -> Solved:
    """Return the claims about one of the problems."""
    problem = read_problem(PROBLEMS[number]["problem"])
    proof = Frontier.answer(problem).proof
    proven = proof.check()
    return Solved(problem, proven, proof.completed())


def contradict(attained: Attained, excluded: Excluded) -> bool:
    """Return whether two claims about one setting cannot both be true."""
    loss, distortion = attained.loss, attained.distortion
    if excluded.open == "loss":
        return loss < excluded.loss and distortion <= excluded.distortion
    return loss <= excluded.loss and distortion < excluded.distortion
