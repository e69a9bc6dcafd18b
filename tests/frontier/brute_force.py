"""Independent optima for comparison: naive programs and alternating minimisation, sharing nothing with epstar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]


@dataclass
class NaivePrivacy:
    """Linear constraints on the m*k entries of a mechanism, and as many further variables as they need.

    Every pair of inputs and every output has its own row: m^2 k of them, nothing is compressed.
    """

    inputs: int
    outputs: int

    def __post_init__(self) -> None:
        self.rows: list[dict[int, float]] = []
        self.bounds: list[float] = []
        self.width = self.inputs * self.outputs

    def entry(self, x: int, y: int) -> int:
        """Return the place of the variable Q(y|x)."""
        return x * self.outputs + y

    def more(self, count: int) -> range:
        """Return the places of further non-negative variables."""
        self.width += count
        return range(self.width - count, self.width)

    def at_most(self, row: dict[int, float], bound: float) -> None:
        """Require row . variables <= bound."""
        self.rows.append(row)
        self.bounds.append(bound)

    def ratios(self, distances: Floats, level: float, scales: Sequence[float], slack: float = 0.0) -> None:
        """Require scale_x Q(y|x) <= e^(level distance) scale_x' Q(y|x') + slack, output by output."""
        for x in range(self.inputs):
            for other in range(self.inputs):
                if x != other and math.isfinite(distances[x, other]):
                    growth = math.exp(level * distances[x, other])
                    for y in range(self.outputs):
                        row = {self.entry(x, y): scales[x], self.entry(other, y): -growth * scales[other]}
                        self.at_most(row, slack)

    def events(self, distances: Floats, level: float, slack: float) -> None:
        """Require that the excesses of all outputs add up to the slack at most."""
        for x in range(self.inputs):
            for other in range(self.inputs):
                if x != other and math.isfinite(distances[x, other]):
                    growth = math.exp(level * distances[x, other])
                    excess = self.more(self.outputs)
                    for y in range(self.outputs):
                        row = {self.entry(x, y): 1.0, self.entry(other, y): -growth, excess[y]: -1.0}
                        self.at_most(row, 0.0)
                    self.at_most(dict.fromkeys(excess, 1.0), slack)

    def column_maxima(self, weights: Sequence[float], bound: float) -> None:
        """Require that the sum over outputs of max over x of weight_x Q(y|x) is at most the bound."""
        tops = self.more(self.outputs)
        for y in range(self.outputs):
            for x in range(self.inputs):
                self.at_most({self.entry(x, y): weights[x], tops[y]: -1.0}, 0.0)
        self.at_most(dict.fromkeys(tops, 1.0), bound)

    def near_output_law(self, prior: Sequence[float], level: float, both: bool) -> None:
        """Require Q(y|x) <= e^level P_Y(y), and with `both` also P_Y(y) <= e^level Q(y|x)."""
        for x in range(self.inputs):
            for y in range(self.outputs):
                law = {self.entry(j, y): p for j, p in enumerate(prior)}
                above = {place: -math.exp(level) * p for place, p in law.items()}
                above[self.entry(x, y)] += 1.0
                if both or prior[x] > 0:
                    self.at_most(above, 0.0)
                if both:
                    below = dict(law)
                    below[self.entry(x, y)] -= math.exp(level)
                    self.at_most(below, 0.0)

    def least_distortion(self, cost: Floats, laws: Sequence[Sequence[float]]) -> float:
        """Return the least worst-case distortion over the laws; infinity where nothing is feasible."""
        (worst,) = self.more(1)
        rows, bounds = list(self.rows), list(self.bounds)
        for law in laws:
            row = {self.entry(x, y): law[x] * cost[x, y] for x in range(self.inputs) for y in range(self.outputs)}
            rows.append(row | {worst: -1.0})
            bounds.append(0.0)
        upper = np.zeros((len(rows), self.width))
        for i, row in enumerate(rows):
            upper[i, list(row)] = list(row.values())
        total = np.zeros((self.inputs, self.width))
        for x in range(self.inputs):
            total[x, x * self.outputs : (x + 1) * self.outputs] = 1.0
        objective = np.zeros(self.width)
        objective[worst] = 1.0
        limits: list[tuple[float | None, None]] = [(0.0, None)] * self.width
        limits[worst] = (None, None)
        # The tolerances that scipy starts from let a program with coefficients e^5 err in the sixth digit.
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        found = linprog(objective, upper, bounds, total, np.ones(self.inputs), limits, "highs", options=tight)
        return float(found.fun) if found.status == 0 else math.inf


@dataclass(frozen=True)
class RatePoint:
    """A point of a rate-distortion curve: the rate lies between the two bounds at this distortion."""

    distortion: float
    lower: float
    upper: float


def blahut_arimoto(prior: Floats, cost: Floats, slope: float, steps: int = 4000) -> RatePoint:
    """Return the point of the rate-distortion curve with this slope, by alternating minimisation."""
    tilt = np.exp(-slope * cost)
    law = np.full(cost.shape[1], 1.0 / cost.shape[1])
    for _ in range(steps):
        joint = law * tilt
        law = prior @ (joint / joint.sum(axis=1, keepdims=True))
    joint = law * tilt
    channel = joint / joint.sum(axis=1, keepdims=True)
    output = prior @ channel
    distortion = float(prior @ (channel * cost).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(channel > 0, channel * np.log(channel / output), 0.0)
    upper = float(prior @ terms.sum(axis=1))
    free = joint.sum(axis=1)
    excess = float(np.log((prior / free) @ tilt).max())
    return RatePoint(distortion, float(-slope * distortion - prior @ np.log(free)) - excess, upper)
