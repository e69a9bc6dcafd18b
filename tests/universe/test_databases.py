"""Databases against plain enumeration, and at sizes that nobody can enumerate."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.universe import Alphabet, Databases, digits, from_digits

shapes = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(shapes)
@settings(deadline=None)
def test_labels_are_all_tuples_in_lexicographic_order(shape: tuple[int, int]) -> None:
    letters, rows = shape
    databases = Databases([f"v{k}" for k in range(letters)], rows)
    expected = list(product([f"v{k}" for k in range(letters)], repeat=rows))
    assert list(databases.labels) == expected
    assert databases.size == len(databases.labels) == len(expected)
    assert [databases.index(label) for label in expected] == list(range(databases.size))
    assert databases.labels[-1] == expected[-1]
    assert databases.labels[1:3] == tuple(expected[1:3])


@given(shapes)
@settings(deadline=None)
def test_pairs_are_exactly_the_databases_that_differ_in_one_row(shape: tuple[int, int]) -> None:
    databases = Databases(*shape)
    pairs = databases.pairs()
    found = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    labels = [databases.letters(k) for k in range(databases.size)]
    expected = {
        (i, j)
        for i in range(databases.size)
        for j in range(i + 1, databases.size)
        if sum(a != b for a, b in zip(labels[i], labels[j], strict=True)) == 1
    }
    assert found == expected
    assert len(pairs) == len(expected)
    assert pairs.distance is None


@given(shapes, st.data())
@settings(deadline=None)
def test_distances_and_spheres_are_hamming(shape: tuple[int, int], data: st.DataObject) -> None:
    databases = Databases(*shape)
    i = data.draw(st.integers(0, databases.size - 1))
    distances = [int(databases.distance(i, j).p) for j in range(databases.size)]
    sizes = databases.sphere_sizes()
    assert sum(sizes) == databases.size
    assert list(sizes) == [distances.count(steps) for steps in range(databases.rows + 1)]
    assert databases.diameter == max(distances)


def test_a_million_rows_are_addressed_without_enumeration() -> None:
    databases = Databases(Alphabet(["no", "yes"]), 1_000_000)
    assert databases.size == 1 << 1_000_000
    last = databases.size - 1
    assert databases.label(last) == ("yes",) * 1_000_000
    assert databases.index(("yes",) * 1_000_000) == last
    assert databases.distance(0, last) == 1_000_000
    assert databases.sphere_size(2) == comb(1_000_000, 2)


def test_labels_beyond_the_last_are_an_index_error() -> None:
    with pytest.raises(IndexError):
        Databases(2, 2).labels[4]


@given(st.integers(2, 11), st.integers(1, 400), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_digits_are_inverted_at_every_length(base: int, length: int, seed: int) -> None:
    given_digits = np.random.default_rng(seed).integers(0, base, length).tolist()
    number = from_digits(given_digits, base)
    assert number == sum(d * base**k for k, d in enumerate(reversed(given_digits)))
    assert digits(number, base, length) == given_digits
