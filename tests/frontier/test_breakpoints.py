"""Breakpoints: exact where a closed form is known, next to it where a scan finds them, and proven on both sides."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.breakpoints import Breakpoint, ends
from epstar.breakpoints.closed_forms import free_point
from epstar.breakpoints.scan import interior
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Distortion, Gain, Hamming
from epstar.exact import Rational, Real, text
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Problem
from epstar.source import Box, Everything, Hull, Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Graph, Universe

# Corner points of the source sets of Figures 4 and 5.
TABLES = json.loads((Path(__file__).parents[1] / "data" / "kalantari2018_tables.json").read_text(encoding="utf-8"))
THRESHOLDS = {
    "class_I_M6": "5/6",
    "II_6": "3/10",
    "IIIa_6": "23/40",
    "IIIb_6": "209/300",
    "IIIc_6": "61/80",
    "class_I_M10": "9/10",
    "II_10": "7/10",
    "IIIa_10": "3/4",
    "IIIb_10": "79/100",
    "IIIc_10": "327/400",
}
FOUR = Prior(["4/10", "3/10", "2/10", "1/10"])
TABLE_ONE = Prior(["7/10", "3/20", "3/50", "1/25", "3/100", "1/50"])


def found(
    notion: Notion, source: Source, distortion: Distortion | None = None, universe: Universe | None = None
) -> tuple[Breakpoint, ...]:
    return Frontier(notion, source, distortion or Hamming(), universe).breakpoints()


def written(points: tuple[Breakpoint, ...]) -> list[tuple[str, str, str, str]]:
    """Kind, distortion, left and right, the values as exact numbers."""
    for point in points:
        for side in (point.left, point.right):
            assert side.width == 0
    return [(p.kind, text(p.distortion), str(p.left.upper), str(p.right.upper)) for p in points]


def test_differential_privacy_has_kinks_where_letters_drop_out_and_a_jump() -> None:
    assert written(found(DifferentialPrivacy(), FOUR)) == [
        ("least distortion", "0", "infinity", "infinity"),
        ("kink", "3/10", "log(7)", "log(7)"),
        ("kink", "1/2", "log(5/2)", "log(5/2)"),
        ("jump", "3/5", "log(4/3)", "0"),
    ]


def test_table_one_shrinks_its_outputs_where_they_should() -> None:
    points = found(DifferentialPrivacy(), TABLE_ONE)
    assert [text(point.distortion) for point in points] == ["0", "1/10", "7/50", "17/100", "21/100", "3/10"]
    assert str(points[-1].left.upper) == "log(14/3)"
    assert points[-1].left.upper.lower == pytest.approx(1.540445, abs=1e-6)
    assert points[-1].right.upper.rational == 0


def test_a_slack_multiplies_the_places() -> None:
    plain = found(DifferentialPrivacy(), FOUR)
    slack = found(ApproximateDifferentialPrivacy("1/10"), FOUR)
    assert [p.distortion for p in slack] == [p.distortion * Rational(9, 10) for p in plain]
    assert [str(p.left.upper) for p in slack] == [str(p.left.upper) for p in plain]


def test_maximal_leakage_has_kinks_at_the_tails() -> None:
    assert written(found(MaximalLeakage(), FOUR)) == [
        ("least distortion", "0", "infinity", "log(4)"),
        ("kink", "1/10", "log(3)", "log(3)"),
        ("kink", "3/10", "log(2)", "log(2)"),
        ("threshold", "3/5", "0", "0"),
    ]


def test_mutual_information_changes_where_differential_privacy_does() -> None:
    points = found(MutualInformation(), FOUR)
    assert [(p.kind, text(p.distortion)) for p in points] == [
        ("least distortion", "0"),
        ("kink", "3/10"),
        ("kink", "1/2"),
        ("threshold", "3/5"),
    ]
    entropy = -sum(p * log(p) for p in (0.4, 0.3, 0.2, 0.1))
    assert points[0].right.upper.upper == pytest.approx(entropy, abs=1e-15)
    # kalantari2018, with three letters kept at D = 3/10 and a tail of 1/10.
    kept = -sum(p * log(p) for p in (0.4, 0.3, 0.2))
    assert points[1].right.upper.upper == pytest.approx(kept + 0.7 * log(0.7) + 0.2 * log(0.1), abs=1e-14)


def test_identifiability_ends_at_what_the_prior_gives_away() -> None:
    assert written(found(Identifiability(), FOUR)) == [
        ("least distortion", "0", "infinity", "infinity"),
        ("kink", "3/10", "log(7)", "log(7)"),
        ("threshold", "3/5", "log(4)", "log(4)"),
    ]
    # wang2016, Theorem 1 made exact: with two letters the middle branch is empty.
    assert [text(p.distortion) for p in found(Identifiability(), Prior(["55/100", "45/100"]))] == ["0", "9/20"]


@pytest.mark.parametrize("notion", [DifferentialPrivacy(), MaximalLeakage(), MutualInformation(), Identifiability()])
def test_a_uniform_prior_reaches_its_least_loss_without_a_jump(notion: Notion) -> None:
    points = found(notion, Prior(["1/4"] * 4))
    assert [(p.kind, text(p.distortion)) for p in points] == [("least distortion", "0"), ("threshold", "3/4")]
    assert points[-1].left.upper.rational == 0


def test_a_certain_input_has_nothing_to_lose() -> None:
    for notion in (DifferentialPrivacy(), MaximalLeakage(), MutualInformation()):
        (only,) = found(notion, Prior([1, 0, 0]))
        assert (only.kind, text(only.distortion), str(only.right.upper)) == ("least distortion", "0", "0")
    assert len(found(Identifiability(), Prior([1, 0, 0]))) == 1


@pytest.mark.parametrize(("name", "threshold"), THRESHOLDS.items())
def test_thresholds_of_the_published_sets(name: str, threshold: str) -> None:
    """kalantari2018: D0 of every figure, and the loss just below it."""
    vertices = TABLES[name]
    source: Source = Prior(vertices[0]) if len(vertices) == 1 else Hull(vertices)
    problem = Problem(DifferentialPrivacy(), source, Hamming(), Alphabet(source.size), "loss", Real.of(0))
    point = free_point(problem)
    assert point is not None
    assert text(point.distortion) == threshold
    assert point.left.width == 0
    assert point.right.upper.rational == 0
    assert point.kind == ("jump" if name in ("II_6", "II_10") else "threshold")
    frontier = Frontier(DifferentialPrivacy(), source, Hamming())
    below = frontier.loss_at(point.distortion - Rational(1, 10**9))
    assert 0 <= below.upper - point.left.upper.lower < 1e-7
    assert frontier.loss_at(point.distortion).upper == 0


def test_a_set_of_priors_has_the_jump_of_its_least_favourable_member() -> None:
    source = Hull([["1/2", "3/10", "1/5"], ["3/5", "1/5", "1/5"]])
    points = found(ApproximateDifferentialPrivacy("1/10"), source)
    assert [(p.kind, text(p.distortion), str(p.left.upper)) for p in points[1:]] == [
        ("kink", "9/25", "log(3)"),
        ("jump", "9/20", "log(5/3)"),
    ]
    assert all(point.is_exact for point in points)


def test_a_box_around_the_uniform_law_has_none() -> None:
    points = found(DifferentialPrivacy(), Box(["1/10"] * 3, ["6/10", "5/10", "5/10"]))
    assert [(p.kind, text(p.distortion)) for p in points] == [("least distortion", "0"), ("threshold", "2/3")]


def test_nothing_known_at_all() -> None:
    points = found(DifferentialPrivacy(), Everything(3))
    assert [(p.kind, text(p.distortion)) for p in points] == [("least distortion", "0"), ("threshold", "2/3")]


def test_maximal_information_jumps_inside() -> None:
    """Its least distortion is flat between log 2 and log 5/2: the loss jumps at 1/5."""
    points = found(MaximalInformation(), Prior(["1/2", "3/10", "1/5"]))
    assert [(p.kind, text(p.distortion)) for p in points] == [
        ("least distortion", "0"),
        ("kink", "1/10"),
        ("jump", "1/5"),
        ("jump", "1/2"),
    ]
    inside, last = points[2:]
    assert inside.left.lower.lower == pytest.approx(log(5 / 2), abs=1e-7)
    assert inside.right.lower.lower == pytest.approx(log(2), abs=1e-9)
    assert inside.right.upper.upper == pytest.approx(log(2), abs=1e-9)
    assert last.left.upper.upper == pytest.approx(log(5 / 4), abs=1e-7)
    assert last.right.upper.rational == 0


@pytest.mark.parametrize(
    ("notion", "source", "distortion", "universe"),
    [
        (DifferentialPrivacy(), FOUR, Absolute(), None),
        (DifferentialPrivacy(), FOUR, Hamming(), Graph.ring(4)),
        (Identifiability(), Prior(["1/2", "3/10", "1/5"]), Absolute(), None),
        (MinEntropyLeakage(), Prior(["1/2", "3/10", "1/5"]), Hamming(), None),
        (DifferentialPrivacy(), Prior(["1/2", "3/10", "1/5"]), Gain([[1, 0, 0], [0, 1, 0], [0, "1/2", 1]]), None),
        pytest.param(
            RenyiDifferentialPrivacy(2), Prior(["1/2", "3/10", "1/5"]), Hamming(), None, marks=pytest.mark.full
        ),
        pytest.param(
            SibsonMutualInformation(2), Prior(["1/2", "3/10", "1/5"]), Hamming(), None, marks=pytest.mark.full
        ),
    ],
    ids=["absolute", "ring", "identifiability", "min-entropy", "gain", "renyi", "sibson"],
)
def test_both_sides_agree_with_single_answers(
    notion: Notion, source: Source, distortion: Distortion, universe: Universe | None
) -> None:
    frontier = Frontier(notion, source, distortion, universe)
    points = frontier.breakpoints()
    places = [point.distortion for point in points]
    assert places == sorted(set(places))
    assert [point.kind for point in points].count("least distortion") == 1
    assert points[-1].kind in ("jump", "threshold")
    for point in points[1:]:
        step = Rational(1, 10**6)
        before, after = frontier.loss_at(point.distortion - step), frontier.loss_at(point.distortion + step)
        assert before.upper >= point.left.lower.lower
        assert point.right.upper.upper >= after.lower
        drop = before.upper - after.lower
        assert (drop > 0.01) == (point.kind == "jump")
    # Beyond the last one nothing more is to be gained.
    assert frontier.loss_at(points[-1].distortion + Rational(1, 10)).upper == pytest.approx(
        points[-1].right.upper.upper, abs=1e-9
    )


def test_rows_of_one_law_scale_the_breakpoints_of_a_row() -> None:
    rows = Rows(Prior(["1/2", "3/10", "1/5"]), 1000)
    universe = Databases(Alphabet(3), 1000)
    assert written(found(DifferentialPrivacy(), rows, Hamming(), universe)) == [
        ("least distortion", "0", "infinity", "infinity"),
        ("kink", "400", "log(3)", "log(3)"),
        ("jump", "500", "log(5/3)", "0"),
    ]
    row = found(MutualInformation(), Prior(["1/2", "3/10", "1/5"]))
    whole = found(MutualInformation(), rows, Hamming(), universe)
    assert [p.distortion for p in whole] == [p.distortion * 1000 for p in row]
    assert whole[1].right.upper.upper == pytest.approx(1000 * row[1].right.upper.upper, rel=1e-14)


@st.composite
def priors(draw: st.DrawFn) -> Prior:
    weights = draw(st.lists(st.integers(1, 12), min_size=3, max_size=4))
    return Prior([Rational(weight, sum(weights)) for weight in weights])


@settings(deadline=None, max_examples=8)
@given(
    prior=priors(),
    notion=st.sampled_from(
        [DifferentialPrivacy(), MaximalLeakage(), Identifiability(), ApproximateDifferentialPrivacy("1/10")]
    ),
)
def test_the_scan_finds_what_the_closed_forms_know(prior: Prior, notion: Notion) -> None:
    problem = Problem(notion, prior, Hamming(), Alphabet(prior.size), "loss", Real.of(0))
    exact = found(notion, prior)[1:]
    free = exact[-1].distortion
    highest = found(notion, prior)[0].right.upper
    scanned = interior(problem, [(problem, 1)], ends(problem), None, highest, Deadline(None))
    near = [p for p in exact if p.distortion > free / 500]
    assert [p.kind for p in scanned] == [p.kind for p in near]
    for mine, theirs in zip(scanned, near, strict=True):
        assert abs(float(Real.of(mine.distortion - theirs.distortion))) <= mine.tolerance
        assert mine.right.upper.upper == pytest.approx(theirs.right.upper.upper, abs=1e-6)


def test_a_loss_that_falls_to_zero_by_itself_does_not_jump() -> None:
    """The capacity is flat to first order at the end: the scan must not take that for a jump."""
    *_, last = Frontier(Capacity(), Prior(["1/3", "1/3", "1/3"]), Hamming()).breakpoints()
    assert (last.kind, str(last.distortion), str(last.left.upper)) == ("threshold", "2/3", "0")
