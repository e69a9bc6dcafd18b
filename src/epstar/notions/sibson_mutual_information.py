"""Sibson's mutual information of any order: from mutual information (1) to maximal leakage (infinity)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, rationalise
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.concave import Concave, best_law
from epstar.notions.constraints import Constraints, Exponential, Norm, SumBound
from epstar.notions.distances import holds_uniform, uniform_pair
from epstar.notions.enclosure import greatest, power
from epstar.notions.letter_sets import over_letters
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.notions.mutual_information import MutualInformation
from epstar.notions.order import Order, read_order, text_of_order
from epstar.notions.over_cells import largest_over_cells
from epstar.notions.priors import float_law, float_output_law, in_floats, listed_laws, required
from epstar.notions.products import sum_over_rows
from epstar.notions.rank_one import RankOne
from epstar.notions.rank_one_capacity import sibson_over_all_laws
from epstar.notions.rank_one_information import sibson_at
from epstar.notions.renyi_divergence import divergence as renyi_divergence
from epstar.reading import nearest_floats
from epstar.source import Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]


def sibson_informations(matrix: Floats, prior: Floats, order: float) -> Floats:
    """Return order/(order-1) log sum_y (sum_x P(x) Q(y|x)^order)^(1/order), over the last two axes."""
    law = float_output_law(prior, matrix)
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


@dataclass(frozen=True, init=False)
class SibsonMutualInformation(Notion):
    """The mutual information of order a: a/(a-1) log sum_y (sum_x P(x) Q(y|x)^a)^(1/a).

    Order 1 is mutual information. Order infinity is maximal leakage, over all inputs; it is the limit for
    priors that exclude no input. Source: zhong2022, Definition 3(6) and Lemma 20(6), (7). Over a source set
    it is the supremum; a set and its hull differ.
    """

    name: ClassVar[str] = "sibson_mutual_information"
    title: ClassVar[str] = "Sibson mutual information"
    is_concave_in_prior: ClassVar[bool] = True
    needs_source: ClassVar[bool] = True
    order: Order

    def __init__(self, order: object) -> None:
        object.__setattr__(self, "order", read_order(order))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss: an enclosure at one prior, or two bounds over a convex source.

        The upper bound over a convex source is the largest Rényi divergence of the joint law from P times r,
        for the law r that is optimal at the prior found.
        """
        source = required(source, mechanism, self.title)
        if isinstance(self.order, float):
            return MaximalLeakage().loss(mechanism, source)
        if self.order == 1:
            return MutualInformation().loss(mechanism, source)
        by_row = sum_over_rows(self, mechanism, source)
        if by_row is not None:
            return by_row
        if isinstance(mechanism, DistanceMechanism) and holds_uniform(source):
            # By symmetry and quasi-concavity no prior gives more than the uniform one.
            pair = uniform_pair(mechanism)
            return Loss.known(renyi_divergence(pair.left, pair.right, self.order), Witness())
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
                SumBound(((ONE, Norm({x: p for x, p in enumerate(point) if p != 0}, order)),), scale)
                for point in points
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

    def enclose(_: int) -> Ball:
        total = Ball(0)
        for column in columns:
            if any(entry != 0 for entry in column):
                inner = Ball(0)
                for weight, entry in zip(weights, column, strict=True):
                    inner += power(entry, order) * weight
                total += (inner.log() / order).exp()
        return total.log() * order / (order - 1)

    return Real.from_ball(enclose)


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats, order: Rational) -> Loss:
    value = float(sibson_informations(mechanism.floats, prior, _float(order)))
    return Loss(max(0.0, value), Witness(prior=law))


def _float(number: Rational) -> float:
    return float(nearest_floats([number])[0])


def _supremum(mechanism: Mechanism, source: Source, order: Rational) -> Loss:
    matrix, exponent = mechanism.floats, 1.0 / _float(order)
    high = np.where(matrix.max(axis=0) > 0, matrix.max(axis=0), 1.0)
    sign = 1.0 if order > 1 else -1.0
    objective = Concave(
        (matrix / high) ** _float(order),
        np.zeros(len(matrix)),
        lambda u: sign * high * exponent * u ** (exponent - 1),
        lambda u: sign * high * exponent * (1 - exponent) * u ** (exponent - 2),
        relative=True,
    )
    law = best_law(objective, source)
    if not mechanism.is_exact:
        return _in_floats(mechanism, law, float_law(law), order)
    lower = information(mechanism.rows, law, order)
    inner = high * (float_law(law) @ objective.images) ** exponent
    upper = _upper(mechanism.rows, inner / inner.sum(), source, order)
    return Loss(float(lower), Witness(prior=law), lower, upper)


def _upper(rows: Sequence[Sequence[Rational]], outputs: Floats, source: Source, order: Rational) -> Real:
    """1/(order-1) log of the extreme over P of sum_x P(x) sum_y Q(y|x)^order r(y)^(1-order)."""
    law = [Rational(ticket, 1 << 80) for ticket in rationalise([outputs.tolist()], 80)[0]]
    costs = []
    for x, row in enumerate(rows):
        unit = [ONE if i == x else ZERO for i in range(source.size)]
        if order > 1 and any(q != 0 and r == 0 for q, r in zip(row, law, strict=True)):
            if source.maximum(unit).value > 0:
                return INFINITY
            costs.append(ZERO)
            continue
        cost = _cost(row, law, order)
        costs.append(cost.above() if order > 1 else max(ZERO, cost.below()))
    extreme = source.maximum(costs).value if order > 1 else source.minimum(costs).value
    return INFINITY if extreme == 0 else Real.log(extreme) / (order - 1)


def _cost(row: Sequence[Rational], law: Sequence[Rational], order: Rational) -> Real:
    return Real.from_ball(lambda _: _sum_of_powers(row, law, order))


def _sum_of_powers(row: Sequence[Rational], law: Sequence[Rational], order: Rational) -> Ball:
    total = Ball(0)
    for q, r in zip(row, law, strict=True):
        if q != 0 and r != 0:
            total += power(q, order) * power(r, 1 - order)
    return total
