"""Whatever is wrong with a source, or with a question to it, is said in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from epstar.errors import EpstarError, InvalidInput
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source

# Type checkers would refuse many of these calls; people without one make them.
ball: Any = Ball
box: Any = Box
everything: Any = Everything
finite: Any = Finite
hull: Any = Hull
polytope: Any = Polytope
prior: Any = Prior
rows: Any = Rows
from_counts: Any = Source.from_counts
coin = Prior([0.5, 0.5])

HOSTILE: list[tuple[Callable[[], object], str]] = [
    (lambda: prior([]), "empty"),
    (lambda: prior([0.5, 0.6]), "sums to 1.1"),
    (lambda: prior(["1/2", "1/3"]), "sums to 5/6"),
    (lambda: prior([math.nan, 1]), "not a finite number"),
    (lambda: prior("1"), "ordered list"),
    (lambda: prior(np.eye(2)), "itself a list"),
    (lambda: prior({"a": 0.5, "b": "half"}), "Entry 2"),
    (lambda: prior.uniform_on(0), "at least 1"),
    (lambda: coin.maximum([1]), "one entry per category, 2, but has 1"),
    (lambda: coin.maximum([1, 2, 3]), "one entry per category, 2, but has 3"),
    (lambda: coin.maximum([1, math.inf]), "not a finite number"),
    (lambda: coin.minimum([]), "empty"),
    (lambda: coin.contains([1]), "one entry per category"),
    (lambda: coin.contains([math.nan, 1]), "not a finite number"),
    (lambda: prior([1]).maximum_ratio(0, 1), "Category 1 does not exist"),
    (lambda: prior([1]).maximum_ratio(-1, 0), "at least 0"),
    (lambda: prior([1]).maximum_ratio(0.0, 0), "whole number"),
    (lambda: finite([]), "empty"),
    (lambda: finite([0.5, 0.5]), "ordered list"),
    (lambda: finite([[0.5, 0.5], [0.4, 0.5]]), "Point 2 of a Finite sums to 0.9"),
    (lambda: finite([[1, 0], [1, 0, 0]]), "equal lengths"),
    (lambda: hull([[1, 0], []]), "Point 2 of a Hull is empty"),
    (lambda: hull([[1, 0], [2, -1]]), "negative entry at place 2"),
    (lambda: hull(5), "ordered list"),
    (lambda: box([0, 0], [1]), "as many lower as upper"),
    (lambda: box([0.6, 0], [0.5, 1]), "category 0 has lower 3/5 and upper 1/2"),
    (lambda: box([-0.1, 0], [0.5, 1]), "0 <= lower <= upper <= 1"),
    (lambda: box([0, 0], [0.5, 1.5]), "0 <= lower <= upper <= 1"),
    (lambda: box([0.6, 0.6], [1, 1]), "lower bounds sum to more than 1"),
    (lambda: box([0, 0], [0.4, 0.4]), "upper bounds sum to less than 1"),
    (lambda: box([], []), "empty"),
    (lambda: box([0, math.nan], [1, 1]), "not a finite number"),
    (lambda: box(0, 1), "ordered list"),
    (lambda: box([[0, 0]], [[1, 1]]), "itself a list"),
    (lambda: ball([0.5, 0.5], -0.1), "between 0 and 2"),
    (lambda: ball([0.5, 0.5], 2.1), "between 0 and 2"),
    (lambda: ball([0.5, 0.5], math.nan), "not a finite number"),
    (lambda: ball([0.5, 0.5], None), "not a number"),
    (lambda: ball([0.5, 0.6], 0.1), "center of a Ball sums to 1.1"),
    (lambda: polytope([], []), "empty"),
    (lambda: polytope([[]], [1]), "empty"),
    (lambda: polytope([[1, 0]], [1, 2]), "one bound per row"),
    (lambda: polytope([[1, 0], [1]], [1, 2]), "ragged"),
    (lambda: polytope([1, 0], [1]), "ordered list"),
    (lambda: polytope([[1, 0]], [-1]), "holds no distribution"),
    (lambda: polytope([[1, math.inf]], [1]), "not a finite number"),
    (lambda: polytope([[1, 0]], ["one"]), "not a number"),
    (lambda: everything(0), "at least 1"),
    (lambda: everything(2.0), "whole number"),
    (lambda: everything([1]), "whole number"),
    (lambda: everything(10**6).vertices(), "more than 100000 vertices"),
    (lambda: rows(coin), "How many rows"),
    (lambda: rows(coin, 0), "at least 1"),
    (lambda: rows(coin, 1.5), "whole number"),
    (lambda: rows([0.5, 0.5], 2), "list of sources"),
    (lambda: rows([]), "list of sources"),
    (lambda: rows(None, 2), "list of sources"),
    (lambda: rows([coin, coin], 3), "3 rows, but 2 row sources"),
    (lambda: rows([coin, prior([1])]), "differ in size"),
    (lambda: rows(rows(coin, 2), 2), "cannot itself be Rows"),
    (lambda: rows(coin, 2).maximum_of_sum([[1, 0]]), "2 rows, but 1 row costs"),
    (lambda: rows(coin, 2).maximum_of_sum([[1, 0], [1]]), "one entry per category"),
    (lambda: rows(coin, 40).maximum([1]), "too long to write out"),
    (lambda: rows(coin, 2).maximum_ratio(0, 4), "Category 4 does not exist"),
    (lambda: from_counts([]), "empty"),
    (lambda: from_counts([0, 0]), "All counts are zero"),
    (lambda: from_counts([3, -1]), "whole numbers"),
    (lambda: from_counts([3, 1.5]), "whole numbers"),
    (lambda: from_counts([3, math.nan]), "not a finite number"),
    (lambda: from_counts([True, False]), "truth value"),
    (lambda: from_counts(5), "ordered list"),
    (lambda: from_counts([1, 2], confidence=0), "strictly between 0 and 1"),
    (lambda: from_counts([1, 2], confidence=1), "strictly between 0 and 1"),
    (lambda: from_counts([1, 2], confidence=95), "strictly between 0 and 1"),
    (lambda: from_counts([1, 2], confidence="high"), "not a number"),
    (lambda: from_counts([1, 2], shape="disc"), "'box' or 'ball'"),
]


@pytest.mark.parametrize(("action", "fragment"), HOSTILE)
def test_hostile_sources_are_refused(action: Callable[[], object], fragment: str) -> None:
    with pytest.raises(EpstarError, match=re.escape(fragment)) as caught:
        action()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_there_is_no_source_without_a_kind() -> None:
    kind: Any = Source
    with pytest.raises(TypeError):
        kind()


def test_invalid_input_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="sums to"):
        prior([0.5, 0.6])
    assert issubclass(InvalidInput, ValueError)
