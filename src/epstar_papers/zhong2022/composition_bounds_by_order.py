r"""Section IV-D, Theorem 17(5) to 17(7): the notions with an order, and mutual information."""

from __future__ import annotations

import math

from epstar.exact import Rational
from epstar.notions import Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.composition import rows_at
from epstar_papers.zhong2022.composition_bounds import (
    CLASS_ONE_ROWS,
    class_one_rows,
    least_over_all,
    rows_alike,
    uniform_rows,
)
from epstar_papers.zhong2022.distributions import Setting, as_float, uniform
from epstar_papers.zhong2022.truth import SHANNON


def _renyi(case: Case) -> Notion:
    return RenyiDifferentialPrivacy(case["order"])


def _sibson(case: Case) -> Notion:
    return SibsonMutualInformation(case["order"])


def _renyi_lower(case: Case, with_logarithm: bool) -> float:
    setting: Setting
    setting, alpha = case["setting"], as_float(case["order"])
    share = 1 - as_float(setting.distortion) / setting.rows
    ratio = setting.rows * (setting.categories - 1) * share ** (alpha / (alpha - 1)) / as_float(setting.distortion)
    return max(0.0, math.log(ratio) if with_logarithm else ratio)


def _sibson_lower(case: Case) -> float:
    setting: Setting
    setting, alpha = case["setting"], as_float(case["order"])
    share = 1 - as_float(setting.distortion) / setting.rows
    own = setting.rows * (math.log(setting.categories) + alpha / (alpha - 1) * math.log(share))
    return max(own, rows_alike(SHANNON, case).lower.lower)


def _sibson_of_symmetric(case: Case) -> float:
    setting: Setting
    setting, alpha = case["setting"], as_float(case["order"])
    wrong, others = as_float(setting.distortion / setting.rows), setting.categories - 1
    inner = (1 - wrong) ** alpha + others * (wrong / others) ** alpha
    return max(0.0, setting.rows * (math.log(setting.categories) + math.log(inner) / (alpha - 1)))


_UNIFORM = rows_at(uniform(2), "1/2", order=Rational(2), delta=Rational(1, 10))

THEOREMS = (
    Theorem(
        key="zhong2022:thm-17-5-lower",
        label="Theorem 17(5), lower bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, DP} \ge \max\{0, n(m-1)(1-D/n)^{\alpha/(\alpha-1)}/D\}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.AT_LEAST,
        cases=uniform_rows,
        printed=lambda case: _renyi_lower(case, with_logarithm=False),
        corrected=lambda case: _renyi_lower(case, with_logarithm=True),
        computed=lambda case: least_over_all(_renyi(case), case),
        counterexample=Counterexample(_UNIFORM, 2.25, 0.84729786, "order 2; with the logarithm 0.810930"),
        correction=r"The logarithm is missing.",
    ),
    Theorem(
        key="zhong2022:thm-17-5-upper",
        label="Theorem 17(5), upper bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, DP} \le \max\{0, \hat\epsilon_{\alpha, DP}(Q_D)\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=uniform_rows,
        printed=lambda case: formulas.renyi_upper(case["setting"], case["order"]),
        computed=lambda case: least_over_all(_renyi(case), case),
        beyond=r"The value, over all mechanisms, below $n(m-1)/m$.",
        leaves_out="Class I sets other than the uniform distribution alone.",
    ),
    Theorem(
        key="zhong2022:thm-17-6-lower",
        label="Theorem 17(6), lower bound",
        place="Section IV-D",
        statement=r"Over rows treated alike $\hat\epsilon^*_{\alpha, M} \ge \max\{\hat\epsilon^*_M, n\log "
        r"m(1-D/n)^{\alpha/(\alpha-1)}\}$ for Class I sets.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=class_one_rows,
        hypotheses=CLASS_ONE_ROWS,
        printed=_sibson_lower,
        corrected=lambda case: (
            _sibson_lower(case) if uniform(case["setting"].categories) in case["row_distributions"] else 0.0
        ),
        computed=lambda case: rows_alike(_sibson(case), case),
        counterexample=Counterexample(
            {"row_distributions": cases.OPPOSITE, "setting": Setting(2, 2, Rational(1, 5)), "order": Rational(2)},
            0.96485230,
            0.57432421,
            "only the hull holds the uniform distribution; twice the counterexample of Proposition 8(6)",
        ),
        correction="The uniform distribution must belong to the set itself.",
    ),
    Theorem(
        key="zhong2022:thm-17-6-upper",
        label="Theorem 17(6), upper bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, M} \le n\log m((1-D/n)^\alpha + "
        r"(m-1)(\frac{D}{n(m-1)})^\alpha)^{1/(\alpha-1)}$ for Class I sets.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=class_one_rows,
        hypotheses=CLASS_ONE_ROWS,
        printed=_sibson_of_symmetric,
        computed=lambda case: rows_alike(_sibson(case), case),
        beyond=r"Under the uniform distribution and below $n(m-1)/m$ it is the value over rows treated alike.",
    ),
    Theorem(
        key="zhong2022:thm-17-7",
        label="Theorem 17(7)",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_M = \max\{0, n\log m(1-D/n) + D\log\frac{D}{(m-1)(n-D)}\}$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=uniform_rows,
        printed=lambda case: formulas.information_upper(case["setting"]),
        corrected=lambda case: (
            formulas.information_upper(case["setting"]) if case["setting"].distortion < case["setting"].free else 0.0
        ),
        computed=lambda case: least_over_all(SHANNON, case),
        counterexample=Counterexample(rows_at(uniform(2), "1.8"), 0.73612841, 0.0, "m = n = 2"),
        correction=r"True below $n(m-1)/m$ for sets with the uniform distribution; from there on 0.",
    ),
)
