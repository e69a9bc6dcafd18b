r"""Theorem 3 and what surrounds it: sets that no order sorts, folded into the decreasing distributions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from random import Random

from epstar.exact import ZERO, Interval, Rational
from epstar.source import Hull
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import (
    folded,
    folding_permutations,
    generated_group,
    orbit_averages,
    permuted,
)
from epstar_papers.kalantari2018.programs import equation_16, equation_17
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_III, TABLE_IV, Point, Points, points
from epstar_papers.kalantari2018.truth import NO_CLAIM, least_loss
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict

STAR = points("0.6 0.3 0.1", "0.3 0.6 0.1", "0.6 0.1 0.3")
REVERSED = points("0.5 0.4 0.1", "0.1 0.4 0.5")
CYCLE = points("0.6 0.3 0.1", "0.1 0.6 0.3")
CYCLE_STEPS = ((0, 1, 2), (1, 2, 0))


def is_sorted(distribution: Point) -> bool:
    """Return whether the entries decrease."""
    return all(first >= second for first, second in pairwise(distribution))


def foldings(distributions: Points) -> tuple[tuple[int, ...], ...]:
    """Return every permutation that sorts a member of a finite set (Definition 5, read literally)."""
    return tuple(sorted({step for distribution in distributions for step in folding_permutations(distribution)}))


def folded_members(distributions: Points) -> list[set[Point]]:
    """Return, for each folding permutation of a finite set, the folded distributions that it sorts (equation (13))."""
    steps = foldings(distributions)
    return [
        {folded(distribution, step) for distribution in distributions if is_sorted(folded(distribution, step))}
        for step in steps
    ]


def common_and_any(distributions: Points) -> tuple[Points, Points]:
    """Return the intersection and the union of the folded pieces of a finite set (equation (14))."""
    members = folded_members(distributions)
    return tuple(sorted(set.intersection(*members))), tuple(sorted(set.union(*members)))


def is_group(steps: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether permutations form a group."""
    return set(generated_group(steps)) == set(steps)


def _copies() -> Iterator[Case]:
    yield from cases.copies(24, 17)
    for distortion in ("0.1", "0.3", "0.5"):
        yield {
            **cases.at(TABLE_III["a"], distortion),
            "base": TABLE_I,
            "permutations": ((0, 1, 2, 3, 4, 5), (1, 0, 2, 3, 4, 5)),
        }


def _distributions() -> Iterator[Case]:
    random = Random(13)
    for _ in range(40):
        distribution = cases.distribution(random, random.randint(3, 5))
        yield {"distribution": distribution, "permutation": folding_permutations(distribution)[0]}


def _orders_of(distribution: Point) -> int:
    return sum(is_sorted(folded(distribution, step)) for step in permutations(range(len(distribution))))


def _upper(case: Case) -> Interval:
    return least_loss(case["points"], case["distortion"])


def _lower_bound_if_group(case: Case) -> object:
    """The lower bound where the permutations form a group that keeps the hull of the set."""
    steps = case["permutations"]
    averages = orbit_averages(case["points"], steps)
    if is_group(steps) and all(Hull(case["points"]).contains(average) for average in averages):
        return equation_16(case["base"], case["distortion"], steps, least_anywhere=True)
    return NO_CLAIM


def _star(distortion: str) -> Case:
    return {**cases.at(STAR, distortion), "base": STAR[:1], "permutations": ((0, 1, 2), (0, 2, 1), (1, 0, 2))}


def _tied_permutation(case: Case, with_union: bool) -> object:
    common, union = common_and_any(case["points"])
    return equation_16(
        union if with_union else common, case["distortion"], foldings(case["points"]), least_anywhere=True
    )


def _folds(case: Case, as_printed: bool) -> bool:
    distribution, step = case["distribution"], case["permutation"]
    return is_sorted(permuted(distribution, step) if as_printed else folded(distribution, step))


def _all_decreasing(size: int) -> Points:
    return tuple((Rational(1, k),) * k + (ZERO,) * (size - k) for k in range(1, size + 1))


def _exchanged_value(case: Case) -> object:
    size = len(case["points"][0])
    steps = tuple(tuple(range(size)) if not k else (k, *range(1, k), 0, *range(k + 1, size)) for k in (0, 1))
    base = case["points"][: len(case["points"]) // 2]
    return equation_16(base, case["distortion"], steps, least_anywhere=True)


def _evaluates(case: Case, counts: int) -> bool:
    """Whether (17) has a value for so many counts of columns left out; where it divides by zero it raises."""
    values = [equation_17(case["base"], case["distortion"], case["permutations"], count) for count in range(counts)]
    return len(values) == counts


_THREE = points("0.1 0.6 0.3")[0]

THEOREMS = (
    Theorem(
        key="kalantari2018:eq-11",
        label="Equation (11)",
        place="Section III",
        statement=r"The set $\mathcal S_0$ of all decreasing distributions is of Class II.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"points": _all_decreasing(m)} for m in (2, 3, 5)],
        printed=lambda case: cases.is_class(case["points"], "II"),
        corrected=lambda case: cases.is_class(case["points"], "I"),
        counterexample=Counterexample(
            {"points": points("1 0 0 0", "1/2 1/2 0 0", "1/3 1/3 1/3 0", "1/4 1/4 1/4 1/4")},
            1.0,
            0.0,
            "it contains the uniform distribution",
        ),
        correction="It is of Class I: an order alone buys nothing over the symmetric mechanism.",
    ),
    Theorem(
        key="kalantari2018:text-partition",
        label="The ordered subsets of the simplex",
        place="Section III, before Definition 5",
        statement=r"The $M!$ ordered subsets are disjoint: every distribution lies in exactly one.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_distributions,
        printed=lambda case: _orders_of(case["distribution"]) == 1,
        corrected=lambda case: _orders_of(case["distribution"]) >= 1,
        counterexample=Counterexample({"distribution": points("0.5 0.25 0.25")[0]}, 1.0, 0.0, "two orders sort it"),
        correction="They cover the simplex and overlap where categories tie.",
    ),
    Theorem(
        key="kalantari2018:def-5",
        label="Definition 5, folding permutations",
        place="Section III",
        statement=r"$P_{T(1)} \ge \dots \ge P_{T(M)}$ is the same as $T(P) \in \mathcal S_0$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_distributions,
        printed=lambda case: _folds(case, as_printed=True),
        corrected=lambda case: _folds(case, as_printed=False),
        counterexample=Counterexample(
            {"distribution": _THREE, "permutation": (1, 2, 0)}, 1.0, 0.0, "T(P) = (0.3, 0.1, 0.6)"
        ),
        correction=r"It is $T^{-1}(P) \in \mathcal S_0$ with the paper's own $T(P)_{T(i)} = P_i$.",
    ),
    Theorem(
        key="kalantari2018:eq-13",
        label="Definition 6, equation (13)",
        place="Section III",
        statement=r"$T(P)$ folds a distribution of $\mathcal P|_T$ into $\mathcal S_0$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_distributions,
        printed=lambda case: _folds(case, as_printed=True),
        corrected=lambda case: _folds(case, as_printed=False),
        counterexample=Counterexample(
            {"distribution": _THREE, "permutation": (1, 2, 0)}, 1.0, 0.0, "T(P) is not decreasing"
        ),
        correction=r"The folded distribution is $T^{-1}(P)$.",
    ),
    Theorem(
        key="kalantari2018:eq-14",
        label="Equation (14)",
        place="Section III",
        statement=r"$\mathcal P^\cap \subseteq \mathcal P^\cup \subseteq \mathcal S_0$, and for a Class III set both "
        r"are of Class II if not empty.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.copies(30, 14), *cases.any_class(30, 14)],
        hypotheses=cases.CLASS_THREE,
        printed=lambda case: all(
            not distributions or (cases.is_decreasing(distributions) and cases.is_class(distributions, "II"))
            for distributions in common_and_any(case["points"])
        ),
    ),
    Theorem(
        key="kalantari2018:def-5-ties",
        label="Definition 5 with ties",
        place="Section III; Table IV",
        statement=r"The exchanged copies of a set have $\mathcal P^\cap = \mathcal P^\cup$, so that the lower bound of "
        r"(15), with the smallest $D$ in the denominator, is exact.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: cases.on_grid(TABLE_III["a"], "0.1", "0.3", "0.5"),
        printed=lambda case: _tied_permutation(case, with_union=False),
        corrected=_exchanged_value,
        computed=_upper,
        counterexample=Counterexample(
            cases.at(TABLE_IV["a"], "0.22"), 3.2580965380, 3.4404180949, "0.09, 0.09 and 0.01, 0.01 tie in one row"
        ),
        correction="One sorting permutation for each distribution.",
    ),
    Theorem(
        key="kalantari2018:thm-3-upper",
        label="Theorem 3, upper bound",
        place="Section III, equations (15) to (17)",
        statement=r"$\epsilon^*(\mathcal P, D) \le \epsilon^*_{III}(\mathcal P^\cup, D, \mathcal T_{\mathcal P})$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=_copies,
        printed=lambda case: equation_16(case["base"], case["distortion"], case["permutations"]),
        corrected=lambda case: equation_16(case["base"], case["distortion"], case["permutations"], least_anywhere=True),
        computed=_upper,
        counterexample=Counterexample(
            {**cases.at(REVERSED, "0.3"), "base": REVERSED[:1], "permutations": ((0, 1, 2), (2, 1, 0))},
            1.0986122887,
            1.5404450409,
            "log 3 is claimed, log(14/3) is true: D_2 is smaller than D_1",
        ),
        correction=r"The denominator of (17) is $\min_i D_i$.",
        beyond="An upper bound for any set and any group is the least leakage of the orbit averages.",
    ),
    Theorem(
        key="kalantari2018:thm-3-lower",
        label="Theorem 3, lower bound",
        place="Section III, equation (15)",
        statement=r"$\epsilon^*(\mathcal P, D) \ge \epsilon^*_{III}(\mathcal P^\cap, D, \mathcal T_{\mathcal P})$.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_LEAST,
        cases=lambda: [_star("0.5"), _star("0.6"), *cases.copies(16, 15)],
        printed=lambda case: equation_16(case["base"], case["distortion"], case["permutations"], least_anywhere=True),
        corrected=_lower_bound_if_group,
        computed=_upper,
        counterexample=Counterexample(
            _star("0.55"),
            0.4924764851,
            0.2513144283,
            "the three permutations are no group; log(18/11) against log(9/7)",
        ),
        correction=r"Holds if $\mathcal T$ is a group and the hull contains the orbit averages; then it is exact.",
    ),
    Theorem(
        key="kalantari2018:eq-16",
        label="Equation (16), range of l",
        place="Section III",
        statement=r"The minimum in (16) runs over $l \in \{0, \dots, M\}$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: cases.copies(6, 16),
        printed=lambda case: _evaluates(case, len(case["base"][0]) + 1),
        corrected=lambda case: _evaluates(case, len(case["base"][0]) - 1),
        undefined=lambda case: True,
        counterexample=Counterexample(
            {**cases.at(REVERSED, "0.3"), "base": REVERSED[:1], "permutations": ((0, 1, 2), (2, 1, 0))},
            1.0,
            0.0,
            "l = M-1 reads 0 times 0/0",
        ),
        correction=r"$l \in \{0, \dots, M-2\}$, and $l = 0$ is enough.",
    ),
)
