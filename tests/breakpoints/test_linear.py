"""Breakpoints of linear notions: against closed forms, and against exact answers on both sides of each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.frontier.generated import Kind, generated

from epstar.breakpoints import Breakpoint, breakpoints, ends
from epstar.breakpoints.linear import exact_interior
from epstar.breakpoints.scan import least_level
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Distortion, Hamming, Matrix
from epstar.errors import InvalidInput, TimeLimit
from epstar.exact import Rational, Real, text
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
)
from epstar.problem import Problem
from epstar.source import Ball, Box, Finite, Hull, Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

THREE = Prior(["1/2", "3/10", "1/5"])
COSTS = Matrix([[0, 1, 3], [2, 0, 1], [1, 2, 0]])
HALVES = Metric([[0, 1, "3/2"], [1, 0, "1/2"], ["3/2", "1/2", 0]])


def asked(notion: Notion, source: Source, distortion: Distortion, universe: Universe | None = None) -> Problem:
    return Problem(notion, source, distortion, universe or Alphabet(source.size), "loss", Real.of(0))


def inner(problem: Problem, parts: list[tuple[Problem, int]] | None = None) -> tuple[Breakpoint, ...] | None:
    whole = parts or [(problem, 1)]
    return exact_interior(whole, least_level(whole), ends(problem).least, Deadline(None))


def written(points: tuple[Breakpoint, ...]) -> list[tuple[str, str, str, str]]:
    """Kind, distortion, left and right, all of them exact."""
    for point in points:
        assert point.is_exact
        assert point.left.width == point.right.width == 0
    return [(p.kind, text(p.distortion), str(p.left.upper), str(p.right.upper)) for p in points]


@pytest.mark.parametrize("weights", [(5, 3, 10**5), (7, 7, 7)], ids=str)
@pytest.mark.parametrize(
    "notion",
    [
        DifferentialPrivacy(),
        MaximalLeakage(),
        Identifiability(),
        ApproximateDifferentialPrivacy("1/10"),
        ApproximateDifferentialPrivacy("1/10", "pointwise"),
    ],
    ids=str,
)
def test_what_the_closed_forms_know_is_found_exactly(weights: tuple[int, ...], notion: Notion) -> None:
    """The same question with the costs written out, for which no closed form is known; kinks may be very weak."""
    prior = Prior([Rational(weight, sum(weights)) for weight in weights])
    costs = Matrix([[int(x != y) for y in range(prior.size)] for x in range(prior.size)])
    assert written(Frontier(notion, prior, costs).breakpoints()) == written(
        Frontier(notion, prior, Hamming()).breakpoints()
    )


@pytest.mark.parametrize(
    ("notion", "source", "distortion", "universe"),
    [
        (DifferentialPrivacy(), THREE, Absolute(), HALVES),
        (DifferentialPrivacy(), Box(["1/10"] * 3, ["6/10", "5/10", "5/10"]), COSTS, Graph.line(3)),
        (ApproximateDifferentialPrivacy("1/10"), THREE, COSTS, Graph.line(3)),
        (LocalInformationPrivacy("1/20"), THREE, COSTS, None),
        (LocalInformationPrivacy("1/10"), Ball(["1/2", "3/10", "1/5"], "1/10"), Hamming(), None),
        (MaximalInformation(), Finite([["1/2", "3/10", "1/5"], ["1/3", "1/3", "1/3"]]), COSTS, None),
        (MinEntropyLeakage(), Hull([["1/2", "3/10", "1/5"], ["1/5", "1/5", "3/5"]]), COSTS, None),
    ],
    ids=["metric", "box", "events", "local-information", "events-ball", "finite", "hull"],
)
def test_slopes_change_at_kinks_and_losses_at_jumps(
    notion: Notion, source: Source, distortion: Distortion, universe: Universe | None
) -> None:
    problem = asked(notion, source, distortion, universe)
    frontier = Frontier(notion, source, distortion, problem.universe)
    found = inner(problem)
    assert found is not None
    assert [point.distortion for point in found] == sorted(point.distortion for point in found)
    assert found[-1].kind in ("jump", "threshold")
    kinks = [point for point in found if point.kind == "kink"]
    assert kinks
    for point in kinks:
        # Quotients of squares have fractions for roots, which levels at unlike distances need.
        ratio = Rational(*float(Real.exp(point.right.upper * Rational(1, 2))).as_integer_ratio())
        step = Rational(1, 2**30)
        values = [
            frontier.distortion_at(Real.log((ratio * (1 + i * step)) ** 2)).interval.upper.rational
            for i in (-2, -1, 0, 1, 2)
        ]
        low, near, here, after, high = (value for value in values if value is not None)
        # Within a piece second differences are of the order of the square of the step; across a kink of the step.
        bend, beside = abs(near - 2 * here + after), max(abs(low - 2 * near + here), abs(here - 2 * after + high))
        assert bend > 20 * beside
    for point in found:
        if point.kind == "jump":
            assert frontier.loss_at(point.distortion).upper == pytest.approx(point.right.upper.upper, abs=1e-9)
            below = frontier.loss_at(point.distortion - Rational(1, 10**12))
            assert below.lower == pytest.approx(point.left.upper.upper, abs=1e-9)


def test_rows_of_different_laws_have_the_kinks_of_each() -> None:
    laws = [Prior(["1/2", "3/10", "1/5"]), Prior(["4/7", "2/7", "1/7"])]
    rows = Rows([laws[0], laws[1], laws[1]])
    points = Frontier(DifferentialPrivacy(), rows, Hamming(), Databases(Alphabet(3), 3)).breakpoints()
    each = [Frontier(DifferentialPrivacy(), law, Hamming()).breakpoints() for law in laws]
    bends = [str(point.left.upper) for found in each for point in found[1:]]
    assert sorted(str(point.left.upper) for point in points[1:]) == sorted(bends)
    assert points[-1].kind == "jump"
    assert points[-1].distortion == sum((found[-1].distortion for found in (each[0], each[1], each[1])), Rational(0))


@pytest.mark.parametrize(
    "problem",
    [
        asked(MutualInformation(), THREE, COSTS),
        # The least loss is the logarithm of an irrational number in units of the distances.
        generated(Kind("identifiability", "finite", "matrix", "metric", "loss"), 405055),
        # Powers of e^(level/1000).
        asked(DifferentialPrivacy(), THREE, COSTS, Metric([[0, 1, "1001/1000"], [1, 0, 1], ["1001/1000", 1, 0]])),
        asked(DifferentialPrivacy(), Prior(["1/9"] * 9), Absolute()),
    ],
    ids=["convex", "irrational", "powers", "large"],
)
def test_what_is_not_linear_and_small_is_left_to_the_scan(problem: Problem) -> None:
    assert inner(problem) is None


@pytest.mark.parametrize("notion", [DifferentialPrivacy(), MutualInformation(), MaximalInformation()])
def test_a_time_limit_that_passes_is_said(notion: Notion) -> None:
    with pytest.raises(TimeLimit, match="raise it"):
        breakpoints(asked(notion, THREE, COSTS), 0)
    with pytest.raises(InvalidInput, match="number of seconds"):
        Frontier(notion, THREE, COSTS).breakpoints(time_limit=-1)


def test_the_limit_stops_a_search_on_its_way() -> None:
    """Some programs are solved, and not all of them."""
    for notion in (LocalInformationPrivacy("1/20"), MutualInformation()):
        problem = asked(notion, Box([0] * 4, ["1/2", "1/3", "2/5", "1/4"]), Absolute())
        with pytest.raises(TimeLimit):
            breakpoints(problem, 0.2)


def test_a_curve_gives_its_breakpoints_as_many_seconds_as_its_points() -> None:
    curve = Frontier(MutualInformation(), THREE, COSTS).curve(points=2, time_limit=600)
    assert curve.time_limit == 600
    with pytest.raises(TimeLimit, match="raise it"):
        _ = replace(curve, time_limit=0).breakpoints
