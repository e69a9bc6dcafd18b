"""Rational data at a level whose exponential is rational: both questions have exact ends, whatever the source."""

from __future__ import annotations

import pytest

from epstar.distortion import Matrix
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    Notion,
)
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Source

COST = Matrix([[0, 1, 3, 2], [2, 0, 1, 3], [1, 2, 0, "1/2"], [3, 1, 2, 0]])
FALLING = ["4/10", "3/10", "2/10", "1/10"]
SOURCES = {
    "prior": Prior(FALLING),
    "finite": Finite([FALLING, ["1/4"] * 4]),
    "hull": Hull([FALLING, FALLING[::-1]]),
    "box": Box(["1/10"] * 4, ["1/2"] * 4),
    "ball": Ball(FALLING, "1/20"),
    "polytope": Polytope([[1, -1, 0, 0], [0, -1, 0, 0]], [0, "-1/10"]),
    "everything": Everything(4),
}
LEVELS: list[tuple[Notion, str]] = [
    (DifferentialPrivacy(), "log(3)"),
    (ApproximateDifferentialPrivacy("1/20"), "log(3)"),
    (ApproximateDifferentialPrivacy("1/20", "pointwise"), "log(3)"),
    (MaximalInformation(), "log(3)"),
    (LocalInformationPrivacy(), "log(3)"),
    (LocalInformationPrivacy("1/20"), "log(3)"),
    (MaximalLeakage(), "log(2)"),
    (MinEntropyLeakage(), "log(2)"),
    (MinEntropyCapacity(), "log(2)"),
]
CASES = [(notion, level, name) for notion, level in LEVELS for name in SOURCES]
# Where a law may leave out an input, every mechanism identifies infinitely much.
CASES += [(Identifiability(), "log(19)", name) for name in SOURCES if name not in ("polytope", "everything")]


@pytest.mark.parametrize(("notion", "level", "name"), CASES, ids=str)
def test_the_distortion_and_the_level_are_exact(notion: Notion, level: str, name: str) -> None:
    source: Source = SOURCES[name]
    frontier = Frontier(notion, source, COST)
    distortion = frontier.distortion_at(level).interval
    assert distortion.width == 0
    assert distortion.lower.rational is not None
    loss = frontier.loss_at(distortion.lower).interval
    assert str(loss.lower) == str(loss.upper) == level
