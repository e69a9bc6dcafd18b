"""Min-entropy leakage over boxes and balls with more corners than can be listed: both ends, and the worst laws."""

from __future__ import annotations

import json

import check_proof
import numpy as np
import pytest

from epstar.answer import Answer
from epstar.answer_file import write_answer
from epstar.distortion import Absolute, Distortion, Hamming
from epstar.exact.vectors import nearest_floats
from epstar.frontier import Frontier
from epstar.notions import MaximalLeakage, MinEntropyLeakage
from epstar.notions.min_entropy_leakage import corners_of_parts, vulnerabilities
from epstar.solve.program.guesses import Guesses, dominating_law
from epstar.source import Ball, Box, Source

LEAKAGE = MinEntropyLeakage()


def box(size: int) -> Box:
    """A box around frequencies that rise, a fifth less and a fifth more."""
    total = 10 * sum(range(size, 2 * size))
    return Box(
        [f"{8 * x}/{total}" for x in range(size, 2 * size)], [f"{12 * x}/{total}" for x in range(size, 2 * size)]
    )


def ball(size: int) -> Ball:
    """A ball around frequencies that rise."""
    total = sum(range(size, 2 * size))
    return Ball([f"{x}/{total}" for x in range(size, 2 * size)], "1/20")


def accepted(answer: Answer) -> bool:
    """Whether the second checker accepts an answer."""
    return bool(check_proof.check(json.dumps(write_answer(answer)).encode()))


@pytest.mark.parametrize("asks", ["loss", "distortion"])
@pytest.mark.parametrize(
    ("source", "distortion", "allowed", "width"),
    [
        pytest.param(box(14), Absolute(), "2", 1e-9, id="box"),
        pytest.param(box(14), Hamming(), "1/3", 0.012, id="right-or-wrong"),
        pytest.param(ball(11), Absolute(), "3/2", 0.064, id="ball"),
    ],
)
def test_a_region_of_many_categories_has_near_ends(
    source: Source, distortion: Distortion, allowed: str, width: float, asks: str
) -> None:
    frontier, most = (Frontier(notion, source, distortion) for notion in (LEAKAGE, MaximalLeakage()))
    found, above = (each.loss_at(allowed) if asks == "loss" else each.distortion_at("3/4") for each in (frontier, most))
    assert found.interval.width < width
    assert accepted(found)
    # Whatever law there is, no guess gains more than under maximal leakage.
    assert found.upper <= above.upper + 1e-12


@pytest.mark.parametrize("source", [box(6), ball(6)], ids=["box", "ball"])
def test_the_worst_law_is_the_worst_corner(source: Box | Ball) -> None:
    corners = corners_of_parts(source)
    assert corners is not None
    laws = np.array([nearest_floats(corner) for corner in corners])
    rng = np.random.default_rng(5)
    found = Guesses(source)
    for _ in range(10):
        chances = rng.random(6)
        best = (laws @ chances / laws.max(axis=1)).max()
        law = found.law(chances)
        assert law @ chances / law.max() == pytest.approx(best, rel=1e-9)
        assert source.contains(found.member(chances))
        matrix = rng.dirichlet(np.full(4, 0.3), 6)
        gains = vulnerabilities(matrix[None], laws) / laws.max(axis=1)
        least = corners[int(gains.argmin())]
        worse = found.worse(matrix, [least])
        assert all(source.contains(law) for law in worse)
        known = np.array([nearest_floats(law) for law in (*worse, least)])
        assert (vulnerabilities(matrix[None], known) / known.max(axis=1)).max() == pytest.approx(gains.max(), rel=1e-9)


@pytest.mark.parametrize("source", [box(6), ball(6)], ids=["box", "ball"])
def test_no_law_is_worse_than_the_one_that_dominates(source: Source) -> None:
    corners = corners_of_parts(source)
    assert corners is not None
    law = dominating_law(source)
    assert sum(law) == 1
    most = max(law)
    assert all(p * most <= share * max(corner) for corner in corners for p, share in zip(corner, law, strict=True))
