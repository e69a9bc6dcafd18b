"""The instances on which the verdicts rest: the paper's own prior, hand-made mechanisms, seeded random ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from random import Random

from epstar.exact import ONE, ZERO, Rational, Real, rational, rationals
from epstar.gaussian import DiscreteInput
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar_papers.ngo2024.constructions import COIN, indicator, one_sided
from epstar_papers.theorem import Case

LEVELS = tuple(Real.of(level) for level in ("1/10", "log(3/2)", 1, "log(6)"))
"""Levels at which mechanisms are compared: two of them have rational factors, where everything is exact."""

BOUNDS = rationals(["1/100", "1/10", "3/10", "1/2", "9/10"])
"""Numbers of bits."""

SKEWED = Prior(["99/100", "1/100"])
PRIORS = (COIN, Prior(["3/10", "7/10"]), Prior(["1/2", "3/10", "1/5"]), Prior(["4/5", "1/10", "1/10"]))


def _normal_distribution() -> tuple[float, ...]:
    weights = [math.exp(-2 * (k / 10) ** 2) for k in range(-10, 11)]
    return tuple(weight / math.fsum(weights) for weight in weights)


NORMAL_DISTRIBUTION = Prior(_normal_distribution())
"""The distribution of Figures 3 and 4: the density of N(0, 1/4) at 21 points of [-1, 1], normalised."""

NORMAL_INPUT = DiscreteInput([Rational(k, 10) for k in range(-10, 11)], NORMAL_DISTRIBUTION.probabilities)

FIGURE_3 = {rational("1/10"): rational("1.3599907"), rational("1/100"): rational("14.4872662")}
"""The variances of Figure 3 by numbers of bits, rounded up in the eighth digit."""


def distribution(random: Random, size: int, least: int = 1) -> tuple[Rational, ...]:
    """Return a random distribution of small fractions with entries of at least `least` parts."""
    parts = [random.randint(least, 9) for _ in range(size)]
    if sum(parts) == 0:
        parts[0] = 1
    return tuple(Rational(part, sum(parts)) for part in parts)


def mechanism(random: Random, inputs: int, outputs: int, least: int = 1) -> Mechanism:
    """Return a random mechanism of small fractions."""
    return Mechanism([distribution(random, outputs, least) for _ in range(inputs)])


def mechanisms(count: int, seed: int, least: int = 0) -> Iterator[Case]:
    """Yield random mechanisms of two to four inputs and outputs, each at a level."""
    random = Random(seed)
    for k in range(count):
        inputs, outputs = random.randint(2, 4), random.randint(2, 4)
        yield {"mechanism": mechanism(random, inputs, outputs, least), "level": LEVELS[k % len(LEVELS)]}


def with_priors(count: int, seed: int, least: int = 0) -> Iterator[Case]:
    """Yield random mechanisms, each at a level and with a prior of full support."""
    random = Random(seed)
    for case in mechanisms(count, seed + 1, least):
        yield {**case, "prior": Prior(distribution(random, case["mechanism"].shape[0]))}


def positive(count: int, seed: int) -> Iterator[Case]:
    """Yield mechanisms without zeros, so that all divergences are finite, with priors."""
    return with_priors(count, seed, 1)


def breaking() -> Iterator[Case]:
    """Yield mechanisms with little mutual information that give one input away."""
    for level in LEVELS:
        yield {"mechanism": one_sided("9/50"), "prior": COIN, "level": level, "mu": rational("1/10")}
        yield {"mechanism": indicator(21, 20), "prior": NORMAL_DISTRIBUTION, "level": level, "mu": rational("1/10")}


def bounds() -> Iterator[Case]:
    """Yield numbers of bits with levels."""
    for mu, level in product(BOUNDS, LEVELS):
        yield {"mu": mu, "level": level}


def channels(count: int, seed: int) -> Iterator[Case]:
    """Yield crossover probabilities of binary channels on a grid with noiseless ends, and random ones."""
    grid = rationals(["0", "1/10", "3/10", "1/2", "4/5", "1"])
    for first, second in product(grid, repeat=2):
        yield {"first": first, "second": second}
    random = Random(seed)
    for _ in range(count):
        yield {"first": Rational(random.randint(1, 96), 97), "second": Rational(random.randint(1, 88), 89)}


def channel(first: Rational, second: Rational) -> Mechanism:
    """Return the binary channel with these crossover probabilities."""
    return Mechanism([[1 - first, first], [second, 1 - second]])


def pairs_of_distributions(count: int, seed: int) -> Iterator[Case]:
    """Yield pairs of distributions without zeros."""
    random = Random(seed)
    for _ in range(count):
        size = random.randint(2, 5)
        yield {"left": distribution(random, size), "right": distribution(random, size)}


def spectra(count: int, seed: int) -> Iterator[Case]:
    """Yield positive eigenvalues of the covariances of input and noise, up to four each."""
    random = Random(seed)
    for _ in range(count):
        size = random.randint(1, 4)
        first, second = ([Rational(random.randint(1, 30), 10) for _ in range(size)] for _ in range(2))
        yield {"input": tuple(first), "noise": tuple(second)}


def covariances(count: int, seed: int) -> Iterator[Case]:
    """Yield pairs of positive definite matrices of size two."""
    random = Random(seed)
    for _ in range(count):
        yield {name: _definite(random) for name in ("input", "noise")}


def _definite(random: Random) -> tuple[tuple[Rational, ...], ...]:
    a, b, c, d = (Rational(random.randint(-6, 6), 2) for _ in range(4))
    # B B^T plus the identity
    off = a * c + b * d
    return ((a * a + b * b + ONE, off), (off, c * c + d * d + ONE))


def diagonal(*entries: object) -> tuple[tuple[Rational, ...], ...]:
    """Return a diagonal matrix."""
    values = rationals(entries)
    return tuple(tuple(value if i == j else ZERO for j in range(len(values))) for i, value in enumerate(values))
