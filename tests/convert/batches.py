"""Random channels in batches: sharp and flat ones, with zeros, and many that lie next to the extremal ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def normalised(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def spread(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Rows of a Dirichlet law, from nearly sure outputs to nearly uniform ones."""
    sharpness = np.exp(chance.uniform(-2.5, 3.0, (count, 1, 1)))
    return normalised(chance.gamma(sharpness, size=(count, inputs, outputs)) + 1e-12)


def nearly_equal(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    share = np.exp(chance.uniform(-7, 0, (count, 1, 1)))
    common = spread(chance, count, 1, outputs)
    return share * spread(chance, count, inputs, outputs) + (1 - share) * common


def with_zeros(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Some outputs never occur, for all inputs or for one; each row keeps its first."""
    weights = spread(chance, count, inputs, outputs)
    kept = chance.random((count, inputs, outputs)) > 0.3
    common = chance.random((count, 1, outputs)) > 0.3
    kept = np.where(chance.random((count, 1, 1)) < 0.5, kept, common)
    kept[..., 0] = True
    return normalised(weights * kept)


def two_valued(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Columns with two values in a ratio, as extreme points of differential privacy have; the last one fills up."""
    ratio = np.exp(chance.uniform(0.01, 3.0, (count, 1, 1)))
    high = chance.random((count, inputs, outputs)) < 0.5
    weights = np.where(high, ratio, 1.0) * chance.dirichlet(np.ones(outputs), count)[:, None]
    weights /= weights.sum(-1).max(1)[:, None, None]
    weights[..., -1] += 1 - weights.sum(-1)
    return weights


def randomised_response(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Each input favours one output, by a ratio; ties and shared favourites occur."""
    ratio = np.exp(chance.uniform(0.001, 4.0, (count, 1, 1)))
    favourite = np.where(
        chance.random((count, inputs)) < 0.8,
        np.arange(inputs) % outputs,
        chance.integers(outputs, size=(count, inputs)),
    )
    return normalised(np.where(favourite[..., None] == np.arange(outputs), ratio, 1.0))


def lone_input(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """One input has a law of its own and all others share one: what binary bounds on information are attained by."""
    place = chance.integers(inputs, size=count)
    own, shared = np.zeros((count, 1, outputs)), np.zeros((count, 1, outputs))
    for law in (own, shared):
        law[:, 0, 0] = np.where(
            chance.random(count) < 0.3, chance.integers(2, size=count), chance.beta(0.5, 0.5, count)
        )
        law[:, 0, 1] = 1 - law[:, 0, 0]
    close = np.exp(chance.uniform(-5, 0, (count, 1, 1)))
    own = close * own + (1 - close) * shared
    return np.where((np.arange(inputs) == place[:, None])[..., None], own, shared)


def rare_output(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """A rare first output that some inputs give more often; what is left goes to the last."""
    ratio = np.exp(chance.uniform(0.01, 2.5, (count, 1)))
    scale = np.exp(chance.uniform(-8, 0, (count, 1)))
    column = scale * np.where(chance.random((count, inputs)) < 0.5, 1.0, 1 / ratio)
    channels = np.zeros((count, inputs, outputs))
    channels[..., 0], channels[..., -1] = column, 1 - column
    return channels


def diluted_identity(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """The input is told with some chance, and else a fixed output."""
    told = chance.random((count, 1, 1))
    favourite = (np.arange(inputs) % outputs)[:, None] == np.arange(outputs)
    return np.asarray(told * favourite + (1 - told) * (np.arange(outputs) == 0))


def nearly_sure(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """A function of the input, now and then disturbed: from not at all to once in a few times, for one input or all."""
    told = chance.integers(outputs, size=(count, inputs))[..., None] == np.arange(outputs)
    rare = np.where(chance.random((count, 1, 1)) < 0.2, 0.0, np.exp(chance.uniform(-25, -1, (count, 1, 1))))
    everywhere = chance.random((count, 1, 1)) < 0.5
    disturbed = everywhere | (np.arange(inputs) == chance.integers(inputs, size=(count, 1)))[..., None]
    share = np.where(disturbed, rare, 0.0)
    return np.asarray((1 - share) * told + share * spread(chance, count, inputs, outputs))


def sharp_response(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Randomised response that lies once in up to a thousand million times."""
    ratio = np.exp(chance.uniform(3.0, 20.0, (count, 1, 1)))
    return normalised(np.where((np.arange(inputs) % outputs)[:, None] == np.arange(outputs), ratio, 1.0))


def binary_of_one(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """Two outputs; one input gives the first with chance p, all others with chance q: either or both near an end."""
    ends = np.exp(chance.uniform(-9, 0, (count, 2))) * (chance.random((count, 2)) > 0.2)
    chances = np.where(chance.random((count, 2)) < 0.5, ends, 1 - ends)
    alone = np.arange(inputs) == chance.integers(inputs, size=(count, 1))
    column = np.where(alone, chances[:, :1], chances[:, 1:])
    channels = np.zeros((count, inputs, outputs))
    channels[..., 0], channels[..., 1] = column, 1 - column
    return channels


KINDS: tuple[Callable[[Generator, int, int, int], Floats], ...] = (
    spread,
    nearly_equal,
    with_zeros,
    two_valued,
    randomised_response,
    lone_input,
    rare_output,
    diluted_identity,
    nearly_sure,
    sharp_response,
    binary_of_one,
)


def batch(chance: Generator, count: int, inputs: int, outputs: int) -> Floats:
    """As many channels of every kind, a third of them moved a little."""
    each = -(-count // len(KINDS))
    channels = np.concatenate([kind(chance, each, inputs, outputs) for kind in KINDS])
    moved = chance.random((len(channels), 1, 1)) < 1 / 3
    size = np.exp(chance.uniform(-12, -3, (len(channels), 1, 1)))
    noise = spread(chance, len(channels), inputs, outputs)
    channels = np.where(moved, (1 - size) * channels + size * noise, channels)
    return normalised(channels.clip(0.0))
