r"""Theorem 18: Theorems 9 and 14 for databases whose rows are independent."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import Rational, Real, rational
from epstar.notions import ApproximateDifferentialPrivacy, Notion
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar_papers.zhong2022.class_two import corrected_theorem_9
from epstar_papers.zhong2022.composition import all_mechanisms, rows_at
from epstar_papers.zhong2022.composition_bounds import product_of_symmetric, rows_alike
from epstar_papers.zhong2022.distributions import Setting, points, uniform
from epstar_papers.zhong2022.leakage import theorem_14
from epstar_papers.zhong2022.truth import LEAKAGE, at_most


def _skewed_rows() -> Iterator[Case]:
    """One sorted distribution for each of two rows, at distortions of one row away from the jump."""
    for distribution, wrong, delta in (
        ("0.6 0.4", "0.2", "1/10"),
        ("0.7 0.3", "0.15", "1/10"),
        ("0.7 0.3", "0.1", "1/20"),
    ):
        yield rows_at(points(distribution)[0], 2 * rational(wrong), delta=rational(delta))
    yield rows_at(uniform(2), "1/2", delta=Rational(1, 10))


def _theorem_9_for_one_row(case: Case) -> Real:
    setting: Setting = case["setting"]
    return corrected_theorem_9(case["distribution"], setting.distortion / setting.rows, case["delta"])


def _theorem_9_with_larger_slack(case: Case) -> Real:
    """Theorem 9 for one row with the slack delta m^(n-1), the largest that a product can have."""
    setting: Setting = case["setting"]
    slack = case["delta"] * setting.categories ** (setting.rows - 1)
    return corrected_theorem_9(case["distribution"], setting.distortion / setting.rows, slack)


def _theorem_14_for_rows(case: Case) -> Real:
    setting: Setting = case["setting"]
    return theorem_14(case["distribution"], setting.distortion / setting.rows) * setting.rows


def _pointwise(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"], reading="pointwise")


def _events(case: Case) -> Notion:
    return ApproximateDifferentialPrivacy(case["delta"])


_UNIFORM = rows_at(uniform(2), "1/2", delta=Rational(1, 10))

THEOREMS = (
    Theorem(
        key="zhong2022:thm-18-1",
        label="Theorem 18(1)",
        place="Section IV-D",
        statement=r"For independent rows with a sorted distribution $\epsilon^*_\delta(P, nD)$ is the value of "
        r"Theorem 9 at $D$, with the pointwise definition of the paper.",
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
        corrected=_theorem_9_with_larger_slack,
        computed=lambda case: product_of_symmetric(_pointwise(case), case),
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
        computed=lambda case: rows_alike(LEAKAGE, case),
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
