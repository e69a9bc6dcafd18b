"""The definitions of the papers, word for word and slow: every event, every guess, every pair.

Mechanisms come as arrays of counts over a common denominator, of shape (many, inputs, outputs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def rows_of(outputs: int, total: int) -> list[tuple[int, ...]]:
    """All ways to share `total` tickets among the outputs."""
    if outputs == 1:
        return [(total,)]
    return [(k, *rest) for k in range(total + 1) for rest in rows_of(outputs - 1, total - k)]


def every_mechanism(inputs: int, outputs: int, total: int) -> Counts:
    """Every mechanism whose entries are multiples of 1/total."""
    rows = np.array(rows_of(outputs, total), dtype=np.int64)
    places = np.indices((len(rows),) * inputs).reshape(inputs, -1).T
    return rows[places]


def events(outputs: int) -> Iterator[tuple[int, ...]]:
    """All events but the empty one."""
    for size in range(1, outputs + 1):
        yield from combinations(range(outputs), size)


def chances(matrix: Floats) -> Floats:
    """The probability of every event, in place of that of every output."""
    return np.stack([matrix[..., list(event)].sum(axis=-1) for event in events(matrix.shape[-1])], axis=-1)


def _quotient(above: Floats, below: Floats) -> Floats:
    """The least E >= 1 with above <= E below: infinite where nothing helps."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above <= 0, 1.0, np.maximum(np.where(below > 0, above / below, np.inf), 1.0))


def _worst_pair(matrix: Floats, value: Callable[[Floats, Floats], Floats]) -> Floats:
    pairs = permutations(range(matrix.shape[-2]), 2)
    return np.asarray(np.max([value(matrix[..., x, :], matrix[..., y, :]) for x, y in pairs], axis=0))


def differential_privacy(matrix: Floats) -> Floats:
    return np.log(_worst_pair(chances(matrix), lambda p, q: _quotient(p, q).max(axis=-1)))


def approximate(matrix: Floats, delta: float) -> Floats:
    return np.log(_worst_pair(chances(matrix), lambda p, q: _quotient(p - delta, q).max(axis=-1)))


def pointwise_approximate(matrix: Floats, delta: float) -> Floats:
    return np.log(_worst_pair(matrix, lambda p, q: _quotient(p - delta, q).max(axis=-1)))


def renyi(matrix: Floats, order: float) -> Floats:
    def divergence(left: Floats, right: Floats) -> Floats:
        total = np.zeros(left.shape[:-1])
        for y in range(left.shape[-1]):
            p, q = left[..., y], right[..., y]
            with np.errstate(divide="ignore", invalid="ignore"):
                if order == 1:
                    total += np.where(p > 0, p * np.log(p / q), 0.0)
                else:
                    total += np.where(p > 0, p**order * q ** (1 - order), 0.0)
        with np.errstate(divide="ignore"):
            return total if order == 1 else np.asarray(np.log(total) / (order - 1))

    return np.maximum(_worst_pair(matrix, divergence), 0.0)


def _entropy(law: Floats) -> Floats:
    return np.asarray(-(law * np.log(np.where(law > 0, law, 1.0))).sum(axis=-1))


def mutual_information(matrix: Floats, prior: Floats) -> Floats:
    """H(X) + H(Y) - H(X, Y)."""
    joint = prior[:, None] * matrix
    flat = joint.reshape(*joint.shape[:-2], -1)
    return np.asarray(_entropy(prior) + _entropy(joint.sum(axis=-2)) - _entropy(flat))


def sibson(matrix: Floats, prior: Floats, order: float) -> Floats:
    total = np.zeros(matrix.shape[:-2])
    for y in range(matrix.shape[-1]):
        inner = np.zeros_like(total)
        for x, p in enumerate(prior):
            inner += p * matrix[..., x, y] ** order
        total += inner ** (1 / order)
    return np.asarray(order / (order - 1) * np.log(total))


def _best_guess(joint: Floats) -> Floats:
    """The chance of being right for the best way to guess an input from the output, of all there are."""
    inputs, outputs = joint.shape[-2:]
    columns = range(outputs)
    guesses = product(range(inputs), repeat=outputs)
    return np.asarray(np.max([np.sum([joint[..., g[y], y] for y in columns], axis=0) for g in guesses], axis=0))


def maximal_leakage(matrix: Floats) -> Floats:
    return np.asarray(np.log(_best_guess(matrix)))


def min_entropy_leakage(matrix: Floats, prior: Floats) -> Floats:
    return np.asarray(np.log(_best_guess(prior[:, None] * matrix) / prior.max()))


def _output_law(matrix: Floats, prior: Floats) -> Floats:
    return np.asarray(np.sum([p * matrix[..., x, :] for x, p in enumerate(prior)], axis=0))


def maximal_information(matrix: Floats, prior: Floats) -> Floats:
    law = chances(_output_law(matrix, prior)[..., None, :])[..., 0, :]
    each = chances(matrix)
    worst = np.max([_quotient(each[..., x, :], law).max(axis=-1) for x in range(len(prior))], axis=0)
    return np.asarray(np.log(worst))


def identifiability(matrix: Floats, prior: Floats) -> Floats:
    """Through the posterior probabilities of the inputs."""
    law = _output_law(matrix, prior)[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior = np.where(law > 0, prior[:, None] * matrix / law, 0.0)
    return np.log(_worst_pair(posterior, lambda p, q: _quotient(p, q).max(axis=-1)))


def local_information_privacy(matrix: Floats, prior: Floats, delta: float) -> Floats:
    law = chances(_output_law(matrix, prior)[..., None, :])[..., 0, :]
    each = chances(matrix)
    worst = []
    for x in range(len(prior)):
        worst.append(_quotient(law - delta, each[..., x, :]).max(axis=-1))
        worst.append(_quotient(each[..., x, :], law + delta).max(axis=-1))
    return np.asarray(np.log(np.max(worst, axis=0)))


def pointwise_leakage(matrix: Floats, prior: Floats) -> Floats:
    law = _output_law(matrix, prior)
    each = []
    for x in range(len(prior)):
        q = matrix[..., x, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            each.append(np.where(q > 0, q * np.log(q / law), 0.0).sum(axis=-1))
    return np.asarray(np.maximum(np.max(each, axis=0), 0.0))
