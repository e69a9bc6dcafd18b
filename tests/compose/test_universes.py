"""Releases that name no universe, and ledgers that start without one."""

from __future__ import annotations

from itertools import product

import pytest

from epstar.compose import Accountant, parallel_loss, parallel_rule
from epstar.convert import Guarantee
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.mechanism import Mechanism, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
)
from epstar.source import Prior
from epstar.universe import Alphabet, Databases, Graph, Metric

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
PURE = Guarantee(DifferentialPrivacy(), "log(3)")


def test_a_ledger_without_a_universe() -> None:
    empty = Accountant()
    assert empty.total(DifferentialPrivacy()).guarantee.level.upper == 0
    promised = empty.add(PURE, times=2)
    assert promised.universe is None
    assert str(promised.total(DifferentialPrivacy()).guarantee.level) == "log(9)"
    assert str(promised.total(ApproximateDifferentialPrivacy("3/8")).guarantee.level) == "log(3)"
    mixed = promised.add(COIN)
    assert mixed.universe == Alphabet(2)
    assert str(mixed.total(DifferentialPrivacy()).guarantee.level) == "log(27)"
    assert Accountant(None, (COIN, PURE)).universe == Alphabet(2)
    with pytest.raises(InvalidInput, match="another universe"):
        mixed.add(Mechanism([[1], [1], [1]]))
    with pytest.raises(InvalidInput, match="2 categories and the universe 3"):
        Accountant(Alphabet(3)).add(PURE).total(MutualInformation(), Prior(["1/2", "1/2"]))


def test_a_promise_without_a_universe_is_about_neighbours() -> None:
    """Both coins of a database keep the promise to neighbours; together they tell more than its level."""
    rows = Databases(2, 2)
    both = randomised_response(Alphabet(2), ratio=Rational(3)).dense().rows
    mechanism = Mechanism([[p * q for p, q in product(both[x], both[y])] for x, y in product(range(2), repeat=2)], rows)
    assert str(DifferentialPrivacy().loss(mechanism).upper) == "log(3)"
    lost = MaximalLeakage().loss(mechanism).lower
    promised = Accountant(rows).add(PURE).total(MaximalLeakage()).guarantee.level
    assert lost is not None
    assert str(promised) == str(lost) == "log(9/4)"
    line = Accountant(Graph.line(3)).add(PURE).total(MaximalLeakage()).guarantee.level
    assert str(line) == "log(2)"  # three times the best chance 1 - 4/12 on a line


def test_a_promise_without_a_universe_has_no_distances() -> None:
    with pytest.raises(InvalidInput, match="per unit of distance"):
        Accountant(Metric([[0, "1/2"], ["1/2", 0]])).add(PURE)


def test_chances_of_guessing_independent_rows_multiply() -> None:
    assert parallel_rule(MinEntropyLeakage()).total == "sum"
    first, second = Prior(["1/3", "2/3"]), Prior(["3/5", "2/5"])
    table = Mechanism(
        [[p * q for p, q in product(COIN.rows[x], COIN.rows[y])] for x, y in product(range(2), repeat=2)],
        Databases(2, 2),
    )
    joint = Prior([p * q for p, q in product(first.probabilities, second.probabilities)])
    losses = [MinEntropyLeakage().loss(COIN, prior).upper for prior in (first, second)]
    assert str(parallel_loss(MinEntropyLeakage(), losses)) == str(MinEntropyLeakage().loss(table, joint).upper)


def test_a_release_by_distances_keeps_its_level_with_a_slack() -> None:
    places = Metric([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    ledger = Accountant(places).add(Guarantee(DifferentialPrivacy(), "1/2", places))
    total = ledger.total(ApproximateDifferentialPrivacy("1/20")).guarantee.level
    assert total.upper <= 0.5
