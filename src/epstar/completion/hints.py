"""What a checker that does not search needs to know beside a mechanism: found here by search, and believed by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from epstar.claims.claim import DIGITS, Hints, Point, Setting
from epstar.claims.saddle import bounded_information, order_of
from epstar.errors import EpstarError
from epstar.exact import ZERO, Rational, Real, ball, text, working_precision
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions import Capacity, LocalInformationPrivacy, MinEntropyLeakage, PointwiseLeakage
from epstar.source import Ball as BallSource
from epstar.source import Box, Everything, Finite, Hull, Polytope, Prior, Source

# Larger matrices are for the package alone.
_MOST_ENTRIES = 1 << 14
_MOST_CORNERS = 1 << 12
_TRACE = Rational(1, 1 << 90)
_OUTPUT_BITS = 120


def hints(setting: Setting, mechanism: AnyMechanism) -> Hints:
    """Return the hints for a claim about a mechanism."""
    inputs, outputs = mechanism.shape
    if isinstance(mechanism, DistanceMechanism) or inputs * outputs > _MOST_ENTRIES or not mechanism.is_exact:
        return Hints()
    dense = mechanism.dense()
    source = setting.source
    multipliers: tuple[Point, ...] = ()
    if isinstance(source, Polytope):
        multipliers = (source.optimum(mechanism.costs(setting.distortion)).multipliers,)
    return Hints(multipliers, _output(setting, dense), _corners(setting))


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
    inputs, outputs = mechanism.shape
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


def _corners(setting: Setting) -> list[object] | None:
    """Return the corners of a region at which a loss that is convex in the law must be read."""
    notion, source = setting.notion, setting.source
    try:
        if isinstance(notion, MinEntropyLeakage):
            return _parts(source)
        slack = isinstance(notion, LocalInformationPrivacy) and notion.delta > 0
        if (slack or isinstance(notion, PointwiseLeakage)) and isinstance(source, Box | BallSource | Polytope):
            return [_texts(corner) for corner in source.vertices(_MOST_CORNERS)]
    except EpstarError:  # too many corners
        return None
    return None


def _parts(source: Source) -> list[object] | None:
    """Return for each input the corners of the part of a region in which it is the likeliest."""
    mixtures = source.mixtures
    if mixtures is None or isinstance(source, Prior | Finite):
        return None
    found: list[object] = []
    for x in range(source.size):
        matrix, bounds = list(mixtures.matrix), list(mixtures.bounds)
        for other in range(source.size):
            if other != x:
                matrix.append(tuple(vector[other] - vector[x] for vector in mixtures.vectors))
                bounds.append(ZERO)
        try:
            weights = Polytope(matrix, bounds).vertices(_MOST_CORNERS)
        except EpstarError:  # the input is never the likeliest
            found.append([])
            continue
        laws = {
            tuple(sum((w * v[k] for w, v in zip(one, mixtures.vectors, strict=True)), ZERO) for k in range(source.size))
            for one in weights
        }
        found.append([_texts(law) for law in sorted(laws, key=lambda law: [float(Real.of(p)) for p in law])])
    return found


def _texts(law: Point) -> list[str]:
    return [text(p) for p in law]


