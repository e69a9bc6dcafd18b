r"""Informations, at one prior, of mechanisms that are a product off the diagonal, in O(categories).

The distribution of the output is r(y) = b mean + p(y) (d - ab), and the entropies of the rows depend on kinds alone.
What is left is one logarithm or power per category: balls for few categories, arrays with a proven error for many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, float_above, float_below
from epstar.exact.elementary import ERROR, exponentials, growth, logarithms
from epstar.exact.enclosure import Logarithm, greatest, power, sum_of_logs
from epstar.exact.vectors import nearest_floats
from epstar.notions.base import Loss, Witness
from epstar.notions.measure.over_sources import largest_loss
from epstar.notions.measure.rank_one import Kind, Letter, RankOne
from epstar.source import Prior, Source

Floats = NDArray[np.float64]

# From this many letters on, balls one by one are too slow.
_MANY_LETTERS = 1 << 11
# Numbers from here on, products of two and sums of such products are off by a few roundings.
_SMALLEST = 2.0**-400
_BITS = 128


def information_at(rank_one: RankOne, prior: Prior) -> Loss:
    """Return the mutual information at one prior."""
    witness = Witness(prior=prior.probabilities)
    if rank_one.size < _MANY_LETTERS or not _are_held(rank_one, prior):
        return Loss.known(sum_of_logs(rank_one.logs_of_information(prior)), witness)
    rows = sum_of_logs(rank_one.logs_of_rows(prior))
    law, logarithm = _output_law(rank_one, prior)
    terms = law * -logarithm
    entropy, size = math.fsum(terms.tolist()), math.fsum(np.abs(terms).tolist())
    # The law is off by five roundings, and x log x by 1 + |log x| times that.
    error = 1.01 * (growth(5) * (size + 1.1) + (ERROR + growth(4)) * size)
    return _between(rows, entropy - error, entropy + error, witness)


def divergence_at(rank_one: RankOne, prior: Prior) -> Loss:
    """Return the largest KL(Q(.|x) || r) at one prior: that of one of the typical categories."""
    if rank_one.size * len(rank_one.kinds) < _MANY_LETTERS:
        best, real = greatest((letter, real) for letter, real in _enclosed_divergences(rank_one, prior))
        return Loss.known(real, Witness((best.place,), prior=prior.probabilities))
    return largest_loss([loss for _, loss in _divergences(rank_one, prior)])


def mean_divergence_above(rank_one: RankOne, source: Source, prior: Prior) -> Real:
    """Return a number that the mutual information at no distribution of the source exceeds.

    It is the largest mean over the source of KL(Q(.|x) || r), with the r of one prior, rounded up to the largest
    divergence of each kind.
    """
    most: dict[int, Rational] = {}
    for letter, loss in _divergences(rank_one, prior):
        if loss.upper is None or loss.upper.is_infinite:
            return INFINITY
        place = rank_one.kinds.index(letter.kind)
        most[place] = max(most.get(place, ZERO), loss.upper.above(_BITS))
    return Real.of(source.maximum(rank_one.expanded([most[place] for place in range(len(rank_one.kinds))])).value)


def _enclosed_divergences(rank_one: RankOne, prior: Prior) -> Iterator[tuple[Letter, Real]]:
    """KL(Q(.|x) || r) of the typical categories, in balls."""
    exact = rank_one.output_law(prior)
    for letter in rank_one.typical(prior):
        logs = rank_one.logs_of_divergence(letter, exact)
        yield letter, INFINITY if logs is None else sum_of_logs(logs)


def _divergences(rank_one: RankOne, prior: Prior) -> list[tuple[Letter, Loss]]:
    """KL(Q(.|x) || r) of the typical categories, which are the extremes of each kind."""
    if not _are_held(rank_one, prior):
        return [
            (letter, Loss.known(real, Witness((letter.place,), prior=prior.probabilities)))
            for letter, real in _enclosed_divergences(rank_one, prior)
        ]
    outputs, logarithm = _output_law(rank_one, prior)
    offered = np.zeros(rank_one.size)
    for kind in rank_one.kinds:
        offered[kind.members] = nearest_floats([kind.output])[0]
    total = math.fsum((offered * logarithm).tolist())
    unreached = np.flatnonzero((offered > 0) & (outputs <= 0))
    losses = []
    for letter in rank_one.typical(prior):
        kind, own = letter.kind, float(outputs[letter.place])
        elsewhere = np.any(unreached != letter.place) and kind.input > 0
        witness = Witness((letter.place,), prior=prior.probabilities)
        if elsewhere or (own <= 0 and kind.diagonal > 0):
            losses.append((letter, Loss.known(INFINITY, witness)))
            continue
        logs: list[Logarithm] = []
        add_row(rank_one, kind, ONE, logs)
        given, excess = nearest_floats([kind.input, kind.excess]).tolist()
        parts = -given * total, -excess * float(logarithm[letter.place])
        error = 1.01 * ((ERROR + growth(12)) * (abs(parts[0]) + abs(parts[1])) + growth(5))
        losses.append((letter, _between(sum_of_logs(logs), sum(parts) - error, sum(parts) + error, witness)))
    return losses


def sibson_at(rank_one: RankOne, prior: Prior, order: Rational) -> Loss:
    """Return Sibson's information of an order other than 1 at one prior."""
    witness = Witness(prior=prior.probabilities)
    if sum(p != 0 for p in prior.probabilities) == 1 or is_constant(rank_one):
        return Loss.known(Real.of(ZERO), witness)
    masses = rank_one.masses(prior)

    def coefficients() -> list[tuple[Ball, Ball]]:
        mean = Ball(0)
        for kind, mass in zip(rank_one.kinds, masses, strict=True):
            mean += power(kind.input, order) * mass
        return [(mean * power(kind.output, order), power_excess(kind, order)) for kind in rank_one.kinds]

    if rank_one.size < _MANY_LETTERS or not _are_held(rank_one, prior, coefficients):

        def enclose(_: int) -> Ball:
            total = Ball(0)
            for kind, (common, excess) in zip(rank_one.kinds, coefficients(), strict=True):
                for x in kind.members.tolist():
                    inner = common + excess * prior.probabilities[x]
                    if not inner.is_zero():
                        total += (inner.log() / order).exp()
            return total.log() * order / (order - 1)

        return Loss.known(Real.from_ball(enclose), witness)
    low = _sum_of_roots(rank_one, prior, order, coefficients, upward=False)
    high = _sum_of_roots(rank_one, prior, order, coefficients, upward=True)
    ends = sorted([Real.log(total) * (order / (order - 1)) for total in (low, high)], key=float)
    return _loss(max(ZERO, ends[0].below(_BITS)), ends[1].above(_BITS), witness)


def _sum_of_roots(
    rank_one: RankOne,
    prior: Prior,
    order: Rational,
    coefficients: Callable[[], list[tuple[Ball, Ball]]],
    upward: bool,
) -> Rational:
    """A bound on the sum over outputs of (sum_x p(x) Q(y|x)^order)^(1/order), from above or from below."""
    inner = np.zeros(rank_one.size)
    for place, kind in enumerate(rank_one.kinds):
        pair = [Real.from_ball(partial(_coefficient, coefficients, place, i)) for i in (0, 1)]
        ends = [float_above(real.above(_BITS)) if upward else float_below(real.below(_BITS)) for real in pair]
        common, excess = (max(0.0, end) for end in ends)
        inner[kind.members] = common + excess * prior.floats[kind.members]
    inner = inner[inner > 0]
    divisor = float(nearest_floats([order])[0])
    exponents = logarithms(inner) / divisor
    roots = exponentials(exponents)
    # Three roundings in the sums, the error of a logarithm and its quotient, and that of the exponential.
    relative = growth(8) + 1.01 * (ERROR + growth(6)) * np.abs(exponents) + ERROR + growth(5) / divisor
    error = 1.01 * math.fsum((roots * relative).tolist()) + 1e-250 * rank_one.size
    total = math.fsum(roots.tolist())
    return Rational(*(total + error if upward else total - error).as_integer_ratio())


def _coefficient(coefficients: Callable[[], list[tuple[Ball, Ball]]], place: int, i: int, _bits: int) -> Ball:
    return coefficients()[place][i]


def add_row(rank_one: RankOne, kind: Kind, weight: Rational, logs: list[Logarithm]) -> None:
    """Add weight times sum_y Q log Q of an input of a kind, as weights of logarithms."""
    for other in rank_one.kinds:
        entry = kind.input * other.output
        if entry > 0:
            logs.append((entry, weight * entry * (other.count - (other is kind))))
    if kind.diagonal > 0:
        logs.append((kind.diagonal, weight * kind.diagonal))


def _output_law(rank_one: RankOne, prior: Prior) -> tuple[Floats, Floats]:
    """The distribution of the output within five roundings, and its logarithms, where arrays hold it; zero has none."""
    mean, law = rank_one.mean_input(prior), np.zeros(rank_one.size)
    for kind in rank_one.kinds:
        common, excess = nearest_floats([kind.output * mean, kind.excess]).tolist()
        law[kind.members] = common + excess * prior.floats[kind.members]
    return law, logarithms(np.where(law > 0, law, 1.0))


def _are_held(
    rank_one: RankOne, prior: Prior, coefficients: Callable[[], list[tuple[Ball, Ball]]] | None = None
) -> bool:
    """Return whether arrays hold sums of a common number and an excess times a probability, each to a few roundings.

    They do where no term is negative, so that none cancels, and none that is positive is so small as to vanish. The
    numbers are those of the distribution of the output, or the given coefficients.
    """
    if np.count_nonzero(prior.floats) < sum(p != 0 for p in prior.probabilities):
        return False
    if prior.floats[prior.floats > 0].min() < _SMALLEST:
        return False
    mean = rank_one.mean_input(prior)
    for place, kind in enumerate(rank_one.kinds):
        exact = kind.output * mean, kind.excess
        if coefficients is None:
            lower = exact
        else:
            reals = [Real.from_ball(partial(_coefficient, coefficients, place, i)) for i in (0, 1)]
            lower = reals[0].below(_BITS), reals[1].below(_BITS)
        if any(number != 0 and float_below(least) < _SMALLEST for number, least in zip(exact, lower, strict=True)):
            return False
    return True


def power_excess(kind: Kind, order: Rational) -> Ball:
    """Return d^order - (ab)^order of a kind, at the precision in force."""
    return power(kind.diagonal, order) - power(kind.input * kind.output, order)


def is_constant(rank_one: RankOne) -> bool:
    """Return whether all inputs give the same distribution."""
    return all(column.high == column.low for column in rank_one.kind_columns())


def _between(exact: Real, low: float, high: float, witness: Witness) -> Loss:
    """The loss that is an exact number plus one between two floats; losses are never negative."""
    least = exact.below(_BITS) + Rational(*low.as_integer_ratio())
    most = exact.above(_BITS) + Rational(*high.as_integer_ratio())
    return _loss(max(ZERO, least), max(ZERO, most), witness)


def _loss(lower: Rational, upper: Rational, witness: Witness) -> Loss:
    return Loss(float(nearest_floats([(lower + upper) / 2])[0]), witness, Real.of(lower), Real.of(upper))
