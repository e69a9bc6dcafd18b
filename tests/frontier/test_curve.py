"""Curves: the same answers as single calls, however the work is shared, and never a crash at one bad point."""

from __future__ import annotations

import logging
import math
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import pytest
from distributed import Client, LocalCluster

from epstar import points as points_module
from epstar.curve import Curve, Unanswered
from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix
from epstar.errors import InvalidInput, SolverFailure
from epstar.exact import INFINITY, Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.solve import Bracket
from epstar.source import Hull, Prior, Rows, Source
from epstar.universe import Alphabet, Databases

T = TypeVar("T")
FOUR = Prior(["4/10", "3/10", "2/10", "1/10"])
THREE = Prior(["1/2", "3/10", "1/5"])
CASES: list[tuple[Notion, Source, Distortion]] = [
    (DifferentialPrivacy(), FOUR, Hamming()),
    (DifferentialPrivacy(), FOUR, Absolute()),
    (ApproximateDifferentialPrivacy("1/10"), Hull([["1/2", "3/10", "1/5"], ["3/5", "1/5", "1/5"]]), Hamming()),
    (MutualInformation(), FOUR, Hamming()),
    (MaximalLeakage(), FOUR, Hamming()),
    (Identifiability(), FOUR, Hamming()),
    (MaximalInformation(), THREE, Hamming()),
    (RenyiDifferentialPrivacy(2), THREE, Hamming()),
]


def same(left: Curve, right: Curve) -> None:
    """The two curves are equal bit for bit, proofs included."""
    assert np.array_equal(left.lower, right.lower)
    assert np.array_equal(left.upper, right.upper)
    for mine, theirs in zip(left.answers, right.answers, strict=True):
        assert type(mine) is type(theirs)
        if isinstance(mine, Answer) and isinstance(theirs, Answer):
            assert mine.mechanism == theirs.mechanism
            assert (mine.method, mine.theorem, mine.status, mine.unit) == (
                theirs.method,
                theirs.theorem,
                theirs.status,
                theirs.unit,
            )
            assert mine.proof.check().upper.upper == theirs.proof.check().upper.upper


@pytest.mark.parametrize(("notion", "source", "distortion"), CASES, ids=lambda case: type(case).__name__)
def test_a_curve_is_its_single_answers(notion: Notion, source: Source, distortion: Distortion) -> None:
    frontier = Frontier(notion, source, distortion)
    curve = frontier.curve(points=7)
    assert len(curve.answers) == 7
    for problem, answer, lower, upper in zip(curve.problems, curve.answers, curve.lower, curve.upper, strict=True):
        single = frontier.loss_at(problem.given)
        assert isinstance(answer, Answer)
        assert answer.mechanism == single.mechanism
        assert (lower, upper) == (single.lower, single.upper)
    # More distortion never costs more.
    assert (curve.lower[1:] <= curve.upper[:-1]).all()
    assert curve.asks == "loss"
    assert np.array_equal(curve.loss, curve.upper)
    assert (np.diff(curve.distortion) > 0).all()


def test_the_grid_goes_from_the_least_distortion_to_the_least_loss() -> None:
    curve = Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(points=5)
    assert [problem.given.rational for problem in curve.problems] == [Rational(3 * i, 20) for i in range(5)]
    assert curve.upper[0] == math.inf
    assert curve.lower[-2] > 0
    assert curve.upper[-1] == 0
    slack = Frontier(ApproximateDifferentialPrivacy("1/10"), FOUR, Hamming()).curve(points=2)
    assert slack.problems[-1].given.rational == Rational(27, 50)
    identifiable = Frontier(Identifiability(), FOUR, Hamming()).curve(points=3)
    assert identifiable.upper[-1] == pytest.approx(math.log(4))


def test_databases_are_never_written_out() -> None:
    frontier = Frontier(DifferentialPrivacy(), Rows(THREE, 10**6), Hamming(), Databases(Alphabet(3), 10**6))
    curve = frontier.curve(points=3)
    assert curve.problems[-1].given.rational == 500_000
    row = Frontier(DifferentialPrivacy(), THREE, Hamming()).loss_at("1/4")
    assert (curve.lower[1], curve.upper[1]) == (row.lower, row.upper)


def test_workers_change_nothing() -> None:
    """Answers, points without one, and numbers of every kind come back from a worker as they are."""
    frontier = Frontier(MaximalInformation(), THREE, Hamming())
    distortions = ["-1/10", 0, "1/5", "1/3"]
    calls: list[tuple[int, int]] = []
    shared = frontier.curve(distortions, workers=2, progress=lambda done, total: calls.append((done, total)))
    same(shared, frontier.curve(distortions, workers=1))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_work_that_proves_long_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of a slow curve goes to workers; the answers are those of a quick one."""
    started: list[int] = []
    shared = points_module._shared

    def counted(
        chains: Sequence[points_module.Chain], count: int, limits: points_module._Limits
    ) -> Iterator[tuple[int, points_module.Outcome]]:
        started.append(sum(map(len, chains)))
        return shared(chains, count, limits)

    monkeypatch.setattr(points_module, "_shared", counted)
    monkeypatch.setattr(points_module, "_cores", lambda: 2)
    frontier = Frontier(DifferentialPrivacy(), FOUR, Absolute())
    quick = frontier.curve(points=4)
    assert started == []
    monkeypatch.setattr(points_module, "_TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(points_module, "_WORTH_SECONDS", 0.0)
    same(frontier.curve(points=4), quick)
    assert len(started) == 1
    assert started[0] >= 3


def test_workers_that_die_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(ThreadPoolExecutor):
        def __init__(self, count: int, mp_context: object) -> None:
            super().__init__(1)
            self.submitted = 0

        def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
            self.submitted += 1
            future: Future[T] = Future()
            if self.submitted == 2:
                future.set_exception(BrokenProcessPool("a worker died"))
                return future
            return super().submit(fn, *args, **kwargs)

    frontier = Frontier(DifferentialPrivacy(), FOUR, Absolute())
    whole = frontier.curve(points=5)
    monkeypatch.setattr(points_module, "ProcessPoolExecutor", Dying)
    same(frontier.curve(points=5, workers=2), whole)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_will_do(kind: type[Executor]) -> None:
    """Chains of several points: each starts from the one before, whoever solves them."""
    frontier = Frontier(MaximalInformation(), THREE, Absolute())
    calls: list[tuple[int, int]] = []
    with kind() as executor:
        shared = frontier.curve(points=20, executor=executor, progress=lambda *done: calls.append(done))
    same(shared, frontier.curve(points=20, workers=1))
    assert [done for done, _ in calls] == list(range(1, 21))
    with kind() as executor, pytest.raises(InvalidInput, match="executor"):
        frontier.curve(points=2, executor=executor, workers=2)


def test_a_cluster_of_dask_will_do() -> None:
    """Workers are processes of their own, to which questions are sent and from which evidence comes back."""
    frontier = Frontier(MaximalInformation(), THREE, Absolute())
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL)
    with cluster, Client(cluster) as client:
        shared = frontier.curve(points=20, executor=client.get_executor())
    same(shared, frontier.curve(points=20, workers=1))


def test_points_come_one_by_one_and_far_ones_first() -> None:
    frontier = Frontier(DifferentialPrivacy(), FOUR, Absolute())
    problems = [frontier._problem("loss", place) for place in frontier.grid(5)]
    places = []
    for place, answer in points_module.stream(problems, workers=1, far_first=True):
        assert isinstance(answer, Answer)
        assert answer.problem == problems[place]
        places.append(place)
    assert places[:2] == [0, 4]
    assert sorted(places) == [0, 1, 2, 3, 4]


def test_a_script_that_cannot_be_imported_again_gets_no_workers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", script)
    assert points_module._can_start_workers()
    script.__file__ = str(tmp_path / "script.py")
    assert not points_module._can_start_workers()
    Path(script.__file__).write_text("frontier.curve()\n", encoding="utf-8")
    assert not points_module._can_start_workers()
    Path(script.__file__).write_text('if __name__ == "__main__":\n    frontier.curve()\n', encoding="utf-8")
    assert points_module._can_start_workers()


def test_a_point_without_solution_stays_in_its_place() -> None:
    curve = Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(distortions=["1/5", "-1/10", "3/10"])
    first, missing, last = curve.answers
    assert isinstance(first, Answer)
    assert isinstance(last, Answer)
    assert isinstance(missing, Unanswered)
    assert missing.is_impossible
    assert "No mechanism" in missing.reason
    assert (curve.lower[1], curve.upper[1]) == (math.inf, math.inf)
    below = Frontier(Identifiability(), FOUR, Hamming()).curve(losses=["1/10", "log(7)"])
    assert (below.lower[0], below.upper[0]) == (math.inf, math.inf)
    assert below.upper[1] == pytest.approx(0.3, abs=1e-15)


def test_a_solver_that_gives_up_leaves_what_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> Bracket:
        raise SolverFailure("nothing came back")

    monkeypatch.setattr("epstar.solve.solve", failing)
    frontier = Frontier(DifferentialPrivacy(), FOUR, Absolute())
    curve = frontier.curve(distortions=["1/5"])
    assert (curve.lower[0], curve.upper[0]) == (0.0, math.inf)
    assert curve.answers == (Unanswered("nothing came back", False),)
    assert frontier.curve(losses=[1]).lower[0] == -math.inf


@pytest.mark.parametrize("workers", [1, 2])
def test_a_time_limit_leaves_what_was_proven_so_far(workers: int) -> None:
    """The whole curve would take minutes; what a limit leaves is proven all the same."""
    size = 40
    costs = [[(7 * x + 3 * y + x * y) % 11 for y in range(size)] for x in range(size)]
    prior = Prior([Rational(2 * (x + 1), size * (size + 1)) for x in range(size)])
    frontier = Frontier(MaximalInformation(), prior, Matrix(costs))
    start = time.monotonic()
    curve = frontier.curve(points=400, workers=workers, time_limit=2)
    assert time.monotonic() - start < 30
    assert curve.timed_out
    missing = [answer for answer in curve.answers if isinstance(answer, Unanswered)]
    assert any("time limit passed" in answer.reason for answer in missing)
    assert all(not answer.is_impossible for answer in missing)
    assert len(curve.answers) == 400
    assert (curve.lower <= curve.upper).all()
    assert curve.upper[-1] == math.inf


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    frontier = Frontier(DifferentialPrivacy(), FOUR, Absolute())
    curve = frontier.curve(points=4, time_limit=600)
    assert not curve.timed_out
    same(curve, frontier.curve(points=4))


def test_over_losses_the_answers_are_distortions() -> None:
    frontier = Frontier(DifferentialPrivacy(), FOUR, Hamming())
    curve = frontier.curve(losses=[0, "log(5/2)", "log(7)", 5])
    assert curve.asks == "distortion"
    assert np.array_equal(curve.loss, [0.0, math.log(5 / 2), math.log(7), 5.0])
    assert curve.upper[:3] == pytest.approx([0.6, 0.5, 0.3], abs=1e-15)
    assert np.array_equal(curve.distortion, curve.upper)
    assert (np.diff(curve.upper) < 0).all()


def test_utilities_are_distortions_turned_round() -> None:
    frontier = Frontier(DifferentialPrivacy(), THREE, Gain([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    curve = frontier.curve(losses=[0, 1])
    assert curve.lower[0] == pytest.approx(0.5)
    assert np.array_equal(curve.distortion, -curve.lower)
    assert [problem.given.rational for problem in frontier.curve(points=2).problems] == [-1, Rational(-1, 2)]


def test_breakpoints_come_with_the_curve() -> None:
    frontier = Frontier(DifferentialPrivacy(), FOUR, Hamming())
    curve = frontier.curve(points=2)
    assert [point.distortion for point in curve.breakpoints] == [p.distortion for p in frontier.breakpoints()]
    assert curve.breakpoints is curve.breakpoints


@pytest.mark.parametrize(
    "options",
    [
        {"distortions": [0.1], "losses": [0.1]},
        {"distortions": []},
        {"losses": []},
        {"points": 1},
        {"points": 2.5},
        {"workers": 0},
        {"workers": True},
        {"time_limit": -1},
        {"time_limit": "5"},
        {"distortions": ["half"]},
    ],
)
def test_bad_requests_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Frontier(DifferentialPrivacy(), FOUR, Hamming()).curve(**options)


def test_numbers_survive_the_way_to_a_worker() -> None:
    for number in (Real.of("3/10"), Real.of("log(7/2)"), Real.of(0), Real.log(Rational(1)), INFINITY):
        back = pickle.loads(pickle.dumps(number))
        assert (back.rational, back.argument_of_log, back.is_infinite) == (
            number.rational,
            number.argument_of_log,
            number.is_infinite,
        )
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(Real.exp(1))
