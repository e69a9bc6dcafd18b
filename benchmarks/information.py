"""Rate-distortion and capacity, certified, and the level of a given channel.

The peers find a point of the rate-distortion curve from its slope, so they are told the slope that epstar proves; their
rate is then carried along that slope to the distortion asked for, which by convexity can only be too much.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from benchmarks.way import Found, Job
from epstar.answer import Answer
from epstar.completion import Proof
from epstar.distortion import Matrix
from epstar.exact import fraction
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import Capacity, DifferentialPrivacy, MutualInformation
from epstar.notions.base import Loss
from epstar.source import Prior

Floats = NDArray[np.float64]
CERTIFIED = 1e-9
SEED = 5


def rate_instance(letters: int) -> tuple[Floats, Floats, float]:
    """Return a prior, a matrix of random costs, and a distortion a third of the way from the least to the useless."""
    generator = np.random.default_rng(SEED)
    prior, cost = generator.dirichlet(np.ones(letters)), generator.random((letters, letters))
    least, most = float(prior @ cost.min(axis=1)), float((prior @ cost).min())
    return prior, cost, round(least + 0.3 * (most - least), 6)


def rate(prior: Floats, cost: Floats, given: float) -> Answer:
    """Return the least mutual information at a distortion, proven."""
    return Frontier(MutualInformation(), Prior(prior), Matrix(cost)).loss_at(distortion=given)


def rate_by_epstar(letters: int) -> Job:
    """epstar, proof included."""
    rate(*rate_instance(10))
    return Job(partial(rate, *rate_instance(letters)), _proven_rate)


def _proven_rate(answer: Answer) -> Found:
    again = answer.proof.check()
    assert (again.lower.lower, again.upper.upper) == (answer.lower, answer.upper)
    return Found(answer.upper, answer.interval.width, note="proof checked")


def _rate_by_slope(letters: int, work: Callable[[Floats, Floats, float], Floats]) -> Job:
    """Return the job of a peer that makes a mechanism from a slope."""
    prior, cost, given = rate_instance(letters)
    proof = rate(prior, cost, given).proof
    assert isinstance(proof, Proof)
    assert proof.converse is not None
    slope = float(fraction(proof.converse.weight / proof.converse.sums[0]))

    def check(matrix: Floats) -> Found:
        distortion = float(prior @ (matrix * cost).sum(axis=1))
        return Found(information(prior, matrix) + slope * (distortion - given))

    return Job(lambda: work(prior, cost, slope), check)


def information(prior: Floats, matrix: Floats) -> float:
    """Return the mutual information of a matrix; entries so small that their output underflows carry none."""
    outputs = np.broadcast_to(prior @ matrix, matrix.shape)
    used = (matrix > 0) & (outputs > 0)
    terms = np.zeros_like(matrix)
    terms[used] = matrix[used] * np.log(matrix[used] / outputs[used])
    return float(prior @ terms.sum(axis=1))


def rate_by_numpy(letters: int) -> Job:
    """The iteration of Blahut and Arimoto in NumPy, until its own bound says that it is good enough."""
    return _rate_by_slope(letters, _blahut_arimoto)


def _blahut_arimoto(prior: Floats, cost: Floats, slope: float) -> Floats:
    kernel = np.exp(-slope * cost)
    outputs = np.full(cost.shape[1], 1 / cost.shape[1])
    while True:
        factors = (prior / (kernel @ outputs)) @ kernel
        # No output can gain more than the largest factor, and the average gain has been had.
        if np.log(factors.max()) - outputs @ (factors * np.log(factors)) <= CERTIFIED:
            break
        outputs = outputs * factors
    matrix = kernel * outputs
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def rate_by_dit(letters: int) -> Job:
    """dit as it comes, with a hundred restarts."""
    return _rate_by_slope(letters, _dit(100))


def rate_by_dit_once(letters: int) -> Job:
    """dit with one start."""
    return _rate_by_slope(letters, _dit(1))


def _dit(restarts: int) -> Callable[[Floats, Floats, float], Floats]:
    module = import_module("dit.rate_distortion.blahut_arimoto")

    def work(prior: Floats, cost: Floats, slope: float) -> Floats:
        _, joint = module.blahut_arimoto(prior, slope / np.log(2), distortion=lambda *_: cost, restarts=restarts)
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    return work


def rate_by_qif(letters: int) -> Job:
    """qif's mechanism of largest entropy, for the cost times the slope."""
    qif = import_module("qif")

    def work(prior: Floats, cost: Floats, slope: float) -> Floats:
        scaled = slope * cost
        start = np.full(cost.shape[1], 1 / cost.shape[1])
        return np.asarray(qif.mechanism.shannon.max_entropy_given_same_loss(prior, start, lambda x, y: scaled[x, y]))

    return _rate_by_slope(letters, work)


def channel(letters: int) -> Floats:
    """Return a random channel."""
    return np.random.default_rng(SEED).dirichlet(np.ones(letters), size=letters)


def capacity_by_epstar(letters: int) -> Job:
    """epstar on exact entries, certified."""
    total = 1 << 52
    tickets = np.floor(channel(letters) * total).astype(np.int64)
    tickets[:, 0] += total - tickets.sum(axis=1)
    Capacity().loss(Mechanism.of_tickets(np.array([[3, 1], [1, 3]]), 4))
    return Job(lambda: Capacity().loss(Mechanism.of_tickets(tickets, total)), _proven_capacity)


def _proven_capacity(loss: Loss) -> Found:
    assert loss.lower is not None
    assert loss.upper is not None
    return Found(loss.value, loss.upper.upper - loss.lower.lower, note="bounds in exact arithmetic")


def capacity_by_numpy(letters: int) -> Job:
    """The iteration of Blahut and Arimoto in NumPy, until its own bounds meet."""
    matrix = channel(letters)

    def work() -> float:
        entropies = (matrix * np.log(matrix)).sum(axis=1)
        prior = np.full(letters, 1 / letters)
        while True:
            divergences = entropies - matrix @ np.log(prior @ matrix)
            gains = np.exp(divergences - divergences.max())
            lower = float(np.log(prior @ gains) + divergences.max())
            if divergences.max() - lower <= CERTIFIED:
                return lower
            prior = prior * gains / (prior @ gains)

    return Job(work, Found)


def capacity_by_dit(letters: int) -> Job:
    """dit as it comes."""
    module, matrix = import_module("dit.algorithms.channelcapacity"), channel(letters)
    return Job(lambda: module.channel_capacity(matrix)[0], lambda bits: Found(float(bits) * float(np.log(2))))


def capacity_by_qif(letters: int) -> Job:
    """qif as it comes."""
    qif, matrix = import_module("qif"), channel(letters)
    return Job(lambda: qif.measure.shannon.add_capacity(matrix)[0], lambda bits: Found(float(bits) * float(np.log(2))))


def level_by_epstar(letters: int) -> Job:
    """epstar's level of a channel."""
    mechanism = Mechanism(channel(letters))
    return Job(lambda: DifferentialPrivacy().loss(mechanism), lambda loss: Found(loss.value))


def level_by_qif(letters: int) -> Job:
    """qif's level of a channel."""
    qif, matrix = import_module("qif"), channel(letters)
    return Job(lambda: qif.measure.d_privacy.smallest_epsilon(matrix, lambda x, y: float(x != y)), Found)
