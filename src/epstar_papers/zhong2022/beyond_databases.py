r"""What is exact beyond the paper on databases: symmetric mechanisms where the uniform distribution is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from epstar.exact import Interval, Rational, rational
from epstar.notions import ApproximateDifferentialPrivacy, Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar_papers.theorem import Case
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.beyond import beyond
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.constructions import ball_mechanism
from epstar_papers.zhong2022.distributions import Setting, as_float, uniform
from epstar_papers.zhong2022.truth import INFORMATION_RATIO, LEAKAGE, hull, least_loss, loss


def _class_one() -> Iterator[Case]:
    for number, case in enumerate(cases.class_one((1, 2, 3))):
        if distortion_of(case) < case["setting"].free:
            yield {**case, "delta": Rational(1, (10, 25)[number % 2]), "order": cases.ORDERS[number % 3]}


def _uniform_databases() -> Iterator[Case]:
    return (case for case in _class_one() if len(case["distributions"]) == 1)


def _optimum(notion: Notion, case: Case) -> Interval:
    """The least loss; small databases are solved as a whole, without symmetry."""
    setting: Setting = case["setting"]
    method = "program" if (setting.categories, setting.rows) == (2, 2) else None
    return least_loss(notion, hull(case["distributions"]), setting.distortion, setting.rows, method)


def _ball(case: Case) -> Interval:
    setting: Setting = case["setting"]
    return loss(LEAKAGE, ball_mechanism(setting.categories, setting.rows, setting.distortion).dense())


def _bisected(function: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a decreasing function."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def _tapered(setting: Setting, order: Rational, centre: float) -> list[float]:
    """The distribution of the distance proportional to N_l (1 - l/c)_+^(1/(alpha-1)), divided by N_l."""
    power = 1 / (as_float(order) - 1)
    raw = [max(0.0, 1 - d / centre) ** power for d in range(setting.rows + 1)]
    total = sum(setting.sphere(d) * weight for d, weight in enumerate(raw))
    return [weight / total for weight in raw]


def _mean(setting: Setting, heights: list[float]) -> float:
    return sum(d * setting.sphere(d) * height for d, height in enumerate(heights))


def _sibson(case: Case) -> float:
    setting: Setting
    setting, order = case["setting"], case["order"]
    target, alpha = as_float(setting.distortion), as_float(order)
    centre = _bisected(lambda c: target - _mean(setting, _tapered(setting, order, c)), 1e-9, 1e9)
    heights = _tapered(setting, order, centre)
    total = sum(setting.sphere(d) * height**alpha for d, height in enumerate(heights))
    return setting.rows * math.log(setting.categories) + math.log(total) / (alpha - 1)


def _recursion(setting: Setting, delta: float, ratio: float) -> list[float]:
    """The heights f(l) = (f(l-1) - delta)_+ / E with sum N_l f(l) = 1."""

    def heights(top: float) -> list[float]:
        found = [top]
        for _ in range(setting.rows):
            found.append(max(0.0, found[-1] - delta) / ratio)
        return found

    def missing(top: float) -> float:
        return 1 - sum(setting.sphere(d) * height for d, height in enumerate(heights(top)))

    return heights(_bisected(missing, 0.0, 1.0))


def _pointwise(case: Case) -> float:
    setting, delta = case["setting"], as_float(case["delta"])
    target = as_float(setting.distortion)
    if _mean(setting, _recursion(setting, delta, 1.0)) <= target:
        return 0.0
    return math.log(_bisected(lambda e: _mean(setting, _recursion(setting, delta, e)) - target, 1.0, 1e6))


THEOREMS = (
    beyond(
        key="zhong2022:beyond-events",
        label="Approximate privacy for events, Class I",
        statement=r"$\tilde\epsilon^*_\delta = \max\{0, \log (m-1)(n(1-\delta)-D)/D\}$ for any $n$, over all "
        r"mechanisms.",
        cases=_class_one,
        printed=lambda case: formulas.approximate_events(case["setting"], case["delta"]),
        computed=lambda case: _optimum(ApproximateDifferentialPrivacy(case["delta"]), case),
    ),
    beyond(
        key="zhong2022:beyond-pointwise",
        label="Approximate privacy output by output, Class I",
        statement=r"$\tilde\epsilon^*_\delta$ is the level at which $f(l) = e^{-\epsilon}(f(l-1)-\delta)_+$ with "
        r"$\sum N_l f(l) = 1$ has $\sum l N_l f(l) = D$.",
        cases=lambda: [*_class_one(), cases.at((uniform(8),), "0.675", 3, delta=rational("0.12"))],
        hypotheses=cases.CLASS_ONE,
        printed=_pointwise,
        computed=lambda case: _optimum(ApproximateDifferentialPrivacy(case["delta"], reading="pointwise"), case),
    ),
    beyond(
        key="zhong2022:beyond-renyi",
        label="Rényi differential privacy, Class I",
        statement=r"$\tilde\epsilon^*_{\alpha, DP} = \tilde\epsilon_{\alpha, DP}(Q_D)$ for $D < n(m-1)/m$ and any "
        r"$n$, over all mechanisms.",
        cases=_class_one,
        hypotheses=cases.CLASS_ONE & cases.BELOW_UNIFORM,
        printed=lambda case: formulas.renyi_upper(case["setting"], case["order"]),
        computed=lambda case: _optimum(RenyiDifferentialPrivacy(case["order"]), case),
    ),
    beyond(
        key="zhong2022:beyond-leakage",
        label="Maximal leakage, Class I",
        statement=r"$e^{\tilde\epsilon^*_{ML}} = m^n(j-D)/(jV_{j-1}-W_{j-1})$ with $V_j = \sum_{l\le j} N_l$, $W_j = "
        r"\sum_{l\le j} l N_l$ and $W_{j-1}/V_{j-1} \le D \le W_j/V_j$: a Hamming ball with a thin rind.",
        cases=_class_one,
        hypotheses=cases.CLASS_ONE,
        printed=_ball,
        computed=lambda case: _optimum(LEAKAGE, case),
    ),
    beyond(
        key="zhong2022:beyond-maximal-information",
        label="Maximal information, uniform distribution",
        statement=r"Under the uniform distribution the least maximal information is the least maximal leakage.",
        cases=_uniform_databases,
        hypotheses=cases.UNIFORM_ALONE,
        printed=_ball,
        computed=lambda case: _optimum(INFORMATION_RATIO, case),
    ),
    beyond(
        key="zhong2022:beyond-sibson",
        label="Sibson mutual information, Class I",
        statement=r"With the uniform distribution in the set $Q(y|x) \propto (1-d(x,y)/c)_+^{1/(\alpha-1)}$ with "
        r"$\mathbb{E}d = D$ is optimal; for $n = 1$ it is $Q_D$.",
        cases=_uniform_databases,
        hypotheses=cases.WITH_UNIFORM,
        printed=_sibson,
        computed=lambda case: _optimum(SibsonMutualInformation(case["order"]), case),
    ),
)
