"""`epstar estimate`: statistics of the private table, from the one that was released."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from rich.table import Table

from epstar.cli.options import options_in_file, words
from epstar.cli.progress import progress
from epstar.cli.result import Result
from epstar.errors import InvalidInput
from epstar.release import Cell, Estimate, Quantity, estimate_by, released_columns
from epstar.release import estimate as estimated
from epstar.release.format import Style
from epstar.release.functionals import contrast, covariance, difference, mean, odds_ratio, within
from epstar.release.regression import Regression, regress
from epstar.universe import Label

EXAMPLES = """\
epstar estimate out.parquet --release out.release.json
epstar estimate out.csv --column disease,age --json
epstar estimate out.csv --column disease --by town --where age=adult --weight w --simultaneous
epstar estimate part.csv --any-table --release out.csv.release.json --column income --mean
epstar estimate out.csv --column smoker,sex --odds-ratio
epstar estimate out.csv --response smoker --on age,sex --model logistic
epstar estimate out.parquet --column disease --plot frequencies.png"""
# Tables and pictures of more cells show the largest alone.
_MOST_CELLS, _MOST_SHOWN = 1000, 40
PICTURE = "the frequencies with their intervals"
_STATISTICS = ("mean", "difference", "odds_ratio", "within", "covariance")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the released table, its columns, the rows that count, and what is estimated."""
    parser.add_argument(
        "table",
        help="the released table; or a JSON file (- for standard input) that holds it and the options by their names",
    )
    parser.add_argument(
        "--column",
        action="extend",
        type=words,
        metavar="A,B,...",
        help="a column, or several for a cross-tabulation (default: each released column by itself)",
    )
    parser.add_argument("--release", metavar="FILE", help="its release file, if it is not beside it")
    parser.add_argument(
        "--any-table",
        action="store_true",
        help="take any table with the released columns: some of the rows, or a copy in another form",
    )
    parser.add_argument("--separator", metavar="S", help="the separator of such a table: a character, or the word tab")
    parser.add_argument("--encoding", help="the encoding of such a table (default: utf-8)")
    parser.add_argument("--confidence", help="the confidence of each interval (default: 0.95)")
    parser.add_argument(
        "--simultaneous",
        action="store_true",
        help="let all intervals of an estimate hold together with this confidence",
    )
    parser.add_argument("--method", choices=("inverse", "likelihood"), help="how to estimate (default: inverse)")
    parser.add_argument(
        "--where",
        action="append",
        metavar="COLUMN=A,B,...",
        help="only rows with one of these values of a column that passed through",
    )
    parser.add_argument(
        "--by", action="extend", type=words, metavar="A,B,...", help="for each value of columns that passed through"
    )
    parser.add_argument("--weight", metavar="COLUMN", help="the column of survey weights")
    parser.add_argument("--count", metavar="COLUMN", help="the column that says how many rows each row stands for")
    parser.add_argument("--mean", action="store_true", help="the mean of a column of numbers")
    parser.add_argument("--values", metavar="V,V,...", help="the number that each category counts as in a mean")
    parser.add_argument(
        "--difference", metavar="A,B", help="the difference between two categories, or with --by between two groups"
    )
    parser.add_argument(
        "--odds-ratio",
        nargs="?",
        const="",
        metavar="A,B,C,D",
        help="the odds ratio of two columns: A against B of the first, C against D of the second",
    )
    parser.add_argument("--within", metavar="COLUMN", help="shares among the rows with the same value of this column")
    parser.add_argument("--covariance", action="store_true", help="the covariance matrix of the estimates, in JSON")
    parser.add_argument("--response", metavar="COLUMN", help="regress this column on those of --on")
    parser.add_argument("--on", action="extend", type=words, metavar="A,B,...", help="the columns that explain it")
    parser.add_argument("--model", choices=("linear", "logistic"), help="the model of the regression (default: linear)")
    parser.add_argument("--success", metavar="LABEL", help="the category whose odds a logistic regression explains")


def run(options: argparse.Namespace) -> Result:
    """Estimate frequencies of the private table from the released one, or statistics of them."""
    options_in_file(options, "table", several=("column", "where", "by", "on"))
    if options.response is not None:
        return _regression(options)
    for name in ("on", "model", "success"):
        if getattr(options, name) is not None:
            raise InvalidInput(f"--{name} is for a regression; name its response with --response.")
    asked = [words(options.column)] if options.column is not None else released_columns(options.table, options.release)
    with progress("counting"):
        found = [part for names in asked for part in _estimates(options, names)]
    statistics = _statistics(options, found)
    documents = [
        {**_document(part), **({"statistics": [_quantity(one) for one in own]} if own else {})}
        for part, own in zip(found, statistics, strict=True)
    ]
    if options.covariance:
        for document, part in zip(documents, found, strict=True):
            document["covariance"] = covariance(part).tolist()
    shown = [part for estimate, own in zip(found, statistics, strict=True) for part in (*_shown(estimate), *_told(own))]

    def draw(file: str) -> None:
        from epstar.plot import plot_intervals

        first = found[0]
        cells = _largest(first)
        labels = [", ".join(map(str, cell.labels)) for cell in cells]
        ends = [(cell.frequency, cell.lower, cell.upper) for cell in cells]
        plot_intervals(labels, ends, file, title=", ".join(first.names), axis="frequency")

    several: dict[str, object] = {"schema": "epstar/estimates/1", "estimates": documents}
    return Result(documents[0] if len(documents) == 1 else several, tuple(shown), "", draw)


def _estimates(options: argparse.Namespace, names: list[str]) -> Sequence[Estimate]:
    plain = {
        "release_file": options.release,
        "confidence": options.confidence or "0.95",
        "method": options.method or "inverse",
        "where": _where(options),
        "weight": options.weight,
        "count": options.count,
        "any_table": options.any_table,
        "style": _style(options),
        "simultaneous": options.simultaneous,
    }
    if options.by is None:
        return [estimated(options.table, names, **plain)]
    return estimate_by(options.table, names, words(options.by), **plain)


def _style(options: argparse.Namespace) -> Style:
    if (options.separator is not None or options.encoding is not None) and not options.any_table:
        raise InvalidInput(
            "The release file says how the table is written; --separator and --encoding need --any-table."
        )
    return Style(options.separator, options.encoding or "utf-8")


def _where(options: argparse.Namespace) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in [options.where] if isinstance(options.where, str) else options.where or []:
        column, equals, values = text.partition("=")
        if not equals or not column or not values:
            raise InvalidInput(
                f"--where {text!r} is not understood; write COLUMN=VALUE, or several values with commas."
            )
        if column in found:
            raise InvalidInput(f"--where names column {column!r} twice; give all its values at once, with commas.")
        found[column] = words(values)
    return found


def _statistics(options: argparse.Namespace, found: Sequence[Estimate]) -> list[tuple[Quantity, ...]]:
    """What was asked for beside the frequencies of each estimate."""
    if sum(getattr(options, name) not in (None, False) for name in _STATISTICS) > 1:
        raise InvalidInput(
            "Ask for one statistic at a time: --mean, --difference, --odds-ratio, --within, --covariance."
        )
    if options.values is not None and not options.mean:
        raise InvalidInput("--values are the numbers of a --mean; give both.")
    if options.mean:
        return [(mean(part, None if options.values is None else _numbers(options.values)),) for part in found]
    if options.within is not None:
        return [within(part, options.within) for part in found]
    if options.odds_ratio is not None:
        four = words(options.odds_ratio) if options.odds_ratio else []
        if len(four) not in (0, 4):
            raise InvalidInput("--odds-ratio takes four values, two of each column, or none if they have no more.")
        return [(odds_ratio(part, four[:2] or None, four[2:] or None),) for part in found]
    if options.difference is None:
        return [()] * len(found)
    two = words(options.difference)
    if len(two) != 2:
        raise InvalidInput("--difference takes two categories, or with --by two groups: A,B.")
    if options.by is None:
        return [(difference(part, two[:1], two[1:]),) for part in found]
    groups = {str(value): part for part in found for _, value in part.group[:1]}
    if len(words(options.by)) > 1 or not set(two) <= set(groups):
        raise InvalidInput("--difference with --by compares two values of one column that some rows have; check them.")
    both = contrast(groups[two[0]], groups[two[1]])
    return [both if part is groups[two[0]] else () for part in found]


def _numbers(written: str) -> list[float]:
    try:
        return [float(word) for word in words(written)]
    except ValueError:
        raise InvalidInput("--values takes a number for each category, with commas between them.") from None


def _regression(options: argparse.Namespace) -> Result:
    for name in ("column", "by", "method", "values", "difference", "odds_ratio", "within"):
        if getattr(options, name) is not None:
            raise InvalidInput(f"A regression is on the columns of --on; leave --{name.replace('_', '-')} out.")
    for name in ("mean", "covariance", "simultaneous"):
        if getattr(options, name):
            raise InvalidInput(f"A regression has coefficients and no --{name}; leave it out.")
    if options.on is None:
        raise InvalidInput("A regression needs the columns that explain the response; give --on A,B.")
    if options.plot is not None:
        raise InvalidInput("A regression has no picture; leave --plot out.")
    with progress("counting"):
        found = regress(
            options.table,
            options.response,
            words(options.on),
            model=options.model or "linear",
            success=options.success,
            release_file=options.release,
            confidence=options.confidence or "0.95",
            where=_where(options),
            weight=options.weight,
            count=options.count,
            any_table=options.any_table,
            style=_style(options),
        )
    return Result(_regression_document(found), (_coefficients(found),), "")


def _regression_document(found: Regression) -> dict[str, object]:
    return {
        "schema": "epstar/regression/1",
        "model": found.model,
        "response": found.response,
        "rows": found.rows,
        "coefficients": [_quantity(one) for one in found.coefficients],
    }


def _coefficients(found: Regression) -> Table:
    table = Table(title=f"{found.model} regression of {found.response}, from {found.rows} rows")
    for name in ("coefficient", "estimate", "lower", "upper", "standard error"):
        table.add_column(name)
    for one in found.coefficients:
        table.add_row(one.name, *(f"{value:.6g}" for value in (one.value, one.lower, one.upper, one.standard_error)))
    return table


def _quantity(one: Quantity) -> dict[str, object]:
    return {
        "name": one.name,
        "value": one.value,
        "lower": one.lower,
        "upper": one.upper,
        "standard_error": one.standard_error,
        "confidence": one.confidence,
    }


def _told(statistics: Sequence[Quantity]) -> Iterator[str]:
    for one in statistics:
        yield f"{one.name}: {one.value:.6g}, between {one.lower:.6g} and {one.upper:.6g}"


def _document(found: Estimate) -> dict[str, object]:
    return {
        "schema": "epstar/estimate/1",
        "columns": list(found.names),
        "rows": found.rows,
        "confidence": found.confidence,
        "method": found.method,
        "interval": found.interval,
        "cells": [
            {
                "labels": list(c.labels),
                "frequency": c.frequency,
                "lower": c.lower,
                "upper": c.upper,
                "unbiased": c.unbiased,
            }
            for c in found.cells
        ],
        "not_estimable": [list(labels) for labels in found.not_estimable],
        "combinations": [
            {
                "weights": [{"label": _shown_label(label), "weight": weight} for label, weight in c.weights.items()],
                "weight_of_suppressed": c.suppressed,
                "frequency": c.frequency,
                "lower": c.lower,
                "upper": c.upper,
                "unbiased": c.unbiased,
            }
            for c in found.combinations
        ],
        **({"group": dict(found.group)} if found.group else {}),
    }


def _shown(found: Estimate) -> Iterator[Table | str]:
    group = "".join(f"{column} = {value}: " for column, value in found.group)
    table = Table(
        title=f"{group}estimated from {found.rows} rows, {100 * found.confidence:.10g} % intervals ({found.interval})"
    )
    for name in (*found.names, "frequency", "lower", "upper"):
        table.add_column(name)
    shown_cells = _largest(found)
    for cell in shown_cells:
        values = (cell.frequency, cell.lower, cell.upper)
        shown = ["cannot be told" if value is None else f"{value:.6g}" for value in values]
        table.add_row(*(str(label) for label in cell.labels), *shown)
    yield table
    if len(shown_cells) < len(found.cells):
        yield f"the {len(shown_cells)} largest of {len(found.cells)} are shown; --json has all of them"
    if found.not_estimable:
        yield (
            f"{len(found.not_estimable)} of {len(found.cells)} frequencies cannot be told: the mechanism gives the "
            "same outputs for other values too"
        )
    told = sorted(found.combinations, key=lambda part: -part.frequency)[:_MOST_SHOWN]
    for part in told if len(found.combinations) > _MOST_SHOWN else found.combinations:
        sums = " + ".join(f"{weight:.6g} · {_shown_label(label)}" for label, weight in part.weights.items())
        if part.suppressed:
            sums += f" + {part.suppressed:.6g} · (all values that are never released)"
        yield f"{sums}: {part.frequency:.6g}, between {part.lower:.6g} and {part.upper:.6g}"
    if len(told) < len(found.combinations):
        yield f"the {len(told)} largest of {len(found.combinations)} sums are shown; --json has all of them"


def _largest(found: Estimate) -> Sequence[Cell]:
    """The cells to show: all of some, the largest of many."""
    if len(found.cells) <= _MOST_CELLS:
        return found.cells
    return sorted(found.cells, key=lambda cell: 0.0 if cell.frequency is None else -cell.frequency)[:_MOST_SHOWN]


def _shown_label(label: Label) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
