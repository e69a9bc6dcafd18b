"""The least error of a statistic: two independent ways to each number, exact forms, both questions, and forgeries."""

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar import Alphabet, Everything, Frontier, Graph, InvalidInput, NoSolution, Prior, Statistic
from epstar.answer import StatisticAnswer
from epstar.answer_file import read_answer, write_answer
from epstar.errors import ProofRejected
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism, SubsetSelection, randomised_response, read_mechanism
from epstar.notebook.files import load
from epstar.problem_file import read_problem, write_problem
from epstar.statement import established
from epstar.statistics import ByCounts, ByRays, check, error_at


def solved(frontier: Frontier, loss: object) -> StatisticAnswer:
    answer = frontier.distortion_at(loss=str(loss))
    assert isinstance(answer, StatisticAnswer)
    return answer


def information_error(mechanism: Mechanism, law: np.ndarray, rows: int) -> float:
    """(tr J^-1 - p.p) / n, written down once more in floats."""
    table = mechanism.floats
    expected = law @ table
    information = (table / expected) @ table.T
    return float((np.trace(np.linalg.inv(information)) - law @ law) / rows)


# Found by a semidefinite program on all rays, with another solver: prior, loss, error of the frequencies of 1000 rows.
KNOWN = [
    ("8/13 5/13", "1/2", 0.008308768959409959),
    ("1/6 5/6", "2", 0.0006398086083792427),
    ("4/15 8/15 3/15", "1/2", 0.02102764512303772),
    ("4/18 8/18 1/18 5/18", "1", 0.00822751470772473),
    ("1/19 1/19 4/19 8/19 5/19", "1", 0.011997586510548367),
    ("8/26 7/26 6/26 2/26 1/26 2/26", "1", 0.015412339618341072),
]


@pytest.mark.parametrize(("prior", "loss", "error"), KNOWN)
def test_another_program_found_the_same(prior: str, loss: str, error: float) -> None:
    answer = solved(Frontier("dp", prior.split(), Statistic.frequencies(1000)), loss)
    assert answer.lower - 1e-8 <= error <= answer.upper + 1e-8
    assert answer.interval.width <= 1e-12


@pytest.mark.parametrize("size", [2, 3, 5, 8, 30])
@pytest.mark.parametrize("ratio", ["3/2", "2", "5", "40"])
def test_a_uniform_distribution_has_the_closed_form_of_subset_selection(size: int, ratio: str) -> None:
    odds, rows = Fraction(ratio), 700
    closed = min(
        (size - 1) ** 2 * (k * odds + size - k) ** 2 / (size * (odds - 1) ** 2 * k * (size - k)) for k in range(1, size)
    )
    answer = solved(Frontier("dp", Everything(size), Statistic.frequencies(rows)), f"log({ratio})")
    assert answer.interval.lower.rational == answer.interval.upper.rational == closed / rows


@given(st.lists(st.integers(1, 30), min_size=2, max_size=5), st.integers(1, 40), st.integers(1, 10**6))
@settings(max_examples=30, deadline=None)
def test_both_ends_meet_for_any_distribution_and_the_mechanism_has_the_error(
    counts: list[int], tenths: int, rows: int
) -> None:
    law = Prior([Rational(count, sum(counts)) for count in counts])
    answer = solved(Frontier("dp", law, Statistic.frequencies(rows)), Rational(tenths, 10))
    assert answer.interval.width <= 1e-9 * answer.upper
    lower, upper = check(answer.evidence)
    assert (lower.rational, upper.rational) == (answer.interval.lower.rational, answer.interval.upper.rational)
    assert answer.mechanism is not None
    floats = np.array([count / sum(counts) for count in counts])
    assert information_error(answer.mechanism.dense(), floats, rows) == pytest.approx(answer.upper, rel=1e-7)
    known = randomised_response(Alphabet(len(counts)), Rational(tenths, 10))
    assert information_error(known, floats, rows) >= answer.lower * (1 - 1e-9)


def test_a_uniform_prior_by_rays_agrees_with_the_closed_form() -> None:
    for size, loss in itertools.product((3, 4, 6), ("1/2", "2")):
        symmetric = solved(Frontier("dp", Prior([Rational(1, size)] * size), Statistic.frequencies(10)), loss)
        weights = [1] * (size - 1) + ["1000000000001/1000000000000"]
        general = solved(Frontier("dp", Prior([Rational(1, size)] * size), Statistic.frequencies(10, weights)), loss)
        assert isinstance(general.evidence.excluded and general.evidence.excluded.certificate, ByRays)
        assert isinstance(symmetric.evidence.excluded and symmetric.evidence.excluded.certificate, ByCounts)
        assert general.upper == pytest.approx(symmetric.upper, rel=1e-10)


def test_the_two_questions_are_inverse_to_each_other() -> None:
    for frontier in (
        Frontier("dp", Everything(40), Statistic.frequencies(500)),
        Frontier("dp", [0.5, 0.3, 0.2], Statistic.frequencies(500)),
        Frontier("dp", [0.5, 0.3, 0.2], Statistic.mean([0, 1, 5], 500)),
    ):
        error = Rational(*Fraction(solved(frontier, "3/2").upper).limit_denominator(10**12).as_integer_ratio())
        back = frontier.loss_at(error)
        assert back.lower <= back.upper
        assert back.lower == pytest.approx(1.5, abs=1e-6)
        assert back.upper == pytest.approx(1.5, abs=1e-6)
        assert isinstance(back, StatisticAnswer)
        attained = back.evidence.attained
        assert attained is not None
        assert attained.error <= error


@pytest.mark.parametrize("notion", ["maximal_information", "local_information_privacy", "identifiability"])
def test_other_notions_of_ratio_bounds_and_other_inputs(notion: str) -> None:
    answer = solved(Frontier(notion, [0.4, 0.35, 0.25], Statistic.frequencies(100)), 1)
    assert 0 < answer.lower <= answer.upper <= answer.lower * (1 + 1e-9)
    line = solved(Frontier("dp", [0.4, 0.35, 0.25], Statistic.frequencies(100), Graph.line(3)), 1)
    clique = solved(Frontier("dp", [0.4, 0.35, 0.25], Statistic.frequencies(100)), 1)
    assert line.upper < clique.lower


def test_many_categories_of_a_known_distribution_have_a_gap_that_is_stated() -> None:
    counts = list(range(20, 60))
    answer = solved(Frontier("dp", [Rational(c, sum(counts)) for c in counts], Statistic.frequencies(1000)), 1)
    assert answer.lower < answer.upper < 1.05 * answer.lower
    weighted = Statistic.frequencies(1000, [1 + place % 3 for place in range(40)])
    assert solved(Frontier("dp", Everything(40), Statistic.frequencies(1000)), 1).lower > 0
    some = solved(Frontier("dp", [Rational(c, sum(counts)) for c in counts], weighted), 1)
    assert 0 < some.lower < some.upper


def test_an_answer_is_written_read_checked_and_shown(tmp_path: Path) -> None:
    frontier = Frontier("dp", {"a": 0.6, "b": 0.3, "c": 0.1}, Statistic.frequencies(50, [1, 2, 3]))
    answer = solved(frontier, 1)
    document = json.loads(json.dumps(write_answer(answer)))
    again = read_answer(document)
    assert again.interval.lower.rational == answer.interval.lower.rational
    assert again.mechanism == answer.mechanism
    assert "No mechanism" in established(document).sentences[0]
    saved = answer.save(tmp_path / "answer.json")
    read = load(saved)
    assert isinstance(read, StatisticAnswer)
    assert read.interval.upper.rational == answer.interval.upper.rational
    assert "proven" in answer._repr_html_()
    problem = answer.problem
    reread = read_problem(write_problem(problem))
    assert reread.distortion == problem.distortion
    assert replace(reread, given=problem.given) == problem


def test_forged_claims_are_refused() -> None:
    answer = solved(Frontier("dp", [0.6, 0.3, 0.1], Statistic.frequencies(50)), 1)
    proof = answer.evidence
    excluded, attained = proof.excluded, proof.attained
    assert excluded is not None
    assert attained is not None
    assert isinstance(excluded.certificate, ByRays)
    cheaper = ByRays(excluded.certificate.estimators, tuple(p * Rational(99, 100) for p in excluded.certificate.prices))
    uniform = (Rational(1, 3),) * 3
    for forged in (
        replace(proof, excluded=replace(excluded, error=excluded.error * Rational(101, 100))),
        replace(proof, excluded=replace(excluded, certificate=cheaper)),
        replace(proof, excluded=replace(excluded, law=uniform)),
        replace(proof, excluded=replace(excluded, loss=Real.of("3/2"))),
        replace(
            proof, excluded=replace(excluded, certificate=ByCounts(Rational(0), (Rational(1, 10**6), Rational(0))))
        ),
        replace(proof, attained=replace(attained, error=attained.error * Rational(99, 100))),
        replace(proof, attained=replace(attained, loss=Real.of("9/10"))),
        replace(proof, attained=replace(attained, mechanism=randomised_response(Alphabet(3), 2))),
    ):
        with pytest.raises(ProofRejected):
            check(forged)
    document = write_answer(answer)
    for end, value in (("lower", answer.lower * 1.01), ("upper", answer.upper * 0.99)):
        with pytest.raises(ProofRejected):
            read_answer({**document, end: value})


def test_a_certificate_by_counts_is_checked_on_every_column() -> None:
    """What `ByCounts` decides by two sums is the inequality on all columns, written out."""
    law = tuple(Rational(k, 21) for k in (1, 2, 3, 4, 5, 6))
    ratio, share = Rational(3), Rational(1, 2)
    for first, second in itertools.product(
        (Rational(1, 50), Rational(1, 20), Rational(1, 8)), (Rational(0), Rational(1))
    ):
        holds = True
        for chosen in itertools.product((Rational(1), ratio), repeat=6):
            expected = sum((p * c for p, c in zip(law, chosen, strict=True)), Rational(0))
            centre = sum((((1 - share) / 6 + share * p) * c for p, c in zip(law, chosen, strict=True)), Rational(0))
            spread = sum(((c - centre) ** 2 for c in chosen), Rational(0))
            holds &= expected * (first * sum(chosen, Rational(0)) + second * expected) >= spread
        assert ByCounts(share, (first, second))._holds(law, ratio) <= holds


@pytest.mark.parametrize("chosen", [1, 2, 3])
def test_subset_selection_is_the_matrix_that_it_says(chosen: int) -> None:
    some = SubsetSelection(Alphabet(["a", "b", "c", "d"]), chosen, 3)
    dense = some.dense()
    assert all(sum(row, Rational(0)) == 1 for row in dense.rows)
    for x, y in itertools.product(range(4), range(some.shape[1])):
        members = some.outputs[y]
        assert isinstance(members, tuple)
        held = some.universe.labels[x] in members
        assert (dense.entry(x, y) == max(dense.column(y))) == held
    assert read_mechanism(some.to_json()) == some
    law = tuple(Rational(k, 10) for k in (1, 2, 3, 4))
    statistic = Statistic.frequencies(20)
    # The plain estimate is never better than the efficient one, and is as good where all are equally likely.
    assert error_at(some, law, statistic).upper >= error_at(dense, law, statistic).lower
    even = (Rational(1, 4),) * 4
    plain, best = error_at(some, even, statistic), error_at(dense, even, statistic)
    assert float(plain) == pytest.approx(float(best), rel=1e-12)


def test_what_cannot_be_answered_is_said() -> None:
    frequencies = Statistic.frequencies(10)
    with pytest.raises(NoSolution, match="do not depend on the values"):
        Frontier("dp", [0.5, 0.5], frequencies).distortion_at(loss=0)
    with pytest.raises(NoSolution, match="Without any protection"):
        Frontier("dp", [0.5, 0.5], frequencies).loss_at("1/100")
    with pytest.raises(NoSolution, match="identifiability"):
        Frontier("identifiability", [0.9, 0.1], frequencies).distortion_at(loss=1)
    for build in (
        lambda: Statistic.frequencies(0),
        lambda: Statistic.frequencies(5, [0, 0]),
        lambda: Statistic.frequencies(5, [1, -1]),
        lambda: Statistic.mean([3, 3], 5),
        lambda: Statistic.difference([0], [9], 4, 5),
        lambda: Frontier("dp", [0.5, 0.5], Statistic.frequencies(5, [1, 2, 3])).distortion_at(loss=1),
        lambda: Frontier("leakage", [0.5, 0.5], frequencies).distortion_at(loss=1),
        lambda: Frontier("dp", Everything(3), Statistic.mean([1, 2, 3], 5)).distortion_at(loss=1),
        lambda: Frontier("dp", [0.5, 0.5], frequencies).curve(points=3),
    ):
        with pytest.raises(InvalidInput):
            build()
    with pytest.raises(NoSolution, match="Without any protection"):
        Frontier("dp", [0.5, 0.5], frequencies).loss_at("1/20")
