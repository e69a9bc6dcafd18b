r"""What is exact beyond the paper: closed forms where it has bounds, and the mechanisms that attain them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from epstar.exact import ONE, ZERO, Interval, Rational, Real, rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar.notions import ApproximateDifferentialPrivacy, Notion, RenyiDifferentialPrivacy
from epstar.source import Prior
from epstar_papers.theorem import Case, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.constructions import subset_distortion, subset_response
from epstar_papers.zhong2022.distributions import Point, Points, as_float, points, tail
from epstar_papers.zhong2022.leakage import corollary_15
from epstar_papers.zhong2022.truth import (
    LEAKAGE,
    SHANNON,
    distortion,
    hull,
    least_distortion,
    least_loss,
    loss,
    members,
    same,
)

_DELTAS = ("0", "1/10", "7/20")


def _levels(distributions: Callable[[Random], Points], count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for number in range(count):
        ratio = 1 + Rational(random.randint(0, 60), 10)
        yield {"distributions": distributions(random), "ratio": ratio, "delta": rational(_DELTAS[number % 3])}


def _one_sorted(random: Random) -> Points:
    return (cases.sorted_distribution(random, random.randint(2, 5)),)


def _several_sorted(random: Random) -> Points:
    size = random.randint(3, 4)
    return tuple(dict.fromkeys(cases.sorted_distribution(random, size) for _ in range(3)))


def _approximate(case: Case, pointwise: bool) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"], reading="pointwise" if pointwise else "event")


def _inverse(case: Case) -> Rational:
    """min_k (1-delta)((m-k)+E D^(k-1))/(m-k+E), the largest over the hull: a linear program in the weights."""
    distributions, ratio, delta = case["distributions"], case["ratio"], case["delta"]
    active = range(1, len(distributions[0]) + 1)
    matrix = tuple(
        (*(-subset_distortion(distribution, ratio, r, delta) for distribution in distributions), ONE) for r in active
    )
    equality = ((ONE,) * len(distributions) + (ZERO,),)
    found = LinearSystem(len(distributions) + 1, matrix, (ZERO,) * len(matrix), equality, (ONE,)).maximise(
        [ZERO] * len(distributions) + [ONE]
    )
    assert isinstance(found, Optimum), "distortions lie between 0 and 1"
    return found.value


def _least_distortion(case: Case, pointwise: bool) -> Interval:
    return least_distortion(_approximate(case, pointwise), hull(case["distributions"]), Real.log(case["ratio"]))


def _response_attains(case: Case) -> bool:
    """Whether the subset response has that distortion and at most that loss, in both readings."""
    (distribution,) = case["distributions"]
    mechanism = subset_response(distribution, case["ratio"], case["delta"]).dense()
    losses = [loss(_approximate(case, pointwise), mechanism).upper for pointwise in (True, False)]
    exact = distortion(mechanism, Prior(distribution)) == _inverse(case)
    return exact and all(found <= Real.log(case["ratio"]) for found in losses)


def _erokhin(case: Case) -> float:
    """The rate-distortion function of a sorted distribution, with the r categories that stay in use."""
    distribution, wrong = case["distributions"][0], distortion_of(case)
    size = len(distribution)
    if wrong >= 1 - distribution[0]:
        return 0.0
    for r in range(size, 1, -1):
        rest = tail(distribution, size - r)
        share = (wrong - rest) / ((r - 1) * (1 - wrong))
        if share > 0 and distribution[r - 1] > share * (1 - wrong):
            right = as_float(1 - wrong)
            entropy = formulas.entropy(distribution[:r])
            return entropy + as_float(1 - rest) * math.log(right) + as_float(wrong - rest) * math.log(as_float(share))
    raise ArithmeticError("some number of categories fits every distortion below 1 - P_1")


def _two_categories() -> Iterator[Case]:
    for distribution in ("0.55 0.45", "0.7 0.3", "0.9 0.1"):
        for order in ("3/2", "2", "4"):
            yield from (cases.at(points(distribution), wrong, order=rational(order)) for wrong in ("0.02", "0.09"))


def _criterion(case: Case) -> bool:
    """Whether Q_D is optimal exactly if min(r, 1/r) <= (1-p)/p for one bit with the distribution (p, 1-p)."""
    (distribution,), setting, alpha = case["distributions"], case["setting"], as_float(case["order"])
    odds = as_float(setting.odds)
    top, bottom = odds ** (alpha - 1) - odds ** (1 - alpha), odds**alpha - odds**-alpha
    r = alpha * top / ((alpha - 1) * bottom)
    expected: bool = min(r, 1 / r) <= as_float(distribution[1] / distribution[0])
    found = least_loss(RenyiDifferentialPrivacy(case["order"]), Prior(distribution), setting.distortion)
    own = Real.of(formulas.renyi_upper(setting, case["order"]))
    return expected == same(found, Interval(own, own), 1e-8)


def _leakage_over_hull(case: Case) -> Real:
    """Corollary 15 maximised over the hull of two priors: at its ends and where two categories are equally likely."""
    first, second = case["distributions"]
    distributions: list[Point] = [first, second]
    differences = [(first[i] - first[j], second[i] - second[j]) for i in range(len(first)) for j in range(i)]
    for a, b in differences:
        if a * b < 0:
            share = b / (b - a)
            distributions.append(tuple(share * p + (ONE - share) * q for p, q in zip(first, second, strict=True)))
    level = Real.log(case["ratio"])
    return max(corollary_15(tuple(sorted(distribution, reverse=True)), level) for distribution in distributions)


def _two_distributions(random: Random) -> Points:
    size = random.randint(2, 3)
    return tuple(cases.distribution(random, size) for _ in range(2))


beyond = partial(Theorem, verdict=Verdict.HOLDS, relation=Relation.EQUAL, place="beyond the paper")

THEOREMS = (
    beyond(
        key="zhong2022:beyond-inverse",
        label="The inverse of Theorem 9",
        statement=r"$D^*_\delta(P, \epsilon) = \min_{1\le k\le m} (1-\delta)\frac{(m-k)+e^\epsilon "
        r"D^{(k-1)}}{m-k+e^\epsilon}$ for every $\epsilon$, $\delta$ and sorted distribution, without exception, "
        r"output by output and for events.",
        cases=lambda: ({**case, "pointwise": p} for case in _levels(_one_sorted, 18, 191) for p in (True, False)),
        printed=_inverse,
        computed=lambda case: _least_distortion(case, case["pointwise"]),
    ),
    beyond(
        key="zhong2022:beyond-inverse-sets",
        label="The inverse of Theorem 9 for sets",
        statement=(
            r"For sets of sorted distributions take the largest value over the hull, a linear program in the "
            r"weights."
        ),
        cases=lambda: ({**case, "pointwise": p} for case in _levels(_several_sorted, 9, 192) for p in (True, False)),
        printed=_inverse,
        computed=lambda case: _least_distortion(case, case["pointwise"]),
    ),
    beyond(
        key="zhong2022:beyond-response",
        label="Randomised response on a subset",
        statement=r"It is attained by randomised response on the likeliest categories with $\delta$ added on the "
        r"diagonal.",
        relation=Relation.IMPLIES,
        cases=lambda: _levels(_one_sorted, 18, 193),
        hypotheses=Hypothesis(r"there is one distribution", lambda case: len(case["distributions"]) == 1),
        printed=_response_attains,
    ),
    beyond(
        key="zhong2022:beyond-renyi-known",
        label="Rényi differential privacy, one bit with a known distribution",
        statement=r"For the distribution $(p, 1-p)$, $p \ge 1/2$, $Q_D$ is optimal exactly if $\min(r, 1/r) \le "
        r"(1-p)/p$ with $z = (1-D)/D$ and "
        r"$r = \frac{\alpha(z^{\alpha-1}-z^{1-\alpha})}{(\alpha-1)(z^\alpha-z^{-\alpha})}$.",
        relation=Relation.IMPLIES,
        cases=_two_categories,
        hypotheses=Hypothesis(
            r"there is one distribution, $(p, 1-p)$ with $p \ge 1/2$",
            lambda case: (
                len(case["distributions"]) == 1
                and len(case["distributions"][0]) == 2
                and case["distributions"][0][0] >= case["distributions"][0][1]
            ),
        ),
        printed=_criterion,
    ),
    beyond(
        key="zhong2022:beyond-information",
        label="Mutual information, any distribution",
        statement=r"With $r$ the number of $P_j > s(1-D)$, $s = \frac{D-D^{(m-r)}}{(r-1)(1-D)}$: $R(D) = -\sum_{j\le "
        r"r} P_j\log P_j + (1-D^{(m-r)})\log(1-D) + (D-D^{(m-r)})\log s$ (Erokhin).",
        cases=lambda: cases.one_distribution(14, 194),
        printed=_erokhin,
        computed=lambda case: least_loss(SHANNON, Prior(case["distributions"][0]), distortion_of(case), 1, "program"),
    ),
    beyond(
        key="zhong2022:beyond-minimax",
        label="Corollary 15 for distributions in any order",
        statement=r"$D^*_{ML}(\mathcal{P}, \epsilon)$ is the largest $D^*_{ML}(P, \epsilon)$ over the hull; over the "
        r"members alone it can be smaller (0.08 instead of 0.4 for $\{(.9,.1), (.1,.9)\}$ and $e^\epsilon = 6/5$).",
        cases=lambda: [
            *_levels(_two_distributions, 12, 195),
            {"distributions": cases.OPPOSITE, "ratio": rational("6/5")},
        ],
        hypotheses=Hypothesis(r"there are two distributions", lambda case: len(case["distributions"]) == 2),
        printed=_leakage_over_hull,
        computed=lambda case: least_distortion(LEAKAGE, members(case["distributions"]), Real.log(case["ratio"])),
    ),
)
