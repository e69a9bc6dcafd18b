"""What a checker that does not search needs to know beside a mechanism: found by search, and believed by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from epstar.claims.claim import DIGITS, Hints, Point, Setting
from epstar.claims.saddle import bounded_information, information_costs, order_of
from epstar.completion.cells import cell_trees
from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, ball, working_precision
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions import Capacity, LocalInformationPrivacy, MaximalInformation, MinEntropyLeakage, PointwiseLeakage
from epstar.source import Ball as BallSource
from epstar.source import Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source

# Larger matrices are for the package alone.
_MOST_ENTRIES = 1 << 14
# Regions of more letters have more corners than a checker should list.
_FEW_LETTERS = 6
_TRACE = Rational(1, 1 << 90)
_OUTPUT_BITS = 120


def hints(setting: Setting, mechanism: AnyMechanism, loss: Real, distortion: Real) -> Hints:
    """Return the hints for a claim that a mechanism has at most some loss and some distortion."""
    inputs, outputs = mechanism.shape
    if isinstance(mechanism, DistanceMechanism) or inputs * outputs > _MOST_ENTRIES or not mechanism.is_exact:
        return Hints()
    source, notion = setting.source, setting.notion
    dense = mechanism.dense()
    if isinstance(source, Rows) and not source.is_one_law:
        cells = cell_trees(setting, dense, loss, distortion, lambda leaf: hints(leaf, dense, loss, distortion))
        return Hints(cells=cells)
    output = _output(setting, dense)
    is_region = isinstance(source, Box | BallSource | Polytope) and source.size > _FEW_LETTERS
    by_output = isinstance(notion, MaximalInformation | LocalInformationPrivacy | PointwiseLeakage)
    envelope = is_region and by_output
    multipliers: tuple[Point, ...] = ()
    if isinstance(source, Polytope):
        costs = [mechanism.costs(setting.distortion)]
        if envelope:
            for column in zip(*dense.rows, strict=True):
                costs.append(tuple(-q for q in column))
                costs += [column] if isinstance(notion, LocalInformationPrivacy) else []
        if output is not None and not loss.is_infinite:
            parts, limit = information_costs(setting, dense.rows, output, loss, DIGITS)
            if any(part > limit for part in parts):
                # A hint that does not prove the claim is none.
                output = output if _largest(parts, source) <= limit else None
                # Sums of powers are in units of their bound.
                unit = ONE if order_of(notion) == 1 else abs(limit)
                costs += [] if output is None else [tuple(part / unit for part in parts)]
        multipliers = tuple(source.optimum(cost).multipliers for cost in costs)
    shares = _shares(source) if is_region and isinstance(notion, MinEntropyLeakage) else None
    return Hints(multipliers, output, shares, envelope)


def _largest(costs: Sequence[Rational], source: Polytope) -> Rational:
    """Return what multipliers prove of a mean cost over a polytope."""
    multipliers = source.optimum(costs).multipliers
    rest = [
        cost - sum((u * row[x] for u, row in zip(multipliers, source.matrix, strict=True)), ZERO)
        for x, cost in enumerate(costs)
    ]
    return max(rest) + sum((u * bound for u, bound in zip(multipliers, source.bounds, strict=True)), ZERO)


def _shares(source: Source) -> tuple[tuple[Rational, int], ...]:
    """Return for each input the least it can be said to be of another one, under every law of a source."""
    found = []
    for x in range(source.size):
        ratios = [(source.maximum_ratio(x, k), k) for k in range(source.size) if k != x]
        found.append(min([(ONE, x), *((ratio, k) for ratio, k in ratios if ratio is not None)]))
    return tuple(found)


def _output(setting: Setting, mechanism: Mechanism) -> Point | None:
    """Return the best law of the output that is known, where an information is a supremum over a convex source."""
    order, priors = order_of(setting.notion), setting.notion.priors(setting.source)
    listed = isinstance(priors, Prior | Finite) or (isinstance(priors, Hull) and len(priors.points) == 1)
    if order is None or listed or not priors.is_convex:
        return None
    found: list[tuple[Rational, Point]] = []
    with suppress(ProofRejected, Undecided):  # powers out of reach
        for output in _outputs(mechanism, _priors(setting, mechanism), order):
            bound = bounded_information(setting, mechanism.rows, output, DIGITS)
            if not bound.is_infinite:
                found.append((bound.above(2 * _OUTPUT_BITS), output))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _priors(setting: Setting, mechanism: Mechanism) -> Iterator[Point]:
    prior = setting.notion.loss(mechanism, setting.source).witness.prior
    if prior is not None:
        yield prior
    if isinstance(setting.source, Everything) or isinstance(setting.notion, Capacity):
        yield (Rational(1, setting.universe.size),) * setting.universe.size


def _outputs(mechanism: Mechanism, priors: Iterable[Point], order: Rational) -> Iterator[Point]:
    inputs = len(mechanism.rows)
    reached = [sum(column, ZERO) / inputs for column in zip(*mechanism.rows, strict=True)]
    if all(row == mechanism.rows[0] for row in mechanism.rows):
        yield mechanism.rows[0]
        return
    for prior in priors:
        found = [_output_weight(prior, column, order) for column in zip(*mechanism.rows, strict=True)]
        total = sum(found, ZERO)
        law = tuple(value / total for value in found)
        yield law
        if any(r == 0 and mean > 0 for r, mean in zip(law, reached, strict=True)):
            yield tuple((1 - _TRACE) * r + _TRACE * mean for r, mean in zip(law, reached, strict=True))


def _output_weight(prior: Point, column: Point, order: Rational) -> Rational:
    """Return the probability of an output, or what stands in its place at another order: a norm, up to a factor."""
    if order == 1:
        return sum((p * q for p, q in zip(prior, column, strict=True)), ZERO)
    with working_precision(2 * _OUTPUT_BITS):
        inner = ball(ZERO)
        for p, q in zip(prior, column, strict=True):
            if p > 0 and q > 0:
                inner += (ball(q).log() * ball(order)).exp() * p
        if inner == 0:
            return ZERO
        value = Real.from_ball(lambda _: (inner.log() / ball(order)).exp()).above(2 * _OUTPUT_BITS)
    scale = Rational(1 << _OUTPUT_BITS)
    return Rational(int((value * scale).ceil())) / scale
