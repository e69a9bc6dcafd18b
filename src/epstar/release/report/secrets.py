"""What is told of a secret that a column protects: what is promised, on what it rests, and what is not promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epstar.exact import Rational, Real, rational
from epstar.notions import Notion, from_problem
from epstar.notions.priors import listed_laws
from epstar.problem_file import read_source
from epstar.release.column import Column
from epstar.release.secret_entry import level_of
from epstar.release.wrong_frequencies import off_by
from epstar.risk import factor_of, guess_of_two
from epstar.rounding import at_most, nats, percent, percent_before
from epstar.secret import Secret
from epstar.source import Source


@dataclass(frozen=True)
class Hidden:
    """A secret that released columns protect, with the stated losses about it.

    `level` is that of differential privacy, None if it has no limit. `notion` and `loss` are what the mechanism was
    made for. `off` has, for shares by which frequencies may be off, the level under the worst of them. `unseen` is the
    number of categories, and of values of the secret, that never occur under a declared distribution.
    """

    columns: tuple[str, ...]
    public: tuple[str, ...]
    name: str
    notion: Notion | None
    loss: Real | None
    level: Real | None
    off: tuple[tuple[Rational, Real | None], ...]
    unseen: tuple[int, int]

    def sentences(self) -> list[str]:
        """Return what is promised, and what that rests on."""
        released = [name for name in self.columns if name not in self.public]
        alike = f" of records with the same {', '.join(self.public)}" if self.public else ""
        about = f"{self.name} is protected, and not the released values of {', '.join(released)}"
        if self.level is None:
            if self.notion is None or self.loss is None:
                return [f"{about}: differential privacy gives no limit to what they tell about it."]
            level = nats(at_most(self.loss.upper, 6))
            promised = (
                f"{about}: under the declared frequencies they lose at most {level} about it, by "
                f"{self.notion.full_title}; differential privacy gives no limit."
            )
            return [promised, f"This depends on the declared frequencies. If they are wrong, {self._wrong}."]
        promised = (
            f"{about}: under the declared frequencies they change the odds between two values of {self.name}{alike} "
            f"by a factor of at most {factor_of(self.level)}. Someone who thinks two of them equally likely guesses "
            f"right with probability at most {percent(guess_of_two(self.level))} afterwards, instead of "
            f"{percent_before(Rational(1, 2))}."
        )
        return [promised, self._if_off()]

    @property
    def _wrong(self) -> str:
        return f"nothing is promised about {self.name} beyond what holds for the values themselves"

    def _if_off(self) -> str:
        known = [(share, level) for share, level in self.off if level is not None]
        if not known:
            return f"This depends on the declared frequencies. If they are wrong, {self._wrong}."
        shares, levels = _listed([off_by(share) for share, _ in known]), _listed([factor_of(one) for _, one in known])
        return (
            f"This depends on the declared frequencies. If those of the values beside each value of {self.name} are "
            f"off by {shares} in total, the factor is at most {levels}; if they are off by more, {self._wrong}."
        )

    def warnings(self, passed_through: Sequence[str]) -> list[str]:
        """Return what should make one stop: columns that pass through, and what never occurs."""
        found, others = [], [name for name in passed_through if name not in self.public]
        if others:
            found.append(
                f"Warning: {', '.join(others)} passed through. What that tells about {self.name}, alone or together "
                "with the released values, is not counted; drop it, release it in the same joint column, or make it a "
                "stratum."
            )
        categories, values = self.unseen
        if categories or values:
            found.append(
                f"Warning: {categories} categories and {values} values of {self.name} never occur under declared "
                "frequencies, so that nothing is promised of records that hold them; give frequencies above 0."
            )
        return found


def hidden(entry: Mapping[str, Any], column: Column) -> Hidden | None:
    """Return what a column of a release file says of a secret; None if it protects its own values."""
    if column.secret is None or column.mechanism is None:
        return None
    given = entry["secret"]
    stated = {one["notion"]: one.get("upper") for one in given["guarantees"]}
    budget = given.get("budget")
    return Hidden(
        column.names,
        column.public,
        column.secret_name,
        None if budget is None else from_problem(budget["notion"]),
        None if budget is None else Real.of(budget["loss"]),
        _real(stated.get("differential_privacy")),
        tuple((rational(one["by"]), _real(one["differential_privacy"])) for one in given["if_frequencies_are_off"]),
        unseen(column.secret, read_source(entry["source"], column.mechanism.universe)),
    )


def unseen(secret: Secret, source: Source) -> tuple[int, int]:
    """Return how many inputs, and values of a secret, never occur under one of the distributions of a source."""
    laws = listed_laws(source) or ()
    inputs = {x for law in laws for x, share in enumerate(law) if share == 0}
    values = {s for law in laws for s, share in enumerate(secret.law(law)) if share == 0}
    return len(inputs), len(values)


def _real(upper: object) -> Real | None:
    level = level_of(upper)
    return None if level is None else Real.of(level)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
