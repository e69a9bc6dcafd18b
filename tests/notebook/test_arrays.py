"""Arrays, frames and pictures of what epstar computes, and questions asked with arrays, frames and names."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.notebook.objects import SURVEY, answer, curves, frontier, mechanisms

import epstar
from epstar import (
    Alphabet,
    Answer,
    Curve,
    DifferentialPrivacy,
    Frontier,
    Hamming,
    InvalidInput,
    Mechanism,
    MissingExtra,
    Prior,
    rational,
)
from epstar.distortion import NAMED
from epstar.extras import EXTRAS
from epstar.mechanism import AnyMechanism
from epstar.names import COSTS, SHORT_NAMES
from epstar.notions import NOTIONS


def test_a_mechanism_is_an_array() -> None:
    for mechanism in mechanisms().values():
        assert isinstance(mechanism, AnyMechanism)
        array = np.asarray(mechanism)
        assert array.dtype == np.float64
        assert array.shape == mechanism.shape
        assert array.sum(axis=1) == pytest.approx(1)
        assert np.asarray(mechanism, dtype=np.float32).dtype == np.float32
        copied = np.array(mechanism)
        copied[0, 0] = 2.0
        assert np.asarray(mechanism)[0, 0] <= 1.0
    with pytest.raises(InvalidInput, match="more than 1000000 entries"):
        np.asarray(epstar.ProductMechanism([Mechanism([[1, 0], [0, 1]])] * 30))


def test_a_mechanism_goes_to_a_frame_and_back() -> None:
    found = answer().mechanism
    assert found is not None
    frame = found.to_frame()
    assert frame.index.tolist() == frame.columns.tolist() == list(SURVEY)
    assert (frame.index.name, frame.columns.name) == ("input", "output")
    again = Mechanism(frame)
    assert again.universe.labels == tuple(SURVEY)
    assert np.array_equal(np.asarray(again), np.asarray(found))
    frame.iloc[0, 0] = 5.0
    assert np.asarray(found)[0, 0] == 0.8
    pairs = Mechanism([[1, 0], [0, 1]], Alphabet([("a", 1), ("a", 2)])).to_frame()
    assert pairs.index.tolist() == [("a", 1), ("a", 2)]
    assert Mechanism(pairs).universe.labels == (("a", 1), ("a", 2))


def test_frames_of_exact_numbers_stay_exact() -> None:
    frame = pd.DataFrame([["3/4", "1/4"], [Fraction(1, 4), "3/4"]], index=["yes", "no"])
    mechanism = Mechanism(frame)
    assert mechanism.is_exact
    assert mechanism.outputs == ("yes", "no")
    assert Mechanism(frame, Alphabet(["p", "q"]), ["r", "s"]).outputs == ("r", "s")
    assert Mechanism(pd.DataFrame([[0.5, 0.5], [0.1, 0.9]], columns=["x", "y"])).universe.labels == (0, 1)


def test_a_curve_goes_to_a_frame() -> None:
    curve = curves()["shared"]
    frame = curve.to_frame()
    assert frame.columns.tolist() == ["distortion", "lower", "upper"]
    assert np.array_equal(frame["upper"], curve.upper)
    assert frame.attrs == {"unit": "nats", "notion": "differential privacy"}
    assert curves()["utility"].to_frame().columns.tolist() == ["loss", "lower", "upper"]


def test_pictures_come_with_their_axes() -> None:
    from matplotlib import pyplot as plt

    try:
        heat, line = answer().plot(), curves()["shared"].plot()
        assert heat.figure is not line.figure
        assert (heat.get_xlabel(), line.get_xlabel()) == ("output", "distortion")
        _, (left, right) = plt.subplots(1, 2)
        mechanism = mechanisms()["exact"]
        assert isinstance(mechanism, AnyMechanism)
        assert mechanism.plot(left) is left
        assert curves()["losses"].plot(axes=right) is right
        assert right.lines
        marked, plain = (len(curves()["shared"].plot(breakpoints=wanted).lines) for wanted in (True, False))
        assert marked > plain
    finally:
        plt.close("all")
    nothing = replace(answer(), mechanism=None)
    with pytest.raises(InvalidInput, match="no mechanism to draw"):
        nothing.plot()


@pytest.mark.parametrize(("package", "extra"), [("pandas", "frame"), ("matplotlib", "plot")])
def test_what_is_missing_is_named_with_its_extra(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    curve = curves()["shared"]
    with pytest.raises(MissingExtra, match=rf"pip install 'epstar\[{extra}\]'"):
        curve.to_frame() if package == "pandas" else curve.plot()


def test_faces_need_no_extra() -> None:
    program = f"""
import sys
for package in {sorted(EXTRAS)}:
    sys.modules[package] = None
from epstar import Frontier
frontier = Frontier("dp", {{"yes": 0.5, "no": 0.5}}, "hamming")
answer, curve = frontier.loss_at("1/4"), frontier.loss_at(["1/4", "1/3"])
for value in (frontier, answer, curve, answer.mechanism, answer.proof, frontier.source):
    assert repr(value) and value._repr_html_()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_names_and_numbers_make_a_frontier() -> None:
    plain = Frontier(DifferentialPrivacy(), Prior([0.4, 0.3, 0.2, 0.1]), Hamming())
    assert Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming") == plain
    assert Frontier("differential_privacy", np.array([0.4, 0.3, 0.2, 0.1]), "hamming") == plain
    assert frontier().universe.labels == tuple(SURVEY)
    assert Frontier("dp", SURVEY, "hamming", Alphabet(4)) == plain
    with pytest.raises(InvalidInput, match="choose one of hamming, absolute, squared"):
        Frontier("dp", [1], "manhattan")
    with pytest.raises(InvalidInput, match="choose one that `epstar notions` lists"):
        Frontier("pd", [1], "hamming")
    with pytest.raises(InvalidInput, match="needs 'delta'"):
        Frontier("approximate", [1], "hamming")
    assert set(SHORT_NAMES.values()) <= set(NOTIONS)
    assert tuple(NAMED) == COSTS


def test_many_points_make_a_curve() -> None:
    for places in ([0.1, 0.2], (0.1, 0.2), np.array([0.1, 0.2]), pd.Series([0.1, 0.2], index=["p", "q"])):
        found = frontier().loss_at(places)
        assert isinstance(found, Curve)
        assert [str(problem.given) for problem in found.problems] == ["1/10", "1/5"]
    assert isinstance(frontier().distortion_at(range(3)), Curve)
    assert isinstance(frontier().loss_at(np.float64(0.2)), Answer)
    with pytest.raises(InvalidInput, match="chosen for one point"):
        frontier()._at("loss", [0.1], "program", None, None)
    with pytest.raises(InvalidInput, match="list of losses is empty"):
        frontier().distortion_at([])


def test_labels_travel_with_the_probabilities() -> None:
    series = pd.Series([3, 1], index=["yes", "no"])
    prior = Prior(series, normalise=True)
    assert (prior.labels, prior.probabilities) == (("yes", "no"), (rational("3/4"), rational("1/4")))
    assert prior == Prior(["3/4", "1/4"])
    assert hash(prior) == hash(Prior(["3/4", "1/4"]))
    assert Prior(pd.Series([0.5, 0.5])).labels is None
    assert Prior(pd.Series([0.5, 0.5], index=[False, True])).labels == (False, True)
    assert Prior(pd.Series([0.5, 0.5], index=[3, 7])).labels == (3, 7)
    counted = pd.Series(["a", "b", "a", "a"]).value_counts(normalize=True)
    found = Frontier("dp", counted, "hamming").loss_at("1/8")
    assert found.mechanism is not None
    assert found.mechanism.sample("a") in ("a", "b")
    with pytest.raises(InvalidInput, match="twice"):
        Prior(pd.Series([0.5, 0.5], index=["a", "a"]))
    with pytest.raises(InvalidInput, match="not all of them 0"):
        Prior([0, 0], normalise=True)
    with pytest.raises(InvalidInput, match="at least 0"):
        Prior([2, -1], normalise=True)


def test_narrow_floats_are_the_decimals_that_they_print_as() -> None:
    assert Prior(np.array([0.4, 0.3, 0.2, 0.1], dtype=np.float32)) == Prior(["2/5", "3/10", "1/5", "1/10"])
    thirds = np.full(3, 1 / 3, dtype=np.float32)
    with pytest.raises(InvalidInput, match="within 1e-9"):
        Prior(thirds)
    assert Prior(thirds, normalise=True) == Prior.uniform_on(3)


def test_rationals_are_at_home_among_fractions() -> None:
    # The types of the standard library do not know what is registered with `numbers`.
    third: Any = rational("1/3")
    assert third == Fraction(1, 3)
    assert Fraction(1, 3) == third
    assert third != Fraction(1, 2)
    assert {Fraction(1, 3): "found"}[third] == "found"
    made = Fraction(third)
    assert made + 1 == Fraction(4, 3)
    assert hash(made) == hash(Fraction(1, 3))
    assert third < Fraction(1, 2)
    with pytest.raises(TypeError, match=r"unsupported operand.*float"):
        third + 0.5
    assert float(third) + 0.5 == pytest.approx(5 / 6)


def test_completion_offers_what_is_public() -> None:
    offered = {name for name in dir(epstar) if not name.startswith("__")}
    assert offered == set(epstar.__all__) - {"__version__"}
    assert {"load", "Number", "Frontier"} <= offered
