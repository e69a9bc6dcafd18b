"""Random bits that belong to a row: the same whenever they are asked for, and worthless without the secret key.

A table that is evaluated more than once (as Spark does, on its own account or on the reader's) must give each
person one answer only. So the bits of a row are AES-256 under a key of its column, applied to the row's
identifier, its private value and a counter. Without the key they cannot be told from fresh bits. The value is
part of what is enciphered, so that a row whose value was changed gets an answer that is independent of the
first: two answers from the same bits for two values could give both away.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.release.keystream import Bytes, Rows, Words, encryptor, fresh_key
from epstar.release.sampler import Codes

_KEY_BYTES = 32
_BLOCK = 16
# The low word of a block holds the private value above this many bits of counter.
_COUNTER_BITS = 32


@dataclass(frozen=True, repr=False)
class SecretKey:
    """32 secret bytes; who has them can undo a release, so they stay with the private table.

    >>> SecretKey.fresh()
    SecretKey(secret)
    """

    secret: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != _KEY_BYTES:
            raise InvalidInput(f"A secret key is {_KEY_BYTES} bytes; draw one with SecretKey.fresh().")

    @classmethod
    def fresh(cls) -> SecretKey:
        """Return a key that the operating system drew.

        Raises:
            NoEntropy: if it has none.
        """
        return cls(fresh_key())

    def for_column(self, description: str) -> ColumnKey:
        """Return the key of a column; another mechanism, alphabet or name gives an unrelated one."""
        derived = hashlib.blake2b(description.encode(), key=self.secret, person=b"epstar column").digest()
        return ColumnKey(derived[:_KEY_BYTES], derived[_KEY_BYTES:])

    def __repr__(self) -> str:
        return "SecretKey(secret)"


@dataclass(frozen=True, repr=False)
class ColumnKey:
    """What a column's bits are drawn with: one key for blocks and one for identifiers that are texts."""

    blocks: bytes
    texts: bytes

    def streams(self, identifiers: Any, codes: Codes) -> RowStreams:
        """Return the bits of rows with these identifiers (an Arrow array of whole numbers or texts) and values.

        Raises:
            InvalidInput: if an identifier is missing, or they are of another type.
        """
        high, low = self._starts(identifiers)
        low = low + (codes.astype(np.uint64) << np.uint64(_COUNTER_BITS))
        return RowStreams(self, high, low, np.zeros(len(codes), dtype=np.uint64), np.arange(len(codes)))

    def _starts(self, identifiers: Any) -> tuple[Words, Words]:
        import pyarrow as pa

        check_identifiers(identifiers.type)
        if identifiers.null_count:
            raise InvalidInput("A row has no identifier; give one to every row.")
        if pa.types.is_integer(identifiers.type):
            numbers = identifiers.to_numpy().astype(np.int64).view(np.uint64)
            return numbers, np.zeros(len(numbers), dtype=np.uint64)
        digests = b"".join(map(self._digest, identifiers.to_pylist()))
        words = np.frombuffer(digests, dtype="<u8").reshape(-1, 2).astype(np.uint64)
        return words[:, 0], words[:, 1]

    def _digest(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self.texts, digest_size=_BLOCK).digest()

    @cached_property
    def cipher(self) -> Any:
        """The block cipher; blocks are never repeated, so no mode that chains them is wanted."""
        return encryptor(self.blocks, "blocks")

    def __repr__(self) -> str:
        return "ColumnKey(secret)"

    def __getstate__(self) -> dict[str, bytes]:
        return {"blocks": self.blocks, "texts": self.texts}


@dataclass(frozen=True, eq=False, repr=False)
class RowStreams:
    """A stream of bits for each row, of which each request takes the next bits of the rows it is for."""

    key: ColumnKey
    high: Words
    low: Words
    used: Words
    rows: NDArray[np.intp]

    def fill(self, into: Bytes) -> None:
        """Overwrite a contiguous array of bytes, as many bytes for each of the rows."""
        if not len(into):
            return
        used = self.used[self.rows]
        width = len(into) // len(used)
        blocks = -(-width // _BLOCK)
        plain = np.empty((len(used), blocks, 2), dtype="<u8")
        plain[:, :, 0] = self.high[self.rows][:, None]
        plain[:, :, 1] = (self.low[self.rows] + used)[:, None] + np.arange(blocks, dtype=np.uint64)
        # The cipher wants room for one more block than it fills.
        secret = np.empty(plain.nbytes + _BLOCK, dtype=np.uint8)
        self.key.cipher.update_into(plain.data.cast("B"), secret)
        into.reshape(len(used), width)[:] = secret[: plain.nbytes].reshape(len(used), -1)[:, :width]
        self.used[self.rows] = used + np.uint64(blocks)

    def of(self, rows: Rows, /) -> RowStreams:
        """Return the streams of some of the rows; what they use is used up here too."""
        return replace(self, rows=self.rows[rows])


def check_identifiers(kind: Any) -> None:
    """Raise unless values of this Arrow type can tell rows apart: whole numbers and texts.

    Raises:
        InvalidInput: for any other type.
    """
    import pyarrow as pa

    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InvalidInput(f"Identifiers of type {kind} cannot be keyed; use a column of whole numbers or texts.")
