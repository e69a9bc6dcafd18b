"""What a bound on information says about one event: largest excesses under a bound, with proven values.

The largest value of a q + b p over probabilities p, q with p, q -> r = pi p + (1 - pi) q subject to a bound mu on
I = min_r [pi KL(p || r) + (1 - pi) KL(q || r)] has a dual without constraints. For any positive k = lambda pi and
l = lambda (1 - pi) it is at most

    (k + l) mu + max_r [ l log(1 + r (e^(a/l) - 1)) + k log(1 + r (e^(b/k) - 1)) ],

because tilting r maximises a q - l KL(q || r); the inner maximum is concave in r with a closed form. Every choice of
the multipliers proves a bound, so they may be found in floats; the bound is convex in them, so it is nearly attained.
With pi free it is the bound on the capacity that is used: the information is at most mu for every pi.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from epstar.exact import Ball, Rational, Real

_LOGS = (-45.0, 45.0)


@dataclass(frozen=True)
class Excess:
    """A proven bound on the largest excess, and the probabilities p, q that nearly attain it (floats)."""

    upper: Real
    p: float
    q: float


def _log_mix(r: float, exponent: float) -> float:
    """log(1 + r (e^exponent - 1)) for 0 <= r <= 1."""
    if r <= 0:
        return 0.0
    if r >= 1:
        return exponent
    top = max(0.0, exponent)
    return top + math.log((1 - r) * math.exp(-top) + r * math.exp(exponent - top))


def _inverse(exponent: float) -> float:
    """1 / (e^exponent - 1)."""
    if exponent > 700:
        return 0.0
    return 1 / math.expm1(exponent) if exponent != 0 else math.inf


def _tilt(r: float, exponent: float) -> float:
    if r <= 0 or r >= 1:
        return min(1.0, max(0.0, r))
    shift = exponent + math.log(r) - math.log1p(-r)
    return 1 / (1 + math.exp(-shift)) if shift > -700 else 0.0


def _centre(a: float, b: float, k: float, m: float) -> float:
    inner = -(m * _inverse(b / k) + k * _inverse(a / m)) / (k + m)
    return min(1.0, max(0.0, inner)) if math.isfinite(inner) else 0.0


def _bound(a: float, b: float, k: float, m: float, mu: float) -> float:
    r = _centre(a, b, k, m)
    return (k + m) * mu + m * _log_mix(r, a / m) + k * _log_mix(r, b / k)


def _proven(a: Real, b: Real, k: Rational, m: Rational, mu: Real) -> Real:
    """The bound for given multipliers, in balls."""

    def enclose(bits: int) -> Ball:
        up, down = a.enclose(bits) / m, b.enclose(bits) / k
        alpha, beta = up.expm1(), down.expm1()
        r = (-(m / beta + k / alpha) / (k + m)).max(Ball(0)).min(Ball(1))
        return (k + m) * mu.enclose(bits) + m * (r * alpha).log1p() + k * (r * beta).log1p()

    return Real.from_ball(lru_cache(maxsize=8)(enclose))


def _pair(a: float, b: float, k: float, m: float) -> tuple[float, float]:
    """The probabilities p and q that attain the bound for given multipliers."""
    r = _centre(a, b, k, m)
    return _tilt(r, b / k), _tilt(r, a / m)


def _divergence(p: float, r: float) -> float:
    """KL(Ber p || Ber r) in nats."""
    total = 0.0
    for left, right in ((p, r), (1 - p, 1 - r)):
        if left > 0:
            total += left * math.log(left / right) if right > 0 else math.inf
    return total


def _refined(function: Callable[[float], float], near: float) -> float:
    """A root next to a number, if there is a change of sign; else the number."""
    from scipy import optimize

    for width in (1e-6, 1e-3):
        low, high = near - width, near + width
        if function(low) * function(high) < 0:
            return float(optimize.brentq(function, low, high, xtol=1e-15, rtol=1e-15))
    return near


def _exactly(value: float) -> Rational:
    return Rational(*value.as_integer_ratio())


def _least(function: Callable[[float], float]) -> float:
    """Where a function of a positive number, unimodal in its logarithm, is least."""
    from scipy import optimize

    found = optimize.minimize_scalar(
        lambda x: function(math.exp(x)), bounds=_LOGS, method="bounded", options={"xatol": 1e-9}
    )
    return math.exp(float(found.x))


def _least_pair(function: Callable[[float, float], float]) -> tuple[float, float]:
    """Where a function of two positive numbers is least, the part of the first lying between 0.3 and 0.7."""
    from scipy import optimize

    def weight_at(part: float) -> float:
        return _least(lambda x: function(x * part, x * (1 - part)))

    def value(part: float) -> float:
        weight = weight_at(part)
        return function(weight * part, weight * (1 - part))

    part = float(optimize.minimize_scalar(value, bounds=(0.3, 0.7), method="bounded", options={"xatol": 1e-10}).x)
    return weight_at(part) * part, weight_at(part) * (1 - part)


def excess_given_information(a: Real, b: Real, share: Rational, mu: Real) -> Excess:
    """Return the largest a q + b p when a bit with distribution (share, 1 - share) tells at most mu nats.

    `p` is the probability of an event given the part of probability `share`, `q` given the rest; a and b have opposite
    signs.
    """
    first, second, pi, nats = float(a), float(b), float(Real.of(share)), float(mu)
    weight = _least(lambda x: _bound(first, second, x * pi, x * (1 - pi), nats))

    def spare(log: float) -> float:
        # At the best multiplier the information is exactly the bound, which is a sharper condition than a minimum.
        p, q = _pair(first, second, math.exp(log) * pi, math.exp(log) * (1 - pi))
        centre = pi * p + (1 - pi) * q
        return pi * _divergence(p, centre) + (1 - pi) * _divergence(q, centre) - nats

    weight = math.exp(_refined(spare, math.log(weight)))
    k, m = _exactly(weight) * share, _exactly(weight) * (1 - share)
    return Excess(_proven(a, b, k, m, mu), *_pair(first, second, weight * pi, weight * (1 - pi)))


def excess_given_capacity(a: Real, b: Real, mu: Real) -> Excess:
    """Return the largest a q + b p when a bit tells at most mu nats whatever its distribution: a free share."""
    first, second, nats = float(a), float(b), float(mu)

    from scipy import optimize

    def spare(logs: Sequence[float]) -> list[float]:
        # At the capacity both inputs have the same divergence from the output, the bound.
        k, m = (math.exp(min(300.0, max(-300.0, log))) for log in logs)
        p, q = _pair(first, second, k, m)
        part = k / (k + m)
        centre = part * p + (1 - part) * q
        return [_divergence(p, centre) / nats - 1, _divergence(q, centre) / nats - 1]

    # The best prior of a binary channel gives each input between 1/e and 1 - 1/e, so one half is a good start.
    weight = _least(lambda x: _bound(first, second, x / 2, x / 2, nats))
    found = optimize.root(spare, [math.log(weight / 2)] * 2, tol=1e-14)
    if max(map(abs, found.fun)) < 1e-6:
        k, m = (math.exp(min(300.0, max(-300.0, log))) for log in found.x.tolist())
    else:
        k, m = _least_pair(lambda k, m: _bound(first, second, k, m, nats))
    return Excess(_proven(a, b, _exactly(k), _exactly(m), mu), *_pair(first, second, k, m))


def excess_given_divergence(level: Real, kappa: Real) -> Excess:
    """Return the largest r - e^level p with KL(Ber p || Ber r) at most kappa nats (ngo2024, equation (9))."""
    factor, nats = math.exp(float(level)), float(kappa)

    def bound(weight: float) -> float:
        r = _clipped(-weight - _inverse(-factor / weight))
        return weight * nats + r + weight * _log_mix(r, -factor / weight)

    weight = _least(bound)
    exact = _exactly(weight)

    def enclose(bits: int) -> Ball:
        beta = (-level.enclose(bits).exp() / exact).expm1()
        r = (-exact - 1 / beta).max(Ball(0)).min(Ball(1))
        return exact * kappa.enclose(bits) + r + exact * (r * beta).log1p()

    r = _clipped(-weight - _inverse(-factor / weight))
    return Excess(Real.from_ball(enclose), _tilt(r, -factor / weight), r)


def shortfall_given_divergence(level: Real, kappa: Real) -> Excess:
    """Return the largest e^-level p - r with KL(Ber p || Ber r) at most kappa nats: the other side of (9)."""
    factor, nats = math.exp(-float(level)), float(kappa)

    def bound(weight: float) -> float:
        r = _clipped(weight - _inverse(factor / weight))
        return weight * nats - r + weight * _log_mix(r, factor / weight)

    weight = _least(bound)
    exact = _exactly(weight)

    def enclose(bits: int) -> Ball:
        alpha = ((-level.enclose(bits)).exp() / exact).expm1()
        r = (exact - 1 / alpha).max(Ball(0)).min(Ball(1))
        return exact * kappa.enclose(bits) - r + exact * (r * alpha).log1p()

    r = _clipped(weight - _inverse(factor / weight))
    return Excess(Real.from_ball(enclose), _tilt(r, factor / weight), r)


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
