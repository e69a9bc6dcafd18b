r"""Section IV-D, Theorems 17 and 18: the bounds for databases whose rows are independent."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epstar.exact import ZERO, Rational, Real, rational
from epstar.mechanism import ProductMechanism
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
from epstar.papers.zhong2022.laws import Point, Setting, as_float, points, tail, uniform
from epstar.papers.zhong2022.leakage import theorem_14
from epstar.papers.zhong2022.truth import (
    DIFFERENTIAL,
    INFORMATION_RATIO,
    LEAKAGE,
    SHANNON,
    at_most,
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
        yield rows_at(uniform(letters), wrong, rows, order=cases.ORDERS[number % 3], delta=Rational(1, 10 + 10 * number))


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
    factor = symmetric_mechanism(setting.letters, 1, setting.distortion / setting.rows)
    rows = Mechanism1(factor)
    return loss(notion, ProductMechanism(rows, setting.rows).dense(), _joint(case))


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
