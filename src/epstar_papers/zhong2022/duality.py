r"""Equations (9) to (14): the linear programs in the proof of Theorem 9."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from epstar.exact import ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy
from epstar.source import Prior
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict
from epstar_papers.zhong2022 import cases
from epstar_papers.zhong2022.cases import distortion_of
from epstar_papers.zhong2022.constructions import mechanism_from_diagonal
from epstar_papers.zhong2022.distributions import Point, points, tail
from epstar_papers.zhong2022.programs import (
    corner_of,
    corner_value,
    program_9,
    program_10,
    program_11,
    program_12,
    program_13,
)
from epstar_papers.zhong2022.truth import least_loss, loss

_DELTAS = ("0", "1/10", "7/20")


def _with_first() -> Iterator[Case]:
    """Sorted distributions below their free distortion with some a_1 between 1 - D and 1 and some gamma_2 in [0, 1)."""
    random = Random(111)
    for case in cases.one_distribution(24, 112, _DELTAS):
        wrong = distortion_of(case)
        if len(case["distributions"][0]) > 2 and cases.below_free(case):
            first = 1 - wrong * Rational(random.randint(0, 19), 20)
            yield {**case, "first": first, "second": Rational(random.randint(0, 3), 4)}


def _data(case: Case) -> tuple[Point, Rational, Rational, Rational]:
    return case["distributions"][0], distortion_of(case), case["delta"], case["first"]


def _bounded(value: Rational | None) -> Real:
    assert value is not None, "the programs have solutions for 1 - D <= a_1 <= 1"
    return Real.of(value)


def _last_interval(case: Case) -> bool:
    """Whether a_1 lies in the last of the m intervals, where the paper uses the corner Z_(m-1,m)."""
    return corner_of(*_data(case)) == len(case["distributions"][0])


def _at_corner(case: Case) -> Rational:
    rest: Rational = 1 - case["second"]
    return corner_value(*_data(case), corner_of(*_data(case))) * rest


def _at_corner_or_axis(case: Case) -> Rational:
    """The optimum of (13): at a corner of two lines, or in the last interval where the steepest line meets the axis."""
    distribution, _, delta, first = _data(case)
    rest: Rational = 1 - case["second"]
    return (len(distribution) - 1) * (first - delta) * rest if _last_interval(case) else _at_corner(case)


def _closed_value(case: Case) -> Rational:
    """min{c_k(a_1), m(a_1-delta)-1+delta}."""
    distribution, _, delta, first = _data(case)
    return min(corner_value(*_data(case), corner_of(*_data(case))), len(distribution) * (first - delta) - 1 + delta)


def _in_last_interval() -> Iterator[Case]:
    """Values of a_1 in the last of the paper's intervals, which lies above 1."""
    random = Random(113)
    for number in range(8):
        distribution = cases.sorted_distribution(random, random.randint(3, 4))
        free = tail(distribution, len(distribution) - 1)
        wrong = free * Rational(9, 10)
        first = (1 - wrong) / (1 - free) + Rational(number + 1, 10)
        yield cases.at((distribution,), wrong, delta=ZERO, first=first, second=Rational(number % 3, 4))


def _corners_are_ordered(distribution: Point, strict: bool) -> bool:
    """Whether (14) holds: u falls and v rises from one line through Z_ij to the next."""
    size = len(distribution)
    for j in range(1, size):
        others = [i for i in range(1, size) if i != j]
        gaps = {i: tail(distribution, i) - tail(distribution, j) for i in others}
        across = [(i - j) / gaps[i] for i in others]
        up = [(j * tail(distribution, i) - i * tail(distribution, j)) / gaps[i] for i in others]
        if strict:
            fine = all(a > b for a, b in pairwise(across)) and all(a < b for a, b in pairwise(up))
            fine = fine and all(a > 0 for a in across) and all(b > 0 for b in up)
        else:
            fine = all(a >= b for a, b in pairwise(across)) and all(a <= b for a, b in pairwise(up))
            fine = fine and all(a > 0 for a in across) and all(b >= 0 for b in up)
        if not fine:
            return False
    return True


def _sorted_distributions() -> Iterator[Case]:
    random = Random(114)
    for _ in range(16):
        yield {"distribution": cases.sorted_distribution(random, random.randint(3, 6))}
    yield {"distribution": points("0.4 0.3 0.2 0.1")[0]}


def _mechanism(case: Case) -> Mechanism:
    """The mechanism of the proof, built from the optimal diagonal."""
    return mechanism_from_diagonal(
        program_9(case["distributions"], distortion_of(case), case["delta"])[1], case["delta"]
    )


def _rows_sum_to_one(case: Case) -> bool:
    mechanism = _mechanism(case)
    return all(sum(row, ZERO) == 1 for row in mechanism.rows)


def _columns_sum_to_one(case: Case) -> bool:
    mechanism = _mechanism(case)
    return all(sum(mechanism.column(y), ZERO) == 1 for y in range(mechanism.shape[1]))


THEOREMS = (
    Theorem(
        key="zhong2022:eq-9",
        label="Equation (9)",
        place="Section IV-B",
        statement=r"$\epsilon^*_\delta$ is the least $\log\frac{\sum_{j\ge2}(a_j-\delta)}{1-a_1}$ over decreasing "
        r"diagonals with $\sum P_j a_j \ge 1-D$ and $\sum(a_j-\delta) \ge 1-\delta$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.one_distribution(24, 115, _DELTAS),
        hypotheses=cases.SORTED & cases.BELOW_FREE,
        printed=lambda case: Real.log(program_9(case["distributions"], distortion_of(case), case["delta"])[0]),
        computed=lambda case: least_loss(
            ApproximateDifferentialPrivacy(case["delta"], reading="pointwise"),
            Prior(case["distributions"][0]),
            distortion_of(case),
        ),
    ),
    Theorem(
        key="zhong2022:eq-9-mechanism",
        label="After equation (9)",
        place="Section IV-B",
        statement=r"$Q(j|i) = (a_j-\delta)(1-a_i)/\sum_{l\ne i}(a_l-\delta)$ off the diagonal loses "
        r"$\log\frac{\sum_{j\ge2}(a_j-\delta)}{1-a_1}$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.one_distribution(24, 116, _DELTAS),
        hypotheses=cases.BELOW_FREE,
        printed=lambda case: Real.log(program_9(case["distributions"], distortion_of(case), case["delta"])[0]),
        computed=lambda case: loss(
            ApproximateDifferentialPrivacy(case["delta"], reading="pointwise"), _mechanism(case)
        ),
    ),
    Theorem(
        key="zhong2022:eq-9-sums",
        label="After equation (9), the sums",
        place="Section IV-B; also Appendix E",
        statement=r"That $Q$ is a mechanism is written $\sum_i Q(j|i) = 1$ for every $j$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: cases.one_distribution(12, 117, _DELTAS),
        hypotheses=cases.BELOW_FREE,
        printed=_columns_sum_to_one,
        corrected=_rows_sum_to_one,
        correction=r"$\sum_j Q(j|i) = 1$ for every $i$.",
    ),
    Theorem(
        key="zhong2022:eq-10",
        label="Equations (10) and (11)",
        place="Section IV-B",
        statement=r"In the differences of the diagonal, $d_2(a_1) = (m-1)(a_1-\delta) - d_3(a_1)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_with_first,
        printed=lambda case: (
            Real.of((len(case["distributions"][0]) - 1) * (case["first"] - case["delta"]))
            - _bounded(program_11(*_data(case)))
        ),
        computed=lambda case: _bounded(program_10(*_data(case))),
    ),
    Theorem(
        key="zhong2022:eq-12",
        label="Equation (12)",
        place="Section IV-B",
        statement=r"The dual (12) has the optimum $d_3(a_1)$ of (11).",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_with_first,
        printed=lambda case: _bounded(program_12(*_data(case))),
        computed=lambda case: _bounded(program_11(*_data(case))),
    ),
    Theorem(
        key="zhong2022:eq-12-value",
        label="After equation (14)",
        place="Section IV-B",
        statement=r"$d_3(a_1) = \min\{c_k(a_1), m(a_1-\delta)-1+\delta\}$ on the interval of $a_1$ that belongs to "
        r"$k$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_with_first,
        hypotheses=Hypothesis(r"$a_1 \le 1$", lambda case: case["first"] <= 1),
        printed=_closed_value,
        computed=lambda case: _bounded(program_11(*_data(case))),
    ),
    Theorem(
        key="zhong2022:eq-13",
        label="Equation (13)",
        place="Section IV-B",
        statement=r"For $0 \le \gamma_2 < 1$ the optimum of (13) is at the corner $Z_{k-1,k}$, for $k = 1, \dots, m$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=lambda: [*_with_first(), *_in_last_interval()],
        printed=_at_corner,
        corrected=_at_corner_or_axis,
        computed=lambda case: _bounded(program_13(*_data(case), case["second"])),
        counterexample=Counterexample(
            cases.at(points("0.6 0.3 0.1"), "0.39", delta=ZERO, first=Rational(11, 10), second=ZERO),
            2.28333333,
            2.2,
            "a_1 = 1.1 and k = m = 3",
        ),
        correction=r"(13) has no line $l_m$ and so no corner $Z_{m-1,m}$: in the last interval the optimum is $(0, "
        r"(m-1)(1-\gamma_2))$. That interval lies above $a_1 = 1$, so nothing depends on it.",
    ),
    Theorem(
        key="zhong2022:eq-13-free",
        label="Equation (13), Case I",
        place="Section IV-B",
        statement=r"For $\gamma_2 \ge 1$ the optimum of (13) is 0.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_with_first,
        printed=lambda case: ZERO,
        computed=lambda case: _bounded(program_13(*_data(case), 1 + case["second"])),
    ),
    Theorem(
        key="zhong2022:eq-14",
        label="Equation (14)",
        place="Section IV-B",
        statement=r"Along each line $l_j$ the corners $Z_{ij}$ follow each other strictly, with positive coordinates.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_sorted_distributions,
        printed=lambda case: _corners_are_ordered(case["distribution"], strict=True),
        corrected=lambda case: _corners_are_ordered(case["distribution"], strict=False),
        counterexample=Counterexample({"distribution": points("0.4 0.2 0.2 0.2")[0]}, 1.0, 0.0, "three categories tie"),
        correction=r"Strictly only if no two categories are equally likely; otherwise with $\ge$ and $\le$.",
    ),
)
