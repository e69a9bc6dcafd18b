"""Random bits: fresh under every key, exactly uniform below any bound, and never without entropy."""

import os

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from scipy.stats import binom

from epstar.release.keystream import Keystream, NoEntropy, random_words, uniform_below
from epstar.release.sampler import TableSampler
from epstar.release.tickets import Tickets
from epstar.universe import Alphabet

WORDS = 1 << 64


class Given:
    """Bits that are given in advance, one array for each time they are asked for."""

    def __init__(self, *words: list[int]) -> None:
        self.words = [np.array(part, dtype="<u8").view(np.uint8) for part in words]

    def fill(self, into: np.ndarray) -> None:
        into[:] = self.words.pop(0)

    def of(self, _: object, /) -> "Given":
        return self


def test_the_stream_is_aes_in_counter_mode_and_no_byte_comes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    key = bytes(range(32))
    monkeypatch.setattr(os, "urandom", lambda size: key[:size])
    encryptor = Cipher(AES(key), ECB()).encryptor()
    expected = b"".join(encryptor.update(counter.to_bytes(16, "big")) for counter in range(20_000))
    stream, found = Keystream(), b""
    for size in (1, 16, 5, 131_072, 131_073, 7, 40_000):
        part = np.zeros(size, dtype=np.uint8)
        stream.fill(part)
        found += part.tobytes()
    assert found == expected[: len(found)]


def test_every_keystream_has_a_key_of_its_own() -> None:
    parts = np.zeros((100, 16), dtype=np.uint8)
    for part in parts:
        Keystream().fill(part)
    assert len({part.tobytes() for part in parts}) == 100


@pytest.mark.parametrize("failure", [NotImplementedError("none"), OSError("none"), None])
def test_without_entropy_nothing_is_sampled(failure: Exception | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def urandom(size: int) -> bytes:
        if failure is not None:
            raise failure
        return bytes(size - 1)

    sampler = TableSampler(Tickets(((1 << 15, 1 << 15),), 16, Alphabet(1), (0, 1)))
    monkeypatch.setattr(os, "urandom", urandom)
    with pytest.raises(NoEntropy, match="no random key"):
        sampler.sample(np.zeros(3, dtype=np.uint8))


def test_a_stream_refuses_to_go_on_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Keystream()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(NoEntropy, match="forked"):
        stream.fill(np.zeros(4, dtype=np.uint8))


def test_the_key_is_not_shown() -> None:
    assert repr(Keystream()) == "Keystream(secret)"


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 1000, (1 << 32) + 1, (1 << 63) + 1, WORDS - 1])
def test_the_incomplete_last_run_of_words_is_refused_and_no_other(bound: int) -> None:
    runs = WORDS // bound
    last_of_runs = runs * bound - 1
    words = [0, bound - 1, last_of_runs]
    bounds = np.full(len(words), bound, dtype=np.uint64)
    assert uniform_below(Given(words), bounds).tolist() == [0, bound - 1, bound - 1]
    if WORDS % bound:
        bits = Given([runs * bound, WORDS - 1, 0], [WORDS - 1, 1 % bound], [2 % bound])
        assert uniform_below(bits, bounds).tolist() == [2 % bound, 1 % bound, 0]
        assert bits.words == []


def test_words_use_every_bit_of_the_stream() -> None:
    words = random_words(Keystream(), 20_000)
    for bit in range(64):
        ones = int(((words >> np.uint64(bit)) & np.uint64(1)).sum())
        # A false alarm in one run of a million million.
        assert abs(ones - 10_000) <= binom.isf(5e-15, 20_000, 0.5) - 10_000
