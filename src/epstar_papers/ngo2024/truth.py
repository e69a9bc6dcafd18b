"""True values by definition, in bits: from the notions' losses, from sums over all events, from entropies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from epstar.exact import ONE, ZERO, Interval, Rational, Real, largest
from epstar.gaussian import Gaussian, gaussian_loss
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    LocalInformationPrivacy,
    Loss,
    MutualInformation,
    PointwiseLeakage,
)
from epstar.notions.measure.hockey_stick import excess
from epstar.notions.measure.relative_entropy import divergence
from epstar.query.bounds import in_bits
from epstar.source import Prior

Distribution = Sequence[Rational]


def _known(loss: Loss) -> Interval:
    assert loss.lower is not None, "exact mechanisms have exact losses"
    assert loss.upper is not None
    return Interval(in_bits(loss.lower), in_bits(loss.upper))


def capacity(mechanism: Mechanism) -> Interval:
    """Return the capacity in bits."""
    return _known(Capacity().loss(mechanism))


def information(mechanism: Mechanism, prior: Prior) -> Real:
    """Return the mutual information in bits."""
    return _known(MutualInformation().loss(mechanism, prior)).upper


def pointwise(mechanism: Mechanism, prior: Prior) -> Real:
    """Return the largest divergence of a row from the output distribution, in bits."""
    return _known(PointwiseLeakage().loss(mechanism, prior)).upper


def delta(mechanism: Mechanism, level: Real) -> Real:
    """Return the least delta of differential privacy at a level."""
    found = ApproximateDifferentialPrivacy(0).delta_at(mechanism, level).upper
    assert found is not None
    return found


def local_delta(mechanism: Mechanism, prior: Prior, level: Real) -> Real:
    """Return the least delta of local information privacy at a level."""
    found = LocalInformationPrivacy(0).delta_at(mechanism, level, prior).upper
    assert found is not None
    return found


def relative_entropy(left: Distribution, right: Distribution) -> Real:
    """Return KL(left || right) in bits."""
    return in_bits(divergence(left, right))


def events(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every set of outputs."""
    for chosen in product((0, 1), repeat=size):
        yield tuple(y for y in range(size) if chosen[y])


def mass(row: Distribution, event: tuple[int, ...]) -> Rational:
    """Return the probability of an event."""
    return sum((row[y] for y in event), ZERO)


def delta_by_events(mechanism: Mechanism, level: Real) -> Real:
    """Return the least delta of (1), event by event."""
    factor, rows = Real.exp(level), mechanism.rows
    gaps = [
        Real.of(mass(left, event)) - factor * mass(right, event)
        for left in rows
        for right in rows
        for event in events(len(left))
    ]
    return largest(gaps)


def local_delta_by_events(mechanism: Mechanism, prior: Prior, level: Real) -> Real:
    """Return the least delta of (3), event by event."""
    factor, output = Real.exp(level), mechanism.output_law(prior)
    gaps = [Real.of(ZERO)]
    for row in mechanism.rows:
        for event in events(len(row)):
            inside, outside = mass(row, event), mass(output, event)
            gaps.append(Real.of(outside) - factor * inside)
            gaps.append(Real.of(inside) / factor - Real.of(outside))
    return largest(gaps)


def hockey_stick(left: Distribution, right: Distribution, level: Real) -> Real:
    """Return the hockey-stick divergence of parameter e^level; exact where that is rational."""
    factor = Real.exp(level)
    if factor.rational is not None:
        return Real.of(excess(left, right, factor.rational))
    parts = [Real.of(p) - factor * q for p, q in zip(left, right, strict=True)]
    return sum((part for part in parts if part > ZERO), Real.of(ZERO))


def gaussian_capacity(gaussian: Gaussian) -> Interval:
    """Return the capacity of normal noise in bits."""
    return _known(gaussian_loss(gaussian, Capacity()))


def entropy(density: Callable[[float], float], reach: float) -> float:
    """Return the differential entropy in nats of a symmetric density, by quadrature over [-reach, reach]."""
    from scipy import integrate

    def term(y: float) -> float:
        value = density(y)
        return -value * math.log(value) if value > 0 else 0.0

    found, _ = integrate.quad(term, 0, reach, epsabs=1e-13, epsrel=1e-12, limit=400)
    return 2 * float(found)


def half_log_det(numerator: Rational, denominator: Rational = ONE) -> Real:
    """Return half the logarithm of a quotient of determinants, in bits."""
    return in_bits(Real.log(numerator / denominator)) / 2
