r"""Section IV: the tables, the figures as they are described, and the comparisons drawn from them."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.exact import Interval, Rational
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.programs import equation_16
from epstar_papers.kalantari2018.tables import (
    EXCHANGES,
    TABLE_I,
    TABLE_II,
    TABLE_III,
    TABLE_IV,
    Points,
    exchanged,
    uniform,
)
from epstar_papers.kalantari2018.truth import (
    least_information,
    least_loss,
    zero_information_distortion,
    zero_loss_distortion,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict


def _ordered(case: Case, size: int) -> bool:
    distributions = case["points"]
    return (
        all(len(distribution) == size and sum(distribution) == 1 for distribution in distributions)
        and cases.is_decreasing(distributions)
        and cases.is_class(distributions, "II")
    )


def _exchanges(case: Case) -> bool:
    """Whether a table lists a set and its exchanged copies, and is of Class III."""
    base, distributions = case["base"], case["points"]
    blocks = [distributions[k : k + len(base)] for k in range(0, len(distributions), len(base))]
    copied = all(
        block == tuple(exchanged(distribution, 0, k) for distribution in base) for k, block in enumerate(blocks)
    )
    return (
        copied
        and all(sum(distribution) == 1 for distribution in distributions)
        and cases.is_class(distributions, "III")
    )


def _table(name: str, base: Points, sets: dict[str, Points], *distortions: str) -> Iterator[Case]:
    size = len(base[0])
    for category in name:
        steps = tuple(step[:size] for step in EXCHANGES[category])
        for case in cases.on_grid(sets[category], *distortions):
            yield {**case, "base": base, "permutations": steps}


def _with_equal_distortions(case: Case) -> object:
    return equation_16(case["base"], case["distortion"], case["permutations"], least_anywhere=True)


def _true_loss(case: Case) -> Interval:
    return least_loss(case["points"], case["distortion"])


def _second_difference(values: list[Interval]) -> tuple[float, float]:
    """Bounds on f(D-h) - 2 f(D) + f(D+h)."""
    before, here, after = values
    low = before.lower.lower - 2 * here.upper.upper + after.lower.lower
    return low, before.upper.upper - 2 * here.lower.lower + after.upper.upper


def _curvature(case: Case) -> bool:
    """Whether information bends upwards around a distortion, and differential privacy as the case says."""
    places = [case["distortion"] + k * case["step"] for k in (-1, 0, 1)]
    upward = _second_difference([least_information(case["points"], d) for d in places])[1] >= -1e-7
    bend = _second_difference([least_loss(case["points"], d) for d in places])
    return upward and (bend[1] < 0 if case["bends_down"] else bend[0] > 0)


def _drawn(number: int, what: str) -> Theorem:
    return Theorem(
        key=f"kalantari2018:text-fig{number}",
        label=f"Figure {number} as drawn",
        place="Section IV",
        statement=rf"Figure {number} shows {what}.",
        verdict=Verdict.OPEN,
        relation=Relation.EQUAL,
        cases=tuple,
        beyond=f"The values that the curves must have are the columns of the figure kalantari2018:fig-{number}.",
    )


_FIGURE_FOUR = (uniform(6), TABLE_I, *TABLE_III.values())

THEOREMS = (
    Theorem(
        key="kalantari2018:text-table1",
        label="Table I",
        place="Section IV",
        statement=r"Table I holds one decreasing distribution on $M = 4$ categories.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [{"points": TABLE_I}],
        printed=lambda case: _ordered(case, 4),
        corrected=lambda case: _ordered(case, 6),
        counterexample=Counterexample({"points": TABLE_I}, 1.0, 0.0, "the distribution has six entries"),
        correction="The caption means M = 6.",
    ),
    Theorem(
        key="kalantari2018:text-table2",
        label="Table II",
        place="Section IV",
        statement=r"Table II holds the ends of a segment of Class II with $M = 10$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"points": TABLE_II}],
        settled=True,
        printed=lambda case: _ordered(case, 10),
    ),
    Theorem(
        key="kalantari2018:text-table3",
        label="Table III",
        place="Section IV",
        statement=r"Exchanging the first category of Table I with the second, third and fourth gives Class III sets.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"base": TABLE_I, "points": distributions} for distributions in TABLE_III.values()],
        settled=True,
        printed=_exchanges,
    ),
    Theorem(
        key="kalantari2018:text-table4",
        label="Table IV",
        place="Section IV",
        statement=r"Exchanging the first category of Table II with the second, third and fourth gives Class III sets.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"base": TABLE_II, "points": distributions} for distributions in TABLE_IV.values()],
        settled=True,
        printed=_exchanges,
    ),
    Theorem(
        key="kalantari2018:text-table3-values",
        label="The leakage of Table III",
        place="Section IV, Figure 4",
        statement=r"For the sets of Table III the program (17) with $D_{T(i)} = D_i$ and the smallest $D$ in the "
        r"denominator is exact.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _table("abc", TABLE_I, TABLE_III, "0.08", "0.2", "0.33", "0.5", "0.57", "0.65", "0.75"),
        hypotheses=Hypothesis("the set is one of the table", lambda case: case["points"] in TABLE_III.values()),
        printed=_with_equal_distortions,
        computed=_true_loss,
        beyond="Although the exchanges form no group for b and c: the hulls contain every orbit average.",
    ),
    Theorem(
        key="kalantari2018:text-table4-values",
        label="The leakage of Table IV",
        place="Section IV, Figure 5",
        statement=r"The same for the sets of Table IV, taking one sorting permutation for each row.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _table("abc", TABLE_II, TABLE_IV, "0.22", "0.58", "0.74", "0.8"),
        hypotheses=Hypothesis("the set is one of the table", lambda case: case["points"] in TABLE_IV.values()),
        printed=_with_equal_distortions,
        computed=_true_loss,
    ),
    Theorem(
        key="kalantari2018:fig-4-caption",
        label="Figure 4, caption",
        place="Section IV",
        statement=r"Figure 4 shows sets of Classes II and III only.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [{"sets": _FIGURE_FOUR}],
        printed=lambda case: not any(cases.is_class(distributions, "I") for distributions in case["sets"]),
        corrected=lambda case: all(any(cases.is_class(s, name) for s in case["sets"]) for name in ("I", "II", "III")),
        counterexample=Counterexample({"sets": _FIGURE_FOUR}, 1.0, 0.0, "the first curve is of Class I"),
        correction='The first "class II" is "class I".',
    ),
    _drawn(4, "the differential-privacy leakage of the three classes with six categories"),
    _drawn(5, "the differential-privacy leakage of the three classes with ten categories"),
    _drawn(6, "both leakages of a Class I set with ten categories"),
    _drawn(7, "both leakages of the segment in Table II"),
    Theorem(
        key="kalantari2018:text-comparison",
        label="Information below differential privacy",
        place="Section IV",
        statement=r"$\epsilon^*_{IT}(\mathcal P, D) \le \epsilon^*_{DP}(\mathcal P, D)$ in the same unit.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=lambda: [
            *cases.any_class(10, 25),
            *cases.on_grid(TABLE_I, "0.1", "0.29"),
            *cases.on_grid(TABLE_II, "0.69"),
        ],
        printed=lambda case: least_loss(case["points"], case["distortion"]),
        computed=lambda case: least_information(case["points"], case["distortion"]),
        beyond=r"Even $\epsilon_{IT} \le \epsilon\tanh(\epsilon/2)$. Bits and nats can cross: Class I from $M=5625$.",
    ),
    Theorem(
        key="kalantari2018:text-convexity",
        label="Convexity in D",
        place="Section IV",
        statement=r"The information is convex in $D$; the differential-privacy leakage in general is not.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            cases.at(uniform(10), "0.7", step=Rational(1, 10), bends_down=True),
            cases.at(TABLE_I, "0.1", step=Rational(1, 100), bends_down=True),
            cases.at(TABLE_I, "0.05", step=Rational(1, 100), bends_down=False),
            cases.at(uniform(10), "0.3", step=Rational(1, 10), bends_down=False),
        ],
        printed=_curvature,
        beyond="The differential-privacy leakage even jumps where it reaches zero.",
    ),
    Theorem(
        key="kalantari2018:text-same-zero",
        label="Where both leakages vanish",
        place="Section IV; Section VI",
        statement=r"Both leakages reach zero at the same distortion.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [*cases.class_two(8, 26), *cases.class_one(8, 26), *cases.any_class(8, 26)],
        printed=lambda case: zero_loss_distortion(case["points"]),
        computed=lambda case: zero_information_distortion(case["points"]),
        correction="For convex sets and Class II sets.",
    ),
)
