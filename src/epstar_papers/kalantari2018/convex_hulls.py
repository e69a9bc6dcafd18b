r"""What Section III says before its theorems: the symmetric mechanism, and convex hulls."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Interval, Rational, Real
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.source import Finite
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import symmetric_mechanism
from epstar_papers.kalantari2018.programs import symmetric_loss
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Points
from epstar_papers.kalantari2018.truth import (
    NO_CLAIM,
    dp_loss,
    least_loss,
    zero_loss_distortion,
)
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict


def _finite_loss(case: Case) -> Interval:
    return Frontier(DifferentialPrivacy(), Finite(case["points"]), Hamming()).loss_at(case["distortion"]).interval


def _validity() -> Iterator[Case]:
    random = Random(26)
    for case in cases.mechanisms(20, 26):
        weights = cases.distribution(random, 3)
        columns = zip(*case["points"], strict=True)
        mixture = tuple(sum((w * p for w, p in zip(weights, column, strict=True)), ZERO) for column in columns)
        yield {**case, "mixture": mixture}


def _from_the_end(distributions: Points) -> Iterator[Case]:
    end = Rational(len(distributions[0]) - 1, len(distributions[0]))
    return (cases.at(distributions, distortion) for distortion in (end, (end + 1) / 2, ONE))


def _symmetric_where_it_is_optimal(distributions: Points, distortion: Rational) -> Real | Interval:
    size = len(distributions[0])
    low = (
        distortion <= (size - 1) * max(min(distribution) for distribution in distributions)
        and zero_loss_distortion(distributions).lower > distortion
    )
    high = distortion >= Rational(size - 1, size)
    return symmetric_loss(size, distortion) if low or high else NO_CLAIM


THEOREMS = (
    Theorem(
        key="kalantari2018:eq-6",
        label="Equation (6)",
        place="Section III",
        statement=r"Truth with probability $1-D$ and each lie with $D/(M-1)$ leaks $\log((M-1)(1-D)/D)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: [{"size": m, "distortion": Rational(k, 12)} for m in (2, 3, 6, 10) for k in range(1, 12)],
        hypotheses=Hypothesis(
            r"$D \le (M-1)/M$", lambda case: case["distortion"] <= Rational(case["size"] - 1, case["size"])
        ),
        printed=lambda case: symmetric_loss(case["size"], case["distortion"]),
        computed=lambda case: dp_loss(symmetric_mechanism(case["size"], case["distortion"])),
    ),
    Theorem(
        key="kalantari2018:text-zero-leakage",
        label="No leakage from (M-1)/M on",
        place="Section III, before Remark 4",
        statement=r"$\epsilon^*_{DP}(\mathcal P, D) = 0$ for $D \ge (M-1)/M$, whatever the set.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: (at_end for case in cases.any_class(12, 5) for at_end in _from_the_end(case["points"])),
        hypotheses=Hypothesis(
            r"$D \ge (M-1)/M$",
            lambda case: case["distortion"] >= Rational(len(case["points"][0]) - 1, len(case["points"][0])),
        ),
        printed=lambda case: ZERO,
        computed=lambda case: least_loss(case["points"], case["distortion"]),
        beyond=r"The exact threshold is $1 - \min_{\mathrm{conv}} \max_i P_i$.",
    ),
    Theorem(
        key="kalantari2018:remark-4",
        label="Remark 4",
        place="Sections III and V-B",
        statement=r"A set and its convex hull have the same least differential-privacy leakage.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: cases.any_class(15, 4),
        printed=_finite_loss,
        computed=lambda case: least_loss(case["points"], case["distortion"]),
    ),
    Theorem(
        key="kalantari2018:eq-26",
        label="Equation (26)",
        place="Section V-B",
        statement=(
            r"The distortion under a mixture of distributions is at most the largest under the distributions "
            r"mixed."
        ),
        verdict=Verdict.HOLDS,
        relation=Relation.AT_MOST,
        cases=_validity,
        printed=lambda case: case["mechanism"].distortion(Hamming(), Finite(case["points"])).value,
        computed=lambda case: Real.of(case["mechanism"].distortion(Hamming(), Finite([case["mixture"]])).value),
    ),
    Theorem(
        key="kalantari2018:text-matches-symmetric",
        label="(6) in the regimes of high and low utility",
        place="Section III",
        statement=r"For Class II sets $\epsilon^*$ equals the leakage of (6) when $D$ is small and when it is large.",
        verdict=Verdict.FAILS,
        relation=Relation.EQUAL,
        cases=lambda: [
            *cases.on_grid(TABLE_I, "0.01", "0.05", "0.1", "0.84"),
            *cases.on_grid(TABLE_II, "0.01", "0.95"),
        ],
        printed=lambda case: symmetric_loss(len(case["points"][0]), case["distortion"]),
        corrected=lambda case: _symmetric_where_it_is_optimal(case["points"], case["distortion"]),
        computed=lambda case: least_loss(case["points"], case["distortion"]),
        counterexample=Counterexample(
            cases.at(TABLE_I, "0.3"), 2.4567357728, 0.0, "the low-utility end starts at D = 0.3 with no leakage at all"
        ),
        correction=r"It matches for $D \le (M-1)\max\min_i P_i$ below the threshold, and for $D \ge (M-1)/M$.",
    ),
)
