r"""Appendix A, Lemmas 21 to 23: convexity of the losses and preservation of probability."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, pairwise
from random import Random

from epstar.exact import ONE, ZERO, Interval, Rational
from epstar.mechanism import Mechanism
from epstar.notions import Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.distributions import Point, as_float, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    EVENTS,
    INFORMATION_RATIO,
    LEAKAGE,
    POINTWISE,
    RENYI,
    SHANNON,
    below,
    loss,
)


def _parts(notion: Notion, case: Case) -> tuple[Interval, Interval, Interval]:
    """The losses of the two mechanisms of a case and of their mixture."""
    source = Prior(case["distribution"])
    mixed, first, second = cases.mixture(case), case["first"], case["second"]
    return loss(notion, first, source), loss(notion, second, source), loss(notion, mixed, source)


def _quasiconvex(notion: Notion, case: Case) -> bool:
    first, second, mixed = _parts(notion, case)
    return below(mixed, first, 1e-9) or below(mixed, second, 1e-9)


def _is_convex(notion: Notion, case: Case, power: float) -> bool:
    """Whether exp(power * loss) is convex along the segment between the two mechanisms."""
    first, second, mixed = (float(part.upper) for part in _parts(notion, case))
    weight = as_float(case["weight"])
    return math.exp(power * mixed) <= weight * math.exp(power * first) + (1 - weight) * math.exp(power * second) + 1e-9


def _between(notion: Notion, case: Case) -> float:
    """The mixture of the two losses."""
    first, second, _ = _parts(notion, case)
    weight = as_float(case["weight"])
    return weight * float(first.upper) + (1 - weight) * float(second.upper)


def _quasiconvex_bound(notion: Notion, case: Case) -> float:
    first, second, _ = _parts(notion, case)
    return max(float(first.upper), float(second.upper))


def _finite_pairs(count: int, seed: int) -> Iterator[Case]:
    """Pairs of mechanisms without zeros, so that every loss is finite."""
    random = Random(seed)
    for _ in range(count):
        inputs, outputs = random.randint(2, 4), random.randint(2, 4)
        first, second = (cases.mechanism(random, inputs, outputs) for _ in range(2))
        distribution = cases.distribution(random, inputs)
        yield {
            "first": first,
            "second": second,
            "distribution": distribution,
            "weight": cases.between(random, ZERO, ONE),
        }


def _divergence(first: Point, second: Point, order: Rational) -> float:
    """The Rényi divergence of two distributions without zeros."""
    alpha = as_float(order)
    total = sum(as_float(p) ** alpha * as_float(q) ** (1 - alpha) for p, q in zip(first, second, strict=True))
    return math.log(total) / (alpha - 1)


def _distributions() -> Iterator[Case]:
    random = Random(151)
    for _ in range(20):
        size = random.randint(2, 5)
        yield {"first": cases.distribution(random, size), "second": cases.distribution(random, size)}


def _divergence_rises(case: Case) -> bool:
    orders = (Rational(11, 10), Rational(3, 2), Rational(2), Rational(5), Rational(20))
    values = [_divergence(case["first"], case["second"], order) for order in orders]
    return all(a <= b + 1e-12 for a, b in pairwise(values))


def _subsets(size: int) -> Iterator[tuple[int, ...]]:
    return (chosen for count in range(size + 1) for chosen in combinations(range(size), count))


def _divergence_preserves(case: Case) -> bool:
    first, second = case["first"], case["second"]
    for order in cases.ORDERS:
        alpha, factor = as_float(order), math.exp(_divergence(first, second, order))
        for chosen in _subsets(len(first)):
            left, right = (sum(as_float(distribution[x]) for x in chosen) for distribution in (first, second))
            if left > (factor * right) ** ((alpha - 1) / alpha) + 1e-12:
                return False
    return True


def _information_preserves(case: Case) -> bool:
    """Lemma 23 for ten random sets of pairs of an input and an output."""
    random, mechanism, distribution = Random(152), case["mechanism"], case["distribution"]
    inputs, outputs = mechanism.shape
    for number in range(10):
        event = {(x, y) for x in range(inputs) for y in range(outputs) if random.random() < 0.5}
        joint = sum(as_float(distribution[x] * mechanism.entry(x, y)) for x, y in event)
        slices = [sum(as_float(distribution[x]) for x in range(inputs) if (x, y) in event) for y in range(outputs)]
        order = cases.ORDERS[number % 3]
        alpha, level = as_float(order), loss(SibsonMutualInformation(order), mechanism, Prior(distribution)).upper
        if joint > max((part * math.exp(float(level))) ** ((alpha - 1) / alpha) for part in slices) + 1e-12:
            return False
    return True


_SHUFFLED: Case = {
    "first": Mechanism([["9/10", "1/10", 0], ["1/10", "9/10", 0]]),
    "second": Mechanism([[0, 0, 1], [0, 0, 1]]),
    "distribution": uniform(2),
    "weight": Rational(1, 2),
}

THEOREMS = (
    Theorem(
        key="zhong2022:lemma-21-1",
        label="Lemma 21(1)",
        place="Appendix A",
        statement=r"$\epsilon_{DP}$, $\epsilon_\delta$ and $\epsilon_{MI}$ are quasi-convex in $Q$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.pairs(24, 153),
        printed=lambda case: all(
            _quasiconvex(notion, case) for notion in (DIFFERENTIAL, POINTWISE, EVENTS, INFORMATION_RATIO)
        ),
        beyond="Event-wise approximate differential privacy as well.",
    ),
    Theorem(
        key="zhong2022:lemma-21-2",
        label="Lemma 21(2)",
        place="Appendix A",
        statement=r"$e^{\epsilon_{ML}}$ is convex in $Q$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.pairs(24, 154),
        printed=lambda case: _is_convex(LEAKAGE, case, 1.0),
    ),
    Theorem(
        key="zhong2022:lemma-21-3",
        label="Lemma 21(3)",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, DP}$ is convex in $Q$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: _finite_pairs(16, 155),
        printed=lambda case: _between(RENYI, case),
        corrected=lambda case: _quasiconvex_bound(RENYI, case),
        computed=lambda case: _parts(RENYI, case)[2],
        counterexample=Counterexample(
            _SHUFFLED,
            1.04661743,
            1.51634749,
            "order 2, half ((.9, .1, 0), (.1, .9, 0)) and half always the third output",
        ),
        correction=r"Quasi-convex, and $e^{(\alpha-1)\epsilon_{\alpha, DP}}$ is convex; that is enough wherever the "
        r"paper uses it.",
    ),
    Theorem(
        key="zhong2022:lemma-21-3-corrected",
        label="Lemma 21(3), what is used of it",
        place="Appendix A",
        statement=r"$e^{(\alpha-1)\epsilon_{\alpha, DP}}$ is convex in $Q$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*_finite_pairs(24, 156), _SHUFFLED],
        printed=lambda case: all(
            _is_convex(RenyiDifferentialPrivacy(order), case, as_float(order) - 1) for order in cases.ORDERS
        ),
    ),
    Theorem(
        key="zhong2022:lemma-21-4",
        label="Lemma 21(4)",
        place="Appendix A",
        statement=r"$\frac{1}{\alpha-1}\exp(\frac{\alpha-1}{\alpha}\epsilon_{\alpha, M})$ is convex in $Q$ and "
        r"$\epsilon_{\alpha, M}$ quasi-convex.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.pairs(16, 157),
        printed=lambda case: all(
            _is_convex(SibsonMutualInformation(order), case, 1 - 1 / as_float(order))
            and _quasiconvex(SibsonMutualInformation(order), case)
            for order in cases.ORDERS
        ),
    ),
    Theorem(
        key="zhong2022:lemma-21-5",
        label="Lemma 21(5)",
        place="Appendix A",
        statement=r"$\epsilon_M$ is convex in $Q$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: cases.pairs(24, 158),
        printed=lambda case: _between(SHANNON, case),
        computed=lambda case: _parts(SHANNON, case)[2],
    ),
    Theorem(
        key="zhong2022:lemma-22-1",
        label="Lemma 22(1)",
        place="Appendix A",
        statement=r"The Rényi divergence $D_\alpha$ grows with $\alpha$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_distributions,
        printed=_divergence_rises,
    ),
    Theorem(
        key="zhong2022:lemma-22-2",
        label="Lemma 22(2)",
        place="Appendix A",
        statement=r"$P(A) \le (e^{D_\alpha(P\|Q)} Q(A))^{(\alpha-1)/\alpha}$ for every event $A$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_distributions,
        printed=_divergence_preserves,
    ),
    Theorem(
        key="zhong2022:lemma-23",
        label="Lemma 23",
        place="Appendix A",
        statement=r"$P_{XY}(E) \le \max_y (P_X(E_y) e^{I_\alpha(X;Y)})^{(\alpha-1)/\alpha}$ for every event $E$ with "
        r"slices $E_y$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(14, 159),
        printed=_information_preserves,
    ),
)
