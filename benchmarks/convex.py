"""Convex trade-offs that only a general solver reaches elsewhere: cvxpy with Clarabel, on the same instances.

The least mutual information over a hull of priors at a given |x - y|; and the least |x - y| at level 1 of Rényi
differential privacy of order 2, and of approximate differential privacy over events.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.local import LEVEL, as_mechanism, line, proven
from benchmarks.way import Found, Job
from epstar.answer import Answer
from epstar.distortion import Absolute
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, MutualInformation, Notion, RenyiDifferentialPrivacy
from epstar.source import Hull, Prior

Floats = NDArray[np.float64]
SEED = 5
PRIORS = 20
DELTA = 0.05
RENYI = RenyiDifferentialPrivacy(2)
EVENTS = ApproximateDifferentialPrivacy(DELTA)


def hull_instance(letters: int) -> tuple[Floats, float]:
    """Return the priors and the distortion asked for."""
    laws = np.random.default_rng(SEED).dirichlet(np.ones(letters), size=PRIORS)
    return laws, round(0.3 * float((laws @ line(letters)).max(axis=0).min()), 6)


def hull_by_epstar(letters: int) -> Job:
    """epstar, proof included."""
    _hull(*hull_instance(5))
    return Job(partial(_hull, *hull_instance(letters)), _proven_information)


def _hull(laws: Floats, given: float) -> Answer:
    return Frontier(MutualInformation(), Hull(laws), Absolute()).loss_at(distortion=given)


def _proven_information(answer: Answer) -> Found:
    again = answer.proof.check()
    assert (again.lower.lower, again.upper.upper) == (answer.lower, answer.upper)
    return Found(answer.upper, answer.interval.width, note="proof checked")


def hull_by_cvxpy(letters: int) -> Job:
    """cvxpy with Clarabel: relative entropies to one free law of the output; the value that it claims is compared."""
    cvxpy = import_module("cvxpy")
    (laws, given), cost = hull_instance(letters), line(letters)

    def work() -> float:
        matrix = cvxpy.Variable((letters, letters), nonneg=True)
        outputs, level = cvxpy.Variable(letters, nonneg=True), cvxpy.Variable()
        divergences = cvxpy.sum(cvxpy.rel_entr(matrix, cvxpy.vstack([outputs] * letters)), axis=1)
        rules = [cvxpy.sum(matrix, axis=1) == 1, cvxpy.sum(outputs) == 1, laws @ divergences <= level]
        rules.append(laws @ cvxpy.sum(cvxpy.multiply(matrix, cost), axis=1) <= given)
        return float(cvxpy.Problem(cvxpy.Minimize(level), rules).solve(solver=cvxpy.CLARABEL))

    return Job(work, Found)


def renyi_by_epstar(letters: int) -> Job:
    """epstar, proof included."""
    return _pairwise_by_epstar(RENYI, letters)


def events_by_epstar(letters: int) -> Job:
    """epstar, proof included."""
    return _pairwise_by_epstar(EVENTS, letters)


def _pairwise_by_epstar(notion: Notion, letters: int) -> Job:
    _least_distortion(notion, 4)
    return Job(partial(_least_distortion, notion, letters), partial(proven, notion))


def _least_distortion(notion: Notion, letters: int) -> Answer:
    return Frontier(notion, Prior(_law(letters)), Absolute()).distortion_at(loss=LEVEL)


def _law(letters: int) -> Floats:
    return np.random.default_rng(SEED).dirichlet(np.ones(letters))


def renyi_by_cvxpy(letters: int) -> Job:
    """cvxpy with Clarabel: a rotated cone for each output and pair of inputs."""
    cvxpy = import_module("cvxpy")
    first, second = np.nonzero(~np.eye(letters, dtype=bool))

    def work() -> Floats:
        matrix = cvxpy.Variable((letters, letters), nonneg=True)
        terms = cvxpy.Variable((first.size, letters), nonneg=True)
        left, right, flat = (cvxpy.vec(part, order="C") for part in (matrix[first, :], matrix[second, :], terms))
        rules = [cvxpy.SOC(flat + right, cvxpy.vstack([2 * left, flat - right]), axis=0)]
        return _solved(matrix, [*rules, cvxpy.sum(terms, axis=1) <= np.e])

    return Job(work, as_mechanism(_law(letters), line(letters), RENYI))


def events_by_cvxpy(letters: int) -> Job:
    """cvxpy with Clarabel: the sum of positive parts for each pair of inputs."""
    cvxpy = import_module("cvxpy")
    first, second = np.nonzero(~np.eye(letters, dtype=bool))

    def work() -> Floats:
        matrix = cvxpy.Variable((letters, letters), nonneg=True)
        return _solved(matrix, [cvxpy.sum(cvxpy.pos(matrix[first, :] - np.e * matrix[second, :]), axis=1) <= DELTA])

    return Job(work, as_mechanism(_law(letters), line(letters), EVENTS))


def _solved(matrix: Any, rules: list[Any]) -> Floats:
    cvxpy = import_module("cvxpy")
    letters = matrix.shape[0]
    objective = cvxpy.Minimize(cvxpy.sum(cvxpy.multiply(_law(letters)[:, None] * line(letters), matrix)))
    cvxpy.Problem(objective, [cvxpy.sum(matrix, axis=1) == 1, *rules]).solve(solver=cvxpy.CLARABEL)
    return np.asarray(matrix.value)
