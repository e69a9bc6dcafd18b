"""The losses of many channels at once, in floats, from the definitions: nothing of epstar is used.

A batch is an array of shape (channels, inputs, outputs); a prior belongs to the whole batch, and so do the pairs of
inputs that are compared, with their distances.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Compared:
    """The ordered pairs of inputs that count, and how far they lie apart."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    distance: Floats


def _log_ratio(top: Floats, bottom: Floats) -> Floats:
    """log(top / bottom), minus infinity where the top is 0 and infinity where only the bottom is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(top > 0, np.log(top) - np.log(bottom), -np.inf)


def worst(values: Floats) -> Floats:
    """The largest of each row, 0 where there is nothing to compare."""
    return np.asarray(values.max(1, initial=0.0))


def differential_privacy(channels: Floats, compared: Compared) -> Floats:
    left, right = pairs(channels, compared)
    return worst(_log_ratio(left, right).max(-1) / compared.distance)


def pairs(channels: Floats, compared: Compared) -> tuple[Floats, Floats]:
    """The rows of the pairs: two arrays of shape (channels, pairs, outputs)."""
    return channels[:, compared.first], channels[:, compared.second]


def relative_entropy(left: Floats, right: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(left > 0, left * (np.log(left) - np.log(right)), 0.0)
    return np.asarray(terms.sum(-1).clip(0.0))


def renyi(channels: Floats, order: float, compared: Compared) -> Floats:
    if math.isinf(order):
        return differential_privacy(channels, compared)
    left, right = pairs(channels, compared)
    if order == 1:
        return worst(relative_entropy(left, right) / compared.distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(left > 0, left**order * right ** (1 - order), 0.0)
        return worst(np.log(terms.sum(-1)) / (order - 1) / compared.distance)


def concentrated(channels: Floats, compared: Compared) -> tuple[Floats, Floats]:
    """A lower and an upper bound on the largest divergence of an order above 1, over the order.

    Between two orders (order - 1) D lies below its chord, and beyond the last one D is at most that of infinity.
    """
    left, right = pairs(channels, compared)
    orders = 1 + np.geomspace(1e-4, 1e4, 161)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = np.where(left > 0, np.log(left) - np.log(right), -np.inf)[None]
        powers = (orders[:, None, None, None] - 1) * logs
        largest = np.where(np.isfinite(powers.max(-1)), powers.max(-1), 0.0)
        scaled = np.where(left > 0, left * np.exp(powers - largest[..., None]), 0.0).sum(-1)
        psi = np.where(np.isinf(logs.max(-1)) & (logs.max(-1) > 0), np.inf, np.log(scaled) + largest)
    psi = np.maximum(psi, 0.0) / compared.distance
    lower = (psi / ((orders - 1) * orders)[:, None, None]).max(0)
    upper = np.maximum(psi[0] / (orders[0] - 1), differential_privacy(channels, compared)[:, None] / orders[-1])
    for share in np.linspace(0, 1, 9):
        order = (1 - share) * orders[:-1] + share * orders[1:]
        with np.errstate(invalid="ignore"):
            chord = (1 - share) * psi[:-1] + share * psi[1:]
        chord = np.where(np.isnan(chord), np.inf, chord)
        upper = np.maximum(upper, (chord / ((order - 1) * order)[:, None, None]).max(0))
    return worst(lower), worst(upper) * (1 + 1e-6)


def gaussian(channels: Floats, compared: Compared) -> Floats:
    """The least mu at which every corner of every trade-off of errors lies above that of N(0,1) and N(mu,1)."""
    from scipy.special import ndtri

    left, right = pairs(channels, compared)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(right > 0, left / right, np.where(left > 0, np.inf, -1.0)), axis=-1)
    power, size = (np.take_along_axis(rows, order, -1).cumsum(-1)[..., :-1] for rows in (left, right))
    with np.errstate(invalid="ignore"):
        gaps = ndtri(np.clip(power, 0, 1)) - ndtri(np.clip(size, 0, 1))
    # Where both errors are certain, or impossible, a corner says nothing.
    gaps = np.where(np.isnan(gaps), 0.0, gaps)
    return worst(gaps.max(-1, initial=0.0) / compared.distance)


def output_law(channels: Floats, prior: Floats) -> Floats:
    return np.asarray(np.einsum("x,nxy->ny", prior, channels))


def pointwise_leakage(channels: Floats, prior: Floats) -> Floats:
    return np.asarray(relative_entropy(channels, output_law(channels, prior)[:, None]).max(1))


def mutual_information(channels: Floats, prior: Floats) -> Floats:
    inside = prior > 0
    return np.asarray(relative_entropy(channels, output_law(channels, prior)[:, None])[:, inside] @ prior[inside])


def capacity(channels: Floats, rounds: int = 400) -> tuple[Floats, Floats]:
    """A lower and an upper bound on the capacity, by the iteration of Blahut and Arimoto."""
    prior = np.full(channels.shape[:2], 1.0 / channels.shape[1])
    for _ in range(rounds):
        output = np.einsum("nx,nxy->ny", prior, channels)
        gains = relative_entropy(channels, output[:, None])
        prior = prior * np.exp(gains - gains.max(1, keepdims=True))
        prior /= prior.sum(1, keepdims=True)
    gains = relative_entropy(channels, np.einsum("nx,nxy->ny", prior, channels)[:, None])
    return np.einsum("nx,nx->n", prior, gains), gains.max(1)


def sibson(channels: Floats, prior: Floats, order: float) -> Floats:
    if order == 1:
        return mutual_information(channels, prior)
    if math.isinf(order):
        return maximal_leakage(channels[:, prior > 0])
    means = np.einsum("x,nxy->ny", prior, channels**order) ** (1 / order)
    return np.asarray((order / (order - 1) * np.log(means.sum(1))).clip(0.0))


def maximal_leakage(channels: Floats) -> Floats:
    return np.asarray(np.log(channels.max(1).sum(1)).clip(0.0))


def maximal_information(channels: Floats, prior: Floats) -> Floats:
    return np.asarray(_log_ratio(channels.max(1), output_law(channels, prior)).max(1).clip(0.0))


def local_information_privacy(channels: Floats, prior: Floats) -> Floats:
    output = output_law(channels, prior)
    low = _log_ratio(output, channels.min(1)).max(1)
    return np.asarray(np.maximum(maximal_information(channels, prior), low))


def identifiability(channels: Floats, prior: Floats, compared: Compared) -> Floats:
    return differential_privacy(channels * prior[:, None], compared)


def min_entropy_leakage(channels: Floats, prior: Floats) -> Floats:
    return np.asarray(np.log((channels * prior[:, None]).max(1).sum(1) / prior.max()).clip(0.0))


def _excesses(channels: Floats, level: Floats | float, compared: Compared) -> Floats:
    left, right = pairs(channels, compared)
    levels = np.broadcast_to(level, channels.shape[:1])[:, None]
    return np.asarray((left - np.exp(levels * compared.distance)[..., None] * right).clip(0.0))


def delta(channels: Floats, level: Floats | float, compared: Compared) -> Floats:
    """The least delta of approximate differential privacy, event by event."""
    return worst(_excesses(channels, level, compared).sum(-1))


def pointwise_delta(channels: Floats, level: Floats | float, compared: Compared) -> Floats:
    """The least delta where single outputs are compared."""
    return worst(_excesses(channels, level, compared).max(-1))


def local_delta(channels: Floats, prior: Floats, level: Floats | float) -> Floats:
    """The least delta of local information privacy (ngo2024, equation (4) as corrected)."""
    output = output_law(channels, prior)[:, None]
    factor = np.broadcast_to(np.exp(level), channels.shape[:1])[:, None, None]
    over = (output - factor * channels).clip(0.0).sum(-1).max(1)
    under = (channels - factor * output).clip(0.0).sum(-1).max(1) / factor[:, 0, 0]
    return np.asarray(np.maximum(over, under))


def least_level(of: Callable[[Floats], Floats], slack: float, count: int) -> tuple[Floats, Floats]:
    """A lower and an upper bound on the least level at which `of` is within the slack; infinity beyond 60."""
    low, high = np.zeros(count), np.full(count, 60.0)
    inside = of(low) <= slack
    for _ in range(60):
        middle = (low + high) / 2
        within = of(middle) <= slack
        low, high = np.where(within, low, middle), np.where(within, middle, high)
    beyond = of(np.full(count, 60.0)) > slack
    high = np.where(beyond, np.inf, high)
    return np.where(inside, 0.0, low), np.where(inside, 0.0, high)
