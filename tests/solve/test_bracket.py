"""The bracket keeps what is better and nothing that is false; the loop answers what methods ask."""

import ast
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import epstar.solve as package
from epstar.cli.main import main
from epstar.completion import Converse, Proof
from epstar.distortion import Absolute, Hamming
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.frontier import Frontier
from epstar.limits import Limits
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.problem import Problem
from epstar.secret import Secret
from epstar.solve import METHODS, REDUCTIONS, select_methods, solve
from epstar.solve.bracket import Bracket, Offer
from epstar.solve.explanation import Asked, Improvement
from epstar.source import Prior, Rows
from epstar.statistic import Statistic
from epstar.universe import Alphabet

PRIOR = Prior(["1/2", "3/10", "1/5"])
PROBLEM = Problem(DifferentialPrivacy(), PRIOR, Hamming(), Alphabet(3), "loss", Real.of("1/4"))


def response(right: str) -> Mechanism:
    """The truth with some probability, else one of the two other letters."""
    kept = Rational(*map(int, right.split("/")))
    return Mechanism([[kept if x == y else (1 - kept) / 2 for y in range(3)] for x in range(3)])


def offered(right: str) -> Offer:
    return Offer(Proof(PROBLEM, response(right), None), "by hand", "none")


def test_what_is_better_is_kept() -> None:
    bracket = Bracket(PROBLEM)
    assert bracket.width == float("inf")
    assert bracket.offer(offered("9/10"))
    assert str(bracket.upper) == "log(18)"
    assert not bracket.offer(offered("19/20"))
    assert bracket.offer(offered("3/4"))
    assert str(bracket.upper) == "log(6)"
    assert bracket.lower.rational == 0
    assert [step.upper for step in bracket.steps if isinstance(step, Improvement)] == pytest.approx(
        [2.8904, 1.7918], 1e-3
    )


def test_what_is_false_changes_nothing() -> None:
    bracket = Bracket(PROBLEM)
    too_wrong = replace(offered("1/2"), settles=True)
    assert not bracket.offer(too_wrong)
    assert not bracket.is_settled
    spoilt = Converse(ONE, ((ONE, (ONE, ZERO, ZERO)),), level=Real.log(Rational(100)))
    assert not bracket.offer(Offer(Proof(PROBLEM, None, spoilt), "by hand", "none", settles=True))
    assert not bracket.is_settled
    assert bracket.mechanism is None


def test_ends_from_two_methods_make_one_proof() -> None:
    best = solve(PROBLEM)
    bracket = Bracket(PROBLEM)
    bracket.offer(Offer(Proof(PROBLEM, None, best.converse), "below", "one theorem"))
    bracket.offer(offered("3/4"))
    assert str(bracket.evidence.check().lower) == str(best.lower)
    assert str(bracket.evidence.check().upper) == "log(6)"
    assert (bracket.method, bracket.theorem) == ("below", "one theorem")
    again = pickle.loads(pickle.dumps(bracket))
    assert str(again.upper) == "log(6)"
    assert str(again.lower) == str(best.lower)


def test_a_bracket_says_who_was_asked() -> None:
    rows = Frontier("dp", Rows(PRIOR, 2), "hamming").explain(distortion="1/2")
    (asked, found) = rows.steps
    assert isinstance(asked, Asked)
    assert isinstance(found, Improvement)
    assert asked.by == found.by == "independent rows"
    assert "zhong2022, Lemma 16(1)" in found.theorem
    assert "zhong2022, Theorem 13 as corrected" in str(rows)


def test_the_plan_names_who_answers() -> None:
    for notion, distortion in ((DifferentialPrivacy(), Hamming()), (RenyiDifferentialPrivacy(2), Absolute())):
        frontier = Frontier(notion, PRIOR, distortion)
        plan = select_methods(frontier._problem("loss", "1/4"))
        steps = frontier.explain(distortion="1/4").steps
        assert {step.by for step in steps if isinstance(step, Improvement)} <= set(plan.methods)
    alias = select_methods(Frontier(SibsonMutualInformation(1), PRIOR, Hamming())._problem("loss", "1/4"))
    assert alias.reduction == "canonical form"
    assert [question.methods for question in alias.questions] != [()]


def test_wider_questions_and_statistics_are_planned_and_explained_too() -> None:
    capped = Frontier("dp", PRIOR, "hamming", limits=Limits(upper="1/2"), also=[("maximal_leakage", "1/2")])
    counted = Frontier("dp", PRIOR, Statistic(100))
    hidden = Frontier("information", PRIOR, "hamming", secret=Secret.of(["a", "a", "b"]))
    for frontier in (capped, counted, hidden):
        plan = select_methods(frontier._problem("distortion", 1))
        told = frontier.explain(loss=1)
        step = told.steps[-1]
        assert isinstance(step, Improvement)
        assert step.by in plan.methods
        assert plan.asks == told.asks
        assert [plan.reduction] * len(plan.questions) == [step.by for step in told.steps if isinstance(step, Asked)]
        found = frontier.distortion_at(1)
        assert step.lower == pytest.approx(found.lower)
        assert step.upper == pytest.approx(found.upper)
    assert (
        str(select_methods(capped._problem("distortion", 1)))
        .splitlines()[0]
        .endswith("at loss 1, with limits and further guarantees")
    )


def test_a_mechanism_of_infinite_loss_is_more_than_none() -> None:
    truth = Problem(DifferentialPrivacy(), PRIOR, Hamming(), Alphabet(3), "loss", Real.of(0))
    found = solve(truth)
    assert found.mechanism is not None
    assert found.lower.is_infinite
    assert found.width == 0


def test_reductions_and_methods_print_themselves() -> None:
    assert str(REDUCTIONS).startswith("(without what is added, independent rows, canonical form")
    assert all(method.name and method.kind for method in METHODS)


def test_nothing_below_calls_the_loop() -> None:
    """A method asks, and never solves: no module below imports the loop, at any depth."""
    folder = Path(package.__file__).parent
    for path in folder.rglob("*.py"):
        if path.parent == folder and path.name == "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "epstar.solve":
                assert not {"solve", "select_methods"} & {alias.name for alias in node.names}, path


def test_a_closed_form_loads_no_solver() -> None:
    question = 'Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at(0.2)'
    loaded = "[name for name in ('scipy', 'highspy', 'epstar.query') if name in sys.modules]"
    code = f"import sys; from epstar.frontier import Frontier; {question}; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_explains(capsys: pytest.CaptureFixture[str]) -> None:
    question = ["solve", "--notion", "dp", "--prior", "0.5,0.3,0.2", "--distortion", "0.25", "--explain"]
    assert main(question) == 0
    assert "randomised response: at least" in capsys.readouterr().out
    assert main([*question, "--json"]) == 0
    printed = capsys.readouterr()
    assert "randomised response" not in printed.out
    assert "by zhong2022, Theorem 13 as corrected" in printed.err
