r"""Theorem 1: sets whose hull contains the uniform distribution, and its proof in Section V-D."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import symmetric_mechanism
from epstar_papers.kalantari2018.programs import symmetric_loss
from epstar_papers.kalantari2018.tables import points, uniform
from epstar_papers.kalantari2018.truth import dp_loss, hull, least_loss
from epstar_papers.theorem import Case, Counterexample, Hypothesis, Relation, Theorem, Verdict


def _sets() -> Iterator[Case]:
    yield from cases.class_one(30, 7)
    yield from cases.on_grid(uniform(6), "0.1", "0.5", "0.83", "0.84")
    yield from cases.on_grid(points("1 0 0", "0 1 0", "0 0 1"), "0.5", "0.7")
    yield from cases.on_grid(points("0.25 0.25 0.25 0.25", "0.4 0.3 0.2 0.1"), "0.4", "0.749")


def _symmetric_is_optimal(case: Case) -> bool:
    mechanism = symmetric_mechanism(len(case["points"][0]), case["distortion"])
    valid = mechanism.distortion(Hamming(), hull(case["points"])).value <= case["distortion"]
    return valid and dp_loss(mechanism) <= least_loss(case["points"], case["distortion"]).lower


def _below_symmetric(count: int, seed: int) -> Iterator[Case]:
    """Random mechanisms, each with the ratio of a symmetric one that loses more."""
    random = Random(seed)
    for _ in range(count):
        mechanism = cases.mechanism(random, random.randint(2, 5))
        ratio = Real.exp(dp_loss(mechanism)).rational
        assert ratio is not None, "a mechanism without zeros has a finite loss"
        yield {"mechanism": mechanism, "ratio": 2 * ratio}


def _inverted_bound(case: Case, power: int) -> bool:
    """Whether Q(j|i) > ratio^power Q(j|j) for some (power 1) or for all (power -1) pairs."""
    mechanism, factor = case["mechanism"], case["ratio"] ** power
    size = mechanism.shape[0]
    exceeds = [
        mechanism.entry(i, j) > factor * mechanism.entry(j, j) for i in range(size) for j in range(size) if i != j
    ]
    return any(exceeds) if power > 0 else all(exceeds)


def _row_sums(case: Case) -> Rational:
    mechanism = case["mechanism"]
    size = mechanism.shape[0]
    wrong = [ONE - mechanism.entry(i, i) for i in range(size)]
    total = sum(wrong, ZERO)
    terms = [ONE - d + (size - 1 - (total - d)) / case["ratio"] for d in wrong]
    return sum(terms, ZERO)


def _mean_distortion(case: Case) -> Rational:
    mechanism = case["mechanism"]
    size = mechanism.shape[0]
    total = sum((ONE - mechanism.entry(i, i) for i in range(size)), ZERO)
    return Rational(1, size) * total


_COIN = {"mechanism": Mechanism([["2/3", "1/3"], ["1/3", "2/3"]]), "ratio": Rational(4)}

THEOREMS = (
    Theorem(
        key="kalantari2018:thm-1",
        proven_in="Kalantari.v: kalantari_theorem_1, kalantari_theorem_1_beyond",
        label="Theorem 1",
        place="Section III, equation (7)",
        statement=r"For Class I sets $\epsilon^*_{DP}(\mathcal P, D) = \log\left((M-1)\frac{1-D}{D}\right)$ below "
        r"$D = (M-1)/M$ and 0 from there on.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=_sets,
        hypotheses=cases.CLASS_ONE,
        printed=lambda case: symmetric_loss(len(case["points"][0]), case["distortion"]),
        computed=lambda case: least_loss(case["points"], case["distortion"]),
        correction="Printed log(M-1)(1-D)/D, to be read as the logarithm of the product; infinite at D = 0.",
        beyond=r"The same value holds for any set as long as $D \le (M-1)\max_{\mathrm{conv}}\min_i P_i$ and $D$ is "
        r"below the threshold of zero leakage.",
    ),
    Theorem(
        key="kalantari2018:thm-1-mechanism",
        label="Theorem 1, the mechanism",
        place="Sections III and V-D",
        statement=r"For Class I sets the symmetric mechanism (6) is optimal.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=_sets,
        hypotheses=cases.CLASS_ONE
        & Hypothesis(
            r"$D < (M-1)/M$",
            lambda case: case["distortion"] < Rational(len(case["points"][0]) - 1, len(case["points"][0])),
        ),
        printed=_symmetric_is_optimal,
    ),
    Theorem(
        key="kalantari2018:eq-28",
        label="Before equation (28)",
        place="Section V-D",
        statement=r"If $Q$ loses less than $Q_D$, some entry satisfies $Q(j|i) > e^{\epsilon(Q_D)} Q(j|j)$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: _below_symmetric(20, 28),
        printed=lambda case: _inverted_bound(case, 1),
        corrected=lambda case: _inverted_bound(case, -1),
        counterexample=Counterexample(_COIN, 1.0, 0.0, "1/3 is not above 4 times 2/3"),
        correction=r"$Q(j|i) > e^{-\epsilon(Q_D)} Q(j|j)$, for every pair in a column that is not zero.",
    ),
    Theorem(
        key="kalantari2018:eq-28c",
        label="Equation (28c)",
        place="Section V-D",
        statement=r"$M = \sum_j \left[(1-D_j) + \frac{(M-1)-\sum_{i\ne j} D_i}{e^{\epsilon(Q_D)}}\right]$ for a $Q$ "
        r"that loses less than $Q_D$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: _below_symmetric(20, 29),
        printed=lambda case: _row_sums(case) == case["mechanism"].shape[0],
        corrected=lambda case: _row_sums(case) < case["mechanism"].shape[0],
        counterexample=Counterexample(_COIN, 1.0, 0.0, "the sum is 5/3, not 2"),
        correction='"=" is ">".',
    ),
    Theorem(
        key="kalantari2018:eq-29",
        label="Equation (29)",
        place="Section V-D",
        statement=r"No mechanism with mean distortion $\bar D = \frac1M\sum_j D_j < (M-1)/M$ leaks less than "
        r"$\log((M-1)(1-\bar D)/\bar D)$.",
        verdict=Verdict.HOLDS,
        relation=Relation.AT_LEAST,
        cases=lambda: _below_symmetric(40, 30),
        hypotheses=Hypothesis(r"the mean distortion is positive", lambda case: _mean_distortion(case) > 0),
        printed=lambda case: symmetric_loss(case["mechanism"].shape[0], _mean_distortion(case)),
        computed=lambda case: dp_loss(case["mechanism"]),
    ),
)
