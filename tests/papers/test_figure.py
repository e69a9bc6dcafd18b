"""Figures of the papers: their numbers survive writing, their pictures are drawn, malformed ones are refused."""

import csv
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from epstar.errors import InvalidInput
from epstar.papers.figure import Figure, write_csv
from epstar.papers.picture import draw
from epstar.plot import COLOURS

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


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        draw(FIGURE, tmp_path / "figure.txt")
