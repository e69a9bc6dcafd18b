"""Bayesian remapping: from a reported answer to the guess that is worth most.

The expected gain of a mechanism is what its user makes of it. For each output the best guess maximises the
gain under the posterior (alvim2011, Section 5, equations (3) to (5)).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from epstar.arguments import check_kind, shown, whole_number
from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.probability_vectors import Table
from epstar.query.query import Law, read_answer_prior
from epstar.universe import Universe

Gains = tuple[tuple[Rational, ...], ...]
_MOST_ANSWERS = 1 << 11


@dataclass(frozen=True, eq=False)
class Remapping:
    """The best guess for each output (a place among `guesses`), and what the mechanism is worth with it.

    `plain_utility` is the worth of taking the output at its word; None if some output is not a guess.

    >>> from epstar import Mechanism, Query, remap
    >>> count = Query.named("count", individuals=2, values=2)
    >>> noisy = Mechanism([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]], count.graph)
    >>> found = remap(noisy)
    >>> found.guesses, str(found.utility)
    ((0, 1, 2), '1/2')
    """

    guesses: tuple[Hashable, ...]
    places: tuple[int, ...]
    utility: Rational
    plain_utility: Rational | None
    mechanism: Mechanism


def binary_gain(size: int) -> Gain:
    """Return the gain that is 1 for the true answer and 0 otherwise, for at most 2,048 answers.

    >>> from epstar.query import binary_gain
    >>> [[int(gain) for gain in row] for row in binary_gain(2).values]
    [[1, 0], [0, 1]]
    """
    count = whole_number(size, "The number of answers", 1)
    if count > _MOST_ANSWERS:
        raise InvalidInput(f"A gain on {shown(count)} answers is not written out; ask about at most {_MOST_ANSWERS}.")
    return Gain([[ONE if y == z else ZERO for z in range(count)] for y in range(count)])


def read_gain(answers: Universe, gain: Gain | Table | None) -> Gain:
    """Return a gain on the answers: 0/1 unless given, a table with one row per answer otherwise."""
    if gain is None:
        return binary_gain(answers.size)
    read = gain if isinstance(gain, Gain) else Gain(gain)
    read.shape(answers)
    return read


def is_binary(gain: Gain) -> bool:
    """Return whether the gain is 1 for the true answer, in the order of the answers, and 0 otherwise."""
    return len(gain.values) == len(gain.values[0]) and all(
        value == (ONE if y == z else ZERO) for y, row in enumerate(gain.values) for z, value in enumerate(row)
    )


def remap(mechanism: AnyMechanism, prior: Law | None = None, gain: Gain | Table | None = None) -> Remapping:
    """Return the best guess for every output, ties going to the first guess, and the utility it gives.

    An output that never occurs is mapped to the first guess. Exact; outputs times guesses times answers.

    Raises:
        InvalidInput: if the prior or the gain has not one entry or row per answer.

    >>> from epstar.mechanism import geometric
    >>> line = remap(geometric(3, 2), ["7/10", "1/10", "2/10"])
    >>> line.places, str(line.plain_utility), str(line.utility)
    ((0, 0, 2), '19/30', '43/60')
    """
    check_kind(mechanism, AnyMechanism, "What is remapped", "a mechanism")
    dense = mechanism.dense()
    chances = read_answer_prior(dense.universe, prior)
    read = read_gain(dense.universe, gain)
    guesses = tuple(read.outputs(dense.universe))
    worth = list(zip(*read.values, strict=True))
    places, utility = [], ZERO
    for z in range(dense.shape[1]):
        joint = [chance * entry for chance, entry in zip(chances, dense.column(z), strict=True)]
        values = [dot(joint, column) for column in worth]
        best = max(values)
        places.append(values.index(best))
        utility += best
    return Remapping(
        guesses, tuple(places), utility, _plain(dense, chances, read, guesses), _mapped(dense, places, guesses)
    )


def _plain(dense: Mechanism, chances: Sequence[Rational], gain: Gain, guesses: tuple[Hashable, ...]) -> Rational | None:
    place_of = {guess: place for place, guess in enumerate(guesses)}
    if not all(output in place_of for output in dense.outputs):
        return None
    columns = [place_of[output] for output in dense.outputs]
    return sum(
        (
            chance * dense.entry(y, z) * gain.values[y][column]
            for y, chance in enumerate(chances)
            for z, column in enumerate(columns)
        ),
        ZERO,
    )


def _mapped(dense: Mechanism, places: Sequence[int], guesses: tuple[Hashable, ...]) -> Mechanism:
    rows = []
    for y in range(dense.shape[0]):
        row = [ZERO] * len(guesses)
        for z, place in enumerate(places):
            row[place] += dense.entry(y, z)
        rows.append(row)
    return Mechanism(rows, dense.universe, guesses)
