"""The options of `epstar release` about columns, written [COLUMN=]VALUE, and what they say of one column.

A value is for one column or for all of them; in a job file options may also be an object with an entry for each column,
in which a list holds words as they are. Columns that go through one mechanism together are named with commas between
them.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from epstar.cli.options import words
from epstar.errors import InvalidInput

_SECRET = (
    "protect this instead: a column of --joint, a column of the table of --public that is not released, or a file "
    "(JSON as in a problem file, or CSV) that says how likely each of its values is beside each category"
)


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the columns, and what is declared of them."""
    parser.add_argument(
        "--column", action="extend", type=words, metavar="A,B,...", help="columns to release, each by itself"
    )
    parser.add_argument(
        "--joint",
        action="append",
        metavar="A,B",
        help="columns to release together, by one mechanism on all combinations of their values",
    )
    for name, value, text in (
        ("--categories", "A,B,...|@FILE", "the values that a column may hold, or a file with one in each line"),
        ("--prior", "P,P,...|@FILE", "the known frequencies of a column, or a file with a source as in a problem file"),
        ("--counts", "FILE", "public counts (CSV: category, count): categories and frequencies"),
        ("--public", "TABLE", "a public table with the same column: its frequencies are what is known"),
        ("--bins", "E,E,...", "numbers are released as the middle of their bin; these are the ends of the bins"),
        ("--points", "E,E,...", "numbers are rounded at random to one of these points, so that means stay right"),
        ("--mechanism", "FILE", "release with this mechanism: rows in CSV, or JSON, as `epstar audit` reads them"),
        ("--secret", "NAME|@FILE|JSON", _SECRET),
        ("--sets", "K", "answer with sets of K categories, as `epstar plan` says; 1 is randomised response"),
        ("--loss", "L", "the loss allowed, in nats"),
        ("--missing", "LABEL", "the category of missing values"),
        ("--other", "LABEL", "the category of values that are not listed"),
    ):
        parser.add_argument(name, action="append", metavar=f"[COLUMN=]{value}", help=text)
    parser.add_argument(
        "--total-loss",
        metavar="L",
        help="what a record may lose by all columns, split so that frequencies are estimated best",
    )
    parser.add_argument(
        "--stratum",
        metavar="COLUMN",
        help="a public column, which passes through: each of its values has a mechanism, by the table of --public",
    )
    parser.add_argument(
        "--every-category",
        action="store_true",
        help="choose a mechanism from which every category can be estimated, even rare ones",
    )
    parser.add_argument(
        "--invariant", action="store_true", help="keep known frequencies as they are, on average (invariant PRAM)"
    )
    parser.add_argument(
        "--confidence", help="take public counts as a sample: every distribution in a confidence region"
    )


@dataclass(frozen=True)
class ColumnOptions:
    """The options, and the names of all columns that they may be about."""

    options: argparse.Namespace
    known: set[str]

    def one(self, option: str, name: str) -> str | None:
        """The one value of an option for a column, if there is one; numbers in a list are put together."""
        given = self.values(option, name)
        if len(given) > 1:
            raise InvalidInput(f"--{option} is given twice for column {name!r}; leave one of the two out.")
        return None if not given else given[0] if isinstance(given[0], str) else ",".join(given[0])

    def values(self, option: str, name: str) -> list[str | list[str]]:
        """The values of an option for a column: those that name it, else those that name none.

        A text is as it is typed. A list, which only an object in a job file has, holds what it holds literally.
        """
        return self.naming(option, name) or [text for column, text in self._split(option) if column is None]

    def naming(self, option: str, name: str) -> list[str | list[str]]:
        """The values of an option that name the column."""
        return [value for column, value in self._split(option) if column == name]

    def _split(self, option: str) -> list[tuple[str | None, str | list[str]]]:
        """The values of an option, each with the column that it names; the longest, where several names begin alike."""
        value = getattr(self.options, option)
        if isinstance(value, dict):
            for column in value:
                if column not in self.known:
                    raise InvalidInput(f"The entry {option!r} names a column {column!r} that is not released.")
            return list(value.items())
        split: list[tuple[str | None, str | list[str]]] = []
        for text in [value] if isinstance(value, str) else value or []:
            named = [column for column in self.known if text.startswith(f"{column}=")]
            column = max(named, key=len, default=None)
            split.append((column, text if column is None else text[len(column) + 1 :]))
        return split
