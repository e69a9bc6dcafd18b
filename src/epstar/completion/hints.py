"""What a checker that does not search needs to know beside a mechanism: found by search, and believed by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from epstar.claims.claim import DIGITS, Hints, Point, Setting
from epstar.claims.saddle import bounded_information, information_costs, order_of
from epstar.exact import ZERO, Rational, Real, ball, working_precision
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions import Capacity, Identifiability, LocalInformationPrivacy, MaximalInformation
from epstar.notions.enclosure import times
from epstar.notions.pairs import ordered_pairs
from epstar.source import Everything, Finite, Hull, Polytope, Prior

# Larger matrices are for the package alone.
_MOST_ENTRIES = 1 << 14
_TRACE = Rational(1, 1 << 90)
_OUTPUT_BITS = 120


def hints(setting: Setting, mechanism: AnyMechanism, loss: Real) -> Hints:
    """Return the hints for a claim that a mechanism has at most some loss."""
    inputs, outputs = mechanism.shape
    if isinstance(mechanism, DistanceMechanism) or inputs * outputs > _MOST_ENTRIES or not mechanism.is_exact:
        return Hints()
    dense = mechanism.dense()
    output = _output(setting, dense)
    multipliers: tuple[Point, ...] = ()
    if isinstance(setting.source, Polytope):
        costs = [mechanism.costs(setting.distortion), *_further_costs(setting, dense, output, loss)]
        multipliers = tuple(setting.source.optimum(cost).multipliers for cost in costs)
    return Hints(multipliers, output)


def _further_costs(setting: Setting, mechanism: Mechanism, output: Point | None, loss: Real) -> Iterator[Point]:
    """Yield the linear functions of the law, beside the distortion, whose largest values over a region decide."""
    notion, columns = setting.notion, list(zip(*mechanism.rows, strict=True))
    if loss.is_infinite:
        return
    if isinstance(notion, MaximalInformation):
        yield from (tuple(-q for q in column) for column in columns)
    elif isinstance(notion, LocalInformationPrivacy) and notion.delta == 0:
        for column in columns:
            yield tuple(-q for q in column)
            yield column
    elif isinstance(notion, Identifiability):
        growths = {d: Real.exp(times(loss, d)).below(_OUTPUT_BITS) for *_, d in ordered_pairs(setting.universe)}
        for x, z, distance in sorted(ordered_pairs(setting.universe)):
            worst = max(columns, key=lambda q: (q[z] == 0 and q[x] > 0, q[x] / q[z] if q[z] > 0 else q[x]))
            yield tuple(
                worst[x] if k == x else -growths[distance] * worst[z] if k == z else ZERO for k in range(len(worst))
            )
    elif output is not None and order_of(notion) is not None:
        costs, limit = information_costs(setting, mechanism.rows, output, loss, DIGITS)
        if any(cost > limit for cost in costs):
            yield costs


def _output(setting: Setting, mechanism: Mechanism) -> Point | None:
    """Return the best law of the output that is known, where an information is a supremum over a convex source."""
    order, priors = order_of(setting.notion), setting.notion.priors(setting.source)
    listed = isinstance(priors, Prior | Finite) or (isinstance(priors, Hull) and len(priors.points) == 1)
    if order is None or listed or not priors.is_convex:
        return None
    found: list[tuple[Rational, Point]] = []
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
        value = (inner.log() / ball(order)).exp().mid().fmpq()
    scale = Rational(1 << _OUTPUT_BITS)
    return Rational(int((value * scale).ceil())) / scale
