"""What is attained: a mechanism keeps to the loss and to the distortion that are claimed of it.

Its rows are laws, which every mechanism has checked when it was made. Its expected costs are computed exactly, and so
is their worst mean over the source, or bounded by the multipliers that the claim names. Its loss is verified by the
table of bounds of its notion at the level that is claimed (`feasibility`); where the loss is a supremum over laws, the
claim says what bounds that. Nothing is searched, and nothing is compared with a tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from epstar.claims.claim import Attained, Cut, Hints, Point, Setting, at_most, bits_of
from epstar.claims.cover import Cover, laws_of, rising_laws
from epstar.claims.feasibility import Table, growth_below, table_of_distances
from epstar.claims.members import check_products
from epstar.claims.readings import read_at
from epstar.claims.saddle import Divergences, order_of
from epstar.claims.symmetry import averaged_constraints, check_distances
from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.vectors import nearest_floats
from epstar.limits import limit_in_words
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism, RankOneBeside
from epstar.notions import (
    GLeakage,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MinEntropyLeakage,
    PointwiseLeakage,
)
from epstar.notions.constraints import Constraints, Exponential, Maximum, SumBound
from epstar.notions.family import Family
from epstar.notions.measure.by_distance import is_uniform
from epstar.notions.measure.information_arrays import MANY_ENTRIES, EnclosedInformation, is_many
from epstar.notions.measure.relative_entropy import divergence
from epstar.notions.pairs import ordered_pairs
from epstar.notions.priors import listed_laws
from epstar.source import Everything, Hull, Polytope, Prior, Rows, Source
from epstar.source.cells import Cell

# Over a region smaller ones are written out.
MANY_LETTERS = 64


def check_mechanism(setting: Setting, claim: Attained) -> None:
    """Check that the mechanism of a claim has the loss and the distortion that are claimed."""
    mechanism = claim.mechanism
    if mechanism is None:
        raise ProofRejected("What is attained needs a mechanism, or proofs about the rows of the database.")
    if mechanism.universe != setting.universe:
        raise ProofRejected("The mechanism has other inputs than the problem.")
    if not mechanism.is_exact:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    if isinstance(mechanism, DistanceMechanism):
        _check_distances(setting, claim, mechanism)
    elif setting.is_wider:
        dense = mechanism.dense()
        _check_limits(setting, dense)
        _check_guarantees(setting, claim, claim.hints, dense)
    else:
        judged = mechanism if is_compact(mechanism, setting) else mechanism.dense()
        for source, hints in leaves(setting.source, claim.hints):
            _check_guarantees(replace(setting, source=source), claim, hints, judged)


def _check_limits(setting: Setting, mechanism: Mechanism) -> None:
    """Check that a mechanism keeps the limits on it."""
    for x, y in setting.limits.forbidden():
        if mechanism.rows[x][y] != 0:
            raise ProofRejected(f"The mechanism gives output {y} for input {x}, which is not allowed.")
    for limit in setting.limits.rows(mechanism.shape, setting.source) if setting.limits else ():
        value = sum((mechanism.rows[x][y] * a for (x, y), a in limit.coefficients.items()), ZERO)
        if value > limit.bound or (limit.is_equation and value != limit.bound):
            raise ProofRejected(f"The mechanism does not keep {limit_in_words(limit.name)}.")


def _check_guarantees(setting: Setting, claim: Attained, own_hints: Hints, mechanism: AnyMechanism) -> None:
    """Check the distortion of a mechanism over a source, and its loss by each notion, each by itself."""
    hints = (own_hints, *claim.further)
    for place, (notion, given) in enumerate(setting.guarantees):
        level, hint = claim.loss if given is None else given, hints[place] if place < len(hints) else Hints()
        judged = Evidence(replace(setting, notion=notion), replace(claim, loss=level), hint, mechanism)
        if place == 0:
            judged.check_distortion()
        if not level.is_infinite and not judged.keeps_loss():
            which = "claimed" if place == 0 else f"its further guarantee of {notion.title} allows"
            raise ProofRejected(f"The mechanism loses more than {which}.")
        judged.check_used()


def is_compact(mechanism: AnyMechanism, setting: Setting) -> bool:
    """Return whether a mechanism is judged as a product beside its diagonal, and never written out."""
    by_pairs = isinstance(setting.notion, Identifiability) and isinstance(setting.source, Polytope)
    is_quick = isinstance(setting.source, Prior) or mechanism.universe.size > MANY_LETTERS
    return isinstance(mechanism, RankOneBeside) and is_quick and not by_pairs


@dataclass
class Evidence:
    """A mechanism over a convex source, or a list of laws, with what bounds suprema over it; multipliers in turn."""

    setting: Setting
    claim: Attained
    hints: Hints
    mechanism: AnyMechanism
    used: int = 0

    def largest(self, costs: Point, source: Source | None = None) -> Rational:
        """Return a number not below the mean of some costs under any law of the source.

        Over a polytope it is what the next multipliers prove, by weak duality.
        """
        source = self.setting.source if source is None else source
        if not isinstance(source, Polytope):
            return source.maximum(costs).value
        if self.used == len(self.hints.multipliers):
            raise ProofRejected("Over a polytope the claim must name multipliers.")
        multipliers = self.hints.multipliers[self.used]
        self.used += 1
        if len(multipliers) != len(source.bounds) or any(u < 0 for u in multipliers):
            raise ProofRejected("The multipliers are not one non-negative number for each inequality of the source.")
        rest = list(costs)
        for u, row in zip(multipliers, source.matrix, strict=True):
            if u != 0:
                rest = [cost - u * a for cost, a in zip(rest, row, strict=True)]
        return max(rest) + sum((u * bound for u, bound in zip(multipliers, source.bounds, strict=True)), ZERO)

    def check_used(self) -> None:
        """Check that no multiplier is left over."""
        if self.used != len(self.hints.multipliers):
            raise ProofRejected("Multipliers are left over.")

    def check_distortion(self) -> None:
        """Check that the worst mean cost is at most what is claimed."""
        claimed = self.claim.distortion
        if not claimed.is_infinite and Real.of(self.largest(self.mechanism.costs(self.setting.distortion))) > claimed:
            raise ProofRejected("The mechanism has more distortion than claimed.")

    def keeps_loss(self) -> bool:
        """Return whether every bound of the notion holds at the level that is claimed, under every law."""
        notion, source = self.setting.notion, self.setting.source
        priors, laws = notion.priors(source), self._laws()
        if laws is None and order_of(notion) is not None:
            return self._keeps_divergences(priors)
        if not isinstance(self.mechanism, Mechanism) and not isinstance(notion, Family):
            # In the compact form a supremum over letters is one over their kinds.
            loss = notion.loss_once(self.mechanism, priors).upper
            assert loss is not None
            return at_most(loss, self.claim.loss)
        mechanism = self.mechanism.dense()
        return self._keeps_everywhere(mechanism, priors) if laws is None else not any(self.exceeding(laws))

    def _laws(self) -> Sequence[Point] | None:
        """Return the laws at which the notion is read, any one if it is the same at all; None over a region."""
        notion, source = self.setting.notion, self.setting.source
        priors = notion.priors(source)
        if self.setting.secret is not None:
            if (laws := listed_laws(source)) is None:
                raise ProofRejected("Over a region of distributions nothing is known of a secret.")
            return laws
        if not notion.needs_source and priors is source:
            return (source.uniform,)
        return priors.points if isinstance(priors, Hull) and len(priors.points) == 1 else listed_laws(priors)

    def exceeding(self, laws: Iterable[Point]) -> Iterator[bool]:
        """Yield of each law whether a bound of the notion is not surely kept there."""
        for law in in_time(laws):
            reading, bits = read_at(self.setting, self.setting.notion, law), bits_of(self.claim.digits)
            channel = reading.channel(self.mechanism.dense())
            if isinstance(reading.notion, Family):
                yield not reading.notion.is_kept(channel, self.claim.loss, self.hints.orders, bits)
            else:
                yield not Table.of(channel).keeps(reading.constraints(), self.claim.loss, bits)

    def _keeps_bounds(self, constraints: Constraints, extremes: tuple[Point, Point] | None = None) -> bool:
        assert isinstance(self.mechanism, Mechanism)
        table = Table.of(self.mechanism, extremes)
        return table.keeps(constraints, self.claim.loss, bits_of(self.claim.digits))

    def _keeps_everywhere(self, mechanism: Mechanism, source: Source) -> bool:
        """Return whether bounds that are convex in the law hold over a convex source: at its corners, or beyond."""
        notion, universe = self.setting.notion, self.setting.universe
        if isinstance(notion, MinEntropyLeakage):
            return self._keeps_guesses(source)
        if isinstance(notion, GLeakage):
            raise ProofRejected("Over a region of distributions nothing is known of a g-leakage.")
        if self.hints.slopes is not None:
            if not isinstance(notion, PointwiseLeakage):
                raise ProofRejected("The notion is not read along slopes.")
            return self._keeps_along(mechanism, self.hints.slopes)
        if self.hints.envelope:
            if not isinstance(notion, MaximalInformation | LocalInformationPrivacy | PointwiseLeakage):
                raise ProofRejected("The notion is not read at the extreme probabilities of outputs.")
            least, most = [], []
            for column in zip(*mechanism.rows, strict=True):
                least.append(-self.largest(tuple(-q for q in column)))
                most.append(self.largest(column) if isinstance(notion, LocalInformationPrivacy) else ZERO)
            uniform = (Rational(1, universe.size),) * universe.size
            return self._keeps_bounds(notion.constraints(universe, (uniform,)), (tuple(least), tuple(most)))
        if isinstance(notion, Identifiability) and not isinstance(source, Hull):
            return self._keeps_ratios(mechanism)
        return not any(self.exceeding(self._doubtful(mechanism, laws_of(source, self.hints.cover))))

    def _doubtful(self, mechanism: Mechanism, laws: Sequence[Point]) -> Iterator[Point]:
        """Yield the laws at which floats cannot settle that every row is near the law of the output."""
        if not isinstance(self.setting.notion, PointwiseLeakage) or not is_many(mechanism, 0):
            yield from laws
            return
        enclosed, level = EnclosedInformation(mechanism.floats), self.claim.loss.lower
        step = max(1, MANY_ENTRIES // max(mechanism.shape))
        for start in range(0, len(laws), step):
            block = laws[start : start + step]
            floats = np.array([nearest_floats(law) for law in block])
            worst = enclosed.divergences(floats).max(axis=1)
            yield from (block[place] for place in np.flatnonzero(~(worst <= level)).tolist())

    def _keeps_ratios(self, mechanism: Mechanism) -> bool:
        """Return whether p(x) Q(y|x) <= e^(loss distance) p(z) Q(y|z) for neighbours, by shares of p(z)."""
        for x, z, distance in sorted(ordered_pairs(self.setting.universe)):
            factor = growth_below(self.claim.loss, distance, bits_of(self.claim.digits))
            pairs = zip(mechanism.rows[x], mechanism.rows[z], strict=True)
            if not self._is_at_most(x, min(factor * b / a for a, b in pairs if a > 0), z):
                return False
        return True

    def _keeps_along(self, mechanism: Mechanism, slopes: Point) -> bool:
        """Return whether every row is near the law of the output, whose divergence is bounded by a linear function.

        Minus the logarithm is convex, so that between the extreme probabilities of an output it lies below the line
        from its value at the least one that falls by no more than to its value at the largest.
        """
        if len(slopes) != mechanism.shape[1] or any(slope < 0 for slope in slopes):
            raise ProofRejected("There is not a slope for each output, none negative.")
        least: list[Rational] = []
        for column, slope in zip(zip(*mechanism.rows, strict=True), slopes, strict=True):
            low, high = -self.largest(tuple(-q for q in column)), self.largest(column)
            fall = slope * (high - low)
            if fall != 0 and (low <= 0 or not at_most(Real.of(fall), Real.log(high / low))):
                raise ProofRejected("A slope is too steep.")
            least.append(max(low, ZERO))
        for row in in_time(mechanism.rows):
            weights = [q * slope for q, slope in zip(row, slopes, strict=True)]
            start, own = dot(weights, least), (-dot(weights, other) for other in mechanism.rows)
            if not at_most(divergence(row, least) + Real.of(start + self.largest(tuple(own))), self.claim.loss):
                return False
        return True

    def _keeps_guesses(self, source: Source) -> bool:
        """Return whether sum_y max_x p(x) Q(y|x) <= e^loss max p holds over a convex source."""
        if self.hints.shares is None:
            return all(self.keeps_guesses(law, t) for law, t in in_time(rising_laws(source, self.hints.cover)))
        if len(self.hints.shares) != source.size or any(other >= source.size for _, other in self.hints.shares):
            raise ProofRejected("There is not a share for each input, of an input.")
        for x, (share, other) in enumerate(self.hints.shares):
            if share < (other == x) or not (other == x or self._is_at_most(x, share, other)):
                raise ProofRejected("A share is too small.")
        return self.keeps_shares(self.hints.shares)

    def keeps_shares(self, shares: Sequence[tuple[Rational, int]]) -> bool:
        """Return whether sum_y max_x w(x) Q(y|x) <= e^loss."""
        weights = {x: share for x, (share, _) in enumerate(shares)}
        return self._keeps_bounds(Constraints(sums=(SumBound(((ONE, Maximum(weights)),), Exponential()),)))

    def keeps_guesses(self, law: Point, most: Rational) -> bool:
        """Return whether sum_y max_x p(x) Q(y|x) <= e^loss t; both sides are convex in p and t."""
        assert isinstance(self.mechanism, Mechanism)
        columns = zip(*self.mechanism.rows, strict=True)
        guessed = sum((max(p * q for p, q in zip(law, column, strict=True)) for column in columns), ZERO)
        bits = bits_of(self.claim.digits)
        factor = growth_below(self.claim.loss, ONE, bits) if most >= 0 else Real.exp(self.claim.loss).above(bits)
        return guessed <= most * factor

    def _is_at_most(self, x: int, share: Rational, other: int) -> bool:
        """Return whether p(x) <= share p(other) under every law of the source."""
        inputs = range(self.setting.source.size)
        return self.largest(tuple(ONE if k == x else -share if k == other else ZERO for k in inputs)) <= 0

    def _keeps_divergences(self, source: Source) -> bool:
        """Return whether an information is small: at most the worst mean divergence from any law of the output."""
        output, order = self.hints.output, order_of(self.setting.notion)
        assert order is not None
        if output is None:
            raise ProofRejected("Over this source the claim must name a distribution of the outputs.")
        found = Divergences(self.mechanism, output, order, self.claim.loss, self.claim.digits)
        for x in found.unreached:
            unit = tuple(ONE if z == x else ZERO for z in range(source.size))
            if self.largest(unit, source) > 0:
                return False
        return found.each_is_kept() or self.largest(found.costs, source) <= found.limit


def leaves(source: Source, hints: Hints) -> Iterator[tuple[Source, Hints]]:
    """Yield sets of laws that cover a source, each convex or a list, with the hints for it.

    The products of unknown laws of rows are covered by the hulls of mean products of the corners of cells. A cut at
    c = t v_i + (1 - t) v_j leaves two cells: a mixture of v_i and v_j is one of c and only one of the two.

    Raises:
        ProofRejected: if the cells do not cover the source.
    """
    if not isinstance(source, Rows) or source.is_one_law:
        if hints.cells is not None or hints.covers is not None:
            raise ProofRejected("Cells are for rows whose distributions are not known.")
        if isinstance(source, Rows) and source.is_one_law:
            check_products([law.probabilities for law in source.row_marginals if isinstance(law, Prior)])
            source = source.joint()
        yield source, hints
        return
    cells, trees = whole_cells(source, hints.covers), hints.cells
    for cell in cells:
        rows = [simplex for simplex, power in zip(cell.simplices, cell.powers, strict=True) for _ in range(power)]
        longest = [max(simplex, key=lambda law: max(p.height_bits() for p in law)) for simplex in rows]
        check_products(longest, math.prod(map(len, rows)))
    if trees is not None and len(trees) != len(cells):
        raise ProofRejected("There is not a tree of cells for each choice of the rows.")
    for number, cell in enumerate(cells):
        yield from _leaves_of(cell, hints if trees is None else trees[number])


def whole_cells(source: Rows, covers: Sequence[Cover | None] | None) -> list[Cell]:
    """Return the cells that cover the laws of independent rows before any is cut: one for each choice of a list.

    Raises:
        ProofRejected: if there is not a cover for each region among the sources as they are written, once or by row.
    """
    shared, written = source.iid and len(source.sources) == 1, len(source.sources)
    known = (None,) * written if covers is None else tuple(covers)
    if len(known) != written:
        raise ProofRejected("There is not a cover, or none, for each source of the rows.")
    choices = [_choices(row, cover) for row, cover in zip(source.sources, known, strict=True)]
    powers = (source.rows,) if shared else (1,) * source.rows
    rows = choices if shared else choices * (source.rows // written)
    return [Cell(simplices, powers) for simplices in product(*rows)]


def _choices(source: Source, cover: Cover | None) -> list[tuple[Point, ...]]:
    """Return laws whose mixtures hold a convex source together, or each listed law by itself."""
    listed = listed_laws(source)
    if listed is not None:
        return [(law,) for law in listed]
    laws = laws_of(source, cover)
    return [tuple(laws) if isinstance(source, Hull | Everything) else tuple(sorted(set(laws)))]


def _leaves_of(cell: Cell, tree: Hints | Cut) -> Iterator[tuple[Source, Hints]]:
    if isinstance(tree, Hints):
        yield Hull(cell.hull), tree
        return
    row, i, j, share = tree.row, tree.i, tree.j, tree.share
    corners = len(cell.simplices[row]) if 0 <= row < len(cell.simplices) else 0
    if not (0 <= i < corners and 0 <= j < corners and i != j and 0 < share < 1):
        raise ProofRejected("A cut is between two distributions of a cell.")
    for half, part in zip(cell.cut(row, i, j, share), tree.parts, strict=True):
        yield from _leaves_of(half, part)


def _check_distances(setting: Setting, claim: Attained, mechanism: DistanceMechanism) -> None:
    """Check a mechanism that depends on the number of rows in which input and output differ.

    All inputs are alike to it, so that its distortion is the same under every law, and an information the largest at
    the uniform one.
    """
    check_distances(setting)
    if Real.of(mechanism.mean_distance) > claim.distortion:
        raise ProofRejected("The mechanism has more distortion than claimed.")
    if claim.loss.is_infinite:
        return
    if isinstance(setting.notion, MaximalInformation | PointwiseLeakage) and not is_uniform(setting.source):
        raise ProofRejected("The loss by distances is known at the uniform distribution only.")
    constraints = averaged_constraints(setting.notion, mechanism.databases)
    table = table_of_distances(mechanism)
    if not table.keeps(constraints, claim.loss, bits_of(claim.digits)):
        raise ProofRejected("The mechanism loses more than claimed.")
