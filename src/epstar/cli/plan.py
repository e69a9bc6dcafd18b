"""`epstar plan`: which loss a wanted precision needs, which precision a loss allows, or how many rows."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context

from rich.console import RenderableType
from rich.table import Table

from epstar.arguments import typed
from epstar.cli.options import options_in_file, whole_number_of, words, written_numbers
from epstar.cli.progress import progress
from epstar.cli.result import Result, finite
from epstar.errors import InvalidInput
from epstar.exact import Real, rational
from epstar.exact.vectors import nearest_floats
from epstar.notions import DifferentialPrivacy
from epstar.risk import in_words
from epstar.source import Prior
from epstar.statistics.planning import (
    LEAST,
    Planned,
    Split,
    Wanted,
    best_split,
    losses_for,
    precision_at,
    rows_for_all,
)
from epstar.universe import Alphabet

EXAMPLES = """\
epstar plan --categories 4 --rows 6366 --within 0.05
epstar plan --categories 4 --rows 6366 --loss 1
epstar plan --categories 4 --within 0.01 --loss 1
epstar plan --prior 0.6,0.3,0.1 --rows 2000 --within 0.05 --confidence 0.9
epstar plan --categories 4,10,2 --rows 6366 --loss 3 --weights 1,1,2
epstar plan --categories 4,10 --rows 6366 --within 0.05,0.02
epstar plan --categories 20 --rows 6366 --loss 1 --plot widths.svg"""
PICTURE = "the half width of intervals against the loss"
_POINTS = 60


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the three numbers of which two are given, and what is known of the columns."""
    parser.add_argument(
        "plan", nargs="?", help="a JSON file that holds the options by their names; - for standard input"
    )
    parser.add_argument("--categories", metavar="M,M,...", help="how many categories the column has; several columns")
    parser.add_argument("--prior", metavar="P,P,...", help="the distribution of the categories, if it is known")
    parser.add_argument("--rows", metavar="N", help="how many rows will be released")
    parser.add_argument(
        "--within",
        metavar="W",
        help="the half width of each interval, such as 0.01 for one point; several columns may have several",
    )
    parser.add_argument("--loss", metavar="L", help="the loss in nats; of several columns, their total")
    parser.add_argument("--confidence", help="the confidence of each interval (default: 0.95)")
    parser.add_argument(
        "--weights", metavar="W,W,...", help="how much the errors of each column count (default: all 1)"
    )


def run(options: argparse.Namespace) -> Result:
    """Plan one column, or split a total loss over several."""
    if options.plan is not None:
        options_in_file(options, "plan")
    columns = _columns(options)
    rows = None if options.rows is None else whole_number_of(options.rows, "rows")
    loss = None if options.loss is None else float(Real.of(typed(_number(options.loss))))
    within = None if options.within is None else _widths(options.within, len(columns))
    with progress("planning"):
        if sum(value is None for value in (rows, within, loss)) != 1:
            raise InvalidInput("Give two of --rows, --within and --loss; the third is what a plan finds.")
        if options.weights is not None and (len(columns) == 1 or within is not None):
            raise InvalidInput("Weights are for a total loss that several columns share; leave --weights out.")
        if loss is None:
            assert rows is not None
            assert within is not None
            return _result(losses_for(columns, within, rows), "loss")
        if within is not None:
            rows = rows_for_all(columns, within, loss)
            if len(columns) > 1:
                return _result(losses_for(columns, within, rows), "rows")
        assert rows is not None
        if len(columns) == 1:
            return _result((precision_at(columns[0], loss, rows),), "rows" if within else "within")
        weights = words(options.weights) if options.weights is not None else ["1"] * len(columns)
        split = best_split(columns, weights, loss, rows)
        return _result(split.columns, "split", split)


def _widths(written: str, count: int) -> list[float]:
    """One half width for each column, or the same for all."""
    found = [float(width) for width in nearest_floats([rational(word) for word in words(written)])]
    return found * count if len(found) == 1 else found


def _columns(options: argparse.Namespace) -> list[Wanted]:
    confidence = rational(options.confidence or "0.95")
    if (options.prior is None) == (options.categories is None):
        raise InvalidInput("Say how many categories there are: --categories M, or --prior P,P,... if that is known.")
    if options.prior is not None:
        law = Prior(written_numbers(options.prior))
        return [Wanted(law.size, law, confidence)]
    return [Wanted(whole_number_of(word, "categories"), None, confidence) for word in words(options.categories)]


def _number(written: str) -> str:
    if not written.strip():
        raise InvalidInput("--loss takes a number, such as 1 or ln(3).")
    return written


def _result(found: Sequence[Planned], asked: str, split: Split | None = None) -> Result:
    document: dict[str, object] = {
        "schema": "epstar/plan/1",
        "asked": asked,
        "columns": [_document(one) for one in found],
        "total_loss": sum(one.loss for one in found),
    }
    shown: list[RenderableType] = [_one(found[0])] if len(found) == 1 else [_several(found)]
    shown += [_risk(found), _carried_out(found)]
    if split is not None:
        document |= {"error": split.error, "error_bound": split.bound}
        shown.append(
            f"The weighted sum of squared errors is {split.error:.6g}; no other split of the total makes it smaller "
            f"than {split.bound:.6g}."
        )
    return Result(document, tuple(shown), "", lambda file: _draw(found[0], file))


def _one(found: Planned) -> Table:
    table = Table(title=f"a plan for a column of {found.wanted.size} categories", show_header=False)
    table.add_row("rows", str(found.rows))
    table.add_row("loss (nats)", f"{found.loss:.6g}")
    if found.least_loss is not None:
        table.add_row("any mechanism needs at least", f"{found.least_loss:.6g}")
    level = f"{100 * float(found.wanted.confidence):.10g} %"
    table.add_row(f"intervals ({level})", f"± {found.half_width:.4g}")
    table.add_row("sampling error alone", f"± {found.unprotected:.4g}")
    table.add_row("mechanism", found.mechanism)
    return table


def _several(found: Sequence[Planned]) -> Table:
    level = f"{100 * float(found[0].wanted.confidence):.10g} %"
    table = Table(title=f"a plan for {len(found)} columns, {found[0].rows} rows", show_footer=True)
    table.add_column("categories", "together")
    table.add_column("loss (nats)", f"{sum(one.loss for one in found):.6g}")
    for heading in (f"intervals ({level})", "mechanism"):
        table.add_column(heading)
    for one in found:
        table.add_row(str(one.wanted.size), f"{one.loss:.6g}", f"± {one.half_width:.4g}", one.mechanism)
    return table


def _carried_out(found: Sequence[Planned]) -> str:
    """How to release as planned."""
    names = [f"COLUMN{number}" for number in range(1, len(found) + 1)] if len(found) > 1 else ["COLUMN"]
    prefixes = [f"{name}=" if len(found) > 1 else "" for name in names]
    parts = [
        f"--categories {prefix}... --loss {prefix}{_rounded_up(one.loss)} --sets {prefix}{one.chosen}"
        for prefix, one in zip(prefixes, found, strict=True)
    ]
    return f"To release like this: epstar release TABLE --column {','.join(names)} {' '.join(parts)} -o OUTPUT"


def _rounded_up(loss: float) -> str:
    """The loss in six digits, and not less: with less, intervals would be wider than planned.

    >>> _rounded_up(1.99686412), _rounded_up(0.5)
    ('1.99687', '0.5')
    """
    return f"{Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(loss).normalize():f}"


def _risk(found: Sequence[Planned]) -> str:
    """What a reader of all released columns of a record can learn, in words."""
    total, size = sum(one.loss for one in found), math.prod(one.wanted.size for one in found)
    return in_words(DifferentialPrivacy(), Real.of(rational(total)), Alphabet(size))


def _document(found: Planned) -> dict[str, object]:
    document: dict[str, object] = {
        "categories": found.wanted.size,
        "rows": found.rows,
        "confidence": float(found.wanted.confidence),
        "loss": found.loss,
        "half_width": found.half_width,
        "unprotected_half_width": found.unprotected,
        "set_size": found.chosen,
        "mechanism": found.mechanism,
    }
    if found.least_loss is not None:
        document["least_loss"] = finite(found.least_loss)
    return document


def _draw(found: Planned, file: str) -> None:
    from epstar.plot import plot_lines

    high = max(2.0, 2 * found.loss)
    losses = [max(LEAST, high * (place + 1) / _POINTS) for place in range(_POINTS)]
    losses = [loss for loss in losses if loss >= high / 20]
    best = [precision_at(found.wanted, loss, found.rows).half_width for loss in losses]
    plain = [_randomised_response(found, loss) for loss in losses]
    plot_lines(
        {
            "sets of the best size": (losses, best),
            "randomised response": (losses, plain),
            "without protection": (losses, [found.unprotected] * len(losses)),
        },
        file,
        "privacy loss (nats)",
        "half width of intervals",
        f"{found.rows} rows, {found.wanted.size} categories",
    )


def _randomised_response(found: Planned, loss: float) -> float:
    size, ratio = found.wanted.size, math.exp(loss)
    own, other = ratio / (ratio + size - 1), 1 / (ratio + size - 1)
    rates = other + (own - other) * found.wanted.shares
    spread = float((rates * (1 - rates)).max())
    return found.wanted.quantile * math.sqrt(spread / found.rows) / (own - other)
