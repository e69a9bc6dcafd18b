r"""What is true beyond the paper for several rows: sums over independent rows, and two binary rows with any prior."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from epstar.exact import ONE, ZERO, Rational, Real, largest
from epstar_papers.theorem import Case, Relation, Theorem
from epstar_papers.wang2016 import cases
from epstar_papers.wang2016.beyond import (
    PLACE,
    one_row_distortion,
    one_row_private_distortion,
    one_row_private_ratio,
    one_row_ratio,
)
from epstar_papers.wang2016.claims import claim
from epstar_papers.wang2016.constructions import Database, Point, feasible_from, output_distribution, prior_level
from epstar_papers.wang2016.theorem_one import true_identifiability, true_privacy
from epstar_papers.wang2016.truth import IDENTIFIABILITY, PRIVACY, least_distortion

_DISTRIBUTIONS = (
    ("0.7 0.3", "0.55 0.45"),
    ("0.8 0.2", "0.8 0.2"),
    ("0.5 0.3 0.2", "0.5 0.3 0.2"),
    ("0.6 0.3 0.1", "0.4 0.35 0.25"),
    ("0.7 0.3", "0.6 0.4", "0.55 0.45"),
)


def _row_distributions(case: Case) -> list[Point]:
    return [Database.of(distribution, len(distribution.split())).prior for distribution in case["distributions"]]


def level_ratio(database: Database) -> Rational:
    """Return e^(eps_X)."""
    ratio = Real.exp(prior_level(database)).rational
    assert ratio is not None, "these priors have full support"
    return ratio


def _independent() -> Iterator[Case]:
    for distributions in _DISTRIBUTIONS:
        database = Database.independent(distributions)
        for factor in (Rational(11, 10), Rational(3)):
            yield {"distributions": distributions, "database": database, "ratio": level_ratio(database) * factor}


def _alike() -> Iterator[Case]:
    for distributions in (_DISTRIBUTIONS[1], _DISTRIBUTIONS[2]):
        for distortion in ("0.3", "0.5", "0.9"):
            yield cases.at(Database.independent(distributions), distortion, distributions=distributions)


def _output_of_rows(case: Case) -> bool:
    """Whether p_Y is the product of ((R + m - 1) p - 1) / (R - 1) over the rows."""
    ratio, joint = case["ratio"], (ONE,)
    for distribution in _row_distributions(case):
        joint = tuple(q * ((ratio + len(distribution) - 1) * p - 1) / (ratio - 1) for q in joint for p in distribution)
    return output_distribution(case["database"], ratio) == joint


def _moments(database: Database) -> tuple[Rational, Rational, Rational]:
    """E s_1, E s_2 and E s_1 s_2 of two binary rows read as spins."""
    p = database.prior
    return p[0] + p[1] - p[2] - p[3], p[0] - p[1] + p[2] - p[3], p[0] - p[1] - p[2] + p[3]


def _two_bits_distortion(case: Case) -> Rational:
    first, second, both = _moments(case["database"])
    slope: Rational = (case["ratio"] - 1) / (case["ratio"] + 1)
    square = slope * slope
    odd = both + slope * abs(first - second) - square
    even = -both + slope * abs(first + second) - square
    return 1 - slope + max(ZERO, odd, even) / (1 - slope)


def _two_bits_threshold(case: Case) -> float:
    first, second, both = (int(value.p) / int(value.q) for value in _moments(case["database"]))
    branches = []
    for size, sign in ((abs(first - second), 1.0), (abs(first + second), -1.0)):
        radicand = size * size + 4 * sign * both
        if radicand >= 0:
            branches.append((size + math.sqrt(radicand)) / 2)
    return 2 * math.atanh(max(branches))


def _two_bits(count: int, seed: int) -> Iterator[Case]:
    drawn = cases.small_databases(count, seed, ((2, 2),))
    for database in (cases.UNLIKE_ROWS, cases.CORRELATED, cases.POSITIVE, cases.NEGATIVE, *drawn):
        for factor in (Rational(21, 20), Rational(3, 2), Rational(4)):
            yield {"database": database, "ratio": level_ratio(database) * factor}


def _extreme_rays(ratio: Rational) -> set[Point]:
    """Return the extreme rays of {u >= 0: u(x) <= R u(x') for neighbours} on two binary rows.

    On an extreme ray tight constraints connect all four databases, so three edges of the square fix it.
    """
    ring, found = (0, 1, 3, 2), set()
    for missing, signs in product(range(4), product((1, -1), repeat=3)):
        value = {ring[(missing + 1) % 4]: ONE}
        for step, sign in enumerate(signs, 1):
            here, there = ring[(missing + step) % 4], ring[(missing + step + 1) % 4]
            value[there] = value[here] * (ratio if sign > 0 else 1 / ratio)
        last, first = value[ring[missing]], value[ring[(missing + 1) % 4]]
        if 1 / ratio <= last / first <= ratio:
            total = sum(value.values(), ZERO)
            found.add(tuple(value[x] / total for x in range(4)))
    return found


def _six_rays(case: Case) -> bool:
    ratio = case["ratio"]
    powers: list[Point] = [tuple(1 / ratio ** (x ^ y).bit_count() for x in range(4)) for y in range(4)]
    powers += [(ratio, ONE, ONE, ratio), (ONE, ratio, ratio, ONE)]
    return _extreme_rays(ratio) == {tuple(u / sum(ray, ZERO) for u in ray) for ray in powers}


def _sum_of_rows(case: Case, private: bool) -> Rational:
    one_row = one_row_private_distortion if private else one_row_distortion
    return sum((one_row(distribution, case["ratio"]) for distribution in _row_distributions(case)), ZERO)


THEOREMS: tuple[Theorem, ...] = (
    claim(
        "beyond-rows-identifiability",
        "Independent rows, identifiability",
        r"For independent rows $D_i^*(\epsilon)$ is the sum of the rows' $D_i^*(\epsilon)$, $\epsilon\ge\epsilon_X$.",
        _independent,
        lambda case: _sum_of_rows(case, private=False),
        lambda case: least_distortion(IDENTIFIABILITY, case["database"], case["ratio"]),
        place=PLACE,
        hypotheses=cases.ABOVE_PRIOR,
    ),
    claim(
        "beyond-rows-privacy",
        "Independent rows, differential privacy",
        r"For independent rows $D_d^*(\epsilon)$ is the sum of the rows' $D_d^*(\epsilon)$.",
        _independent,
        lambda case: _sum_of_rows(case, private=True),
        lambda case: least_distortion(PRIVACY, case["database"], case["ratio"]),
        place=PLACE,
    ),
    claim(
        "beyond-rows-threshold",
        "Independent rows, the threshold",
        r"For independent rows $\tilde\epsilon_X$ is the largest of the rows'.",
        _independent,
        lambda case: largest(
            [Real.log(1 / min(distribution) - (len(distribution) - 1)) for distribution in _row_distributions(case)]
        ),
        lambda case: feasible_from(case["database"]),
        place=PLACE,
    ),
    claim(
        "beyond-rows-prior-level",
        "Independent rows, the level of the prior",
        r"For independent rows $\epsilon_X$ is the largest of the rows'.",
        _independent,
        lambda case: largest(
            [Real.log(max(distribution) / min(distribution)) for distribution in _row_distributions(case)]
        ),
        lambda case: prior_level(case["database"]),
        place=PLACE,
    ),
    claim(
        "beyond-rows-alike-identifiability",
        "Rows of one distribution, identifiability",
        r"For independent rows of one distribution $\epsilon_i^*(D;n)=\epsilon_i^*(D/n;1)$.",
        _alike,
        lambda case: Real.log(one_row_ratio(_row_distributions(case)[0], case["distortion"] / case["database"].rows)),
        true_identifiability,
        place=PLACE,
    ),
    claim(
        "beyond-rows-alike-privacy",
        "Rows of one distribution, differential privacy",
        r"For independent rows of one distribution $\epsilon_d^*(D;n)=\epsilon_d^*(D/n;1)$.",
        _alike,
        lambda case: Real.log(
            one_row_private_ratio(_row_distributions(case)[0], case["distortion"] / case["database"].rows)
        ),
        true_privacy,
        place=PLACE,
    ),
    claim(
        "beyond-rows-output",
        "Independent rows, the output distribution",
        r"For independent rows $p_Y$ is the product of $\frac{(e^\epsilon+m-1)p-1}{e^\epsilon-1}$ over the rows.",
        _independent,
        _output_of_rows,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
    claim(
        "beyond-two-bits",
        "Two binary rows, the least distortion",
        r"For $n=m=2$, $\epsilon\ge\epsilon_X$, $\ell=\tanh(\epsilon/2)$, spin means $m_1, m_2$ and $c=E s_1s_2$: "
        r"$D_i^*(\epsilon)=1-\ell+\max\{0,c+\ell|m_1-m_2|-\ell^2,-c+\ell|m_1+m_2|-\ell^2\}/(1-\ell)$.",
        lambda: _two_bits(8, 51),
        _two_bits_distortion,
        lambda case: least_distortion(IDENTIFIABILITY, case["database"], case["ratio"]),
        place=PLACE,
        hypotheses=cases.TWO_BITS & cases.ABOVE_PRIOR,
    ),
    claim(
        "beyond-two-bits-threshold",
        "Two binary rows, the threshold",
        r"For $n=m=2$: $\tilde\epsilon_X=\ln\frac{1+L}{1-L}$ with $L$ the larger root of the two quadratics in "
        r"$\ell$.",
        lambda: _two_bits(12, 52),
        _two_bits_threshold,
        lambda case: feasible_from(case["database"]),
        place=PLACE,
        hypotheses=cases.TWO_BITS & cases.FULL_SUPPORT,
    ),
    claim(
        "beyond-two-bits-rays",
        "Two binary rows, the cone of posteriors",
        r"For $n=m=2$ the cone of $\epsilon$-identifiable posteriors has six extreme rays: four $e^{-\epsilon d(x,y)}$ "
        r"and two that depend on the parity alone.",
        lambda: ({"ratio": Rational(k, 2)} for k in (3, 4, 9)),
        _six_rays,
        relation=Relation.IMPLIES,
        place=PLACE,
    ),
)
