"""Breakpoints of every notion against the exact trade-off: between two of them it is smooth, and at each it is not."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from tests.frontier.generated import CONVEX, NOTIONS, Kind, every_kind, generated

from epstar.breakpoints import Breakpoint, breakpoints, ends
from epstar.breakpoints.scan import interior
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalInformation,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Problem
from epstar.source import Ball, Box, Finite, Hull, Polytope, Prior, Source
from epstar.universe import Alphabet, Graph, Metric, Universe

THREE = Prior(["1/2", "3/10", "1/5"])
PAIR = Hull([["1/2", "3/10", "1/5"], ["1/5", "1/5", "3/5"]])
COSTS = Matrix([[0, 1, 3], [2, 0, 1], [1, 2, 0]])
GAINS = Gain([["1/10", "-1/10", "1/5", "1/5"], ["3/10", "4/5", "1/2", "4/5"], ["-1/5", "3/10", "1/10", "1/10"]])
NODES = 28
FEW_NODES = 16
Case = tuple[Notion, Source, Distortion, Universe | None]
QUICK: list[Case] = [
    (LocalInformationPrivacy(), THREE, COSTS, None),
    (MaximalInformation(), THREE, COSTS, None),
    (MinEntropyLeakage(), Box([0, 0, 0], ["1/2", "3/5", "1/2"]), COSTS, None),
    (ApproximateDifferentialPrivacy("1/10", "pointwise"), THREE, COSTS, Graph.line(3)),
    (MutualInformation(), PAIR, COSTS, None),
]
SLOW: list[Case] = [
    (LocalInformationPrivacy("1/20"), Ball(["1/13", "3/13", "9/13"], "9/10"), GAINS, None),
    (ApproximateDifferentialPrivacy("1/50"), Finite([["1/2", "3/10", "1/5"], ["1/5", "1/5", "3/5"]]), COSTS, None),
    (PointwiseLeakage(), THREE, COSTS, None),
    (SibsonMutualInformation("1/2"), THREE, COSTS, None),
    (RenyiDifferentialPrivacy(2), THREE, Hamming(), Metric([[0, 1, 2], [1, 0, "1/2"], [2, "1/2", 0]])),
]


def rational(value: float) -> Rational:
    return Rational(*value.as_integer_ratio())


class Judge:
    """Finds fault with breakpoints by single answers, which are proven without them."""

    def __init__(self, problem: Problem) -> None:
        self.frontier = Frontier(problem.notion, problem.source, problem.distortion, problem.universe)
        self.is_convex = isinstance(problem.notion, CONVEX)
        self.points = breakpoints(problem)
        self.places = [float(Real.of(point.distortion)) for point in self.points]
        self.least_loss = self.points[-1].right.upper.upper

    def faults(self) -> list[str]:
        kinds = [point.kind for point in self.points]
        found = [] if self.places == sorted(set(self.places)) else [f"order {self.places}"]
        if kinds.index("least distortion") or kinds.count("least distortion") > 1:
            found.append(f"kinds {kinds}")
        if len(self.points) == 1:
            return found
        if kinds[-1] not in ("jump", "threshold"):
            found.append(f"the last one is a {kinds[-1]}")
        for i, point in enumerate(self.points[1:], 1):
            found += self._here(point, min(self.places[i] - self.places[i - 1], 0.1))
        return found + self._between()

    def _here(self, point: Breakpoint, gap: float) -> list[str]:
        """What is wrong at one breakpoint: values on its two sides."""
        near = 10 * max(point.tolerance, 1e-9)
        before, after = self._loss(point.distortion - rational(near)), self._loss(point.distortion + rational(near))
        jump = before[0] - after[1]
        what = f"{point.kind} at {float(Real.of(point.distortion))}"
        if point.kind == "jump":
            sides = abs(before[1] - point.left.upper.upper) < 1e-4 and abs(after[0] - point.right.lower.lower) < 1e-4
            return [] if jump > 1e-6 and sides else [f"{what}: {before} to {after}"]
        if jump > 1e-4 and self._steepest(point.distortion, rational(near)) > jump / 4:
            return [f"{what}: jumps by {jump}"]
        if point.kind == "threshold":
            earlier = self._loss(point.distortion - rational(gap / 100))
            return [] if earlier[0] > self.least_loss + 1e-10 else [f"{what}: free before"]
        # Exact kinks of linear notions may be weaker than values in floats show.
        return [f"{what}: is none"] if self.is_convex and not self._is_kink(point) else []

    def _steepest(self, place: Rational, near: Rational) -> float:
        """How much the loss falls where it falls most, in a 4096th of the room at a place: all of it if it jumps."""
        low, high = place - near, place + near
        for _ in range(12):
            middle = (low + high) / 2
            before, here, after = (self._loss(distortion) for distortion in (low, middle, high))
            low, high = (low, middle) if before[0] - here[1] > here[0] - after[1] else (middle, high)
        return self._loss(low)[0] - self._loss(high)[1]

    def _is_kink(self, point: Breakpoint) -> bool:
        """Whether a polynomial misses far more of a piece around a kink than of the pieces next to it."""
        roots = [math.sqrt(max(other.right.upper.upper - self.least_loss, 0.0)) for other in self.points]
        here = math.sqrt(point.right.upper.upper - self.least_loss)
        half = min(abs(here - root) for root in roots if root != here) / 4
        for _ in range(4):
            (left, _), (tail, error), (right, _) = (
                self._tail(here + (place - 1) * half, here + (place + 1) * half, FEW_NODES, 5) for place in (-2, 0, 2)
            )
            if tail > 3 * max(left, right) and tail > error:
                return True
            half /= 3
        return False

    def _between(self) -> list[str]:
        """Pieces between two breakpoints on which the least distortion is not smooth as a function of the level."""
        top = self.points[0].right.upper.upper
        top = self._high() if math.isinf(top) else top - 0.01 * (top - self.least_loss)
        span = top - self.least_loss
        found = []
        for point in self.points[1:]:
            low, high = point.left.upper.upper + 3e-3 * span, top - 3e-3 * span
            if high - low > 0.01 * span:
                # Square roots, because convex notions begin like squares.
                found += self._rough(math.sqrt(low - self.least_loss), math.sqrt(high - self.least_loss))
            top = min(top, point.right.lower.lower)
        return found

    def _high(self) -> float:
        level = self.least_loss + 1
        while self._distortion(level)[0] > self.places[0] + 2e-3 * (self.places[-1] - self.places[0]) and level < 40:
            level += 1
        return level

    def _rough(self, low: float, high: float, depth: int = 0) -> list[str]:
        tail, _ = self._tail(low, high, NODES, 8)
        if tail <= (3e-7 if self.is_convex else 3e-9) * max(1e-3, self.places[-1] - self.places[0]):
            return []
        if depth == 8:
            return [f"missed between levels {self.least_loss + low * low} and {self.least_loss + high * high}"]
        middle = (low + high) / 2
        return self._rough(low, middle, depth + 1) + self._rough(middle, high, depth + 1)

    def _tail(self, low: float, high: float, count: int, last: int) -> tuple[float, float]:
        """The largest of the last coefficients of a polynomial through values between roots, and a typical error."""
        nodes = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        roots = (low + (high - low) * (nodes + 1) / 2).tolist()
        found = [self._distortion(self.least_loss + root * root) for root in roots]
        values, errors = [value for value, _ in found], [error for _, error in found]
        return float(np.abs(chebyshev.chebfit(nodes, values, count - 1)[-last:]).max()), float(np.median(errors))

    def _loss(self, distortion: Rational) -> tuple[float, float]:
        try:
            answer = self.frontier.loss_at(distortion)
        except NoSolution:
            return math.inf, math.inf
        return answer.lower, answer.upper

    def _distortion(self, level: float) -> tuple[float, float]:
        """The least distortion at a level, and how far it may be off."""
        answer = self.frontier.distortion_at(level)
        middle = (answer.lower + answer.upper) / 2
        return -middle if answer.unit == "utility" else middle, (answer.upper - answer.lower) / 2


def name(case: Case) -> str:
    return type(case[0]).__name__


@pytest.mark.parametrize(
    "case", [*QUICK, *(pytest.param(case, marks=pytest.mark.full, id=name(case)) for case in SLOW)], ids=name
)
def test_every_notion(case: Case) -> None:
    notion, source, distortion, universe = case
    problem = Problem(notion, source, distortion, universe or Alphabet(3), "loss", Real.of(0))
    assert Judge(problem).faults() == []


def test_a_kink_that_leaves_the_form_of_the_mechanism_alone_is_found() -> None:
    """At the level 2.203 the slope changes by a seventh, and the bounds that bind change nowhere near."""
    frontier = Frontier(LocalInformationPrivacy("1/20"), Ball(["1/13", "3/13", "9/13"], "9/10"), GAINS)
    (kink,) = [point for point in frontier.breakpoints() if abs(point.right.upper.upper - 2.203) < 1e-3]
    step, middle = Rational(1, 10**4), kink.distortion
    before, here, after = (frontier.loss_at(middle + step * i).upper for i in (-1, 0, 1))
    assert (before - here) / (here - after) == pytest.approx(0.0226345 / 0.0193024, rel=0.02)


@pytest.mark.full
def test_two_priors_make_a_kink_for_a_convex_notion_too() -> None:
    """Where the other prior becomes the worse one the slope changes, while all outputs stay in use."""
    problem = generated(Kind("sibson", "finite", "matrix", "ring", "loss"), 241960)
    judge = Judge(problem)
    # Where the first prior counts no more, at a loss of 0.35, the curvature turns a little as well.
    _, kink, *_, last = judge.points
    assert (kink.kind, last.kind) == ("kink", "threshold")
    slopes = [judge._distortion(level + 0.001)[0] - judge._distortion(level)[0] for level in (0.588, 0.592)]
    assert slopes[0] / slopes[1] > 1.2
    assert 0.5894 < kink.right.upper.upper < 0.5918


@pytest.mark.full
def test_what_is_lost_by_nothing_need_not_be_constant() -> None:
    """Two pairs of neighbours that are none of each other: both may have an answer of their own."""
    source = Polytope([[-2, -3, 1, -2], [-2, 2, -2, 0]], ["-131/116", "7/116"])
    universe = Graph(4, [(0, 1), (2, 3)])
    *_, last = Frontier(RenyiDifferentialPrivacy("1/2"), source, Absolute(), universe).breakpoints()
    assert (last.kind, str(last.distortion), str(last.right.upper)) == ("threshold", "1/2", "0")


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_random_problems_of_every_kind(notion: str) -> None:
    numbers = random.Random(notion)
    kinds = [kind for kind in every_kind() if kind.asks == "loss" and kind.notion == notion]
    judged = 0
    while judged < 12:
        kind, seed = numbers.choice(kinds), numbers.randrange(10**6)
        problem = generated(kind, seed)
        if problem.universe.size <= 3:
            # Values of convex notions cost some ten times as much.
            judged += 6 if isinstance(problem.notion, CONVEX) else 1
            assert Judge(problem).faults() == [], (kind, seed)


@pytest.mark.full
def test_a_short_flat_piece_at_the_end_is_a_jump() -> None:
    """Its levels are a five-thousandth of the range, at whose ends the next piece has the same distortion."""
    problem = generated(Kind("identifiability", "box", "squared", "metric", "loss"), 933082)
    limits, deadline = ends(problem), Deadline(None)
    *_, last = interior(problem, [(problem, 1)], limits, None, Real.of(2), deadline)
    assert (last.kind, str(last.distortion), str(last.right.upper)) == ("jump", "157/180", "log(117/23)")
    assert last.left.upper.upper == pytest.approx(1.6299136, abs=1e-7)


@pytest.mark.full
def test_outputs_that_fade_away_are_no_kinks() -> None:
    """Under a high order outputs are used ever less; at 0.234 and 0.259 this was taken for kinks."""
    problem = generated(Kind("renyi", "hull", "matrix", "metric", "loss"), 726157)
    kinks = [point for point in breakpoints(problem) if point.kind == "kink"]
    assert [float(Real.of(kink.distortion)) for kink in kinks] == pytest.approx([0.3270486, 0.3414366], abs=1e-6)


def test_capacity_is_not_that_of_the_prior() -> None:
    """The worst prior counts, not the one that the distortion is measured by: two uses of one channel, no kinks."""
    problem = generated(Kind("capacity", "prior", "squared", "metric", "loss"), 479153)
    first, last = breakpoints(problem)
    assert (first.kind, last.kind, str(last.right.upper)) == ("least distortion", "threshold", "0")
