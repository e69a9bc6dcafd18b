"""Figures of the papers: their numbers survive writing, their pictures are drawn, malformed ones are refused."""

import csv
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from epstar.breakpoints import known_breakpoints
from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MutualInformation,
    Notion,
)
from epstar.plot import COLOURS
from epstar.source import Everything, Hull, Prior, Source
from epstar_papers import find
from epstar_papers.figure import Figure, write_csv
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, TABLE_III, TABLE_IV, Points, uniform
from epstar_papers.picture import draw
from epstar_papers.wang2016.illustration import NETFLIX

COLUMNS = {"D": [0.1, 0.2, 1 / 3], "leakage": [math.inf, 0.1 + 0.2, 0.0], "as printed": [1.0, 0.5, 0.25]}
FIGURE = Figure("paper:fig-1", "A figure", lambda: COLUMNS, "D", "distortion", "nats", "Two curves.")


def test_a_figure_knows_its_paper_and_its_numbers() -> None:
    assert FIGURE.paper == "paper"
    assert FIGURE.data() == COLUMNS


def test_csv_keeps_every_digit(tmp_path: Path) -> None:
    write_csv(FIGURE, tmp_path / "figure.csv")
    with (tmp_path / "figure.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(COLUMNS)
    assert [[float(cell) for cell in row] for row in rows[1:]] == [
        list(row) for row in zip(*COLUMNS.values(), strict=True)
    ]


def test_a_missing_horizontal_column_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no column 'E'"):
        replace(FIGURE, x="E").data()


def test_columns_of_unequal_length_are_refused(tmp_path: Path) -> None:
    uneven = replace(FIGURE, columns=lambda: {"D": [0.0, 1.0], "leakage": [1.0]})
    with pytest.raises(InvalidInput, match="different lengths"):
        write_csv(uneven, tmp_path / "figure.csv")
    assert not (tmp_path / "figure.csv").exists()


def test_drawing_is_the_same_every_time_and_names_every_curve(tmp_path: Path) -> None:
    for name in ("first.svg", "second.svg", "third.png"):
        draw(FIGURE, tmp_path / name)
    first = (tmp_path / "first.svg").read_text(encoding="utf-8")
    assert first == (tmp_path / "second.svg").read_text(encoding="utf-8")
    for words in ("A figure", "distortion", "nats", "leakage", "as printed"):
        assert words in first
    assert (tmp_path / "third.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_said_of_a_curve_has_its_colour(tmp_path: Path) -> None:
    columns = {"D": [0.0, 1.0], "Class I": [1.0, 2.0], "(9) as printed, Class I": [1.0, 1.5], "Class II": [3.0, 4.0]}
    draw(replace(FIGURE, columns=lambda: columns), tmp_path / "figure.svg")
    colours = re.findall(r"stroke: (#[0-9a-f]{6})", (tmp_path / "figure.svg").read_text(encoding="utf-8"))
    first, second = (colour.lower() for colour in COLOURS[:2])
    assert colours.count(first) > colours.count(second) > 0
    assert COLOURS[2].lower() not in colours


def test_named_rows_make_a_table(tmp_path: Path) -> None:
    table = replace(FIGURE, columns=lambda: {"D": [1.0, 2.0], "answer": [0.25, 1 / 3]}, rows=("yes & no", "perhaps"))
    draw(table, tmp_path / "table.svg")
    text = (tmp_path / "table.svg").read_text(encoding="utf-8")
    for words in ("yes &amp; no", "perhaps", "answer", "0.25", "0.3333"):
        assert words in text
    with pytest.raises(InvalidInput, match="names 1 of its 2 rows"):
        replace(table, rows=("yes",)).data()


def test_a_logarithmic_axis_does_not_follow_a_vanishing_curve(tmp_path: Path) -> None:
    steep = replace(FIGURE, columns=lambda: {"D": [1.0, 2.0, 3.0], "delta": [1.0, 1e-3, 1e-60]}, logarithmic="y")
    draw(steep, tmp_path / "steep.svg")
    text = (tmp_path / "steep.svg").read_text(encoding="utf-8")
    assert "{-5}" in text or "−5" in text
    assert "60" not in "".join(re.findall(r"<!--(.*?)-->", text))


def test_numbers_are_computed_once() -> None:
    calls = []

    def columns() -> dict[str, list[float]]:
        calls.append(1)
        return {"D": [1.0]}

    figure = replace(FIGURE, columns=columns)
    figure.data()["D"].append(2.0)
    assert figure.data() == {"D": [1.0]}
    assert len(calls) == 1


def test_a_curve_without_finite_values_is_drawn_as_nothing(tmp_path: Path) -> None:
    draw(replace(FIGURE, columns=lambda: {"D": [0.0], "leakage": [math.inf]}), tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 0


JUMPING = replace(
    FIGURE,
    columns=lambda: {"D": [0.1, 0.3 - 1e-9, 0.3, 0.4], "leakage": [3.0, 2.0, 0.5, 0.25], "other": [4.0, 3.0, 2.0, 1.0]},
    jumps={"leakage": (0.3,)},
)


def test_no_line_joins_the_two_sides_of_a_jump(tmp_path: Path) -> None:
    line = JUMPING.lines()["leakage"]
    assert line.places == [0.1, 0.3 - 1e-9, 0.3, 0.3, 0.3, 0.4]
    assert line.values[:3] == [3.0, 2.0, 2.0]
    assert math.isnan(line.values[3])
    assert line.values[4:] == [0.5, 0.25]
    assert line.jumps == [(0.3, 2.0, 0.5)]
    assert JUMPING.lines()["other"].values == [4.0, 3.0, 2.0, 1.0]
    draw(JUMPING, tmp_path / "jump.svg")
    draw(replace(JUMPING, jumps={}), tmp_path / "slope.svg")
    jump, slope = ((tmp_path / name).read_text(encoding="utf-8") for name in ("jump.svg", "slope.svg"))
    assert jump.count("fill: #ffffff; stroke: #0072b2") > slope.count("fill: #ffffff; stroke: #0072b2") == 0


def test_a_jump_needs_its_rows() -> None:
    for jumps in ({"leakage": (0.35,)}, {"leakage": (0.1,)}, {"nothing": (0.3,)}):
        with pytest.raises(InvalidInput, match="give it a row there and one just before"):
            replace(JUMPING, jumps=jumps).data()


def test_the_notes_are_in_the_picture(tmp_path: Path) -> None:
    table = replace(FIGURE, columns=lambda: {"D": [1.0, 2.0], "answer": [0.25, 0.5]}, rows=("a", "b"))
    for name, figure in (("curves", FIGURE), ("table", table)):
        draw(figure, tmp_path / f"{name}.svg")
        assert "Two curves." in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")


DP, SHANNON, LEAKAGE = DifferentialPrivacy(), MutualInformation(), MaximalLeakage()
SLACK = ApproximateDifferentialPrivacy("1/10")
FOUR = Prior(["4/10", "3/10", "2/10", "1/10"])


def hull_of(distributions: Points) -> Source:
    return Prior(distributions[0]) if len(distributions) == 1 else Hull(distributions)


# Every curve of a figure that is an optimum over a distortion, with the trade-off that it is.
OPTIMA: dict[tuple[str, str], tuple[Notion, Source]] = {
    **{
        ("kalantari2018:fig-4", f"Class III:{name}"): (DP, hull_of(distributions))
        for name, distributions in TABLE_III.items()
    },
    **{
        ("kalantari2018:fig-5", f"Class III:{name}"): (DP, hull_of(distributions))
        for name, distributions in TABLE_IV.items()
    },
    ("kalantari2018:fig-4", "Class I"): (DP, hull_of(uniform(6))),
    ("kalantari2018:fig-4", "Class II"): (DP, hull_of(TABLE_I)),
    ("kalantari2018:fig-5", "Class I"): (DP, hull_of(uniform(10))),
    ("kalantari2018:fig-5", "Class II"): (DP, hull_of(TABLE_II)),
    ("kalantari2018:fig-6", "differential privacy"): (DP, hull_of(uniform(10))),
    ("kalantari2018:fig-7", "differential privacy"): (DP, hull_of(TABLE_II)),
    ("zhong2022:fig-3", "differential privacy"): (DP, Everything(2)),
    ("zhong2022:fig-3", "0.1-approximate differential privacy"): (SLACK, Everything(2)),
    ("zhong2022:fig-4", "differential privacy"): (DP, FOUR),
    ("zhong2022:fig-4", "0.1-approximate differential privacy"): (SLACK, FOUR),
    ("zhong2022:fig-4", "maximal leakage"): (LEAKAGE, FOUR),
    ("wang2016:fig-4b", "differential privacy"): (DP, NETFLIX.source),
    ("wang2016:fig-4b", "identifiability"): (Identifiability(), NETFLIX.source),
    ("wang2016:fig-4b", "mutual information per row"): (SHANNON, NETFLIX.source),
}


@pytest.mark.parametrize(
    ("place", "optimum"),
    # The numbers of a figure are computed once, so that what is asked of one paper's is one group.
    [
        pytest.param(place, optimum, id=", ".join(place), marks=pytest.mark.xdist_group(place[0].partition(":")[0]))
        for place, optimum in OPTIMA.items()
    ],
)
def test_figures_know_the_jumps_of_their_curves(place: tuple[str, str], optimum: tuple[Notion, Source]) -> None:
    (key, name), (notion, source) = place, optimum
    figure = find(key)
    assert isinstance(figure, Figure)
    found = known_breakpoints(Frontier(notion, source, Hamming()).curve(distortions=["1/10"]).problems[0])
    jumps = {float(Real.of(point.distortion)): point for point in found if point.kind == "jump"}
    assert found, "a curve whose end is not known would prove nothing"
    assert set(figure.jumps.get(name, ())) == set(jumps)
    columns = figure.data()
    for at, point in jumps.items():
        row = columns[figure.x].index(at)
        assert 0 < at - columns[figure.x][row - 1] < 1e-8
        assert columns[name][row - 1] == pytest.approx(float(point.left.upper), abs=1e-6)
        assert columns[name][row] == pytest.approx(float(point.right.upper), abs=1e-9)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        draw(FIGURE, tmp_path / "figure.txt")
