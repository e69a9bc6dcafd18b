"""The statistical audit of a black box: a loss that it has at least, with a stated confidence.

Answers for two neighbouring inputs are drawn. On one half of them an event is chosen that tells the inputs
apart; on the other half its probabilities are bounded by Clopper and Pearson. Numbers that hardly ever occur twice,
such as those of a mechanism that adds noise, are taken by intervals. The bound is valid whatever the black box does
with independent answers; that an audit finds nothing proves nothing, so its power is stated.

By any notion that no processing of answers makes larger, a black box loses at least what the channel from the two
inputs to "the event happened" loses at the two bounds: that channel is the true one with noise behind it.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import whole_number
from epstar.audit.grouping import grouping
from epstar.audit.power import detectable_loss
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.mechanism.parsing import read_probability
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.notions.base import Notion
from epstar.release.interval import lower_bounds, upper_bounds
from epstar.source import Box, Prior, Source

Floats = NDArray[np.float64]
BlackBox = Callable[[Hashable, int], Sequence[Hashable]]


class AuditFailed(EpstarError):
    """The black box did not answer as it should.

    >>> from epstar.audit import AuditFailed
    >>> from epstar.errors import EpstarError
    >>> issubclass(AuditFailed, EpstarError)
    True
    """


@dataclass(frozen=True)
class Command:
    """A black box that is a program: it prints one answer in each line.

    In its arguments "{input}" stands for the input and "{count}" for the number of answers that are wanted.

    >>> import sys
    >>> from epstar.audit import Command
    >>> program = Command((sys.executable, "-c", "print(*['{input}'] * {count}, sep=chr(10))"))
    >>> program("yes", 2)
    ['yes', 'yes']
    """

    arguments: tuple[str, ...]
    seconds: float = 600.0

    def __call__(self, given: Hashable, count: int) -> Sequence[Hashable]:
        """Run the program and return its lines.

        Raises:
            AuditFailed: if it cannot be run, fails, or takes too long.
        """
        words = [word.replace("{input}", str(given)).replace("{count}", str(count)) for word in self.arguments]
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self.seconds, check=False
            )
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
            reason = type(error).__name__
        else:
            if done.returncode == 0:
                return done.stdout.splitlines()
            reason = f"exit status {done.returncode}"
        raise AuditFailed(f"The program {self.arguments[0]} gave no answers ({reason}); try it by hand first.")


@dataclass(frozen=True)
class BlackBoxAudit:
    """A certified lower bound on the loss, and what it follows from.

    With probability at least `confidence` the loss is at least `bound` nats (beyond the slack delta): the
    event had probability at least `first_lower` for `inputs[0]` and at most `second_upper` for `inputs[1]`.
    `exceeds_claim` says whether that is more than was claimed, and `detectable` what the audit could have seen.

    >>> import random
    >>> from epstar.audit import audit_black_box
    >>> coin = random.Random(1)
    >>> def answers(value, count):
    ...     return [value if coin.random() < 0.75 else {"yes": "no", "no": "yes"}[value] for _ in range(count)]
    >>> found = audit_black_box(answers, "yes", "no", samples=10_000)
    >>> found.event, found.draws
    (('yes',), 5000)
    """

    bound: Real
    confidence: Rational
    inputs: tuple[Hashable, Hashable]
    event: tuple[Hashable, ...]
    counts: tuple[int, int]
    draws: int
    first_lower: Rational
    second_upper: Rational
    claimed: Real
    delta: Rational
    notion: Notion

    @property
    def exceeds_claim(self) -> bool:
        """Whether the black box was found to lose more than was claimed."""
        return self.bound > self.claimed

    @cached_property
    def detectable(self) -> float:
        """The loss of a randomised response that such an audit finds to exceed the claim in 99 of 100 cases.

        Infinite for notions other than differential privacy, of which none is known.
        """
        if not isinstance(self.notion, DifferentialPrivacy | ApproximateDifferentialPrivacy):
            return float("inf")
        level, slack = nearest_floats([self.confidence, self.delta]).tolist()
        return detectable_loss(self.draws, level, float(self.claimed), slack)


def audit_black_box(
    black_box: BlackBox,
    first: Hashable,
    second: Hashable,
    *,
    samples: int = 100_000,
    confidence: object = "0.999",
    claimed: object = 0,
    delta: object = 0,
    notion: Notion | None = None,
    source: Source | None = None,
) -> BlackBoxAudit:
    """Return a certified lower bound on the loss between two neighbouring inputs.

    `black_box(x, count)` returns `count` independent answers for x; `samples` answers of each input are drawn.
    With `delta` the loss is that of approximate differential privacy. Another `notion` measures the pair by itself:
    Rényi, concentrated or Gaussian privacy, or at a prior of the two inputs, the `source`, any other.

    Raises:
        InvalidInput: for fewer than 4 samples, a confidence outside (1/2, 1), or a delta beside a notion.
        AuditFailed: if the black box gives another number of answers.

    >>> import random
    >>> from epstar.audit import audit_black_box
    >>> coin = random.Random(1)
    >>> def answers(value, count):
    ...     return [value if coin.random() < 0.75 else {"yes": "no", "no": "yes"}[value] for _ in range(count)]
    >>> found = audit_black_box(answers, "yes", "no", samples=10_000, claimed=1)
    >>> 0.9 < float(found.bound) < 1.1
    True
    """
    whole_number(samples, "The number of samples", 4)
    level, slack = rational(confidence), read_probability(delta, "The slack delta")
    if not Rational(1, 2) < level < ONE:
        raise InvalidInput("A confidence must be strictly between 1/2 and 1; give one such as 0.999.")
    if notion is not None and slack > 0:
        raise InvalidInput("A delta is that of approximate differential privacy; leave it out, or the notion.")
    if source is not None and source.size != 2:
        raise InvalidInput(f"The distribution is one of {source.size} inputs, and two are compared; give two numbers.")
    if notion is not None and notion.needs_source and source is None:
        raise InvalidInput(f"{notion.title.capitalize()} depends on how likely the two inputs are; give a prior.")
    answers = [answers_of(black_box, given, samples) for given in (first, second)]
    half = samples // 2
    group = grouping([*answers[0][:half], *answers[1][:half]])
    learnt = Counter(map(group, answers[0][:half])), Counter(map(group, answers[1][:half]))
    event, swapped = _best_event(learnt, half, level, slack, by_ratio=notion is None)
    order = (1, 0) if swapped else (0, 1)
    draws = samples - half
    counts = tuple(sum(group(answer) in event for answer in answers[side][half:]) for side in order)
    lower, _ = _bounds(counts[0], draws, level)
    _, upper = _bounds(counts[1], draws, level)
    spare, bound = lower - slack, Real.of(ZERO)
    if notion is not None and lower > upper:
        bound = _loss(notion, source, (upper, lower) if swapped else (lower, upper))
    elif notion is None and spare > upper:
        bound = Real.log(spare / upper)
    plain = ApproximateDifferentialPrivacy(slack) if slack > 0 else DifferentialPrivacy()
    return BlackBoxAudit(
        bound,
        level,
        (second, first) if swapped else (first, second),
        tuple(sorted(event, key=repr)),
        (counts[0], counts[1]),
        draws,
        lower,
        upper,
        Real.of(claimed),
        slack,
        plain if notion is None else notion,
    )


def _loss(notion: Notion, source: Source | None, shares: tuple[Rational, Rational]) -> Real:
    """Return what the channel from two inputs to an event loses, at its probabilities."""
    channel = Mechanism([[share, 1 - share] for share in shares])
    found = notion.loss(channel, Prior(["1/2", "1/2"]) if source is None else source).lower
    assert found is not None, "an exact mechanism has an exact loss"
    return found


def answers_of(black_box: BlackBox, given: Hashable, count: int) -> list[Hashable]:
    """Return the answers of a black box, after checking that they are as many as were asked for.

    Raises:
        AuditFailed: if they are not, or cannot be counted.
    """
    answers = list(black_box(given, count))
    if len(answers) != count:
        raise AuditFailed(f"The black box gave {len(answers)} answers where {count} were asked for.")
    if not all(isinstance(answer, Hashable) for answer in answers):
        raise AuditFailed("The black box gave an answer that cannot be counted; let it give texts or numbers.")
    return answers


def _best_event(
    learnt: tuple[Counter[Hashable], Counter[Hashable]], draws: int, level: Rational, slack: Rational, by_ratio: bool
) -> tuple[frozenset[Hashable], bool]:
    """The event, and the order of the inputs, whose bound would be best on the first half of the answers.

    The candidates hold the answers with the largest ratios, which is where the best event of any mechanism is.
    """
    confidence, spare = nearest_floats([level, slack]).tolist()
    tail = (1 - confidence) / 2
    best, chosen = -np.inf, (frozenset[Hashable](), False)
    for swapped in (False, True):
        above, below = (learnt[1], learnt[0]) if swapped else learnt
        ordered = sorted(above, key=lambda answer: (-above[answer] / (below[answer] + 0.5), repr(answer)))
        many, few = (np.cumsum([side[answer] for answer in ordered]) for side in (above, below))
        most, least = lower_bounds(many, draws, tail), upper_bounds(few, draws, tail)
        worth = (most - spare) / least if by_ratio else _entropies(most, least)
        place = int(worth.argmax())
        if worth[place] > best:
            best, chosen = float(worth[place]), (frozenset(ordered[: place + 1]), swapped)
    return chosen


def _entropies(most: Floats, least: Floats) -> Floats:
    """The relative entropies between an event of one probability and of another; zero where that is no larger."""
    p, q = np.clip(most, 1e-12, 1 - 1e-12), np.clip(least, 1e-12, 1 - 1e-12)
    found: Floats = np.where(p > q, p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return found


def _bounds(count: int, draws: int, level: Rational) -> tuple[Rational, Rational]:
    """Bounds on a probability, each proven to fail with probability at most (1 - level) / 2."""
    # A region of two letters has four tails, two of which are used here.
    region = Source.from_counts([count, draws - count], ONE - 2 * (ONE - level))
    assert isinstance(region, Box)
    return region.lower[0], region.upper[0]
