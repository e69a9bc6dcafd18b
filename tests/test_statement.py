"""What `epstar check` says: of each kind of document what was proven, and no digit more than that."""

from __future__ import annotations

from decimal import Decimal

import pytest

from epstar import Frontier
from epstar.answer import refutation
from epstar.answer_file import write_answer
from epstar.claims import Setting
from epstar.completion import Proof
from epstar.curve_file import write_curve
from epstar.distortion import Absolute, Hamming
from epstar.errors import NoSolution
from epstar.exact import Rational, Real
from epstar.notions import DifferentialPrivacy
from epstar.proof_file.document import write_bracket
from epstar.secret import Secret
from epstar.source import Everything
from epstar.statement import established
from epstar.statement_words import attained_in_words, rounded_down, rounded_up, setting_in_words
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

FOUR = [0.4, 0.3, 0.2, 0.1]


def test_an_answer_says_what_it_is_about() -> None:
    found = established(write_answer(Frontier("dp", FOUR, "hamming").loss_at("1/5")))
    assert found.about == (
        "It is about 4 inputs; every wrong answer costs 1. Their probabilities are 2/5, 3/10, 1/5, 1/10."
    )
    assert found.sentences[-1] == "So the bounds of the answer hold."


def test_every_point_of_a_curve_is_told() -> None:
    found = established(write_curve(Frontier("leakage", [0.5, 0.5], "hamming").loss_at(["1/4", "1/2"])))
    assert found.sentences == (
        (
            "Point 1: With a distortion at most 1/4 = 0.25 the least loss of maximal leakage is log(3/2) = "
            "0.405465108108 nats."
        ),
        "Point 2: With a distortion at most 1/2 = 0.5 the least loss of maximal leakage is 0 nats.",
    )


def test_a_curve_of_distortions() -> None:
    found = established(write_curve(Frontier("dp", [0.5, 0.5], "hamming").distortion_at(loss=["1", "log(3)"])))
    assert found.sentences == (
        (
            "Point 1: With a loss of differential privacy at most 1 nat the least distortion is at least "
            "0.268941421369 and at most 0.268941421370."
        ),
        (
            "Point 2: With a loss of differential privacy at most log(3) = 1.09861228867 nats the least distortion is "
            "1/4 = 0.25."
        ),
    )


def test_a_point_without_a_mechanism() -> None:
    found = established(write_curve(Frontier("dp", [0.5, 0.5], "hamming").loss_at(["0", "1/4"])))
    assert found.sentences[0] == "Point 1: With a distortion at most 0 there is no mechanism of finite loss."


def test_a_refutation() -> None:
    frontier = Frontier("identifiability", ["9/10", "1/10"], "hamming")
    with pytest.raises(NoSolution) as refused:
        frontier.distortion_at(loss="log(8)")
    witness = refused.value.witness
    assert isinstance(witness, Proof)
    assert refutation(refused.value) is witness
    assert established(write_bracket(witness.completed())).sentences == (
        "No mechanism has a loss of identifiability at most log(8) = 2.07944154168 nats.",
    )


@pytest.mark.parametrize("value", ["2/3", "-2/3", "1/123456789123456789123456789", "-10000000000000000000000000001/3"])
def test_numbers_are_rounded_so_that_no_more_is_said(value: str) -> None:
    # More digits than are written in full.
    number = Real.of(Rational(*map(int, value.split("/"))) + Rational(1, 3**60))
    exact = number.rational
    assert exact is not None
    below, above = (Rational(*Decimal(text(number)).as_integer_ratio()) for text in (rounded_down, rounded_up))
    assert below < exact < above
    assert above - below <= abs(exact) / 10**10


def test_databases_and_what_is_known_of_them() -> None:
    rows = Frontier("dp", Everything(8), "hamming", Databases(2, 3)).distortion_at(loss=1)
    assert setting_in_words(Setting.of(rows.problem)) == (
        "It is about databases of 3 rows over 2 values; every wrong row costs 1. Nothing was assumed about the "
        "frequencies of the values."
    )


def test_which_inputs_are_compared_is_said() -> None:
    def told(universe: Universe) -> str:
        return setting_in_words(Setting(DifferentialPrivacy(), universe, Everything(3), Hamming())).split(";")[0]

    assert told(Alphabet(3)) == "It is about 3 inputs"
    assert told(Graph(3, [])) == "It is about 3 inputs, of which 0 pairs are compared"
    assert told(Graph(3, [(0, 1)])) == "It is about 3 inputs, of which 1 pair is compared"
    assert told(Metric([[0, 2, None], [2, 0, 5], [None, 5, 0]])) == (
        "It is about 3 inputs, of which 2 pairs are compared, at distances from 2 to 5"
    )
    assert told(Metric([[0, 9, 9], [9, 0, 9], [9, 9, 0]])) == (
        "It is about 3 inputs, of which 3 pairs are compared, at a distance of 9"
    )
    secret = Secret.of(["low", "high", "high"], Graph(["low", "high"], []))
    found = Frontier("dp", ["1/3"] * 3, "hamming", secret=secret).distortion_at(loss=1)
    assert found.claims.attained is not None
    told_of = attained_in_words(found.claims.setting, found.claims.attained)
    assert "about the secret (low and high, of which 0 pairs are compared)" in told_of


@pytest.mark.parametrize(("labels", "said"), [([0, 5], ""), (["0", "5"], ", of positions in the list of inputs")])
def test_errors_of_labels_that_are_no_numbers_are_of_positions(labels: list[object], said: str) -> None:
    setting = Setting(DifferentialPrivacy(), Alphabet(labels), Everything(2), Absolute())
    assert setting_in_words(setting).startswith(f"It is about 2 inputs; an answer costs its absolute error{said}. ")


def test_many_databases_are_not_counted() -> None:
    many = Frontier("dp", Everything(2**20000), "hamming", Databases(2, 20000)).distortion_at(loss=1)
    assert setting_in_words(Setting.of(many.problem)).startswith("It is about databases of 20000 rows over 2 values;")
