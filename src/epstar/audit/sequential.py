"""The sequential audit of a black box: bets against a claimed loss, among all pairs of inputs, until it is decided.

If a black box loses no more than is claimed, then for two inputs and every event P(event | first) is at most
e^loss P(event | second) + delta, so that a bet on it,

    stake × (1 if the first answer is in the event, less e^loss if the second one is, less delta),

wins nothing on average. Whoever bets a part of a fortune of 1 on each pair of answers, with events and stakes that were
chosen before the answers came, has more than K at any time with probability at most 1/K (Ville's inequality). So the
audit may look after every answer, and stop when it is rich (Ramdas, Grünwald, Vovk and Shafer, Statistical Science 38,
2023). Events and stakes are learnt from the answers so far. Each ordered pair of inputs has a fortune of its own, and
what may go wrong is shared out among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import whole_number
from epstar.audit.black_box import AuditFailed, BlackBox, answers_of
from epstar.audit.grouping import grouping
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism.parsing import read_probability

Floats = NDArray[np.float64]

# Answers of the first calls, from which events are learnt; later calls ask for a quarter of what there is.
_FIRST = 10
# The fewest answers that an audit may be allowed: fewer decide hardly anything.
_FEWEST = 200
# What the sum of floats may be off by, in logarithms of a fortune.
_SLACK = 1e-6
# Answers of calls that all begin alike by chance so rarely come from a fixed seed.
_CHANCE = 1e-12
_STAKES = np.linspace(0.0, 0.95, 39)


@dataclass(frozen=True)
class SequentialAudit:
    """Whether a claimed loss was refuted, for which pair of inputs, by which event, and after how many answers.

    `fortune` is what the best of all bets made of 1; the claim is refuted when it reaches `needed`. A true claim is
    refuted with probability at most 1 - `confidence`, however long the audit goes on. That it is not refuted proves
    nothing.

    >>> import random
    >>> from epstar.audit import audit_sequentially
    >>> coin = random.Random(1)
    >>> def answers(value, count):
    ...     return [value if coin.random() < 0.95 else "other" for _ in range(count)]
    >>> found = audit_sequentially(answers, ["yes", "no"], claimed=1)
    >>> found.refuted, found.answers < 1000
    (True, True)
    """

    refuted: bool
    inputs: tuple[Hashable, Hashable]
    event: tuple[Hashable, ...]
    fortune: float
    needed: float
    answers: int
    """Answers that were drawn for each input."""
    confidence: Rational
    claimed: Real
    delta: Rational


def audit_sequentially(
    black_box: BlackBox,
    inputs: Sequence[Hashable],
    *,
    claimed: object,
    samples: int = 100_000,
    confidence: object = "0.999",
    delta: object = 0,
) -> SequentialAudit:
    """Bet against a claimed loss until it is refuted, or `samples` answers of each input were drawn.

    Any two of the inputs must be neighbours. `black_box(x, count)` returns `count` independent answers for x, and is
    called several times.

    Raises:
        InvalidInput: for fewer than two different inputs, fewer than 200 samples, a confidence outside (1/2, 1), or a
            claim that is infinite.
        AuditFailed: if the black box gives another number of answers, or the same ones in every call.

    >>> import random
    >>> from epstar.audit import audit_sequentially
    >>> coin = random.Random(1)
    >>> def answers(value, count):
    ...     return [value if coin.random() < 0.95 else "other" for _ in range(count)]
    >>> audit_sequentially(answers, ["yes", "no"], claimed=1).refuted
    True
    """
    whole_number(samples, "The number of samples", _FEWEST)
    level, slack, claim = rational(confidence), read_probability(delta, "The slack delta"), Real.of(claimed)
    if not Rational(1, 2) < level < ONE:
        raise InvalidInput("A confidence must be strictly between 1/2 and 1; give one such as 0.999.")
    if claim.is_infinite or claim < ZERO or float(claim) > 500:
        raise InvalidInput("A sequential audit bets against a claim; give a loss of at least 0 and at most 500 nats.")
    names = list(inputs)
    if len(names) < 2 or len(set(names)) != len(names):
        raise InvalidInput("An audit compares different inputs; give two or more of them, each once.")
    table = _Answers(black_box, names)
    # Rounded up, so that a claim that holds exactly is no bet to win.
    ratio, spare = exp(claim.upper) * (1 + 1e-12), float(nearest_floats([slack])[0])
    bets = [_Bets(pair, ratio, spare) for pair in permutations(range(len(names)), 2)]
    needed = log(len(bets) / (1 - float(nearest_floats([level])[0]))) + _SLACK
    table.ask(min(_FIRST, samples))
    best = bets[0]
    while table.count < samples and best.fortune < needed:
        group = grouping([answer for each in table.answers for answer in each])
        counters = [Counter(map(group, each)) for each in table.answers]
        for bet in bets:
            bet.choose(counters, table.count)
        before = table.count
        table.ask(min(max(_FIRST, table.count // 4), samples - table.count))
        fresh = [[group(answer) for answer in each[before:]] for each in table.answers]
        for bet in bets:
            bet.settle(fresh)
        best = max(bets, key=lambda bet: bet.fortune)
    pair = names[best.pair[0]], names[best.pair[1]]
    event = tuple(sorted(best.event, key=repr))
    fortune = exp(min(best.fortune, 700.0))
    return SequentialAudit(best.fortune >= needed, pair, event, fortune, exp(needed), table.count, level, claim, slack)


class _Answers:
    """All answers so far, of each input."""

    def __init__(self, black_box: BlackBox, inputs: Sequence[Hashable]) -> None:
        self._black_box, self._inputs = black_box, inputs
        self.answers: list[list[Hashable]] = [[] for _ in inputs]
        self._before = 0
        self._agreed = [0] * len(inputs)

    @property
    def count(self) -> int:
        return len(self.answers[0])

    def ask(self, count: int) -> None:
        start, self._before = self._before, self.count
        for place, (given, known) in enumerate(zip(self._inputs, self.answers, strict=True)):
            drawn = answers_of(self._black_box, given, count)
            length = min(len(drawn), len(known) - start)
            is_same = length > 0 and drawn[:length] == known[start : start + length]
            self._agreed[place] = self._agreed[place] + length if is_same else 0
            _check_fresh(known, self._agreed[place])
            known.extend(drawn)


def _check_fresh(known: Sequence[Hashable], agreed: int) -> None:
    """Raise if so many answers, each compared with that of the call before, hardly ever agree by chance."""
    if not agreed:
        return
    shares = np.array(list(Counter(known).values())) / len(known)
    same = float((shares**2).sum())
    if same < 1 and agreed * log(same) < log(_CHANCE):
        raise AuditFailed(
            "The black box gives the same answers in every call, as a fixed seed would: they are not independent, and "
            "two releases of it are one; let it draw anew."
        )


class _Bets:
    """The fortune of one ordered pair of inputs, in logarithms, and the bet on the next answers."""

    def __init__(self, pair: tuple[int, int], ratio: float, slack: float) -> None:
        self.pair, self.fortune, self.event = pair, 0.0, frozenset[Hashable]()
        self._payoffs = np.array([1 - slack, 1 - ratio - slack, -ratio - slack, -slack])
        self._ratio, self._slack, self._stake = ratio, slack, 0.0

    def choose(self, counters: Sequence[Counter[Hashable]], count: int) -> None:
        """Choose the event and the stake for which the fortune would have grown most."""
        above, below = counters[self.pair[0]], counters[self.pair[1]]
        ordered = sorted(above, key=lambda answer: (-above[answer] / (below[answer] + 0.5), repr(answer)))
        many, few = (np.cumsum([side[answer] for answer in ordered]) for side in (above, below))
        first, second = ((counts + 0.5) / (count + 1) for counts in (many, few))
        gain = first - self._ratio * second - self._slack
        spread = first * (1 - first) + self._ratio**2 * second * (1 - second)
        place = int((gain / np.sqrt(spread)).argmax())
        self.event = frozenset(ordered[: place + 1])
        self._stake = self._best_stake(float(first[place]), float(second[place]))

    def _best_stake(self, first: float, second: float) -> float:
        """The part of the fortune that grows fastest, on average, if these were the probabilities of the event."""
        chances = np.array([first * (1 - second), first * second, (1 - first) * second, (1 - first) * (1 - second)])
        # No bet may lose all.
        stakes = _STAKES / -self._payoffs.min()
        growth: Floats = chances @ np.log1p(np.multiply.outer(self._payoffs, stakes))
        return float(stakes[int(growth.argmax())])

    def settle(self, fresh: Sequence[Sequence[Hashable]]) -> None:
        """Pay out the bets on the answers that came."""
        if self._stake == 0.0:
            return
        first, second = (
            np.array([answer in self.event for answer in fresh[side]], dtype=np.bool_) for side in self.pair
        )
        counts = [first & ~second, first & second, ~first & second, ~first & ~second]
        won = np.log1p(self._stake * self._payoffs)
        steps = np.array([int(part.sum()) for part in counts])
        self.fortune += float(steps @ won)
