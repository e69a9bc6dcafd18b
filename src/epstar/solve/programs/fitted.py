"""A mechanism that was found for another question, changed by as little as makes it answer this one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epstar.claims.enclosed_distortion import nearest_costs
from epstar.exact import Real
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.solve.programs.evidence import is_private
from epstar.solve.programs.mixing import Mixing

Floats = NDArray[np.float64]


def fitted(problem: Problem, matrix: Floats) -> Mechanism | None:
    """Return an exact mechanism near a matrix that keeps to what is asked, None where there is none near by."""
    cost = nearest_costs(problem.distortion, problem.universe)
    given = float(problem.given)
    if problem.asks == "loss":
        cheapest = np.eye(matrix.shape[1])[cost.argmin(axis=1)]
        return Mixing(matrix, cheapest).exactly(
            problem,
            lambda candidate: float(problem.source.maximum((candidate * cost).sum(axis=1).tolist()).value) <= given,
            lambda candidate: Real.of(candidate.distortion(problem.distortion, problem.source).value) <= problem.given,
        )
    outputs = problem.distortion.outputs(problem.universe)
    return Mixing(matrix, np.broadcast_to(matrix.mean(axis=0), matrix.shape)).exactly(
        problem,
        lambda candidate: (
            problem.notion.loss(Mechanism(candidate, problem.universe, outputs), problem.source).value <= given
        ),
        lambda candidate: is_private(candidate, problem, problem.given),
    )
