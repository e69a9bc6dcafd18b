"""Priors from the likeliest letter down: exact where they are small, and as near as they say where they are rounded."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.source import Prior, ranking
from epstar.source.ranking import Ranking, logarithms


def nearness(prior: Prior) -> Rational:
    """The total variation distance between a prior and the law of its counts, letter by letter in order."""
    ranked = prior.ranking
    pairs = zip(sorted(prior.probabilities, reverse=True), ranked.counts, strict=True)
    return sum((abs(p - Rational(int(n), ranked.total)) for p, n in pairs), ZERO) / 2


def test_few_letters_are_ranked_exactly() -> None:
    prior = Prior(["1/6", "1/2", "0", "1/3"])
    ranked = prior.ranking
    assert ranked.is_exact
    assert [ranked.count(place) for place in range(1, 6)] == [3, 2, 1, 0, 0]
    assert [ranked.sum(letters) for letters in range(1, 5)] == [3, 5, 6, 6]
    assert list(ranked.corners) == [3, 3, 4, 6]
    assert (ranked.size, ranked.support, ranked.total, ranked.spread) == (4, 3, 6, None)
    assert (ranked.least, ranked.largest) == ((ZERO, ZERO), (Rational(1, 2), Rational(1, 2)))
    assert nearness(prior) == 0
    floats = Prior(np.array([0.1, 0.3, 0.6]))
    assert floats.ranking.largest == (Rational(3, 5), Rational(3, 5))
    assert floats.ranking.spread == 6


def test_many_letters_lie_as_near_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    law = np.random.default_rng(5).dirichlet(np.full(200, 0.1))
    for prior in (Prior(law), Prior(Prior(law).probabilities)):
        ranked = prior.ranking
        assert not ranked.is_exact
        assert 0 < nearness(prior) <= ranked.distance < Rational(1, 10**15)
        assert ranked.least[0] <= min(prior.probabilities) <= ranked.least[1]
        assert ranked.largest[0] <= max(prior.probabilities) <= ranked.largest[1]
        assert ranked.spread == max(prior.probabilities) / min(prior.probabilities)
        assert (np.diff(np.asarray(ranked.corners)) >= 0).all()
    # Fractions sum to one, so that their extremes are known exactly.
    assert ranked.largest[0] == ranked.largest[1]


def test_unlike_denominators_are_rounded() -> None:
    primes = [n for n in range(1000, 7000) if all(n % d for d in range(2, 84))]
    parts = [Rational(1, prime) for prime in primes]
    prior = Prior([*parts, 1 - sum(parts, ZERO)])
    assert not prior.ranking.is_exact
    assert prior.ranking.largest == (max(prior.probabilities),) * 2


@pytest.mark.parametrize("rounded", [False, True])
def test_entropies_are_within_their_error(rounded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if rounded:
        monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    ranked = Prior(np.array([0.5, 0.0, 0.2, 1e-7, 0.3 - 1e-7])).ranking
    total = Real.of(0)
    for letters in range(1, 6):
        share = Rational(ranked.count(letters), ranked.total)
        if share > 0:
            total = total - Real.log(share) * share
        apart = Real.from_ball(partial(_entropy, ranked, letters)) - total
        slack = float(Real.of(ranked.entropy_error + Rational(1, 1 << 100)))
        assert -slack <= apart.lower <= apart.upper <= slack


def _entropy(ranked: Ranking, letters: int, _bits: int) -> Ball:
    return ranked.entropy(letters)


@given(st.lists(st.floats(2.0**-62, 1.0), min_size=1, max_size=20))
def test_logarithms_are_within_their_bound(values: list[float]) -> None:
    for value, found in zip(values, logarithms(np.array(values)).tolist(), strict=True):
        true = Real.log(Rational(*value.as_integer_ratio()))
        assert (true - Rational(*found.as_integer_ratio())).upper <= 2.0**-44
        assert (true - Rational(*found.as_integer_ratio())).lower >= -(2.0**-44)


def test_a_ranking_is_made_once_and_travels() -> None:
    prior = Prior([ONE])
    prior.ranking.entropy(1)
    assert prior.ranking is prior.ranking
    assert pickle.loads(pickle.dumps(prior)).ranking.counts == [1]
