"""What privacy alone says about leakage and utility, whatever the mechanism.

All bounds are in nats and hold at the level given: where e^level is irrational they are evaluated at a rational
just above it. Those that are tight say so; printed ones that are weaker or need a hypothesis say that too.
"""

from __future__ import annotations

import math

import numpy as np

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.query.closed_forms import Answers, answers_of
from epstar.query.exponential_kernel import ratios
from epstar.query.named_queries import MOST_VALUES
from epstar.query.query import Law, read_answer_prior

# Powers beyond this are kept as a multiple of a logarithm: their digits would fill pages.
_MOST_ROWS = 512
# So many bounds are compared exactly; their digits grow with the square of the number.
_MOST_PREFIXES = 64


def in_bits(nats: Real) -> Real:
    """Return a number of nats in bits."""
    return nats / Real.log(Rational(2))


def database_bound(individuals: int, values: int, level: object) -> Real:
    """Return u log(v E/(v - 1 + E)): no private mechanism leaks more about the database; tight.

    Source: alvim2011, Theorem 1 and Proposition 1.

    >>> str(database_bound(2, 2, "log(2)"))
    'log(16/9)'
    """
    u, v = _read(individuals, values)
    factor = _individual_factor(v, ratios(level).above)
    return Real.log(factor**u) if u <= _MOST_ROWS else Real.log(factor) * u


def individual_bound(values: int, level: object) -> Real:
    """Return log(v E/(v - 1 + E)): no private mechanism leaks more about one individual; tight.

    Sharpens alvim2011, Theorem 2 and Lemma 4 (n values that are all neighbours); reached by randomised response.

    >>> from epstar.query import individual_bound
    >>> str(individual_bound(values=3, level="log(2)"))
    'log(3/2)'
    """
    return Real.log(_individual_factor(_read(1, values)[1], ratios(level).above))


def printed_individual_bound(level: object) -> Real:
    """Return the level itself: alvim2011, Theorem 2 as printed, which is true and never reached.

    >>> from epstar.query import individual_bound, printed_individual_bound
    >>> printed_individual_bound("log(2)") > individual_bound(values=3, level="log(2)")
    True
    """
    return Real.log(ratios(level).above)


def range_bound(individuals: int, values: int, outputs: int, level: object) -> Real:
    """Return the bound on the leakage of a mechanism with at most `outputs` outputs.

    The least over l = 0..u of log(r E^u / (E^u - E^l + r ((v - 1 + E)/v)^l)): alvim2011, Proposition 2 as
    corrected. l = u is Theorem 1. Beyond 64 individuals floats choose the best l, and the bound it gives is proven.

    >>> from epstar.query import range_bound
    >>> str(range_bound(individuals=3, values=2, outputs=2, level="log(2)"))
    'log(16/9)'
    """
    u, v = _read(individuals, values)
    r = whole_number(outputs, "The number of outputs", 1)
    if u > _MOST_PREFIXES:
        return _range_bound_of_many(u, v, r, level)
    ratio = ratios(level).above
    # Divided by E^u, so that one pass of powers is enough.
    q, share = ONE / ratio, (v - 1 + ratio) / v
    power = part = q**u
    least = Rational(r)
    for _ in range(u + 1):
        least = min(least, r / (ONE - power + r * part))
        power, part = power * ratio, part * share
    return Real.log(max(ONE, least))


def _range_bound_of_many(u: int, v: int, r: int, level: object) -> Real:
    """The bound at the l that floats find best: every l gives one, so that only their choice is not proven."""
    ratios(level)  # refuses a level that is none
    nats = Real.of(level)
    if nats <= 0:
        return Real.of(ZERO)
    best = _best_prefix(u, v, r, float(nats))

    def enclose(bits: int) -> Ball:
        loss = nats.enclose(bits)
        share = ((loss.exp() + (v - 1)) / v).log()
        # Divided by E^u: 1 - q^(u - l) + r share^l / E^u.
        return Ball(r).log() - (-(-(u - best) * loss).expm1() + r * (best * share - u * loss).exp()).log()

    whole, part = database_bound(u, v, level), Real.from_ball(enclose)
    return part if part.upper <= whole.upper else whole


def _best_prefix(u: int, v: int, r: int, nats: float) -> int:
    """Where r share^l / E^u - q^(u - l) is largest, among some thousand places and then between the best of them."""
    share = np.log((v - 1) / v * math.exp(-nats) + 1 / v) + nats
    low, high = 0, u
    while True:
        step = max(1, (high - low) // 2048)
        places = np.unique(np.append(np.arange(low, high + 1, step), high))
        behind = (u - places).astype(float)
        gains = np.exp(math.log(r) + (share - nats) * places - nats * behind) - np.exp(-nats * behind)
        best = int(places[int(gains.argmax())])
        if step == 1:
            return best
        low, high = max(0, best - step), min(u, best + step)


def printed_range_bound(individuals: int, values: int, outputs: int, level: object) -> Real:
    """Return alvim2011, Proposition 2 with its own l = floor(log_v r).

    Raises:
        InvalidInput: if r >= v^(u+1), where the printed bound is false, or with a single value.

    >>> from epstar.query import printed_range_bound
    >>> str(printed_range_bound(individuals=3, values=2, outputs=2, level="log(2)"))
    'log(16/9)'
    """
    u, v = _read(individuals, values)
    r = whole_number(outputs, "The number of outputs", 1)
    if u > _MOST_ROWS:
        raise InvalidInput(f"The printed bound is written out for at most {_MOST_ROWS} individuals; use range_bound.")
    if v == 1 or r >= v ** (u + 1):
        raise InvalidInput("Proposition 2 holds for at least 2 values and fewer than v^(u+1) outputs.")
    ratio = ratios(level).above
    ell = max(k for k in range(u + 1) if v**k <= r)
    return Real.log(r * ratio**u / ((v - 1 + ratio) ** ell - ratio**ell + ratio**u))


def utility_bound(answers: Answers, level: object, prior: Law | None = None) -> Rational:
    """Return N max(pi) / min S: no oblivious private mechanism guesses the answer more often.

    S(y) = sum over z of q^distance(y, z). alvim2011, Theorem 3 with the hypotheses it needs: none on the graph,
    and for uniform answers the bound 1 / min S, which is reached where S is constant.

    >>> from epstar.query import PathPower, utility_bound
    >>> str(utility_bound(PathPower(range(6)), "log(2)"))
    '32/63'
    """
    shape = answers_of(answers)
    chances = read_answer_prior(shape, prior)
    least = shape.least_sphere_sum(ONE / ratios(level).above)
    return min(ONE, shape.size * max(chances) / least)


def _individual_factor(v: int, ratio: Rational) -> Rational:
    return v * ratio / (v - 1 + ratio)


def _read(individuals: int, values: int) -> tuple[int, int]:
    u = whole_number(individuals, "The number of individuals", 1)
    v = whole_number(values, "The number of values", 1)
    if u * v > MOST_VALUES:
        raise InvalidInput(
            f"{shown(u)} individuals with {shown(v)} values are too many (at most 2^48 in all); ask fewer."
        )
    return u, v
