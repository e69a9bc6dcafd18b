"""Random exact mechanisms and priors, with zeros, ties and nearly equal rows."""

from __future__ import annotations

import random

from epstar.exact import Rational
from epstar.mechanism import Mechanism
from epstar.source import Prior
from epstar.universe import Alphabet


def law(chance: random.Random, size: int, largest: int, zeros: bool) -> tuple[Rational, ...]:
    while True:
        weights = [chance.randint(0 if zeros else 1, largest) for _ in range(size)]
        if any(weights):
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def channel(chance: random.Random) -> tuple[Mechanism, Prior]:
    """A mechanism on 2 to 4 inputs, sharp or flat, and a prior of full support."""
    inputs, outputs = chance.randint(2, 4), chance.randint(2, 4)
    zeros = chance.random() < 0.3
    largest = chance.choice([3, 9, 40])
    rows = [law(chance, outputs, largest, zeros) for _ in range(inputs)]
    if chance.random() < 0.5:  # nearly equal rows: small losses
        share = Rational(1, chance.choice([2, 5, 20]))
        common = law(chance, outputs, 9, zeros)
        rows = [tuple(share * p + (1 - share) * c for p, c in zip(row, common, strict=True)) for row in rows]
    prior = law(chance, inputs, chance.choice([1, 4, 20]), zeros=False)
    return Mechanism(rows, Alphabet(inputs)), Prior(prior)
