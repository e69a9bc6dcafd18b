"""At level zero inputs that are compared answer alike: both checkers prove the exact distortion from that alone."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from tests.proofs.cases import interval_of_the_second
from tests.proofs.schema_one import write_proof

from epstar.answer import interval_asked
from epstar.answer_file import write_answer
from epstar.completion import Proof
from epstar.distortion import Distortion, Gain, Hamming, Matrix
from epstar.exact import Real, rational
from epstar.frontier import Frontier
from epstar.notions import (
    Capacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Problem
from epstar.source import Ball, Everything, Finite, Prior, Source
from epstar.universe import Alphabet, Graph, Universe

_COSTS = Matrix([[0, 1, 3, 2], [2, 0, 1, 1], [5, 2, 0, 1]])
_NOTIONS: list[Notion] = [
    MutualInformation(),
    Capacity(),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(3),
    SibsonMutualInformation(2),
    SibsonMutualInformation("1/2"),
    PointwiseLeakage(),
]
_SOURCES: list[Source] = [
    Prior(["1/2", "1/3", "1/6"]),
    Prior(["1/2", "1/2", "0"]),
    Ball(["1/2", "1/3", "1/6"], "1/10"),
    Everything(3),
    Finite([["1/2", "1/2", "0"], ["0", "1/2", "1/2"]]),
    Finite([["1", "0", "0"], ["0", "1/2", "1/2"]]),
]


def by_second(document: object) -> Any:
    return interval_of_the_second(document)


@pytest.mark.parametrize("notion", _NOTIONS, ids=str)
def test_the_least_distortion_is_exact(notion: Notion) -> None:
    universes: list[Universe] = [Alphabet(3), Graph([0, 1, 2], [(0, 1)])]
    distortions: list[Distortion] = [Hamming(), _COSTS, Gain([[1, 0], [0, 1], ["1/2", 0]])]
    for source, distortion, universe in product(_SOURCES, distortions, universes):
        answer = Frontier(notion, source, distortion, universe).distortion_at(loss=0)
        assert answer.interval.width == 0
        seen = by_second(write_answer(answer))
        assert answer.interval.lower.rational is not None
        assert interval_asked(answer.problem, seen).lower.rational == answer.interval.lower.rational
        assert seen.lower.rational == seen.upper.rational


@pytest.mark.parametrize(
    ("notion", "source", "expected"),
    [
        # Laws without a common letter leave two classes: {0} and {1, 2}, where 1 is answered right half the time.
        (MutualInformation(), Finite([["1", "0", "0"], ["0", "1/2", "1/2"]]), "1/2"),
        (RenyiDifferentialPrivacy(2), Prior(["1/2", "1/4", "1/4"]), "1/4"),
    ],
)
def test_classes_are_answered_apart(notion: Notion, source: Source, expected: str) -> None:
    answer = Frontier(notion, source, Hamming(), Graph([0, 1, 2], [(1, 2)])).distortion_at(loss=0)
    assert answer.interval.lower.rational == answer.interval.upper.rational == rational(expected)


@pytest.mark.parametrize(
    ("notion", "level"),
    [(MutualInformation(), "1e-30"), (RenyiDifferentialPrivacy(2), "1e-30"), (MinEntropyLeakage(), "0")],
)
def test_rows_may_differ_above_level_zero_and_where_nothing_compares_them(notion: Notion, level: str) -> None:
    source = Prior(["1/2", "1/3", "1/6"])
    zero = Frontier(MutualInformation(), source, Hamming()).distortion_at(loss=0).proof
    assert isinstance(zero, Proof)
    assert zero.converse is not None
    problem = Problem(notion, source, Hamming(), Alphabet(3), "distortion", Real.of(level))
    points = zero.converse.points if notion.needs_source else ()
    forged = Proof(problem, None, replace(zero.converse, points=points))
    assert forged.check().lower.rational == 0
    assert by_second(write_proof(forged)).lower.rational == 0
