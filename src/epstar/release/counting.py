"""How a release is counted in its ledger: what it loses, and which of its answers were given before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.exact import Rational
from epstar.release.kernel import RowKeys
from epstar.release.ledger import Answers, Ledger
from epstar.release.settings import Settings


@dataclass(frozen=True)
class Counting:
    """The ledger that a release goes into, if any, and what it adds to it."""

    settings: Settings
    ledger: Ledger | None
    loss: Rational | None
    answers: tuple[Answers, ...]

    @classmethod
    def of(cls, settings: Settings, description: Mapping[str, Any], keys: RowKeys | None) -> Counting:
        """Return what a release of this description adds.

        Raises:
            InvalidInput: if the place of the ledger cannot hold one.
        """
        if settings.ledger is None:
            return cls(settings, None, None, ())
        answers: tuple[Answers, ...] = ()
        if keys is not None:
            each = zip(keys.columns, description["columns"], strict=True)
            answers = tuple(Answers(key.decides(keys.identifier), _loss(_upper(entry))) for key, entry in each)
        return cls(settings, Ledger.at(settings.ledger), _loss(description["per_record"]["upper"]), answers)

    def of_tables(self, tables: Sequence[Path | str], output: str) -> Callable[[], None]:
        """Return what counts the release of these tables, after a look whether it will be."""
        if self.ledger is None:
            return lambda: None
        ledger, settings = self.ledger, self.settings
        ledger.check(tables, self.loss, settings.again, settings.budget, self.answers)

        def count() -> None:
            ledger.count(tables, settings.names, output, self.loss, settings.again, settings.budget, self.answers)

        return count


def _upper(entry: Mapping[str, Any]) -> object:
    """The level of differential privacy of a column, as its release file states it."""
    found = [one.get("upper") for one in entry["guarantees"] if one["notion"] == "differential_privacy"]
    return found[0] if found else None


def _loss(upper: object) -> Rational | None:
    """A stated level as the number that it is; None where there is no limit."""
    return Rational(*float(upper).as_integer_ratio()) if isinstance(upper, int | float) else None
