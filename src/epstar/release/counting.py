"""How a release is counted in its ledger: what it loses, and which of its answers were given before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.exact import Number, Rational
from epstar.release.column import Column
from epstar.release.kernel import RowKeys
from epstar.release.ledger import Answers, Ledger


@dataclass(frozen=True)
class Counting:
    """The ledger that a release goes into, if any, and what it adds to it."""

    ledger: Ledger | None
    budget: Number | None
    again: bool
    loss: Rational | None
    answers: tuple[Answers, ...]

    @classmethod
    def of(
        cls,
        ledger: str | Path | None,
        budget: Number | None,
        again: bool,
        description: Mapping[str, Any],
        keys: RowKeys | None,
    ) -> Counting:
        """Return what a release of this description adds.

        Raises:
            InvalidInput: if something is said of a ledger, and there is none.
        """
        if ledger is None:
            if budget is not None or again:
                raise InvalidInput(
                    "A budget and a second release are the business of a ledger; name one with `ledger`."
                )
            return cls(None, None, False, None, ())
        answers: tuple[Answers, ...] = ()
        if keys is not None:
            each = zip(keys.columns, description["columns"], strict=True)
            answers = tuple(Answers(key.decides(keys.identifier), _loss(_upper(entry))) for key, entry in each)
        return cls(Ledger.at(ledger), budget, again, _loss(description["per_record"]["upper"]), answers)

    def of_tables(self, tables: Sequence[Path | str], columns: Sequence[Column], output: str) -> Callable[[], None]:
        """Return what counts the release of these tables, after a look whether it will be."""
        if self.ledger is None:
            return lambda: None
        ledger, names = self.ledger, [name for column in columns for name in column.names]
        ledger.check(tables, self.loss, self.again, self.budget, self.answers)

        def count() -> None:
            ledger.count(tables, names, output, self.loss, self.again, self.budget, self.answers)

        return count


def _upper(entry: Mapping[str, Any]) -> object:
    """The level of differential privacy of a column, as its release file states it."""
    found = [one.get("upper") for one in entry["guarantees"] if one["notion"] == "differential_privacy"]
    return found[0] if found else None


def _loss(upper: object) -> Rational | None:
    """A stated level as the number that it is; None where there is no limit."""
    return Rational(*float(upper).as_integer_ratio()) if isinstance(upper, int | float) else None
