"""Cells cover regions: their corners belong to the source, and those of the source are among them."""

from itertools import combinations

import pytest

from epstar.answer import answer
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.export import export
from epstar.export.cells import Cells, by_the_likeliest
from epstar.problem_file import read_problem
from epstar.source import Ball, Box, Everything, Hull, Polytope, Source

REGIONS: dict[str, Source] = {
    "box": Box(["1/10", "0", "1/5"], ["3/5", "3/5", "1/2"]),
    "box of one law": Box(["1/2", "1/4", "1/4"], ["1", "1", "1"]),
    "box of four": Box(["0"] * 4, ["2/5"] * 4),
    "ball": Ball(["1/2", "3/10", "1/5"], "1/10"),
    "ball at the edge": Ball(["0", "0", "1"], "1"),
    "polytope": Polytope([[-1, 1, 0], [0, -1, 1], [-1, 0, 0]], ["0", "0", "-2/5"]),
    "flat polytope": Polytope([[1, -1, 0], [-1, 1, 0]], ["0", "0"]),
    "hull": Hull([["1/2", "3/10", "1/5"], ["2/5", "2/5", "1/5"]]),
    "everything": Everything(3),
}


@pytest.mark.parametrize("name", REGIONS)
def test_corners_of_cells(name: str) -> None:
    source, cells = REGIONS[name], Cells(REGIONS[name])
    tree = cells.tree()
    assert all(source.contains(corner) for corner in cells.corners)
    assert set(source.vertices()) <= set(cells.corners)
    assert tree.count("Cut") + tree.count("Corners") + tree.count("Face") >= 1


def test_cells_are_cut_where_another_input_is_the_likeliest() -> None:
    rows = tuple(tuple(Rational(3 if x == y else 1, 5) for y in range(3)) for x in range(3))
    # Everybody guesses the truth: the leakage is log(9/5), at the uniform law, and nowhere more.
    cells = Cells(Everything(3), by_the_likeliest(rows, Rational(9, 5)))
    assert {f"Corners {k}" in cells.tree() for k in range(3)} == {True}
    halves = {tuple(Rational(int(x in pair), 2) for x in range(3)) for pair in combinations(range(3), 2)}
    assert halves <= set(cells.corners)
    with pytest.raises(InvalidInput, match="rounding hides"):
        Cells(Everything(3), by_the_likeliest(rows, Rational(17, 10))).tree()


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"more than 2000 cells.*; `epstar check` checks the answer\.$"):
        Cells(Box(["0"] * 9, ["1/5"] * 9)).tree()


def test_an_exact_proof_by_roots_is_refused() -> None:
    question = {
        "schema": "epstar/problem/1",
        "notion": {"name": "sibson_mutual_information", "order": "2"},
        "universe": {"databases": {"size": 2, "rows": 2}},
        "source": {"prior": ["1/4"] * 4},
        "distortion": {"name": "hamming"},
        "at": {"distortion": "3/10"},
    }
    with pytest.raises(InvalidInput, match="by roots of numbers"):
        export(answer(read_problem(question)).claims, "coq")
