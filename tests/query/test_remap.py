"""Remapping against a search over all guesses, and its ties."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.mechanism import Mechanism, geometric, identity
from epstar.notions import DifferentialPrivacy
from epstar.query import binary_gain, remap
from epstar.query.remap import is_binary
from epstar.testing import laws
from epstar.universe import Alphabet


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.data())
def test_no_other_map_is_worth_more(answers: int, outputs: int, guesses: int, data: st.DataObject) -> None:
    mechanism = Mechanism([data.draw(laws(outputs)) for _ in range(answers)], outputs=list(range(outputs)))
    prior = data.draw(laws(answers))
    row = st.lists(st.integers(-2, 3).map(Rational), min_size=guesses, max_size=guesses)
    gain = data.draw(st.lists(row, min_size=answers, max_size=answers))
    found = remap(mechanism, prior, Gain(gain, [f"guess {k}" for k in range(guesses)]))

    def worth(places: tuple[int, ...]) -> Rational:
        return sum(
            (prior[y] * mechanism.entry(y, z) * gain[y][places[z]] for y in range(answers) for z in range(outputs)),
            ZERO,
        )

    every = {places: worth(places) for places in product(range(guesses), repeat=outputs)}
    assert found.utility == max(every.values()) == worth(found.places)
    # Ties go to the first guess, output by output: no best map is earlier in lexicographic order.
    assert found.places == min(places for places, value in every.items() if value == found.utility)
    assert found.plain_utility is None
    costs = found.mechanism.costs(Gain(gain, found.guesses))
    assert -sum((p * cost for p, cost in zip(prior, costs, strict=True)), ZERO) == found.utility


def test_remapping_can_pay_and_never_costs_privacy() -> None:
    line = geometric(3, 2)
    found = remap(line, ["7/10", "1/10", "2/10"])
    assert (found.plain_utility, found.utility) == (Rational(19, 30), Rational(43, 60))
    loss = DifferentialPrivacy().loss(found.mechanism).upper
    assert loss is not None
    before = DifferentialPrivacy().loss(line).upper
    assert before is not None
    assert loss <= before


def test_ties_and_impossible_outputs_go_to_the_first_guess() -> None:
    assert remap(Mechanism([["1/2", "1/2", 0], ["1/2", "1/2", 0]])).places == (0, 0, 0)


def test_taking_outputs_at_their_word_needs_labels_that_are_guesses() -> None:
    swapped = Mechanism([[1, 0], [0, 1]], Alphabet(["a", "b"]), ["b", "a"])
    found = remap(swapped)
    assert found.plain_utility == ZERO
    assert found.utility == 1
    assert found.guesses == ("a", "b")


def test_floats_are_taken_at_their_exact_value() -> None:
    assert remap(Mechanism([[0.5, 0.5], [0.25, 0.75]])).utility == Rational(5, 8)


def test_binary_gain_is_recognised() -> None:
    assert is_binary(binary_gain(3))
    assert not is_binary(Gain([[1, 0, 0], [0, 1, 0]]))
    assert not is_binary(Gain([[0, 1], [1, 0]]))


@pytest.mark.parametrize("prior", [["1/2", "1/2"], [1], ["1/2", "1/4", "1/2"], ["3/2", "-1/2", 0]])
def test_a_prior_off_the_answers_is_refused(prior: Any) -> None:
    with pytest.raises(InvalidInput):
        remap(identity(Alphabet(3)), prior)
