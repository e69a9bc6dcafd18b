"""Single outputs of a mechanism, drawn exactly: whole numbers below a common denominator, by rejection."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import lcm

import numpy as np

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.mechanism import DENSE_LIMIT, AnyMechanism
from epstar.release.keystream import Bits, Keystream, uniform_below
from epstar.universe import Label

_WORD = 62


def sample(mechanism: AnyMechanism, x: Label, size: int | None = None, bits: Bits | None = None) -> Label | list[Label]:
    """Return the label of an output for the input `x`, or a list of `size` independent ones.

    Given `bits` are used in place of those of a key that is drawn for this call.

    Raises:
        InvalidInput: if `x` is no label of an input, or there are more than a million outputs.
        MissingExtra: if the cryptography package is not installed.
    """
    row = mechanism.universe.index(x)
    count = 1 if size is None else whole_number(size, "The number of samples", 0)
    outputs = mechanism.shape[1]
    if outputs > DENSE_LIMIT:
        raise InvalidInput(
            f"The mechanism has more than {DENSE_LIMIT} outputs; use `epstar.release`, which draws row by row."
        )
    law = [mechanism.entry(row, y) for y in range(outputs)]
    total = lcm(*(int(entry.q) for entry in law))
    ends = list(accumulate(int(entry.p) * (total // int(entry.q)) for entry in law))
    drawn = _below(total, count, Keystream() if bits is None else bits)
    labels = [mechanism.outputs[bisect_right(ends, ticket)] for ticket in drawn]
    return labels[0] if size is None else labels


def _below(total: int, count: int, bits: Bits) -> list[int]:
    """Return exactly uniform whole numbers from 0 to total - 1."""
    if total.bit_length() <= _WORD:
        words = uniform_below(bits, np.full(count, total, dtype=np.uint64))
        return [int(word) for word in words]
    width = total.bit_length()
    size, spare = -(-width // 8), -width % 8
    found: list[int] = []
    while len(found) < count:
        # At least every second draw is below the total.
        raw = np.empty((count - len(found)) * size, dtype=np.uint8)
        bits.fill(raw)
        whole = raw.tobytes()
        draws = [int.from_bytes(whole[k : k + size], "little") >> spare for k in range(0, len(whole), size)]
        found += [draw for draw in draws if draw < total]
    return found
