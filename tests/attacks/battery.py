"""The examination: each test returns whether a sampler passes, with a stated probability of a false alarm.

A sound sampler fails one of the statistical tests with probability below 1e-11 in all; the others are exact. There are
so many rows that a faulty one passes more rarely than that.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from itertools import accumulate
from unittest.mock import patch

import numpy as np
from scipy.stats import binom, poisson
from tests.attacks.subject import Outputs, Subject, Words, narrow, wide

from epstar.release.keystream import Keystream, NoEntropy

Make = Callable[..., Subject]
ROWS = 1 << 20
CHUNK = 1 << 15
# With at most 100 comparisons in a run of the battery, this keeps the false alarms below 1e-11.
ALARM = 1e-13


def chances(subject: Subject, x: int) -> np.ndarray:
    """The law of an input."""
    return np.array([count / (1 << subject.bits) for count in subject.tickets.counts[x]])


def fits(counts: np.ndarray, law: np.ndarray) -> bool:
    """Whether each count is one that its binomial law allows; an output of probability zero may not occur at all."""
    tail = ALARM / (2 * len(law))
    least, most = binom.ppf(tail, counts.sum(), law), binom.isf(tail, counts.sum(), law)
    return bool(((least <= counts) & (counts <= most)).all())


def codes_of(rows: int, inputs: int = 3) -> np.ndarray:
    """Inputs in turn."""
    return (np.arange(rows) % inputs).astype(np.uint8)


def enumeration(make: Make) -> bool:
    """Every one of the 2**18 tickets of every input gives its output: exact."""
    subject = make(narrow())
    draws: Words = np.arange(1 << 18, dtype=np.uint64)
    for x, row in enumerate(subject.tickets.counts):
        found = subject.output(np.full(len(draws), x, dtype=np.uint8), draws)
        if np.bincount(found, minlength=len(row)).tolist() != list(row):
            return False
    return True


def boundaries(make: Make) -> bool:
    """Tickets of 62 bits are told apart to the last one at every boundary: exact."""
    subject = make(wide())
    for x, row in enumerate(subject.tickets.counts):
        ends = list(accumulate(row))
        near = sorted({end + step for end in ends for step in (-2, -1, 0, 1) if 0 <= end + step < 1 << 62})
        expected = [next(y for y, end in enumerate(ends) if draw < end) for draw in near]
        found = subject.output(np.full(len(near), x, dtype=np.uint8), np.array(near, dtype=np.uint64))
        if found.tolist() != expected:
            return False
    return True


def law(make: Make) -> bool:
    """The outputs of each input follow its tickets."""
    subject = make(narrow())
    codes = codes_of(ROWS)
    found = subject.sample(codes)
    return all(fits(np.bincount(found[codes == x], minlength=4).astype(float), chances(subject, x)) for x in range(3))


def positions(make: Make) -> bool:
    """The law holds at the ends of short batches, at the ends of chunks, and at odd and even places."""
    subject = make(narrow())
    chance = chances(subject, 1)
    short = np.array([subject.sample(np.ones(4, dtype=np.uint8)) for _ in range(4000)])
    places = [short[:, k] for k in range(4)]
    long = np.array([subject.sample(np.ones(CHUNK + 1, dtype=np.uint8)) for _ in range(400)])
    places += [long[:, k] for k in (0, CHUNK - 2, CHUNK - 1, CHUNK)]
    places += [long[:, start::2].reshape(-1) for start in (0, 1)]
    return all(fits(np.bincount(place, minlength=4).astype(float), chance) for place in places)


def neighbours(make: Make) -> bool:
    """Successive outputs of one input are independent."""
    subject = make(narrow())
    chance = chances(subject, 1)
    found = subject.sample(np.ones(ROWS, dtype=np.uint8)).astype(np.int64)
    pairs = np.bincount(4 * found[:-1:2] + found[1::2], minlength=16).astype(float)
    odd = np.bincount(4 * found[1:-1:2] + found[2::2], minlength=16).astype(float)
    joint = np.outer(chance, chance).reshape(-1)
    return fits(pairs, joint) and fits(odd, joint)


def _agree(first: Outputs, second: Outputs, chance: np.ndarray) -> bool:
    same, agreed = float((chance**2).sum()), int((first == second).sum())
    return fits(np.array([agreed, len(first) - agreed]), np.array([same, 1 - same]))


def lags(make: Make) -> bool:
    """Outputs at a distance of any power of two, or of a chunk, agree as often as independent ones."""
    subject = make(narrow())
    chance = chances(subject, 1)
    found = subject.sample(np.ones(ROWS, dtype=np.uint8))
    # Pairs must not overlap: of each run of 2 * lag rows the first half is compared with the second.
    halves = [found.reshape(-1, 2, 1 << power) for power in range(20)]
    return all(_agree(half[:, 0].reshape(-1), half[:, 1].reshape(-1), chance) for half in halves)


def freshness(make: Make) -> bool:
    """Two batches of the same inputs, by one sampler or by two, agree as often as independent ones."""
    first, second = make(narrow()), make(narrow())
    codes = np.ones(1 << 16, dtype=np.uint8)
    batches = [first.sample(codes), first.sample(codes), second.sample(codes)]
    chance = chances(first, 1)
    return all(_agree(batches[i], batches[j], chance) for i, j in ((0, 1), (0, 2), (1, 2)))


def seeding(make: Make) -> bool:
    """Seeding the generators that everyone shares changes nothing: outputs are fresh all the same."""
    subject = make(narrow())
    codes = np.ones(1 << 16, dtype=np.uint8)
    batches = []
    states = random.getstate()
    for _ in range(2):
        random.seed(1)
        seed_shared_generator(1)
        batches.append(subject.sample(codes))
    random.setstate(states)
    return _agree(batches[0], batches[1], chances(subject, 1))


def seed_shared_generator(seed: int) -> None:
    """Seed the generator behind the functions of numpy.random."""
    np.random.mtrand.seed(seed)


def key_size(make: Make) -> bool:
    """Each batch asks the operating system for at least 256 bits of its own: exact."""
    asked: list[int] = []
    urandom = os.urandom

    def watched(size: int) -> bytes:
        asked.append(size)
        return urandom(size)

    subject = make(narrow())
    with patch.object(os, "urandom", watched):
        for _ in range(3):
            before = sum(asked)
            subject.sample(np.ones(8, dtype=np.uint8))
            if sum(asked) - before < 32:
                return False
    return True


def entropy(make: Make) -> bool:
    """Without entropy there is an error and no output: exact."""

    def nothing(size: int) -> bytes:
        raise NotImplementedError

    subject = make(narrow())
    with patch.object(os, "urandom", nothing):
        try:
            subject.sample(np.ones(8, dtype=np.uint8))
        except NoEntropy:
            return True
    return False


def constant_work(make: Make) -> bool:
    """The number of random bytes that are used does not depend on the input, beyond chance."""
    subject = make(narrow())
    rows = 1 << 21
    used = []
    fill = Keystream.fill
    for x in range(3):
        taken = 0

        def counted(self: Keystream, into: np.ndarray) -> None:
            nonlocal taken
            taken += len(into)
            fill(self, into)

        with patch.object(Keystream, "fill", counted):
            subject.sample(np.full(rows, x, dtype=np.uint8))
        used.append(taken)
    # Second draws take 8 bytes each and are as good as Poisson, with a mean that is about that of all inputs.
    draws = np.array([(taken - 2 * rows) / 8 for taken in used])
    mean = max(1.0, float(draws.mean()))
    return bool(((poisson.ppf(ALARM, mean) - 8 <= draws) & (draws <= poisson.isf(ALARM, mean) + 8)).all())


BATTERY: dict[str, Callable[[Make], bool]] = {
    test.__name__: test
    for test in (
        enumeration,
        boundaries,
        law,
        positions,
        neighbours,
        lags,
        freshness,
        seeding,
        key_size,
        entropy,
        constant_work,
    )
}
