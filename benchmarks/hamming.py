"""Hamming distortion where closed forms and symmetry reach: hulls of many priors, and curves on large alphabets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.local import LEVEL, as_mechanism, compact_program, law, proven, solve
from benchmarks.way import Found, Job
from epstar.answer import Answer
from epstar.claims import check as check_claims
from epstar.curve import Curve
from epstar.distortion import Hamming
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MutualInformation,
    Notion,
)
from epstar.source import Hull, Prior
from epstar.universe import Alphabet

Floats = NDArray[np.float64]
VERTICES = 100
POINTS = 41
CLOSED: tuple[Notion, ...] = (
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/100"),
    MaximalLeakage(),
    MutualInformation(),
    Identifiability(),
)


def laws(letters: int) -> Floats:
    """Return random priors, the same for the same number of letters."""
    return np.random.default_rng(letters).dirichlet(np.ones(letters), size=VERTICES)


def hull_by_epstar(letters: int) -> Job:
    """epstar: the least Hamming distortion at differential privacy level 1 over a hull of priors, proof included."""
    solve(law(20))
    priors = laws(letters)

    def work() -> Answer:
        return Frontier(DifferentialPrivacy(), Hull(priors), Hamming(), Alphabet(letters)).distortion_at(LEVEL)

    return Job(work, lambda answer: proven(DifferentialPrivacy(), answer))


def hull_by_compact_program(letters: int) -> Job:
    """HiGHS with the smallest program."""
    priors, cost = laws(letters), 1 - np.eye(letters)
    return Job(lambda: compact_program(priors, cost), as_mechanism(priors, cost))


def curves_by_epstar(letters: int) -> Job:
    """epstar: a curve of 41 points for each notion, each point with claims of its own.

    Making a curve checks its claims, so that the time includes reading the prior, finding the points, the check, and
    the ends in floats.
    """
    solve(law(20))
    prior, distortions = law(letters), np.linspace(0.001, 0.999, POINTS).tolist()

    def work() -> list[Curve]:
        source, universe = Prior(prior), Alphabet(letters)
        curves = [Frontier(notion, source, Hamming(), universe).curve(distortions=distortions) for notion in CLOSED]
        assert all((curve.lower <= curve.upper).all() for curve in curves)
        return curves

    def check(curves: list[Curve]) -> Found:
        for curve in curves:
            for answer in curve.answers:
                assert isinstance(answer, Answer)
                check_claims(answer.claims)
        widest = max(float((curve.upper - curve.lower).max()) for curve in curves)
        return Found(0.0, widest, note="proof checked")

    return Job(work, check)
