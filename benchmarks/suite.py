"""The pieces of work, who does each, and what epstar must reach; measured one after the other.

Ways are named, not imported: the process that starts them stays small, so that no memory of its own is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.way import LIMIT, Measured, measured_alone

EPSTAR = "epstar"
NANOSECONDS = "ns per row"
SECONDS = "CPU s"


@dataclass(frozen=True)
class Target:
    """What epstar must reach: CPU seconds, MiB, and how many times as fast as the best peer."""

    seconds: float = math.inf
    megabytes: float = math.inf
    times_faster: float = 0.0


@dataclass(frozen=True)
class Work:
    """One piece of work at growing sizes.

    `ways` names, for each contender, its function as "module:function". `bound` is the level that the mechanism was
    asked to have. `limit` is when epstar is stopped; a peer is always stopped at the common limit, and once stopped is
    not run at larger sizes. `largest` is the largest size that a contender is given. `picture` names the chart.
    """

    name: str
    ways: dict[str, str]
    sizes: tuple[int, ...]
    quick: int
    targets: dict[int, Target] = field(default_factory=dict)
    size_name: str = "m"
    unit: str = SECONDS
    bound: float | None = None
    limit: int = LIMIT
    largest: dict[str, int] = field(default_factory=dict)
    picture: str = ""


@dataclass(frozen=True)
class Row:
    """One contender at one size."""

    work: Work
    size: int
    way: str
    measured: Measured

    @property
    def time(self) -> float:
        """CPU seconds for one item of the work."""
        items = self.measured.found.items if self.measured.found else 1
        return self.measured.seconds / items


_LOCAL = "benchmarks.local:by_"
_HAMMING = "benchmarks.hamming:"
_RATE = "benchmarks.information:rate_by_"
_CAPACITY = "benchmarks.information:capacity_by_"
_CONVEX = "benchmarks.convex:"
_RELEASE = "benchmarks.release:by_"
_ENGINE = "benchmarks.engines:"
SMOOTH = "smooth interior-point method"
HIGHS = "HiGHS"
CVXPY = "cvxpy + Clarabel"

WORKS = (
    Work(
        "Optimal local mechanism at differential privacy level 1, cost |x − y|, random prior",
        {
            EPSTAR: f"{_LOCAL}epstar",
            "compact program in HiGHS": f"{_LOCAL}compact_program",
            f"compact program in {CVXPY}": f"{_LOCAL}compact_cvxpy",
            f"all pairs in {CVXPY}": f"{_LOCAL}cvxpy",
            "all pairs in HiGHS": f"{_LOCAL}all_pairs",
            "qif": f"{_LOCAL}qif",
        },
        (25, 50, 100, 200, 1000),
        quick=8,
        targets={50: Target(0.03), 100: Target(0.08), 200: Target(0.4), 1000: Target(60, 2048)},
        bound=1.0,
        limit=180,
        largest={"compact program in HiGHS": 200, f"all pairs in {CVXPY}": 100},
        picture="local",
    ),
    Work(
        "Hamming distortion at differential privacy level 1 over a hull of 100 priors",
        {EPSTAR: f"{_HAMMING}hull_by_epstar", "compact program in HiGHS": f"{_HAMMING}hull_by_compact_program"},
        (25, 50, 100, 1000, 10_000),
        quick=20,
        targets={10_000: Target(5)},
        bound=1.0,
        largest={"compact program in HiGHS": 100},
        picture="hull",
    ),
    Work(
        "Hamming distortion, one prior: curves of 41 points for five notions with a closed form, all together",
        {EPSTAR: f"{_HAMMING}curves_by_epstar"},
        (50, 200, 1_000),
        quick=50,
        limit=60,
    ),
    Work(
        "Rate–distortion point, random costs",
        {
            EPSTAR: f"{_RATE}epstar",
            "NumPy Blahut–Arimoto to 1e-9": f"{_RATE}numpy",
            "dit, one start": f"{_RATE}dit_once",
            "dit": f"{_RATE}dit",
            "qif": f"{_RATE}qif",
        },
        (250, 500, 1000),
        quick=10,
        targets={1000: Target(1)},
        picture="rate",
    ),
    Work(
        "Capacity of a random channel",
        {
            EPSTAR: f"{_CAPACITY}epstar",
            "NumPy Blahut–Arimoto to 1e-9": f"{_CAPACITY}numpy",
            "dit": f"{_CAPACITY}dit",
            "qif": f"{_CAPACITY}qif",
        },
        (250, 500, 1000),
        quick=10,
        targets={1000: Target(1)},
        picture="capacity",
    ),
    Work(
        "Differential privacy level of a given channel",
        {EPSTAR: "benchmarks.information:level_by_epstar", "qif": "benchmarks.information:level_by_qif"},
        (250, 500, 1000),
        quick=10,
        targets={1000: Target(0.003)},
        picture="level",
    ),
    Work(
        "Least mutual information over a hull of 20 priors, cost |x − y|",
        {EPSTAR: f"{_CONVEX}hull_by_epstar", CVXPY: f"{_CONVEX}hull_by_cvxpy"},
        (50,),
        quick=5,
        targets={50: Target(times_faster=10)},
    ),
    Work(
        "Optimal mechanism at Rényi level 1 of order 2, cost |x − y|",
        {EPSTAR: f"{_CONVEX}renyi_by_epstar", CVXPY: f"{_CONVEX}renyi_by_cvxpy"},
        (30,),
        quick=4,
        targets={30: Target(times_faster=10)},
        bound=1.0,
    ),
    Work(
        "Optimal mechanism at approximate level 1 over events, δ = 0.05, cost |x − y|",
        {EPSTAR: f"{_CONVEX}events_by_epstar", CVXPY: f"{_CONVEX}events_by_cvxpy"},
        (30,),
        quick=4,
        targets={30: Target(times_faster=10)},
        bound=1.0,
    ),
    Work(
        "Engine for rate–distortion saddle points: level 1, cost |x − y|, in floats",
        {EPSTAR: f"{_ENGINE}saddle_by_epstar", SMOOTH: f"{_ENGINE}saddle_by_smooth"},
        (30, 60),
        quick=5,
        targets={60: Target(times_faster=3)},
    ),
    Work(
        "Engine for large orders: Rényi level 1 of order 16, cost |x − y|, in floats",
        {EPSTAR: f"{_ENGINE}order_by_epstar", SMOOTH: f"{_ENGINE}order_by_smooth"},
        (6, 12),
        quick=3,
    ),
    Work(
        "Engine for spreads: differential privacy level 1, cost |x − y|, in floats",
        {EPSTAR: f"{_ENGINE}spread_by_epstar", HIGHS: f"{_ENGINE}spread_by_highs"},
        (50, 100),
        quick=5,
        targets={100: Target(times_faster=3)},
    ),
    Work(
        "Engine for diagonals: differential privacy level 1 over 100 priors, Hamming distortion, in floats",
        {EPSTAR: f"{_ENGINE}diagonal_by_epstar", HIGHS: f"{_ENGINE}diagonal_by_highs"},
        (1_000, 5_000),
        quick=50,
        targets={5_000: Target(times_faster=3)},
    ),
    Work(
        "Engine for hockey-stick divergences: approximate level 1 over events, δ = 0.05, cost |x − y|, in floats",
        {EPSTAR: f"{_ENGINE}events_by_epstar", HIGHS: f"{_ENGINE}events_by_highs"},
        (20, 30),
        quick=5,
        targets={30: Target(times_faster=3)},
    ),
    Work(
        "Sampling randomised response at level 1, 16 categories, in memory",
        {
            EPSTAR: f"{_RELEASE}epstar",
            "NumPy choice per category (not secure)": f"{_RELEASE}numpy_choice",
            "NumPy cumulative table (not secure)": f"{_RELEASE}numpy_table",
            "multi-freq-ldpy": f"{_RELEASE}multi_freq_ldpy",
            "pure-ldp": f"{_RELEASE}pure_ldp",
            "diffprivlib": f"{_RELEASE}diffprivlib",
            "opendp": f"{_RELEASE}opendp",
        },
        (10_000_000,),
        quick=10_000,
        targets={10_000_000: Target(6e-9)},
        size_name="rows",
        unit=NANOSECONDS,
    ),
)


def rows(work: Work, measure: Callable[[str, int, int], Measured] = measured_alone) -> Iterator[Row]:
    """Measure every contender at every size, smallest first; one that was stopped is not run at larger sizes."""
    stopped: dict[str, str] = {}
    for size in work.sizes:
        for way, name in work.ways.items():
            if way in stopped or size > work.largest.get(way, size):
                yield Row(work, size, way, Measured(failure=stopped.get(way, "not run")))
                continue
            found = measure(name, size, work.limit if way == EPSTAR else LIMIT)
            if found.failure and way != EPSTAR:
                stopped[way] = f"not run ({found.failure} at {work.size_name} = {size:,})"
            yield Row(work, size, way, found)


def verdict(own: Row, others: list[Row]) -> str:
    """Return whether epstar meets its target, with the target: empty where there is none."""
    target = own.work.targets.get(own.size)
    if target is None:
        return ""
    wanted, is_met = [], not own.measured.failure
    if target.seconds < math.inf:
        scale, unit = (1e9, "ns") if own.work.unit == NANOSECONDS else (1.0, "s")
        wanted.append(f"≤ {target.seconds * scale:g} {unit}")
        is_met &= own.time <= target.seconds
    if target.megabytes < math.inf:
        wanted.append(f"≤ {target.megabytes:g} MiB")
        is_met &= own.measured.megabytes <= target.megabytes
    if target.times_faster:
        wanted.append(f"{target.times_faster:g}× faster")
        best = min((time for row in others if not math.isnan(time := _least_time(row))), default=math.nan)
        if math.isnan(best):
            return f"{', '.join(wanted)}: no peer to compare"
        is_met &= best >= target.times_faster * own.time
    return f"{', '.join(wanted)}: {'met' if is_met else '**missed**'}"


def _least_time(row: Row) -> float:
    """Return the time of a peer, or the limit that it went over; a peer that did not run cannot be compared."""
    if not row.measured.failure:
        return row.time
    return float(LIMIT) if row.measured.failure.startswith("over") else math.nan
