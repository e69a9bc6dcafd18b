"""A report on a release: one self-contained page of HTML that can be handed on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.release.atomic_files import StagedFile, plain_errors, refuse_existing
from epstar.release.document import read_release
from epstar.release.pair import whole_description
from epstar.release.place import output_place, place_of
from epstar.release.report.facts import column_facts, tables_of, total_of, trade_off
from epstar.release.report.page import Contents, page
from epstar.release.report.sentences import Explained, explained

__all__ = ["Report", "report"]


@dataclass(frozen=True)
class Report:
    """What was written: the page, the guarantees that it explains, column by column, and the theorems behind them.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     from epstar.release.report import report
    ...
    ...     written = report(release(table, Path(folder, "out.csv"), smoker).release_file)
    >>> written.output.name, len(written.columns)
    ('out.csv.report.html', 1)
    """

    output: Path
    release_file: Path
    columns: tuple[tuple[tuple[str, ...], tuple[Explained, ...]], ...]
    theorems: tuple[str, ...]


def report(
    release_file: str | Path,
    output: str | Path | None = None,
    *,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Write a page that says what a release did, what it guarantees and what it does not.

    The digest of the release file is checked, and those of the tables that lie beside it; all losses are measured
    again from the mechanism in the file. Without an `output`, `out.csv.release.json` is reported on in
    `out.csv.report.html`. The page appears whole or not at all, and replaces a file only with `force`. `progress` is
    called with the columns done and their number; each costs at most some five seconds, most of it the trade-off.

    Raises:
        InvalidInput: if the release file is missing, malformed, damaged or false, or the output exists.
        WriteFailed: if the page cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     from epstar.release.report import report
    ...
    ...     written = report(release(table, Path(folder, "out.csv"), smoker).release_file)
    >>> written.output.name
    'out.csv.report.html'
    """
    given = place_of(release_file, "The release file")
    document = read_release(whole_description(given))
    target = output_place(default_output(given) if output is None else output, "The report")
    refuse_existing(target, force)
    contents = _contents(given, document, progress)
    with StagedFile(target) as staged:
        with plain_errors(target):
            staged.handle.write(page(contents).encode())
        staged.finish()
        staged.publish(force)
    told = tuple(
        (
            facts.column.names,
            tuple(words for item in facts.chosen_by if (words := explained(item, facts.protected, facts.source))),
        )
        for facts in contents.columns
    )
    return Report(target, given, told, tuple(facts.theorem for facts in contents.columns))


def default_output(release_file: Path) -> Path:
    """Return where the report on a release file goes unless told otherwise.

    >>> default_output(Path("out.csv.release.json")).name, default_output(Path("release.json")).name
    ('out.csv.report.html', 'report.html')
    """
    stem = release_file.name.removesuffix(".json").removesuffix("release").rstrip("._")
    return release_file.with_name(f"{stem}.report.html" if stem else "report.html")


def _contents(given: Path, document: dict[str, Any], progress: Callable[[int, int], None] | None) -> Contents:
    try:
        tables = tables_of(document, given.parent)
        columns, curves = [], []
        for done, entry in enumerate(document["columns"]):
            if progress is not None:
                progress(done, len(document["columns"]))
            columns.append(column_facts(entry))
            curves.append(trade_off(columns[-1]))
        return Contents(
            given.name,
            str(document["digest"]),
            str(document["epstar"]),
            tables,
            tuple(str(name) for name in document["passed_through"]),
            _identifier(document["randomness"]),
            tuple(columns),
            tuple(curves),
            total_of(document, columns),
        )
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
    raise InvalidInput(f"{given.name} lacks a part or holds one of another shape; use the original file.")


def _identifier(randomness: dict[str, Any]) -> str | None:
    """The column that the draws are keyed by, None if they are fresh."""
    return str(randomness["identifier"]) if randomness["kind"] == "keyed" else None
