"""Random bits that belong to a row: the same whenever they are asked for, and worthless without the secret key.

A table that is evaluated more than once (as Spark does, on its own account or on the reader's) must give each
person one answer only. So the bits of a row are AES-256 under a key of its column, applied to the row's
identifier, its private value and a counter. Without the key they cannot be told from fresh bits. The value is
part of what is enciphered, so that a row whose value was changed gets an answer that is independent of the
first: two answers from the same bits for two values could give both away.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.release.atomic_files import plain_errors, sync_folder
from epstar.release.keystream import Bytes, Rows, Words, encryptor, fresh_key
from epstar.release.place import place_of
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

    @classmethod
    def at(cls, path: str | Path) -> SecretKey:
        """Return the key in a file that only its owner may read; a fresh one is written where there is none.

        Raises:
            InvalidInput: if others may read the file, or it holds no key.
            NoEntropy: if the operating system has no random bytes.
            WriteFailed: if a new key cannot be written.
        """
        place = place_of(path, "The key")
        if place.is_symlink() or place.is_dir() or not place.absolute().parent.is_dir():
            raise InvalidInput("The key must be a file, and no link, in a folder that exists.")
        if not place.exists():
            made = cls.fresh()
            with plain_errors(place):
                _write_key(place, made.secret)
        if stat.S_IMODE(place.stat().st_mode) & 0o077:
            raise InvalidInput("Others may read the key, which undoes the release; run `chmod 600` on it first.")
        written = b""
        with suppress(OSError), place.open("rb") as handle:
            written = handle.read(2 * _KEY_BYTES + 2)
        if not re.fullmatch(rb"[0-9a-f]{64}\s*", written):
            raise InvalidInput("The file of the key holds none; name another, which will be made.")
        return cls(bytes.fromhex(written.decode()))

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
        high, low = self.starts(identifiers)
        low = low + (codes.astype(np.uint64) << np.uint64(_COUNTER_BITS))
        return RowStreams(self, high, low, np.zeros(len(codes), dtype=np.uint64), np.arange(len(codes)))

    def starts(self, identifiers: Any) -> tuple[Words, Words]:
        """Return the two words that stand for each identifier; different ones differ, by all that is known of digests.

        Raises:
            InvalidInput: if an identifier is missing, or they are of another type.
        """
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

    def decides(self, identifier: str) -> bytes:
        """Return what decides the answers of the column besides its values: for a keyed digest, and nobody's eyes."""
        return self.blocks + self.texts + identifier.encode()

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


@dataclass
class Different:
    """Makes sure that no identifier comes twice: rows with one identifier would get related answers.

    It holds eight bytes for each identifier that is a number, and sixteen for a text.
    """

    key: ColumnKey
    _seen: list[NDArray[np.void]] = field(default_factory=list)

    def add(self, identifiers: Any) -> None:
        """Take note of the identifiers of some rows."""
        high, low = self.key.starts(identifiers)
        if low.any():
            pairs = np.column_stack([high, low])
            self._seen.append(np.ascontiguousarray(pairs).view([("high", "u8"), ("low", "u8")]).reshape(-1))
        else:
            self._seen.append(np.ascontiguousarray(high).view([("high", "u8")]).reshape(-1))

    def check(self, name: str) -> None:
        """Raise if one of the column `name` came twice.

        Raises:
            InvalidInput: without saying which.
        """
        kinds = {part.dtype for part in self._seen if len(part)}
        for kind in kinds:
            found = np.concatenate([part for part in self._seen if part.dtype == kind])
            if len(np.unique(found)) < len(found):
                raise InvalidInput(
                    f"Column {name!r} is the same in several rows, so that they would get related answers; name a "
                    "column that is different in every row."
                )


def _write_key(place: Path, secret: bytes) -> None:
    """Bring a new key to the disk before anything is drawn with it: a table whose key is lost cannot be made again."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(secret.hex().encode() + b"\n")
        handle.flush()
        os.fsync(handle.fileno())
    sync_folder(place.absolute().parent)
