r"""Informations, over all laws, of mechanisms that are a product off the diagonal, in as many numbers as kinds.

They are concave (or quasi-concave) in the distribution and do not change when categories of a kind are exchanged, so
that some best distribution is even within each kind: one unknown per kind is left. The distribution of the output that
belongs to the distribution found bounds the information of all distributions from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.exact.enclosure import Logarithm, greatest, power, sum_of_logs
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.notions.base import Loss, Witness
from epstar.notions.measure.least_favourable import Concave, best_law
from epstar.notions.measure.rank_one import Kind, RankOne
from epstar.notions.measure.rank_one_information import add_row, is_constant, power_excess
from epstar.source import Everything

Floats = NDArray[np.float64]

_MOST_KINDS = 200
_BITS = 128
_VANISHING = Rational(1, 1 << 400)


def information_over_all_laws(rank_one: RankOne) -> Loss | None:
    """Return the capacity between two bounds, which agree where one kind alone is best; None for too many kinds."""
    kinds = rank_one.kinds
    if len(kinds) > _MOST_KINDS:
        return None
    images = _nearest([[_received(first, second) for second in kinds] for first in kinds])
    counts = np.log([float(kind.count) for kind in kinds])
    entropies = np.array([_negative_entropy(rank_one, kind) for kind in kinds])
    objective = Concave(images, entropies + images @ counts, lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u)
    best: Loss | None = None
    for masses in _candidates(objective):
        losses = _divergences(rank_one, masses)
        # An infinite divergence at a kind without mass counts for the maximum alone.
        mean = Real.of(ZERO)
        for real, mass in zip(losses, masses, strict=True):
            if mass != 0:
                mean = real * mass + mean if mass != 1 else real
        _, upper = greatest(enumerate(losses))
        lower = upper if any(mass == 1 and real is upper for real, mass in zip(losses, masses, strict=True)) else mean
        found = Loss(float(lower), Witness(prior=_even_law(rank_one, masses)), lower, upper)
        if best is None or (best.upper is not None and upper.upper < best.upper.upper):
            best = found
    return best


def sibson_over_all_laws(rank_one: RankOne, order: Rational) -> Loss | None:
    """Return the supremum of Sibson's information between two bounds; None for too many kinds."""
    kinds = rank_one.kinds
    if len(kinds) > _MOST_KINDS:
        return None
    if is_constant(rank_one):
        return Loss.known(Real.of(ZERO), Witness())
    exponent, sign = float(1 / nearest_floats([order])[0]), 1.0 if order > 1 else -1.0
    counts = np.array([float(kind.count) for kind in kinds])
    # In units of the largest entry of each column, powers of a large order do not vanish all at once.
    entries = _nearest([[first.input * second.output for second in kinds] for first in kinds])
    diagonals = nearest_floats([kind.diagonal for kind in kinds])
    largest = np.maximum(entries.max(axis=0), diagonals)
    largest = np.where(largest > 0, largest, 1.0)
    floats = (entries / largest) ** (1 / exponent)
    own = np.diag_indices(len(kinds))
    floats[own] += ((diagonals / largest) ** (1 / exponent) - floats[own]) / counts
    high = np.where(floats.max(axis=0) > 0, floats.max(axis=0), 1.0)
    scale = counts * largest * high**exponent
    objective = Concave(
        floats / high,
        np.zeros(len(kinds)),
        lambda u: sign * scale * exponent * u ** (exponent - 1),
        lambda u: sign * scale * exponent * (1 - exponent) * u ** (exponent - 2),
        relative=True,
    )
    best: Loss | None = None
    for masses in _candidates(objective):
        lower = Real.from_ball(partial(_even_sibson, rank_one, masses, order))
        image = scale * (nearest_floats(masses) @ objective.images) ** exponent
        upper = _sibson_upper(rank_one, image / counts, order)
        if best is None or (best.upper is not None and upper.upper < best.upper.upper):
            best = Loss(float(lower), Witness(prior=_even_law(rank_one, masses)), lower, upper)
    return best


def _even_sibson(rank_one: RankOne, masses: Sequence[Rational], order: Rational, _bits: int) -> Ball:
    """Sibson's information at the distribution that is even within each kind."""
    mean, total = Ball(0), Ball(0)
    for kind, mass in zip(rank_one.kinds, masses, strict=True):
        mean += power(kind.input, order) * mass
    for kind, mass in zip(rank_one.kinds, masses, strict=True):
        inner = mean * power(kind.output, order) + power_excess(kind, order) * (mass / kind.count)
        if not inner.is_zero():
            total += (inner.log() / order).exp() * kind.count
    return total.log() * order / (order - 1)


def _sibson_upper(rank_one: RankOne, shares: Floats, order: Rational) -> Real:
    """1/(order-1) log of the extreme over inputs of sum_y Q(y|x)^order r(y)^(1-order), for a law r even in kinds."""
    exact = [Rational(*share.as_integer_ratio()) for share in shares.tolist()]
    total = sum_of([share * kind.count for share, kind in zip(exact, rank_one.kinds, strict=True)])
    law = [share / total for share in exact]
    pairs = list(zip(rank_one.kinds, law, strict=True))
    # In units of the largest ratio no power of a large order overflows.
    ratios = [kind.input * other.output / r for kind in rank_one.kinds for other, r in pairs if r > 0]
    largest = max(ratios + [kind.diagonal / r for kind, r in pairs if r > 0])
    costs = []
    for kind, own in pairs:
        if any(r == 0 and _received(kind, other) > 0 for other, r in pairs):
            if order > 1:
                return INFINITY
            continue

        def cost(_: int, kind: Kind = kind, own: Rational = own) -> Ball:
            # A cost that vanishes may as well be a little larger, where costs are bounded from above.
            result = Ball(_VANISHING if order > 1 else ZERO)
            if own > 0:
                for entry, sign in ((kind.diagonal, 1), (kind.input * kind.output, -1)):
                    result += _ratio_power(entry, own * largest, order) * sign
            for other, r in pairs:
                if r > 0:
                    result += _ratio_power(kind.input * other.output, r * largest, order) * other.count
            return result

        costs.append(Real.from_ball(cost))
    if order > 1:
        extreme = max(real.above(_BITS) for real in costs)
    else:
        extreme = max(ZERO, min(real.below(_BITS) for real in costs)) if len(costs) == len(law) else ZERO
    return INFINITY if extreme == 0 else Real.log(extreme) / (order - 1) + Real.log(largest)


def _ratio_power(entry: Rational, law: Rational, order: Rational) -> Ball:
    """Return entry (entry / distribution)^(order-1)."""
    return power(entry / law, order - 1) * entry if entry > 0 else Ball(0)


def _nearest(rows: Sequence[Sequence[Rational]]) -> Floats:
    return np.array([nearest_floats(row) for row in rows])


def _candidates(objective: Concave) -> list[tuple[Rational, ...]]:
    """Probabilities of the kinds that may be best: each kind alone, and the best mixture in floats."""
    count = len(objective.images)
    alone = [tuple(ONE if place == kind else ZERO for place in range(count)) for kind in range(count)]
    return alone if count == 1 else [*alone, best_law(objective, Everything(count))]


def _even_law(rank_one: RankOne, masses: Sequence[Rational]) -> tuple[Rational, ...]:
    """The distribution that gives each kind a probability and its categories equal shares of it."""
    shares = [mass / kind.count for mass, kind in zip(masses, rank_one.kinds, strict=True)]
    return tuple(rank_one.expanded(shares))


def _negative_entropy(rank_one: RankOne, kind: Kind) -> float:
    logs: list[Logarithm] = []
    add_row(rank_one, kind, ONE, logs)
    return float(sum_of_logs(logs))


def _divergences(rank_one: RankOne, masses: Sequence[Rational]) -> list[Real]:
    """KL(Q(.|x) || r) of each kind of input at the distribution that is even within each kind."""
    mean = sum_of([kind.input * mass for kind, mass in zip(rank_one.kinds, masses, strict=True)])
    law = [
        kind.output * mean + kind.excess * mass / kind.count for kind, mass in zip(rank_one.kinds, masses, strict=True)
    ]
    found = []
    for kind, own in zip(rank_one.kinds, law, strict=True):
        logs: list[Logarithm] = []
        finite = True
        for other, r in zip(rank_one.kinds, law, strict=True):
            entry, count = kind.input * other.output, other.count - (other is kind)
            finite = finite and _add_ratio(entry, r, entry * count, logs)
        finite = finite and _add_ratio(kind.diagonal, own, kind.diagonal, logs)
        found.append(sum_of_logs(logs) if finite else INFINITY)
    return found


def _add_ratio(entry: Rational, law: Rational, weight: Rational, logs: list[Logarithm]) -> bool:
    """Add weight log(entry / distribution); False if it is infinite."""
    if weight == 0:
        return True
    if law == 0:
        return False
    logs.append((entry / law, weight))
    return True


def _received(first: Kind, second: Kind) -> Rational:
    """The probability that an input of the first kind gives some output of the second."""
    return first.input * second.output * second.count + (first.excess if first is second else ZERO)
