"""Figures 1 to 4: guarantees as printed beside true ones, and the proven curves of the Gaussian mechanism."""

from __future__ import annotations

from collections.abc import Mapping

from epstar.convert import gaussian_curve
from epstar.exact import Rational, Real, rationals
from epstar.gaussian import Gaussian, calibrate
from epstar.notions import Capacity, MutualInformation
from epstar_papers.figure import Figure
from epstar_papers.ngo2024 import truth
from epstar_papers.ngo2024.cases import NORMAL_DISTRIBUTION, NORMAL_INPUT
from epstar_papers.ngo2024.constructions import (
    capacity_from_curve,
    delta_9,
    delta_from_capacity,
    delta_from_information,
    limit_of_capacity,
)
from epstar_papers.ngo2024.normal_noise import normal_bound_10, normal_information

Columns = dict[str, list[float]]
MU = ("0.1", "0.01")
LEVELS = rationals(["0", "0.05", "0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4", "5"])
FINE_LEVELS = tuple(sorted({*LEVELS, *(Rational(k, 5) for k in range(1, 25))}))
VARIANCES = rationals(["0.1", "0.25", "0.5", "1", "2", "5", "10", "20", "50", "100", "150", "200"])
INFORMATION_VARIANCES = rationals(["0.5", "1", "2", "5", "10", "20", "50", "100"])


def _floats(values: tuple[Rational, ...]) -> list[float]:
    return [float(Real.of(value)) for value in values]


def _figure_1() -> Columns:
    columns: Columns = {"epsilon": _floats(FINE_LEVELS)}
    for mu in MU:
        gaussian = calibrate(Capacity(), mu, peak=1, dimension=10, unit="bits").gaussian
        columns[f"guarantee (6), μ = {mu}"] = [delta_from_capacity(mu, level).upper for level in FINE_LEVELS]
        columns[f"its limit, μ = {mu}"] = [limit_of_capacity(float(mu))] * len(FINE_LEVELS)
        columns[f"Gaussian, μ = {mu}"] = [gaussian.delta(level).upper for level in FINE_LEVELS]
    return columns


def _figure_2() -> Columns:
    columns: Columns = {"variance": _floats(VARIANCES)}
    for dimension in (1, 10):
        noises = [Gaussian(variance=variance, peak=1, dimension=dimension) for variance in VARIANCES]
        columns[f"bound (8), d = {dimension}"] = [capacity_from_curve(gaussian_curve(noise)).upper for noise in noises]
        columns[f"capacity, d = {dimension}"] = [truth.gaussian_capacity(noise).upper.upper for noise in noises]
    return columns


def _figure_3() -> Columns:
    columns: Columns = {"epsilon": _floats(LEVELS)}
    for mu in MU:
        gaussian = calibrate(MutualInformation(), mu, inputs=NORMAL_INPUT, unit="bits").gaussian
        columns[f"true guarantee, μ = {mu}"] = [
            delta_from_information(mu, level, NORMAL_DISTRIBUTION).upper for level in LEVELS
        ]
        columns[f"(9) as printed, μ = {mu}"] = [delta_9(mu, level).upper for level in LEVELS]
        columns[f"its limit as printed, μ = {mu}"] = [1 - 2 ** -float(mu)] * len(LEVELS)
        columns[f"Gaussian, μ = {mu}"] = [gaussian.local_delta(level).upper for level in LEVELS]
    return columns


def _figure_4() -> Columns:
    return {
        "variance": _floats(INFORMATION_VARIANCES),
        "bound (10)": [normal_bound_10(variance) for variance in INFORMATION_VARIANCES],
        "information": [normal_information(variance).upper for variance in INFORMATION_VARIANCES],
    }


FIGURES: Mapping[str, Figure] = {
    figure.key: figure
    for figure in (
        Figure(
            "ngo2024:fig-1",
            "Figure 1: LDP that mutual information at every distribution guarantees",
            _figure_1,
            "epsilon",
            "level ε (nats)",
            "δ",
            "Normal noise in ten dimensions with the same number of bits does far better than the guarantee.",
            logarithmic="y",
        ),
        Figure(
            "ngo2024:fig-2",
            "Figure 2: information that the LDP curve of normal noise allows",
            _figure_2,
            "variance",
            "variance of the noise",
            "bits",
            "The bound is 2 d log(e) / variance; it exceeds the capacity by a factor that falls to 4.",
            logarithmic="xy",
        ),
        Figure(
            "ngo2024:fig-3",
            "Figure 3: LIP that mutual information at one distribution guarantees",
            _figure_3,
            "epsilon",
            "level ε (nats)",
            "δ",
            "The printed curve (9) is no guarantee: normal noise with the same information lies above it at small "
            "levels. The true one for the 21-point distribution is 0.98880527 at every level for 0.1 bits.",
            logarithmic="y",
        ),
        Figure(
            "ngo2024:fig-4",
            "Figure 4: information that the LIP curve of normal noise allows",
            _figure_4,
            "variance",
            "variance of the noise",
            "bits",
            "The caption means LIP where it says LDP. The bound is evaluated by quadrature.",
            logarithmic="xy",
        ),
    )
}
