"""Random questions about every notion: how wide are the proven answers, and what does a least loss cost?

`python -m benchmarks.sweep 30 60` asks 192 questions about 30 categories, 60 seconds each: 12 notions, four kinds of
sources, cost |x - y| or random costs, both questions. `python -m benchmarks.sweep 30 60 dp pml` asks about two notions;
the numbers are the same ones. Each answer is a line, and the last line counts those that are proven within 1e-7, and
the least losses that take more CPU time than three times the least distortion on the same data and 0.3 s.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial

import numpy as np

import epstar
from epstar.answer import Answer
from epstar.distortion import Absolute, Distortion, Matrix
from epstar.errors import NoSolution
from epstar.frontier import Frontier
from epstar.source import Ball, Box, Hull, Prior, Source

NOTIONS = {
    "dp": epstar.DifferentialPrivacy(),
    "adp": epstar.ApproximateDifferentialPrivacy("1/20"),
    "renyi2": epstar.RenyiDifferentialPrivacy(2),
    "mi": epstar.MutualInformation(),
    "cap": epstar.Capacity(),
    "sibson2": epstar.SibsonMutualInformation(2),
    "maxleak": epstar.MaximalLeakage(),
    "maxinfo": epstar.MaximalInformation(),
    "ident": epstar.Identifiability(),
    "lip": epstar.LocalInformationPrivacy(),
    "pml": epstar.PointwiseLeakage(),
    "minent": epstar.MinEntropyLeakage(),
}
SOURCES, COSTS = ("prior", "hull", "box", "ball"), ("abs", "rand")
PROVEN = 1e-7


def prior(rng: np.random.Generator, size: int) -> list[str]:
    """Return a law with a common denominator."""
    counts = rng.integers(1, 100, size)
    return [f"{count}/{counts.sum()}" for count in counts]


def source(rng: np.random.Generator, kind: str, size: int) -> Source:
    """Return a law, the mixtures of four, a fifth of each probability more or less, or a ball around a law."""
    if kind == "prior":
        return Prior(prior(rng, size))
    if kind == "hull":
        return Hull([prior(rng, size) for _ in range(4)])
    if kind == "ball":
        return Ball(prior(rng, size), "1/10")
    counts = rng.integers(50, 100, size)
    lower, upper = ([f"{share * count}/{10 * counts.sum()}" for count in counts] for share in (8, 12))
    return Box(lower, upper)


def costs(rng: np.random.Generator, kind: str, size: int) -> Distortion:
    """Return |x - y|, or hundredths that are 0 on the diagonal."""
    if kind == "abs":
        return Absolute()
    values = rng.integers(0, 100, (size, size))
    np.fill_diagonal(values, 0)
    return Matrix([[f"{value}/100" for value in row] for row in values.tolist()])


def frontiers(size: int, names: Collection[str], seed: int = 7) -> Iterator[tuple[str, str, Frontier]]:
    """Yield the frontiers of some notions with what they are called, and the distortion to ask about."""
    rng = np.random.default_rng(seed)
    for name, notion in NOTIONS.items():
        for kind in SOURCES:
            for cost in COSTS:
                laws, distortion = source(rng, kind, size), costs(rng, cost, size)
                if name in names:
                    allowed = f"{size}/8" if cost == "abs" else "1/20"
                    yield f"{name} {kind} {cost}", allowed, Frontier(notion, laws, distortion)


def asked(question: Callable[[], Answer]) -> tuple[str, float, float]:
    """Return what is said of an answer, its width, and the CPU seconds that it took."""
    start, width = time.process_time(), math.nan
    try:
        answer = question()
        width = answer.interval.width
        said = f"width {width:.1e}{', out of time' if answer.timed_out else ''}"
    except NoSolution:
        said = "no mechanism"
    return said, width, time.process_time() - start


def lines(size: int, seconds: float, names: Collection[str]) -> Iterator[str]:
    """Yield a line for each pair of questions, and the counts; to load the solvers is not counted."""
    found: list[tuple[bool, float, float]] = []
    for text, allowed, frontier in frontiers(size, names):
        if not found:
            asked(partial(frontier.loss_at, allowed, time_limit=seconds))
        loss = asked(partial(frontier.loss_at, allowed, time_limit=seconds))
        distortion = asked(partial(frontier.distortion_at, 1, time_limit=seconds))
        is_slow = not math.isnan(distortion[1]) and loss[2] > 3 * distortion[2] + 0.3
        found.append((is_slow, loss[1], distortion[1]))
        told = (f"{said:<28}{spent:8.2f} CPU s" for said, _, spent in (loss, distortion))
        yield f"{text:<20}" + "   ".join(told) + (" slow" if is_slow else "")
    widths = [width for _, *both in found for width in both if not math.isnan(width)]
    yield (
        f"{sum(width <= PROVEN for width in widths)} of {len(widths)} answers within {PROVEN}; "
        f"{sum(is_slow for is_slow, *_ in found)} of {len(found)} least losses above three times the least distortion"
    )


def main() -> None:
    """Print one line after the other."""
    parser = argparse.ArgumentParser(description="Ask random questions of one size about all notions, or some.")
    parser.add_argument("size", type=int, help="how many categories")
    parser.add_argument("seconds", type=float, help="the time limit of each question")
    parser.add_argument("notions", nargs="*", metavar="notion", help=f"of {', '.join(NOTIONS)}; all if none is named")
    given = parser.parse_args()
    if given.size < 2 or not given.seconds > 0 or not set(given.notions) <= set(NOTIONS):
        parser.error(f"give at least 2 categories, a positive number of seconds, and notions of {', '.join(NOTIONS)}")
    for text in lines(given.size, given.seconds, given.notions or list(NOTIONS)):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
