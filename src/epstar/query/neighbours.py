"""Two databases that differ in one row and give two neighbouring answers, made without looking through all of them.

One individual has one of two values and the others have fixed ones; which, is known for every query with a name. The
tests enumerate all of them for small u and v.
"""

from __future__ import annotations

from collections.abc import Callable

Values = tuple[int, ...]
Pair = tuple[Values, Values]
Neighbours = Callable[[int, int], Pair]
"""From the places of two neighbouring answers to databases that give them, in the same order."""


def of_counts(individuals: int) -> Neighbours:
    """Counting, also modulo a number: the individual has the value 1 or not."""

    def found(first: int, second: int) -> Pair:
        # Around the circle the last answer has the smaller count, and one more is the first answer.
        turned = abs(first - second) > 1
        ones = max(first, second) if turned else min(first, second)
        others = (1,) * ones + (0,) * (individuals - 1 - ones)
        values = (0, 1) if (first > second) == turned else (1, 0)
        return (values[0], *others), (values[1], *others)

    return found


def of_sums(individuals: int, values: int) -> Neighbours:
    """Summing: the individual has as much as leaves room for the step, and the others have the rest."""

    def found(first: int, second: int) -> Pair:
        step = abs(first - second)
        own = min(first, second, values - 1 - step)
        full, part = divmod(min(first, second) - own, values - 1)
        others = ((values - 1,) * full + (part,) + (0,) * individuals)[: individuals - 1]
        return (own + max(0, first - second), *others), (own + max(0, second - first), *others)

    return found


def of_choices(others: Values) -> Neighbours:
    """The answer is the individual's own value, the others having these."""
    return lambda first, second: ((first, *others), (second, *others))


def of_distinct(individuals: int) -> Neighbours:
    """The individual repeats a value or adds one."""

    def found(first: int, second: int) -> Pair:
        kinds = min(first, second) + 1
        others = (*range(kinds), *(0,) * (individuals - 1 - kinds))
        return (kinds if first > second else 0, *others), (kinds if second > first else 0, *others)

    return found


def of_votes(individuals: int, values: int) -> Neighbours:
    """Plurality with "tie" as the last answer: two candidates are level, or one is a vote ahead."""

    def found(first: int, second: int) -> Pair:
        if second < first:
            right, left = found(second, first)
            return left, right
        half, is_odd = divmod(individuals - 1, 2)
        if second < values:  # two leaders: the individual decides
            third = next(value for value in range(values) if value not in (first, second))
            others = (first,) * half + (second,) * half + (third,) * is_odd
            return (first, *others), (second, *others)
        rival = 0 if first else 1
        if is_odd:  # the leader is one vote ahead of a rival
            others = (first,) * (half + 1) + (rival,) * half
            return (first, *others), (rival, *others)
        third = next(value for value in range(values) if value not in (first, rival))
        others = (first,) * half + (rival,) * half
        return (first, *others), (third, *others)

    return found


def pivotal_median(individuals: int, values: int) -> Values:
    """The others, as many at the bottom as at the top, so that the lower median is the individual's value."""
    below = (individuals - 1) // 2
    return (0,) * below + (values - 1,) * (individuals - 1 - below)


def pivotal_votes(individuals: int, values: int) -> Values:
    """The others, level but for one more vote for each of the last, who lose a tie: the individual's vote decides."""
    each, more = divmod(individuals - 1, values)
    return tuple(range(values)) * each + tuple(range(values - more, values))
