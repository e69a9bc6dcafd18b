"""Limits of time and memory: both are kept, and an answer still has what is known."""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.limits.questions import ANYTHING, LARGER, QUESTIONS, law, places

from epstar.answer import answer, described
from epstar.answer_file import read_answer, write_answer
from epstar.cli.main import main
from epstar.cli.result import LIMIT
from epstar.deadline import Deadline
from epstar.errors import InvalidInput
from epstar.exact import Interval, Real
from epstar.frontier import Frontier
from epstar.memory import MEBIBYTE, Memory, TooLarge, free, in_use, keep_memory
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.problem_file import write_problem
from epstar.solve import solve
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly

# What takes all of its eight seconds is for full runs; two other grids, and one of these, are asked every time.
HEAVY: list[Any] = [
    pytest.param(name, marks=pytest.mark.full) if name == "grid of 100 places, loss given" else name
    for name in QUESTIONS
    if "places" in name
]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def in_a_process(name: str, *limits: float) -> tuple[float, float, bool, str, float, int]:
    """Both ends, whether there is a mechanism, the status, the seconds and the peak in MiB of a process of its own."""
    words = [sys.executable, str(Path(__file__).with_name("questions.py")), name, *map(str, limits)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **ONE_THREAD})
    lower, upper, has_mechanism, status, seconds, peak = json.loads(done.stdout)
    return lower, upper, has_mechanism, status, seconds, peak


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_cut_short_is_finite_and_takes_no_longer(name: str) -> None:
    problem, seconds = QUESTIONS[name](), 2.0
    taken = math.inf
    # Of work: how soon that is on the clock depends on what else the machine does, which can make work slower as well.
    for _ in range(2):
        if taken > 1.2 * seconds + 0.2:
            start = time.thread_time()
            found = answer(problem, None, seconds)
            taken = min(taken, time.thread_time() - start)
    assert taken <= 1.2 * seconds + 0.2
    assert found.mechanism is not None
    assert 0 <= found.lower <= found.upper < math.inf


@pytest.mark.full
@pytest.mark.parametrize("seconds", [1.0, 2.0, 5.0, 20.0])
@pytest.mark.parametrize("name", [*QUESTIONS, *LARGER, *ANYTHING])
def test_an_answer_comes_in_time(name: str, seconds: float) -> None:
    lower, upper, has_mechanism, _, taken, _ = in_a_process(name, seconds)
    assert taken <= 1.2 * seconds + 0.2
    assert has_mechanism
    assert lower <= upper < math.inf


def test_the_time_is_used() -> None:
    # One program takes longer than this: it is not given up for the sake of evidence that there is none of.
    problem, seconds, start = QUESTIONS["Rényi, 100 categories"](), 3.0, time.monotonic()
    found = answer(problem, None, seconds)
    assert not found.timed_out or time.monotonic() - start >= 0.6 * seconds


@pytest.mark.full
def test_a_large_program_that_is_cut_short_has_evidence() -> None:
    # 9,900 divergences on 10,000 entries: a few outputs after the other, each round with a proof of its own.
    lower, upper, *_ = in_a_process("Rényi, 100 categories", 60)
    assert upper - lower < 0.06


@pytest.mark.parametrize("name", HEAVY)
def test_no_more_memory_is_held_than_allowed(name: str) -> None:
    lower, upper, has_mechanism, status, _, peak = in_a_process(name, 8, 300)
    # Pieces of less than 8 MiB are not counted.
    assert peak <= 300 + 2 * 8
    # The columns of a grid of 100 places fit, if there is time; what does not is said.
    assert status == "proven" or status.startswith(("too large for a program", "the time limit passed"))
    assert has_mechanism
    assert lower <= upper < math.inf


@pytest.mark.full
@pytest.mark.parametrize("mebibytes", [500.0, 1000.0, 2000.0])
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_estimated_is_held(name: str, mebibytes: float) -> None:
    *_, peak = in_a_process(name, 30, mebibytes)
    assert peak <= mebibytes


def test_memory_is_refused_where_a_limit_is_kept_and_nowhere_else() -> None:
    keep_memory(1e18)
    with Memory(in_use() + 100 * MEBIBYTE).kept():
        keep_memory(50 * MEBIBYTE)
        with pytest.raises(TooLarge, match=r"would take about 1,000 MiB"):
            keep_memory(1000 * MEBIBYTE)
        # The outer limit stays, so that no part of a question allows itself more.
        with Memory(1e18).kept(), pytest.raises(TooLarge):
            keep_memory(1000 * MEBIBYTE)
    keep_memory(1e18)


def test_half_of_what_is_free_is_allowed_unless_said_otherwise() -> None:
    before, room = in_use(), free()
    assert room > 0
    assert Memory().limit == pytest.approx(before + room / 2, rel=0.2)
    wrong: list[Any] = [0, -1, math.nan, True, "1"]
    for limit in wrong:
        with pytest.raises(InvalidInput, match="memory limit"):
            solve(QUESTIONS["anything of 60"](), memory_limit=limit)


def test_every_program_is_estimated_as_it_grows() -> None:
    assembly = Assembly()
    columns = assembly.variables(1000)

    def grow() -> None:
        for _ in range(10_000):
            assembly.all_at_most((list(columns), 1.0), (list(reversed(columns)), 1.0), bound=1.0)

    with Memory(in_use() + 200 * MEBIBYTE).kept(), pytest.raises(TooLarge):
        grow()
    assert assembly.entries < 1_500_000


def test_a_program_that_cannot_be_handed_over_in_time_is_not() -> None:
    assembly = Assembly()
    columns = assembly.variables(1000)
    for _ in range(100):
        assembly.all_at_most((list(columns), 1.0), (list(reversed(columns)), 1.0), bound=1.0)
    start = time.thread_time()
    assert solve_linear(assembly, 0.01).is_cut_short
    assert time.thread_time() - start < 0.1


def test_deadlines_are_kept_by_forms_and_by_programs_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Deadline] = []
    before = Deadline.__init__

    def remembered(self: Deadline, limit: float | None, spare: float = 0.0, is_of_work: bool = False) -> None:
        before(self, limit, spare, is_of_work)
        made.append(self)

    monkeypatch.setattr(Deadline, "__init__", remembered)
    answer(QUESTIONS["grid of 64 places, with a slack"](), None, 1.0)
    assert len(made) > 3
    # Only the first claims have none: their work is bounded.
    assert sum(deadline.remaining is None for deadline in made) <= 1


def test_the_command_line_takes_both_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cost, metric = places(10, 10, 100)
    problem = Problem(DifferentialPrivacy(), law(100), cost, metric, "distortion", Real.of(1))
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(write_problem(problem)))
    for command in ("solve", "curve"):
        assert main([command, str(file), "--time-limit", "60", "--memory-limit", "1"]) == LIMIT
        assert "too large" in capsys.readouterr().out
    assert main(["solve", str(file), "--memory-limit", "0"]) == 2
    assert "memory limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("timed_out", "too_large", "why"),
    [
        (True, False, "the time limit passed, raise it"),
        (False, True, "too large for a program, merge categories or raise the memory limit"),
        (True, True, "raise the memory limit to know more; the time limit passed, raise it"),
        (False, False, "no method proves more here, fewer categories or a smaller source may help"),
    ],
)
def test_a_wide_answer_says_why_and_what_would_narrow_it(timed_out: bool, too_large: bool, why: str) -> None:
    wide, narrow = Interval(Real.of(0), Real.of("1/2")), Interval(Real.of(0), Real.of("1e-8"))
    status, *limits = described(wide, timed_out, too_large)
    assert why in status
    assert status.endswith("; proven to within 5.0e-01")
    assert limits == [timed_out, too_large]
    assert described(narrow, timed_out, too_large) == ("proven", False, False)
    assert "a smaller set or fewer categories" in described(wide, timed_out, too_large, is_bounded=True)[0]
    assert ("raise" in described(wide, timed_out, too_large, is_bounded=True)[0]) == (timed_out or too_large)


def test_what_is_said_of_a_wide_answer_is_the_same_in_its_file() -> None:
    found = answer(QUESTIONS["Rényi, 100 categories"](), None, 0.0)
    document = write_answer(found)
    assert document["status"] == found.status
    read = read_answer(document)
    assert (read.status, read.timed_out, read.too_large) == (found.status, True, found.too_large)


def test_a_curve_shares_the_memory_among_its_workers() -> None:
    cost, metric = places(10, 10, 100)
    frontier = Frontier(DifferentialPrivacy(), law(100), cost, metric)
    curve = frontier.curve(losses=["1/2", "1"], workers=2, memory_limit=float(MEBIBYTE))
    assert curve.too_large
    assert all(math.isfinite(end) for end in (*curve.lower, *curve.upper))
