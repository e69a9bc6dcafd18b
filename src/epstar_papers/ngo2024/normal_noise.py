"""Normal noise on the 21-point distribution of Figures 3 and 4, seen from the outermost point 1.

At every level the curve of local information privacy is the excess of the distribution of the output over e^level times
the one given the point 1 (or -1, its mirror image). The ratio r of the two densities falls along the line, so that the
excess is an integral over a half-line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from epstar.exact import Rational, Real
from epstar.gaussian import Gaussian
from epstar.query.bounds import in_bits
from epstar_papers.ngo2024.cases import NORMAL_INPUT

_LAST = 1.0


def normal_mechanism(variance: Rational) -> Gaussian:
    """Return normal noise on the 21 points."""
    return Gaussian(variance=variance, inputs=NORMAL_INPUT)


@lru_cache(maxsize=64)
def normal_local_delta(variance: Rational, level: Rational) -> Real:
    """Return a proven point of its curve of local information privacy."""
    return normal_mechanism(variance).local_delta(level)


def normal_information(variance: Rational) -> Real:
    """Return its mutual information in bits."""
    return in_bits(normal_mechanism(variance).mixture.information())


def _log_ratio(noise: float) -> Callable[[float], float]:
    """Return the logarithm of the density of the output over that given the point 1."""
    points = np.array([float(Real.of(x)) for x in NORMAL_INPUT.points])
    logs = np.log([float(Real.of(p)) for p in NORMAL_INPUT.probabilities])

    def found(y: float) -> float:
        exponents = logs + (points - _LAST) * (y - (points + _LAST) / 2) / noise
        top = float(exponents.max())
        return top + math.log(float(np.exp(exponents - top).sum()))

    return found


def _over_half_line(variance: Rational, level: float, term: Callable[[float, float], float]) -> float:
    """Integrate a function of log r and of the log-density given the point 1 over where r > e^level."""
    from scipy import integrate, optimize

    noise = float(Real.of(variance))
    log_ratio = _log_ratio(noise)

    def integrand(y: float) -> float:
        return term(log_ratio(y), -((y - _LAST) ** 2) / (2 * noise) - math.log(2 * math.pi * noise) / 2)

    reach = -3.0 - 12 * math.sqrt(noise) - noise * level
    end = float(optimize.brentq(lambda y: log_ratio(y) - level, reach, 20.0, xtol=1e-14))
    found, _ = integrate.quad(integrand, reach, end, epsabs=1e-14, epsrel=1e-12, limit=400)
    return float(found)


def excess_at_the_end(variance: Rational, level: Rational) -> float:
    """Return the excess of the output distribution over e^level times the distribution given the point 1."""
    nats = float(Real.of(level))
    return _over_half_line(variance, nats, lambda log, density: math.exp(density + log) - math.exp(density + nats))


def normal_bound_10(variance: Rational) -> float:
    """Return (10) in bits for the LIP curve of normal noise, by quadrature over the output.

    The integral over levels of e^level and of e^-level times the excess is the mean, given the point 1 and where
    r > 1, of (r - 1)^2 / 2 and of r - 1 - log r, together (r^2 - 1) / 2 - log r.
    """

    def term(log: float, density: float) -> float:
        return (math.exp(density + 2 * log) - math.exp(density)) / 2 - log * math.exp(density)

    return _over_half_line(variance, 0.0, term) / math.log(2)
