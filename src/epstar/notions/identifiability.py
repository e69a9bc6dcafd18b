"""Identifiability: how far the posterior probabilities of neighbouring inputs can lie apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import ClassVar, Literal

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.enclosure import greatest, log_over
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism, ProductMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, RatioBound, Spread
from epstar.notions.differential_privacy import DifferentialPrivacy
from epstar.notions.measure.by_distance import is_uniform
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.product import total, worst_row
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_ratios import worst_joint, worst_joint_over_ranges
from epstar.notions.measure.worst_ratio import mechanism_worst_ratio, worst_ratio
from epstar.notions.pairs import bounded_pairs, ordered_pairs
from epstar.notions.priors import Floats, in_floats, listed_laws, required
from epstar.source import Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Universe

# More than most ratios of positive probabilities.
_STEEP = Rational(1 << 32)


@dataclass(frozen=True)
class Identifiability(Notion):
    """P(x|y) <= e^(level * distance(x, x')) P(x'|y) for all outputs y and constrained pairs x, x'.

    That is P(x) Q(y|x) <= e^(level * distance) P(x') Q(y|x'). A pair that mixes a zero and a non-zero prior
    makes the loss infinite; two inputs of prior zero compare nothing. Source: wang2016, Definition 2.

    >>> from epstar.mechanism import Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(Identifiability().loss(coin, Prior(["2/3", "1/3"])).upper)
    'log(6)'
    """

    name: ClassVar[str] = "identifiability"
    title: ClassVar[str] = "identifiability"
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism.

        Over a source set the worst ratio of priors multiplies the worst ratio of rows, pair by pair.
        """
        source = required(source, mechanism, self.title)
        by_row = worst_row(self, mechanism, source)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        if rank_one is not None and isinstance(source, Prior):
            return worst_joint(rank_one, source)
        if rank_one is not None and source.ranges is not None:
            return worst_joint_over_ranges(rank_one, *source.ranges)
        if isinstance(mechanism, DistanceMechanism) and is_uniform(source):
            return DifferentialPrivacy().loss(mechanism)
        is_large = prod(mechanism.shape) > DENSE_LIMIT
        if isinstance(mechanism, ProductMechanism) and isinstance(source, Prior) and is_large:
            return _by_neighbours(mechanism, source)
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        laws = listed_laws(source)
        if laws is None:
            return _over_set(dense, source)
        if not dense.is_exact:
            losses = (_in_floats(dense, law, floats) for law, floats in in_floats(laws, source))
            return max(losses, key=lambda loss: loss.value)
        witness, real = greatest(_at(dense, law) for law in laws)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one ratio bound for each constrained pair, order and point of the source.

        Where all pairs count alike, one point of full support makes a spread.
        """
        if isinstance(universe, Alphabet) and len(points) == 1 and all(points[0]):
            return Constraints(spread=Spread(tuple(points[0]), law=(0,)))
        pairs = list(bounded_pairs(universe))
        return Constraints(
            ratios=tuple(
                RatioBound(_form(first, point), _form(second, point), distance, name=(i, first, second))
                for i, point in enumerate(points)
                for first, second, distance in pairs
                if point[first] != 0
            )
        )


def _by_neighbours(mechanism: ProductMechanism, source: Prior) -> Loss:
    """Return at most what rows lose to differential privacy and the ratio of the probabilities of neighbours."""
    unlike = most_unlike([source.probabilities], mechanism.databases)
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None, "rows of a structure are exact"
    real = INFINITY if unlike is None else total([(loss, 1), (Real.log(unlike), 1)])
    return Loss(float(real), Witness(), Real.of(ZERO), real)


def most_unlike(laws: Sequence[Point], databases: Databases) -> Rational | None:
    """Return the largest ratio of the probabilities of two databases that differ in one row; None if it is infinite."""
    largest = ONE
    for law in laws:
        for line in (line for row in range(databases.rows) for line in databases.lines(row)):
            masses = [law[x] for x in line]
            if min(masses) > 0:
                largest = max(largest, max(masses) / min(masses))
            elif max(masses) > 0:
                return None
    return largest


def _form(x: int, point: Point) -> dict[int, Rational]:
    return {x: point[x]} if point[x] != 0 else {}


def _at(mechanism: Mechanism, law: Point) -> tuple[Witness, Real]:
    worst = mechanism_worst_ratio(mechanism, law)
    return Witness(worst.inputs, worst.outputs, law), worst.exact


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats) -> Loss:
    worst = worst_ratio(mechanism.floats, mechanism.universe, prior)
    return Loss(worst.value, Witness(worst.inputs, worst.outputs, law))


def _over_set(mechanism: Mechanism, source: Source) -> Loss:
    rows = mechanism.rows if mechanism.is_exact else mechanism.exact(256).rows
    candidates = [(Witness(), Real.of(ZERO))]
    for first, second, distance in ordered_pairs(mechanism.universe):
        prior = source.maximum_ratio(first, second)
        if prior == 0:
            continue
        best, output = _worst_output(rows[first], rows[second])
        law = _most_unlike(source, first, second, prior)
        witness = Witness((first, second), (output,), law)
        if prior is None or best is None:
            return Loss.known(INFINITY, witness) if mechanism.is_exact else Loss(float(INFINITY), witness)
        if best * prior > 1:
            candidates.append((witness, log_over(best * prior, distance)))
    witness, real = greatest(candidates)
    return Loss.known(real, witness) if mechanism.is_exact else Loss(float(real), witness)


def most_unlike_laws(universe: Universe, source: Source) -> list[Point]:
    """Return laws of a region at which any loss is largest: for each pair of inputs one at which they are most unlike.

    Of the laws that serve a pair one is taken that makes likely what is left to compare on the left, and unlikely what
    is left on the right, so that few laws serve all pairs.
    """
    ratios = {(x, z): ratio for x, z, _ in ordered_pairs(universe) if (ratio := source.maximum_ratio(x, z)) != 0}
    found: list[Point] = []
    while ratios:
        first, second = next(iter(ratios))
        left = Counter(x for x, _ in ratios)
        left.subtract(z for _, z in ratios)
        law = _most_unlike(source, first, second, ratios.pop((first, second)), left)
        found.append(law)
        ratios = {(x, z): r for (x, z), r in ratios.items() if r is None or law[z] == 0 or law[x] != r * law[z]}
    return list(dict.fromkeys(found))


def _most_unlike(
    source: Source, first: int, second: int, ratio: Rational | None, others: Mapping[int, int] = MappingProxyType({})
) -> Point:
    """Return the distribution that attains the ratio r of two priors: where p_x - r p_x' is greatest, namely zero.

    Where the ratio is infinite, a large one leads to a distribution that gives nothing to the second. Of several one
    where the `others` are as likely as they count.
    """
    steep, trace = _STEEP if ratio is None else ratio, 1 / (_STEEP * _STEEP)
    while True:
        slope = {**{x: trace * count for x, count in others.items()}, first: ONE, second: -steep}
        law = source.maximum([slope.get(x, ZERO) for x in range(source.size)]).point
        if law[second] == 0 if ratio is None else law[first] == ratio * law[second]:
            return law
        if ratio is None:
            steep *= steep
        trace *= trace


def _worst_output(left: Sequence[Rational], right: Sequence[Rational]) -> tuple[Rational | None, int]:
    best, output = ZERO, 0
    for y, (p, q) in enumerate(zip(left, right, strict=True)):
        if p != 0 and q == 0:
            return None, y
        if q != 0 and p / q > best:
            best, output = p / q, y
    return best, output
