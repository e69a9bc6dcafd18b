r"""Theorem 14 and Corollary 15: maximal leakage for distributions in decreasing order, with Appendix E."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from epstar.exact import ZERO, Interval, Rational, Real
from epstar.notions import ApproximateDifferentialPrivacy, Notion
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.constructions import (
    leakage_diagonal,
    leakage_matrix_as_printed,
    leakage_mechanism,
    mechanism_from_diagonal,
)
from epstar_papers.zhong2022.distributions import Point, tail
from epstar_papers.zhong2022.formulas import clipped_log
from epstar_papers.zhong2022.programs import program_15, program_16, program_17
from epstar_papers.zhong2022.truth import LEAKAGE, distortion, least_distortion, least_loss, loss, members


def theorem_14(distribution: Point, wrong: Rational) -> Real:
    """Return the formula of Theorem 14."""
    size = len(distribution)
    k = next(k for k in range(1, size + 1) if tail(distribution, k - 1) < wrong <= tail(distribution, k))
    return clipped_log(size - k - (wrong - tail(distribution, k)) / (tail(distribution, k) - tail(distribution, k - 1)))


def corollary_15(distribution: Point, level: Real) -> Real:
    """Return D^(m-k) + P_(k+1)(k - e^eps), with P_(m+1) = 0; the level is the logarithm of a rational."""
    ratio = Real.exp(level).rational
    assert ratio is not None, "levels are given as logarithms of rationals"
    size = len(distribution)
    k = min(size, int(ratio.floor()))
    following = distribution[k] if k < size else ZERO
    return Real.of(tail(distribution, size - k) + following * (k - ratio))


def _leakage_distributions() -> Iterator[Case]:
    yield from cases.one_distribution(24, 93)
    for k in range(1, 5):
        yield cases.at(cases.FIGURE_4, tail(cases.FIGURE_4[0], k))


def _leakage_matrix_is_a_mechanism(case: Case, printed: bool) -> bool:
    kept = leakage_diagonal(case["distributions"][0], distortion_of(case))
    rows = leakage_matrix_as_printed(kept) if printed else mechanism_from_diagonal(kept).rows
    return all(sum(row, ZERO) == 1 for row in rows)


def _leakage_mechanism_is_optimal(case: Case) -> bool:
    distribution, wrong = case["distributions"][0], distortion_of(case)
    mechanism = leakage_mechanism(distribution, wrong)
    valid = distortion(mechanism, Prior(distribution)) <= wrong
    return valid and loss(LEAKAGE, mechanism).upper <= least_loss(LEAKAGE, Prior(distribution), wrong).lower


def _levels() -> Iterator[Case]:
    random = Random(94)
    for number, case in enumerate(cases.ordered_sets(14, 95)):
        size = len(case["distributions"][0])
        ratio = Rational(random.randint(10, 10 * size + 3), 10) if number % 4 else Rational(size)
        yield {"distributions": case["distributions"], "level": Real.log(ratio)}


def _there_and_back(case: Case) -> Interval:
    reached = least_loss(LEAKAGE, Prior(case["distributions"][0]), distortion_of(case)).upper
    return least_distortion(LEAKAGE, Prior(case["distributions"][0]), reached)


def _free_leakage(case: Case) -> bool:
    distribution, wrong = case["distributions"][0], distortion_of(case)
    found = least_loss(LEAKAGE, Prior(distribution), wrong)
    return (found.upper <= 0) if wrong >= tail(distribution, len(distribution) - 1) else (found.lower > 0)


def _around_free() -> Iterator[Case]:
    random = Random(101)
    for _ in range(8):
        distribution = cases.sorted_distribution(random, random.randint(2, 5))
        for shift in (-Rational(1, 1000), ZERO, Rational(1, 1000)):
            yield cases.at((distribution,), tail(distribution, len(distribution) - 1) + shift)


def _lemma_34(case: Case) -> bool:
    """Whether the optimum has a decreasing diagonal that is largest in every column."""
    mechanism = leakage_mechanism(case["distributions"][0], distortion_of(case))
    kept = [mechanism.entry(x, x) for x in range(mechanism.shape[0])]
    largest = all(max(mechanism.column(y)) == kept[y] for y in range(mechanism.shape[1]))
    return largest and all(a >= b for a, b in pairwise(kept)) and _leakage_mechanism_is_optimal(case)


def _below_free(case: Case) -> bool:
    distribution: Point = case["distributions"][0]
    return bool(distortion_of(case) < tail(distribution, len(distribution) - 1))


def _dual_value(case: Case) -> Rational:
    """The optimum of (17) that the paper reads off: min{-1, (D - D^(k-1))/P_(m+1-k) - (m+1-k)}."""
    distribution: Point = case["distributions"][0]
    wrong, size = distortion_of(case), len(distribution)
    k = next(k for k in range(1, size + 1) if tail(distribution, k - 1) < wrong <= tail(distribution, k))
    return min(-Rational(1), (wrong - tail(distribution, k - 1)) / distribution[size - k] - (size + 1 - k))


def _free_distortion(case: Case, notion: Notion) -> Interval:
    return least_distortion(notion, Prior(case["distributions"][0]), ZERO)


def _least_leakage(case: Case) -> Interval:
    return least_loss(LEAKAGE, Prior(case["distributions"][0]), distortion_of(case))


def _program_16(case: Case) -> Real:
    return Real.of(program_16(case["distributions"][0], distortion_of(case)))


def _is_the_dual(case: Case, printed: bool) -> bool:
    distribution, wrong = case["distributions"][0], distortion_of(case)
    return program_17(distribution, wrong, printed) == program_16(distribution, wrong)


THEOREMS = (
    Theorem(
        key="zhong2022:thm-14",
        label="Theorem 14",
        place="Section IV-B",
        statement=r"$\epsilon^*_{ML}(P, D) = \max\{0, \log(m-k-\frac{D-D^{(k)}}{D^{(k)}-D^{(k-1)}})\}$ for $D^{(k-1)} "
        r"< D \le D^{(k)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_distributions,
        hypotheses=cases.SORTED,
        printed=lambda case: theorem_14(case["distributions"][0], distortion_of(case)),
        computed=lambda case: least_loss(LEAKAGE, Prior(case["distributions"][0]), distortion_of(case)),
    ),
    Theorem(
        key="zhong2022:thm-14-mechanism",
        label="Theorem 14, the mechanism of the proof",
        place="Appendix E",
        statement=r"$Q(j|i) = (1-a_j)a_i/\sum_{l \ne j} a_l$ off the diagonal $a$ is a mechanism.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_leakage_distributions,
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
        printed=lambda case: max(corollary_15(distribution, case["level"]) for distribution in case["distributions"]),
        computed=lambda case: least_distortion(LEAKAGE, members(case["distributions"]), case["level"]),
        beyond=r"With $P_{m+1} = 0$; also for sets of ordered distributions that are not convex.",
    ),
    Theorem(
        key="zhong2022:text-inverse",
        label="Before Corollary 15",
        place="Section IV-B",
        statement=r"The least distortion at a given leakage says the same as Theorem 14.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_distributions,
        hypotheses=Hypothesis(
            r"$D \le D^{(m-1)}$",
            lambda case: distortion_of(case) <= tail(case["distributions"][0], len(case["distributions"][0]) - 1),
        ),
        printed=distortion_of,
        computed=_there_and_back,
    ),
    Theorem(
        key="zhong2022:lemma-33",
        label="Lemma 33",
        place="Appendix E",
        statement=r"$\epsilon^*_{ML}(P, D) = 0$ exactly if $D \ge D^{(m-1)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_around_free,
        printed=_free_leakage,
    ),
    Theorem(
        key="zhong2022:lemma-33-proof",
        label="Lemma 33, last line of the proof",
        place="Appendix E",
        statement=r"The constant answer shows $\epsilon^*_\delta(P, D) = 0$ from $D^{(m-1)}$ on, and not before.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: (
            {"distributions": case["distributions"], "delta": Rational(1, 10)}
            for case in cases.one_distribution(8, 102)
        ),
        printed=lambda case: _free_distortion(case, ApproximateDifferentialPrivacy(case["delta"])),
        corrected=lambda case: _free_distortion(case, LEAKAGE),
        computed=lambda case: Real.of(tail(case["distributions"][0], len(case["distributions"][0]) - 1)),
        correction=r"It is $\epsilon^*_{ML}$ that the line is about.",
    ),
    Theorem(
        key="zhong2022:lemma-34",
        label="Lemma 34",
        place="Appendix E",
        statement=r"Where something must leak some optimum has $0 \le Q(m|m) \le \dots \le Q(1|1) \le 1$, each of "
        r"them largest in its column.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_leakage_distributions,
        hypotheses=cases.SORTED & Hypothesis(r"$D < D^{(m-1)}$", _below_free),
        printed=_lemma_34,
    ),
    Theorem(
        key="zhong2022:eq-15",
        label="Equation (15)",
        place="Appendix E",
        statement=r"$\epsilon^*_{ML}$ is the least $\log\sum a_j$ over decreasing diagonals with $\sum P_j a_j \ge "
        r"1-D$ and $\sum a_j \ge 1$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_distributions,
        hypotheses=cases.SORTED,
        printed=lambda case: Real.log(program_15(case["distributions"][0], distortion_of(case))),
        computed=_least_leakage,
    ),
    Theorem(
        key="zhong2022:eq-16",
        label="Equation (16)",
        place="Appendix E",
        statement=r"In the differences of the diagonal (15) is a linear program with optimum $d_7$, and $d_6 = "
        r"\log(-d_7)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_distributions,
        hypotheses=cases.SORTED,
        printed=lambda case: Real.log(-program_16(case["distributions"][0], distortion_of(case))),
        computed=_least_leakage,
    ),
    Theorem(
        key="zhong2022:eq-17",
        label="Equation (17)",
        place="Appendix E",
        statement=r"The dual of (16) has the conditions $D^{(m-j)}\gamma_1 - j\gamma_2 + \gamma_3 \ge -j$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_leakage_distributions,
        printed=lambda case: _is_the_dual(case, printed=True),
        corrected=lambda case: _is_the_dual(case, printed=False),
        counterexample=Counterexample(cases.at(cases.FIGURE_4, "0.4"), 1.0, 0.0, "as printed it is unbounded"),
        correction=r"$(D^{(m-j)} - 1)\gamma_1 - j\gamma_2 + \gamma_3 \ge -j$, from the first condition of (16).",
    ),
    Theorem(
        key="zhong2022:eq-17-value",
        label="After equation (17)",
        place="Appendix E",
        statement=r"$d_7 = \min\{-1, (D-D^{(k-1)})/P_{m+1-k} - (m+1-k)\}$ for $D^{(k-1)} < D \le D^{(k)}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_leakage_distributions,
        hypotheses=cases.SORTED,
        printed=_dual_value,
        computed=_program_16,
    ),
)
