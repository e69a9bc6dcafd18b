"""Whether large mechanisms keep the bounds on pairs of rows: floats settle most, and none wrongly."""

import random

import pytest

from epstar.claims.claim import DIGITS, bits_of
from epstar.claims.feasibility import Table
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.universe import Metric

SIZE = 32
LINE = Metric([[abs(x - y) for y in range(SIZE)] for x in range(SIZE)])


def drawn(seed: int) -> Mechanism:
    """A mechanism whose probabilities fall with the distance from the truth."""
    choose = random.Random(seed)
    rows = []
    for x in range(SIZE):
        weights = [Rational(choose.randint(90, 99), 100 + abs(x - y)) for y in range(SIZE)]
        rows.append([weight / sum(weights, Rational(0)) for weight in weights])
    return Mechanism(rows, LINE)


def keeps(mechanism: Mechanism, level: Real) -> bool:
    constraints = DifferentialPrivacy().constraints(LINE, [])
    return Table.of(mechanism).keeps(constraints, level, bits_of(DIGITS))


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_kept_and_nothing_below(seed: int) -> None:
    mechanism = drawn(seed)
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None
    assert keeps(mechanism, loss)
    assert keeps(mechanism, Real.of("1000"))
    assert not keeps(mechanism, Real.of(loss.below() * (1 - Rational(1, 10**20))))


def test_the_truth_is_kept_at_no_level() -> None:
    truth = Mechanism([[int(x == y) for y in range(SIZE)] for x in range(SIZE)], LINE)
    assert not keeps(truth, Real.of("1"))
    assert not keeps(truth, Real.of("1000"))
