"""The optimal mechanism with local differential privacy level 1 and cost |x - y|, for a random prior on m letters.

epstar's time includes reading the prior and checking the proof, which is checked again, outside the clock, by
`check_proof.py`: one file of the standard library that shares no code with epstar. The peers give no proof; the level
that their mechanism really has is measured, after what has to be done to use it: negative entries become zero and each
row is divided by its sum.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import check_proof
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.way import Found, Job
from epstar.answer import Answer
from epstar.answer_file import write_answer
from epstar.claims import check
from epstar.distortion import Absolute
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy, Notion
from epstar.source import Prior
from epstar.universe import Alphabet

Floats = NDArray[np.float64]
LEVEL = 1


def law(letters: int) -> Floats:
    """Return a random prior, the same for the same number of letters."""
    return np.random.default_rng(letters).dirichlet(np.ones(letters))


def line(letters: int) -> Floats:
    """Return the cost |x - y|."""
    return np.abs(np.subtract.outer(np.arange(letters), np.arange(letters))).astype(float)


def by_epstar(letters: int) -> Job:
    """epstar, proof included."""
    solve(law(20))  # what is imported on first use is not part of the work
    return Job(partial(solve, law(letters)), proven_twice)


def solve(prior: Floats) -> Answer:
    """Return the least distortion at the level."""
    return Frontier(DifferentialPrivacy(), Prior(prior), Absolute(), Alphabet(prior.size)).distortion_at(LEVEL)


def proven(notion: Notion, answer: Answer) -> Found:
    """Check the proof of a least distortion once more, and measure the level of its mechanism again, exactly."""
    assert answer.mechanism is not None
    loss = notion.loss(answer.mechanism)
    assert loss.upper is not None
    assert loss.upper <= Real.of(LEVEL)
    check(answer.claims)
    return Found(answer.upper, answer.interval.width, loss.value, note="proof checked")


def proven_twice(answer: Answer) -> Found:
    """Check the answer with the second checker as well, which refuses ends that do not follow."""
    found = proven(DifferentialPrivacy(), answer)
    check_proof.check(json.dumps(write_answer(answer)).encode())
    return replace(found, note="proof checked by both checkers")


def by_compact_program(letters: int) -> Job:
    """HiGHS with the smallest program: for each output a least and, within the factor e, a largest probability."""
    prior = law(letters)
    return Job(lambda: compact_program(prior[None], line(letters)), as_mechanism(prior, line(letters)))


def compact_program(laws: Floats, cost: Floats) -> Floats:
    """Return HiGHS's mechanism with the least of the largest expected costs under some laws."""
    inputs, outputs = cost.shape
    size = inputs * outputs
    cells, columns = np.arange(size), np.tile(np.arange(outputs), inputs)
    ones = np.ones(size)
    # The variables are the mechanism, the least entry of each column, and the value.
    above = sparse.csr_matrix((np.r_[-ones, ones], (np.r_[cells, cells], np.r_[cells, size + columns])))
    below = sparse.csr_matrix((np.r_[ones, -np.e * ones], (np.r_[cells, cells], np.r_[cells, size + columns])))
    price = sparse.csr_matrix((laws[:, :, None] * cost).reshape(len(laws), size))
    rules = sparse.bmat(
        [
            [above, None],
            [below, None],
            [sparse.hstack([price, sparse.csr_matrix((len(laws), outputs))]), -np.ones((len(laws), 1))],
        ]
    )
    sums = sparse.hstack(
        [sparse.kron(sparse.eye(inputs), np.ones((1, outputs))), sparse.csr_matrix((inputs, outputs + 1))]
    )
    objective = np.r_[np.zeros(size + outputs), 1.0]
    found = linprog(objective, A_ub=rules, b_ub=np.zeros(rules.shape[0]), A_eq=sums, b_eq=np.ones(inputs))
    return np.asarray(found.x[:size]).reshape(inputs, outputs)


def by_all_pairs(letters: int) -> Job:
    """HiGHS with the program as it is usually written: one row for each output and pair of inputs."""
    prior, cost = law(letters), line(letters)
    return Job(lambda: _all_pairs(prior, cost), as_mechanism(prior, cost))


def _all_pairs(prior: Floats, cost: Floats) -> Floats:
    letters = prior.size
    first, second = np.nonzero(~np.eye(letters, dtype=bool))
    rows = np.arange(first.size * letters).reshape(first.size, letters)
    outputs = np.arange(letters)
    columns = np.concatenate([(inputs[:, None] * letters + outputs).ravel() for inputs in (first, second)])
    values = np.concatenate([np.ones(rows.size), np.full(rows.size, -np.e)])
    pairs = sparse.csr_matrix((values, (np.concatenate([rows.ravel(), rows.ravel()]), columns)))
    sums = sparse.kron(sparse.eye(letters), np.ones((1, letters)))
    objective = (prior[:, None] * cost).ravel()
    found = linprog(objective, A_ub=pairs, b_ub=np.zeros(rows.size), A_eq=sums, b_eq=np.ones(letters))
    return np.asarray(found.x).reshape(letters, letters)


def by_cvxpy(letters: int) -> Job:
    """cvxpy with Clarabel, with the program as it is usually written, in one constraint on arrays."""
    cvxpy = import_module("cvxpy")
    first, second = np.nonzero(~np.eye(letters, dtype=bool))

    def work() -> Floats:
        mechanism = cvxpy.Variable((letters, letters), nonneg=True)
        return _by_clarabel(mechanism, [mechanism[first, :] <= np.e * mechanism[second, :]])

    return Job(work, as_mechanism(law(letters), line(letters)))


def by_compact_cvxpy(letters: int) -> Job:
    """cvxpy with Clarabel, with the smallest program."""
    cvxpy = import_module("cvxpy")
    column = np.ones((letters, 1))

    def work() -> Floats:
        mechanism, least = cvxpy.Variable((letters, letters), nonneg=True), cvxpy.Variable((1, letters))
        return _by_clarabel(mechanism, [mechanism >= column @ least, mechanism <= np.e * (column @ least)])

    return Job(work, as_mechanism(law(letters), line(letters)))


def _by_clarabel(mechanism: Any, rules: list[Any]) -> Floats:
    cvxpy = import_module("cvxpy")
    letters = mechanism.shape[0]
    objective = cvxpy.Minimize(cvxpy.sum(cvxpy.multiply(law(letters)[:, None] * line(letters), mechanism)))
    cvxpy.Problem(objective, [cvxpy.sum(mechanism, axis=1) == 1, *rules]).solve(solver=cvxpy.CLARABEL)
    return np.asarray(mechanism.value)


def by_qif(letters: int) -> Job:
    """qif's own function for this."""
    qif = import_module("qif")
    prior, cost = law(letters), line(letters)

    def work() -> Floats:
        found = qif.mechanism.d_privacy.min_loss_given_d(
            prior, letters, lambda x, y: float(x != y), lambda x, y: float(abs(x - y))
        )
        return np.asarray(found)

    return Job(work, as_mechanism(prior, cost))


def as_mechanism(laws: Floats, cost: Floats, notion: Notion | None = None) -> Callable[[Any], Found]:
    """Return the check of a peer's matrix: its largest expected cost, and the level that it has."""

    def check(matrix: Floats) -> Found:
        used = np.maximum(matrix, 0.0)
        used /= used.sum(axis=1, keepdims=True)
        level = (notion or DifferentialPrivacy()).loss(Mechanism(used)).value
        return Found(float((np.atleast_2d(laws) @ (used * cost).sum(axis=1)).max()), level=level)

    return check
