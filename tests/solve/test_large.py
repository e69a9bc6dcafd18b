"""Large programs: the structured methods agree with general ones, and what they return is exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from epstar.distortion import Absolute, Hamming, Squared
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import (
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.constraints import Spread
from epstar.problem import Problem
from epstar.solve.certify.mechanism import within_spread
from epstar.solve.forms import many_priors
from epstar.solve.forms.many_priors import best_diagonal
from epstar.source import Everything, Finite, Hull, Prior
from epstar.universe import Alphabet


@pytest.mark.parametrize("letters", [25, 60, 120])
@pytest.mark.parametrize("notion", [DifferentialPrivacy(), Identifiability()], ids=lambda notion: notion.name)
def test_a_large_spread_is_proven_to_many_digits(letters: int, notion: DifferentialPrivacy | Identifiability) -> None:
    law = np.random.default_rng(letters).dirichlet(np.full(letters, 20.0))
    level = 1.0 if isinstance(notion, DifferentialPrivacy) else float(np.log(law.max() / law.min())) + 0.5
    answer = Frontier(notion, Prior(law), Absolute()).distortion_at(loss=level)
    assert answer.interval.width <= 1e-9
    assert answer.mechanism is not None
    assert answer.mechanism.is_exact
    loss = notion.loss(answer.mechanism, Prior(law)).upper
    assert loss is not None
    assert loss <= Real.of(level)
    assert answer.proof.check().width == answer.interval.width


@pytest.mark.parametrize(
    ("notion", "letters"), [(RenyiDifferentialPrivacy(2), 60), (SibsonMutualInformation(2), 120), (Capacity(), 120)]
)
def test_the_symmetric_form_answers_many_letters(notion: Notion, letters: int) -> None:
    answer = Frontier(notion, Everything(letters), Hamming()).loss_at(distortion="1/3")
    assert answer.method == "closed form"
    assert answer.interval.width < 1e-11


def test_a_level_that_leaves_no_room_inside_is_not_taken_at_the_word_of_an_interior_point_method() -> None:
    # At the level of the prior itself two rows are equal; the search for the least loss begins there.
    weights = [1, 48, *np.random.default_rng(30).integers(2, 48, 28).tolist()]
    prior = Prior([Rational(weight, sum(weights)) for weight in weights])
    answer = Frontier(Identifiability(), prior, Absolute()).loss_at(distortion="3/2")
    assert answer.interval.width <= 1e-9


@pytest.mark.parametrize("level", [1e-4, 0.1, 5.0, 10.0])
@pytest.mark.parametrize("concentration", [0.05, 1.0])
def test_extreme_levels_and_priors_keep_their_digits(level: float, concentration: float) -> None:
    law = np.random.default_rng(7).dirichlet(np.full(50, concentration))
    answer = Frontier(DifferentialPrivacy(), Prior(law), Squared()).distortion_at(loss=level)
    assert answer.interval.width <= 1e-9


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 6), st.floats(0.1, 4), st.integers(0, 10**6), st.booleans())
def test_repaired_mechanisms_keep_within_the_spread(inputs: int, level: float, seed: int, scaled: bool) -> None:
    random = np.random.default_rng(seed)
    matrix = random.dirichlet(np.ones(inputs)) * np.exp(level * random.uniform(-0.5, 0.5, (inputs, inputs)))
    # One output is hardly ever given, and the others overstep the spread by as much as a solver may.
    matrix[:, 0] = 1e-18 * random.random(inputs)
    matrix *= 1 + 1e-9 * random.random((inputs, inputs))
    matrix /= matrix.sum(axis=1, keepdims=True)
    ratio = Rational(*float((matrix.max(axis=0) / matrix.min(axis=0))[1:].max()).as_integer_ratio())
    ratio -= (ratio - 1) / 10**6
    largest = 1 + (ratio - 1) / 10**4 if scaled else Rational(1)
    scales = tuple(Rational(1) if x else largest for x in range(inputs))
    problem = Problem(
        DifferentialPrivacy(), Prior.uniform_on(inputs), Hamming(), Alphabet(inputs), "distortion", Real.of(level)
    )
    found = within_spread(matrix, problem, Spread(scales), ratio, np.full(inputs, 1 / inputs))
    assert found is not None
    for column in zip(*found.rows, strict=True):
        entries = [scale * q for scale, q in zip(scales, column, strict=True)]
        assert max(entries) <= ratio * min(entries)
    if not scaled:
        assert np.abs(found.floats - matrix).max() < 1e-5
        assert not any(row[0] for row in found.rows)


def test_nothing_is_repaired_where_a_constant_answer_is_too_much() -> None:
    problem = Problem(DifferentialPrivacy(), Prior.uniform_on(2), Hamming(), Alphabet(2), "distortion", Real.of(1))
    even = np.full(2, 0.5)
    assert within_spread(np.eye(2), problem, Spread((Rational(1), Rational(3))), Rational(2), even) is None
    assert within_spread(np.eye(2), problem, Spread((Rational(1),) * 2, Rational(1, 2)), Rational(2), even) is None
    assert within_spread(np.zeros((2, 2)), problem, Spread((Rational(1),) * 2), Rational(2), even) is None


@pytest.mark.parametrize(("count", "letters", "ratio"), [(3, 5, 2.0), (5, 30, 3.0), (20, 100, 2.7), (10, 50, 1.01)])
def test_the_best_diagonal_is_that_of_a_general_solver(count: int, letters: int, ratio: float) -> None:
    laws = np.random.default_rng(letters).dirichlet(np.ones(letters), size=count)
    found = best_diagonal(laws, ratio)
    rows = np.hstack([-laws, np.zeros((count, 1)), np.ones((count, 1))])
    caps = np.hstack([np.eye(letters), -np.ones((letters, 1)), np.zeros((letters, 1))])
    known = linprog(
        np.r_[np.zeros(letters + 1), -1.0],
        A_ub=np.vstack([rows, caps]),
        b_ub=np.zeros(count + letters),
        A_eq=np.r_[np.ones(letters), ratio - 1, 0.0][None],
        b_eq=[ratio],
        bounds=[(0, None)] * letters + [(None, None)] * 2,
    )
    overstepped = ((ratio - 1) * found.diagonal.max() + found.diagonal.sum()) / ratio
    assert (laws @ found.diagonal / overstepped).min() == pytest.approx(-known.fun, rel=1e-9)
    assert found.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", [Hull, Finite])
@pytest.mark.parametrize("asked", [("distortion", "1/2"), ("distortion", "2"), ("loss", "1/2"), ("loss", "1/5")])
def test_many_priors_agree_with_the_small_program(
    kind: type[Hull] | type[Finite], asked: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    laws = np.random.default_rng(11).dirichlet(np.ones(12), size=5)
    frontier = Frontier(DifferentialPrivacy(), kind(laws), Hamming())

    def ask() -> tuple[float, float]:
        what, given = asked
        answer = frontier.distortion_at(loss=given) if what == "distortion" else frontier.loss_at(distortion=given)
        return answer.lower, answer.upper

    known = ask()
    monkeypatch.setattr(many_priors, "_MANY", 1)
    found = ask()
    assert found[0] <= known[1]
    assert known[0] <= found[1]
    assert found[1] - found[0] < 1e-12


def test_tickets_make_the_same_mechanism_as_fractions() -> None:
    tickets = Mechanism.of_tickets(np.array([[3, 1], [0, 4]]), 4)
    assert tickets == Mechanism([["3/4", "1/4"], [0, 1]])
    assert hash(tickets) == hash(Mechanism([["3/4", "1/4"], [0, 1]]))
    assert tickets.costs(Hamming()) == Mechanism([["3/4", "1/4"], [0, 1]]).costs(Hamming())
    assert str(tickets.entry(0, 1)) == "1/4"
    assert not tickets.in_floats().is_exact
