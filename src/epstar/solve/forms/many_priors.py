"""Hamming distortion and differential privacy for a long list of priors on many letters.

The program of `epstar.solve.program.diagonal` finds a diagonal and weights in floats. The weights are rounded
so that the mixture they make has one denominator, and the diagonal to tickets that keep within the level; both stay
integers to the end.
"""

from __future__ import annotations

import numpy as np

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS
from epstar.exact import ONE, Rational, Real
from epstar.exact.common_denominator import Scaled
from epstar.mechanism import DiagonalMechanism
from epstar.problem import Problem
from epstar.solve.forms.randomised_response import LARGE_LEVEL, Leaders, row_prices
from epstar.solve.program.diagonal import Floats, best_diagonal
from epstar.source import Finite, Hull
from epstar.universe import Alphabet

# Bits of all probabilities: with fewer an exact program is as quick, whose fractions grow with them.
_MANY = 100_000
# Bits of the weights, as many as floats have, and of the entries of the diagonal, which integers of 64 bits hold.
_WEIGHT_BITS, _TICKET_BITS = 53, 61
# Nats: below this level a diagonal is nearly constant, and floats tell little of it.
_LEAST_LEVEL = 1e-6
# Rounds of a search from below, each of which leads closer, until one does so by less than floats tell.
_MOST_ROUNDS, _SETTLED = 30, 1e-14


def with_many_priors(problem: Problem) -> Proof | None:
    """Return the answer with its proof for a large listed source; None where it is not large, or nearly constant."""
    source, universe = problem.source, problem.universe
    if not isinstance(source, Finite | Hull) or not isinstance(universe, Alphabet):
        return None
    if source.counts is None or source.size * sum(law.denominator.bit_length() for law in source.counts) < _MANY:
        return None
    if problem.asks == "loss":
        return _least_loss(problem, source, universe)
    if not _LEAST_LEVEL < float(problem.given) < LARGE_LEVEL:
        return None
    found = best_diagonal(source.floats, float(Real.exp(problem.given)))
    weights = _weights(source, found.weights)
    law = source.mixed(weights)
    diagonal = _within_level(found.diagonal, Real.exp(problem.given).below(BITS))
    if law is None or diagonal is None:
        return None
    prices = row_prices(law, Real.exp(problem.given).above(BITS))
    converse = Converse(ONE, ((ONE, law),), weights=weights, prices=prices)
    return Proof(problem, DiagonalMechanism(universe, diagonal), converse)


def _least_loss(problem: Problem, source: Finite | Hull, universe: Alphabet) -> Proof | None:
    """Find the level from below: what a mixture of the priors needs at the distortion, until no mixture needs more."""
    distortion = problem.given.below()
    weights = np.full(source.count, 1 / source.count)
    ratio = 1.0
    for _ in range(_MOST_ROUNDS):
        needed = _least_ratio(weights @ source.floats, float(distortion))
        if not 1 + _LEAST_LEVEL < needed < np.exp(LARGE_LEVEL):
            return None
        if needed <= ratio * (1 + _SETTLED):
            break
        ratio = needed
        found = best_diagonal(source.floats, ratio)
        weights = found.weights / found.weights.sum()
    exact = _weights(source, weights)
    law = source.mixed(exact)
    diagonal = _within_level(found.diagonal, Rational(*ratio.as_integer_ratio()))
    if law is None or diagonal is None or max(law) >= 1 - distortion:
        return None
    short = 1 - distortion - source.minimum(diagonal).value
    if short > 0:
        # Rounding left the worst member a little short: move towards answering every letter truthfully.
        share = Rational(1, 1 << _TICKET_BITS) + short / (short + distortion)
        diagonal = tuple(q + share * (1 - q) for q in diagonal)
    level = Leaders.of(law).least_ratio(distortion)[0]
    converse = Converse(ONE, ((ONE, law),), level=Real.log(level), weights=exact, prices=row_prices(law, level))
    return Proof(problem, DiagonalMechanism(universe, diagonal), converse)


def _least_ratio(law: Floats, distortion: float) -> float:
    """Return the least E of one law at a distortion, in floats."""
    sums = np.cumsum(np.sort(law)[::-1])
    if sums[0] >= 1 - distortion:
        return 1.0
    spare = sums[1:] - (1 - distortion)
    with np.errstate(divide="ignore"):
        return float((np.arange(1, law.size) * (1 - distortion) / np.where(spare > 0, spare, 0.0)).min())


def _weights(source: Finite | Hull, weights: Floats) -> tuple[Rational, ...]:
    """Return weights near the given ones that are whole multiples of the denominators of the points."""
    scale = float(1 << _WEIGHT_BITS) / float(weights.sum())
    denominators = [entry.denominator for entry in source.counts or ()]
    largest = max(denominators)
    pairs = zip(weights.tolist(), denominators, strict=True)
    parts = [round(weight * scale) * largest // denominator * denominator for weight, denominator in pairs]
    total = sum(parts)
    return tuple(Rational(part, total) for part in parts)


def _within_level(diagonal: Floats, ratio: Rational) -> tuple[Rational, ...] | None:
    """Return a diagonal of tickets near the given one with (E - 1) max q + sum q <= E; None if it sums to less than 1.

    Scaled down by what it oversteps, and by one ticket for each letter.
    """
    scale = float(ratio) / ((float(ratio) - 1) * float(diagonal.max()) + float(diagonal.sum()))
    unit = 1 << _TICKET_BITS
    for spare in (4e-16, 1e-14, 1e-12, 1e-10):
        tickets = np.floor(diagonal * (scale * (1 - spare)) * float(unit)).astype(np.int64)
        # Many letters may be kept, so that the sum needs more room than a word.
        total, most = sum(tickets.tolist()), int(tickets.max())
        if (ratio - 1) * most + total <= ratio * unit and most <= unit:
            return Scaled(tickets, unit).fractions() if total >= unit else None
    return None
