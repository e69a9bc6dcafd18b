"""Figure 4(b): the trade-off curves of one film, proven point by point, beside the curves that the paper draws."""

from __future__ import annotations

from collections.abc import Mapping

from epstar.distortion import Hamming
from epstar.exact import Rational, Real, rationals
from epstar.frontier import Frontier
from epstar.papers.figure import Figure
from epstar.papers.wang2016.constructions import h_inverse, prior_level
from epstar.papers.wang2016.illustration import NETFLIX
from epstar.papers.wang2016.theorem_one import not_negative
from epstar.papers.wang2016.truth import IDENTIFIABILITY, INFORMATION, PRIVACY

GRID = (
    *(Rational(k, 20) for k in (1, 2, 4, 6, 8, 10, 12, 14)),
    *rationals(["0.72", "0.7284", "0.73", "0.735", "0.74", "0.745", "0.75", "0.78", "0.8"]),
)
"""Wrong rows per row: the range that the paper draws, and past the threshold at 0.7283."""


def _upper(value: Real) -> float:
    return value.upper


def _drawn(distortion: Rational, below: Real) -> float:
    return _upper(not_negative(h_inverse(distortion, NETFLIX.letters) - below))


def _columns() -> Mapping[str, list[float]]:
    """Compute per row: for independent rows of one law the levels for n rows at D are those of one row at D/n."""
    columns: dict[str, list[float]] = {"D/n": [_upper(Real.of(d)) for d in GRID]}
    for name, notion in (("identifiability", IDENTIFIABILITY), ("differential privacy", PRIVACY)):
        frontier = Frontier(notion, NETFLIX.source, Hamming())
        columns[name] = [frontier.loss_at(d).upper for d in GRID]
    columns["upper curve as printed"] = [_drawn(d, Real.of(0)) for d in GRID]
    columns["lower curve as printed"] = [_drawn(d, prior_level(NETFLIX)) for d in GRID]
    frontier = Frontier(INFORMATION, NETFLIX.source, Hamming())
    columns["mutual information per row"] = [frontier.loss_at(d).upper for d in GRID]
    return columns


FIGURES: Mapping[str, Figure] = {
    "wang2016:fig-4b": Figure(
        key="wang2016:fig-4b",
        title="wang2016, Figure 4(b): ratings of one film",
        columns=_columns,
        x="D/n",
        xlabel="distortion per row",
        ylabel="level (nats)",
        notes="The gap that the paper shades is empty below D/n = 0.7283: differential privacy is the upper curve. "
        "Identifiability leaves that curve there and ends at the level of the prior.",
    )
}
