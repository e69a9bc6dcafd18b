"""The benchmarks run, their clock tells the truth, and the page says only what was measured."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.__main__ import quick
from benchmarks.suite import EPSTAR, NANOSECONDS, WORKS, Row, Target, Work, rows, verdict
from benchmarks.way import Found, Job, Measured, measured, measured_alone, resolved

from benchmarks import chart, local, page

WORK = Work("a work", {EPSTAR: "", "peer": ""}, (10, 20, 40), quick=1, targets={10: Target(1.0)}, bound=1.0)


def spin(milliseconds: int) -> Job:
    """Return a job that takes some CPU time."""
    until = milliseconds / 1000

    def work() -> float:
        start = time.process_time()
        while time.process_time() - start < until:
            pass
        return until

    return Job(work, Found)


def tiny(_: int) -> Job:
    """Return a job far shorter than a tick of the kernel."""
    return Job(lambda: sum(range(20_000)), lambda total: Found(float(total)))


def broken(_: int) -> Job:
    """Fail."""
    raise ValueError("this peer is broken")


def missing(_: int) -> Job:
    """Ask for a package that is not there."""
    raise ModuleNotFoundError("No module named 'peer'")


def row(way: str, size: int, seconds: float, found: Found | None = None, **others: str) -> Row:
    return Row(WORK, size, way, Measured(seconds, 100.0, 1, found or Found(2.0), **others))


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_every_way_exists_and_epstar_does_the_work_in_small(work: Work) -> None:
    for name in work.ways.values():
        assert callable(resolved(name))
    small = quick(work)
    for found in rows(replace(small, sizes=small.sizes[:1]), lambda name, size, _: measured(resolved(name)(size), 1)):
        assert found.measured.found is not None
        assert found.time > 0
        assert found.measured.megabytes > 1
        assert found.measured.found.width is None or found.measured.found.width <= 1e-7
        if work.bound is not None:
            assert found.measured.found.level is not None
            assert found.measured.found.level <= work.bound + page.TOLERANCE


@pytest.mark.full
def test_both_checkers_prove_the_same_about_a_thousand_letters() -> None:
    job = local.by_epstar(1000)
    found = job.check(job.work())
    assert found.note == "proof checked by both checkers"
    assert found.width is not None
    assert found.width < 1e-9


def test_the_clock_of_a_process_that_may_be_stopped_sees_short_jobs() -> None:
    # A limit set by the kernel makes the clock move in steps of milliseconds, and the best of five would be zero.
    found = measured_alone(f"{__name__}:tiny", 1)
    assert found.failure == ""
    start = time.perf_counter()
    sum(range(20_000))
    assert 0 < found.seconds < 100 * (time.perf_counter() - start)
    assert found.seconds > 2e-5


def test_what_takes_too_long_is_stopped_and_what_fails_is_named() -> None:
    assert measured_alone(f"{__name__}:spin", 60_000, limit=0.3).failure == "over 0.3 s"
    assert measured_alone(f"{__name__}:broken", 1).failure == "failed: ValueError: this peer is broken"
    assert measured_alone(f"{__name__}:missing", 1).failure == "not installed: No module named 'peer'"


def test_a_peer_that_was_stopped_is_not_run_at_larger_sizes() -> None:
    run: list[tuple[str, int]] = []

    def measure(name: str, size: int, limit: int) -> Measured:
        run.append((name, size))
        return Measured(failure=f"over {limit} s") if name == "p" and size == 20 else Measured(1.0, 1.0, 1, Found(1.0))

    work = replace(WORK, ways={EPSTAR: "e", "peer": "p", "small": "s"}, largest={"small": 10})
    found = {(one.way, one.size): one.measured.failure for one in rows(work, measure)}
    assert run == [("e", 10), ("p", 10), ("s", 10), ("e", 20), ("p", 20), ("e", 40)]
    assert found["peer", 20] == "over 60 s"
    assert found["peer", 40] == "not run (over 60 s at m = 20)"
    assert found["small", 20] == "not run"


def test_a_broken_level_and_a_wrong_objective_are_said() -> None:
    own = row(EPSTAR, 10, 1.0, Found(2.0, 1e-12, 1.0, note="proof checked"))
    assert page.check(own, own) == "proof checked, width 1.0e-12; level 1"
    assert page.check(row("peer", 10, 1.0, Found(2.5, level=1.02)), own) == "off by 5.0e-01; level 1.02, **breaks 1**"
    assert (
        page.check(row("peer", 10, 1.0, Found(1.5, level=math.inf)), own) == "off by 5.0e-01; level inf, **breaks 1**"
    )
    assert page.check(row("peer", 10, 1.0, Found(2.0, level=1 + 1e-13)), own) == "off by 0.0e+00; level 1"


@pytest.mark.parametrize(
    ("target", "seconds", "peer", "said"),
    [
        (Target(1.0), 1.0, Measured(9.0), "≤ 1 s: met"),
        (Target(1.0), 1.1, Measured(9.0), "≤ 1 s: **missed**"),
        (Target(2.0, 50), 1.0, Measured(9.0), "≤ 2 s, ≤ 50 MiB: **missed**"),
        (Target(times_faster=10), 1.0, Measured(9.9), "10× faster: **missed**"),
        (Target(times_faster=10), 1.0, Measured(10.0), "10× faster: met"),
        (Target(times_faster=10), 5.0, Measured(failure="over 60 s"), "10× faster: met"),
        (Target(times_faster=10), 7.0, Measured(failure="over 60 s"), "10× faster: **missed**"),
        (Target(times_faster=10), 1.0, Measured(failure="not installed"), "10× faster: no peer to compare"),
    ],
)
def test_a_target_is_met_or_missed(target: Target, seconds: float, peer: Measured, said: str) -> None:
    work = replace(WORK, targets={10: target})
    own = Row(work, 10, EPSTAR, Measured(seconds, 100.0, 1, Found(1.0)))
    assert verdict(own, [Row(work, 10, "peer", peer)]) == said
    failed = Row(work, 10, EPSTAR, Measured(failure="over 60 s"))
    assert "met" not in verdict(failed, [Row(work, 10, "peer", Measured(1e9))]).split()


def test_time_per_row_is_compared_with_a_target_per_row() -> None:
    work = replace(WORK, unit=NANOSECONDS, targets={10: Target(6e-9)})
    own = Row(work, 10, EPSTAR, Measured(0.05, 1.0, 1, Found(0.15, items=10_000_000)))
    assert own.time == pytest.approx(5e-9)
    assert verdict(own, []) == "≤ 6 ns: met"


def test_the_exponent_is_that_of_a_power_and_leaves_out_what_was_stopped() -> None:
    cubes = [row(EPSTAR, size, 1e-3 * size**3) for size in (10, 20, 40)]
    fit = chart.exponent([*cubes, row(EPSTAR, 80, math.nan, failure="over 60 s")])
    assert fit is not None
    assert fit[0] == pytest.approx(3.0)
    assert fit[1:] == (10, 40)
    assert chart.exponent([row(EPSTAR, size, 1e-5) for size in (10, 20, 40)]) is None
    # A line through two points fits whatever they are.
    assert chart.exponent(cubes[:2]) is None


def test_the_section_shows_every_row_and_the_picture_is_the_same_file_twice(tmp_path: Path) -> None:
    work = replace(WORK, picture="growth")
    found = [
        Row(work, size, way, Measured(size * factor, 90.0 + size, 1, Found(2.0)))
        for size in work.sizes
        for way, factor in ((EPSTAR, 0.01), ("peer", 0.5))
    ]
    found.append(Row(work, 40, "slow", Measured(failure="over 60 s")))
    text = page.section(found)
    assert "| 20 | peer | 10 | 50 | 110 |" in text
    assert "| 40 | slow | over 60 s |" in text
    assert "epstar 1.00 (from m = 10 to 40)" in text
    assert "pictures/benchmarks-growth.svg" in text
    files = tmp_path / "a.svg", tmp_path / "b.svg"
    for file in files:
        chart.draw(found, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "peer" in files[0].read_text(encoding="utf-8")
