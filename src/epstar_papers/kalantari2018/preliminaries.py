r"""Sections I and II: staircases, Remarks 1 to 3, Lemma 1 and equations (4) and (5)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from epstar.exact import ONE, ZERO, Interval, Rational, Real, largest, rational
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.source import Finite, Source
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.constructions import mechanism_48, permuted
from epstar_papers.kalantari2018.programs import tail
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Points, points
from epstar_papers.kalantari2018.truth import (
    dp_loss,
    hull,
    least_distortion,
    least_loss,
    zero_loss_distortion,
)
from epstar_papers.theorem import Case, Counterexample, Relation, Theorem, Verdict


def _staircase_loss(distributions: Points, distortion: Rational) -> Real | None:
    """The least loss of mechanisms with equal distortions on the first categories, whose ratios are 1, c and 1/c."""
    losses = []
    for kept in range(2, len(distributions[0]) + 1):
        tails = [tail(distribution, len(distribution) - kept) for distribution in distributions]
        wrong = min((distortion - rest) / (1 - rest) if rest < 1 else -ONE for rest in tails)
        if 0 < wrong < Rational(kept - 1, kept):
            losses.append(dp_loss(mechanism_48([wrong] * kept, len(distributions[0]))))
    return min(losses, default=None)


def _has_staircase_optimum(case: Case) -> bool:
    loss = _staircase_loss(case["points"], case["distortion"])
    return loss is not None and loss <= least_loss(case["points"], case["distortion"]).upper


def _pairs(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for _ in range(count):
        size = random.randint(2, 4)
        yield {"first": cases.mechanism(random, size), "second": cases.mechanism(random, size)}


def _mixed(case: Case) -> Mechanism:
    rows = zip(case["first"].rows, case["second"].rows, strict=True)
    return Mechanism([[(a + b) / 2 for a, b in zip(row, other, strict=True)] for row, other in rows])


def _mixed_bound(case: Case, strict: bool) -> bool:
    """Whether every entry of the mixture is within e^eps of every other in its column, eps being the larger loss."""
    ratio = Real.exp(largest([dp_loss(case["first"]), dp_loss(case["second"])])).rational
    assert ratio is not None, "mechanisms without zeros have finite losses"
    mixture = _mixed(case)
    columns = [mixture.column(y) for y in range(mixture.shape[1])]
    pairs = [(a, ratio * b) for column in columns for x, a in enumerate(column) for z, b in enumerate(column) if x != z]
    return all(a < bound if strict else a <= bound for a, bound in pairs)


def _relabelled(count: int, seed: int) -> Iterator[Case]:
    random = Random(seed)
    for case in cases.class_two(count, seed):
        step = cases.permutation(random, len(case["points"][0]))
        yield {**case, "relabelled": tuple(permuted(distribution, step) for distribution in case["points"])}


def _ignores_source(case: Case) -> bool:
    mechanism, notion = case["mechanism"], DifferentialPrivacy()
    sources: list[Source] = [Finite(case["points"]), hull(case["points"])]
    plain = dp_loss(mechanism)
    return all(
        loss is not None and loss <= plain <= loss for loss in (notion.loss(mechanism, s).upper for s in sources)
    )


def _columns_are_whole(case: Case) -> bool:
    mechanism = case["mechanism"]
    columns = [mechanism.column(y) for y in range(mechanism.shape[1])]
    whole = all(max(column) == 0 or min(column) > 0 for column in columns)
    some = any(max(column) > 0 for column in columns)
    loss = dp_loss(mechanism)
    return loss >= 0 and some and whole == (not loss.is_infinite)


def _zero_distortion_is_infinite(case: Case) -> bool:
    return least_loss(case["points"], ZERO).upper.is_infinite


def _categories_used(distributions: Points) -> int:
    return sum(any(p > 0 for p in column) for column in zip(*distributions, strict=True))


def _levels() -> Iterator[Case]:
    for distributions, ratios in ((TABLE_I, ("5", "20", "60")), (TABLE_II, ("3", "12")), (cases.SKEWED, ("3", "8"))):
        for ratio in ratios:
            yield {"points": distributions, "level": Real.log(rational(ratio))}


def _there_and_back(case: Case) -> Interval:
    reached = least_distortion(case["points"], case["level"]).upper.rational
    assert reached is not None, "the distortion of an exact mechanism is rational"
    return least_loss(case["points"], reached)


def _level_off_the_flat_piece(case: Case) -> Real:
    flat = least_distortion(case["points"], case["level"]).upper >= zero_loss_distortion(case["points"]).lower
    return Real.of(ZERO) if flat else case["level"]


def _not_sublinear(case: Case) -> bool:
    first, second = case["first"], case["second"]

    def worst(distortions: tuple[Rational, ...]) -> Rational:
        return max(
            sum((p * d for p, d in zip(distribution, distortions, strict=True)), ZERO)
            for distribution in case["points"]
        )

    both = tuple(a + b for a, b in zip(first, second, strict=True))
    return -worst(both) > -worst(first) - worst(second)


_QUASI = (Mechanism([["0.2", "0.8"], ["0.1", "0.9"]]), Mechanism([["0.4", "0.6"], ["0.1", "0.9"]]))
_SAME = Mechanism([["2/3", "1/3"], ["1/3", "2/3"]])

THEOREMS = (
    Theorem(
        key="kalantari2018:text-staircase",
        label="Staircase mechanisms outside Class I",
        place="Section I-B",
        statement=r"An optimal mechanism whose column ratios lie in $\{1, c, 1/c\}$ exists for Class I sets only.",
        verdict=Verdict.FAILS,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.class_two(9, 3, most=1), *cases.class_one(6, 3)],
        printed=lambda case: cases.is_class(case["points"], "I") or not _has_staircase_optimum(case),
        corrected=lambda case: len(case["points"]) > 1 or _has_staircase_optimum(case),
        counterexample=Counterexample(
            cases.at(TABLE_I, "0.2"), 1.0, 0.0, "randomised response on three categories is optimal: 2.677278542"
        ),
        correction="Every one-point set has a staircase optimum; sets may need mixtures of them.",
    ),
    Theorem(
        key="kalantari2018:remark-1",
        label="Remark 1",
        place="Section II",
        statement=r"Relabelling the categories changes nothing, so a Class II set may be taken as decreasing.",
        verdict=Verdict.HOLDS,
        relation=Relation.EQUAL,
        cases=lambda: _relabelled(12, 1),
        printed=lambda case: least_loss(case["points"], case["distortion"]),
        computed=lambda case: least_loss(case["relabelled"], case["distortion"]),
    ),
    Theorem(
        key="kalantari2018:remark-2",
        label="Remark 2",
        place="Section II",
        statement=r"$\epsilon_{DP}(Q)$ is the same whatever is known of the source.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(10, 2),
        printed=_ignores_source,
    ),
    Theorem(
        key="kalantari2018:remark-3",
        label="Remark 3",
        place="Section II",
        statement=r"The loss is never negative, and finite exactly when each column is positive or zero throughout; "
        r"at least one column is positive.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: cases.mechanisms(40, 3),
        printed=_columns_are_whole,
    ),
    Theorem(
        key="kalantari2018:text-zero-distortion",
        label="Distortion zero",
        place="Section II, after Remark 3",
        statement=r"With $D = 0$ only the identity is left, so the least leakage is infinite.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: [*cases.class_one(5, 0), *cases.class_two(6, 0)],
        printed=_zero_distortion_is_infinite,
        corrected=lambda case: _zero_distortion_is_infinite(case) == (_categories_used(case["points"]) > 1),
        counterexample=Counterexample(
            cases.at(points("1 0"), 0), 1.0, 0.0, "always answering the only category loses 0"
        ),
        correction="Needs two categories that some distribution of the set uses; and the identity needs all of them.",
    ),
    Theorem(
        key="kalantari2018:lemma-1",
        label="Lemma 1",
        place="Sections II and V-A",
        statement=r"$\epsilon_{DP}$ is a convex function of the mechanism.",
        verdict=Verdict.FAILS,
        relation=Relation.AT_MOST,
        cases=lambda: _pairs(60, 11),
        printed=lambda case: (dp_loss(case["first"]) + dp_loss(case["second"])) / 2,
        corrected=lambda case: largest([dp_loss(case["first"]), dp_loss(case["second"])]),
        computed=lambda case: dp_loss(_mixed(case)),
        counterexample=Counterexample(
            {"first": _QUASI[0], "second": _QUASI[1]}, 1.0397207708, 1.0986122887, "losses log 2, log 4; midpoint log 3"
        ),
        correction="It is quasi-convex: sublevel sets are convex, which is all that the later proofs use.",
    ),
    Theorem(
        key="kalantari2018:eq-25",
        label="Equation (25)",
        place="Section V-A",
        statement=r"In a mixture of two $\epsilon$-private mechanisms, one entry is strictly below $e^\epsilon$ times "
        r"another of its column.",
        verdict=Verdict.ERRATUM,
        relation=Relation.IMPLIES,
        cases=lambda: _pairs(20, 25),
        printed=lambda case: _mixed_bound(case, strict=True),
        corrected=lambda case: _mixed_bound(case, strict=False),
        counterexample=Counterexample({"first": _SAME, "second": _SAME}, 1.0, 0.0, "2/3 is not below twice 1/3"),
        correction='"<" in (25b) is "at most".',
    ),
    Theorem(
        key="kalantari2018:eq-4",
        label="Equation (4)",
        place="Section II-A",
        statement=r"Minimising the distortion at a bound on the leakage is the same problem: "
        r"$\epsilon^*(D^*(\epsilon)) = \epsilon$.",
        verdict=Verdict.ERRATUM,
        relation=Relation.EQUAL,
        cases=_levels,
        printed=lambda case: case["level"],
        corrected=_level_off_the_flat_piece,
        computed=_there_and_back,
        counterexample=Counterexample(
            {"points": TABLE_I, "level": Real.log(rational(2))}, 0.6931471806, 0.0, "D* is 0.3 up to log(14/3)"
        ),
        correction="Equivalent off the flat piece of D*; on it, the loss of the mechanism found must be recomputed.",
    ),
    Theorem(
        key="kalantari2018:eq-5",
        label="Equation (5)",
        place="Section II-A",
        statement=r"Minus the worst-case distortion is not subadditive: for $\{(1,0),(0,1)\}$ and distortions $(1,0)$, "
        r"$(0,1)$ it is $-1 > -2$.",
        verdict=Verdict.HOLDS,
        relation=Relation.IMPLIES,
        cases=lambda: [{"points": points("1 0", "0 1"), "first": (ONE, ZERO), "second": (ZERO, ONE)}],
        printed=_not_sublinear,
    ),
)
