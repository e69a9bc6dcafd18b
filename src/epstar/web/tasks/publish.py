"""A table released for the page: planned by the precision that is wanted, sampled here, handed back with its report."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from epstar.arguments import typed
from epstar.errors import InvalidInput
from epstar.exact import Real, rational, text
from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, estimate, proxy
from epstar.release import release as released
from epstar.release.report import report
from epstar.release.report.summary import summary
from epstar.release.sets import answers_in_sets
from epstar.risk import guess_of_two, in_words
from epstar.source import Prior
from epstar.statistics.planning import Planned, Wanted, loss_for, precision_at
from epstar.universe import Alphabet
from epstar.web.tasks.reading import fields_of
from epstar.web.worker import Context

_MOST_ROWS = 10**9
_LONGEST_STEM = 60
_NUMBER = "Write {} as a number, such as {}."


def plan(document: object, context: Context) -> object:
    """Return the loss that a precision needs, or the precision that a loss allows.

    {"categories": 4, "rows": 1000, "within": "0.05"} or {"categories": 4, "rows": 1000, "loss": "1"}.
    """
    fields = fields_of(document, {"categories", "rows", "within", "loss"})
    size, rows = fields.get("categories"), fields.get("rows")
    if type(size) is not int or not 2 <= size <= context.limits.inputs:
        raise InvalidInput(f"A column has 2 to {context.limits.inputs} categories here; declare so many.")
    if type(rows) is not int or not 1 <= rows <= _MOST_ROWS:
        raise InvalidInput("The table needs rows; give how many it has.")
    if ("within" in fields) == ("loss" in fields):
        raise InvalidInput("Give either the precision that is wanted or the loss; the other one is found.")
    wanted = Wanted(size)
    if "within" in fields:
        found = loss_for(wanted, float(_number(fields["within"], "the precision", "0.05")), rows)
        return _planned(found, Real.of(rational(found.loss)))
    level = Real.of(typed(_text(fields["loss"], "the loss", "1 or ln(3)")))
    return _planned(precision_at(wanted, float(level), rows), level)


def _planned(found: Planned, level: Real) -> dict[str, object]:
    return {
        "loss": found.loss,
        "least_loss": found.least_loss,
        "half_width": found.half_width,
        "unprotected": found.unprotected,
        "mechanism": found.mechanism,
        "answers_are_sets": found.chosen > 1,
        "risk": in_words(DifferentialPrivacy(), level, Alphabet(found.wanted.size)),
        "guess": float(guess_of_two(level)),
    }


def publish(document: object, context: Context) -> object:
    """Release one column of a table, and return the table, its release file, the report and the command.

    {"table": "smoker,age\\nyes,41\\n...", "name": "people.csv", "column": "smoker", "categories": ["yes", "no"],
    "loss": "1", "keep": ["age"]}. "missing" and "other" name the categories of missing and of other values. With
    "secret": {"name": "income", "values": ["low", "high"], "counts": [[30, 10], [20, 40]]}, public counts of each
    category (rows) and value, the loss is about that.
    """
    known = {"table", "name", "column", "categories", "loss", "keep", "missing", "other", "secret"}
    fields = fields_of(document, known)
    content, column = (
        _text(fields.get("table"), "the table", "CSV"),
        _text(fields.get("column"), "the column", "its name"),
    )
    categories, keep = _list(fields.get("categories"), "categories"), _list(fields.get("keep", []), "columns to keep")
    if len(categories) < 2:
        raise InvalidInput("At least two categories are needed, or there is nothing to tell apart; declare them all.")
    loss = _text(fields.get("loss"), "the loss", "1 or ln(3)")
    missing, other = (
        None if fields.get(name) is None else _text(fields[name], f"the category of {name} values", "its name")
        for name in ("missing", "other")
    )
    name = Path(_text(fields.get("name", "table.csv"), "the name of the table", "people.csv")).name
    found = Categories(categories, missing, other)
    sets, declared = 0, None if fields.get("secret") is None else _hiding(fields["secret"], column, found, loss)
    if declared is None:
        # The sets that the plan for this loss has; how many rows there are makes no difference to that.
        sets = precision_at(Wanted(len(found.labels)), float(Real.of(typed(loss))), rows=1).chosen
        declared = Column(column, found, mechanism=answers_in_sets(found.labels, sets, loss), loss=loss)
    with TemporaryDirectory(prefix="epstar-") as folder, _private(Path(folder), content) as table:
        done = released(
            table,
            Path(folder) / output_name(name),
            declared,
            notion=DifferentialPrivacy(),
            keep=keep,
            progress=lambda rows: context.report(rows, content.count("\n")),
        )
        about = summary(done)
        page = report(done.release_file)
        # Plain estimates may leave the range of frequencies, and would look wrong in a picture.
        estimated = estimate(done.output, column, method="likelihood")
        return {
            "name": done.output.name,
            "table": done.output.read_text(encoding="utf-8"),
            "release": done.release_file.read_text(encoding="utf-8"),
            "report": page.output.read_text(encoding="utf-8"),
            "rows": done.rows,
            "sentences": about.sentences(),
            "warnings": about.warnings(),
            "passed_through": list(about.passed_through),
            "estimates": [
                {"category": str(cell.labels[0]), "frequency": cell.frequency, "lower": cell.lower, "upper": cell.upper}
                for cell in estimated.cells
            ],
            "command": command(name, declared, loss, sets, keep),
        }


def command(table: str, column: Column, loss: str, sets: int, keep: Sequence[str]) -> str:
    """Return what does the same in a terminal, beside the table."""
    (name,), (categories,) = column.names, column.categories
    parts = ["epstar", "release", table, "--column", _word(name)]
    parts += ["--categories", ",".join(_word(str(label)) for label in categories.labels)]
    for option, label in (("--missing", categories.missing), ("--other", categories.other)):
        parts += [] if label is None else [option, str(label)]
    parts += ["--loss", loss]
    if column.secret is None:
        parts += ["--sets", str(sets)]
    else:
        assert isinstance(column.source, Prior)
        secret = {"given": [[text(p) for p in row] for row in column.secret.conditional]}
        parts += ["--prior", ",".join(text(p) for p in column.source.probabilities)]
        parts += ["--secret", json.dumps({**secret, "labels": list(column.secret.universe.labels)})]
    parts += ["--keep", ",".join(_word(kept) for kept in keep)] if keep else []
    return shlex.join([*parts, "--output", output_name(table)])


def _hiding(given: object, column: str, categories: Categories, loss: str) -> Column:
    """The column whose release protects a secret that it hints at, by public counts of both."""
    fields = fields_of(given, {"name", "values", "counts"})
    name, values = _text(fields.get("name"), "the name of the secret", "income"), _list(fields.get("values"), "values")
    rows = fields.get("counts")
    if not isinstance(rows, list) or len(rows) != len(categories.labels) or len(values) < 2:
        raise InvalidInput(
            "Public counts of a secret have a line for each category and a number for each of its values, of which "
            "there are at least two; complete them."
        )
    return proxy(column, categories, name, values, rows, loss=loss)


def output_name(table: str) -> str:
    """Return the name of the released table.

    >>> output_name("people.csv")
    'people.released.csv'
    """
    return f"{Path(table).stem[:_LONGEST_STEM]}.released.csv"


def _word(text: str) -> str:
    """One word of a list that is separated by commas, in quotation marks where it needs them."""
    needs = text != text.strip() or any(mark in text for mark in ',"\n') or not text
    return '"' + text.replace('"', '""') + '"' if needs else text


@contextmanager
def _private(folder: Path, text: str) -> Iterator[Path]:
    """Give the table a name by which it can be read, without putting it on a disk where the system allows that.

    A worker can be killed at any moment, and a file would then stay behind.
    """
    path, content = folder / "table.csv", text.encode()
    if not hasattr(os, "memfd_create"):
        path.write_bytes(content)
        yield path
        return
    with os.fdopen(os.memfd_create("table"), "w+b") as handle:
        handle.write(content)
        handle.flush()
        path.symlink_to(f"/proc/self/fd/{handle.fileno()}")
        yield path


def _text(value: object, what: str, example: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"The request needs {what} as text; give it, for instance {example}.")
    return value


def _number(value: Any, what: str, example: str) -> Any:
    if not isinstance(value, str | int | float):
        raise InvalidInput(_NUMBER.format(what, example))
    return rational(value)


def _list(value: object, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise InvalidInput(f"The {what} must be a list of texts.")
    return value
