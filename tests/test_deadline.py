"""Deadlines: kept by whatever runs meanwhile, however deep, and by nothing else."""

from types import SimpleNamespace

import pytest

from epstar.deadline import Deadline, in_time, is_time_over, keep_time
from epstar.distortion import Absolute
from epstar.errors import TimeLimit
from epstar.exact import Rational
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MinEntropyLeakage,
    PointwiseLeakage,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.source import Ball

SIZE = 10
TELLING = Mechanism(
    [[Rational(1, 2 * SIZE) + (Rational(1, 2) if x == y else 0) for y in range(SIZE)] for x in range(SIZE)]
)


class Clock:
    """A clock that moves on whenever somebody looks at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: float) -> None:
        self.step = step
        self.looks = 0
        monkeypatch.setattr("epstar.deadline.time", SimpleNamespace(monotonic=self.look, thread_time=self.look))

    def look(self) -> float:
        self.looks += 1
        return self.looks * self.step


def test_only_a_deadline_that_is_kept_stops_anything() -> None:
    keep_time()
    with Deadline(None).kept():
        keep_time()
    with Deadline(3600).kept():
        assert list(in_time("abc")) == ["a", "b", "c"]
        with pytest.raises(TimeLimit), Deadline(0).kept():
            keep_time()
        keep_time()
    keep_time()


def test_a_miss_is_remembered_by_the_deadline_that_was_missed() -> None:
    outer, inner = Deadline(3600), Deadline(0)
    with outer.kept(), pytest.raises(TimeLimit), inner.kept():
        list(in_time("abc"))
    assert inner.is_missed
    assert not outer.is_missed


def test_half_of_the_time_is_left_for_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1.0)
    deadline = Deadline(8)
    assert deadline.halfway().remaining == 2.5
    assert Deadline(None).halfway().remaining is None
    clock.step = 0.0
    assert Deadline(8).mostly().remaining == 6.4
    assert Deadline(8, spare=0.25).afterwards().remaining == 8.0


def test_a_moment_is_left_for_what_must_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, 0.0)
    assert Deadline(0).afterwards().remaining == 0.0
    assert Deadline(0).afterwards().last_moment().remaining == 0.3
    assert Deadline(8).last_moment().remaining == 8.0
    assert Deadline(None).last_moment().remaining is None


def test_one_deadline_within_another_does_not_end_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, 0.0)
    with Deadline(8).kept():
        assert Deadline(None).remaining == 8.0
        assert Deadline(9).remaining == 8.0
        assert Deadline(2).remaining == 2.0
    assert Deadline(None).remaining is None


@pytest.mark.parametrize(
    "notion",
    [LocalInformationPrivacy("1/20"), PointwiseLeakage(), SibsonMutualInformation(2)],
    ids=lambda notion: notion.name,
)
def test_judging_a_mechanism_at_many_laws_keeps_to_it(notion: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1.0)
    # Another center for every notion, because corners are remembered.
    center = [Rational(weight, 55 + len(notion.name)) for weight in (1 + len(notion.name), *range(2, SIZE + 1))]
    with pytest.raises(TimeLimit), Deadline(2).kept():
        notion.loss(TELLING, Ball(center, "1/5"))
    assert clock.looks < 10
    assert notion.loss(TELLING, Ball(center, "1/5")).upper is not None


@pytest.mark.parametrize(
    "notion",
    [
        LocalInformationPrivacy("1/20"),
        LocalInformationPrivacy(),
        PointwiseLeakage(),
        MinEntropyLeakage(),
        ApproximateDifferentialPrivacy("1/20"),
        Identifiability(),
    ],
    ids=lambda notion: f"{notion.name} {notion.parameters()}",
)
def test_an_answer_that_is_cut_short_comes_soon_and_is_right(notion: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = Frontier(notion, Ball(["1/3", "1/4", "1/4", "1/6"], "1/5"), Absolute())
    answer = frontier.loss_at("3/5")
    for seconds in (0, 1, 10):
        clock = Clock(monkeypatch, 0.05)
        found = frontier.loss_at("3/5", time_limit=seconds)
        # What is done in time looks at the clock twenty times a second; a little is done without time.
        assert clock.looks < 30 * (seconds + 3)
        assert found.lower <= answer.upper
        assert answer.lower <= found.upper


def test_work_that_cannot_be_stopped_is_not_begun_too_late() -> None:
    keep_time(1e30)
    with Deadline(10.0).kept():
        keep_time(1e9)
        assert not is_time_over(1e9)
        assert is_time_over(1e12)
        with pytest.raises(TimeLimit):
            keep_time(1e12)
