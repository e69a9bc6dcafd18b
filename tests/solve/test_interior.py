"""Smooth programs: derivatives against differences, optima against closed forms and the cone program."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from tests.wider.independent import Floats, Guarantees
from tests.wider.independent import Program as Independent

from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.notions import MutualInformation, RenyiDifferentialPrivacy
from epstar.notions.constraints import LAW, Atom, Maximum, Norm, Power, Proportional, RelativeEntropy, SumBound
from epstar.solve.program.arithmetic import DECIMALS, FLOATS, Arithmetic
from epstar.solve.program.atoms import Curves, has_free_law
from epstar.solve.program.interior import in_many_digits, interior_optimum
from epstar.solve.program.smooth_program import Optimum, Scaled, SmoothProgram
from epstar.universe import Alphabet

HALF = Rational(1, 2)
COLUMNS = [["0.3", "0.1"], ["0.5", "0.25"], ["0.2", "0.65"]]
ATOMS = [
    RelativeEntropy({0: ONE}, {1: ONE, 2: HALF}),
    RelativeEntropy({0: ONE}, LAW),
    Power({0: ONE}, {1: ONE}, Rational(3)),
    Power({0: ONE, 1: ONE}, {2: ONE}, HALF),
    Power({1: ONE}, LAW, Rational(3, 2)),
    Norm({0: ONE, 1: Rational(1, 3), 2: Rational(2)}, Rational(5)),
    Norm({0: ONE, 2: Rational(2)}, HALF),
    Norm({0: ONE, 1: Rational(1, 3), 2: Rational(2)}, Rational(6, 5)),
    Norm({0: HALF, 2: HALF}, Rational(4, 5)),
]


def _written_out(atom: Atom, column: list[float]) -> float:
    """The atom at a column by its definition, measured; the last entry is the law where that is free."""
    if isinstance(atom, Norm):
        order = float(Real.of(atom.order))
        total = sum(float(Real.of(weight)) * column[x] ** order for x, weight in atom.weights.items())
        mean = sum(float(Real.of(weight)) * column[x] for x, weight in atom.weights.items())
        return float((total ** (1 / order) - mean) * order / (order - 1))
    assert isinstance(atom, RelativeEntropy | Power)
    left = sum(float(Real.of(share)) * column[x] for x, share in atom.left.items())
    right = column[-1] if atom.right is LAW else sum(float(Real.of(s)) * column[x] for x, s in atom.right.items())
    if isinstance(atom, RelativeEntropy):
        return left * math.log(left / right)
    order = float(Real.of(atom.order))
    return float((left**order * right ** (1 - order) - left) / (order - 1))


def _curves(*atoms: Atom, arithmetic: Arithmetic = FLOATS) -> Curves:
    weighed = tuple((Rational(k + 1), atom) for k, atom in enumerate(atoms))
    sums = [SumBound(weighed, Proportional()), SumBound(weighed[:1], Proportional())]
    return Curves(sums, 3 + has_free_law(sums), arithmetic, [None] * 2)


def _table(curves: Curves) -> np.ndarray:
    rows = [*COLUMNS, ["0.4", "0.3"]] if curves.rows > len(COLUMNS) else COLUMNS
    return curves.arithmetic.array(rows)


@pytest.mark.parametrize("atom", ATOMS, ids=str)
@pytest.mark.parametrize("arithmetic", [FLOATS, DECIMALS], ids=["floats", "decimals"])
def test_values_are_those_of_the_definition(atom: Atom, arithmetic: Arithmetic) -> None:
    curves = _curves(atom, arithmetic=arithmetic)
    table = _table(curves)
    expected = sum(_written_out(atom, [float(entry) for entry in column]) for column in table.T)
    assert [float(value) for value in curves.values(curves.at(table))] == pytest.approx([expected, expected], rel=1e-14)


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_derivatives_are_those_of_the_value(atom: Atom) -> None:
    curves = _curves(atom, ATOMS[0])
    table, step = _table(curves), 1e-6
    tangents = curves.at(table)
    multipliers = np.array([2.0, 3.0])
    slopes, bent = curves.slopes(tangents), curves.bend(tangents, multipliers)
    for x in range(len(table)):
        for y in range(2):
            moved = table.copy()
            moved[x, y] += step
            after = curves.at(moved)
            change = (curves.values(after) - curves.values(tangents)) / step
            assert change == pytest.approx(slopes[:, x, y], abs=1e-4)
            bend = (curves.slopes(after) - slopes) / step
            # A column bends by itself alone.
            assert multipliers @ bend[:, :, y] == pytest.approx(bent[y, :, x], rel=1e-4, abs=1e-3)
            assert np.abs(bend[:, :, 1 - y]).max() == 0


def test_answers_that_are_never_given_add_nothing() -> None:
    atoms = (RelativeEntropy({0: ONE}, {1: ONE}), Norm({0: ONE, 1: ONE}, HALF), Norm({0: ONE, 1: ONE}, Rational(2)))
    curves = Curves([SumBound(tuple((ONE, atom) for atom in atoms), Proportional())], 2, FLOATS, [None])
    without, given = np.array([[0.5, 0.0], [0.5, 0.0]]), np.array([[0.5], [0.5]])
    assert curves.values(curves.at(without)) == pytest.approx(curves.values(curves.at(given)))
    assert np.isfinite(curves.bend(curves.at(without), np.ones(1))).all()


def test_an_answer_of_one_input_alone_is_refused() -> None:
    curves = Curves([SumBound(((ONE, RelativeEntropy({0: ONE}, {1: ONE})),), Proportional())], 2, FLOATS, [None])
    with pytest.raises(SolverFailure, match="only one side"):
        curves.at(np.array([[0.5, 0.5], [1.0, 0.0]]))


def test_a_maximum_is_not_smooth() -> None:
    with pytest.raises(SolverFailure, match="not smooth"):
        Curves([SumBound(((ONE, Maximum({0: ONE})),), Proportional())], 2, FLOATS, [None])


def _nothing() -> None:
    return None


ALL = [[True, True], [True, True]]
BINARY = SmoothProgram(
    cost=[[ZERO, ONE], [ONE, ZERO]],
    laws=[(HALF, HALF)],
    sums=MutualInformation().constraints(Alphabet(2), [(HALF, HALF)]).sums,
    distortion=None,
    level=Real.of("1/10"),
    given=ALL,
)


def _in_many_digits(program: SmoothProgram, precision: str) -> Optimum:
    return in_many_digits(program, interior_optimum(program, _nothing), lambda _: Decimal(precision), _nothing)


def _entropy_below(information: float) -> float:
    """The error p of a binary symmetric channel with log 2 - h(p) = information, by bisection."""
    low, high = 1e-9, 0.5
    for _ in range(200):
        middle = (low + high) / 2
        entropy = -middle * math.log(middle) - (1 - middle) * math.log(1 - middle)
        low, high = (middle, high) if math.log(2) - entropy > information else (low, middle)
    return low


def test_a_binary_source_against_its_closed_form() -> None:
    found = _in_many_digits(BINARY, "1e-20")
    assert float(found.value) == pytest.approx(_entropy_below(0.1), abs=1e-14)
    # The multiplier is minus the slope of the trade-off: one over the logarithm of the odds.
    error = _entropy_below(0.1)
    assert float(Real.of(found.sums[0])) == pytest.approx(1 / math.log((1 - error) / error), rel=1e-9)


def test_the_other_question_has_the_inverse_answer() -> None:
    inverse = replace(BINARY, level=None, distortion=Real.of("1/8"))
    found = _in_many_digits(inverse, "1e-20")
    assert _entropy_below(float(found.value)) == pytest.approx(1 / 8, abs=1e-13)


def test_floats_and_decimals_agree() -> None:
    found = interior_optimum(BINARY, _nothing)
    assert 0 <= found.gap < 1e-10
    alone = in_many_digits(BINARY, None, lambda _: Decimal("1e-18"), _nothing)
    assert float(found.optimum.value) == pytest.approx(float(alone.value), abs=1e-10)
    for row, other in zip(found.optimum.matrix, alone.matrix, strict=True):
        assert [float(Real.of(q)) for q in row] == pytest.approx([float(Real.of(q)) for q in other], abs=1e-9)


def test_costs_in_other_units_give_the_same_mechanism() -> None:
    large = replace(BINARY, cost=[[1000 * d for d in row] for row in BINARY.cost])
    one, other = (_in_many_digits(p, "1e-18") for p in (BINARY, large))
    assert float(other.value) == pytest.approx(1000 * float(one.value), rel=1e-13)
    assert float(Real.of(other.sums[0])) == pytest.approx(1000 * float(Real.of(one.sums[0])), rel=1e-9)
    assert float(Real.of(other.linear[0])) == pytest.approx(1.0, rel=1e-9)


def test_bounds_far_beyond_one() -> None:
    sums = RenyiDifferentialPrivacy(5).constraints(Alphabet(2), []).sums
    program = replace(BINARY, sums=sums, level=Real.of(6))
    error = float(_in_many_digits(program, "1e-18").value)
    divergence = math.log((1 - error) ** 5 * error**-4 + error**5 * (1 - error) ** -4) / 4
    assert divergence == pytest.approx(6.0, abs=1e-10)


def test_a_program_without_interior_is_refused() -> None:
    equal = SumBound(((ONE, RelativeEntropy({0: ONE}, {1: ONE})),), Proportional())
    program = replace(BINARY, sums=(equal,), level=Real.of(0))
    with pytest.raises(SolverFailure, match="no strict interior"):
        in_many_digits(program, None, lambda _: Decimal("1e-10"), _nothing)


def test_time_is_asked_for_at_every_step() -> None:
    asked = []

    def left() -> None:
        asked.append(1)
        if len(asked) == 5:
            raise TimeLimit("enough")

    with pytest.raises(TimeLimit, match="enough"):
        interior_optimum(BINARY, left)
    assert len(asked) == 5


def _renyi_program(order: str, size: int, level: Real, laws: int, seed: int) -> SmoothProgram:
    generator = np.random.default_rng(seed)
    cost = [[Rational(int(d), 50) for d in row] for row in generator.integers(0, 50, (size, size))]
    counts = generator.integers(1, 50, (laws, size))
    points = [tuple(Rational(int(c), int(row.sum())) for c in row) for row in counts]
    sums = RenyiDifferentialPrivacy(order).constraints(Alphabet(size), []).sums
    return SmoothProgram(cost, points, sums, None, level, [[True] * size] * size)


def _by_cones(cost: Floats, laws: Floats, order: float, level: float) -> float:
    """Return the least worst cost that an independent program finds."""
    conic = Independent(*cost.shape)
    for law in laws:
        places = {conic.at(x, y): law[x] * d for (x, y), d in np.ndenumerate(cost)}
        conic.at_most([(1.0, places), (-1.0, {conic.worst: 1.0})], 0.0)
    rows = np.eye(len(cost))
    if order == 1:
        for x, other in itertools.permutations(range(len(cost)), 2):
            entropies = [
                conic.divergence(conic.form(rows[x], y), conic.form(rows[other], y)) for y in range(cost.shape[1])
            ]
            conic.at_most([(1.0, dict.fromkeys(entropies, 1.0))], level)
    else:
        Guarantees(conic).add("renyi_differential_privacy", level, rows, laws[0], order=order)
    least = conic.least()
    assert least is not None
    return least


@pytest.mark.parametrize("few", [1, 256], ids=["entries", "bounds"])
@pytest.mark.parametrize(("order", "level"), [("1/2", "1"), ("1", "2/5"), ("2", "1"), ("3", "1/2")])
def test_both_eliminations_agree_with_the_cone_program(
    order: str, level: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epstar.solve.program.newton_systems._FEW_BOUNDS", few)
    program = _renyi_program(order, 6, Real.of(level), 4, 1)
    found = interior_optimum(program, _nothing)
    assert 0 <= found.gap < 1e-8
    cost, laws = (np.array([[float(Real.of(p)) for p in row] for row in part]) for part in (program.cost, program.laws))
    conic = _by_cones(cost, laws, float(Real.of(order)), float(Real.of(level)))
    assert float(found.optimum.value) == pytest.approx(conic, abs=1e-6)
    rough = interior_optimum(program, _nothing, roughly=True)
    assert float(rough.optimum.value) == pytest.approx(float(found.optimum.value), abs=1e-3)


@pytest.mark.parametrize("start", [None, np.array([0, 11])], ids=["useful outputs", "two outputs"])
def test_outputs_that_turn_out_to_be_wanted_join_a_few(
    start: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _renyi_program("2", 12, Real.of(1), 1, 3)
    expected = interior_optimum(program, _nothing)
    for name, few in (("_FEW_ENTRIES", 1), ("_FIRST_OUTPUTS", 2)):
        monkeypatch.setattr(f"epstar.solve.program.interior.{name}", few)
    found = interior_optimum(program, _nothing, start=start)
    assert 0 <= found.gap < 1e-8
    assert float(found.optimum.value) == pytest.approx(float(expected.optimum.value), abs=1e-8)


def _at_a_distortion(size: int, share: Rational, laws: int) -> SmoothProgram:
    """The least bound of Rényi divergences where a share of what chance costs above the least is allowed."""
    program = _renyi_program("2", size, Real.of(1), laws, 3)
    least, even = ([of(row) for row in program.cost] for of in (min, lambda row: sum(row, ZERO) / size))
    rooms = [(dot(law, least), dot(law, even)) for law in program.laws]
    allowed = max(low + share * (high - low) for low, high in rooms)
    return replace(program, level=None, distortion=Real.of(allowed))


@pytest.mark.parametrize("arithmetic", [FLOATS, DECIMALS], ids=["floats", "decimals"])
@pytest.mark.parametrize("share", ["1/1000000000000", "1/10", "1/2", "2"])
def test_the_start_is_well_inside_the_distortion_allowed(share: str, arithmetic: Arithmetic) -> None:
    program = Scaled(_at_a_distortion(6, Rational(share), 3), arithmetic)
    table = program.start_table()
    assert np.allclose(table.sum(axis=1).astype(float), 1.0, atol=1e-14)
    used = ((program.linear * table).sum(axis=(1, 2)) / program.bounds[:3]).astype(float)
    assert used.max() <= 0.5 + 1e-9
    # No more is left than half at the next steeper costs would, unless chance itself is allowed.
    assert used.max() > 0.2
    costs = (program.linear / program.bounds[:3, None, None]).max(axis=0).astype(float)
    assert (table.astype(float) * np.maximum(costs, 1.0) > 1e-3 / table.size).all()


def test_no_room_is_no_start() -> None:
    with pytest.raises(SolverFailure, match="leaves no room"):
        Scaled(_at_a_distortion(4, ZERO, 1), FLOATS).start_table()


@pytest.mark.parametrize("share", ["1/100", "1/3"])
def test_few_outputs_are_started_from_within_the_distortion_too(share: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _at_a_distortion(12, Rational(share), 1)
    expected = interior_optimum(program, _nothing)
    for name, few in (("_FEW_ENTRIES", 1), ("_FIRST_OUTPUTS", 2)):
        monkeypatch.setattr(f"epstar.solve.program.interior.{name}", few)
    found = interior_optimum(program, _nothing)
    assert 0 <= found.gap < 1e-7 * float(expected.optimum.value)
    assert float(found.optimum.value) == pytest.approx(float(expected.optimum.value), rel=1e-7)


def test_what_is_known_when_time_runs_short_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    program = _renyi_program("2", 12, Real.of(1), 1, 3)
    for name, few in (("_FEW_ENTRIES", 1), ("_FIRST_OUTPUTS", 2)):
        monkeypatch.setattr(f"epstar.solve.program.interior.{name}", few)
    whole = interior_optimum(program, _nothing)
    seconds = iter(range(40, 0, -1))
    cut = interior_optimum(program, lambda: float(next(seconds)))
    assert cut.is_cut_short
    assert not whole.is_cut_short
    assert next(seconds) >= 5
    low, high = float(cut.optimum.value) - cut.gap, float(cut.optimum.value)
    assert low <= float(whole.optimum.value) <= high


def test_powers_that_start_large_are_followed_down() -> None:
    # The objective falls from 1e9 to 6, and for twenty steps the distance from the optimum is twice the objective.
    cost = [
        [ZERO if x == y else Rational(1 + (37 * x * x + 11 * x * y + 5 * y) % 97, 97) for y in range(20)]
        for x in range(20)
    ]
    weights = [3 + (7 * x) % 11 for x in range(20)]
    law = tuple(Rational(weight, sum(weights)) for weight in weights)
    sums = RenyiDifferentialPrivacy(5).constraints(Alphabet(20), []).sums
    found = interior_optimum(SmoothProgram(cost, [law], sums, Real.of("1/4"), None, [[True] * 20] * 20), _nothing)
    assert 0 <= found.gap < 1e-6 * float(found.optimum.value)
