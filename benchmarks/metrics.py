"""Both questions on grids of places, at level 1 and at distortion 13/10, and on categories in a row.

`python -m benchmarks.metrics` prints CPU seconds and widths; `python -m benchmarks.metrics 5 7 10` chooses the sides.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from epstar.answer import Answer
from epstar.curve import Curve
from epstar.distortion import Absolute, Matrix
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy, SibsonMutualInformation
from epstar.source import Box, Prior
from epstar.universe import Metric

SIDES = (5, 7, 10)


def prior(size: int) -> list[str]:
    """Return a random law with a common denominator."""
    counts = np.random.default_rng(3).integers(1, 100, size)
    return [f"{count}/{counts.sum()}" for count in counts]


def grid(side: int, is_euclidean: bool) -> Frontier:
    """Return geo-indistinguishability on a grid, the distance being the cost as well."""
    places = [(row, column) for row in range(side) for column in range(side)]
    if is_euclidean:
        apart = [[str(round(math.dist(a, b), 6)) for b in places] for a in places]
    else:
        apart = [[str(abs(a[0] - b[0]) + abs(a[1] - b[1])) for b in places] for a in places]
    return Frontier(DifferentialPrivacy(), Prior(prior(len(places))), Matrix(apart), Metric(apart))


def line(size: int, notion: DifferentialPrivacy | SibsonMutualInformation, is_box: bool = False) -> Frontier:
    """Return categories on a line with cost |x - y|, under one law or a box around it."""
    counts = np.random.default_rng(7).integers(50, 100, size)
    lower, upper = ([f"{share * count}/{10 * counts.sum()}" for count in counts] for share in (8, 12))
    return Frontier(notion, Box(lower, upper) if is_box else Prior(prior(size)), Absolute())


def measured(name: str, ask: Callable[[], Answer | Curve]) -> str:
    """Return a line with the CPU seconds and the width of an answer."""
    start = time.process_time()
    answer = ask()
    seconds = time.process_time() - start
    assert isinstance(answer, Answer)
    return f"{name:<64}{seconds:9.2f} CPU s  width {answer.interval.width:.1e}"


def lines(sides: tuple[int, ...]) -> Iterator[str]:
    """Yield the figures one by one; the first answer, which loads the solvers, is not among them."""
    grid(3, is_euclidean=False).distortion_at(1)
    for side in sides:
        for is_euclidean, name in ((False, "L1"), (True, "Euclid")):
            frontier = grid(side, is_euclidean)
            text = f"grid {side} x {side}, {name}"
            yield measured(f"{text}: least distortion at 1", partial(frontier.distortion_at, 1))
            yield measured(f"{text}: least loss at 13/10", partial(frontier.loss_at, "13/10"))
    both = {
        "|x - y|, 200 categories, one law": line(200, DifferentialPrivacy()),
        "|x - y|, 30 categories, a box of laws": line(30, DifferentialPrivacy(), is_box=True),
        "|x - y|, 30 categories, Sibson's order 2": line(30, SibsonMutualInformation(2)),
    }
    for name, frontier in both.items():
        size = frontier.source.size
        yield measured(f"{name}: least distortion at 1", partial(frontier.distortion_at, 1))
        yield measured(f"{name}: least loss at {size / 8}", partial(frontier.loss_at, size / 8))


def main() -> None:
    """Print one line after the other."""
    for text in lines(tuple(map(int, sys.argv[1:])) or SIDES):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
