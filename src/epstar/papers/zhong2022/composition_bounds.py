r"""Section IV-D, Theorems 17 and 18: the bounds for databases whose rows are independent."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import Mechanism, ProductMechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar.papers.zhong2022 import cases, formulas
from epstar.papers.zhong2022.class_two import corrected_theorem_9
from epstar.papers.zhong2022.composition import all_mechanisms, one_row, rows_at, times
from epstar.papers.zhong2022.constructions import symmetric_mechanism
from epstar.papers.zhong2022.laws import Point, Setting, as_float, points, uniform
from epstar.papers.zhong2022.leakage import theorem_14
from epstar.papers.zhong2022.truth import (
    DIFFERENTIAL,
    INFORMATION_RATIO,
    LEAKAGE,
    SHANNON,
    at_most,
    independent_rows,
    least_loss,
    loss,
    members,
)
from epstar.proof import Interval
from epstar.source import Prior, Rows


def _uniform_rows() -> Iterator[Case]:
    """Two or three rows under the uniform law, where it is the law of the whole database too."""
    for number, (letters, rows, wrong) in enumerate(
        ((2, 2, "1/2"), (2, 2, "4/5"), (3, 2, "3/5"), (2, 3, "9/10"), (2, 2, "6/5"))
    ):
        yield rows_at(
            uniform(letters), wrong, rows, order=cases.ORDERS[number % 3], delta=Rational(1, 10 + 10 * number)
        )


def _exact(notion: Notion, case: Case) -> Interval:
    """The least loss over all mechanisms under the uniform law."""
    setting: Setting = case["setting"]
    return least_loss(notion, Rows(Prior(case["law"]), setting.rows), setting.distortion, setting.rows)


def _rows_alike(notion: Notion, case: Case) -> Interval:
    """The least loss over mechanisms that treat all rows alike: n times that of one row, by additivity."""
    setting: Setting = case["setting"]
    return times(one_row(notion, case), setting.rows)


def _product_of_symmetric(notion: Notion, case: Case) -> Interval:
    """The loss of the product of n symmetric mechanisms for one row, by definition."""
    setting: Setting = case["setting"]
    factor = Mechanism(symmetric_mechanism(setting.letters, 1, setting.distortion / setting.rows).dense().rows)
    return loss(notion, ProductMechanism(factor, setting.rows).dense(), _joint(case))


def _joint(case: Case) -> Prior:
    setting: Setting = case["setting"]
    return Rows(Prior(case["law"]), setting.rows).joint()


def _pointwise(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"], reading="pointwise")


def _events(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"])


def _renyi(case: Case) -> Notion:
    return RenyiDifferentialPrivacy(case["order"])


def _sibson(case: Case) -> Notion:
    return SibsonMutualInformation(case["order"])


def _differential(case: Case) -> Real:
    setting: Setting = case["setting"]
    return Real.of(ZERO) if setting.distortion >= setting.free else Real.log(setting.odds)


def _scaled_leakage(case: Case) -> Real:
    """n log m(1 - D/n) below n(m-1)/m, then 0."""
    setting: Setting = case["setting"]
    return Real.of(ZERO) if setting.distortion >= setting.free else formulas.leakage_upper(setting)


def _information_ratio_of_symmetric(case: Case) -> Real:
    """The formula of 17(3) for the loss of Q_D."""
    setting: Setting = case["setting"]
    wrong, other = setting.distortion, setting.distortion / (setting.letters - 1)
    least = min(case["law"])
    ratio = (setting.rows - wrong) / (least * (setting.rows - wrong - other) + other)
    return formulas.clipped_log(ratio**setting.rows)


def _renyi_lower(case: Case, with_logarithm: bool) -> float:
    setting, alpha = case["setting"], as_float(case["order"])
    share = 1 - as_float(setting.distortion) / setting.rows
    ratio = setting.rows * (setting.letters - 1) * share ** (alpha / (alpha - 1)) / as_float(setting.distortion)
    return max(0.0, math.log(ratio) if with_logarithm else ratio)


def _sibson_lower(case: Case) -> float:
    setting, alpha = case["setting"], as_float(case["order"])
    share = 1 - as_float(setting.distortion) / setting.rows
    own = setting.rows * (math.log(setting.letters) + alpha / (alpha - 1) * math.log(share))
    return max(own, _rows_alike(SHANNON, case).lower.lower)


def _sibson_of_symmetric(case: Case) -> float:
    setting, alpha = case["setting"], as_float(case["order"])
    wrong, others = as_float(setting.distortion / setting.rows), setting.letters - 1
    inner = (1 - wrong) ** alpha + others * (wrong / others) ** alpha
    return max(0.0, setting.rows * (math.log(setting.letters) + math.log(inner) / (alpha - 1)))


def _skewed_rows() -> Iterator[Case]:
    """One sorted law for each of two rows, at distortions of one row away from the jump."""
    for law, wrong, delta in (("0.6 0.4", "0.2", "1/10"), ("0.7 0.3", "0.15", "1/10"), ("0.7 0.3", "0.1", "1/20")):
        yield rows_at(points(law)[0], 2 * rational(wrong), delta=rational(delta))
    yield rows_at(uniform(2), "1/2", delta=Rational(1, 10))


def _theorem_9_for_one_row(case: Case) -> Real:
    setting: Setting = case["setting"]
    return corrected_theorem_9(case["law"], setting.distortion / setting.rows, case["delta"])


def _theorem_14_for_rows(case: Case) -> Real:
    setting: Setting = case["setting"]
    return theorem_14(case["law"], setting.distortion / setting.rows) * setting.rows


def _first_line(case: Case, with_delta: bool) -> Real:
    """The first line of the proof of 17(2): the largest log ratio in a product, with delta subtracted or not."""
    matrix = ProductMechanism(case["mechanism"], 2).dense()
    slack = case["delta"] if with_delta else ZERO
    return loss(ApproximateDifferentialPrivacy(slack, reading="pointwise"), matrix).upper


def _reduced_slack(case: Case) -> Interval:
    """The second line of that proof: one row with the slack delta Q_*^(1-n)."""
    largest = max(max(row) for row in case["mechanism"].rows)
    slack = min(Rational(1), case["delta"] / largest)
    return loss(ApproximateDifferentialPrivacy(slack, reading="pointwise"), case["mechanism"])


_UNIFORM = rows_at(uniform(2), "1/2", order=Rational(2), delta=Rational(1, 10))
_FAR: Point = points("0.9 0.1")[0]


def _class_one_rows() -> Iterator[Case]:
    """Class I sets of laws of one row, for two rows treated alike."""
    for laws, wrong in ((cases.OPPOSITE, "1/2"), ((uniform(3),), "4/5"), ((uniform(2), _FAR), "3/10")):
        yield {"laws": laws, "setting": Setting(len(laws[0]), 2, rational(wrong))}


def _random_factors() -> Iterator[Case]:
    for case in cases.mechanisms(14, 131):
        if case["mechanism"].shape[0] <= 3:
            yield {**case, "delta": Rational(1, 20)}


THEOREMS = (
    Theorem(
        key="zhong2022:thm-17-1",
        label="Theorem 17(1)",
        place="Section IV-D",
        statement=r"For Class I sets and rows treated alike $\hat\epsilon^*_{DP} = \log (m-1)(n-D)/D$ below "
        r"$n(m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_class_one_rows,
        printed=_differential,
        computed=lambda case: least_loss(
            DIFFERENTIAL, members(case["laws"]), case["setting"].distortion / case["setting"].rows
        ),
        beyond=r"Under the uniform law also over all mechanisms.",
    ),
    Theorem(
        key="zhong2022:thm-17-1-all",
        label="Theorem 17(1), all mechanisms",
        place="Section IV-D",
        statement=r"The same over all mechanisms on databases.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_class_one_rows,
        printed=_differential,
        corrected=lambda case: at_most(_differential(case)),
        computed=lambda case: least_loss(
            DIFFERENTIAL,
            independent_rows(case["laws"], case["setting"].rows),
            case["setting"].distortion,
            case["setting"].rows,
        ),
        counterexample=Counterexample(
            {"laws": cases.OPPOSITE, "setting": Setting(2, 2, Rational(1, 2))}, 1.09861229, 0.94098334, "n = 2"
        ),
        correction=r"The uniform law on databases must be a mixture of the laws $P \times \dots \times P$.",
    ),
    Theorem(
        key="zhong2022:thm-17-2-lower",
        label="Theorem 17(2), lower bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_\delta \ge \max\{0, \log (m-1)(n(1-\delta m^{n-1})-D)/D\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_uniform_rows,
        printed=lambda case: formulas.approximate_lower(case["setting"], case["delta"]),
        computed=lambda case: _exact(_pointwise(case), case),
    ),
    Theorem(
        key="zhong2022:thm-17-2-upper",
        label="Theorem 17(2), upper bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_\delta \le \max\{0, \log (m-1)\frac{n-D}{D}(1-\delta(1-D/n)^{-n})\}$, by $Q_D$ on "
        r"every row.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_uniform_rows,
        printed=lambda case: formulas.approximate_upper(case["setting"], case["delta"]),
        computed=lambda case: _product_of_symmetric(_pointwise(case), case),
        beyond=r"It is the optimum over rows treated alike.",
    ),
    Theorem(
        key="zhong2022:thm-17-2-events",
        label="Theorem 17(2), upper bound, for events",
        place="Section IV-D",
        statement=r"The same bound for the usual definition of $(\epsilon, \delta)$-differential privacy.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_uniform_rows,
        printed=lambda case: formulas.approximate_upper(case["setting"], case["delta"]),
        corrected=lambda case: formulas.approximate_events(case["setting"], case["delta"]),
        computed=lambda case: _exact(_events(case), case),
        counterexample=Counterexample(_UNIFORM, 0.90286771, 0.95551145, "log 2.6 is true"),
        correction=r"For events the value is $\log (m-1)(n(1-\delta)-D)/D$.",
    ),
    Theorem(
        key="zhong2022:thm-17-2-proof",
        label="Theorem 17(2), the proof",
        place="Section IV-D",
        statement=r"A product loses $\max\log\frac{Q(\mathbf{y}|\mathbf{x})}{Q(\mathbf{y}|\mathbf{x}')}$, which is "
        r"the loss of one row with the slack $\delta Q_*^{1-n}$, $Q_* = \max Q$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_random_factors,
        printed=lambda case: _first_line(case, with_delta=False),
        corrected=lambda case: _first_line(case, with_delta=True),
        computed=_reduced_slack,
        correction=r"The first line lacks $-\delta$ in the numerator.",
    ),
    Theorem(
        key="zhong2022:thm-17-3-lower",
        label="Theorem 17(3), lower bound",
        place="Section IV-D",
        statement=r"Over rows treated alike $\hat\epsilon^*_{MI} \ge n\log m(1-D/n)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_uniform_rows,
        printed=_scaled_leakage,
        computed=lambda case: _rows_alike(INFORMATION_RATIO, case),
    ),
    Theorem(
        key="zhong2022:thm-17-3-upper",
        label="Theorem 17(3), the loss of Q_D",
        place="Section IV-D",
        statement=r"$\hat\epsilon_{MI}(Q_D) = n\log\frac{n-D}{P^*(n-D-\frac{D}{m-1})+\frac{D}{m-1}}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [*_uniform_rows(), *(case for case in _skewed_rows()), rows_at(_FAR, "2/5")],
        printed=_information_ratio_of_symmetric,
        computed=lambda case: _product_of_symmetric(INFORMATION_RATIO, case),
    ),
    Theorem(
        key="zhong2022:thm-17-4",
        label="Theorem 17(4)",
        place="Section IV-D",
        statement=r"Over rows treated alike $\hat\epsilon^*_{ML} = n\log m(1-D/n)$ below $n(m-1)/m$, then 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_uniform_rows,
        printed=_scaled_leakage,
        computed=lambda case: _rows_alike(LEAKAGE, case),
    ),
    Theorem(
        key="zhong2022:thm-17-4-all",
        label="Theorem 17(4), all mechanisms",
        place="Section IV-D",
        statement=r"The same over all mechanisms on databases.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_uniform_rows,
        printed=_scaled_leakage,
        corrected=lambda case: at_most(_scaled_leakage(case)),
        computed=lambda case: _exact(LEAKAGE, case),
        counterexample=Counterexample(_UNIFORM, 0.81093022, 0.69314718, "log 9/4 is claimed, log 2 is true"),
        correction=r"An upper bound; the value is that of a Hamming ball with a thin rind.",
    ),
    Theorem(
        key="zhong2022:thm-17-5-lower",
        label="Theorem 17(5), lower bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, DP} \ge \max\{0, n(m-1)(1-D/n)^{\alpha/(\alpha-1)}/D\}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.AT_LEAST,
        cases=_uniform_rows,
        printed=lambda case: _renyi_lower(case, with_logarithm=False),
        corrected=lambda case: _renyi_lower(case, with_logarithm=True),
        computed=lambda case: _exact(_renyi(case), case),
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
        cases=_uniform_rows,
        printed=lambda case: formulas.renyi_upper(case["setting"], case["order"]),
        computed=lambda case: _exact(_renyi(case), case),
        beyond=r"The value, over all mechanisms, below $n(m-1)/m$.",
    ),
    Theorem(
        key="zhong2022:thm-17-6-lower",
        label="Theorem 17(6), lower bound",
        place="Section IV-D",
        statement=r"Over rows treated alike $\hat\epsilon^*_{\alpha, M} \ge \max\{\hat\epsilon^*_M, n\log "
        r"m(1-D/n)^{\alpha/(\alpha-1)}\}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_uniform_rows,
        printed=_sibson_lower,
        computed=lambda case: _rows_alike(_sibson(case), case),
    ),
    Theorem(
        key="zhong2022:thm-17-6-upper",
        label="Theorem 17(6), upper bound",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_{\alpha, M} \le n\log m((1-D/n)^\alpha + "
        r"(m-1)(\frac{D}{n(m-1)})^\alpha)^{1/(\alpha-1)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_uniform_rows,
        hypotheses=lambda case: case["setting"].distortion < case["setting"].free,
        printed=_sibson_of_symmetric,
        computed=lambda case: _rows_alike(_sibson(case), case),
        beyond=r"The value over rows treated alike.",
    ),
    Theorem(
        key="zhong2022:thm-17-7",
        label="Theorem 17(7)",
        place="Section IV-D",
        statement=r"$\hat\epsilon^*_M = \max\{0, n\log m(1-D/n) + D\log\frac{D}{(m-1)(n-D)}\}$.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_uniform_rows,
        printed=lambda case: formulas.information_upper(case["setting"]),
        corrected=lambda case: (
            formulas.information_upper(case["setting"]) if case["setting"].distortion < case["setting"].free else 0.0
        ),
        computed=lambda case: _exact(SHANNON, case),
        counterexample=Counterexample(rows_at(uniform(2), "1.8"), 0.73612841, 0.0, "m = n = 2"),
        correction=r"True below $n(m-1)/m$ for sets with the uniform law; from there on 0.",
    ),
    Theorem(
        key="zhong2022:thm-18-1",
        label="Theorem 18(1)",
        place="Section IV-D",
        statement=r"For independent rows with a sorted law $\epsilon^*_\delta(P, nD)$ is the value of Theorem 9 at "
        r"$D$, with the pointwise definition of the paper.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_skewed_rows,
        printed=_theorem_9_for_one_row,
        corrected=lambda case: at_most(_theorem_9_for_one_row(case)),
        computed=lambda case: all_mechanisms(_pointwise(case), case),
        counterexample=Counterexample(
            _UNIFORM, 0.95551145, 0.78845736, "n = 2; already the product of two Q_D loses only 0.90286771"
        ),
        correction=r"It contradicts 17(2): output by output the value is smaller. For events the statement is true.",
    ),
    Theorem(
        key="zhong2022:thm-18-1-products",
        label="Theorem 18(1), rows treated alike",
        place="Section IV-D",
        statement=r"No mechanism that treats the rows alike loses less than the value of Theorem 9 at $D$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=_skewed_rows,
        printed=_theorem_9_for_one_row,
        computed=lambda case: _product_of_symmetric(_pointwise(case), case),
        counterexample=Counterexample(
            rows_at(points("0.6 0.4")[0], "2/5", delta=Rational(1, 10)), 1.25276297, 1.21639532, "n = 2, by Q_D"
        ),
        correction=r"Output by output a product has the slack $\delta Q_*^{1-n} > \delta$ in every row.",
    ),
    Theorem(
        key="zhong2022:thm-18-1-events",
        label="Theorem 18(1), for events",
        place="Section IV-D",
        statement=r"With the usual definition $\epsilon^*_\delta(P, nD)$ is the value of Theorem 9 at $D$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_skewed_rows,
        printed=_theorem_9_for_one_row,
        computed=lambda case: all_mechanisms(_events(case), case),
        beyond="Over all mechanisms, not only products.",
    ),
    Theorem(
        key="zhong2022:thm-18-2",
        label="Theorem 18(2)",
        place="Section IV-D",
        statement=r"Over rows treated alike $\epsilon^*_{ML}(P, nD)$ is $n$ times the value of Theorem 14 at $D$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_skewed_rows,
        printed=_theorem_14_for_rows,
        computed=lambda case: _rows_alike(LEAKAGE, case),
    ),
    Theorem(
        key="zhong2022:thm-18-2-all",
        label="Theorem 18(2), all mechanisms",
        place="Section IV-D",
        statement=r"The same over all mechanisms on databases.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=_skewed_rows,
        printed=_theorem_14_for_rows,
        corrected=lambda case: at_most(_theorem_14_for_rows(case)),
        computed=lambda case: all_mechanisms(LEAKAGE, case),
        counterexample=Counterexample(
            rows_at(points("0.7 0.3")[0], "3/10", delta=Rational(1, 10)), 0.81093022, 0.69314718, "n = 2"
        ),
        correction=r"In general only an upper bound.",
    ),
)
