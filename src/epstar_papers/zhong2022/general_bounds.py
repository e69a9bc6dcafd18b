r"""Theorem 6: bounds for every source set, through theta* and the mechanism Q_D."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import Interval, Rational
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Notion,
)
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.distributions import Flattest, Points, Setting, flattest, uniform
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    INFORMATION_RATIO,
    LEAKAGE,
    hull,
    least_loss,
    members,
)

_ORDERS = (Rational(2), Rational(3, 2), Rational(4))


def general_sets() -> Iterator[Case]:
    """Yield sets of any kind with a slack and an order, convex and not, at distortions up to the largest."""
    for number, case in enumerate([*cases.any_set(18, 61), *cases.at_the_ends()]):
        delta = Rational(1, (12, 20, 50)[number % 3])
        more = {"delta": delta, "order": _ORDERS[number % 3]}
        yield {**case, **more, "convex": True}
        if len(case["distributions"]) > 1:
            yield {**case, **more, "convex": False}


def flattest_of(case: Case) -> Flattest:
    """Return theta* and eta of the set of a case: the hull of its distributions, or these alone."""
    distributions: Points = case["distributions"]
    if case.get("convex", True):
        return flattest(distributions)
    return max((flattest((distribution,)) for distribution in distributions), key=lambda flat: flat.theta)


def theta(case: Case) -> Rational:
    """Return theta* of the set of a case."""
    return flattest_of(case).theta


def optimum(notion: Notion, case: Case) -> Interval:
    """Return the proven least loss over the set of a case."""
    setting: Setting = case["setting"]
    source = hull(case["distributions"]) if case.get("convex", True) else members(case["distributions"])
    return least_loss(notion, source, setting.distortion, setting.rows)


def _pointwise(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"], reading="pointwise")


def _events(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"])


_EVENT_CASE = cases.at((uniform(4),), "0.5", 2, delta=Rational(1, 10))

THEOREMS = (
    Theorem(
        key="zhong2022:thm-6-1-lower",
        label="Theorem 6(1), lower bound",
        place="Section III; proof 2.2",
        statement=r"$\tilde\epsilon^*_{DP} \ge \max\{0, \log (m-1)(\theta^* n - D)/D\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.differential_privacy(case["setting"], theta(case)),
        computed=lambda case: optimum(DIFFERENTIAL, case),
    ),
    Theorem(
        key="zhong2022:thm-6-1-upper",
        label="Theorem 6(1), upper bound",
        place="Section III; proof 1.3",
        statement=r"$\tilde\epsilon^*_{DP} \le \max\{0, \log (m-1)(n-D)/D\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.differential_privacy(case["setting"]),
        computed=lambda case: optimum(DIFFERENTIAL, case),
    ),
    Theorem(
        key="zhong2022:thm-6-2-lower",
        label="Theorem 6(2), lower bound",
        place="Section III; proof 2.1",
        statement=r"$\tilde\epsilon^*_\delta \ge \max\{0, \log (m-1)(\theta^* n(1-\delta m^{n-1}) - D)/D\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.approximate_lower(case["setting"], case["delta"], theta(case)),
        computed=lambda case: optimum(_pointwise(case), case),
        beyond=r"A fortiori it bounds the usual, event-wise notion.",
    ),
    Theorem(
        key="zhong2022:thm-6-2-lower-events",
        label="Theorem 6(2), lower bound, for events",
        place="Section III",
        statement=r"The same bound for the usual definition of $(\epsilon, \delta)$-differential privacy.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.approximate_lower(case["setting"], case["delta"], theta(case)),
        computed=lambda case: optimum(_events(case), case),
    ),
    Theorem(
        key="zhong2022:thm-6-2-upper",
        label="Theorem 6(2), upper bound",
        place="Section III; proof 1.6",
        statement=r"$\tilde\epsilon^*_\delta \le \max\{0, \log (m-1)\frac{n-D}{D}(1-\delta(1-D/n)^{-n})\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.approximate_upper(case["setting"], case["delta"]),
        computed=lambda case: optimum(_pointwise(case), case),
    ),
    Theorem(
        key="zhong2022:thm-6-2-upper-events",
        label="Theorem 6(2), upper bound, for events",
        place="Section III",
        statement=r"The same bound for the usual definition of $(\epsilon, \delta)$-differential privacy.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.approximate_upper(case["setting"], case["delta"]),
        corrected=lambda case: formulas.approximate_events(case["setting"], case["delta"]),
        computed=lambda case: optimum(_events(case), case),
        counterexample=Counterexample(
            _EVENT_CASE, 0.90286771, 0.95551145, "m = n = 2 and the uniform distribution; log 2.6 is true"
        ),
        correction=r"$\log (m-1)(n(1-\delta)-D)/D$ for sets of outputs and $n \ge 2$.",
    ),
    Theorem(
        key="zhong2022:thm-6-3-lower",
        label="Theorem 6(3), lower bound",
        place="Section III; proof 2.3",
        statement=r"$\tilde\epsilon^*_{MI} \ge \max\{0, \log m(1 - D/(\theta^* n))\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.leakage_lower(case["setting"], theta(case)),
        computed=lambda case: optimum(INFORMATION_RATIO, case),
    ),
    Theorem(
        key="zhong2022:thm-6-3-upper",
        label="Theorem 6(3), upper bound",
        place="Section III; proof 1.7",
        statement=r"$\tilde\epsilon^*_{MI} \le \max\{0, -\log \min_{P, y} \sum_{l=0}^m ((m-1)\frac{n-D}{D})^{-l} "
        r"P(\mathcal{N}_l(y))\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.maximal_information_upper(case["setting"], case["distributions"]),
        computed=lambda case: optimum(INFORMATION_RATIO, case),
        beyond=r"The sum should go to $n$; where $m < n$ the printed one is a weaker bound.",
    ),
    Theorem(
        key="zhong2022:thm-6-4-lower",
        label="Theorem 6(4), lower bound",
        place="Section III; proof 2.4",
        statement=r"$\tilde\epsilon^*_{ML} \ge \max\{0, \log m(1 - D/(\theta^* n))\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.leakage_lower(case["setting"], theta(case)),
        computed=lambda case: optimum(LEAKAGE, case),
    ),
    Theorem(
        key="zhong2022:thm-6-4-upper",
        label="Theorem 6(4), upper bound",
        place="Section III; proof 1.4",
        statement=r"$\tilde\epsilon^*_{ML} \le \max\{0, n \log m(1 - D/n)\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.leakage_upper(case["setting"]),
        computed=lambda case: optimum(LEAKAGE, case),
    ),
)
