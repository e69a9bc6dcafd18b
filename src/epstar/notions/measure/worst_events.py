"""How far the law of the output and the rows of a mechanism lie apart over events, at the worst law of a source.

The level of local information privacy with a slack is the logarithm of the largest quotient

    (P_Y(S) - slack) / Q_x(S)    or    Q_x(S) / (P_Y(S) + slack)

over the extreme distributions of the source, the inputs x and the events S. There are many pairs of a distribution and
an input, so that floats look for the worst. Then exact numbers decide. The quotient of an event is largest where its
probability is, by a linear maximum over the source. A pair has a larger quotient than E only if its excess over E is
above the slack: floats with a bound on their error deny that for most pairs, and name the event of the others, which
many have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import Mechanism
from epstar.notions.base import Point, Witness
from epstar.notions.measure.hockey_stick import (
    BLOCK,
    LARGEST,
    event_of,
    has_faint,
    least_factor,
    least_factors,
    may_exceed,
    outputs_above,
)
from epstar.notions.priors import float_output_law, in_rows, output_law
from epstar.source import Source

Floats = NDArray[np.float64]

# The pairs of a block that are solved at a time, and what is above a slack by rounding errors only.
_BATCH = 64
_ROUNDING = 2e-15
# Outputs of which floats cannot tell whether they belong to an event: it is tried with and without each.
_MOST_DOUBTS = 4


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a distribution of a source and an input of a mechanism, in floats."""

    laws: Floats
    matrix: Floats

    @property
    def roundings(self) -> int:
        """By how many roundings the distributions of the output are off at most."""
        return len(self.matrix) + 4

    def blocks(self) -> Iterator[tuple[int, bool, Floats, Floats]]:
        """Yield, block by block, the place of the first law, and the two laws of each pair: both ways round.

        First comes the one that may be too large; `under` says that it is the row of the input.
        """
        step = max(1, BLOCK // (4 * self.matrix.size))
        for start in in_time(range(0, len(self.laws), step)):
            outputs = float_output_law(self.laws[start : start + step], self.matrix)[:, None, :]
            rows = np.broadcast_to(self.matrix, (len(outputs), *self.matrix.shape))
            yield start, False, np.broadcast_to(outputs, rows.shape), rows
            yield start, True, rows, np.broadcast_to(outputs, rows.shape)


@dataclass(frozen=True)
class WorstInFloats:
    """The largest quotient as far as floats can tell, at least one, with the place of its law, its input and event."""

    factor: float = 1.0
    law: int = 0
    input: int = 0
    event: tuple[int, ...] = ()


def worst_in_floats(pairs: Pairs, slack: float) -> WorstInFloats:
    """Return the worst pair: those with the largest excess are solved until none is left with too much."""
    worst, solved = WorstInFloats(), -1.0
    while solved < worst.factor < np.inf:
        solved = worst.factor
        for start, under, left, right in pairs.blocks():
            excess = np.maximum(left - worst.factor * right, 0.0).sum(-1) - slack * (worst.factor if under else 1.0)
            count = min(_BATCH, excess.size)
            chosen = np.argpartition(excess, excess.size - count, axis=None)[-count:]
            chosen = chosen[excess.flat[chosen] > _ROUNDING]
            if chosen.size:
                law, x = np.unravel_index(chosen, excess.shape)
                factors = least_factors(left[law, x], right[law, x], slack, under)
                place = int(factors.argmax())
                if factors[place] > worst.factor:
                    at, factor = (int(law[place]), int(x[place])), float(factors[place])
                    worst = WorstInFloats(factor, start + at[0], at[1], event_of(left[at], right[at], factor))
                    if factor == np.inf:
                        break
    return worst


@dataclass
class _Known:
    """The events of a mechanism whose quotient is known, and the largest of them; None for infinity."""

    mechanism: Mechanism
    source: Source
    slack: Rational
    factor: Rational | None = ONE
    witness: Witness = field(default_factory=Witness)
    seen: set[tuple[int, bool, tuple[int, ...]]] = field(default_factory=set)

    def learn(self, x: int, under: bool, event: tuple[int, ...]) -> None:
        """Take up the quotient of an event at an input, under the distribution of the source that is worst for it."""
        if (x, under, event) in self.seen:
            return
        self.seen.add((x, under, event))
        chances = [sum_of([row[y] for y in event]) for row in self.mechanism.rows]
        extreme = self.source.minimum(chances) if under else self.source.maximum(chances)
        above, below = (chances[x], extreme.value + self.slack) if under else (extreme.value - self.slack, chances[x])
        self._raise(above, below, Witness((x,), event, extreme.point))

    def learn_pair(self, law: Point, x: int) -> None:
        """Take up the largest quotient of a distribution and an input."""
        outputs, row = output_law(self.mechanism.rows, law), self.mechanism.rows[x]
        for found in (least_factor(outputs, row, self.slack), least_factor(row, outputs, self.slack, True)):
            above, below = (ONE, ZERO) if found.factor is None else (found.factor, ONE)
            self._raise(above, below, Witness((x,), found.event, law))

    def _raise(self, above: Rational, below: Rational, witness: Witness) -> None:
        if self.factor is not None and above > self.factor * below:
            self.factor, self.witness = None if below == 0 else above / below, witness

    def worst(self) -> tuple[Witness, Real]:
        """Return where the largest quotient is attained, and its logarithm."""
        return self.witness, INFINITY if self.factor is None else Real.log(self.factor)


def worst_event(mechanism: Mechanism, source: Source, laws: Sequence[Point], slack: Rational) -> tuple[Witness, Real]:
    """Return the largest logarithm of a quotient of an exact mechanism, and where it is attained.

    `laws` are the extreme distributions of the source.
    """
    pairs = Pairs(in_rows(laws, source), mechanism.floats)
    known = _Known(mechanism, source, slack)
    guess = worst_in_floats(pairs, float(nearest_floats([slack])[0]))
    known.learn_pair(laws[guess.law], guess.input)
    is_held = not (has_faint(laws, pairs.laws) or has_faint(mechanism.rows, pairs.matrix))
    solved: Rational | None = None
    while known.factor is not None and known.factor != solved:
        if not is_held or known.factor > LARGEST:
            # Floats would say nothing.
            for chosen, letter in in_time(product(laws, range(len(mechanism.rows)))):
                known.learn_pair(chosen, letter)
            break
        solved = known.factor
        for start, under, left, right in pairs.blocks():
            law, x = np.nonzero(may_exceed(left, right, pairs.roundings, solved, slack, under))
            sure, doubtful = outputs_above(left[law, x], right[law, x], pairs.roundings, solved)
            is_clear = doubtful.sum(axis=1) <= _MOST_DOUBTS
            for place in in_time(np.flatnonzero(~is_clear).tolist()):
                known.learn_pair(laws[start + int(law[place])], int(x[place]))
            packed = np.packbits(np.hstack([sure, doubtful]), axis=1)
            events = {(int(x[place]), packed[place].tobytes()): place for place in np.flatnonzero(is_clear).tolist()}
            for (at, _), place in in_time(events.items()):
                for more in _subsets(np.flatnonzero(doubtful[place]).tolist()):
                    known.learn(at, under, (*np.flatnonzero(sure[place]).tolist(), *more))
    return known.worst()


def _subsets(places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))
