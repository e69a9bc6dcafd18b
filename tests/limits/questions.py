"""Hard questions, by name: each would take minutes or gigabytes if it were let. Run as a program, it answers one.

python questions.py NAME SECONDS [MEBIBYTES]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from epstar.answer import answer
from epstar.distortion import Absolute, Distortion, Hamming, Matrix
from epstar.exact import Rational, Real, rational
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.source import Ball, Box, Everything, Prior, Source
from epstar.universe import Alphabet, Databases, Metric, Universe


def law(size: int) -> Prior:
    """A law that favours no input much, and is the same every time."""
    weights = [3 + (7 * x) % 11 for x in range(size)]
    return Prior([Rational(weight, sum(weights)) for weight in weights])


def length(one: tuple[int, int], other: tuple[int, int]) -> Rational:
    """The distance of two points of the plane, in thousandths."""
    return Rational(round(1000 * ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5), 1000)


def places(wide: int, high: int, answers: int) -> tuple[Matrix, Metric]:
    """The places of a grid with their distances, and what it costs to answer with some of them, evenly spread."""
    points = [(x, y) for x in range(wide) for y in range(high)]
    chosen = [points[k * len(points) // answers] for k in range(answers)]
    cost = Matrix([[length(point, other) for other in chosen] for point in points])
    return cost, Metric([[length(point, other) for other in points] for point in points])


def _about(
    notion: Notion, source: Source, distortion: Distortion, asks: Asked, at: str, universe: Universe | None = None
) -> Problem:
    chosen = Alphabet(source.size) if universe is None else universe
    return Problem(notion, source, distortion, chosen, asks, Real.of(rational(at)))


def _of_places(wide: int, high: int, answers: int, asks: Asked, notion: Notion | None = None) -> Problem:
    cost, metric = places(wide, high, answers)
    chosen = DifferentialPrivacy() if notion is None else notion
    return _about(chosen, law(wide * high), cost, asks, "1" if asks == "distortion" else "3/2", metric)


def _box(size: int) -> Box:
    return Box([Rational(1, 2 * size)] * size, [Rational(2, size)] * size)


def _random_costs(size: int) -> Matrix:
    """Costs without any order, the same every time."""
    return Matrix(
        [
            [Rational(0 if x == y else 1 + (37 * x * x + 11 * x * y + 5 * y) % 97, 97) for y in range(size)]
            for x in range(size)
        ]
    )


def _anything(notion: Notion, asks: Asked) -> Problem:
    """Whatever databases of six rows with four values hold."""
    databases = Databases(4, 6)
    return _about(notion, Everything(databases.size), Hamming(), asks, "1", databases)


# Under anything at all identifiability is infinite.
EVERY_NOTION: dict[str, Notion] = {
    str(notion.name): notion
    for notion in (
        DifferentialPrivacy(),
        ApproximateDifferentialPrivacy("1/100"),
        RenyiDifferentialPrivacy(2),
        MutualInformation(),
        Capacity(),
        SibsonMutualInformation(2),
        MaximalLeakage(),
        MaximalInformation(),
        LocalInformationPrivacy("1/100"),
        PointwiseLeakage(),
        MinEntropyLeakage(),
        MinEntropyCapacity(),
    )
}

QUESTIONS: dict[str, Callable[[], Problem]] = {
    "500 places, loss given": lambda: _of_places(25, 20, 100, "distortion"),
    "500 places, distortion given": lambda: _of_places(25, 20, 100, "loss"),
    "grid of 100 places, loss given": lambda: _of_places(10, 10, 100, "distortion"),
    "grid of 100 places, distortion given": lambda: _of_places(10, 10, 100, "loss"),
    "grid of 64 places, with a slack": lambda: _of_places(
        8, 8, 64, "distortion", ApproximateDifferentialPrivacy("1/100")
    ),
    "Rényi, 100 categories": lambda: _about(RenyiDifferentialPrivacy(2), law(100), Absolute(), "loss", "10"),
    "box of 40": lambda: _about(Identifiability(), _box(40), Absolute(), "loss", "5"),
    "anything of 60": lambda: _about(SibsonMutualInformation(2), Everything(60), Absolute(), "loss", "10"),
    "ball of 30": lambda: _about(SibsonMutualInformation(2), Ball(law(30), "1/5"), Absolute(), "loss", "3"),
    "events of 60": lambda: _about(ApproximateDifferentialPrivacy("1/100"), law(60), _random_costs(60), "loss", "1/4"),
}

LARGER: dict[str, Callable[[], Problem]] = {
    "grid of 900 places, loss given": lambda: _of_places(30, 30, 900, "distortion"),
    "grid of 900 places, distortion given": lambda: _of_places(30, 30, 900, "loss"),
    "5,000 places, loss given": lambda: _about(DifferentialPrivacy(), law(5000), Absolute(), "distortion", "1"),
    "5,000 places, distortion given": lambda: _about(DifferentialPrivacy(), law(5000), Absolute(), "loss", "100"),
    "joint prior of 12 bits, loss given": lambda: _about(
        DifferentialPrivacy(), law(4096), Hamming(), "distortion", "1", Databases(2, 12)
    ),
    "joint prior of 12 bits, distortion given": lambda: _about(
        DifferentialPrivacy(), law(4096), Hamming(), "loss", "1/2", Databases(2, 12)
    ),
}
GIVEN: dict[str, Asked] = {"loss": "distortion", "distortion": "loss"}
ANYTHING: dict[str, Callable[[], Problem]] = {
    f"anything of 4,096, {name}, {given} given": partial(_anything, notion, asks)
    for name, notion in EVERY_NOTION.items()
    for given, asks in GIVEN.items()
}


def _peak() -> int:
    """The most memory that this program alone has held, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    import_module("epstar.solve")  # what is imported later would count
    # The clock is that of the work done, as on a machine that does nothing else.
    time.monotonic = time.process_time
    limits = [float(word) for word in sys.argv[2:]]
    problem = (QUESTIONS | LARGER | ANYTHING)[sys.argv[1]]()
    start = time.process_time()
    found = answer(problem, None, limits[0], limits[1] * 2**20 if limits[1:] else None)
    ends = [found.lower, found.upper, found.mechanism is not None]
    print(json.dumps([*ends, found.status, time.process_time() - start, _peak()]))
