"""Figures 3 and 4 with the values that they must show, each proven by the frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from epstar.exact import Rational
from epstar.notions import Notion
from epstar.source import Everything, Prior, Source
from epstar_papers.figure import Figure
from epstar_papers.zhong2022 import cases, formulas
from epstar_papers.zhong2022.distributions import Setting, as_float
from epstar_papers.zhong2022.truth import (
    DIFFERENTIAL,
    EVENTS,
    LEAKAGE,
    RENYI,
    SHANNON,
    SIBSON,
    least_loss,
)

GRID_3 = tuple(Rational(k, 100) for k in range(1, 56))
_JUMPS = {"differential privacy": Rational(6, 10), "0.1-approximate differential privacy": Rational(54, 100)}
# The rows just before the jumps hold the limits from the left.
_BELOW_JUMPS = tuple(jump - Rational(1, 10**9) for jump in _JUMPS.values())
GRID_4 = tuple(sorted([*(Rational(k, 100) for k in range(1, 66)), *_BELOW_JUMPS]))
_TWO = Rational(2)


def _losses(notion: Notion, source: Source, grid: tuple[Rational, ...]) -> list[float]:
    """The proven upper ends, which mechanisms attain."""
    return [least_loss(notion, source, distortion).upper.upper for distortion in grid]


def _bound(bound: Callable[[Setting], float]) -> list[float]:
    return [bound(Setting(2, 1, distortion)) for distortion in GRID_3]


def _sibson_lower(setting: Setting) -> float:
    """Proposition 8(6) at order 2: the larger of the mutual information and log m(1-D)^2, never below 0."""
    information = least_loss(SHANNON, Everything(2), setting.distortion).lower.lower
    return max(information, formulas.sibson_lower(setting, _TWO, Rational(1)))


def _figure_3() -> dict[str, list[float]]:
    unknown = Everything(2)
    return {
        "D": [as_float(distortion) for distortion in GRID_3],
        "differential privacy": _losses(DIFFERENTIAL, unknown, GRID_3),
        "0.1-approximate differential privacy": _losses(EVENTS, unknown, GRID_3),
        "maximal leakage": _losses(LEAKAGE, unknown, GRID_3),
        "mutual information": _losses(SHANNON, unknown, GRID_3),
        "Rényi of order 2": _losses(RENYI, unknown, GRID_3),
        "lower bound as printed, Rényi of order 2": _bound(lambda setting: formulas.renyi_lower(setting, _TWO)),
        "upper bound as printed, Rényi of order 2": _bound(lambda setting: formulas.renyi_upper(setting, _TWO)),
        "Sibson of order 2": _losses(SIBSON, unknown, GRID_3),
        "lower bound as printed, Sibson of order 2": _bound(_sibson_lower),
        "upper bound as printed, Sibson of order 2": _bound(lambda setting: formulas.sibson_upper(setting, _TWO)),
    }


def _figure_4() -> dict[str, list[float]]:
    known = Prior(cases.FIGURE_4[0])
    return {
        "D": [as_float(distortion) for distortion in GRID_4],
        "differential privacy": _losses(DIFFERENTIAL, known, GRID_4),
        "0.1-approximate differential privacy": _losses(EVENTS, known, GRID_4),
        "maximal leakage": _losses(LEAKAGE, known, GRID_4),
    }


FIGURES: Mapping[str, Figure] = {
    "zhong2022:fig-3": Figure(
        key="zhong2022:fig-3",
        title="Figure 3: one binary attribute with an unknown distribution",
        columns=_figure_3,
        x="D",
        xlabel="distortion D",
        ylabel="least loss (nats)",
        notes="The paper draws ranges for Rényi differential privacy and Sibson mutual information; the curves inside "
        "them are exact and coincide with the upper bounds below D = 1/2.",
    ),
    "zhong2022:fig-4": Figure(
        key="zhong2022:fig-4",
        title="Figure 4: four categories with the distribution (0.4, 0.3, 0.2, 0.1)",
        columns=_figure_4,
        x="D",
        xlabel="distortion D",
        ylabel="least loss (nats)",
        notes="Differential privacy jumps to 0 at D = 0.6 and its approximation at D = 0.54; in between maximal "
        "leakage exceeds the approximation.",
        jumps={name: (as_float(place),) for name, place in _JUMPS.items()},
    ),
}
