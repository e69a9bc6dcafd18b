"""Plans: three numbers of which two fix the third, a simulation of what is planned, and splits against brute force."""

import itertools
import json

import numpy as np
import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Rational
from epstar.mechanism import SubsetSelection
from epstar.notions import DifferentialPrivacy
from epstar.release.sets import answers_in_sets
from epstar.source import Everything, Prior
from epstar.statistics.planning import Wanted, best_split, loss_for, losses_for, precision_at, rows_for, rows_for_all
from epstar.universe import Alphabet


@pytest.mark.parametrize("size", [2, 3, 7, 60])
@pytest.mark.parametrize("loss", [0.3, 1.0, 3.0])
def test_two_numbers_give_the_third_and_back(size: int, loss: float) -> None:
    wanted, rows = Wanted(size), 20_000
    found = precision_at(wanted, loss, rows)
    assert found.unprotected < found.half_width
    back = loss_for(wanted, found.half_width, rows)
    assert back.loss == pytest.approx(loss, rel=1e-6)
    assert back.half_width <= found.half_width
    assert back.least_loss is not None
    assert back.least_loss <= back.loss
    needed = rows_for(wanted, found.half_width, loss)
    assert abs(needed - rows) <= 1
    assert precision_at(wanted, loss, needed).half_width <= found.half_width


def test_intervals_of_the_planned_width_cover() -> None:
    law, rows, size = np.array([0.55, 0.25, 0.15, 0.05]), 4000, 4
    planned = precision_at(Wanted(size, Prior([0.55, 0.25, 0.15, 0.05])), 1.0, rows)
    mechanism = SubsetSelection(Alphabet(size), planned.chosen, Rational(271828, 100000))
    table = mechanism.dense().floats
    sets = [labels for labels in mechanism.outputs if isinstance(labels, tuple)]
    held = np.array([[x in labels for labels in sets] for x in range(size)])
    draws = np.random.default_rng(5).multinomial(rows, law @ table, size=2000)
    own, other = float(mechanism.inclusion), float(mechanism.elsewhere)
    estimates = (draws @ held.T / rows - other) / (own - other)
    covered = (np.abs(estimates - law) <= planned.half_width).mean(axis=0)
    # The widest of the four is planned; 2000 draws leave a standard error of half a percent.
    assert covered.min() >= 0.935
    assert covered.min() <= 0.965


def test_a_known_distribution_needs_no_more_loss_than_an_unknown_one() -> None:
    known, unknown = Wanted(4, Prior(["1/4"] * 4)), Wanted(4)
    assert loss_for(known, 0.03, 5000).loss <= loss_for(unknown, 0.03, 5000).loss
    assert precision_at(known, 1.0, 5000).half_width <= precision_at(unknown, 1.0, 5000).half_width


def test_the_split_is_better_than_any_of_a_grid_and_its_bound_is_below_it() -> None:
    columns, weights, total, rows = [Wanted(3), Wanted(8)], ["1", "2"], 2.0, 1000
    found = best_split(columns, weights, total, rows)
    assert sum(one.loss for one in found.columns) == pytest.approx(total)
    assert found.bound <= found.error <= (1 + 1e-5) * found.bound
    for share in np.linspace(0.02, 0.98, 9):
        single = [
            best_split([one], ["1"], total * part, rows).error
            for one, part in zip(columns, (share, 1 - share), strict=True)
        ]
        assert single[0] + 2 * single[1] >= found.error * (1 - 1e-9)


def test_several_columns_with_a_precision_each(capsys: pytest.CaptureFixture[str]) -> None:
    columns, widths = [Wanted(4), Wanted(10)], [0.05, 0.02]
    found = losses_for(columns, widths, 6366)
    assert [one.loss for one in found] == [loss_for(Wanted(4), 0.05, 6366).loss, loss_for(Wanted(10), 0.02, 6366).loss]
    assert main(["plan", "--categories", "4,10", "--rows", "6366", "--within", "0.05,0.02", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["total_loss"] == sum(one.loss for one in found)
    for total in (0.1, 1.0, 6.0):
        rows = rows_for_all(columns, widths, total)
        assert sum(one.loss for one in losses_for(columns, widths, rows)) <= total
        if rows > rows_for(Wanted(4), 0.05, total):
            assert sum(one.loss for one in losses_for(columns, widths, rows - 1)) > total
    assert main(["plan", "--categories", "4,10", "--loss", "1", "--within", "0.05,0.02"]) == 0
    assert "at most 73.2\N{NO-BREAK SPACE}%" in capsys.readouterr().out
    for wrong in (["--within", "0.05,0.1,0.2"], ["--within", "0.05", "--weights", "1,2"]):
        assert main(["plan", "--categories", "4,10", "--rows", "6366", *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_what_no_loss_can_meet_says_which_number_of_rows_would(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NoSolution, match="more than 9604 rows"):
        loss_for(Wanted(4), 0.01, 6366)
    assert main(["plan", "--categories", "4", "--rows", "6366", "--within", "0.01"]) == 3
    assert "9604 rows" in capsys.readouterr().err
    assert loss_for(Wanted(4), 0.01, 9700).loss > 3


def test_plans_that_make_no_sense_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    given = {
        "--categories": ["0", "1", "x", "2.5", "", "4,x"],
        "--rows": ["0", "-5", "1/2", "nan"],
        "--loss": ["0", "-1", "inf", "1e9", "", "nan"],
        "--within": ["0", "2", "-0.1", "x"],
        "--confidence": ["0", "1", "x"],
        "--weights": ["1", "0,1", "x,y"],
    }
    for option, values in given.items():
        for value in values:
            words = {"--categories": "4", "--rows": "1000", "--loss": "1"}
            if option == "--within":
                words.pop("--loss")
            words[option] = value
            code = main(["plan", *itertools.chain(*words.items())])
            said = capsys.readouterr().err
            assert (code, said.count("\n")) == (2, 1), (option, value, said)
    for few in (["--rows", "5"], ["--categories", "4"], ["--prior", "0.5,0.5", "--categories", "2", "--rows", "9"]):
        assert main(["plan", *few]) == 2
    for build in (lambda: Wanted(3, Prior([0.5, 0.5])), lambda: best_split([], [], 1.0, 10)):
        with pytest.raises(InvalidInput):
            build()


@pytest.mark.parametrize(("size", "half_width", "rows"), [(4, 0.05, 6366), (10, 0.02, 20_000), (4, 0.02, 6366)])
def test_the_mechanism_that_carries_out_a_plan_has_the_planned_width(size: int, half_width: float, rows: int) -> None:
    planned = loss_for(Wanted(size), half_width, rows)
    mechanism = answers_in_sets(range(size), planned.chosen, planned.loss).dense()
    loss = DifferentialPrivacy().loss(mechanism, Everything(size))
    assert loss.value <= planned.loss
    # The chance that an answer names category 0, from input 0 and from another, and what estimates that is worth.
    names = np.array([label == 0 or (isinstance(label, tuple) and 0 in label) for label in mechanism.outputs])
    own, other = (float(mechanism.floats[x] @ names) for x in (0, 1))
    rates = other + (own - other) * np.linspace(0, 1, 201)
    width = Wanted(size).quantile * np.sqrt((rates * (1 - rates)).max() / rows) / (own - other)
    assert width == pytest.approx(planned.half_width, rel=1e-9)
    assert width <= half_width * (1 + 1e-9)
