"""Proofs by distances: read back from JSON, and never wrong whatever their numbers are changed to."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proofs.schema_one import write_proof

from epstar.completion import DistanceProof, Proof, RowsProof
from epstar.completion.schema_one import read_proof
from epstar.distortion import Absolute, Hamming, Matrix
from epstar.errors import EpstarError, InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Interval, Rational, Real, rational
from epstar.frontier import Frontier
from epstar.mechanism import DistanceMechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.solve.forms.hamming_cube import rounded_down
from epstar.source import Everything, Finite, Hull, Prior, Rows, Source
from epstar.universe import Alphabet, Databases

POINTWISE = ApproximateDifferentialPrivacy("1/10", "pointwise")
NOTIONS: list[Notion] = [
    MaximalLeakage(),
    MinEntropyLeakage(),
    MaximalInformation(),
    SibsonMutualInformation(2),
    SibsonMutualInformation("5/2"),
    SibsonMutualInformation("1/2"),
    POINTWISE,
]
ROWS = Rows(Prior.uniform_on(2), 3)
SIZES = {"loss": "3/5", "distortion": "1/3"}


def asked(notion: Notion, asks: Asked, source: Source = ROWS, value: object = None) -> Problem:
    known = Real.of(SIZES[asks] if value is None else value)
    return Problem(notion, source, Hamming(), Databases(2, 3), asks, known)


def solved(notion: Notion, asks: Asked, source: Source = ROWS, value: object = None) -> DistanceProof:
    proof = Frontier.answer(asked(notion, asks, source, value)).proof
    assert isinstance(proof, DistanceProof)
    return proof


def ends(interval: Interval) -> tuple[float, float]:
    return interval.lower.lower, interval.upper.upper


@pytest.mark.parametrize("asks", ["loss", "distortion"])
@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
def test_read_back(notion: Notion, asks: Asked) -> None:
    proof = solved(notion, asks)
    document = json.loads(json.dumps(write_proof(proof)))
    assert set(document) == {"schema", "problem", "mechanism", "distances"}
    again = read_proof(document)
    assert isinstance(again, DistanceProof)
    assert again.price == proof.price
    assert ends(again.check()) == ends(proof.check())


def test_read_back_without_a_price() -> None:
    proof = solved(MaximalLeakage(), "loss", value="3/2")
    assert proof.price is None
    assert ends(read_proof(json.loads(json.dumps(write_proof(proof)))).check()) == (0.0, 0.0)


@pytest.mark.parametrize(
    "entry", [{}, {"price": "1"}, {"price": "x", "level": None}, [], None, {"price": [], "level": 1}]
)
def test_malformed_documents_are_refused(entry: object) -> None:
    document = write_proof(solved(MaximalLeakage(), "loss")) | {"distances": entry}
    with pytest.raises(InvalidInput):
        read_proof(document)


PRICES = st.fractions(min_value=-20, max_value=20, max_denominator=1000).map(rational)
ASKED: tuple[Asked, ...] = ("loss", "distortion")
PAIRS = [(notion, asks) for notion in NOTIONS for asks in ASKED]
TRUE = {(repr(notion), asks): solved(notion, asks).check() for notion, asks in PAIRS}


@settings(deadline=None, max_examples=200)
@given(case=st.sampled_from(PAIRS), price=PRICES, ratio=st.fractions(min_value="1/2", max_value=9, max_denominator=99))
def test_no_price_proves_too_much(case: tuple[Notion, Asked], price: Rational, ratio: object) -> None:
    notion, asks = case
    level = Real.log(rational(ratio)) if isinstance(notion, ApproximateDifferentialPrivacy) else None
    proof = DistanceProof(asked(notion, asks), None, price, level)
    try:
        proven = proof.check()
    except ProofRejected:
        return
    assert proven.lower.lower <= TRUE[repr(notion), asks].upper.upper


@settings(deadline=None, max_examples=60)
@given(case=st.sampled_from(PAIRS), data=st.data())
def test_no_mechanism_is_better_than_it_is(case: tuple[Notion, Asked], data: st.DataObject) -> None:
    notion, asks = case
    shares = data.draw(st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(any))
    weights = [Rational(share, sum(shares)) for share in shares]
    proof = replace(solved(notion, asks), mechanism=DistanceMechanism(Databases(2, 3), weights))
    try:
        proven = proof.check()
    except ProofRejected:
        return
    assert proven.upper.upper >= TRUE[repr(notion), asks].lower.lower


def test_the_best_price_is_needed() -> None:
    best = solved(MaximalLeakage(), "loss")
    assert best.price is not None
    for price in (best.price - 1, best.price + 1, best.price + Rational(1, 7)):
        if price > 0:
            assert replace(best, price=price).check().lower < best.check().lower


@pytest.mark.parametrize("price", [ZERO, -ONE])
def test_prices_of_the_wrong_sign_are_rejected(price: Rational) -> None:
    with pytest.raises(ProofRejected):
        replace(solved(SibsonMutualInformation(2), "loss"), price=price).check()
    with pytest.raises(ProofRejected):
        replace(solved(SibsonMutualInformation("1/2"), "loss"), price=ONE + price * price).check()


def test_pointwise_levels_must_be_excluded() -> None:
    proof = solved(POINTWISE, "loss")
    assert proof.level is not None
    with pytest.raises(ProofRejected):
        replace(proof, level=proof.level + Rational(1, 10**6)).check()
    with pytest.raises(ProofRejected):
        replace(proof, level=None).check()
    with pytest.raises(ProofRejected):
        replace(proof, price=Rational(3)).check()


SKEWED = Prior(["1/4", *["3/28"] * 7])


@pytest.mark.parametrize(
    "problem",
    [
        asked(MaximalLeakage(), "loss", SKEWED),
        asked(POINTWISE, "loss", SKEWED),
        asked(SibsonMutualInformation(2), "loss", Finite([SKEWED, Prior(["0", *["1/7"] * 7])])),
        asked(SibsonMutualInformation(2), "loss", Rows(Prior(["2/3", "1/3"]), 3)),
        asked(MaximalLeakage(), "loss", Hull([SKEWED, Prior(["1/2", *["1/14"] * 7])])),
        asked(MaximalLeakage(), "loss", Rows([Prior.uniform_on(2), Prior.uniform_on(2), Prior(["2/3", "1/3"])])),
        asked(MutualInformation(), "loss"),
        asked(SibsonMutualInformation(1), "loss"),
        asked(DifferentialPrivacy(), "loss"),
        asked(ApproximateDifferentialPrivacy("1/10"), "loss"),
        Problem(MaximalLeakage(), ROWS, Absolute(), Databases(2, 3), "loss", Real.of(1)),
        Problem(MaximalLeakage(), Everything(8), Hamming(), Alphabet(8), "loss", Real.of("1/2")),
        Problem(MaximalLeakage(), Everything(1), Hamming(), Databases(1, 3), "loss", Real.of("1/2")),
    ],
)
def test_other_problems_are_rejected(problem: Problem) -> None:
    with pytest.raises(ProofRejected):
        DistanceProof(problem, None, ONE, Real.of(1)).check()


def test_a_mechanism_on_other_databases_is_rejected() -> None:
    other = DistanceMechanism(Databases(2, 4), [1, 0, 0, 0, 0])
    with pytest.raises(EpstarError):
        replace(solved(MaximalLeakage(), "loss"), mechanism=other).check()


@settings(deadline=None)
@given(value=st.fractions().map(rational), bits=st.integers(1, 200))
def test_rounding_down(value: Rational, bits: int) -> None:
    rounded = rounded_down(value, bits)
    assert rounded <= value
    assert value - rounded <= abs(value) / (1 << (bits - 1)) + (ONE if value < 0 and rounded.q == 1 else ZERO)


def rows_proof(notion: Notion, source: Source) -> RowsProof:
    proof = Frontier(notion, source, Hamming(), Databases(2, 3)).loss_at("3/5").proof
    assert isinstance(proof, RowsProof)
    return proof


def test_rows_prove_sources_that_hold_the_uniform_law() -> None:
    proof = rows_proof(DifferentialPrivacy(), Everything(8))
    alone = rows_proof(DifferentialPrivacy(), ROWS)
    assert ends(proof.check()) == ends(alone.check())
    again = read_proof(json.loads(json.dumps(write_proof(proof))))
    assert ends(again.check()) == ends(proof.check())


def test_rows_prove_nothing_about_other_sources() -> None:
    proof = rows_proof(DifferentialPrivacy(), Everything(8))
    with pytest.raises(ProofRejected):
        replace(proof, problem=replace(proof.problem, source=SKEWED)).check()
    with pytest.raises(ProofRejected):
        replace(proof, problem=replace(proof.problem, distortion=Matrix([[1] * 8] * 8))).check()
    # Of two letters the absolute error is the number of wrong ones.
    assert ends(replace(proof, problem=replace(proof.problem, distortion=Absolute())).check()) == ends(proof.check())


def test_rows_count_at_least_one_each() -> None:
    # A negative count would subtract a distortion that nobody proved to be large.
    laws = [Prior(["1/2", "1/2"]), Prior(["2/3", "1/3"]), Prior(["3/4", "1/4"])]
    problem = Problem(DifferentialPrivacy(), Rows(laws), Hamming(), Databases(2, 3), "distortion", Real.of(1))
    proof = Frontier.answer(problem).proof
    assert isinstance(proof, RowsProof)
    (first, _), *others = proof.parts
    with pytest.raises(ProofRejected):
        replace(proof, parts=((first, 1), *others, (first, 1), (first, -1))).check()
    even = asked(DifferentialPrivacy(), "distortion", ROWS)
    (row, _), *_ = rows_of(even).parts
    with pytest.raises(ProofRejected):
        RowsProof(even, None, ((row, 4), (row, -1))).check()


def rows_of(problem: Problem) -> RowsProof:
    proof = Frontier.answer(problem).proof
    assert isinstance(proof, RowsProof)
    return proof


def test_rows_may_be_given_more_than_their_share_but_not_less() -> None:
    exact = rows_proof(DifferentialPrivacy(), ROWS)
    (row, count), *_ = exact.parts
    for share, accepted in (("1/4", True), ("1/6", False)):
        other = Frontier.answer(replace(row.problem, given=Real.of(share))).proof
        assert isinstance(other, Proof)
        proof = replace(exact, mechanism=None, parts=((other, count),))
        if accepted:
            assert proof.check().lower.lower < exact.check().lower.lower
        else:
            with pytest.raises(ProofRejected):
                proof.check()


@pytest.mark.parametrize("level", ["log(3/2)", "1/3"])
def test_rows_that_add_up_take_any_level(level: str) -> None:
    problem = asked(MutualInformation(), "distortion", value=level)
    interval = rows_of(problem).check()
    assert interval.width <= 1e-12
    assert ends(read_proof(json.loads(json.dumps(write_proof(rows_of(problem))))).check()) == ends(interval)
