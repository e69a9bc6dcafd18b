"""Samples follow the mechanism exactly: the randomness is enumerated where that is possible, and tested where not."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2
from tests.notebook.objects import answer, mechanisms

from epstar import InvalidInput, Mechanism, MissingExtra, ProductMechanism
from epstar.mechanism import AnyMechanism
from epstar.notebook.sampling import sample
from epstar.universe import Alphabet

# A test with a fresh key fails this seldom, and never because of epstar.
ONCE_IN = 1e-9


class Enumerated:
    """Bits that count: the words 0, 1, 2, …"""

    def fill(self, into: NDArray[np.uint8]) -> None:
        into.view("<u8")[:] = np.arange(len(into) // 8)

    def of(self, rows: object, /) -> Enumerated:
        return self


class Planned:
    """Bits that are given byte by byte."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = list(parts)

    def fill(self, into: NDArray[np.uint8]) -> None:
        into[:] = np.frombuffer(self._parts.pop(0), dtype=np.uint8)

    def of(self, rows: object, /) -> Planned:
        return self


def test_every_whole_number_stands_for_the_output_that_holds_it() -> None:
    mechanism = Mechanism([["1/2", "1/3", "1/6"], [0, 1, 0]], Alphabet(["a", "b"]), ["x", "y", ("z", 1)])
    drawn = sample(mechanism, "a", 6000, Enumerated())
    assert isinstance(drawn, list)
    assert Counter(drawn) == {"x": 3000, "y": 2000, ("z", 1): 1000}
    assert set(mechanism.sample("b", 100)) == {"y"}


def test_wide_denominators_are_drawn_by_rejection() -> None:
    # The first output holds one ticket out of 2**70 + 1, and 71 bits are drawn, in 9 bytes of which one bit is spare.
    total = 2**70 + 1
    mechanism = Mechanism([[f"1/{total}", f"{2**70}/{total}"]])
    first, last = (0).to_bytes(9, "little"), (2**70 << 1).to_bytes(9, "little")
    refused = (total << 1).to_bytes(9, "little")
    assert sample(mechanism, 0, 2, Planned(first + last)) == [0, 1]
    assert sample(mechanism, 0, 2, Planned(refused + first, last)) == [0, 1]
    assert sample(mechanism, 0, None, Planned(refused, refused, first)) == 0


@pytest.mark.parametrize("name", ["structured", "exact", "floats", "wide"])
def test_samples_follow_the_mechanism(name: str) -> None:
    mechanism = mechanisms()[name]
    assert isinstance(mechanism, AnyMechanism)
    label, draws = mechanism.universe.label(0), 20_000
    counts = Counter(mechanism.sample(label, draws))
    law = np.asarray(mechanism)[0]
    expected = draws * law
    seen = np.array([counts[output] for output in mechanism.outputs])
    statistic = float((((seen - expected) ** 2) / expected).sum())
    assert statistic < chi2.isf(ONCE_IN, len(law) - 1)
    assert sum(counts.values()) == draws


def test_one_sample_is_a_label_and_several_are_a_list() -> None:
    mechanism = answer().mechanism
    assert mechanism is not None
    assert mechanism.sample("never") in mechanism.outputs
    assert mechanism.sample("never", 0) == []
    assert len(mechanism.sample("never", size=3)) == 3
    # Two thousand draws agree twice with a probability below 1e-300.
    first, second = (mechanism.sample("never", 2000) for _ in range(2))
    assert first != second


def test_what_cannot_be_sampled_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = mechanisms()["exact"]
    assert isinstance(mechanism, AnyMechanism)
    unhashable: Any = []
    wrong: list[Any] = [-1, 1.5, True, "3"]
    with pytest.raises(InvalidInput, match="not a label"):
        mechanism.sample("maybe")
    with pytest.raises(InvalidInput, match="not a label"):
        mechanism.sample(unhashable)
    for size in wrong:
        with pytest.raises(InvalidInput, match="number of samples"):
            sample(mechanism, "yes", size)
    coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    many = ProductMechanism([coin] * 30)
    with pytest.raises(InvalidInput, match="more than 1000000 outputs"):
        many.sample(many.universe.label(0))
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(MissingExtra, match=r"epstar\[table\]"):
        mechanism.sample("yes")
