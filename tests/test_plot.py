"""Pictures: what is drawn is what the curve says, and a missing extra is said plainly."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from epstar.curve import Curve
from epstar.distortion import Gain, Hamming
from epstar.errors import InvalidInput, MissingExtra
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy, Identifiability, MaximalLeakage
from epstar.plot import check_target, plot_curves, plot_intervals, plot_lines, plot_mechanism
from epstar.plot.plotly_sheet import PageSheet
from epstar.source import Ball, Prior
from epstar.universe import Alphabet

FOUR = Prior(["4/10", "3/10", "2/10", "1/10"])


@pytest.fixture(scope="module")
def privacy() -> Curve:
    return Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(points=13)


@pytest.fixture(scope="module")
def leakage() -> Curve:
    return Frontier(MaximalLeakage(), FOUR, Hamming()).curve(points=13)


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_files_of_every_format_are_written_alike_each_time(
    tmp_path: Path, privacy: Curve, leakage: Curve, ending: str, start: bytes
) -> None:
    files = [tmp_path / f"{i}.{ending}" for i in range(2)]
    for file in files:
        plot_curves([privacy, leakage], file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(start)
    assert first == second
    if ending == "svg":
        drawn = first.decode()
        for words in ("differential privacy", "maximal leakage", "least privacy loss (nats)", "distortion"):
            assert f">{words}<" in drawn


def test_the_line_goes_through_the_answers_and_breaks_at_the_jump(privacy: Curve) -> None:
    axes = Figure().add_subplot()
    plot_curves([privacy], axes)
    line = axes.get_lines()[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for place, loss in zip(privacy.distortion[1:], privacy.upper[1:], strict=True):
        assert loss in y[x == place]
    at_jump = y[x == 0.6]
    assert at_jump[0] == pytest.approx(np.log(4 / 3))
    assert np.isnan(at_jump[1])  # the pen is lifted between the two sides
    assert np.isnan(at_jump).sum() == 1
    assert at_jump[-1] == 0
    # The infinite loss at no distortion is not drawn.
    assert np.isnan(y[x == 0]).all()


def test_a_single_answer_is_a_point() -> None:
    axes = Figure().add_subplot()
    curve = Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(distortions=["1/4"])
    plot_curves([curve], axes)
    (circle,) = (line for line in axes.get_lines() if line.get_marker() == "o")
    assert (np.asarray(circle.get_xdata()).item(), np.asarray(circle.get_ydata()).item()) == (0.25, curve.upper[0])


def test_a_jump_is_an_open_and_a_full_circle(privacy: Curve) -> None:
    axes = Figure().add_subplot()
    plot_curves([privacy], axes)
    circles = [line for line in axes.get_lines() if line.get_marker() == "o"]
    at_jump = [line for line in circles if np.asarray(line.get_xdata()).item() == 0.6]
    faces = {round(np.asarray(line.get_ydata()).item(), 6): line.get_markerfacecolor() for line in at_jump}
    assert faces.pop(round(np.log(4 / 3), 6)) == "white"
    assert list(faces) == [0.0]
    assert faces[0.0] != "white"
    bare = Figure().add_subplot()
    plot_curves([privacy], bare, breakpoints=False)
    assert len(bare.get_lines()) == 1


def test_a_known_jump_breaks_the_line_even_if_nothing_is_marked(privacy: Curve) -> None:
    axes = Figure().add_subplot()
    plot_curves([privacy], axes, breakpoints=False)
    (line,) = axes.get_lines()
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    at_jump = y[x == 0.6]
    assert at_jump[0] == pytest.approx(np.log(4 / 3))
    assert np.isnan(at_jump).sum() == 1
    assert at_jump[-1] == 0
    reach = Frontier(DifferentialPrivacy(), Ball(FOUR.probabilities, "1/10"), Hamming())
    set_axes = Figure().add_subplot()
    plot_curves([reach.curve(distortions=["1/2", "3/5", "7/10"])], set_axes, breakpoints=False)
    y = np.asarray(set_axes.get_lines()[0].get_ydata())
    assert np.isnan(y).sum() == sum(point.kind == "jump" for point in reach.breakpoints())


def test_losses_that_share_a_distortion_are_not_joined() -> None:
    curve = Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(losses=["0", "1/10", "1/5", "1/2", "1"])
    axes = Figure().add_subplot()
    plot_curves([curve], axes, breakpoints=False)
    line, *points = axes.get_lines()
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    # The value at the jump has no neighbour, and is a point.
    assert [(np.asarray(p.get_xdata()).item(), np.asarray(p.get_ydata()).item()) for p in points] == [(0.6, 0.0)]
    steps = [(a, b) for a, b in zip(zip(x, y, strict=True), zip(x[1:], y[1:], strict=True), strict=False)]
    upright = [(low, high) for (a, low), (b, high) in steps if a == b == 0.6]
    assert upright == []
    assert np.isnan(x).sum() == 1


def test_places_that_proofs_do_not_tell_apart_are_one() -> None:
    # Below a capacity of half a nat the distortion stays where it is, in all but the last digits of its proofs.
    kept = Frontier("dp", Prior(["1/2", "1/2"]), "hamming", also=[("capacity", "1/2")])
    curve = kept.curve(losses=["1", "2", "4", "5", "6"])
    assert np.ptp(curve.upper[2:]) < 1e-6
    axes = Figure().add_subplot()
    plot_curves([curve], axes, breakpoints=False)
    line, *points = axes.get_lines()
    assert points == []
    assert np.asarray(line.get_ydata()).tolist() == [1.0, 2.0, 4.0]


def test_a_band_on_a_page_does_not_reach_over_a_jump(tmp_path: Path) -> None:
    sheet = PageSheet(tmp_path / "band.html", (6.4, 4.2))
    places = np.array([0.0, 1.0, 1.0, 1.0, 2.0])
    lower, upper = np.array([5.0, 4.0, np.nan, 1.0, 0.5]), np.array([6.0, 5.0, np.nan, 2.0, 1.5])
    sheet.band(places, lower, upper, 0)
    sheet.finish("x", "y")
    text = (tmp_path / "band.html").read_text(encoding="utf-8")
    assert '"x":[0.0,1.0,1.0,0.0,null,1.0,2.0,2.0,1.0,null]' in text
    assert '"y":[5.0,4.0,5.0,6.0,null,1.0,0.5,1.5,2.0,null]' in text


def test_curves_differ_in_colour_and_in_line(privacy: Curve, leakage: Curve) -> None:
    axes = Figure().add_subplot()
    plot_curves({"a": privacy, "b": leakage, "c $x": privacy}, axes)
    lines = [line for line in axes.get_lines() if line.get_label() in ("a", "b", "c $x")]
    assert len({line.get_color() for line in lines}) == 3
    assert len({line.get_linestyle() for line in lines}) == 3
    legend = axes.get_legend()
    assert legend is not None
    assert [item.get_text() for item in legend.get_texts()] == ["a", "b", "c $x"]


def test_curves_of_one_notion_get_names_of_their_own(privacy: Curve) -> None:
    axes = Figure().add_subplot()
    plot_curves([privacy, privacy], axes)
    legend = axes.get_legend()
    assert legend is not None
    assert [item.get_text() for item in legend.get_texts()] == ["differential privacy", "differential privacy (2)"]


def test_a_curve_over_losses_skips_the_losses_inside_a_jump() -> None:
    frontier = Frontier(DifferentialPrivacy(), Prior(["1/2", "3/10", "1/5"]), Gain(np.eye(3).tolist()))
    axes = Figure().add_subplot()
    plot_curves([frontier.curve(losses=[0, 0.1, 0.2, 1, 2])], axes)
    assert axes.get_xlabel() == "utility"
    line = axes.get_lines()[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    drawn = y[np.isfinite(x)]
    assert 0.1 not in drawn
    assert 0.2 not in drawn
    assert {0.0, 1.0, 2.0} <= set(drawn.tolist())
    assert np.nanmin(x) == pytest.approx(0.5)


def test_a_curve_without_a_finite_point_is_empty(tmp_path: Path) -> None:
    curve = Frontier(Identifiability(), Prior(["1/2", "1/2", 0]), Hamming()).curve(points=3)
    plot_curves([curve], tmp_path / "empty.svg")
    assert (tmp_path / "empty.svg").stat().st_size > 0


def test_a_mechanism_is_drawn_with_its_labels_and_numbers(tmp_path: Path) -> None:
    universe = Alphabet(["yes $", "no", "would rather not say"])
    mechanism = Mechanism([[1, 0, 0], ["1/4", "3/4", 0], ["1/1000", 0, "999/1000"]], universe, universe.labels)
    axes = Figure().add_subplot()
    plot_mechanism(mechanism, axes)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["yes $", "no", "would ra…t say"]
    numbers = [text.get_text() for text in axes.texts]
    assert numbers == ["1", "0", "0", "0.25", "0.75", "0", "<.01", "0", "1.00"]
    plot_mechanism(mechanism, tmp_path / "mechanism.png")
    assert (tmp_path / "mechanism.png").read_bytes().startswith(b"\x89PNG")


def test_a_large_mechanism_is_drawn_without_numbers(tmp_path: Path) -> None:
    axes = Figure().add_subplot()
    plot_mechanism(Mechanism(np.eye(60)), axes)
    assert list(axes.texts) == []
    assert len(axes.get_xticklabels()) <= 24


def test_a_page_holds_all_it_needs_and_is_written_alike_each_time(
    tmp_path: Path, privacy: Curve, leakage: Curve
) -> None:
    for file in (tmp_path / "first.html", tmp_path / "second.html"):
        plot_curves({"a <b>": privacy, "c": leakage}, file)
    page = (tmp_path / "first.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "second.html").read_text(encoding="utf-8")
    drawn = page[page.rindex("Plotly.newPlot") :]
    assert "<script src" not in page
    assert "sendDataToCloud" not in drawn
    # A name is text, never markup, and both curves are there with their own colours and dashes.
    assert "a <b>" not in drawn
    for piece in ("#0072B2", "#D55E00", '"dash":"solid"', '"dash":"dash"', "least privacy loss (nats)"):
        assert piece in drawn


def test_a_page_of_a_mechanism_has_its_numbers_and_labels(tmp_path: Path) -> None:
    universe = Alphabet(["yes", "no"])
    plot_mechanism(Mechanism([["3/4", "1/4"], [0, 1]], universe, universe.labels), tmp_path / "mechanism.html")
    page = (tmp_path / "mechanism.html").read_text(encoding="utf-8")
    drawn = page[page.rindex("Plotly.newPlot") :]
    for piece in ('[["0.75","0.25"],["0","1"]]', '"input yes\\u003cbr\\u003eoutput no"', '"ticktext":["yes","no"]'):
        assert piece in drawn


def test_lines_leave_out_what_is_infinite(tmp_path: Path) -> None:
    axes = Figure().add_subplot()
    plot_lines({"a": ([0, 1, 2], [1.0, math.inf, 3.0]), "b": ([0, 1], [0.5, 0.25])}, axes, across="x", up="y")
    first = np.asarray(axes.get_lines()[0].get_ydata())
    assert np.isnan(first[1])
    assert first[[0, 2]].tolist() == [1.0, 3.0]
    assert axes.get_legend() is not None
    assert axes.get_ylim()[1] == pytest.approx(3.15)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plot_lines({}, tmp_path / "lines.svg", across="x", up="y")


def test_intervals_show_what_can_be_told(tmp_path: Path) -> None:
    axes = Figure().add_subplot()
    values = [(0.5, 0.4, 0.6), (None, None, None), (0.2, 0.1, 0.3)]
    plot_intervals(["a", "b", "c"], values, axes, title="t", axis="frequency")
    spans = [np.asarray(line.get_xdata()).tolist() for line in axes.get_lines()]
    assert spans == [[0.4, 0.6], [0.5], [0.1, 0.3], [0.2]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.get_ylim() == (2.5, -0.5)
    plot_intervals(["a", "b", "c"], values, tmp_path / "intervals.html", title="t", axis="frequency")
    assert '"x":[0.4,0.6]' in (tmp_path / "intervals.html").read_text(encoding="utf-8")


def test_bad_targets_are_refused(tmp_path: Path, privacy: Curve) -> None:
    with pytest.raises(InvalidInput, match="no format"):
        check_target(tmp_path / "curve.gif")
    for ending in ("svg", "html"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            plot_curves([privacy], tmp_path / "nowhere" / f"curve.{ending}")
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plot_curves([], tmp_path / "curve.svg")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, privacy: Curve) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"epstar\[plot\]"):
        plot_curves([privacy], tmp_path / "curve.svg")
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtra, match=r"plotly.*epstar\[plot\]"):
        check_target(tmp_path / "curve.html")
