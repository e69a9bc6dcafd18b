"""alvim2011: its constructions at work, every table compared with the reference."""

import json
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from epstar.errors import InvalidInput
from epstar.exact import ONE, Interval, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism, geometric
from epstar.query.gallery import table_one
from epstar.query.optimum import cost_of_obliviousness
from epstar.query.query import Query
from epstar.query.remap import remap
from epstar.universe import Databases, Graph
from epstar_papers.alvim2011 import (
    FIGURES,
    THEOREMS,
    averaged_over_distances,
    averaged_over_group,
    averaged_over_orbit,
    even_ring,
    projection,
    relaxed_square,
    single_orbit_automorphism,
    square_with_maxima_on_the_diagonal,
    translations,
)
from epstar_papers.alvim2011.beyond import CUBE, PETERSEN
from epstar_papers.alvim2011.leakage import bound
from epstar_papers.alvim2011.limited_range import improved_bound, printed_bound
from epstar_papers.alvim2011.truth import (
    best_utility,
    database_leakage,
    individual_leakage,
    keeps,
    range_leakage,
    telling_rows,
    utility,
)

pytestmark = pytest.mark.xdist_group("alvim2011")

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "alvim2011.json").read_text("utf-8"))
TABLES = REFERENCE["paper_tables"]
BY_KEY = {theorem.key.partition(":")[2]: theorem for theorem in THEOREMS}
TWO = Rational(2)


def of_kind(kind: str) -> list[dict[str, Any]]:
    """The reference vectors of one kind with a rational ratio."""
    return [vector for vector in REFERENCE["vectors"] if vector["kind"] == kind and "e_eps" in vector]


def number(value: object) -> float:
    """The middle of a claimed value."""
    if isinstance(value, Interval):
        return (value.lower.lower + value.upper.upper) / 2
    return float(value if isinstance(value, Real | float) else Real.of(value))


def test_figure_3_has_the_reference_points() -> None:
    data = FIGURES["alvim2011:fig-3"].data()
    for point in TABLES["figure3_points"]:
        place = data["epsilon"].index(point["eps"])
        assert data[f"v = {point['v']}"][place] == pytest.approx(float(point["B_bits"]), abs=1e-9)
    for v, limit in zip((2, 10, 100), TABLES["figure3_limits_bits"], strict=True):
        curve = data[f"v = {v}"]
        assert curve[0] == 0
        assert curve == sorted(curve)
        assert limit > curve[-1] > 0.9 * limit


def test_figure_4_holds_the_distances() -> None:
    data = FIGURES["alvim2011:fig-4"].data()
    for name, distances in TABLES["example1_matrix_distances"].items():
        assert data[name] == distances  # the matrix is symmetric


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("table-1-m1", "table1_M1"),
        ("table-1-m2", "table1_M2"),
        ("table-2-m1", "table2_M1"),
        ("table-2-m2", "table2_M2"),
        ("table-2-ring", "table2_ring_optimal"),
    ],
)
def test_the_tables_with_their_blanks_filled(key: str, name: str) -> None:
    data = dict(FIGURES[f"alvim2011:{key}"].data())
    data.pop("row")
    rows = zip(*data.values(), strict=True)
    for found, wanted in zip(rows, TABLES[name], strict=True):
        assert list(found) == pytest.approx([float(Real.of(rational(entry))) for entry in wanted], abs=1e-11)
        assert sum(found) == pytest.approx(1)


def test_the_utilities_of_the_tables() -> None:
    data, known = table_one(), TABLES["table1_utilities"]
    assert number(data.uniform[0]) == pytest.approx(float(known["M1_uniform"]), abs=1e-11)
    assert data.prior is not None
    assert number(data.prior[0]) == pytest.approx(float(known["M1_prior_tenth_fifth"]), abs=1e-11)
    best = best_utility(Graph.clique(6), TWO, rationals(["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]))
    assert best.lower.rational == rational(known["LP_optimum_prior_tenth_fifth"])


def test_doubling_is_never_optimal() -> None:
    data = FIGURES["alvim2011:rings"].data()
    assert all(doubled < optimal for doubled, optimal in zip(data["Remark 1"], data["optimal"], strict=True))
    assert even_ring(4, "log(2)").utilities == (Rational(2, 5), Rational(4, 9))
    assert even_ring(6, "log(5/4)").doubled is None
    assert keeps(even_ring(6, "log(5/4)").optimal, Rational(5, 4))
    with pytest.raises(InvalidInput, match="even number"):
        even_ring(5, "log(2)")


@pytest.mark.parametrize("vector", of_kind("database_leakage_max"), ids=lambda vector: vector["id"])
def test_reference_leakage_about_the_database(vector: dict[str, Any]) -> None:
    u, v, ratio = vector["u"], vector["v"], rational(vector["e_eps"])
    if v**u <= 16:
        assert number(database_leakage(u, v, ratio)) == pytest.approx(float(vector["max_leakage_bits"]), abs=1e-9)
        assert number(individual_leakage(u, v, ratio)) == pytest.approx(float(vector["individual_max_bits"]), abs=1e-9)
    assert number(bound(u, v, ratio)) == pytest.approx(float(vector["bound_B_bits"]), abs=1e-9)


@pytest.mark.parametrize("vector", of_kind("range_limited_leakage"), ids=lambda vector: vector["id"])
def test_reference_leakage_through_few_outputs(vector: dict[str, Any]) -> None:
    u, v, r, ratio = vector["u"], vector["v"], vector["r"], rational(vector["e_eps"])
    assert number(printed_bound(u, v, r, ratio)) == pytest.approx(float(vector["prop2_bits"]), abs=1e-9)
    assert number(improved_bound(u, v, r, ratio)) == pytest.approx(float(vector["improved_bound_bits"]), abs=1e-9)
    rows = tuple(Databases(v, u).index(tuple(int(category) for category in row)) for row in vector["best_argmax_rows"])
    wanted = number(rational(vector["max_sum_of_column_maxima_exact"]))
    assert number(telling_rows(u, v, rows, ratio)) == pytest.approx(wanted, abs=1e-9)
    if v**u <= 4:
        found = number(range_leakage(u, v, r, ratio))
        assert found == pytest.approx(float(vector["max_leakage_bits"]), abs=1e-9)


def test_conjunction_gains_from_seeing_the_database() -> None:
    query = Query(min, Databases(2, 2))
    found = cost_of_obliviousness(query, "log(2)", rationals(["1/6", "1/6", "1/6", "1/2"]))
    assert found.oblivious.interval.lower.rational == Rational(2, 3)
    assert found.unrestricted.interval.lower.rational == Rational(25, 36)


def test_the_geometric_mechanism_needs_its_remapping() -> None:
    distribution = rationals(["7/10", "1/10", "2/10"])
    found = remap(geometric(3, 2), distribution)
    assert (found.plain_utility, found.utility) == (Rational(19, 30), Rational(43, 60))
    assert best_utility(Graph.line(3), TWO, distribution).lower.rational == Rational(43, 60)


def test_squares_of_narrow_mechanisms() -> None:
    narrow = Mechanism([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]], Graph.line(3))
    square = square_with_maxima_on_the_diagonal(narrow)
    assert square.rows[0] == rationals(["3/4", 0, "1/4"])
    assert utility(square) == utility(narrow)
    with pytest.raises(InvalidInput, match="databases as inputs"):
        averaged_over_distances(square)


def test_averages_over_groups() -> None:
    databases = Databases(2, 3)
    weights = Random(7)
    rows = []
    for _ in range(8):
        row = [weights.randint(1, 9) for _ in range(8)]
        rows.append([Rational(entry, sum(row)) for entry in row])
    mechanism = Mechanism(rows, databases)
    averaged = averaged_over_group(mechanism, translations(databases))
    assert len({averaged.entry(i, i) for i in range(8)}) == 1
    assert averaged.entry(0, 3) == averaged.entry(4, 7)
    ring = Mechanism(rows, Graph.ring(8))
    assert averaged_over_orbit(ring, tuple((i + 1) % 8 for i in range(8))).entry(2, 5) == averaged_over_orbit(
        ring, tuple((i + 3) % 8 for i in range(8))
    ).entry(0, 3)
    with pytest.raises(InvalidInput, match="name each place once"):
        averaged_over_orbit(ring, (0,) * 8)


def test_single_orbits() -> None:
    assert single_orbit_automorphism(PETERSEN) is None
    assert single_orbit_automorphism(CUBE) is None
    step = single_orbit_automorphism(Graph.ring(6))
    assert step is not None
    assert sorted(step) == list(range(6))
    with pytest.raises(InvalidInput, match="at most 12 nodes"):
        single_orbit_automorphism(Graph.ring(13))


@pytest.mark.parametrize(("u", "v", "kept"), [(2, 2, 1), (3, 2, 1), (3, 2, 2), (2, 3, 1)])
def test_small_projections_always_exist(u: int, v: int, kept: int) -> None:
    for others in combinations(range(1, v**u), v**kept - 1):
        assert projection(u, v, kept, (0, *others)) is not None


def test_relaxed_squares_refuse_large_diagonals() -> None:
    assert relaxed_square(2, 2, 1, TWO, Rational(4, 5)).rows == ((Rational(4, 5), ONE / 5), (ONE / 5, Rational(4, 5)))
    with pytest.raises(InvalidInput, match="between 1/2 and 4/5"):
        relaxed_square(2, 2, 1, TWO, Rational(5, 6))
