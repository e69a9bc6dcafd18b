"""Samplers without a table: their law is the description, exactly, and rounding never costs privacy."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import kl_div

from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.mechanism import (
    AnyMechanism,
    DiagonalMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
)
from epstar.notions import DifferentialPrivacy
from epstar.release.sampler import Sampler
from epstar.release.sampling_plan import Budget, plan
from epstar.release.structured_samplers import (
    DiagonalSampler,
    ResponseSampler,
    RowsSampler,
    rounded_diagonal,
    rounded_response,
)
from epstar.testing import laws
from epstar.universe import Alphabet


class Columns:
    """Bits that answer each request with the next column of a table of numbers."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.columns: Iterator[list[int]] = iter(columns)

    def fill(self, into: NDArray[np.uint8]) -> None:
        into[:] = np.array(next(self.columns), dtype="<u8").view(np.uint8)

    def of(self, _: object, /) -> "Columns":
        return self


def law_of(sampler: Sampler, x: int, bounds: list[int]) -> list[Rational]:
    """The exact law of an output when the k-th word is uniform below bounds[k]: all words are tried."""
    words = list(product(*(range(bound) for bound in bounds)))
    codes = np.full(len(words), x, dtype=np.uint32)
    drawn = sampler.draw(codes, Columns([list(column) for column in zip(*words, strict=True)]))
    counts = np.bincount(drawn.astype(np.int64), minlength=sampler.shape[1])
    return [Rational(int(count), len(words)) for count in counts]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_law_of_randomised_response_is_its_description(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 5))
    active = data.draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True))
    ratio = 1 + data.draw(st.fractions(0, 4, max_denominator=4))
    delta = data.draw(st.fractions(0, 1, max_denominator=3))
    mechanism = TopRandomisedResponse(Alphabet(size), active, ratio, delta)
    sampler = ResponseSampler(mechanism)
    bounds = [len(active), ratio.numerator + ratio.denominator * (len(active) - 1), delta.denominator]
    for x in range(size):
        assert law_of(sampler, x, bounds) == [mechanism.entry(x, y) for y in range(size)]


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4).flatmap(laws), st.integers(0, 3))
def test_the_law_of_a_diagonal_mechanism_is_its_description(law: tuple[Rational, ...], extra: int) -> None:
    diagonal = [min(Rational(1), entry + Rational(extra, 10)) for entry in law]
    mechanism = DiagonalMechanism(Alphabet(len(diagonal)), diagonal)
    sampler = DiagonalSampler(mechanism)
    total = int(sampler._ends[-1])
    for x in range(len(diagonal)):
        bounds = [sampler._unit, max(1, total - int(sampler._numerators[x]))]
        if bounds[0] * bounds[1] <= 200_000:
            assert law_of(sampler, x, bounds) == [mechanism.entry(x, y) for y in range(len(diagonal))]


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 6), st.fractions(0, 9), st.fractions(0, 1))
def test_rounding_down_randomised_response_never_raises_its_ratio(size: int, above: object, delta: object) -> None:
    ratio = Rational(1) + Real.of(above).below()
    mechanism = TopRandomisedResponse(Alphabet(size), range(size), ratio, delta)
    rounded = rounded_response(mechanism)
    assert rounded.ratio <= mechanism.ratio
    assert rounded.delta <= mechanism.delta
    assert mechanism.ratio - rounded.ratio < Rational(1, 1 << 30)
    ResponseSampler(rounded)


def test_an_irrational_ratio_is_rounded_to_what_fits_a_word() -> None:
    size = 1_000_000
    for level in (1, 10, 30):
        exact = Real.exp(level).below(128)
        rounded = rounded_response(TopRandomisedResponse(Alphabet(size), range(size), exact))
        assert Rational(0) <= exact - rounded.ratio < exact / 1_000_000
        ResponseSampler(rounded)
    with pytest.raises(InvalidInput, match="too many digits"):
        ResponseSampler(TopRandomisedResponse(Alphabet(3), range(3), Real.exp(1).below(128)))
    with pytest.raises(InvalidInput, match="smaller loss"):
        rounded_response(TopRandomisedResponse(Alphabet(3), range(3), 1 << 62))


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 5).flatmap(lambda size: st.lists(st.fractions(0, 1), min_size=size, max_size=size)))
def test_rounding_a_diagonal_never_raises_its_ratio(diagonal: list[object]) -> None:
    exact = [Real.of(entry).below() for entry in diagonal]
    if sum(exact, Rational(0)) < 1:
        exact[0] += 1 - sum(exact, Rational(0))
    mechanism = DiagonalMechanism(Alphabet(len(exact)), exact)
    rounded = rounded_diagonal(mechanism)
    before, after = mechanism.worst_ratio, rounded.worst_ratio
    assert before is None or (after is not None and after <= before)
    DiagonalSampler(rounded)


def test_a_product_samples_each_row_by_its_own_factor() -> None:
    swap, keep = Mechanism([[0, 1], [1, 0]]), Mechanism([[1, 0], [0, 1]])
    mechanism = ProductMechanism([swap, keep, swap])
    found = RowsSampler(mechanism, tuple(plan(factor).sampler for factor in (swap, keep, swap)))
    codes = np.arange(8, dtype=np.uint8)
    assert found.sample(codes).tolist() == [code ^ 0b101 for code in range(8)]


@pytest.mark.parametrize("size", [300, 50_000, 1_000_000])
def test_a_million_symbols_take_a_plan_that_keeps_the_budget(size: int) -> None:
    exact = Real.exp(8).below(128)
    budget = Budget(DifferentialPrivacy(), None, Real.of(8))
    mechanisms: list[AnyMechanism] = [
        TopRandomisedResponse(Alphabet(size), range(size), exact),
        TopRandomisedResponse(Alphabet(size), range(100), exact),
    ]
    if size < 1_000_000:
        mechanisms.append(DiagonalMechanism(Alphabet(size), [exact / (exact + size - 1)] * size))
    for mechanism in mechanisms:
        found = plan(mechanism, budget)
        loss = DifferentialPrivacy().loss(found.mechanism).upper
        assert loss is not None
        assert loss <= Real.of(8)
        codes = np.arange(0, size, max(1, size // 300), dtype=np.uint32)
        codes = np.tile(codes, 100)
        drawn = found.sampler.sample(codes)
        expected = sum(float(Real.of(found.mechanism.entry(int(x), int(x)))) for x in codes[: len(codes) // 100])
        kept = int((drawn == codes).sum())
        # Chernoff's bound for a sum of independent coins: a false alarm with probability below 2 exp(-32).
        assert kl_div(kept, 100 * expected) < 32


def test_a_budget_that_the_sampled_mechanism_does_not_keep_is_refused() -> None:
    mechanism = TopRandomisedResponse(Alphabet(1000), range(1000), 3)
    with pytest.raises(InvalidInput, match="not proven to lose at most 1"):
        plan(mechanism, Budget(DifferentialPrivacy(), None, Real.of(1)))


def test_a_small_structured_mechanism_is_written_out() -> None:
    assert plan(TopRandomisedResponse(Alphabet(16), range(16), 3)).bits is not None
