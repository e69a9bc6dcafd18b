r"""Theorem 6(5) to 6(7), its last sentence and the remarks around it."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import ONE, Rational, Real
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.distributions import Flattest, Setting, flattest, points, uniform
from epstar_papers.zhong2022.general_bounds import flattest_of, general_sets, optimum, theta
from epstar_papers.zhong2022.truth import DIFFERENTIAL, ONE_OF_EACH, SHANNON, least_loss


def _free_end() -> Iterator[Case]:
    for notion in ONE_OF_EACH:
        yield cases.at(points("0.7 0.2 0.1"), "2/3", notion=notion)
        yield cases.at(points("0.4 0.3 0.2 0.1"), "1", 2, notion=notion)
        yield cases.at((uniform(9),), "7/5", 2, notion=notion)


def _vanishing() -> Iterator[Case]:
    """Distributions far from uniform: theta* n <= D, and yet something must be lost."""
    yield cases.at(points("0.7 0.2 0.1"), "0.25")
    yield cases.at(points("0.6 0.3 0.1"), "0.35")
    yield cases.at(cases.FIGURE_4, "0.45")


_BELOW_THETA = Hypothesis(
    r"$D < \theta^* n$", lambda case: case["setting"].distortion < theta(case) * case["setting"].rows
)


def _information_bound(case: Case) -> float:
    flat = flattest_of(case)
    return max(0.0, formulas.information_lower(case["setting"], flat.theta, flat.eta, flat.theta))


def _renyi_bound(case: Case) -> float:
    """The lower bound of 6(5), which is 0 where theta* n <= D."""
    setting: Setting = case["setting"]
    flat = theta(case)
    return 0.0 if setting.distortion >= flat * setting.rows else formulas.renyi_lower(setting, case["order"], flat)


THEOREMS = (
    Theorem(
        key="zhong2022:thm-6-5-lower",
        label="Theorem 6(5), lower bound",
        place="Section III; proof 2.5",
        statement=r"$\tilde\epsilon^*_{\alpha, DP} \ge \max\{0, \log "
        r"\frac{(m-1)(n-D/\theta^*)^{\alpha/(\alpha-1)}}{D/\theta^*} - \frac{1}{\alpha-1}\log n m^{n-1}\}$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.renyi_lower(case["setting"], case["order"], theta(case)),
        corrected=_renyi_bound,
        # At these orders the exponent is 2, 3 and 4/3; only the last leaves a negative number without a power.
        undefined=lambda case: bool(case["order"] == 4 and not _BELOW_THETA(case)),
        computed=lambda case: optimum(RenyiDifferentialPrivacy(case["order"]), case),
        counterexample=Counterexample(
            cases.at(points("0.99 0.01"), "0.2", order=Rational(2)), 2.0918641, 0.0, "the square of a negative number"
        ),
        correction=r"True for $D < \theta^* n$; for larger $D$ the bound is 0.",
    ),
    Theorem(
        key="zhong2022:thm-6-5-upper",
        label="Theorem 6(5), upper bound",
        place="Section III; proof 1.1",
        statement=r"$\tilde\epsilon^*_{\alpha, DP} \le \max\{0, \frac{1}{\alpha-1} \log \frac{D}{n(m-1)} (m-2 + "
        r"A^\alpha + A^{1-\alpha})\}$ with $A = (n-D)(m-1)/D$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.renyi_upper(case["setting"], case["order"]),
        computed=lambda case: optimum(RenyiDifferentialPrivacy(case["order"]), case),
    ),
    Theorem(
        key="zhong2022:thm-6-6-lower",
        label="Theorem 6(6), lower bound",
        place="Section III; proof 2.6",
        statement=r"$\tilde\epsilon^*_{\alpha, M} \ge \max\{0, \frac{\alpha-n}{\alpha-1}\log m + "
        r"\frac{\alpha}{\alpha-1} \log\frac{1-D/n}{(1-\theta^*)(n+1)m/2+\theta^*}\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        printed=lambda case: formulas.sibson_lower(case["setting"], case["order"], theta(case)),
        computed=lambda case: optimum(SibsonMutualInformation(case["order"]), case),
    ),
    Theorem(
        key="zhong2022:thm-6-6-upper",
        label="Theorem 6(6), upper bound",
        place="Section III; proof 1.2",
        statement=r"$\tilde\epsilon^*_{\alpha, M} \le \max\{0, n\log m((n-D)^\alpha + "
        r"D^\alpha(m-1)^{1-\alpha})^{1/(\alpha-1)} - \frac{\alpha}{\alpha-1} n \log n\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.sibson_upper(case["setting"], case["order"]),
        computed=lambda case: optimum(SibsonMutualInformation(case["order"]), case),
    ),
    Theorem(
        key="zhong2022:thm-6-7-lower",
        label="Theorem 6(7), lower bound",
        place="Section III; proof 2.7",
        statement=r"$\tilde\epsilon^*_M \ge \max\{0, \theta^* n \log \eta^{-1/n}(1-\frac{D}{n\theta^*}) + \theta^* D "
        r"\log\frac{D}{(m-1)(n\theta^*-D)}\}$ with $\eta = \max_x P'(x)$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=general_sets,
        hypotheses=_BELOW_THETA,
        printed=_information_bound,
        corrected=lambda case: formulas.shannon_lower(case["setting"], case["distributions"]),
        computed=lambda case: optimum(SHANNON, case),
        counterexample=Counterexample(
            cases.at(points("0.51 0.49"), "0.9"), 0.33922693, 0.0, "beyond n(m-1)/m nothing need be lost"
        ),
        correction=r"Never violated for $D \le n(m-1)/m$, although the proof gives $D$ in place of $\theta^* D$ (see "
        r"(8)). Better: $\max\{0, \max_P H(P) - n h(D/n) - D\log(m-1)\}$ there, and 0 beyond.",
    ),
    Theorem(
        key="zhong2022:thm-6-7-lower-range",
        label="Theorem 6(7), lower bound, where it is true",
        place="Section III",
        statement=r"The printed bound holds for $D < \min\{\theta^* n, n(m-1)/m\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: [*general_sets(), *cases.any_set(18, 67)],
        hypotheses=_BELOW_THETA & cases.BELOW_UNIFORM,
        printed=_information_bound,
        computed=lambda case: optimum(SHANNON, case),
    ),
    Theorem(
        key="zhong2022:thm-6-7-upper",
        label="Theorem 6(7), upper bound",
        place="Section III; proof 1.5",
        statement=r"$\tilde\epsilon^*_M \le \max\{0, n\log m(1-D/n) + D\log\frac{D}{(m-1)(n-D)}\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=general_sets,
        printed=lambda case: formulas.information_upper(case["setting"]),
        computed=lambda case: optimum(SHANNON, case),
    ),
    Theorem(
        key="zhong2022:thm-6-free",
        label="Theorem 6, last sentence",
        place="Section III; also Theorem 7",
        statement=r"Nothing need be lost for $n(1-1/m) \le D \le 1$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_free_end,
        printed=lambda case: case["setting"].free <= case["setting"].distortion <= 1,
        corrected=lambda case: (
            case["setting"].free <= case["setting"].distortion <= case["setting"].rows
            and optimum(case["notion"], case).upper.upper <= 0
        ),
        counterexample=Counterexample(
            cases.at((uniform(9),), "7/5", 2, notion=DIFFERENTIAL), 1.0, 0.0, "the range is empty for m = 3, n = 2"
        ),
        correction=r"$n(1-1/m) \le D \le n$.",
    ),
    Theorem(
        key="zhong2022:text-theta",
        label="Before Theorem 7",
        place="Section III",
        statement=r"If the set contains the uniform distribution then $\theta^* = 1$ and $\eta = m^{-n}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.class_one((1, 2, 3)),
        hypotheses=cases.WITH_UNIFORM,
        printed=lambda case: (
            flattest(case["distributions"]) == Flattest(ONE, Rational(1, len(case["distributions"][0])))
        ),
    ),
    Theorem(
        key="zhong2022:text-vanishing",
        label="Before Theorem 9",
        place="Section IV-B",
        statement="Without the uniform distribution in the set the lower bounds of Theorem 6 can vanish although "
        "something must be lost.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_vanishing,
        settled=True,
        printed=lambda case: (
            formulas.differential_privacy(case["setting"], theta(case)) <= Real.of(0)
            and least_loss(DIFFERENTIAL, Prior(case["distributions"][0]), case["setting"].distortion).lower > 0
        ),
    ),
)
