"""Secrets, limits and further guarantees: known answers, an independent program, and what must change nothing."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.solve.as_wider import by_wider_program

from epstar.answer import Answer
from epstar.answer_file import read_answer, write_answer
from epstar.cli.main import main
from epstar.completion import ClaimedProof
from epstar.distortion import Matrix
from epstar.errors import InvalidInput, NoSolution, TimeLimit
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.limits import Limits
from epstar.notions import NOTIONS, GLeakage, SibsonMutualInformation, from_problem
from epstar.problem import Problem
from epstar.problem_file import read_problem, write_problem
from epstar.secret import Secret
from epstar.solve.wider.search import Search
from epstar.solve.wider.table import Table
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.statement import established
from epstar.universe import Graph

PRIOR = Prior(["5/10", "3/10", "2/10"])
PARAMETERS: dict[str, dict[str, object]] = {
    "approximate_differential_privacy": {"delta": "1/20"},
    "renyi_differential_privacy": {"order": 2},
    "sibson_mutual_information": {"order": 2},
    "g_leakage": {"gain": [[3, 1], [0, 2], [1, 1]]},
}


def notion(name: str) -> Any:
    return from_problem({"name": name, **PARAMETERS.get(name, {})})


def narrow(answer: Answer, expected: float, tolerance: float = 1e-7) -> None:
    assert answer.lower - tolerance <= expected <= answer.upper + tolerance
    assert answer.upper - answer.lower <= tolerance


@pytest.mark.parametrize("distortion", ["1e-10", "18e-15", "1e-20"])
def test_next_to_the_truth_the_truth_is_an_answer(distortion: str) -> None:
    """A program in floats finds no mechanism there; that which gives away what the record tells of the secret does."""
    likely = [Rational(k, 78) for k in range(1, 13)]
    hint = Secret.given([[Rational(k, 13), Rational(13 - k, 13)] for k in range(1, 13)])
    asked = Frontier("mi", Prior(likely), "hamming", secret=hint)
    found = asked.loss_at(distortion=distortion)
    assert found.mechanism is not None
    shares = np.array([[k / 13, 1 - k / 13] for k in range(1, 13)])
    both = shares * np.arange(1, 13)[:, None] / 78
    narrow(found, float((both * np.log(shares / both.sum(axis=0))).sum()))


@pytest.mark.parametrize("name", NOTIONS)
def test_what_binds_nothing_changes_nothing(name: str) -> None:
    measured = notion(name)
    plain = Frontier(measured, PRIOR, "hamming")
    loose = (
        Limits(allowed=[[True] * 3] * 3, lower=0, inequalities=[([[1, 1, 1]] * 3, 4)]),
        Limits(upper=[[1] * 3] * 3, equations=[([[1, 1, 1], [0, 0, 0], [0, 0, 0]], 1)]),
    )
    wider = [Frontier(measured, PRIOR, "hamming", limits=limits) for limits in loose]
    wider.append(Frontier(measured, PRIOR, "hamming", also=[("dp", "infinity"), ("leakage", "log(3)")]))
    # A capacity has no meaning behind a secret.
    if measured.priors(PRIOR) is PRIOR:
        wider.append(Frontier(measured, PRIOR, "hamming", secret=Secret.of(["a", "b", "c"])))
    least, loss = plain.distortion_at(loss=1), plain.loss_at(distortion="3/20")
    for frontier in wider:
        narrow(frontier.distortion_at(loss=1), least.upper, 1e-8)
    for frontier in wider if math.isfinite(loss.upper) else ():
        narrow(frontier.loss_at(distortion="3/20"), loss.upper, 1e-6)
    # Also where the least loss jumps.
    jump = plain.loss_at(distortion="1/5")
    for frontier in wider if name == "maximal_information" else ():
        narrow(frontier.loss_at(distortion="1/5"), jump.upper, 1e-8)


@pytest.mark.parametrize(
    ("row", "entries", "bound", "growth"),
    [
        (0, [1, 0, 0], 1, 2),
        (1, [0, 1, 0], 1, 2),
        (2, [0, 0, 1], 0, 2),
        (2, [1, -1, 0], 0, 2.5),
        (1, [0, 1, 0], "9/10", 2.5),
    ],
)
def test_where_the_least_loss_jumps_equations_are_kept(row: int, entries: list[int], bound: Any, growth: float) -> None:
    """Just below this distortion it is log(5/2), and at it log(2), which some equations allow and others do not."""
    matrix = [entries if x == row else [0, 0, 0] for x in range(3)]
    frontier = Frontier("maximal_information", PRIOR, "hamming", limits=Limits(equations=[(matrix, bound)]))
    narrow(frontier.loss_at(distortion="1/5"), math.log(growth), 1e-9)


def least_distortion(
    cost: list[list[int]], laws: list[list[float]], mixtures: list[Any], growth: float, **limits: Any
) -> float:
    """Return the least worst distortion by a linear program of its own: differential privacy on mixed rows."""
    inputs, outputs = np.shape(cost)
    width = inputs * outputs + 1
    above, most = [], []
    for law in laws:
        above.append([*(np.array(law)[:, None] * np.array(cost)).ravel(), -1.0])
        most.append(0.0)
    for mixture in mixtures:
        for s in range(len(mixture)):
            for t in range(len(mixture)):
                for y in range(outputs) if s != t else ():
                    row = np.zeros((inputs, outputs))
                    row[:, y] = np.array(mixture[s]) - growth * np.array(mixture[t])
                    above.append([*row.ravel(), 0.0])
                    most.append(0.0)
    equal = [[*np.repeat(np.eye(inputs)[x], outputs), 0.0] for x in range(inputs)]
    sides = [1.0] * inputs
    if "invariant" in limits:
        for y in range(outputs):
            row = np.zeros((inputs, outputs))
            row[:, y] = laws[0]
            equal.append([*row.ravel(), 0.0])
            sides.append(laws[0][y])
    ends = [(limits.get("lower", 0.0), limits.get("upper", 1.0))] * (width - 1) + [(None, None)]
    found = linprog([0.0] * (width - 1) + [1.0], above, most, equal, sides, ends)
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("seed", range(4))
def test_an_independent_program_agrees(seed: int) -> None:
    draw = random.Random(seed)
    laws = [[draw.randint(1, 9) for _ in range(4)] for _ in range(2)]
    shares = [[draw.randint(1, 9) for _ in range(3)] for _ in range(4)]
    cost = [[draw.randint(0, 9) for _ in range(4)] for _ in range(4)]
    priors = [[f"{w}/{sum(law)}" for w in law] for law in laws]
    given = [[f"{w}/{sum(row)}" for w in row] for row in shares]
    floats = [[w / sum(law) for w in law] for law in laws]
    conditional = np.array([[w / sum(row) for w in row] for row in shares])
    mixtures = []
    for law in floats:
        joint = np.array(law)[:, None] * conditional
        mixtures.append((joint / joint.sum(axis=0)).T)
    problem = {"notion": {"name": "differential_privacy"}, "source": {"finite": priors}, "distortion": {"matrix": cost}}
    behind = {**problem, "secret": {"given": given}, "mechanism": {"upper": "4/5"}, "at": {"loss": "1/5"}}
    found = answered(behind)
    narrow(found, least_distortion(cost, floats, mixtures, math.exp(0.2), upper=0.8), 1e-9)
    kept = {**problem, "source": {"prior": priors[0]}, "mechanism": {"invariant": True}, "at": {"loss": "1"}}
    narrow(answered(kept), least_distortion(cost, floats[:1], [np.eye(4)], math.e, invariant=True), 1e-9)


def answered(document: dict[str, Any]) -> Answer:
    problem = read_problem(document)
    return Frontier.answer(problem)


@pytest.mark.parametrize(
    ("document", "distortion"),
    [
        ({"notion": {"name": "renyi_differential_privacy", "order": "2"}, "mechanism": {"upper": "4/5"}}, "1/4"),
        ({"notion": {"name": "mutual_information"}, "secret": {"of": ["a", "b", "a"]}}, "1/5"),
        (
            {
                "notion": {"name": "differential_privacy"},
                "also": [{"notion": {"name": "sibson_mutual_information", "order": "3"}, "loss": "2/5"}],
            },
            "3/10",
        ),
        ({"notion": {"name": "g_leakage", "gain": [[3, 1], [0, 2], [1, 1]]}}, "1/5"),
        # A sum of maxima is linear, and what is added is not.
        (
            {
                "notion": {"name": "maximal_leakage"},
                "also": [{"notion": {"name": "renyi_differential_privacy", "order": "3"}, "loss": "1"}],
            },
            "2/5",
        ),
    ],
)
def test_a_loss_and_a_distortion_answer_each_other(document: dict[str, Any], distortion: str) -> None:
    whole = {**document, "source": {"prior": ["5/10", "3/10", "2/10"]}, "distortion": {"name": "hamming"}}
    loss = answered({**whole, "at": {"distortion": distortion}})
    assert loss.upper - loss.lower <= 1e-7
    back = answered({**whole, "at": {"loss": str(loss.interval.upper)}})
    narrow(back, float(Rational(*map(int, distortion.split("/")))), 1e-6)


@pytest.mark.parametrize("name", ["pointwise_leakage", "mutual_information"])
def test_a_start_that_meets_bounds_but_for_rounding_errors_is_no_start_next_to_them(name: str) -> None:
    """Nothing was proven of this: a slack of 1e-17 at the start had a multiplier of 1e17."""
    shares = [[4, 5, 6, 2], [3, 3, 7, 1], [10, 9, 10, 1], [9, 6, 6, 0], [10, 7, 5, 0]]
    secret = Secret.given([[Rational(w, sum(row)) for w in row] for row in shares])
    prior = Prior([Rational(w, 46) for w in (5, 11, 8, 17, 5)])
    asked = Frontier(name, prior, "squared", secret=secret, also=[("dp", "1/2")])
    found = asked.distortion_at(loss="1/2")
    narrow(found, found.upper, 1e-8)


def test_normal_distributions_are_met_at_two_inputs() -> None:
    answer = Frontier(notion("gaussian_differential_privacy"), ["1/2", "1/2"], "hamming").distortion_at(loss=1)
    narrow(answer, 0.5 * math.erfc(0.5 / math.sqrt(2)), 1e-9)


def test_the_relative_entropy_is_the_worst_order_of_two_even_inputs() -> None:
    frontier = Frontier(notion("concentrated_differential_privacy"), ["1/2", "1/2"], "hamming")
    narrow(frontier.loss_at("1/4"), math.log(3) / 2, 1e-8)


def test_guesses_of_the_input_are_gains() -> None:
    gain = GLeakage(np.eye(3, dtype=int).tolist())
    one = Frontier(gain, PRIOR, "absolute").distortion_at(loss="1/5")
    narrow(one, Frontier("min_entropy_leakage", PRIOR, "absolute").distortion_at(loss="1/5").upper, 1e-9)


def test_neighbouring_secrets_are_protected_alone() -> None:
    path = Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    near = Frontier("dp", PRIOR, "hamming", secret=Secret.of(["a", "b", "c"], path)).distortion_at(loss=1)
    narrow(near, Frontier("dp", PRIOR, "hamming", path).distortion_at(loss=1).upper, 1e-9)


def test_a_secret_that_never_happens_is_left_out() -> None:
    source = Finite([["1/2", "1/2", "0"], ["1/4", "3/4", "0"]])
    all_three = Frontier("identifiability", source, "hamming", secret=Secret.of(["a", "b", "c"]))
    answer = all_three.distortion_at(loss=2)
    two = Frontier("identifiability", Finite([["1/2", "1/2"], ["1/4", "3/4"]]), "hamming").distortion_at(loss=2)
    narrow(answer, two.upper, 1e-9)


def test_answers_come_back_from_their_file_and_say_what_they_keep() -> None:
    limits = Limits(allowed=[[True, True], [True, True], [False, True]])
    secret = Secret.given([["1", "0"], ["1/2", "1/2"], ["0", "1"]], ["low", "high"])
    frontier = Frontier(
        "information",
        PRIOR,
        Matrix([[0, 1], ["1/2", "1/2"], [1, 0]]),
        secret=secret,
        limits=limits,
        also=[("leakage", "log(3/2)")],
    )
    answer = frontier.distortion_at(loss="1/10")
    document = json.loads(json.dumps(write_answer(answer)))
    again = read_answer(document)
    assert (again.lower, again.upper) == (answer.lower, answer.upper)
    sentences = " ".join(established(document).sentences)
    assert "the secret (low and high)" in sentences
    assert "1 forbidden transition" in sentences
    assert "maximal leakage at log(3/2)" in sentences
    problem = answer.problem
    assert write_problem(read_problem(write_problem(problem))) == write_problem(problem)


def test_the_least_distortion_that_limits_allow_decides_whether_a_loss_is_finite() -> None:
    values = Limits(unbiased=([0, 1, 2], [-9, 0, 1, 2, 12]))
    cost = Matrix([[0, 0, 2, 6, 6], [1, 1, 0, 1, 9], [8, 6, 3, 0, 4]])
    least = Frontier("dp", PRIOR, cost, limits=values).distortion_at(loss="infinity").interval.upper
    with pytest.raises(NoSolution, match="finite loss") as refused:
        Frontier("dp", PRIOR, cost, limits=values).loss_at(least)
    assert isinstance(refused.value.witness, ClaimedProof)
    refused.value.witness.check()
    capped = Frontier("information", PRIOR, "hamming", limits=Limits(upper="4/5"))
    found = capped.loss_at("1/5")
    # Every input is then right in four of five cases, so that a grid over where the wrong answers go finds the least.
    shares = np.linspace(0.1, 0.15, 11)
    grid = [information(a, b, c) for a in shares for b in shares for c in shares]
    assert min(grid) - 1e-4 <= found.lower <= found.upper <= min(grid)
    assert found.upper - found.lower <= 1e-7


def information(a: float, b: float, c: float) -> float:
    """Return the information of answers that are right in four of five cases, and else the first other one so often."""
    rows = np.array([[0.8, a, 0.2 - a], [b, 0.8, 0.2 - b], [c, 0.2 - c, 0.8]])
    law = np.array([0.5, 0.3, 0.2])
    safe = np.maximum(rows, 1e-300)
    return float((law[:, None] * rows * np.log(safe / (law @ rows))).sum())


def test_limits_that_clash_are_named_with_a_proof() -> None:
    frontier = Frontier("dp", ["1/2", "1/2"], "hamming", limits=Limits(upper="2/5"))
    with pytest.raises(NoSolution, match=r"the upper bound of input [01] and output 0") as refused:
        frontier.distortion_at(loss=1)
    assert isinstance(refused.value.witness, ClaimedProof)
    refused.value.witness.check()
    with pytest.raises(
        NoSolution, match=r"No mechanism has a finite loss.*; it clashes with maximal leakage at 0 nats"
    ):
        Frontier("dp", ["1/2", "1/2"], "hamming", also=[("leakage", 0)]).loss_at("1/5")


def test_curves_keep_the_limits() -> None:
    curve = Frontier("dp", ["1/2", "1/2"], "hamming", limits=Limits(upper="3/4")).curve(losses=[1, 3])
    assert np.allclose(curve.upper, [1 / (1 + math.e), 1 / 4], atol=1e-9)


@pytest.mark.parametrize("name", ["dp", "information", "leakage", "maximal_information", "min_entropy_leakage"])
@pytest.mark.parametrize(
    "source",
    [
        Box(["1/5"] * 3, ["1/2"] * 3),
        Hull([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]]),
        Everything(3),
        Ball(["1/2", "1/4", "1/4"], "1/10"),
        Polytope([[1, -1, 0], [0, 1, -1]], ["1/5", 0]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_regions_keep_what_binds_nothing(name: str, source: Source) -> None:
    loose = Limits(inequalities=[([[1, 1, 1]] * 3, 4)])
    wider = Frontier(name, source, "hamming", limits=loose).distortion_at(loss="1/3")
    narrow(wider, Frontier(name, source, "hamming").distortion_at(loss="1/3").upper, 1e-8)
    again = read_answer(json.loads(json.dumps(write_answer(wider))))
    assert (again.lower, again.upper) == (wider.lower, wider.upper)


NINE = [f"{count}/641" for count in (92, 84, 32, 79, 69, 89, 41, 62, 93)]
TEN = [f"{50 + 5 * place}/725" for place in range(10)]


@pytest.mark.parametrize("name", ["maximal_information", "local_information_privacy"])
@pytest.mark.parametrize("region", ["box", "ball"])
def test_outputs_of_rounding_errors_do_not_decide_which_distribution_is_worst(name: str, region: str) -> None:
    shares = [Rational(50 + 5 * place, 725) for place in range(10)]
    box = Box([share * Rational(4, 5) for share in shares], [share * Rational(6, 5) for share in shares])
    source: Source = box if region == "box" else Ball(TEN, "1/10")
    loose = Frontier(name, source, "absolute", also=[("leakage", 2)])
    narrow(loose.distortion_at(loss=1), Frontier(name, source, "absolute").distortion_at(loss=1).upper, 1e-9)


def test_what_a_search_finds_to_be_lost_is_claimed_with_its_rounding() -> None:
    ball = Ball(["88/329", "31/329", "49/329", "93/329", "68/329"], "1/10")
    notion = SibsonMutualInformation(2)
    wider = Frontier(notion, ball, "absolute", also=[("leakage", 2)]).loss_at("5/8")
    narrow(wider, Frontier(notion, ball, "absolute").loss_at("5/8").upper, 1e-9)


def test_a_mechanism_inside_costs_less_under_every_distribution_of_a_region() -> None:
    """Laws at which it cost too much were none of the program, so that more of it made the repaired one dearer."""
    plain = Frontier("capacity", Ball(NINE, "1/10"), "absolute")
    problem = Problem(plain.notion, plain.source, plain.distortion, plain.universe, "loss", Real.of(Rational(9, 8)))
    found = by_wider_program(problem)
    assert found.width <= 1e-9
    assert float(found.upper) == pytest.approx(plain.loss_at("9/8").upper, abs=1e-9)


def test_what_was_found_before_time_ran_out_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Frontier("dp", PRIOR, Matrix([[0, 1, 3], [2, 0, 1], [1, 4, 0]]), limits=Limits(upper="9/10"))
    whole, tried, solve_at = asked.loss_at("3/10"), list[float](), Search._at_level

    def few(self: Search, table: Table, level: float) -> tuple[float, float, float]:
        tried.append(level)
        if len(tried) > 3:
            raise TimeLimit("The time limit passed.")
        return solve_at(self, table, level)

    monkeypatch.setattr(Search, "_at_level", few)
    found = asked.loss_at("3/10")
    assert found.timed_out
    assert 0 < found.lower <= whole.upper
    assert whole.lower <= found.upper < math.inf


def test_a_region_with_an_impossible_input_leaves_no_finite_loss_within_limits() -> None:
    asked = Frontier(
        "identifiability", Ball([*["1/5"] * 4, "1/10", "1/10"], "1/5"), "hamming", limits=Limits(upper="9/10")
    )
    with pytest.raises(NoSolution, match="No mechanism has a finite loss"):
        asked.loss_at("1/2", time_limit=20)


def test_a_capacity_is_kept_over_all_distributions() -> None:
    plain = Frontier("capacity", PRIOR, "hamming").distortion_at(loss="1/5")
    narrow(Frontier("capacity", PRIOR, "hamming", also=[("dp", 20)]).distortion_at(loss="1/5"), plain.upper, 1e-8)
    narrow(Frontier("dp", PRIOR, "hamming", also=[("capacity", "1/5")]).distortion_at(loss=20), plain.upper, 1e-6)


def test_a_curve_goes_from_the_least_distortion_to_the_least_loss() -> None:
    frontier = Frontier("dp", PRIOR, "hamming", limits=Limits(upper="9/10"))
    curve = frontier.curve(points=3)
    assert float(curve.distortion[0]) == pytest.approx(0.1)
    assert curve.upper[0] == pytest.approx(math.log(18), abs=1e-9)
    assert curve.upper[-1] == pytest.approx(0, abs=1e-9)


def test_breakpoints_of_what_binds_nothing_are_those_of_the_closed_form() -> None:
    wider = Frontier("dp", ["1/2", "1/2"], "hamming", limits=Limits(upper="3/4")).breakpoints()
    assert [point.kind for point in wider] == ["least distortion", "threshold"]
    assert float(wider[0].distortion) == pytest.approx(1 / 4)
    assert wider[0].right.upper.upper == pytest.approx(math.log(3), abs=1e-8)
    assert not any(point.is_exact for point in wider[1:])


def test_an_answer_tells_how_it_was_found() -> None:
    frontier = Frontier("dp", PRIOR, "hamming", limits=Limits(upper="3/5"))
    assert "general program: at least" in str(frontier.explain(loss=1))
    loose = Frontier("dp", PRIOR, "hamming", limits=Limits(upper="9/10"))
    assert "without what is added asks:" in str(loose.explain(loss=1))
    late = frontier.distortion_at(loss=1, time_limit=1e-4)
    assert late.timed_out
    assert late.lower <= frontier.distortion_at(loss=1).lower <= late.upper


def untyped(value: object) -> Any:
    return value


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Secret.of(["a", "a"]), "depends on nothing"),
        (lambda: Secret.given([["1/2", "1/2"], ["1/2", "1/2"]]), "depends on nothing"),
        (lambda: Secret.given([["1/2", "1/3"], ["1", "0"]]), "sum"),
        (lambda: Limits(upper=2), "from 0 to 1"),
        (lambda: Limits(allowed=untyped([[1, 0]])), "true or false"),
        (lambda: Frontier("dp", PRIOR, "hamming", limits=Limits(allowed=[[True]])).distortion_at(1), "make them agree"),
        (
            lambda: Frontier(
                "dp", Finite([["1/2", "1/2"], ["1/3", "2/3"]]), "hamming", limits=Limits(invariant=True)
            ).distortion_at(1),
            "one prior",
        ),
        (
            lambda: Frontier(
                "dp", Box(["1/4", "1/4"], ["3/4", "3/4"]), "hamming", secret=Secret.of(["a", "b"])
            ).distortion_at(1),
            "a prior or a finite list",
        ),
        (lambda: Frontier("dp", PRIOR, "hamming", secret=Secret.of(["a", "b"])).distortion_at(1), "make them agree"),
        (lambda: Frontier("dp", PRIOR, "hamming", also=[("dp", -1)]).distortion_at(1), "negative"),
        (lambda: Frontier(GLeakage([[1, 0]]), PRIOR, "hamming").distortion_at(1), "a row for each"),
        (lambda: GLeakage([[0, 0]]), "nothing to guess"),
        (
            lambda: Frontier("capacity", PRIOR, "hamming", secret=Secret.of(["a", "b", "a"])).distortion_at(1),
            "what a secret tells depends",
        ),
        (
            lambda: Frontier(GLeakage([[1, 0], [0, 1]]), Box(["1/4", "1/4"], ["3/4", "3/4"]), "hamming").distortion_at(
                1
            ),
            "finite list",
        ),
        (lambda: Frontier("dp", Rows(PRIOR, 2), "hamming", also=[("leakage", 1)]).distortion_at(1), "whole databases"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        make()


IMPLYING = {
    "an upper bound of zero": Limits(upper=[[1, "1/2", 0], [1, 1, 1], ["1/2", 1, 1]]),
    "an equation without negative terms": Limits(equations=[([[0, 1, 1], [0, 0, 0], [0, 0, 0]], 0)]),
    "the extreme means": Limits(unbiased=([0, 1, 2], [0, 1, 2])),
    "kept frequencies": Limits(invariant=True, upper=[[1, 1, 0], [1, 1, 1], [1, 1, 1]]),
}
CURVED = (
    "mutual_information",
    "renyi_differential_privacy",
    "sibson_mutual_information",
    "pointwise_leakage",
    "capacity",
    "gaussian_differential_privacy",
)


# Some limits give two inputs no answer in common, which has no finite divergence between the two.
IMPLIED = [(name, why) for name in CURVED for why in IMPLYING if "_privacy" not in name or why.startswith("an ")]


@pytest.mark.parametrize(("name", "why"), IMPLIED)
def test_zeros_that_only_limits_imply_are_proven_and_kept(name: str, why: str) -> None:
    answer = Frontier(notion(name), PRIOR, "absolute", limits=IMPLYING[why]).distortion_at(loss=2)
    assert answer.mechanism is not None
    narrow(answer, answer.upper, 1e-7)


def test_tight_inequalities_leave_room_for_a_mechanism() -> None:
    limits = Limits(lower=[["1/2", "1/4", "1/4"], [0, 0, 0], [0, 0, 0]])
    answer = Frontier("information", PRIOR, "absolute", limits=limits).distortion_at(loss="1/5")
    assert answer.mechanism is not None
    assert [str(entry) for entry in answer.mechanism.dense().rows[0]] == ["1/2", "1/4", "1/4"]
    narrow(answer, answer.upper, 1e-7)


def test_several_gains_on_the_command_line_are_several_adversaries(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = "[[1, 0], [0, 2]]", "[[1, 0], [0, 1]]"
    asked = ["solve", "--notion", "g_leakage", "--prior", "1/2,1/2", "--loss", "1/10", "--json"]
    ends = []
    for gains in ([first], [second], [first, second]):
        assert main([*asked, *(part for gain in gains for part in ("--gain", gain))]) == 0
        ends.append(json.loads(capsys.readouterr().out)["upper"])
    notion = GLeakage([[1, 0], [0, 2]], others=[[[1, 0], [0, 1]]])
    assert ends[2] == Frontier(notion, ["1/2", "1/2"], "hamming").distortion_at(loss="1/10").upper
    assert ends[2] >= max(ends[:2]) > min(ends[:2])
