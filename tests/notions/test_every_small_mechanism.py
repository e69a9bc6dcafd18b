"""Every mechanism with up to three inputs, three outputs and a small denominator, against the definitions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.notions import definitions as define

from epstar.exact import rational, rationals
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.maximal_information import informations
from epstar.notions.maximal_leakage import leakages
from epstar.notions.measure.hockey_stick import least_factors
from epstar.notions.measure.relative_entropy import divergences
from epstar.notions.measure.renyi_divergence import divergences as renyi_divergences
from epstar.notions.measure.worst_ratio import log_spread
from epstar.notions.min_entropy_leakage import vulnerabilities
from epstar.notions.mutual_information import informations as mutual_informations
from epstar.notions.sibson_mutual_information import sibson_informations
from epstar.source import Prior

Floats = NDArray[np.float64]

# Sixteenths and their like, so that floats are exact and a slack can be met with equality.
SHAPES = [(1, 3, 8), (2, 2, 16), (2, 3, 8), (3, 1, 4), (3, 2, 16), (3, 3, 4)]
LARGE = (3, 3, 13)
PRIORS = {
    1: [["1"]],
    2: [["1/2", "1/2"], ["3/4", "1/4"], ["0", "1"]],
    3: [["1/2", "1/4", "1/4"], ["1/8", "5/8", "1/4"], ["1/2", "0", "1/2"]],
}


def same(ours: Floats, theirs: Floats, tolerance: float = 1e-12) -> None:
    """Infinite together, and equal up to rounding where finite."""
    infinite = np.isinf(theirs)
    assert (np.isinf(ours) == infinite).all()
    assert np.abs(ours[~infinite] - theirs[~infinite]).max(initial=0.0) <= tolerance


def worst_over_pairs(matrix: Floats, value: Callable[[Floats, Floats], Floats]) -> Floats:
    inputs = matrix.shape[-2]
    first, second = np.nonzero(~np.eye(inputs, dtype=bool))
    if len(first) == 0:
        return np.zeros(len(matrix))
    return np.asarray(value(matrix[:, first, :], matrix[:, second, :]).max(axis=-1))


def check_prior_free(matrix: Floats, delta: float) -> None:
    same(log_spread(matrix).max(axis=-1), define.differential_privacy(matrix))
    same(leakages(matrix), define.maximal_leakage(matrix))
    event = worst_over_pairs(matrix, lambda p, q: np.log(least_factors(p, q, delta)))
    same(event, define.approximate(matrix, delta))
    for order in (0.5, 1, 2, 3):
        ours = worst_over_pairs(matrix, partial(renyi_divergences, order=order))
        same(ours, define.renyi(matrix, order))


def check_with_prior(matrix: Floats, prior: Floats, delta: float) -> None:
    law = np.einsum("x,bxy->by", prior, matrix)
    same(mutual_informations(matrix, prior), define.mutual_information(matrix, prior))
    for order in (0.5, 1.5, 2, 3):
        same(sibson_informations(matrix, prior, order), define.sibson(matrix, prior, order))
    same(np.maximum(informations(matrix, law).max(axis=-1), 0), define.maximal_information(matrix, prior))
    same(log_spread(matrix, prior).max(axis=-1), define.identifiability(matrix, prior))
    same(np.log(vulnerabilities(matrix, prior) / prior.max()), define.min_entropy_leakage(matrix, prior))
    same(np.maximum(divergences(matrix, law).max(axis=-1), 0), define.pointwise_leakage(matrix, prior))
    laws = np.broadcast_to(law[:, None, :], matrix.shape)
    for slack in (0.0, delta):
        over, under = least_factors(laws, matrix, slack), least_factors(matrix, laws, slack, True)
        theirs = define.local_information_privacy(matrix, prior, slack)
        same(np.log(np.maximum(over, under)).max(axis=-1), theirs)


@pytest.mark.parametrize("shape", [*SHAPES, pytest.param((3, 3, 8), marks=pytest.mark.full)], ids=str)
def test_kernels_equal_the_definitions(shape: tuple[int, int, int]) -> None:
    matrix = define.every_mechanism(*shape) / shape[2]
    if shape[0] > 1:
        check_prior_free(matrix, 0.25)
    for prior in PRIORS[shape[0]]:
        if shape[0] > 1:
            check_with_prior(matrix, np.array([float(Fraction(p)) for p in prior]), 0.125)


@pytest.mark.full
def test_kernels_equal_the_definitions_on_more_than_a_million_mechanisms() -> None:
    counts = define.every_mechanism(*LARGE)
    assert len(counts) == 1_157_625
    for part in np.array_split(counts, 32):
        matrix = part / LARGE[2]
        # Off the grid, where no sum of thirteenths meets the slack.
        check_prior_free(matrix, 0.1)
        check_with_prior(matrix, np.array([0.5, 0.3, 0.2]), 0.1)


DELTA = "1/4"
LOGARITHMS: list[tuple[Notion, Callable[[Floats, Floats], Floats]]] = [
    (DifferentialPrivacy(), lambda matrix, prior: define.differential_privacy(matrix)),
    (ApproximateDifferentialPrivacy(DELTA), lambda matrix, prior: define.approximate(matrix, 0.25)),
    (
        ApproximateDifferentialPrivacy(DELTA, "pointwise"),
        lambda matrix, prior: define.pointwise_approximate(matrix, 0.25),
    ),
    (RenyiDifferentialPrivacy(2), lambda matrix, prior: define.renyi(matrix, 2)),
    (MaximalLeakage(), lambda matrix, prior: define.maximal_leakage(matrix)),
    (MaximalInformation(), define.maximal_information),
    (Identifiability(), define.identifiability),
    (LocalInformationPrivacy(), lambda matrix, prior: define.local_information_privacy(matrix, prior, 0)),
    (
        LocalInformationPrivacy(DELTA),
        lambda matrix, prior: define.local_information_privacy(matrix, prior, 0.25),
    ),
    (MinEntropyLeakage(), define.min_entropy_leakage),
]
ENCLOSED: list[tuple[Notion, Callable[[Floats, Floats], Floats]]] = [
    (RenyiDifferentialPrivacy("1/2"), lambda matrix, prior: define.renyi(matrix, 0.5)),
    (RenyiDifferentialPrivacy(1), lambda matrix, prior: define.renyi(matrix, 1)),
    (RenyiDifferentialPrivacy(3), lambda matrix, prior: define.renyi(matrix, 3)),
    (MutualInformation(), define.mutual_information),
    (SibsonMutualInformation("1/2"), lambda matrix, prior: define.sibson(matrix, prior, 0.5)),
    (SibsonMutualInformation(2), lambda matrix, prior: define.sibson(matrix, prior, 2)),
    (PointwiseLeakage(), define.pointwise_leakage),
]
EXACT_SHAPES = [(2, 2, 8), (2, 3, 4), (3, 2, 4), (3, 3, 4)]
MANY = 1000
IDS = [f"{notion.name}{list(notion.parameters().values())}" for notion, _ in LOGARITHMS + ENCLOSED]


# A prime, so that those which are looked at differ in every row.
SOME = 7


@pytest.mark.parametrize("step", [SOME, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(("notion", "definition"), LOGARITHMS + ENCLOSED, ids=IDS)
def test_exact_losses_equal_the_definitions(
    notion: Notion, definition: Callable[[Floats, Floats], Floats], step: int
) -> None:
    """The number inside the logarithm is the right fraction, and floats give the same value."""
    is_log = (notion, definition) in LOGARITHMS
    for shape in EXACT_SHAPES:
        counts, total = define.every_mechanism(*shape), shape[2]
        prior = Prior(PRIORS[shape[0]][1])
        expected = definition(counts / total, prior.floats)
        for place in range(0, len(counts), step if len(counts) > MANY else 1):
            rows = [[rational(Fraction(int(k), total)) for k in row] for row in counts[place]]
            mechanism = Mechanism(rows)
            loss = notion.loss(mechanism, prior)
            assert loss.lower is not None
            assert loss.upper is loss.lower
            if np.isinf(expected[place]):
                assert loss.upper.is_infinite
                assert notion.loss(Mechanism(mechanism.floats), prior).value == np.inf
                continue
            assert loss.value == pytest.approx(expected[place], abs=2e-14)
            assert notion.loss(Mechanism(mechanism.floats), prior).value == pytest.approx(loss.value, abs=2e-14)
            if is_log:
                argument = loss.upper.argument_of_log
                found = Fraction(1) if argument is None else Fraction(int(argument.p), int(argument.q))
                assert argument is not None or loss.upper.rational == 0
                # Numbers this simple are told apart by floats, so the nearest simple fraction is the exact one.
                assert found == Fraction(float(np.exp(expected[place]))).limit_denominator(4000)


def test_every_mechanism_of_one_input_loses_nothing() -> None:
    mechanism = Mechanism([rationals(["1/2", "1/3", "1/6"])])
    for notion, _ in LOGARITHMS + ENCLOSED:
        assert notion.loss(mechanism, Prior([1])).value == 0
        assert notion.loss(Mechanism(mechanism.floats), Prior([1])).value == pytest.approx(0, abs=1e-15)
