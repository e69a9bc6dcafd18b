"""What the owner of a table should know of a release before it is handed on, in a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, float_above, float_below, text
from epstar.mechanism import AnyMechanism
from epstar.notions import DifferentialPrivacy, MaximalLeakage
from epstar.notions.base import Notion
from epstar.release.document import column_of
from epstar.release.earlier import Earlier, added_loss
from epstar.release.release import Release
from epstar.release.report.secrets import Hidden, hidden
from epstar.risk import factor_of, guess_of_all, guess_of_two
from epstar.rounding import Share, at_most, nats, percent, percent_about, percent_before

# Who guesses right in more than 99 of 100 cases knows the value: of two values that is a loss above log 99 = 4.6.
_HARDLY = Rational(99, 100)
_MOST_NAMES = 20


@dataclass(frozen=True)
class Change:
    """Of one column, or several that share a mechanism: the share of values that change, and how well they are guessed.

    The share depends on the value, and lies between `least` and `most`; both are None where outputs are no values.
    `guess` is how often the best guess of the true value is right, after the release, if all are equally likely, and
    `level` that of differential privacy.
    """

    names: tuple[str, ...]
    size: int
    least: Rational | None
    most: Rational | None
    guess: Share | None
    level: Real | None
    secret: Hidden | None = None
    """The secret that is protected instead of the values."""

    @property
    def is_hardly_protected(self) -> bool:
        """Whether the loss protects next to nothing, where the values are what it should protect."""
        return self.secret is None and self.guess is not None and Real.of(self.guess) > Real.of(_HARDLY)


@dataclass(frozen=True)
class Summary:
    """What got out unprotected, what a record loses in total, and what was released before."""

    passed_through: tuple[str, ...]
    dropped: tuple[str, ...]
    total: Real | None
    changes: tuple[Change, ...]
    earlier: tuple[Earlier, ...]
    added: Real | None
    strata: tuple[str, ...] = ()
    """Public columns whose values have mechanisms of their own: the promise holds among records that share them."""

    def sentences(self) -> list[str]:
        """Return what anybody should know."""
        hidden = [sentence for one in self.secrets for sentence in one.sentences()]
        return _plain([self._others(), *hidden, self._total(), *(_changed(change) for change in self.changes)])

    @property
    def secrets(self) -> list[Hidden]:
        """The secrets that columns protect."""
        return [change.secret for change in self.changes if change.secret is not None]

    def warnings(self) -> list[str]:
        """Return what should make one stop."""
        found = [_warning(change) for change in self.changes if change.is_hardly_protected]
        found += [warning for one in self.secrets for warning in one.warnings(self.passed_through)]
        return _plain([*found, self._earlier()] if self.earlier else found)

    def to_json(self) -> dict[str, object]:
        """Return the same as a JSON object."""
        return {
            "passed_through": list(self.passed_through),
            "dropped": list(self.dropped),
            "per_record": {"notion": "differential_privacy", "unit": "nats", "upper": _finite(self.total)},
            "changed": [
                {
                    "columns": list(change.names),
                    "least": None if change.least is None else float_below(change.least),
                    "most": None if change.most is None else float_above(change.most),
                }
                for change in self.changes
            ],
            **({"secrets": [_written(one) for one in self.secrets]} if self.secrets else {}),
            "earlier": [str(each.release_file) for each in self.earlier],
            "per_record_with_earlier": _finite(self.added),
            "warnings": self.warnings(),
        }

    def _others(self) -> str:
        kept = "No other column was passed through"
        if self.passed_through:
            kept = f"Passed through unprotected, as they were: {_listed(self.passed_through)}"
        return f"{kept}; dropped: {_listed(self.dropped)}." if self.dropped else f"{kept}."

    def _total(self) -> str:
        if self.total is None:
            return (
                "Each record: differential privacy gives no limit, because some released values rule out some true "
                "ones; what is promised by other notions is in the release file."
            )
        if self.secrets:
            return (
                "The released values are told as truly as that allows: by differential privacy, a record itself loses "
                f"up to {nats(at_most(self.total.upper, 6))} in total."
            )
        alike = f" with the same {_listed(self.strata)}" if self.strata else ""
        return (
            f"Each record loses at most {nats(at_most(self.total.upper, 6))} of differential privacy in total: it "
            f"changes the odds between two values of the record{alike} by a factor of at most {factor_of(self.total)}. "
            "Someone who thinks two of them equally likely guesses right with probability at most "
            f"{percent(guess_of_two(self.total))} afterwards, instead of {percent_before(Rational(1, 2))}."
        )

    def _earlier(self) -> str:
        replaced = [each.release_file.name for each in self.earlier if each.is_replaced]
        others = [each.release_file.name for each in self.earlier if not each.is_replaced]
        parts = [f"replaces {_listed(replaced)}"] * bool(replaced) + [f"lies beside {_listed(others)}"] * bool(others)
        if self.added is None:
            limit = "there is no limit to what it loses by all of them, or none that is known"
        else:
            limit = f"it loses at most {nats(at_most(self.added.upper, 6))} by all of them together"
        return (
            f"Warning: a second answer. This release {' and '.join(parts)}; if that was made of the same table, each "
            f"record has now given {len(self.earlier) + 1} independent answers, and {limit}."
        )


def summary(done: Release) -> Summary:
    """Return what should be known of a release."""
    changes = tuple(_change(entry) for entry in done.document["columns"])
    finite = [change.level for change in changes if change.level is not None and not change.level.is_infinite]
    return Summary(
        tuple(done.document["passed_through"]),
        done.dropped,
        reduce(add, finite) if len(finite) == len(changes) else None,
        changes,
        done.earlier,
        added_loss(done.document, done.earlier),
        tuple(name for entry in done.document["columns"] for name in entry.get("public", ())),
    )


def _change(entry: Mapping[str, Any]) -> Change:
    column = column_of(entry)
    assert column.mechanism is not None
    least = most = None
    try:
        costs = column.mechanism.costs(Hamming())
        least, most = min(costs), max(costs)
    except InvalidInput:
        pass  # merged outputs, for instance, are no values
    leakage, level = (_upper(notion, column.mechanism) for notion in (MaximalLeakage(), DifferentialPrivacy()))
    guess = None if leakage is None else guess_of_all(leakage, column.size)
    return Change(column.names, column.size, least, most, guess, level, hidden(entry, column))


def _upper(notion: Notion, mechanism: AnyMechanism) -> Real | None:
    try:
        return notion.loss(mechanism).upper
    except InvalidInput:
        return None  # answers that are too many to be looked at one by one


def _changed(change: Change) -> str:
    names = _listed(change.names)
    if change.least is None or change.most is None:
        return f"{names}: the released values are groups of categories, not categories."
    least, most = percent_about(change.least), percent_about(change.most)
    if least == most:
        return f"{names}: about {least} of the values are expected to change."
    return f"{names}: {least} to {most} of the values are expected to change, depending on the value."


def _warning(change: Change) -> str:
    assert change.guess is not None
    return (
        f"Warning: {_listed(change.names)} is hardly protected. If all {change.size} categories are equally likely, "
        f"the true one is guessed from the released one with probability {percent(change.guess)}; choose a smaller "
        "loss."
    )


def _written(secret: Hidden) -> dict[str, object]:
    return {
        "name": secret.name,
        "columns": list(secret.columns),
        "notion": "differential_privacy",
        "unit": "nats",
        "upper": _finite(secret.level),
        "if_frequencies_are_off": [{"by": text(share), "upper": _finite(level)} for share, level in secret.off],
    }


def _plain(sentences: Sequence[str]) -> list[str]:
    """The sentences as a terminal shows them, where every space is one."""
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in sentences]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def _finite(level: Real | None) -> float | str:
    return "infinity" if level is None else level.upper
