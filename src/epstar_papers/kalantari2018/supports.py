r"""Which outputs a Class II set lets a mechanism leave out: Theorem 2(a), the thresholds (8), Lemmas 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from epstar.exact import Rational, Real
from epstar.mechanism import identity
from epstar.universe import Alphabet
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.class_two import sets
from epstar_papers.kalantari2018.programs import (
    tail,
    threshold,
)
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Points
from epstar_papers.kalantari2018.truth import (
    diagonal,
    least_distortion_on,
    least_loss,
    least_loss_on,
    optimal_mechanism,
    zero_loss_distortion,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict


def _suppressions() -> Iterator[Case]:
    distributions = [case["points"] for case in cases.class_two(8, 8)]
    for points in [*distributions, TABLE_I, TABLE_II]:
        size = len(points[0])
        for count in range(1, size):
            subsets = list(combinations(range(size), size - count))
            for kept in subsets if size <= 5 else [subsets[0], subsets[len(subsets) // 2]]:
                yield {"points": points, "count": count, "kept": kept}


def _identity_support(case: Case) -> int:
    """How many outputs the identity uses, which is valid at every distortion."""
    return sum(q > 0 for q in diagonal(identity(Alphabet(len(case["points"][0])))))


def _starts_at(points: Points, count: int, place: Rational) -> bool:
    """Whether leaving out the last `count` categories costs nothing at this distortion, and something before it."""
    kept = tuple(range(len(points[0]) - count))
    before = place - Rational(1, 1000)
    free = least_loss_on(points, place, kept).lower <= least_loss(points, place).upper
    return free and least_loss_on(points, before, kept).lower > least_loss(points, before).upper


def _optimal_threshold(points: Points, count: int) -> Rational:
    kept = len(points[0]) - count
    return tail(points[0], count - 1) + kept * points[0][kept]


THEOREMS = (
    Theorem(
        key="kalantari2018:thm-2a",
        proven_in="Kalantari.v: kalantari_theorem_2a, kalantari_theorem_2a_ordered",
        label="Theorem 2(a)",
        place="Section III, equation (8)",
        statement=r"Leaving out $k$ outputs, whichever they are, costs a distortion of at least $D^{(k)}$, the largest "
        r"probability of the $k$ rarest categories.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=_suppressions,
        printed=lambda case: threshold(case["points"], case["count"]),
        computed=lambda case: least_distortion_on(case["points"], case["kept"]),
    ),
    Theorem(
        key="kalantari2018:text-thresholds",
        label="Where the output shrinks",
        place="Section III, before Theorem 2",
        statement=r"At $D^{(k)}$ it becomes optimal to leave out $k$ outputs.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [
            {"points": distributions, "count": k}
            for distributions, k in ((TABLE_I, 2), (TABLE_I, 4), (cases.SKEWED, 1))
        ],
        printed=lambda case: _starts_at(
            case["points"], case["count"], threshold(case["points"], case["count"]) + Rational(1, 500)
        ),
        corrected=lambda case: _starts_at(
            case["points"], case["count"], _optimal_threshold(case["points"], case["count"])
        ),
        counterexample=Counterexample(
            {"points": TABLE_I, "count": 1}, 1.0, 0.0, "the sixth output goes at 0.10, not 0.02"
        ),
        correction=r"There it becomes possible; for one distribution it is optimal from $\mathrm{tail}_n + (n-1)P_n$ "
        r"on, where $n$ categories become $n-1$.",
    ),
    Theorem(
        key="kalantari2018:lemma-5",
        proven_in="Kalantari.v: kalantari_theorem_2b_zero",
        label="Lemma 5",
        place="Section V-E; Theorem 2(b), last row",
        statement=r"A Class II set needs no leakage exactly from $D = D^{(M-1)}$ on.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=sets,
        hypotheses=cases.CLASS_TWO & cases.SORTED,
        printed=lambda case: threshold(case["points"], len(case["points"][0]) - 1),
        computed=lambda case: zero_loss_distortion(case["points"]),
        beyond=r"For any set the threshold is $1 - \min_{\mathrm{conv}} \max_i P_i$.",
    ),
    Theorem(
        key="kalantari2018:eq-30",
        label="After equation (30)",
        place="Section V-E",
        statement=r"Below $D^{(k)}$ at least $M-k$ outputs are in use.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: ({**case, "count": k} for case in sets() for k in range(1, len(case["points"][0]))),
        hypotheses=Hypothesis(
            r"$D < D^{(k)}$", lambda case: case["distortion"] < threshold(case["points"], case["count"])
        ),
        printed=lambda case: Rational(len(case["points"][0]) - case["count"]),
        computed=lambda case: Real.of(
            sum(q > 0 for q in diagonal(optimal_mechanism(case["points"], case["distortion"])))
        ),
        beyond=r"At least $M-k+1$, by Theorem 2(a).",
    ),
    Theorem(
        key="kalantari2018:lemma-6",
        label="Lemma 6",
        place="Section V-E",
        statement=r"Below $D^{(k)}$ no valid mechanism uses more than $M-k$ outputs.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=_suppressions,
        printed=lambda case: _identity_support(case) <= len(case["kept"]),
        corrected=lambda case: (
            least_distortion_on(case["points"], case["kept"]).lower >= threshold(case["points"], case["count"])
        ),
        counterexample=Counterexample(
            {"points": cases.SKEWED, "count": 1, "kept": (0, 1)}, 1.0, 0.0, "the identity does"
        ),
        correction=r"No valid mechanism has a support of $M-k$ outputs or fewer.",
    ),
    Theorem(
        key="kalantari2018:lemma-6-proof",
        label="Lemma 6, proof",
        place="Section V-E",
        statement=r"With $k$ columns of zeros the distortion is strictly above $\sum_{i>M-k} P_i$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: (case for case in _suppressions() if len(case["points"]) == 1),
        printed=lambda case: (
            least_distortion_on(case["points"], case["kept"]).upper > tail(case["points"][0], case["count"])
        ),
        corrected=lambda case: (
            least_distortion_on(case["points"], case["kept"]).upper >= tail(case["points"][0], case["count"])
        ),
        counterexample=Counterexample({"points": cases.SKEWED, "count": 1, "kept": (0, 1)}, 1.0, 0.0, "both are 0.1"),
        correction='"Strictly greater" is "at least".',
    ),
)
