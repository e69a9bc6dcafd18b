"""Refinement is decided exactly, and either way by something that is checked here by definition."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.mechanism import Mechanism, constant, identity, randomised_response
from epstar.mechanism.refinement import refines, vulnerability
from epstar.notions import Capacity, DifferentialPrivacy, MaximalLeakage
from epstar.source import Everything, Prior
from epstar.universe import Alphabet


@st.composite
def mechanisms(draw: st.DrawFn, inputs: int, outputs: int) -> Mechanism:
    rows = []
    for _ in range(inputs):
        row = draw(st.lists(st.integers(0, 6), min_size=outputs, max_size=outputs).filter(any))
        rows.append([Fraction(k, sum(row)) for k in row])
    return Mechanism(rows)


def product(left: Mechanism, right: Mechanism) -> list[list[Rational]]:
    """The matrix product, by definition."""
    return [
        [sum((row[y] * right.rows[y][z] for y in range(len(row))), ZERO) for z in range(len(right.rows[0]))]
        for row in left.rows
    ]


def expected_gain(mechanism: Mechanism, prior: Prior, gain: Gain) -> Rational:
    """What the best strategy gains: the best of all functions from outputs to guesses, one output at a time."""
    total = ZERO
    for y in range(mechanism.shape[1]):
        worth = [
            sum(
                (prior.probabilities[x] * mechanism.entry(x, y) * row[guess] for x, row in enumerate(gain.values)), ZERO
            )
            for guess in range(len(gain.values[0]))
        ]
        total += max(worth)
    return total


@given(mechanisms(3, 4), mechanisms(4, 3))
def test_what_is_processed_further_refines(first: Mechanism, second: Mechanism) -> None:
    whole = Mechanism(product(first, second))
    told = refines(first, whole)
    assert told
    assert told.processing is not None
    assert [list(row) for row in whole.rows] == product(first, told.processing)


@given(mechanisms(3, 3), mechanisms(3, 3))
def test_either_answer_is_proven(first: Mechanism, second: Mechanism) -> None:
    told = refines(first, second)
    if told.processing is not None:
        assert [list(row) for row in second.rows] == product(first, told.processing)
        # No loss can then be larger: the data-processing inequality.
        for notion in (DifferentialPrivacy(), MaximalLeakage(), Capacity()):
            before, after = (notion.loss(m, Everything(3)) for m in (first, second))
            assert after.lower is not None
            assert before.upper is not None
            assert after.lower <= before.upper
    else:
        assert told.prior is not None
        assert told.gain is not None
        gains = tuple(expected_gain(m, told.prior, told.gain) for m in (first, second))
        assert gains == told.gains
        assert gains[0] < gains[1]
        assert gains == tuple(vulnerability(m, told.prior, told.gain) for m in (first, second))
        assert all(0 <= value <= 1 for row in told.gain.values for value in row)


def test_the_truth_comes_first_and_a_constant_last() -> None:
    letters = Alphabet(["a", "b", "c"])
    noisy = randomised_response(letters, ratio=2)
    still = constant(letters, ["a", "b", "c"], ["1/3", "1/3", "1/3"])
    assert refines(identity(letters), noisy)
    assert refines(noisy, still)
    assert not refines(still, noisy)
    assert not refines(noisy, identity(letters))


def test_less_noise_does_not_refine_more_noise_only_the_other_way() -> None:
    letters = Alphabet(["a", "b", "c", "d"])
    strong, weak = randomised_response(letters, ratio=2), randomised_response(letters, ratio=3)
    assert refines(weak, strong)
    assert not refines(strong, weak)


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (Mechanism([["1"], ["1"]]), Mechanism([["1"], ["1"], ["1"]]), "2 and 3 inputs"),
        (Mechanism([[0.5, 0.5]]), Mechanism([["1/2", "1/2"]]), "floats"),
        (identity(Alphabet(100)), identity(Alphabet(100)), "too large"),
    ],
)
def test_what_cannot_be_compared_is_refused(first: Mechanism, second: Mechanism, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        refines(first, second)
