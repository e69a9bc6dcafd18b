r"""Proposition 8: Theorem 7 for one individual; and the end of the proof of Theorem 6."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epstar.exact import ZERO, Interval, Rational, Real, rational
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Notion,
    SibsonMutualInformation,
)
from epstar.source import Prior
from epstar.universe import Databases
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.constructions import symmetric_mechanism
from epstar_papers.zhong2022.distributions import Setting, as_float, flattest, points, uniform
from epstar_papers.zhong2022.renyi_bounds import renyi, renyi_bounds
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    INFORMATION_RATIO,
    LEAKAGE,
    SHANNON,
    at_most,
    least_loss,
    loss,
    members,
)


def _sets() -> Iterator[Case]:
    for number, case in enumerate(cases.class_one((1,))):
        yield {**case, "delta": Rational(1, (10, 25)[number % 2]), "order": cases.ORDERS[number % 3]}
    yield from ({**case, "delta": Rational(1, 4), "order": Rational(2)} for case in cases.on_grid((uniform(6),), "0.5"))


def _optimum(notion: Notion, case: Case) -> Interval:
    """The least loss over the set itself, without mixtures: it is printed for Class I sets, convex or not."""
    return least_loss(notion, members(case["distributions"]), case["setting"].distortion)


def _sibson(case: Case) -> Notion:
    return SibsonMutualInformation(case["order"])


def _or_free(setting: Setting, value: Real) -> Real:
    """The two branches of Proposition 8: a value below (m-1)/m, and 0 from there on."""
    return value if setting.distortion < setting.free else Real.of(ZERO)


def _approximate(case: Case) -> Real:
    setting, delta = case["setting"], case["delta"]
    m, wrong = setting.categories, setting.distortion
    if wrong >= (1 - delta) * Rational(m - 1, m):
        return Real.of(ZERO)
    return Real.log((m - 1) * (1 - wrong - delta) / wrong)


def _information_ratio(case: Case) -> Real:
    """The upper bound of 8(3), through the least probability of any category under any distribution."""
    setting: Setting = case["setting"]
    wrong, other = setting.distortion, setting.distortion / (setting.categories - 1)
    if wrong >= setting.free:
        return Real.of(ZERO)
    least = min(min(distribution) for distribution in case["distributions"])
    return Real.log((1 - wrong) / (least * (1 - wrong - other) + other))


def _information(case: Case) -> float:
    setting: Setting = case["setting"]
    m, wrong = setting.categories, as_float(setting.distortion)
    if setting.distortion >= setting.free:
        return 0.0
    return math.log(m * (1 - wrong)) + wrong * math.log(wrong / ((m - 1) * (1 - wrong)))


def _sibson_lower(case: Case) -> float:
    setting, alpha = case["setting"], as_float(case["order"])
    own = math.log(setting.categories) + alpha / (alpha - 1) * math.log(1 - as_float(setting.distortion))
    return max(own, _optimum(SHANNON, case).lower.lower)


def _corrected_information(case: Case) -> float | Interval:
    """8(7) for sets with the uniform distribution; for the others only its upper half."""
    value = _information(case)
    return value if cases.with_uniform(case) else at_most(Real.of(value))


def _program_8(case: Case) -> Interval:
    """The optimum of (8): theta (I - log(eta m^n)), I the least information under the uniform prior at D/theta."""
    setting: Setting = case["setting"]
    flat = flattest(case["distributions"])
    least = least_loss(SHANNON, Prior(uniform(setting.size)), setting.distortion / flat.theta, setting.rows)
    offset = Real.log(flat.eta * setting.size)
    return Interval((least.lower - offset) * flat.theta, (least.upper - offset) * flat.theta)


def _program_8_as_printed(case: Case, with_theta: bool) -> float:
    flat = flattest(case["distributions"])
    coefficient = flat.theta if with_theta else Rational(1)
    return formulas.information_lower(case["setting"], flat.theta, flat.eta, coefficient)


def _one_distribution() -> Iterator[Case]:
    for number, case in enumerate(cases.any_set(16, 81, (1, 2))):
        setting: Setting = case["setting"]
        if (
            len(case["distributions"]) == 1
            and setting.distortion < flattest(case["distributions"]).theta * setting.free
        ):
            yield {**case, "order": cases.ORDERS[number % 3]}


def _divergence_from(case: Case, distribution: tuple[Rational, ...]) -> float:
    """The objective of (7) with a given distribution inside the logarithm."""
    mechanism = case["mechanism"]
    inside = mechanism.output_law(distribution)
    return sum(
        as_float(p * q) * math.log(as_float(q / inside[y]))
        for p, row in zip(case["distribution"], mechanism.rows, strict=True)
        for y, q in enumerate(row)
        if q > 0
    )


def _multipliers() -> Iterator[Case]:
    for categories, rows, wrong, theta, eta in (
        (2, 2, "2/5", "4/5", "3/10"),
        (3, 1, "1/5", "9/10", "2/5"),
        (2, 1, "1/10", "1", "1/2"),
        (2, 3, "1/2", "7/10", "1/5"),
    ):
        yield _at_multipliers(categories, rows, wrong, theta, eta)


def _at_multipliers(categories: int, rows: int, wrong: str, theta: str, eta: str) -> Case:
    setting = Setting(categories, rows, rational(wrong))
    return {"setting": setting, "theta": rational(theta), "eta": rational(eta)}


def _multiplier(case: Case, with_rows: bool) -> float:
    """alpha_x as printed, or with n in the numerator and without m in the denominator."""
    setting: Setting = case["setting"]
    m, n, theta, eta = setting.categories, setting.rows, as_float(case["theta"]), as_float(case["eta"])
    left = n - as_float(setting.distortion) / theta
    argument = n * eta ** (1 / n) / left if with_rows else eta ** (1 / n) / (m * left)
    return n * theta / setting.size * math.log(argument)


def _stationary_multiplier(case: Case) -> Interval:
    """The alpha_x for which the gradient of the Lagrangian of (8) vanishes at Q_(D/theta*), over all x and y."""
    setting: Setting = case["setting"]
    flatter = Setting(setting.categories, setting.rows, setting.distortion / case["theta"])
    matrix = symmetric_mechanism(setting.categories, setting.rows, flatter.distortion).dense()
    databases = Databases(setting.categories, setting.rows)
    scale = case["theta"] / setting.size
    ratios = [
        flatter.odds ** int(databases.distance(x, y).p) * matrix.entry(x, y) / (case["eta"] * total)
        for y in range(setting.size)
        for total in [sum(matrix.column(y), ZERO)]
        for x in range(setting.size)
    ]
    return Interval(Real.log(max(ratios)) * -scale, Real.log(min(ratios)) * -scale)


_OPPOSITE = cases.at(cases.OPPOSITE, "0.1", order=Rational(2))
_SKEWED = cases.at(points("0.6 0.4"), "0.2", order=Rational(2))

THEOREMS = (
    Theorem(
        key="zhong2022:proof-6-2-5",
        label="Proof of Theorem 6, 2.5, last line",
        place="Section III",
        statement=r"The proof ends with $\log\frac{(m-1)(n-D)^{\alpha/(\alpha-1)}}{D} - \frac{1}{\alpha-1}\log "
        r"nm^{n-1}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.AT_LEAST,
        cases=lambda: [*_one_distribution(), cases.at(points("0.9 0.1"), "0.1", order=Rational(2))],
        printed=lambda case: formulas.renyi_lower(case["setting"], case["order"]),
        corrected=lambda case: formulas.renyi_lower(
            case["setting"], case["order"], flattest(case["distributions"]).theta
        ),
        computed=lambda case: least_loss(
            renyi(case), Prior(case["distributions"][0]), case["setting"].distortion, case["setting"].rows
        ),
        correction=r"$D/\theta^*$ in place of $D$, as in the theorem.",
    ),
    Theorem(
        key="zhong2022:eq-7",
        label="Equation (7)",
        place="Section III, proof 2.7",
        statement=r"The objective $\sum P'(x)Q(y|x)\log\frac{Q(y|x)}{\sum_x P_U(x)Q(y|x)}$ is the mutual information "
        r"under $P'$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: cases.mechanisms(20, 82),
        printed=lambda case: _divergence_from(case, uniform(len(case["distribution"]))),
        corrected=lambda case: _divergence_from(case, case["distribution"]),
        computed=lambda case: loss(SHANNON, case["mechanism"], Prior(case["distribution"])),
        correction=r"$P'$ in place of $P_U$ inside the logarithm.",
    ),
    Theorem(
        key="zhong2022:eq-8",
        label="Equation (8)",
        place="Section III, proof 2.7; Theorem 6(7)",
        statement=r"The optimum of (8) is $\theta^* n\log\eta^{-1/n}(1-\frac{D}{n\theta^*}) + \theta^* D "
        r"\log\frac{D}{(m-1)(n\theta^*-D)}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_one_distribution,
        printed=lambda case: _program_8_as_printed(case, with_theta=True),
        corrected=lambda case: _program_8_as_printed(case, with_theta=False),
        computed=_program_8,
        counterexample=Counterexample(_SKEWED, 0.00273687, -0.04120762, "the coefficient of the second logarithm"),
        correction=r"$D$ in place of $\theta^* D$; then it is exact for $D \le \theta^* n(m-1)/m$.",
    ),
    Theorem(
        key="zhong2022:eq-8-multiplier",
        label="Equation (8), the multipliers",
        place="Section III, proof 2.7",
        statement=r"$Q_{D/\theta^*}$, $\lambda = \frac{\theta^*}{m^n}\log\frac{(m-1)(n\theta^*-D)}{D}$ and $\alpha_x = "
        r"\frac{n\theta^*}{m^n}\log\frac{\eta^{1/n}}{m(n-D/\theta^*)}$ satisfy the KKT conditions of (8).",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_multipliers,
        printed=lambda case: _multiplier(case, with_rows=False),
        corrected=lambda case: _multiplier(case, with_rows=True),
        computed=_stationary_multiplier,
        counterexample=Counterexample(
            _at_multipliers(2, 2, "2/5", "4/5", "3/10"), -0.68023948, -0.12572173, "the gradient is off by 0.5545"
        ),
        correction=r"$\alpha_x = \frac{n\theta^*}{m^n}\log\frac{n\eta^{1/n}}{n-D/\theta^*}$.",
    ),
    Theorem(
        key="zhong2022:prop-8-1",
        label="Proposition 8(1)",
        place="Section IV-A",
        statement=r"$\epsilon^*_{DP} = \log (m-1)(1-D)/D$ for $0 < D < (m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=lambda case: _or_free(case["setting"], formulas.differential_privacy(case["setting"])),
        computed=lambda case: _optimum(DIFFERENTIAL, case),
    ),
    Theorem(
        key="zhong2022:prop-8-2",
        label="Proposition 8(2)",
        place="Section IV-A",
        statement=r"$\epsilon^*_\delta = \log (m-1)(1-D-\delta)/D$ for $0 < D < (1-\delta)(m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=_approximate,
        computed=lambda case: _optimum(ApproximateDifferentialPrivacy(case["delta"], reading="pointwise"), case),
        beyond="The same for the usual, event-wise definition.",
    ),
    Theorem(
        key="zhong2022:prop-8-2-events",
        label="Proposition 8(2), for events",
        place="Section IV-A",
        statement=r"The same value for the usual definition of $(\epsilon, \delta)$-differential privacy.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=_approximate,
        computed=lambda case: _optimum(ApproximateDifferentialPrivacy(case["delta"]), case),
    ),
    Theorem(
        key="zhong2022:prop-8-3-lower",
        label="Proposition 8(3), lower bound",
        place="Section IV-A",
        statement=r"$\epsilon^*_{MI} \ge \log m(1-D)$ for $0 < D < (m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=lambda case: _or_free(case["setting"], formulas.leakage_lower(case["setting"])),
        computed=lambda case: _optimum(INFORMATION_RATIO, case),
    ),
    Theorem(
        key="zhong2022:prop-8-3-upper",
        label="Proposition 8(3), upper bound",
        place="Section IV-A",
        statement=r"$\epsilon^*_{MI} \le \log\frac{1-D}{P^*(1-D-\frac{D}{m-1})+\frac{D}{m-1}}$ with the least "
        r"probability $P^*$ of any category under any distribution.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=_information_ratio,
        computed=lambda case: _optimum(INFORMATION_RATIO, case),
        beyond=r"At $\{P_U\}$ both bounds are $\log m(1-D)$.",
    ),
    Theorem(
        key="zhong2022:prop-8-4",
        label="Proposition 8(4)",
        place="Section IV-A",
        statement=r"$\epsilon^*_{ML} = \log m(1-D)$ for $0 < D < (m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=lambda case: _or_free(case["setting"], formulas.leakage_lower(case["setting"])),
        computed=lambda case: _optimum(LEAKAGE, case),
    ),
    *renyi_bounds(
        "zhong2022:prop-8-5",
        "Proposition 8(5)",
        "Section IV-A",
        (
            r"$\epsilon^*_{\alpha, DP} \ge \max\{0, \log (m-1)(1-D)^{\alpha/(\alpha-1)}/D\}$.",
            r"$\epsilon^*_{\alpha, DP} \le \max\{0, \epsilon_{\alpha, DP}(Q_D)\}$.",
        ),
        _sets,
        _optimum,
        beyond=r"The value for $D < (m-1)/m$.",
    ),
    Theorem(
        key="zhong2022:prop-8-6-lower",
        label="Proposition 8(6), lower bound",
        place="Section IV-A",
        statement=r"$\epsilon^*_{\alpha, M} \ge \max\{\epsilon^*_M, \log m(1-D)^{\alpha/(\alpha-1)}\}$ for Class I "
        r"sets.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=_sibson_lower,
        corrected=lambda case: _sibson_lower(case) if cases.with_uniform(case) else 0.0,
        computed=lambda case: _optimum(_sibson(case), case),
        counterexample=Counterexample(
            _OPPOSITE, 0.48242615, 0.28716211, "order 2; only the hull holds the uniform distribution"
        ),
        correction=(
            "As in Theorem 7(6), the uniform distribution must belong to the set, as it does if the set is convex."
        ),
    ),
    Theorem(
        key="zhong2022:prop-8-6-upper",
        label="Proposition 8(6), upper bound",
        place="Section IV-A",
        statement=r"$\epsilon^*_{\alpha, M} \le \max\{0, \log m((1-D)^\alpha + "
        r"D^\alpha(m-1)^{1-\alpha})^{1/(\alpha-1)}\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=lambda case: formulas.sibson_upper(case["setting"], case["order"]),
        computed=lambda case: _optimum(_sibson(case), case),
        beyond=r"The value for $D < (m-1)/m$ if the uniform distribution is in the set.",
    ),
    Theorem(
        key="zhong2022:prop-8-7",
        label="Proposition 8(7)",
        place="Section IV-A",
        statement=r"$\epsilon^*_M = \log m(1-D)(\frac{D}{(m-1)(1-D)})^D$ for $0 < D < (m-1)/m$, then 0, for Class I "
        r"sets.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE & cases.ONE_ROW,
        printed=_information,
        corrected=_corrected_information,
        computed=lambda case: _optimum(SHANNON, case),
        counterexample=Counterexample(
            _OPPOSITE, 0.36806421, 0.14631051, "only the hull holds the uniform distribution"
        ),
        correction=(
            "As in Theorem 7(7), the uniform distribution must belong to the set, as it does if the set is convex."
        ),
    ),
)
