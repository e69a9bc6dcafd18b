"""Alphabets: every two letters are neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from epstar.errors import InvalidInput
from epstar.universe import Alphabet, Graph, Universe


def test_every_two_letters_are_neighbours() -> None:
    alphabet = Alphabet(["a", "b", "c"])
    pairs = alphabet.pairs()
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert pairs.distance is None
    assert len(pairs) == 3
    assert [alphabet.distance(0, j) for j in range(3)] == [0, 1, 1]
    assert alphabet.diameter == 1


def test_labels_and_indices_are_inverse() -> None:
    alphabet = Alphabet(["x", 3, (1, 2), None])
    assert [alphabet.index(label) for label in alphabet.labels] == [0, 1, 2, 3]
    assert [alphabet.label(k) for k in range(4)] == ["x", 3, (1, 2), None]


def test_a_size_stands_for_its_indices() -> None:
    assert Alphabet(3) == Alphabet([0, 1, 2]) == Alphabet(np.arange(3))
    assert hash(Alphabet(3)) == hash(Alphabet([0, 1, 2]))
    clique: Universe = Graph.clique(3)
    assert clique != Alphabet(3)


def test_a_single_letter_has_no_pairs() -> None:
    assert len(Alphabet(1).pairs()) == 0
    assert Alphabet(1).diameter == 0


def test_large_alphabets_are_not_paired() -> None:
    alphabet = Alphabet(10_000)
    assert alphabet.index(9_999) == 9_999
    with pytest.raises(InvalidInput, match="too many to list"):
        alphabet.pairs()
