"""Exponentials and logarithms of arrays stay within their stated error, and so does what is built on them."""

import numpy as np
import pytest

from epstar.exact import Ball, Rational, Real, working_precision
from epstar.exact.elementary import ERROR, exponentials, logarithms
from epstar.mechanism import Mechanism
from epstar.notions import Capacity, MutualInformation, RenyiDifferentialPrivacy
from epstar.notions.measure.information_arrays import EnclosedInformation
from epstar.notions.measure.renyi_divergence import divergence, enclosed_divergences
from epstar.notions.mutual_information import information
from epstar.source import Everything, Prior
from epstar.universe import Alphabet


@pytest.fixture
def generator() -> np.random.Generator:
    """The same numbers for a test, whatever tests come before it."""
    return np.random.default_rng(11)


def relative_error(found: float, exact: Ball) -> float:
    return abs(float((Ball(found) - exact) / exact))


def test_exponentials_stay_within_their_error(generator: np.random.Generator) -> None:
    exponents = np.concatenate([generator.uniform(-700, 700, 1500), generator.uniform(-1, 1, 1500), [0.0, 1e-300]])
    with working_precision(200):
        worst = max(
            relative_error(found, Ball(x).exp())
            for x, found in zip(exponents.tolist(), exponentials(exponents).tolist(), strict=True)
        )
    assert worst <= ERROR / 4


def test_exponentials_beyond_the_range_err_upwards() -> None:
    low, high = exponentials(np.array([-1e9, 701.0])).tolist()
    assert 0 < low <= 1e-300
    assert high == np.inf


def test_logarithms_stay_within_their_error(generator: np.random.Generator) -> None:
    values = np.concatenate(
        [np.exp(generator.uniform(-700, 700, 1500)), generator.uniform(0.5, 2, 1500), 1 + 2.0 ** -np.arange(1, 53)]
    )
    with working_precision(300):
        worst = max(
            relative_error(found, Ball(x).log())
            for x, found in zip(values.tolist(), logarithms(values).tolist(), strict=True)
        )
    assert worst <= ERROR / 4
    assert float(logarithms(np.array([1.0]))[0]) == 0.0


def tickets(generator: np.random.Generator, inputs: int, outputs: int, sharpness: float) -> Mechanism:
    weights = generator.random((inputs, outputs)) ** sharpness
    total = 1 << 40
    counts = np.floor(weights / weights.sum(axis=1, keepdims=True) * total).astype(np.int64)
    counts[:, 0] += total - counts.sum(axis=1)
    return Mechanism.of_tickets(counts, total)


@pytest.mark.parametrize("sharpness", [1.0, 6.0, 40.0])
def test_the_enclosed_information_holds_the_exact_one(generator: np.random.Generator, sharpness: float) -> None:
    mechanism = tickets(generator, 12, 9, sharpness)
    prior = Prior(generator.dirichlet(np.ones(12)))
    bounds = EnclosedInformation(mechanism.floats).at(prior.floats)
    exact = information(mechanism.rows, prior.probabilities)
    assert Real.of(Rational(*bounds.lower.as_integer_ratio())) <= exact
    assert exact <= Real.of(Rational(*bounds.upper.as_integer_ratio()))
    assert bounds.upper - bounds.lower < 1e-12


def test_a_large_information_is_two_close_floats(generator: np.random.Generator) -> None:
    mechanism = tickets(generator, 150, 150, 3.0)
    loss = MutualInformation().loss(mechanism, Prior.uniform_on(150))
    assert loss.lower is not None
    assert loss.upper is not None
    assert 0 < float(loss.upper) - float(loss.lower) < 1e-11
    assert float(loss.lower) <= loss.value <= float(loss.upper)
    assert loss.value == pytest.approx(
        MutualInformation().loss(Mechanism(mechanism.floats), Prior.uniform_on(150)).value, abs=1e-12
    )


@pytest.mark.parametrize("size", [40, 400])
def test_a_large_capacity_is_certified(generator: np.random.Generator, size: int) -> None:
    mechanism = tickets(generator, size, size, 8.0)
    loss = Capacity().loss(mechanism)
    assert loss.lower is not None
    assert loss.upper is not None
    assert 0 <= float(loss.upper) - float(loss.lower) < 1e-10
    at_witness = MutualInformation().loss(mechanism, Prior(loss.witness.prior or []))
    assert at_witness.value == pytest.approx(loss.value, abs=1e-11)
    assert loss.value <= MutualInformation().loss(mechanism, Everything(size)).value + 1e-11


@pytest.mark.parametrize("order", ["1/2", "1", "4/3", "2", "7"])
def test_enclosed_divergences_hold_the_exact_ones(generator: np.random.Generator, order: str) -> None:
    mechanism = tickets(generator, 6, 5, 4.0)
    exact_order = RenyiDifferentialPrivacy(order).order
    assert isinstance(exact_order, Rational)
    enclosed = enclosed_divergences(mechanism.floats, Alphabet(6), exact_order)
    assert enclosed is not None
    pairs = zip(enclosed.pairs.first.tolist(), enclosed.pairs.second.tolist(), strict=True)
    for (x, other), lower, upper in zip(pairs, enclosed.lower.tolist(), enclosed.upper.tolist(), strict=True):
        exact = divergence(mechanism.rows[x], mechanism.rows[other], exact_order)
        assert lower <= exact.lower
        assert exact.upper <= upper
        assert upper - lower < 1e-11


@pytest.mark.parametrize("order", ["2", "3/2"])
def test_a_large_renyi_loss_agrees_with_the_pairs_one_by_one(generator: np.random.Generator, order: str) -> None:
    mechanism = tickets(generator, 24, 24, 2.0)
    notion = RenyiDifferentialPrivacy(order)
    loss = notion.loss(mechanism)
    assert loss.lower is not None
    assert loss.upper is not None
    assert isinstance(notion.order, Rational)
    every = max(
        float(divergence(mechanism.rows[x], mechanism.rows[other], notion.order))
        for x in range(24)
        for other in range(24)
        if x != other
    )
    assert loss.lower.lower <= every <= loss.upper.upper
    assert loss.upper.upper - loss.lower.lower < 1e-11
