r"""What is true of mutual information beyond the paper."""

from __future__ import annotations

import math
from itertools import accumulate

from epstar.exact import ZERO, Interval, Rational, Real, rational
from epstar_papers.kalantari2018 import cases
from epstar_papers.kalantari2018.beyond import single_distributions, statement_beyond, true_loss
from epstar_papers.kalantari2018.information import symmetric_information
from epstar_papers.kalantari2018.programs import symmetric_loss
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, Point
from epstar_papers.kalantari2018.truth import (
    least_information,
)
from epstar_papers.theorem import Case, Hypothesis, Relation

_STEP = Rational(1, 100_000)


def least_information_of(distribution: Point, distortion: Rational) -> Real:
    """Return Erokhin's rate-distortion function: H_n + (1-D) log(1-D) + (D - tail_n) log((D - tail_n)/(n-1))."""
    ordered = sorted(distribution, reverse=True)
    tails = [1 - total for total in accumulate(ordered)]
    if distortion >= tails[0]:
        return Real.of(ZERO)
    places = [n for n, t in enumerate(tails, 1) if n >= 2 and t < distortion]
    kept = min(places, key=lambda n: (n - 1) * (1 - distortion) / (distortion - tails[n - 1]))
    rest = distortion - tails[kept - 1]
    total = Real.log(1 - distortion) * (1 - distortion) + Real.log(rest / (kept - 1)) * rest
    for p in ordered[:kept]:
        if p > 0:
            total = total - Real.log(p) * p
    return total


def _slopes(case: Case) -> Interval:
    """The slopes of the information on both sides of a distortion, which enclose its derivative by convexity."""
    before, here, after = (least_information(case["points"], case["distortion"] + k * _STEP) for k in (-1, 0, 1))
    return Interval((here.lower - after.upper) / _STEP, (before.upper - here.lower) / _STEP)


def _best_single(case: Case) -> Real:
    """The largest least information of single distributions on a segment, on a grid."""
    first, second = case["points"]
    shares = [Rational(k, 16) for k in range(17)]
    distributions = [tuple(s * a + (1 - s) * b for a, b in zip(first, second, strict=True)) for s in shares]
    return max((least_information_of(distribution, case["distortion"]) for distribution in distributions), key=float)


def _bits_exceed(case: Case) -> bool:
    size, distortion = case["size"], case["distortion"]
    bits = symmetric_information(size, distortion) / Real.log(Rational(2))
    return bool((bits > symmetric_loss(size, distortion)) == (size >= 5625))


THEOREMS = (
    statement_beyond(
        "information-one-distribution",
        "Information about one distribution",
        r"$\epsilon^*_{IT} = H_n + (1-D)\log(1-D) + (D-\mathrm{tail}_n)\log\frac{D-\mathrm{tail}_n}{n-1}$ with "
        r"the same $n$ as for differential privacy.",
        lambda: single_distributions(16, 71),
        lambda case: least_information_of(case["points"][0], case["distortion"]),
        lambda case: least_information(case["points"], case["distortion"]),
        hypotheses=cases.ONE_DISTRIBUTION & Hypothesis("$D > 0$", lambda case: case["distortion"] > 0),
    ),
    statement_beyond(
        "slope",
        "Differential privacy as a slope",
        r"For one distribution $\epsilon^*_{DP} = -\frac{d}{dD}\epsilon^*_{IT}$. Not so for sets: on Table II at $D = "
        r"0.3$ the slope is 2.98207 and the leakage 2.97553.",
        lambda: [*cases.on_grid(TABLE_I, "0.05", "0.12", "0.16", "0.25"), *cases.on_grid(cases.SKEWED, "0.1", "0.35")],
        _slopes,
        hypotheses=cases.ONE_DISTRIBUTION & Hypothesis("$D > 0$", lambda case: case["distortion"] > 0),
    ),
    statement_beyond(
        "information-of-sets",
        "Information about a set",
        r"The information of a segment is at least that of its distributions one by one, and can be more: 1.0479672 "
        r"against 1.0469189 on Table II at $D = 0.2$.",
        lambda: cases.on_grid(TABLE_II, "0.2"),
        _best_single,
        lambda case: least_information(case["points"], case["distortion"]),
        Relation.AT_LEAST,
        Hypothesis("the set is a segment", lambda case: len(case["points"]) == 2),
    ),
    statement_beyond(
        "tanh",
        "Information far below differential privacy",
        r"$\epsilon^*_{IT} \le \epsilon^*_{DP}\tanh(\epsilon^*_{DP}/2)$.",
        lambda: cases.any_class(10, 25),
        lambda case: true_loss(case).upper.upper * math.tanh(true_loss(case).upper.upper / 2),
        lambda case: least_information(case["points"], case["distortion"]),
        Relation.AT_MOST,
    ),
    statement_beyond(
        "units",
        "Bits against nats",
        r"For Class I sets information in bits exceeds differential privacy in nats at some $D$ from $M = 5625$ on.",
        lambda: [{"size": m, "distortion": rational("0.065718")} for m in (10, 5624, 5625, 6000)],
        _bits_exceed,
        None,
        Relation.IMPLIES,
    ),
)
