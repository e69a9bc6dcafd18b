"""Whatever is given in the place of a release, a loss or a law: a sentence, not a stack trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.refusals import crashes

from epstar.compose import (
    Accountant,
    LossDistribution,
    parallel_loss,
    parallel_optimum,
    parallel_rule,
    sequential,
    together,
)
from epstar.convert import Guarantee, curve_of
from epstar.distortion import Hamming
from epstar.exact import Rational
from epstar.frontier import Frontier
from epstar.gaussian import Gaussian
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.source import Prior
from epstar.universe import Alphabet

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
PURE = Guarantee(DifferentialPrivacy(), 1)
ROW = Frontier(DifferentialPrivacy(), Prior(["1/2", "1/2"]), Hamming())
ONE = LossDistribution({Rational(1): Rational(1)})
CALLS: dict[str, tuple[Callable[..., object], Sequence[object], dict[str, object]]] = {
    "Accountant": (Accountant, [], {"universe": Alphabet(2), "entries": ()}),
    "add": (Accountant().add, [COIN], {"times": 1}),
    "total": (
        Accountant().add(COIN).total,
        [ApproximateDifferentialPrivacy("1/10")],
        {"source": None, "method": "proven"},
    ),
    "LossDistribution": (LossDistribution, [{Rational(1): Rational(1)}], {"infinite": Rational(0)}),
    "of": (LossDistribution.of, [["3/4", "1/4"], ["1/4", "3/4"]], {}),
    "dominating": (LossDistribution.dominating, [curve_of(COIN)], {}),
    "compose": (ONE.compose, [ONE], {}),
    "power": (ONE.power, [2], {}),
    "coarsened": (ONE.coarsened, [2], {}),
    "rounded": (ONE.rounded, [2], {}),
    "delta": (ONE.delta, [1], {}),
    "delta_at": (ONE.delta_at, [2], {}),
    "level": (ONE.level, ["1/3"], {}),
    "parallel_rule": (parallel_rule, [DifferentialPrivacy()], {}),
    "parallel_loss": (parallel_loss, [DifferentialPrivacy(), [1, 2]], {}),
    "parallel_optimum": (parallel_optimum, [ROW, 2, "1/2"], {}),
    "sequential": (sequential, [[PURE, PURE]], {}),
    "together": (together, [[Gaussian(1, sensitivity=1)]], {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_sentences(name: str) -> None:
    call, arguments, named = CALLS[name]
    call(*arguments, **named)
    assert not list(crashes(call, arguments, **named))
