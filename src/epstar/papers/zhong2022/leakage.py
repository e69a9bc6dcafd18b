r"""Theorem 14 and Corollary 15: maximal leakage for laws in decreasing order, with Appendix E."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.exact import ZERO, Rational, Real
from epstar.papers.theorem import Case, Counterexample, Relation, Theorem, Verdict
from epstar.papers.zhong2022 import cases
from epstar.papers.zhong2022.cases import distortion_of
from epstar.papers.zhong2022.constructions import (
    leakage_diagonal,
    leakage_matrix_as_printed,
    leakage_mechanism,
    mechanism_from_diagonal,
)
from epstar.papers.zhong2022.formulas import clipped_log
from epstar.papers.zhong2022.laws import Point, tail
from epstar.papers.zhong2022.truth import LEAKAGE, distortion, least_distortion, least_loss, loss, members
from epstar.proof import Interval
from epstar.source import Prior


def theorem_14(law: Point, wrong: Rational) -> Real:
    """Return the formula of Theorem 14."""
    size = len(law)
    k = next(k for k in range(1, size + 1) if tail(law, k - 1) < wrong <= tail(law, k))
    return clipped_log(size - k - (wrong - tail(law, k)) / (tail(law, k) - tail(law, k - 1)))


def corollary_15(law: Point, level: Real) -> Real:
    """Return D^(m-k) + P_(k+1)(k - e^eps), with P_(m+1) = 0; the level is the logarithm of a rational."""
    ratio = Real.exp(level).rational
    assert ratio is not None, "levels are given as logarithms of rationals"
    size = len(law)
    k = min(size, int(ratio.floor()))
    following = law[k] if k < size else ZERO
    return Real.of(tail(law, size - k) + following * (k - ratio))


def _leakage_laws() -> Iterator[Case]:
    for case in cases.one_law(24, 93):
        yield case
    for k in range(1, 5):
        yield cases.at(cases.FIGURE_4, tail(cases.FIGURE_4[0], k))


def _leakage_matrix_is_a_mechanism(case: Case, printed: bool) -> bool:
    kept = leakage_diagonal(case["laws"][0], distortion_of(case))
    rows = leakage_matrix_as_printed(kept) if printed else mechanism_from_diagonal(kept).rows
    return all(sum(row, ZERO) == 1 for row in rows)


def _leakage_mechanism_is_optimal(case: Case) -> bool:
    law, wrong = case["laws"][0], distortion_of(case)
    mechanism = leakage_mechanism(law, wrong)
    valid = distortion(mechanism, Prior(law)) <= wrong
    return valid and loss(LEAKAGE, mechanism).upper <= least_loss(LEAKAGE, Prior(law), wrong).lower


def _levels() -> Iterator[Case]:
    random = Random(94)
    for number, case in enumerate(cases.ordered_sets(14, 95)):
        size = len(case["laws"][0])
        ratio = Rational(random.randint(10, 10 * size + 3), 10) if number % 4 else Rational(size)
        yield {"laws": case["laws"], "level": Real.log(ratio)}


def _there_and_back(case: Case) -> Interval:
    reached = least_loss(LEAKAGE, Prior(case["laws"][0]), distortion_of(case)).upper
    return least_distortion(LEAKAGE, Prior(case["laws"][0]), reached)


THEOREMS = (
    Theorem(
        key="zhong2022:thm-14",
        label="Theorem 14",
        place="Section IV-B",
        statement=r"$\epsilon^*_{ML}(P, D) = \max\{0, \log(m-k-\frac{D-D^{(k)}}{D^{(k)}-D^{(k-1)}})\}$ for "
        r"$D^{(k-1)} < D \le D^{(k)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_laws,
        printed=lambda case: theorem_14(case["laws"][0], distortion_of(case)),
        computed=lambda case: least_loss(LEAKAGE, Prior(case["laws"][0]), distortion_of(case)),
    ),
    Theorem(
        key="zhong2022:thm-14-mechanism",
        label="Theorem 14, the mechanism of the proof",
        place="Appendix E",
        statement=r"$Q(j|i) = (1-a_j)a_i/\sum_{l \ne j} a_l$ off the diagonal $a$ is a mechanism.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_leakage_laws,
        printed=lambda case: _leakage_matrix_is_a_mechanism(case, printed=True),
        corrected=lambda case: (
            _leakage_matrix_is_a_mechanism(case, printed=False) and _leakage_mechanism_is_optimal(case)
        ),
        counterexample=Counterexample(
            cases.at(cases.FIGURE_4, "0.4"), 1.0, 0.0, "the rows sum to 38/15, 22/15, 0 and 0"
        ),
        correction=r"$Q(j|i) = (1-a_i)a_j/\sum_{l \ne i} a_l$, which is optimal.",
    ),
    Theorem(
        key="zhong2022:cor-15",
        label="Corollary 15",
        place="Section IV-B",
        statement=r"For Class II sets $D^*_{ML}(\mathcal{P}, \epsilon)$ is the largest of the $D^{(m-k)} + "
        r"P_{k+1}(k-e^\epsilon)$ with $\log k \le \epsilon < \log(k+1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_levels,
        printed=lambda case: max(corollary_15(law, case["level"]) for law in case["laws"]),
        computed=lambda case: least_distortion(LEAKAGE, members(case["laws"]), case["level"]),
        beyond=r"With $P_{m+1} = 0$; also for sets of ordered laws that are not convex.",
    ),
    Theorem(
        key="zhong2022:text-inverse",
        label="Before Corollary 15",
        place="Section IV-B",
        statement=r"The least distortion at a given leakage says the same as Theorem 14.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_laws,
        hypotheses=lambda case: distortion_of(case) <= tail(case["laws"][0], len(case["laws"][0]) - 1),
        printed=distortion_of,
        computed=_there_and_back,
    ),
)
