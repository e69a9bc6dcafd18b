"""Regions of many categories: the second checker decides what is attained over them, and no less of it."""

from __future__ import annotations

import json
from dataclasses import replace

import check_proof
import pytest

from epstar import Identifiability, MinEntropyLeakage, PointwiseLeakage
from epstar.claims.claim import Bracket, Setting
from epstar.completion.attained import attained
from epstar.distortion import Hamming
from epstar.exact import ONE, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.proof_file.document import write_bracket
from epstar.source import Ball, Box, Polytope, Source
from epstar.universe import Alphabet


def region(kind: str, size: int) -> Source:
    """Return a region around frequencies that rise from category to category."""
    total = sum(range(size, 2 * size))
    center = [Rational(x, total) for x in range(size, 2 * size)]
    if kind == "ball":
        return Ball(center, "1/10")
    lower, upper = [p * Rational(3, 4) for p in center], [p * Rational(4, 3) for p in center]
    if kind == "box":
        return Box(lower, upper)
    units = [[int(x == z) for z in range(size)] for x in range(size)]
    return Polytope([*([-a for a in row] for row in units), list(range(size))], [*(-p for p in lower), size - 2])


@pytest.mark.parametrize(
    ("notion", "kind", "size"),
    [
        (Identifiability(), "box", 16),
        (Identifiability(), "ball", 12),
        (Identifiability(), "polytope", 8),
        (PointwiseLeakage(), "box", 8),
        (PointwiseLeakage(), "polytope", 10),
        (MinEntropyLeakage(), "ball", 6),
        (MinEntropyLeakage(), "box", 7),
        (MinEntropyLeakage(), "polytope", 7),
    ],
)
def test_a_region_of_many_categories_is_decided(notion: Notion, kind: str, size: int) -> None:
    source = region(kind, size)
    problem = Problem(notion, source, Hamming(), Alphabet(size), "loss", Real.of("1/2"))
    wrong = Rational(1, 2 * size)
    rows = [[ONE - (size - 1) * wrong if x == y else wrong for y in range(size)] for x in range(size)]
    mechanism = Mechanism(rows, Alphabet(size))
    loss = notion.loss(mechanism, source).upper
    assert loss is not None
    claim = attained(problem, mechanism, loss)
    document = write_bracket(Bracket(Setting.of(problem), claim))
    assert len(check_proof.check(json.dumps(document).encode())) == 1
    less = replace(claim, loss=Real.of(loss.below() * Rational(99, 100)))
    document = write_bracket(Bracket(Setting.of(problem), less))
    with pytest.raises(check_proof.Refused):
        check_proof.check(json.dumps(document).encode())
