"""Tickets: whole numbers out of a power of two, near the mechanism and proven to keep the budget."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism, identity, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalLeakage,
    MutualInformation,
    Notion,
)
from epstar.release.tickets import Tickets
from epstar.source import Prior
from epstar.testing import mechanisms
from epstar.universe import Alphabet

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/100"),
    MaximalLeakage(),
    Identifiability(),
    LocalInformationPrivacy(),
]


def distance(tickets: Tickets, mechanism: Mechanism) -> Rational:
    """The largest total variation distance between rows."""
    pairs = zip(tickets.mechanism.rows, mechanism.rows, strict=True)
    return max(sum((abs(a - b) for a, b in zip(*rows, strict=True)), Rational(0)) / 2 for rows in pairs)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 4).flatmap(lambda size: mechanisms(size, 3)), st.sampled_from(NOTIONS))
def test_rounding_keeps_a_budget_that_the_mechanism_meets_with_equality(mechanism: Mechanism, notion: Notion) -> None:
    size = mechanism.shape[0]
    prior = Prior([Rational(k + 1, size * (size + 1) // 2) for k in range(size)])
    level = notion.loss(mechanism, prior).upper
    assert level is not None
    tickets = Tickets.within(mechanism, notion, prior, level)
    found = notion.loss(tickets.mechanism, prior).upper
    assert found is not None
    assert found <= level
    assert distance(tickets, mechanism) <= Rational(1, 1 << 20)
    assert all(sum(row) == 1 << tickets.bits for row in tickets.counts)


@pytest.mark.parametrize("notion", [MutualInformation(), Capacity()])
def test_budgets_of_enclosed_losses_are_proven_too(notion: Notion) -> None:
    mechanism = randomised_response(Alphabet(3), 1)
    prior = Prior.uniform_on(3)
    level = notion.loss(mechanism, prior).upper
    assert level is not None
    tickets = Tickets.within(mechanism, notion, prior, level.above())
    found = notion.loss(tickets.mechanism, prior).upper
    assert found is not None
    assert found <= level.above()


@pytest.mark.parametrize("level", ["1/1000", "1", "5", "36", "40", "100"])
@pytest.mark.parametrize("size", [2, 3, 16])
def test_every_level_keeps_its_budget_and_still_flips(level: str, size: int) -> None:
    mechanism = randomised_response(Alphabet(size), level)
    tickets = Tickets.within(mechanism, DifferentialPrivacy(), None, level)
    loss = DifferentialPrivacy().loss(tickets.mechanism).upper
    assert loss is not None
    assert loss <= Real.of(level)
    assert all(count > 0 for row in tickets.counts for count in row)


def test_dyadic_mechanisms_are_kept_as_they_are_at_the_least_width() -> None:
    mechanism = Mechanism([["3/4", "1/4", 0], ["1/8", "3/8", "1/2"]])
    tickets = Tickets.near(mechanism)
    assert tickets.bits == 16
    assert tickets.mechanism == mechanism


def test_equal_rows_stay_equal_so_that_a_constant_mechanism_loses_nothing() -> None:
    mechanism = Mechanism([["1/3", "2/3"]] * 5)
    tickets = Tickets.within(mechanism, DifferentialPrivacy(), None, 0)
    assert len(set(tickets.counts)) == 1


def test_zeros_stay_zeros_where_rounding_alone_suffices() -> None:
    assert Tickets.near(Mechanism([["1/3", "2/3", 0], [0, "1/3", "2/3"]])).counts[0][2] == 0


def test_floats_are_rounded_and_the_rounded_matrix_is_proven() -> None:
    floats = np.array([[0.7, 0.3], [0.3, 0.7]])
    tickets = Tickets.within(Mechanism(floats), DifferentialPrivacy(), None, "log(7/3)")
    loss = DifferentialPrivacy().loss(tickets.mechanism).upper
    assert loss is not None
    assert loss <= Real.of("log(7/3)")


def test_a_mechanism_beyond_the_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="loses more than 1"):
        Tickets.within(randomised_response(Alphabet(3), 2), DifferentialPrivacy(), None, 1)
    with pytest.raises(InvalidInput, match="loses more"):
        Tickets.within(identity(Alphabet(2)), DifferentialPrivacy(), None, 5)


@pytest.mark.parametrize("counts", [((1, 2),), ((65_537, -1),), ((65_536,),), ((0, 65_536),) * 2])
def test_tickets_that_do_not_add_up_are_refused(counts: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InvalidInput, match="Tickets must be"):
        Tickets(counts, 16, Alphabet(1), (0, 1))


def test_the_width_grows_with_what_must_be_told_apart() -> None:
    third = Tickets.near(Mechanism([[Fraction(1, 3), Fraction(2, 3)]]))
    assert third.bits == 24
    many = Tickets.near(Mechanism([[Fraction(1, 1000)] * 1000]))
    assert many.bits == 32
