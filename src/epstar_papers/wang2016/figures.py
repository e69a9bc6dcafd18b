"""Examples 1 and 2 as tables; Figure 4(b), proven point by point, beside the curves that the paper draws."""

from __future__ import annotations

from collections.abc import Mapping

from epstar.distortion import Hamming
from epstar.exact import Rational, Real, rationals
from epstar.frontier import Frontier
from epstar_papers.figure import Figure
from epstar_papers.wang2016.cases import EXAMPLE, SKEWED
from epstar_papers.wang2016.constructions import h_inverse, prior_level
from epstar_papers.wang2016.definitions import coin
from epstar_papers.wang2016.illustration import NETFLIX
from epstar_papers.wang2016.theorem_one import not_negative
from epstar_papers.wang2016.truth import (
    IDENTIFIABILITY,
    INFORMATION,
    PRIVACY,
    best_guess,
    identifiability_level,
    privacy_level,
)

_JUMP = 1 - max(NETFLIX.prior)
"""Where always naming the likeliest rating is good enough: differential privacy jumps to 0."""
GRID = tuple(
    sorted(
        {
            *(Rational(k, 40) for k in range(2, 29)),
            *rationals(["0.71", "0.72", "0.7284", "0.73", "0.735", "0.74", "0.745", "0.75", "0.76", "0.78", "0.8"]),
            # The row just before the jump holds the limit from the left.
            _JUMP - Rational(1, 10**9),
            _JUMP,
        }
    )
)
"""Wrong rows per row: the range that the paper draws, and past the threshold at 0.7283."""


def _upper(value: Real) -> float:
    return value.upper


def _drawn(distortion: Rational, below: Real) -> float:
    return _upper(not_negative(h_inverse(distortion, NETFLIX.categories) - below))


def _columns() -> Mapping[str, list[float]]:
    """Compute per row: for independent rows of one prior the levels for n rows at D are those of one row at D/n."""
    columns: dict[str, list[float]] = {"D/n": [_upper(Real.of(d)) for d in GRID]}
    for name, notion in (("identifiability", IDENTIFIABILITY), ("differential privacy", PRIVACY)):
        frontier = Frontier(notion, NETFLIX.source, Hamming())
        columns[name] = [frontier.loss_at(d).upper for d in GRID]
    columns["upper curve as printed, differential privacy"] = [_drawn(d, Real.of(0)) for d in GRID]
    columns["lower curve as printed, differential privacy"] = [_drawn(d, prior_level(NETFLIX)) for d in GRID]
    frontier = Frontier(INFORMATION, NETFLIX.source, Hamming())
    columns["mutual information per row"] = [frontier.loss_at(d).upper for d in GRID]
    return columns


_PRIORS = {"prior (0.55, 0.45)": EXAMPLE, "prior (0.9, 0.1)": SKEWED}


def _example_1() -> Mapping[str, list[float]]:
    """Level, best guess and the least level that any mechanism has, for the coin that is right six times in ten."""
    columns: dict[str, list[float]] = {"number": [1.0, 2.0, 3.0]}
    for name, database in _PRIORS.items():
        (case,) = coin(database)()
        guess = Real.of(best_guess(case["mechanism"], database))
        numbers = (identifiability_level(case["mechanism"], database), guess, prior_level(database))
        columns[name] = [float(number) for number in numbers]
    return columns


def _example_2() -> Mapping[str, list[float]]:
    """Level of differential privacy, posterior of the likelier value, and by what factor it exceeds the prior."""
    columns: dict[str, list[float]] = {"number": [1.0, 2.0, 3.0]}
    for name, database in _PRIORS.items():
        (case,) = coin(database)()
        posterior = case["mechanism"].posterior(database.source).entry(0, 0)
        factor = Real.log(posterior / database.prior[0])
        columns[name] = [float(privacy_level(case["mechanism"])), float(Real.of(posterior)), float(factor)]
    return columns


FIGURES: Mapping[str, Figure] = {
    "wang2016:example-1": Figure(
        key="wang2016:example-1",
        title="Example 1: a bit told rightly with probability 0.6",
        columns=_example_1,
        x="number",
        xlabel="",
        ylabel="",
        notes="Levels in nats.",
        rows=("level of identifiability", "best guess", "least level of any mechanism"),
    ),
    "wang2016:example-2": Figure(
        key="wang2016:example-2",
        title="Example 2: the same bit under differential privacy",
        columns=_example_2,
        x="number",
        xlabel="",
        ylabel="",
        notes="Level and logarithm in nats; the level does not depend on the prior.",
        rows=("level of differential privacy", "P(X = 0 | Y = 0)", "log of posterior over prior"),
    ),
    "wang2016:fig-4b": Figure(
        key="wang2016:fig-4b",
        title="Figure 4(b): ratings of one film",
        columns=_columns,
        x="D/n",
        xlabel="distortion per row",
        ylabel="level (nats)",
        notes="The gap that the paper shades is empty below D/n = 0.7283: differential privacy is the upper curve. "
        "Identifiability leaves that curve there and ends at the level of the prior. At 0.7467 differential privacy "
        "jumps to 0.",
        jumps={"differential privacy": (_upper(Real.of(_JUMP)),)},
    ),
}
