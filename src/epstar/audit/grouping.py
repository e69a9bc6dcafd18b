"""Answers that are numbers and hardly ever occur twice are taken by intervals.

An event of single answers says nothing of a mechanism that adds continuous noise: its answers never come again.
Which intervals are used is learnt from answers that decide nothing afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

# An answer that occurs so often speaks for itself; the other numbers share at most so many intervals.
_OFTEN = 20
_INTERVALS = 64


@dataclass(frozen=True)
class Between:
    """The rare numbers above `low` and up to `high`."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"above {self.low:.6g} and up to {self.high:.6g}"


def grouping(answers: Sequence[Hashable]) -> Callable[[Hashable], Hashable]:
    """Return what each answer counts as: itself if it is frequent among those given or no number, else an interval.

    >>> group = grouping([number / 10 for number in range(640)])
    >>> print(group(1.85))
    above 0.9 and up to 1.9
    """
    frequent = {answer for answer, count in Counter(answers).items() if count >= _OFTEN}
    rare = [number for answer in answers if answer not in frequent and (number := _number(answer)) is not None]
    inner = np.quantile(rare, np.arange(1, _INTERVALS) / _INTERVALS, method="lower") if rare else np.empty(0)
    ends = [-np.inf, *np.unique(inner).tolist(), np.inf]

    def group(answer: Hashable) -> Hashable:
        number = None if answer in frequent else _number(answer)
        if number is None:
            return answer
        place = max(1, bisect_left(ends, number))
        return Between(ends[place - 1], ends[place])

    return group


def _number(answer: Hashable) -> float | None:
    """The answer as a number, if it is one or the text of one."""
    if not isinstance(answer, int | float | str):
        return None
    try:
        found = float(answer)
    except (ValueError, OverflowError):
        return None
    return None if found != found else found
