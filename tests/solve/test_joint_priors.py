"""Databases under a joint law: bounds that are never written out, beside the optimum that a program finds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import check_proof
import pytest

from epstar.answer import answer
from epstar.answer_file import write_answer
from epstar.completion import ClaimedProof
from epstar.deadline import Deadline
from epstar.distortion import Hamming
from epstar.errors import NoSolution, ProofRejected
from epstar.exact import Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
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
from epstar.notions.family import Family
from epstar.problem import Asked, Problem
from epstar.solve import solve
from epstar.solve.bracket import Bracket, Claims, Offer, Question
from epstar.solve.forms import databases
from epstar.solve.method import Task
from epstar.source import Everything, Prior
from epstar.universe import Databases

NOTIONS: tuple[Notion, ...] = (
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/100"),
    ApproximateDifferentialPrivacy("1/100", "pointwise"),
    RenyiDifferentialPrivacy(2),
    ConcentratedDifferentialPrivacy(),
    GaussianDifferentialPrivacy(),
    Identifiability(),
    MutualInformation(),
    Capacity(),
    SibsonMutualInformation(2),
    SibsonMutualInformation("1/2"),
    MaximalLeakage(),
    MinEntropyCapacity(),
    MinEntropyLeakage(),
    MaximalInformation(),
    LocalInformationPrivacy("1/100"),
    PointwiseLeakage(),
)
LARGE: dict[str, tuple[Prior | Everything, Databases, str]] = {
    "a joint prior of 12 bits": (
        Prior([Rational(weight, 32768) for weight in (3 + 7 * x % 11 for x in range(4096))]),
        Databases(2, 12),
        "12/5",
    ),
    "any distribution of 4^6": (Everything(4096), Databases(4, 6), "1"),
}


def told(name: Notion) -> str:
    return name.full_title


def offers(claims: Claims) -> Iterator[Offer]:
    """What a method offers, its questions answered."""
    reply: Bracket | None = None
    while True:
        try:
            said = claims.send(reply)
        except StopIteration:
            return
        reply = solve(said.problem) if isinstance(said, Question) else None
        if isinstance(said, Offer):
            yield said


@pytest.mark.parametrize("notion", NOTIONS, ids=told)
def test_no_bound_exceeds_the_optimum(notion: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "MOST_MULTIPLES", 0)  # lines would be written out
    generator, spoke = random.Random(18), set[Asked]()
    # Programs of families of bounds take minutes on nine databases.
    for universe in (Databases(2, 2), Databases(2 if isinstance(notion, Family) else 3, 2)):
        weights = [generator.randint(4, 9) for _ in range(universe.size)]
        source = Prior([Rational(weight, sum(weights)) for weight in weights])
        given: tuple[tuple[Asked, str], ...] = (("loss", "1/3"), ("distortion", "7/5"))
        for asks, at in given:
            problem = Problem(notion, source, Hamming(), universe, asks, Real.of(at))
            most = answer(problem).interval.upper
            for offer in offers(databases.claims(Task(problem, Bracket(problem), Deadline(None)))):
                try:
                    lower = offer.evidence.lower
                except ProofRejected:
                    continue
                assert lower <= most
                if lower > 0:
                    spoke.add(asks)
                    ClaimedProof(problem, offer.evidence.completed()).check()
    silent = isinstance(notion, LocalInformationPrivacy) or notion == ApproximateDifferentialPrivacy(
        "1/100", "pointwise"
    )
    assert silent or spoke == {"loss", "distortion"}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("notion", NOTIONS, ids=told)
def test_nothing_is_refused_for_its_size(name: str, notion: Notion) -> None:
    source, universe, at = LARGE[name]
    given: tuple[tuple[Asked, str], ...] = (("loss", at), ("distortion", "1"))
    for asks, number in given:
        problem = Problem(notion, source, Hamming(), universe, asks, Real.of(number))
        if isinstance(notion, Identifiability) and (asks == "distortion" or isinstance(source, Everything)):
            with pytest.raises(NoSolution):
                answer(problem)
            continue
        found = answer(problem)
        assert found.mechanism is not None
        assert 0 <= found.lower <= found.upper < float("inf")
        check_proof.check(json.dumps(write_answer(found)).encode())
