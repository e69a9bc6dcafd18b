"""Samplers that need no table: a million symbols cost as much memory as their description.

Each draw is an exactly uniform integer compared with integers. Probabilities are first rounded to numerators
that fit a machine word, always towards less loss; what is sampled is the rounded mechanism, exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.exact.vectors import sum_of
from epstar.mechanism import BlockDesign, DiagonalMechanism, ProductMechanism, TopRandomisedResponse
from epstar.mechanism.structured import require_alphabet
from epstar.release.keystream import Bits, uniform_below
from epstar.release.sampler import Codes, Sampler

# Numerators keep this many bits, so that sums over a million symbols stay below 2**60.
_PRECISION = 32
_LARGEST = 1 << 60
# So many rows stay in the second-level cache.
_ROWS_AT_ONCE = 1 << 14


def rounded_response(mechanism: TopRandomisedResponse) -> TopRandomisedResponse:
    """Return the mechanism with its ratio and delta rounded down to numerators that can be sampled.

    Every loss of randomised response grows with its ratio, so rounding down is the safe side.

    Raises:
        InvalidInput: if the ratio is 2**58 or more.
    """
    ratio, count = mechanism.ratio, len(mechanism.active)
    delta = Rational((mechanism.delta * (1 << _PRECISION)).floor(), 1 << _PRECISION)
    for power in range(_PRECISION, -1, -1):
        found = ratio if _fits(ratio, count) else Rational((ratio * (1 << power)).floor(), 1 << power)
        if _fits(found, count):
            return TopRandomisedResponse(
                require_alphabet(mechanism.universe, "A sampler of this kind"), mechanism.active, found, delta
            )
    raise InvalidInput("The ratio of this randomised response is 2**58 or more; allow a smaller loss.")


def _fits(ratio: Rational, count: int) -> bool:
    return int(ratio.p) + int(ratio.q) * (count - 1) < _LARGEST


@dataclass(frozen=True)
class ResponseSampler(Sampler):
    """Samples randomised response on some active symbols of an alphabet of any size.

    With E = p/q and r active symbols an active input draws v below p + q(r-1): its own symbol for v < p, else
    each other one for q values of v. An inactive input draws an active symbol evenly. Both are drawn for
    every row, and so is delta, so that the number of draws does not depend on the data.
    """

    mechanism: TopRandomisedResponse

    def __post_init__(self) -> None:
        if not _fits(self.mechanism.ratio, len(self.mechanism.active)) or self.mechanism.delta.q > _LARGEST:
            raise InvalidInput("This ratio has too many digits to be sampled; use rounded_response first.")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return self.mechanism.shape

    @cached_property
    def _active(self) -> NDArray[np.uint32]:
        return np.array(self.mechanism.active, dtype=np.uint32)

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        """The place of each symbol among the active ones, -1 for the others."""
        rank = np.full(self.shape[0], -1, dtype=np.int64)
        rank[self._active] = np.arange(len(self._active))
        return rank

    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""
        count = len(self._active)
        own, other = int(self.mechanism.ratio.p), int(self.mechanism.ratio.q)
        spread = self._drawn(bits, len(codes), count).astype(np.int64)
        ticket = self._drawn(bits, len(codes), own + other * (count - 1))
        rank = self._rank[codes]
        kept = ticket < np.uint64(own)
        named = ((ticket - np.uint64(own)) // np.uint64(other)).astype(np.int64)
        named += named >= rank
        place = np.where(rank < 0, spread, np.where(kept, rank, np.minimum(named, count - 1)))
        result = self._active[place]
        delta = self.mechanism.delta
        exempt = self._drawn(bits, len(codes), int(delta.q)) < np.uint64(int(delta.p))
        return np.where(exempt, codes.astype(np.uint32), result)

    @staticmethod
    def _drawn(bits: Bits, rows: int, bound: int) -> NDArray[np.uint64]:
        return uniform_below(bits, np.broadcast_to(np.uint64(bound), rows))


def rounded_diagonal(mechanism: DiagonalMechanism) -> DiagonalMechanism:
    """Return the mechanism with its diagonal rounded down to multiples of 2**-32.

    Its ratio 1 + (S-1) / (1 - max q) falls when any entry of the diagonal does; if the sum S would fall below
    1, what is missing goes to the entries that were rounded, and the mechanism is constant.
    """
    unit = Rational(1, 1 << _PRECISION)
    diagonal = [Rational((kept / unit).floor()) * unit for kept in mechanism.diagonal]
    missing = ONE - sum_of(diagonal)
    for place, (rounded, kept) in enumerate(zip(diagonal, mechanism.diagonal, strict=True)):
        if missing <= ZERO:
            break
        if rounded < kept:
            diagonal[place] += unit
            missing -= unit
    return DiagonalMechanism(require_alphabet(mechanism.universe, "A sampler of this kind"), diagonal)


@dataclass(frozen=True)
class DiagonalSampler(Sampler):
    """Samples the mechanism of least differential privacy with a given diagonal n_i / N.

    A row keeps its symbol i with probability n_i / N, else draws v below sum n - n_i, which names symbol j
    for n_j values of v, passing over i. Both are drawn for every row.
    """

    mechanism: DiagonalMechanism

    def __post_init__(self) -> None:
        total = sum_of(self.mechanism.diagonal) * self._unit
        if self._unit >= _LARGEST or total.q != 1 or total >= _LARGEST:
            raise InvalidInput("This diagonal has too many digits to be sampled; use rounded_diagonal first.")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return self.mechanism.shape

    @cached_property
    def _unit(self) -> int:
        """The common denominator N."""
        common = 1
        for denominator in {int(kept.q) for kept in self.mechanism.diagonal}:
            common = math.lcm(common, denominator)
            if common >= _LARGEST:
                break
        return common

    @cached_property
    def _numerators(self) -> NDArray[np.uint64]:
        return np.array([int((kept * self._unit).p) for kept in self.mechanism.diagonal], dtype=np.uint64)

    @cached_property
    def _ends(self) -> NDArray[np.uint64]:
        return np.cumsum(self._numerators, dtype=np.uint64)

    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""
        own = self._numerators[codes]
        unit = np.broadcast_to(np.uint64(self._unit), len(codes))
        kept = uniform_below(bits, unit) < own
        others = self._ends[-1] - own
        # An input that is certain of its symbol may leave nothing to draw from; the draw is then not used.
        ticket = uniform_below(bits, np.maximum(others, np.uint64(1)))
        ticket = np.where(ticket >= self._ends[codes] - own, ticket + own, ticket)
        named = np.searchsorted(self._ends, ticket, side="right")
        return np.where(kept, codes, named).astype(np.uint32)


@dataclass(frozen=True)
class RowsSampler(Sampler):
    """Samples a product of mechanisms on databases, row by row, each by its own sampler.

    Positions of databases are read in base m, so their number must fit a machine word.
    """

    mechanism: ProductMechanism
    samplers: tuple[Sampler, ...]

    def __post_init__(self) -> None:
        if max(self.shape) >= _LARGEST:
            raise InvalidInput("There are too many databases to number them; sample each row by itself.")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return self.mechanism.shape

    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""
        inputs, outputs = self.samplers[0].shape
        rest = codes.astype(np.uint64)
        result = np.zeros(len(codes), dtype=np.uint64)
        place = 1
        # The last row is the last digit.
        for sampler in reversed(self.samplers):
            digit = (rest % np.uint64(inputs)).astype(np.uint32)
            rest //= np.uint64(inputs)
            result += sampler.draw(digit, bits).astype(np.uint64) * np.uint64(place)
            place *= outputs
        return result


def rounded_blocks(mechanism: BlockDesign) -> BlockDesign:
    """Return the block design with its ratio rounded down to numerators that can be sampled: it loses no more.

    Raises:
        InvalidInput: if the ratio is 2**40 or more.
    """
    universe = require_alphabet(mechanism.universe, "A sampler of this kind")
    for power in range(_PRECISION, -1, -1):
        ratio = Rational((mechanism.ratio * (1 << power)).floor(), 1 << power)
        if max(int(ratio.p), int(ratio.q)) * mechanism.prime**2 < _LARGEST:
            return BlockDesign(universe, mechanism.prime, mechanism.chosen, max(ONE, ratio))
    raise InvalidInput("The ratio of this block design is too large to be sampled; allow a smaller loss.")


@dataclass(frozen=True)
class BlockSampler(Sampler):
    """Samples the sets {z : a z + b mod p < k}: a value a x + b of the input, and an even a, give b.

    With E = r/s there are r tickets for each of the first k values and s for the others, k r + (p - k) s of them for
    each of p - 1 slopes; one number is drawn for every row.
    """

    mechanism: BlockDesign

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return self.mechanism.shape

    def draw(self, codes: Codes, bits: Bits) -> Codes:
        """Return one output position for each input position, from the given random bits."""
        prime, chosen = np.uint64(self.mechanism.prime), np.uint64(self.mechanism.chosen)
        large, small = np.uint64(int(self.mechanism.ratio.p)), np.uint64(int(self.mechanism.ratio.q))
        inside = chosen * large
        total = inside + (prime - chosen) * small
        result = np.empty(len(codes), dtype=np.uint64)
        bounds = np.broadcast_to(total * (prime - np.uint64(1)), min(len(codes), _ROWS_AT_ONCE))
        for start in range(0, len(codes), _ROWS_AT_ONCE):
            chunk = codes[start : start + _ROWS_AT_ONCE].astype(np.uint64)
            drawn = uniform_below(bits.of(slice(start, start + len(chunk))), bounds[: len(chunk)])
            slope = drawn // total
            ticket = drawn - slope * total
            is_inside = ticket < inside
            # A ticket inside is smaller than `inside`: its second number wraps around, and is not used.
            value = np.where(is_inside, ticket // large, (ticket - inside) // small + chosen)
            # a x + b = value, with a = slope + 1; everything stays far below 2**64.
            value += prime * prime - (slope + np.uint64(1)) * chunk
            result[start : start + len(chunk)] = slope * prime + (value - value // prime * prime)
        return result
