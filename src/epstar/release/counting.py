"""How a release is counted in its ledger: what it loses, and which of its answers were given before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.exact import Rational
from epstar.release.kernel import RowKeys
from epstar.release.ledger import Answers, Ledger, Secrets
from epstar.release.secret_entry import level_of, parts_of
from epstar.release.settings import Settings


@dataclass(frozen=True)
class Counting:
    """The ledger that a release goes into, if any, and what it adds to it."""

    settings: Settings
    ledger: Ledger | None
    loss: Rational | None
    answers: tuple[Answers, ...]
    secrets: Secrets = ()

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
            answers = tuple(Answers(key.decides(keys.identifier), *_losses(entry)) for key, entry in each)
        about = tuple((entry["name"], level_of(entry["upper"])) for entry in description.get("per_secret", ()))
        total = level_of(description["per_record"]["upper"])
        return cls(settings, Ledger.at(settings.ledger), total, answers, about)

    def of_tables(self, tables: Sequence[Path | str], output: str) -> Callable[[], None]:
        """Return what counts the release of these tables, after a look whether it will be."""
        if self.ledger is None:
            return lambda: None
        ledger, settings = self.ledger, self.settings
        ledger.check(tables, self.loss, settings.again, settings.budget, self.answers, self.secrets)

        def count() -> None:
            also = settings.again, settings.budget, self.answers, self.secrets
            ledger.count(tables, settings.names, output, self.loss, *also)

        return count


def _losses(entry: Mapping[str, Any]) -> tuple[Rational | None, Secrets]:
    """What the values of a column lose, and what is lost about the secret that it protects, if it does."""
    name = entry["secret"]["name"] if "secret" in entry else ""
    record, about = parts_of(entry, name)
    return record, ((name, about),) if name else ()
