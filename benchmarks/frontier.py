"""The optimal mechanism against the ways people find it now, in CPU seconds of one run.

The work: the least expected |x - y| of a mechanism with differential privacy level 1, for a random prior on m letters.
epstar's time includes the proof. The peers get no proof; the level that their mechanism really has is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from epstar.distortion import Absolute
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.source import Prior

Floats = NDArray[np.float64]
Record = dict[str, dict[str, float]]
LEVEL = 1.0


def instance(letters: int) -> tuple[Floats, Floats]:
    """Return a random prior and the cost |x - y|."""
    prior = np.random.default_rng(letters).dirichlet(np.ones(letters))
    places = np.arange(letters)
    return prior, np.abs(np.subtract.outer(places, places)).astype(float)


def by_epstar(letters: int) -> tuple[float, Floats]:
    """Return the distortion and the mechanism, proven."""
    prior, _ = instance(letters)
    answer = Frontier(DifferentialPrivacy(), Prior(prior), Absolute()).distortion_at(loss=1)
    assert answer.mechanism is not None
    return answer.upper, answer.mechanism.dense().floats


def by_all_pairs(letters: int) -> tuple[float, Floats]:
    """Return HiGHS's answer to the program as it is usually written: one row per output and pair of inputs."""
    prior, cost = instance(letters)
    first, second = np.nonzero(~np.eye(letters, dtype=bool))
    rows = np.arange(first.size * letters).reshape(first.size, letters)
    outputs = np.arange(letters)
    columns = np.concatenate([(inputs[:, None] * letters + outputs).ravel() for inputs in (first, second)])
    values = np.concatenate([np.ones(rows.size), np.full(rows.size, -np.exp(LEVEL))])
    pairs = sparse.csr_matrix((values, (np.concatenate([rows.ravel(), rows.ravel()]), columns)))
    sums = sparse.kron(sparse.eye(letters), np.ones((1, letters)))
    found = linprog(
        (prior[:, None] * cost).ravel(), A_ub=pairs, b_ub=np.zeros(rows.size), A_eq=sums, b_eq=np.ones(letters)
    )
    return float(found.fun), np.asarray(found.x).reshape(letters, letters)


def by_cvxpy(letters: int) -> tuple[float, Floats]:
    """Return cvxpy's answer with Clarabel, written the natural way."""
    cvxpy = import_module("cvxpy")
    prior, cost = instance(letters)
    mechanism = cvxpy.Variable((letters, letters), nonneg=True)
    constraints = [cvxpy.sum(mechanism, axis=1) == 1]
    constraints += [
        mechanism[x] <= np.exp(LEVEL) * mechanism[y] for x in range(letters) for y in range(letters) if x != y
    ]
    objective = cvxpy.Minimize(cvxpy.sum(cvxpy.multiply(prior[:, None] * cost, mechanism)))
    value = cvxpy.Problem(objective, constraints).solve(solver=cvxpy.CLARABEL)
    return float(value), np.asarray(mechanism.value)


def measured(way: Callable[[int], tuple[float, Floats]], letters: int) -> dict[str, float]:
    """Return the CPU seconds, the distortion claimed, and the level that the mechanism really has."""
    start = time.process_time()
    distortion, matrix = way(letters)
    seconds = time.process_time() - start
    lowest = matrix.min(axis=0)
    highest = matrix.max(axis=0)
    used = highest > 0
    with np.errstate(divide="ignore"):
        worst = np.log(highest[used]) - np.log(np.maximum(lowest[used], 0.0))
    return {"seconds": seconds, "distortion": distortion, "level of the mechanism": float(worst.max())}


def run(letters: int = 50) -> Record:
    """Measure every way that is installed, and the ratios to epstar."""
    by_epstar(3)
    record = {"epstar, with proof": measured(by_epstar, letters)}
    record["HiGHS, one row per pair"] = measured(by_all_pairs, letters)
    try:
        record["cvxpy with Clarabel"] = measured(by_cvxpy, letters)
    except ImportError:
        record["cvxpy with Clarabel"] = {"not installed": 1.0}
    for figures in record.values():
        if "seconds" in figures:
            figures["ratio"] = figures["seconds"] / record["epstar, with proof"]["seconds"]
    return record


if __name__ == "__main__":
    from benchmarks.notions import report

    print(report(run()))
