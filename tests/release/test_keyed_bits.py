"""Bits that belong to rows: the same in any batch and order, unrelated for anything else, and of the exact law."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from epstar.errors import InvalidInput
from epstar.mechanism import (
    AnyMechanism,
    DiagonalMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
    randomised_response,
)
from epstar.release import NoEntropy, SecretKey, plan
from epstar.release.keyed_bits import ColumnKey
from epstar.universe import Alphabet

KEY = SecretKey(bytes(range(32)))
COLUMN = KEY.for_column("a column")
LARGE = Alphabet(300)
MECHANISMS: dict[str, AnyMechanism] = {
    "table": randomised_response(Alphabet(16), 1),
    "wide tickets": randomised_response(Alphabet(16), 60),
    "response": TopRandomisedResponse(LARGE, list(range(250)), ratio=5, delta="1/7"),
    "diagonal": DiagonalMechanism(LARGE, ["1/2"] * 100 + ["1/3"] * 200),
    "product": ProductMechanism([randomised_response(Alphabet(7), 1)] * 3),
}


def identifiers(numbers: np.ndarray, as_text: bool) -> pa.Array:
    return pa.array([f"person {number}" for number in numbers.tolist()]) if as_text else pa.array(numbers)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("as_text", [False, True])
def test_an_answer_depends_on_its_row_alone(name: str, as_text: bool) -> None:
    sampler = plan(MECHANISMS[name]).sampler
    rng = np.random.default_rng(3)
    rows = 40_000
    codes = rng.integers(0, sampler.shape[0], rows).astype(np.uint32)
    whole = sampler.sample(codes, COLUMN.streams(identifiers(np.arange(rows), as_text), codes))
    order = rng.permutation(rows)
    found = np.zeros(rows, dtype=whole.dtype)
    for part in np.array_split(order, [1, 2, 1000, 39_000]):
        found[part] = sampler.sample(codes[part], COLUMN.streams(identifiers(part, as_text), codes[part]))
    assert (found == whole).all()


def test_blocks_are_those_of_the_cipher_and_no_block_comes_twice() -> None:
    codes = np.array([0, 7], dtype=np.uint8)
    streams = COLUMN.streams(pa.array([-1, 5]), codes)
    first, second, third = (np.zeros(size, dtype=np.uint8) for size in (2 * 16, 2 * 24, 16))
    streams.fill(first)
    streams.fill(second)
    streams.of(np.array([1])).fill(third)
    cipher = Cipher(AES(COLUMN.blocks), ECB()).encryptor()

    def block(identifier: int, code: int, counter: int) -> bytes:
        words = (identifier % (1 << 64), (code << 32) + counter)
        return cipher.update(b"".join(word.to_bytes(8, "little") for word in words))

    assert first.tobytes() == block(-1, 0, 0) + block(5, 7, 0)
    assert second.tobytes() == (block(-1, 0, 1) + block(-1, 0, 2))[:24] + (block(5, 7, 1) + block(5, 7, 2))[:24]
    assert third.tobytes() == block(5, 7, 3)


@settings(deadline=None, max_examples=30)
@given(st.binary(min_size=32, max_size=32))
def test_the_law_is_that_of_the_mechanism(secret: bytes) -> None:
    mechanism = Mechanism([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]])
    sampler, rows = plan(mechanism).sampler, 20_000
    codes = np.zeros(rows, dtype=np.uint8)
    drawn = sampler.sample(codes, SecretKey(secret).for_column("x").streams(pa.array(np.arange(rows)), codes))
    for y, chance in enumerate((1 / 2, 1 / 3, 1 / 6)):
        # A false alarm in one of ten million million comparisons.
        low, high = binom.ppf(5e-14, rows, chance), binom.isf(5e-14, rows, chance)
        assert low <= int((drawn == y).sum()) <= high


def test_another_key_column_identifier_or_value_gives_unrelated_bits() -> None:
    rows = 5_000
    zeros, ones = np.zeros(rows, dtype=np.uint8), np.ones(rows, dtype=np.uint8)
    numbers = np.arange(rows)

    def bits(key: ColumnKey, names: pa.Array, codes: np.ndarray) -> np.ndarray:
        into = np.zeros(8 * rows, dtype=np.uint8)
        key.streams(names, codes).fill(into)
        return into.view(np.uint64)

    streams = [
        bits(COLUMN, pa.array(numbers), zeros),
        bits(COLUMN, pa.array(numbers), ones),
        bits(COLUMN, pa.array(numbers + rows), zeros),
        bits(COLUMN, identifiers(numbers, True), zeros),
        bits(KEY.for_column("another column"), pa.array(numbers), zeros),
        bits(SecretKey.fresh().for_column("a column"), pa.array(numbers), zeros),
    ]
    # No word of 64 bits occurs twice: by chance that happens once in a hundred thousand million times.
    assert len(set(np.concatenate(streams).tolist())) == 6 * rows


def test_the_key_is_kept_out_of_sight_and_travels_with_a_task() -> None:
    assert repr(KEY) == "SecretKey(secret)"
    assert repr(COLUMN) == "ColumnKey(secret)"
    codes = np.zeros(3, dtype=np.uint8)
    first, second = np.zeros(48, dtype=np.uint8), np.zeros(48, dtype=np.uint8)
    COLUMN.streams(pa.array([1, 2, 3]), codes).fill(first)
    pickle.loads(pickle.dumps(COLUMN)).streams(pa.array([1, 2, 3]), codes).fill(second)
    assert (first == second).all()


@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"x" * 33, "x" * 32])
def test_a_key_of_another_size_is_refused(secret: bytes) -> None:
    with pytest.raises(InvalidInput, match="32 bytes"):
        SecretKey(secret)


def test_without_entropy_there_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(size: int) -> bytes:
        raise NotImplementedError

    monkeypatch.setattr("os.urandom", nothing)
    with pytest.raises(NoEntropy):
        SecretKey.fresh()


@pytest.mark.parametrize("values", [pa.array([1, None]), pa.array(["a", None]), pa.array([1.0, 2.0])])
def test_identifiers_that_are_missing_or_of_another_type_are_refused(values: pa.Array) -> None:
    with pytest.raises(InvalidInput, match=r"identifier|Identifiers"):
        COLUMN.streams(values, np.zeros(2, dtype=np.uint8))
