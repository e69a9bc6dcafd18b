"""The settings of a release: what is released of a table, how it is protected, and where it is counted.

They are the same whatever is released: a file, a folder, a DataFrame in memory or one on a cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypedDict

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Number
from epstar.notions.base import Notion
from epstar.release.column import Column, chosen_columns
from epstar.release.keyed_bits import SecretKey
from epstar.source import Source


class Options(TypedDict, total=False):
    """The settings of a release beside its columns, by name; `Settings` says what each of them is."""

    notion: Notion | None
    loss: Number | None
    source: Source | None
    distortion: Distortion | None
    keep: str | Sequence[str]
    keep_others: bool
    key: SecretKey | str | Path | None
    identifier: str | None
    ledger: str | Path | None
    budget: Number | None
    again: bool


@dataclass(frozen=True)
class Settings:
    """Which columns are released and how, which others pass through, and what makes answers permanent or counts them.

    `notion`, `loss`, `source` and `distortion` (Hamming unless given) hold for every column that does not bring its
    own. Of the other columns those named in `keep` pass through as they are, unprotected, or all with `keep_others`;
    the rest is dropped.

    With a `key` (or the file of one, which is made where there is none) and an `identifier`, a column that is
    different in every row, the answer of a row is permanent: the same release of the same table gives the same
    answers, and costs nothing in a ledger. Keep the key with the private table: it undoes the release. A row whose
    value was changed is answered afresh, which is a second answer.

    With a `ledger` the release is counted in that file before anything gets out (`epstar.release.ledger`): one that
    would exceed its `budget`, which is given when the ledger is begun, is refused, and so is a second one of the same
    table unless it is asked for with `again`.

    Raises:
        InvalidInput: if there is no column, or parts do not fit each other.

    >>> from epstar.notions import DifferentialPrivacy
    >>> settings = Settings(Column("sex", ["f", "m"]), notion=DifferentialPrivacy(), loss=1)
    >>> settings.filled[0].loss
    Real(1)
    """

    columns: Column | Sequence[Column]
    notion: Notion | None = None
    loss: Number | None = None
    source: Source | None = None
    distortion: Distortion | None = None
    keep: str | Sequence[str] = ()
    keep_others: bool = False
    key: SecretKey | str | Path | None = None
    identifier: str | None = None
    ledger: str | Path | None = None
    budget: Number | None = None
    again: bool = False

    def __post_init__(self) -> None:
        chosen_columns(self.columns)
        for name in ("keep_others", "again"):
            check_switch(name, getattr(self, name))
        if (self.key is None) != (self.identifier is None):
            raise InvalidInput("Permanent answers need a `key` and an `identifier`, and one of them is missing.")
        if self.ledger is None and (self.budget is not None or self.again):
            raise InvalidInput("A budget and a second release are the business of a ledger; name one with `ledger`.")

    @cached_property
    def filled(self) -> tuple[Column, ...]:
        """The columns, with what they leave out taken from the settings."""
        chosen = chosen_columns(self.columns)
        return tuple(column.filled(self.notion, self.loss, self.source, self.distortion) for column in chosen)

    @property
    def names(self) -> list[str]:
        """The names of all columns that are released."""
        return [name for column in self.filled for name in column.names]

    @property
    def secrets(self) -> list[str]:
        """The names of the secrets that columns protect."""
        return [column.secret_name for column in self.filled if column.secret is not None]


def check_switch(name: str, given: object) -> None:
    """Raise unless a switch is true or false.

    Raises:
        InvalidInput: naming it.
    """
    if not isinstance(given, bool):
        raise InvalidInput(f"`{name}` is true or false, and nothing else says which of the two.")
