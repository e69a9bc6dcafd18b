"""Random bits for releases: the keystream of AES-256 in counter mode, under a key the operating system drew.

One `Keystream` serves one batch and is then thrown away; no key is stored, shown or derived from another.
Everything that is sampled asks a `Bits`, so that tests can replace the randomness by an enumeration of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from epstar.errors import EpstarError
from epstar.extras import required

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Rows = slice | NDArray[np.intp]

_KEY_BYTES = 32
_BLOCK = 1 << 17
_ZEROS = bytes(_BLOCK)
_WHOLE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class NoEntropy(EpstarError):
    """The operating system gave no random key, so nothing was sampled.

    >>> from epstar.errors import EpstarError
    >>> from epstar.release import NoEntropy
    >>> issubclass(NoEntropy, EpstarError)
    True
    """


class Bits(Protocol):
    """Anything that fills an array of bytes with bits to sample from, as many for each row as for another."""

    def fill(self, into: Bytes) -> None:
        """Overwrite every byte of a contiguous array."""

    def of(self, rows: Rows, /) -> Bits:
        """Return the bits of some of the rows; where rows have no bits of their own, these same bits."""


@dataclass(frozen=True, eq=False, repr=False)
class Keystream:
    """The keystream of a fresh AES-256 key, from its beginning, each byte given out once.

    Raises:
        NoEntropy: if the operating system has no random bytes, or the process was forked after the key was
            drawn (both would then continue the same stream).
        MissingExtra: if the cryptography package is not installed.

    >>> first, second = np.zeros(64, np.uint8), np.zeros(64, np.uint8)
    >>> Keystream().fill(first)
    >>> Keystream().fill(second)
    >>> bool((first == second).all())
    False
    """

    _encryptor: Any = field(default_factory=lambda: encryptor(fresh_key(), "counter"))
    _process: int = field(default_factory=os.getpid)

    def fill(self, into: Bytes) -> None:
        """Overwrite a contiguous array of bytes with the next bytes of the stream."""
        if os.getpid() != self._process:
            raise NoEntropy("This keystream was made before the process was forked; make a new one.")
        for start in range(0, len(into), _BLOCK):
            part = into[start : start + _BLOCK]
            zeros = _ZEROS if len(part) == _BLOCK else _ZEROS[: len(part)]
            self._encryptor.update_into(zeros, part)

    def of(self, _: Rows, /) -> Keystream:
        """Return this stream: its next bytes are as good for some rows as for others."""
        return self

    def __repr__(self) -> str:
        return "Keystream(secret)"


def fresh_key() -> bytes:
    """Return 32 bytes that the operating system drew.

    Raises:
        NoEntropy: if it has none.
    """
    try:
        key = os.urandom(_KEY_BYTES)
    except (NotImplementedError, OSError):
        key = b""
    if len(key) != _KEY_BYTES:
        raise NoEntropy("The operating system gave no random key; nothing was released, so try again later.")
    return key


def encryptor(key: bytes, mode: Literal["counter", "blocks"]) -> Any:
    """Return AES under a key: its keystream from the beginning of the counter, or block by block.

    Raises:
        MissingExtra: if the cryptography package is not installed.
    """
    required("cryptography", "Random bits for a release are drawn with")
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CTR, ECB

    # The key is used for one stream, so the counter may start at zero.
    return Cipher(AES(key), CTR(bytes(16)) if mode == "counter" else ECB()).encryptor()


def random_words(bits: Bits, count: int) -> Words:
    """Return `count` independent uniform 64-bit words."""
    words = np.empty(count, dtype="<u8")
    bits.fill(words.view(np.uint8))
    return words.astype(np.uint64, copy=False)


def uniform_below(bits: Bits, bounds: Words) -> Words:
    """Return an exactly uniform integer in 0..bound-1 for each bound (at least 1), by rejection.

    A word is refused if it lies in the last, incomplete run of `bound` words: with probability below
    bound / 2**64, which is all that the time can tell of a bound.
    """
    drawn = random_words(bits, len(bounds))
    # To divide by one number is many times faster than by as many as there are rows.
    divisor = bounds[0] if len(bounds) and not bounds.strides[0] else bounds
    result = drawn - drawn // divisor * divisor
    # A run is complete if it can be extended to its end without passing the largest word.
    refused = np.flatnonzero(drawn - result > _WHOLE - (divisor - np.uint64(1)))
    while len(refused):
        drawn = random_words(bits.of(refused), len(refused))
        rest = drawn % bounds[refused]
        result[refused] = rest
        refused = refused[drawn - rest > _WHOLE - (bounds[refused] - np.uint64(1))]
    return result
