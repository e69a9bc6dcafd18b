r"""Whether multipliers that prove just the distortion allowed exclude every smaller level: when something can rise.

At a smaller level the prices on the right of bounds with multipliers rise, and those that are not the least of their
input have room. Let M(x) be the answers of an input that have neither. If other multipliers prove more than is allowed
of the mechanisms that answer from M alone, then as little of them as the room admits, added to the first, proves more
than is allowed of all mechanisms at the smaller level. If they prove just what is allowed, they leave fewer answers
without room, about which further ones may prove more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from epstar.exact import ZERO, Rational, Real
from epstar.notions.constraints import Constraints
from epstar.proof.converse import Converse, Step, Table, add_ratios, distortion_prices


@dataclass(frozen=True)
class Remaining:
    """The answers of each input that have no room at smaller levels; with none for an input, more is proven there."""

    answers: tuple[tuple[int, ...], ...]

    @property
    def rises(self) -> bool:
        """Whether some input is left without such an answer, so that all its least prices rise."""
        return not all(self.answers)

    def after(
        self, converse: Converse, constraints: Constraints, cost: Table, level: Real, allowed: Rational
    ) -> Remaining | None:
        """Return what remains after some multipliers; None if they prove less than is allowed of what remained."""
        prices = distortion_prices(converse, cost)
        gains = [[ZERO] * len(cost[0]) for _ in cost]
        charge = add_ratios(converse, constraints, level, prices, gains)
        least = [min(row[y] for y in choices) for row, choices in zip(prices, self.answers, strict=True)]
        total = sum(least, ZERO) - charge
        if total != converse.weight * allowed:
            return Remaining(((),)) if total > converse.weight * allowed else None
        return Remaining(
            tuple(
                tuple(y for y in choices if row[y] == low and gained[y] == 0)
                for row, gained, choices, low in zip(prices, gains, self.answers, least, strict=True)
            )
        )


def rise(
    converse: Converse, steps: Iterable[Step], constraints: Constraints, cost: Table, level: Real, allowed: Rational
) -> bool:
    """Return whether multipliers and further ones, each about what the ones before leave, exclude smaller levels."""
    remaining: Remaining | None = Remaining((tuple(range(len(cost[0]))),) * len(cost))
    for multipliers in (converse, *(as_converse(step, converse) for step in steps)):
        if remaining is None or remaining.rises:
            break
        remaining = remaining.after(multipliers, constraints, cost, level, allowed)
    return remaining is not None and remaining.rises


def as_converse(step: Step, converse: Converse) -> Converse:
    """Return the multipliers of a step in place of those of the converse that it belongs to."""
    return replace(converse, weight=step.weight, distortion_law=step.distortion_law, ratios=step.ratios)
