"""Sibson's mutual information of any order: from mutual information (1) to maximal leakage (infinity)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Ball, Number, Rational, Real, rationalise, smallest
from epstar.exact.enclosure import bits_taken, greatest, of_order, power
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Norm, SumBound
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.notions.measure.by_distance import largest_at_uniform
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.least_favourable import Concave, best_law, covering_laws
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_capacity import sibson_over_all_laws
from epstar.notions.measure.rank_one_information import sibson_at
from epstar.notions.measure.renyi_divergence import divergence as renyi_divergence
from epstar.notions.mutual_information import MutualInformation, informations
from epstar.notions.order import Order, read_order, text_of_order
from epstar.notions.priors import float_law, float_output_law, in_floats, listed_laws, required
from epstar.source import Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]

_COST_BITS, _LAW_BITS = 128, 80
# Up to this order floats take logarithms of sums; below this one powers of an inverse order may all vanish, so
# that the worst law is looked for at these orders, too.
_SMALL, _TINY_ORDER = 0.5, Rational(1, 8)
_STANDING_IN = (1 / 16, 1 / 64, 1 / 180)
# An interval that is wider than this is told by its upper end.
_WIDE = 1e-9
_NEAR_ONE, _LEAST_EXCESS = Rational(1, 10), 1e-300
_VANISHING = Rational(1, 1 << 400)
_EXACT_BITS = 256


def sibson_informations(matrix: Floats, prior: Floats, order: float) -> Floats:
    """Return order/(order-1) log sum_y (sum_x P(x) Q(y|x)^order)^(1/order), over the last two axes."""
    law = float_output_law(prior, matrix)
    if order <= _SMALL:
        return _of_small_order(matrix, prior, order)
    if order <= 2:
        # Near order 1 the sum is near 1: the excess over 1 is computed by itself, so nothing cancels.
        safe = np.where(law > 0, law, 1.0)[..., None, :]
        ratios = np.where(prior[..., :, None] > 0, matrix / safe, 0.0)
        with np.errstate(divide="ignore"):
            growth = ratios * np.expm1((order - 1) * np.log(np.maximum(ratios, 1e-300)))
        excess = np.where(law > 0, float_output_law(prior, growth), 0.0)
        with np.errstate(divide="ignore"):
            total = (law * np.expm1(np.log1p(np.maximum(excess, -1.0)) / order)).sum(axis=-1)
            return np.asarray(order / (order - 1) * np.log1p(total))
    high = np.where(prior[..., :, None] > 0, matrix, 0.0).max(axis=-2)
    scaled = matrix / np.where(high > 0, high, 1.0)[..., None, :]
    inner = float_output_law(prior, np.where(prior[..., :, None] > 0, scaled, 0.0) ** order)
    return np.asarray(order / (order - 1) * np.log((high * inner ** (1 / order)).sum(axis=-1)))


def _of_small_order(matrix: Floats, prior: Floats, order: float) -> Floats:
    """The same by logarithms: a large power of a sum may vanish, and the excess of a sum over one may be -1."""
    with np.errstate(divide="ignore"):
        # An entry of zero has the power 0, however small the order.
        excess = np.where(matrix > 0, np.expm1(order * np.log(np.where(matrix > 0, matrix, 1.0))), -1.0)
        logs = np.log1p(np.maximum(float_output_law(prior, excess), -1.0)) / order
        high = logs.max(axis=-1, keepdims=True)
        total = np.log(np.exp(logs - high).sum(axis=-1)) + high[..., 0]
    return np.asarray(order / (order - 1) * total)


@dataclass(frozen=True, init=False)
class SibsonMutualInformation(Notion):
    """The mutual information of order a: a/(a-1) log sum_y (sum_x P(x) Q(y|x)^a)^(1/a).

    Order 1 is mutual information. Order infinity is maximal leakage, over all inputs; it is the limit for
    priors that exclude no input. Source: zhong2022, Definition 3(6) and Lemma 20(6), (7). Over a source set
    it is the supremum; a set and its hull differ.

    >>> from epstar import Mechanism, Prior
    >>> mechanism = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> round(SibsonMutualInformation(2).loss(mechanism, Prior([0.5, 0.5])).value, 6)
    0.223144
    """

    name: ClassVar[str] = "sibson_mutual_information"
    title: ClassVar[str] = "Sibson mutual information"
    is_concave_in_prior: ClassVar[bool] = True
    needs_source: ClassVar[bool] = True
    order: Order

    def __init__(self, order: Number) -> None:
        object.__setattr__(self, "order", read_order(order))
        if isinstance(self.order, float):
            # Maximal leakage is the same whatever the distribution of the inputs is.
            object.__setattr__(self, "needs_source", False)
            object.__setattr__(self, "is_concave_in_prior", False)

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss: an enclosure at one prior, or two bounds over a convex source.

        The upper bound over a convex source is the largest Rényi divergence of the joint distribution from P times r,
        for the distribution r that is optimal at the prior found. They are some 1e-13 apart. Below order 1/8 they may
        lie farther apart, where floats do not find the worst distribution; the value is then the upper one.
        """
        if isinstance(self.order, float):
            return MaximalLeakage().loss(mechanism, source)
        source = required(source, mechanism, self.title)
        if self.order == 1:
            return MutualInformation().loss(mechanism, source)
        by_row = sum_over_rows(self, mechanism, source)
        if by_row is not None:
            return by_row
        order = self.order
        by_distance = largest_at_uniform(mechanism, source, lambda row, law: renyi_divergence(row, law, order))
        if by_distance is not None:
            return by_distance
        rank_one = RankOne.of(mechanism)
        by_letters = None
        if rank_one is not None:
            at = partial(sibson_at, rank_one, order=self.order)
            by_letters = over_letters(source, at, partial(sibson_over_all_laws, rank_one, self.order))
        if by_letters is not None:
            return by_letters
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        laws = listed_laws(source)
        if laws is None and dense.is_exact and len(set(dense.rows)) == 1:
            # A constant mechanism loses exactly nothing, which no enclosure can say.
            return Loss.known(Real.of(0), Witness())
        if laws is None:
            return _supremum(dense, source, self.order)
        if not dense.is_exact:
            found = (_in_floats(dense, law, floats, self.order) for law, floats in in_floats(laws, source))
            return max(found, key=lambda loss: loss.value)
        witness, real = greatest((Witness(prior=law), information(dense.rows, law, self.order)) for law in laws)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a sum of weighted norms for each point of the source."""
        order = self.order
        if isinstance(order, float):
            return MaximalLeakage().constraints(universe, points)
        if order == 1:
            return MutualInformation().constraints(universe, points)
        scale = Exponential(rate=(order - 1) / order)
        return Constraints(
            sums=tuple(
                SumBound(((ONE, Norm({x: p for x, p in enumerate(point) if p != 0}, order)),), scale, (i,))
                for i, point in enumerate(points)
            )
        )

    def parameters(self) -> dict[str, object]:
        """Return the order as it stands in a problem file."""
        return {"order": text_of_order(self.order)}


def information(rows: Sequence[Sequence[Rational]], prior: Point, order: Rational) -> Real:
    """Return an enclosure of Sibson's information at one prior; zero is recognised."""
    used = [(weight, row) for weight, row in zip(prior, rows, strict=True) if weight != 0]
    if all(row == used[0][1] for _, row in used):
        return Real.of(ZERO)
    columns = list(zip(*(row for _, row in used), strict=True))
    weights = [weight for weight, _ in used]

    def enclose() -> Ball:
        total = Ball(0)
        for column in in_time(columns):
            # With the largest entry taken out, powers of a large order do not vanish all at once.
            largest = max(column)
            if largest != 0:
                inner = Ball(0)
                for weight, entry in zip(weights, column, strict=True):
                    inner += power(entry / largest, order) * weight
                total += (inner.log() / order).exp() * largest
        return total.log() * order / (order - 1)

    return of_order(order, enclose)


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats, order: Rational) -> Loss:
    number = _float(order)
    at = informations(mechanism.floats, prior) if number == 1 else sibson_informations(mechanism.floats, prior, number)
    return Loss(max(0.0, float(at)), Witness(prior=law))


def _float(number: Rational) -> float:
    return float(nearest_floats([number])[0])


def _supremum(mechanism: Mechanism, source: Source, order: Rational) -> Loss:
    # Next to an answer to a letter that nothing produces, powers of a large order may all vanish.
    used = [any(probabilities) for probabilities in zip(*covering_laws(source), strict=True)]
    matrix = np.where(np.array(used)[:, None], mechanism.floats, 0.0)
    high = np.where(matrix.max(axis=0) > 0, matrix.max(axis=0), 1.0)
    if order < _TINY_ORDER:
        return _of_tiny_order(mechanism, source, order, used, matrix, high)
    near = abs(order - 1) < _NEAR_ONE
    law = best_law(_near_one(matrix, order) if near else _norms(matrix / high, high, _float(order)), source)
    if not mechanism.is_exact:
        return _in_floats(mechanism, law, float_law(law), order)
    lower = information(mechanism.rows, law, order)
    upper = _upper(mechanism.rows, used, _best_output(matrix, high, law, _float(order)), source, order)
    return Loss(float(lower), Witness(prior=law), lower, upper)


def _of_tiny_order(
    mechanism: Mechanism, source: Source, order: Rational, used: Sequence[bool], matrix: Floats, high: Floats
) -> Loss:
    """The best bounds that the worst distributions of this order and of others give, until they are near.

    Where they are not, the value is the upper one. Floats prove nothing, but what they stand for is enclosed likewise.
    """
    exact = mechanism if mechanism.is_exact else mechanism.exact(_EXACT_BITS)
    own = _float(order)
    lowers: list[tuple[Witness, Real]] = []
    uppers: list[Real] = []
    for other in (own, *_STANDING_IN):
        law = best_law(_norms(matrix / high, high, other), source)
        lowers.append((Witness(prior=law), information(exact.rows, law, order)))
        outputs = [_best_output(matrix, high, law, at) for at in {own, other}]
        uppers += [_upper(exact.rows, used, output, source, order) for output in outputs]
        (witness, lower), upper = greatest(lowers), smallest(uppers)
        width = upper.upper - lower.lower
        if width <= _WIDE:
            break
    value = float(lower) if width <= _WIDE else upper.upper
    return Loss(value, witness, lower, upper) if mechanism.is_exact else Loss(value, witness)


def _best_output(matrix: Floats, high: Floats, law: Point, order: float) -> Floats:
    """The distribution of the output from which the rows are nearest at a distribution of the input."""
    with np.errstate(divide="ignore"):
        logs = np.log(high) + np.log(float_law(law) @ (matrix / high) ** order) / order
    inner = np.exp(logs - logs.max())
    return np.asarray(inner / inner.sum())


def _norms(scaled: Floats, high: Floats, order: float) -> Concave:
    """The sum of norms, or minus that for an order below one."""
    exponent, sign = 1 / order, 1.0 if order > 1 else -1.0
    return Concave(
        scaled**order,
        np.zeros(len(scaled)),
        lambda u: sign * high * exponent * u ** (exponent - 1),
        lambda u: sign * high * exponent * (1 - exponent) * u ** (exponent - 2),
        relative=True,
    )


def _near_one(matrix: Floats, order: Rational) -> Concave:
    """The excess of the sum of norms over one, over the order less one: near order one nothing cancels."""
    excess = _float(order - 1) or _LEAST_EXCESS
    exponent = 1 / (1 + excess)
    logs = np.log(np.where(matrix > 0, matrix, 1.0))
    growth = matrix * np.expm1(excess * logs)
    return Concave(
        matrix + growth,
        growth.sum(axis=1) / excess,
        lambda u: exponent * (np.expm1(-excess * exponent * np.log(u)) / excess - 1),
        lambda u: exponent**2 * u ** (exponent - 2),
    )


def _upper(
    rows: Sequence[Sequence[Rational]], used: Sequence[bool], outputs: Floats, source: Source, order: Rational
) -> Real:
    """1/(order-1) log of the extreme over P of sum_x P(x) sum_y Q(y|x)^order r(y)^(1-order)."""
    # A power of a large order feels the digits of the faintest output.
    digits = _LAW_BITS + bits_taken(order) - int(np.log2(outputs[outputs > 0].min()))
    law = [Rational(ticket, 1 << digits) for ticket in rationalise([outputs.tolist()], digits)[0]]
    # In units of the largest ratio no power of a large order overflows.
    judged = [row for row, counts in zip(rows, used, strict=True) if counts]
    largest = max(q / r for row in judged for q, r in zip(row, law, strict=True) if r != 0)
    bits = _COST_BITS + bits_taken(order)
    costs = [ZERO] * len(rows)
    for x, row in in_time(enumerate(rows)):
        if not used[x]:
            continue
        if order > 1 and any(q != 0 and r == 0 for q, r in zip(row, law, strict=True)):
            return INFINITY
        cost = _cost(row, law, order, largest)
        costs[x] = cost.above(bits) if order > 1 else max(ZERO, cost.below(bits))
    extreme = source.maximum(costs).value if order > 1 else source.minimum(costs).value
    return (
        INFINITY if extreme == 0 else of_order(order, lambda: Ball(extreme).log() / (order - 1) + Ball(largest).log())
    )


def _cost(row: Sequence[Rational], law: Sequence[Rational], order: Rational, largest: Rational) -> Real:
    """The sum over y of q (q / r)^(order-1), in units of the largest ratio."""
    return Real.from_ball(lambda _: _sum_of_powers(row, law, order, largest))


def _sum_of_powers(row: Sequence[Rational], law: Sequence[Rational], order: Rational, largest: Rational) -> Ball:
    # A cost that vanishes may as well be a little larger, where costs are bounded from above.
    total = Ball(_VANISHING if order > 1 else ZERO)
    for q, r in zip(row, law, strict=True):
        if q != 0 and r != 0:
            total += power(q / (r * largest), order - 1) * q
    return total
