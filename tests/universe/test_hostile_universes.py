"""Whatever is wrong with a universe is said in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from epstar.errors import InvalidInput
from epstar.universe import Alphabet, Databases, Graph, Metric

# Type checkers would refuse most of these calls; people without one make them.
alphabet: Any = Alphabet
databases: Any = Databases
graph: Any = Graph
metric: Any = Metric

HOSTILE: list[tuple[Callable[[], object], str]] = [
    (lambda: alphabet([]), "empty"),
    (lambda: alphabet(0), "at least 1"),
    (lambda: alphabet(-3), "at least 1"),
    (lambda: alphabet(True), "whole number"),
    (lambda: alphabet(2.5), "ordered list"),
    (lambda: alphabet("abc"), "ordered list"),
    (lambda: alphabet({"a", "b"}), "ordered list"),
    (lambda: alphabet({"a": 1}), "ordered list"),
    (lambda: alphabet(None), "ordered list"),
    (lambda: alphabet(["a", "a"]), "twice"),
    (lambda: alphabet([1, 1.0]), "twice"),
    (lambda: alphabet([1, True]), "twice"),
    (lambda: alphabet([["a"], ["b"]]), "not hashable"),
    (lambda: alphabet([("a", ["b"])]), "not hashable"),
    (lambda: alphabet([math.nan, 1.0]), "NaN"),
    (lambda: alphabet(3).index(7), "not a label"),
    (lambda: alphabet(3).index(["a"]), "not a label"),
    (lambda: alphabet(3).label(3), "outside the universe"),
    (lambda: alphabet(3).label(-1), "at least 0"),
    (lambda: alphabet(3).distance(0, "a"), "whole number"),
    (lambda: databases(2, 0), "at least 1"),
    (lambda: databases(2, -1), "at least 1"),
    (lambda: databases(2, 2.0), "whole number"),
    (lambda: databases([], 2), "empty"),
    (lambda: databases(2, 30).pairs(), "too many to list"),
    (lambda: databases(2, 3).index((0, 1)), "tuple of 3 labels"),
    (lambda: databases(2, 3).index("010"), "tuple of 3 labels"),
    (lambda: databases(2, 3).index((0, 1, 2)), "not a label"),
    (lambda: databases(2, 3).label(8), "outside the universe"),
    (lambda: databases(2, 20_000).sphere_sizes(), "sphere_size(distance)"),
    (lambda: graph([], []), "empty"),
    (lambda: graph(3, [(0, 0)]), "to itself"),
    (lambda: graph(3, [(0, 1), (1, 0)]), "repeats"),
    (lambda: graph(3, [(0, 3)]), "unknown node"),
    (lambda: graph(3, [(0, -1)]), "unknown node"),
    (lambda: graph(3, [(0, 1.5)]), "unknown node"),
    (lambda: graph(3, [(0, [1])]), "unknown node"),
    (lambda: graph(["a", "b"], [("a", "c")]), "unknown node"),
    (lambda: graph(["a", "b"], [("a", 1)]), "unknown node"),
    (lambda: graph(["a", "b"], [(True, False)]), "unknown node"),
    (lambda: graph(3, [(0, 1, 2)]), "pair of nodes"),
    (lambda: graph(3, [0]), "pair of nodes"),
    (lambda: graph(3, "01"), "list of pairs"),
    (lambda: graph(3, None), "list of pairs"),
    (lambda: graph([2, 1, 0], [(0, 1)]), "labels and as indices"),
    (lambda: graph.ring(2), "at least 3"),
    (lambda: graph.line(0), "at least 1"),
    (lambda: graph.clique(0), "at least 1"),
    (lambda: graph.clique(10_000), "too many to list"),
    (lambda: metric([]), "empty"),
    (lambda: metric([[0, 1]]), "square"),
    (lambda: metric([[0, 1], [1]]), "square"),
    (lambda: metric([[0, 1], [2, 0]]), "symmetric"),
    (lambda: metric([[0, 1], [None, 0]]), "symmetric"),
    (lambda: metric([[1, 1], [1, 0]]), "to itself must be 0"),
    (lambda: metric([[None, 1], [1, 0]]), "to itself must be 0"),
    (lambda: metric([[0, -1], [-1, 0]]), "positive"),
    (lambda: metric([[0, 0], [0, 0]]), "positive"),
    (lambda: metric([[0, math.nan], [math.nan, 0]]), "not a finite number"),
    (lambda: metric([[0, -math.inf], [-math.inf, 0]]), "not a finite number"),
    (lambda: metric([[0, "far"], ["far", 0]]), "not a number"),
    (lambda: metric(["01", "10"]), "ordered list"),
    (lambda: metric([[0, 1], [1, 0]], labels=["a"]), "needs as many labels"),
    (lambda: metric([[0, 1], [1, 0]], labels=["a", "a"]), "twice"),
]


@pytest.mark.parametrize(("action", "fragment"), HOSTILE)
def test_hostile_universes_are_refused(action: Callable[[], object], fragment: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(fragment)) as caught:
        action()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
