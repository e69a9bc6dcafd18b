"""Estimators letter by letter: unbiased by enumeration, and the same as those of the inverted matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import fraction
from epstar.mechanism import AnyMechanism, DiagonalMechanism, TopRandomisedResponse
from epstar.notions.measure.rank_one import RankOne
from epstar.release.estimators import LetterEstimators, MatrixEstimators
from epstar.release.inverse import Inverse
from epstar.universe import Alphabet


@st.composite
def letter_mechanisms(draw: st.DrawFn, size: int) -> AnyMechanism:
    if draw(st.booleans()):
        kept = draw(st.lists(st.sampled_from(["0", "2/5", "3/5"]), min_size=size, max_size=size))
        return DiagonalMechanism(Alphabet(size), ["4/5", "4/5", *kept[2:]])
    active = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=size, unique=True))
    return TopRandomisedResponse(Alphabet(size), active, draw(st.integers(2, 9)), draw(st.sampled_from([0, "1/10"])))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 6))
def test_letters_and_matrices_estimate_alike(data: st.DataObject, size: int) -> None:
    mechanism = data.draw(letter_mechanisms(size))
    rank_one = RankOne.of(mechanism)
    assert rank_one is not None
    cells = data.draw(st.integers(2, size))
    cell_of = np.arange(size) if data.draw(st.booleans()) else np.arange(size) % cells
    cells = int(cell_of.max()) + 1
    letters = LetterEstimators(rank_one, cell_of, cells)
    matrix = MatrixEstimators(Inverse(mechanism.dense()), cell_of, cells)
    if letters.estimable.all():
        assert matrix.estimable.all()
        for shape in ((size,), (size, 3)):
            counts = np.array(data.draw(st.lists(st.integers(0, 50), min_size=size * 3, max_size=size * 3)))
            table = counts[: int(np.prod(shape))].reshape(shape).astype(np.float64) + 1
            np.testing.assert_allclose(letters.means(table), matrix.means(table), rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(letters.squares(table), matrix.squares(table), rtol=1e-8, atol=1e-8)
        ours, theirs = (found.intervals(table[:, 0], 0.9) for found in (letters, matrix))
        np.testing.assert_allclose(ours.frequency, theirs.frequency, rtol=1e-8, atol=1e-8)
        if ours.kind == theirs.kind == "exact":
            np.testing.assert_allclose(ours.lower, theirs.lower, rtol=1e-7, atol=1e-8)
            np.testing.assert_allclose(ours.upper, theirs.upper, rtol=1e-7, atol=1e-8)
        assert not list(letters.told(table[:, 0], 0.9))
        assert (letters.largest >= matrix.largest - 1e-8).all()
    else:
        assert not matrix.estimable.all()


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(3, 6))
def test_what_is_told_of_suppressed_letters_is_unbiased(data: st.DataObject, size: int) -> None:
    mechanism = data.draw(letter_mechanisms(size))
    rank_one = RankOne.of(mechanism)
    assert rank_one is not None
    letters = LetterEstimators(rank_one, np.arange(size), size)
    hidden = [x for kind in rank_one.kinds if kind.excess == 0 for x in kind.members.tolist()]
    matrix = np.array([[float(fraction(mechanism.entry(x, y))) for y in range(size)] for x in range(size)])
    for x in range(size):
        # Counts in proportion to the law of an input: the estimate must be what the input is worth.
        for sums, (frequency, _, _) in letters.told(matrix[x] * 1000, 0.9):
            expected = sums.weights.get(x, 0.0) + (sums.suppressed if x in hidden else 0.0)
            assert frequency == pytest.approx(expected, abs=1e-9)
    told = len(list(letters.told(matrix[0] * 1000, 0.9)))
    assert told == (size - len(hidden) if hidden else 0)
