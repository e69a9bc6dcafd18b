"""Convex programs in many digits: against closed forms, against the conic solver, and where that one stops early."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from tests.frontier.generated import Kind, generated, width_limit
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.distortion import Absolute, Hamming
from epstar.errors import SolverFailure
from epstar.exact import ONE, Rational, Real
from epstar.frontier import Frontier
from epstar.notions import (
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.constraints import Norm, Power, RelativeEntropy
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.solve.barrier import Barrier, Linear, Smooth, _Tangent
from epstar.solve.general import Deadline, least_bound, least_distortion
from epstar.solve.refined import refined
from epstar.source import Hull, Prior, Source
from epstar.universe import Alphabet

PRIOR = Prior(["1/2", "3/10", "1/5"])
HULL = Hull([["1/2", "3/10", "1/5"], ["1/5", "1/5", "3/5"]])
SMOOTH: list[tuple[Notion, Source]] = [
    (MutualInformation(), PRIOR),
    (MutualInformation(), HULL),
    (SibsonMutualInformation(3), PRIOR),
    (SibsonMutualInformation("1/2"), HULL),
    (RenyiDifferentialPrivacy(2), PRIOR),
    (RenyiDifferentialPrivacy("1/2"), HULL),
    (PointwiseLeakage(), PRIOR),
]


@pytest.mark.parametrize(("notion", "source"), SMOOTH, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_both_methods_agree(notion: Notion, source: Source, asks: str) -> None:
    given = Real.of("1/4")
    problem = Problem(notion, source, Absolute(), Alphabet(3), "loss" if asks == "loss" else "distortion", given)
    conic = (least_bound if asks == "loss" else least_distortion)(problem, Deadline(None))
    many = refined(problem, Proof(problem, None, conic.converse), Deadline(None)).check()
    assert many.width < 1e-10
    assert many.lower <= conic.check().upper
    assert conic.check().lower <= many.upper


def test_against_a_closed_form() -> None:
    problem = Problem(MutualInformation(), PRIOR, Hamming(), Alphabet(3), "loss", Real.of("1/5"))
    known = Frontier.answer(problem, method="closed form")
    found = refined(problem, least_bound(problem, Deadline(None)), Deadline(None)).check()
    assert found.lower.lower == pytest.approx(known.upper, abs=1e-12)
    assert found.upper.upper == pytest.approx(known.upper, abs=1e-12)


# Questions on which the conic solver alone leaves intervals of 1e-7 to 1e-3.
HARD = [
    (Kind("renyi", "everything", "matrix", "alphabet", "distortion"), 7001),
    (Kind("renyi", "hull", "absolute", "disconnected", "distortion"), 7002),
    (Kind("sibson", "ball", "absolute", "databases", "distortion"), 7004),
    (Kind("renyi", "polytope", "hamming", "metric", "distortion"), 7004),
]


@pytest.mark.parametrize(("kind", "seed"), HARD, ids=lambda value: str(value)[:60])
def test_questions_that_need_many_digits(kind: Kind, seed: int) -> None:
    problem = generated(kind, seed)
    answer = Frontier.answer(problem)
    assert answer.interval.width <= width_limit(problem.notion)
    lower, upper = checked_by_the_second(write_answer(answer))
    assert (lower, upper) == pytest.approx((answer.lower, answer.upper), abs=1e-9)


def test_level_zero_of_a_graph_in_pieces() -> None:
    problem = generated(Kind("renyi", "everything", "absolute", "disconnected", "distortion"), 7004)
    assert problem.given.rational == 0
    assert Frontier.answer(problem).interval.width <= 1e-15


@pytest.mark.parametrize(
    "atom",
    [
        RelativeEntropy({0: ONE}, {1: ONE, 2: Rational(1, 2)}),
        Power({0: ONE}, {1: ONE}, Rational(3)),
        Power({0: ONE, 1: ONE}, {2: ONE}, Rational(1, 2)),
        Norm({0: ONE, 1: Rational(1, 3), 2: Rational(2)}, Rational(5)),
        Norm({0: ONE, 2: Rational(2)}, Rational(1, 2)),
    ],
    ids=str,
)
def test_derivatives_are_those_of_the_value(atom: RelativeEntropy | Power | Norm) -> None:
    column = np.array([Decimal("0.3"), Decimal("0.5"), Decimal("0.2")], dtype=object)
    tangent, step = _Tangent(atom, column), Decimal("1e-8")
    for place, x in enumerate(tangent.inputs):
        moved = column.copy()
        moved[x] += step
        after = _Tangent(atom, moved)
        assert float((after.value - tangent.value) / step) == pytest.approx(float(tangent.gradient[place]), abs=1e-5)
        for other in range(len(tangent.inputs)):
            bend = float((after.gradient[other] - tangent.gradient[other]) / step)
            assert bend == pytest.approx(float(tangent.curvature[place][other]), abs=1e-4)


def test_a_program_without_interior_is_refused() -> None:
    cost = np.array([[Decimal(0), Decimal(1)], [Decimal(1), Decimal(0)]], dtype=object)
    equal = Smooth(((ONE, RelativeEntropy({0: ONE}, {1: ONE})),), 0, Decimal(0))
    barrier = Barrier((2, 2), [Linear(cost, 1, Decimal(0))], [equal])
    start = np.full((2, 2), Decimal("0.5"), dtype=object)
    with pytest.raises(SolverFailure, match="no path"):
        barrier.minimise(start, lambda _: Decimal("1e-10"))
