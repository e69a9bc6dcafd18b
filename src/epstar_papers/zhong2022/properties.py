r"""Appendix A: Lemma 20, the relations between the notions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

from epstar.exact import Interval, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.constructions import symmetric_mechanism
from epstar_papers.zhong2022.distributions import Setting, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    LEAKAGE,
    POINTWISE,
    RENYI,
    SHANNON,
    below,
    loss,
    same,
)

_ORDERS = (Rational(11, 10), Rational(3, 2), Rational(2), Rational(5), Rational(20))


def _loss(notion: Notion, case: Case) -> Interval:
    return loss(notion, case["mechanism"], Prior(case["distribution"]))


def _ignores_the_distribution(case: Case) -> bool:
    mechanism = case["mechanism"]
    even = Prior(uniform(mechanism.shape[0]))
    notions = (DIFFERENTIAL, POINTWISE, LEAKAGE, RENYI)
    return all(same(_loss(notion, case), loss(notion, mechanism, even), 0.0) for notion in notions)


def _falls_with_slack(case: Case) -> bool:
    slacks = ("0", "1/50", "1/10", "1/2")
    losses = [
        loss(ApproximateDifferentialPrivacy(slack, reading="pointwise"), case["mechanism"]).upper for slack in slacks
    ]
    return all(a >= b for a, b in pairwise(losses)) and losses[0] <= _loss(DIFFERENTIAL, case).upper <= losses[0]


def _nears(family: Callable[[Rational], Notion], limit: Notion, orders: tuple[Rational, ...], case: Case) -> bool:
    """Whether the losses close in on the limit, the last of them to within 2 percent."""
    target = float(_loss(limit, case).upper)
    losses = [float(_loss(family(order), case).upper) for order in orders]
    if math.isinf(target):
        # Whatever order is infinite already; the others must not be bounded.
        return math.isinf(losses[-1])
    gaps = [abs(loss - target) for loss in losses]
    return all(a >= b - 1e-12 for a, b in pairwise(gaps)) and gaps[-1] <= 0.02 * max(target, 0.05)


def _rises(family: Callable[[Rational], Notion], case: Case) -> bool:
    return all(below(_loss(family(a), case), _loss(family(b), case), 1e-12) for a, b in pairwise(_ORDERS))


def _symmetric(categories: int, rows: int, wrong: str, order: object = 20) -> Case:
    return {
        "mechanism": symmetric_mechanism(categories, rows, wrong).dense(),
        "setting": Setting(categories, rows, rational(wrong)),
        "distribution": uniform(categories**rows),
        "order": order,
    }


def _with_zeros() -> Iterator[Case]:
    """A column that some input never gives and others do, and one that none does."""
    rows = rationals(["1/2", "1/2", "0"]), rationals(["1/4", "1/4", "1/2"]), rationals(["1/2", "1/2", "0"])
    yield {"mechanism": Mechanism(rows[:2]), "distribution": uniform(2)}
    yield {"mechanism": Mechanism([rows[0], rows[2]]), "distribution": uniform(2)}


def _databases() -> Iterator[Case]:
    yield from (_symmetric(2, 2, "3/5"), _symmetric(2, 3, "9/10"), _symmetric(3, 2, "1/2"), _symmetric(2, 3, "6/5", 2))


def _shared_bound(case: Case) -> Real:
    """n log(m E/(E+m-1)) with E = e^eps."""
    setting: Setting = case["setting"]
    ratio = Real.exp(_loss(DIFFERENTIAL, case).upper).rational
    assert ratio is not None, "the mechanism has no zeros"
    return Real.log((setting.categories * ratio / (ratio + setting.categories - 1)) ** setting.rows)


THEOREMS = (
    Theorem(
        key="zhong2022:lemma-20-1",
        label="Lemma 20(1)",
        place="Appendix A",
        statement="(Approximate) differential privacy, Rényi differential privacy and maximal leakage do not depend "
        "on the distribution of full support.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(20, 142, least=0),
        printed=_ignores_the_distribution,
    ),
    Theorem(
        key="zhong2022:lemma-20-2",
        label="Lemma 20(2)",
        place="Appendix A",
        statement=r"(Approximate and Rényi) differential privacy guard against the worst case.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=lambda: (),
        beyond="A way of speaking, without a statement that could be computed.",
    ),
    Theorem(
        key="zhong2022:lemma-20-3",
        label="Lemma 20(3)",
        place="Appendix A",
        statement=r"Maximal information, maximal leakage and (Sibson) mutual information guard globally.",
        verdict=Verdict.OPEN,
        relation=Relation.IMPLIES,
        cases=lambda: (),
        beyond="A way of speaking, without a statement that could be computed.",
    ),
    Theorem(
        key="zhong2022:lemma-20-4",
        label="Lemma 20(4)",
        place="Appendix A",
        statement=r"$\epsilon_\delta(Q)$ does not grow with $\delta$, and $\epsilon_0(Q) = \epsilon_{DP}(Q)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(20, 143, least=0),
        printed=_falls_with_slack,
    ),
    Theorem(
        key="zhong2022:lemma-20-5",
        label="Lemma 20(5)",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, DP}(Q) \to \epsilon_{DP}(Q)$ for $\alpha \to \infty$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.mechanisms(10, 144), *cases.mechanisms(6, 154, least=0), *_with_zeros()],
        printed=lambda case: _nears(
            RenyiDifferentialPrivacy, DIFFERENTIAL, (Rational(8), Rational(64), Rational(1024)), case
        ),
    ),
    Theorem(
        key="zhong2022:lemma-20-6",
        label="Lemma 20(6)",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, M}(Q) \to \epsilon_M(Q)$ for $\alpha \to 1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(10, 145, least=0),
        printed=lambda case: _nears(
            SibsonMutualInformation, SHANNON, (Rational(3, 2), Rational(11, 10), Rational(501, 500)), case
        ),
    ),
    Theorem(
        key="zhong2022:lemma-20-7",
        label="Lemma 20(7)",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, M}(Q) \to \epsilon_{ML}(Q)$ for $\alpha \to \infty$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(10, 146, least=0),
        printed=lambda case: _nears(
            SibsonMutualInformation, LEAKAGE, (Rational(8), Rational(64), Rational(2048)), case
        ),
        beyond="Distributions without full support are excluded.",
    ),
    Theorem(
        key="zhong2022:lemma-20-8",
        label="Lemma 20(8)",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, DP}(Q)$ grows with $\alpha$ and is at most $\epsilon_{DP}(Q)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(16, 147, least=0),
        printed=lambda case: (
            _rises(RenyiDifferentialPrivacy, case)
            and below(_loss(RenyiDifferentialPrivacy(20), case), _loss(DIFFERENTIAL, case), 1e-12)
        ),
    ),
    Theorem(
        key="zhong2022:lemma-20-9-order",
        label="Lemma 20(9), order and lower bound",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, M}(Q)$ grows with $\alpha$ and is at least $\epsilon_M(Q)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.mechanisms(16, 148, least=0), *_databases()],
        printed=lambda case: (
            _rises(SibsonMutualInformation, case)
            and below(_loss(SHANNON, case), _loss(SibsonMutualInformation(_ORDERS[0]), case), 1e-12)
        ),
    ),
    Theorem(
        key="zhong2022:lemma-20-9-local",
        label="Lemma 20(9), upper bound, one individual",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, M}(Q) \le \epsilon_{DP}(Q)$ for $n = 1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: ({**case, "order": Rational(20)} for case in cases.mechanisms(20, 149, least=0)),
        printed=lambda case: _loss(DIFFERENTIAL, case),
        computed=lambda case: _loss(SibsonMutualInformation(case["order"]), case),
    ),
    Theorem(
        key="zhong2022:lemma-20-9",
        label="Lemma 20(9), upper bound",
        place="Appendix A",
        statement=r"$\epsilon_{\alpha, M}(Q) \le \epsilon_{DP}(Q)$ also on databases of several individuals.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_databases,
        printed=lambda case: _loss(DIFFERENTIAL, case),
        corrected=_shared_bound,
        computed=lambda case: _loss(SibsonMutualInformation(case["order"]), case),
        counterexample=Counterexample(
            _symmetric(2, 3, "6/5"), 0.40546511, 0.46635547, "Q_D with m = 2, n = 3, D = 1.2, at order 20"
        ),
        correction=r"$\epsilon_{\alpha, M} \le \epsilon_{ML} \le n\log\frac{m e^\epsilon}{e^\epsilon+m-1} \le "
        r"n\epsilon_{DP}$, the middle bound being attained. True for $n = 1$ and for $m = n = 2$.",
    ),
    Theorem(
        key="zhong2022:lemma-20-9-leakage",
        label="Lemma 20(9), the limit",
        place="Appendix A",
        statement=r"With (7) it says $\epsilon_{ML}(Q) \le \epsilon_{DP}(Q)$ on databases.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_databases,
        printed=lambda case: _loss(DIFFERENTIAL, case),
        corrected=_shared_bound,
        computed=lambda case: _loss(LEAKAGE, case),
        counterexample=Counterexample(_symmetric(3, 2, "1"), 0.69314718, 0.81093022, "Q_D with m = 3, n = 2, D = 1"),
        correction=r"$\epsilon_{ML} \le n\log\frac{m e^\epsilon}{e^\epsilon+m-1}$, attained by $Q_D$.",
    ),
)
