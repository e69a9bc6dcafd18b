r"""Theorem 1(a) at several levels at once: no binary mechanism attains two of them, a larger one attains all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from epstar.exact import ONE, ZERO, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism
from epstar_papers.ngo2024 import cases, truth
from epstar_papers.ngo2024.constructions import binary_mechanism, delta_from_capacity
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _pairs_of_levels() -> Iterator[Case]:
    for mu in cases.BOUNDS[:3]:
        for levels in ((Rational(1, 4), ONE), (ONE, Rational(3)), (Rational(1, 2), Rational(4))):
            yield {"mu": mu, "levels": levels}


def _sets_of_levels() -> Iterator[Case]:
    for mu in cases.BOUNDS[:3]:
        yield {"mu": mu, "levels": rationals(["1/4", "1", "2"])}
        yield {"mu": mu, "levels": rationals(["1/10", "1/2", "1", "3"])}


def _is_shared_by_a_binary_mechanism(case: Case) -> bool:
    """Whether one binary channel within mu needs (6) at both levels.

    Up to names its rows (p, 1-p) and (q, 1-q) satisfy p - e^a q = delta at the first level, and p - e^b q or
    (1-q) - e^b (1-p) = delta at the second: that leaves two channels.
    """
    first, second = (float(Real.exp(level)) for level in case["levels"])
    low, high = (float(delta_from_capacity(case["mu"], level)) for level in case["levels"])
    found = []
    q = (low - high) / (second - first)
    found.append((low + first * q, q))
    # (1-q) - e^b (1-p) = high with p = low + e^a q.
    q = (high - 1 + second * (1 - low)) / (first * second - 1)
    found.append((low + first * q, q))
    allowed = float(Real.of(case["mu"])) * (1 + 1e-9)
    channels = [Rational(*p.as_integer_ratio()) for pair in found for p in pair]
    return any(
        0 <= p <= 1 and 0 <= q <= 1 and truth.capacity(Mechanism([[p, 1 - p], [q, 1 - q]])).lower.lower <= allowed
        for p, q in zip(channels[::2], channels[1::2], strict=True)
    )


def _balanced_output(mechanism: Mechanism) -> Rational:
    """Return the chance of the first output under the distribution at which both rows diverge equally from it."""
    p, q = (float(Real.of(row[0])) for row in mechanism.rows)
    odds = math.exp((_entropy(p) - _entropy(q)) / (q - p))
    return Rational(*(odds / (1 + odds)).as_integer_ratio())


def _entropy(chance: float) -> float:
    return -sum(p * math.log(p) for p in (chance, 1 - chance) if p > 0)


def _shared_mechanism(case: Case) -> Mechanism:
    """Return the binary mechanisms of some levels laid over one another so that their outputs are distributed alike."""
    binary = [binary_mechanism(case["mu"], level) for level in case["levels"]]
    shares = [_balanced_output(mechanism) for mechanism in binary]
    ends = sorted({ZERO, ONE, *shares})
    cells = list(pairwise(ends))
    rows = []
    for mechanism, share in zip(binary, shares, strict=True):
        for row in mechanism.rows:
            density = (row[0] / share, row[1] / (1 - share))
            rows.append([density[high > share] * (high - low) for low, high in cells])
    return Mechanism(rows)


def _is_shared(case: Case) -> bool:
    """Whether the mechanism of many inputs stays within mu and needs (6) at each level."""
    mechanism = _shared_mechanism(case)
    within = truth.capacity(mechanism).upper.upper <= float(Real.of(case["mu"])) * (1 + 1e-6)
    return within and all(
        truth.delta(mechanism, Real.of(level)).upper >= delta_from_capacity(case["mu"], level).lower - 1e-8
        for level in case["levels"]
    )


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="ngo2024:thm-1a-one-mechanism",
        label="Theorem 1(a), one mechanism for all levels",
        place="Appendix A",
        statement=r"One binary mechanism $M^*$ attains $\delta_\mu^{LDP}(\epsilon)$ for every $\epsilon > 0$.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=_pairs_of_levels,
        printed=_is_shared_by_a_binary_mechanism,
        corrected=_is_shared,
        counterexample=Counterexample(
            {"mu": rational("1/10"), "levels": (Rational(1, 4), ONE)},
            1.0,
            0.0,
            "the two channels that need .2991 at 1/4 and .2015 at 1 have capacities of .1137 and .1535 bits",
        ),
        correction=r"The maximiser of (6) changes with $\epsilon$: each level has its own binary mechanism. One "
        r"mechanism with more inputs and outputs attains all levels.",
    ),
    Theorem(
        key="ngo2024:beyond-one-mechanism",
        label="Theorem 1(a), one mechanism for all levels, with more outputs",
        place="beyond the paper",
        statement=r"One mechanism within $\mu$ attains $\delta_\mu^{LDP}(\epsilon)$ for every $\epsilon > 0$: its "
        r"inputs are the pairs $(\epsilon, b)$ with $b$ in $\{0, 1\}$, its outputs the points of $[0, 1]$, and "
        r"$(\epsilon, b)$ spreads the two outputs of the maximiser of (6) evenly over $[0, t]$ and $[t, 1]$, $t$ "
        r"being the chance of the first under the best distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_sets_of_levels,
        printed=_is_shared,
        beyond=r"Every input then has a divergence of at most $\mu$ from the uniform distribution on $[0, 1]$, so the "
        r"capacity is at most $\mu$.",
        leaves_out="More than four levels at a time.",
    ),
)
