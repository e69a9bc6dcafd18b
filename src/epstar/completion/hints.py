"""What a checker that does not search needs to know beside a mechanism: found by search, and believed by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from epstar.claims.attained import Evidence, check_mechanism, is_compact, whole_cells
from epstar.claims.claim import DIGITS, Attained, Cut, Hints, Point, Setting
from epstar.claims.cover import Cover, mixed_below
from epstar.claims.saddle import Divergences, order_of
from epstar.completion.cover import cover_of
from epstar.errors import ProofRejected, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, ball, dot, working_precision
from epstar.exact.enclosure import of_order
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism, parts_of
from epstar.notions import (
    Capacity,
    LocalInformationPrivacy,
    MaximalInformation,
    MinEntropyLeakage,
    PointwiseLeakage,
)
from epstar.notions.pointwise_leakage import chords
from epstar.notions.priors import few_extreme_laws
from epstar.source import Ball as BallSource
from epstar.source import Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.source.cells import HALF, Cell

Floats = NDArray[np.float64]

# Of a loss: what is nearer is decided exactly.
_NEAR = 1e-9
_REGIONS = (Box, BallSource, Polytope)
# Shares of the mean row in a law of the output that leaves outputs out: rows without weight may reach these a little,
# and which share costs least depends on how little.
_TRACES = tuple(Rational(1, 1 << bits) for bits in (30, 50, 90))
_OUTPUT_BITS = 120
# Beyond that the tree of cells would be longer than what it proves is worth.
_MOST_CELLS = 4000


def hints(setting: Setting, mechanism: AnyMechanism, loss: Real, distortion: Real) -> Hints:
    """Return the hints for a claim that a mechanism has at most some loss and some distortion."""
    if isinstance(mechanism, DistanceMechanism) or not mechanism.is_exact:
        return Hints()
    source, notion = setting.source, setting.notion
    if not is_compact(mechanism, setting):
        mechanism = mechanism.dense()
    if isinstance(source, Rows) and not source.is_one_law:
        covers = tuple(map(whole_cover, source.sources))
        claim = Attained(loss, distortion, mechanism.dense())
        cells = _cell_trees(setting, claim, whole_cells(source, covers))
        return Hints(cells=cells, covers=covers if any(cover is not None for cover in covers) else None)
    output = _output(setting, mechanism)
    envelope, slopes, shares, cover = False, None, None, None
    if isinstance(mechanism, Mechanism) and not loss.is_infinite:
        judged = Evidence(setting, Attained(loss, distortion, mechanism), Hints(), mechanism)
        by_output = isinstance(notion, MaximalInformation | LocalInformationPrivacy | PointwiseLeakage)
        if by_output and isinstance(source, _REGIONS):
            # No law makes every output as unlikely as some law makes it, but single outputs are bounded one by one.
            adds_up = isinstance(notion, LocalInformationPrivacy) and notion.delta > 0
            if (adds_up or isinstance(notion, PointwiseLeakage)) and few_extreme_laws(source) is not None:
                cover = cover_of(source, False, partial(_exceeding, judged, mechanism.floats))
                # Where a cover would be too long, all corners of a box or a ball are no worse than single outputs.
                envelope = cover is None and isinstance(source, Polytope)
            elif isinstance(notion, PointwiseLeakage) and isinstance(source, Box | BallSource):
                slopes = chords(mechanism, source).slopes
            else:
                envelope = True
        if isinstance(notion, MinEntropyLeakage) and not isinstance(source, Prior | Finite):
            least = _shares(source)
            if judged.keeps_shares(least):
                shares = least
            else:
                cover = cover_of(source, True, partial(_guessed, judged, source))
    known = Hints(output=output, shares=shares, envelope=envelope, slopes=slopes, cover=cover)
    seeker = _Seeker(setting, Attained(loss, distortion, mechanism), known, mechanism)
    if isinstance(source, Polytope):
        with suppress(ProofRejected):  # whoever checks the claim says so
            seeker.check_distortion()
            if not loss.is_infinite:
                seeker.keeps_loss()
    return seeker.hints


def _cell_trees(setting: Setting, claim: Attained, cells: Sequence[Cell]) -> tuple[Hints | Cut, ...] | None:
    """Return a tree of cuts for each cell of the laws of rows, None where one is too large.

    A cell is cut in two along its longest edge until its hull keeps the claim; corners of its simplices need not be in
    general position for that.
    """
    assert claim.mechanism is not None
    mechanism, left = claim.mechanism, [_MOST_CELLS]

    def tree(cell: Cell) -> Hints | Cut | None:
        left[0] -= 1
        leaf = replace(setting, source=Hull(cell.hull))
        with suppress(Undecided, ProofRejected):
            if Real.of(mechanism.distortion(setting.distortion, leaf.source).value) <= claim.distortion:
                known = hints(leaf, mechanism, claim.loss, claim.distortion)
                check_mechanism(leaf, replace(claim, hints=known))
                return known
        if left[0] <= 0 or all(len(laws) == 1 for laws in cell.simplices):
            return None
        edge = cell.longest_edge
        first, second = map(tree, cell.cut(*edge, HALF))
        return None if first is None or second is None else Cut(*edge, HALF, (first, second))

    found = [tree(cell) for cell in cells]
    whole = tuple(part for part in found if part is not None)
    return whole if len(whole) == len(found) else None


class _Seeker(Evidence):
    """What finds the multipliers that a checker asks for, when it does."""

    def largest(self, costs: Point, source: Source | None = None) -> Rational:
        """Return the worst mean of some costs, and remember what proves it."""
        over = self.setting.source if source is None else source
        if isinstance(over, Polytope):
            found = over.optimum(costs).multipliers
            self.hints = replace(self.hints, multipliers=(*self.hints.multipliers, found))
        return super().largest(costs, source)


def whole_cover(source: Source) -> Cover | None:
    """Return a cover of a region by its own corners; other sources need none."""
    if not isinstance(source, _REGIONS):
        return None
    return cover_of(source, False, lambda laws: [not source.contains(law) for law in laws])


def _guessed(judged: Evidence, source: Source, points: Sequence[Point]) -> list[bool]:
    """Return where guesses gain more than is claimed."""
    return [not judged.keeps_guesses(*mixed_below(source, point)) for point in points]


def _exceeding(judged: Evidence, matrix: Floats, laws: Sequence[Point]) -> list[bool]:
    """Return the laws at which a bound is not kept: in floats, but next to the bound."""
    notion, level = judged.setting.notion, float(judged.claim.loss)
    output = np.array([nearest_floats(law) for law in laws]).reshape(-1, len(matrix)) @ matrix
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if isinstance(notion, LocalInformationPrivacy):
            factor, slack = np.exp(level), float(notion.delta)
            up = np.maximum(output[:, None, :] - factor * matrix, 0).sum(axis=2) - slack
            down = np.maximum(matrix - factor * output[:, None, :], 0).sum(axis=2) / factor - slack
            found = np.maximum(up, down).max(axis=1)
        else:
            logs = np.log(matrix) - np.log(output)[:, None, :]
            found = np.where(matrix > 0, matrix * logs, 0).sum(axis=2).max(axis=1) - level
    near = ~(np.abs(found) > _NEAR * (1 + level))
    found[near] = [
        1 if is_beyond else -1 for is_beyond in judged.exceeding([laws[k] for k in np.flatnonzero(near).tolist()])
    ]
    return list(found > 0)


def information_bound(setting: Setting, mechanism: AnyMechanism, output: Point, near: Real) -> Real:
    """Return the bound on an information that a law of the output gives; infinity where a law may leave it.

    Powers are in units of those at a number near the bound: by themselves those of a large order are out of reach.
    """
    order, priors = order_of(setting.notion), setting.notion.priors(setting.source)
    assert order is not None
    found = Divergences(mechanism, output, order, near, DIGITS)
    for x in found.unreached:
        if priors.maximum([ONE if z == x else ZERO for z in range(priors.size)]).value > 0:
            return INFINITY
    worst = priors.maximum(found.costs).value
    if order == 1:
        return Real.of(worst)
    if order < 1 and worst >= 0:
        return INFINITY
    size = abs(worst)
    return of_order(order, lambda: ball(size).log() / ball(order - 1)) + near


def _shares(source: Source) -> tuple[tuple[Rational, int], ...]:
    """Return for each input the least it can be said to be of another one, under every law of a source."""
    found = []
    for x in range(source.size):
        ratios = [(source.maximum_ratio(x, k), k) for k in range(source.size) if k != x]
        found.append(min([(ONE, x), *((ratio, k) for ratio, k in ratios if ratio is not None)]))
    return tuple(found)


def _output(setting: Setting, mechanism: AnyMechanism) -> Point | None:
    """Return the best law of the output that is known, where an information is a supremum over a convex source."""
    order, priors = order_of(setting.notion), setting.notion.priors(setting.source)
    listed = isinstance(priors, Prior | Finite) or (isinstance(priors, Hull) and len(priors.points) == 1)
    if order is None or listed or not priors.is_convex:
        return None
    found: list[tuple[Rational, Point]] = []
    loss = setting.notion.loss_once(mechanism, setting.source)
    if loss.upper is None or loss.upper.is_infinite:
        return None
    known = [] if loss.witness.prior is None else [loss.witness.prior]
    if isinstance(setting.source, Everything) or isinstance(setting.notion, Capacity):
        known.append((Rational(1, setting.universe.size),) * setting.universe.size)
    for output in _outputs(mechanism, known, order):
        with suppress(ProofRejected, Undecided):  # powers out of reach
            bound = information_bound(setting, mechanism, output, loss.upper)
            if not bound.is_infinite:
                found.append((bound.above(2 * _OUTPUT_BITS), output))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _outputs(mechanism: AnyMechanism, priors: Iterable[Point], order: Rational) -> Iterator[Point]:
    if isinstance(mechanism, Mechanism) and all(row == mechanism.rows[0] for row in mechanism.rows):
        yield mechanism.rows[0]
        return
    inputs = mechanism.shape[0]
    for prior in priors:
        found = _output_weights(prior, mechanism, order)
        total = sum(found, ZERO)
        law = tuple(value / total for value in found)
        yield law
        if ZERO not in law:
            continue
        reached = [total / inputs for total in _output_weights((ONE,) * inputs, mechanism, ONE)]
        if any(r == 0 and mean > 0 for r, mean in zip(law, reached, strict=True)):
            for trace in _TRACES:
                yield tuple((1 - trace) * r + trace * mean for r, mean in zip(law, reached, strict=True))


def _output_weights(prior: Point, mechanism: AnyMechanism, order: Rational) -> list[Rational]:
    """Return the probabilities of outputs, or what stands in their place at another order: norms, up to a factor."""
    if isinstance(mechanism, Mechanism):
        columns = zip(*mechanism.rows, strict=True)
        if order == 1:
            return [dot(prior, column) for column in columns]
        return [_norm(zip(prior, column, strict=True), order) for column in columns]
    diagonal, left, right = parts_of(mechanism)
    if order == 1:
        mean = sum((p * u for p, u in zip(prior, left, strict=True)), ZERO)
        rows = zip(prior, diagonal, left, right, strict=True)
        return [p * a + (mean - p * u) * v for p, a, u, v in rows]
    # Beside the diagonal every column is the same up to a factor.
    with working_precision(2 * _OUTPUT_BITS):
        terms = [
            (ball(u).log() * ball(order)).exp() * p if p * u > 0 else ball(ZERO)
            for p, u in zip(prior, left, strict=True)
        ]
        whole = ball(ZERO)
        for term in terms:
            whole += term
        found = []
        for p, a, v, term in zip(prior, diagonal, right, terms, strict=True):
            inner = (whole - term) * (ball(v).log() * ball(order)).exp() if v > 0 else ball(ZERO)
            found.append(_root(inner + ((ball(a).log() * ball(order)).exp() * p if p * a > 0 else 0), order))
    return found


def _norm(terms: Iterable[tuple[Rational, Rational]], order: Rational) -> Rational:
    with working_precision(2 * _OUTPUT_BITS):
        inner = ball(ZERO)
        for p, q in terms:
            if p > 0 and q > 0:
                inner += (ball(q).log() * ball(order)).exp() * p
        return ZERO if inner == 0 else _root(inner, order)


def _root(inner: Ball, order: Rational) -> Rational:
    """Return the root of a sum of powers, rounded up; zero where it is not told from that."""
    if not inner > 0:
        return ZERO
    value = Real.from_ball(lambda _: (inner.log() / ball(order)).exp()).above(2 * _OUTPUT_BITS)
    scale = Rational(1 << _OUTPUT_BITS)
    return Rational(int((value * scale).ceil())) / scale
