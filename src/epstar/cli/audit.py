"""`epstar audit`: what a mechanism that somebody hands over really loses."""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
from collections.abc import Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.table import Table

from epstar.audit import (
    AuditFailed,
    BlackBox,
    Command,
    MatrixAudit,
    audit_black_box,
    audit_matrix,
    audit_sequentially,
    audit_table,
)
from epstar.cli.matrix import is_release_file, read_mechanism_file, released_entry
from epstar.cli.options import (
    add_cost_option,
    add_gain_option,
    add_secret_option,
    add_source_options,
    described_cost,
    described_notion,
    described_secret,
    described_source,
    described_universe,
    notion_names,
    words,
)
from epstar.cli.progress import progress
from epstar.cli.result import REFUTED, Result, finite, number
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.names import full_name
from epstar.notions import ApproximateDifferentialPrivacy, Notion, from_problem
from epstar.problem_file import read_distortion, read_secret, read_source, read_universe
from epstar.release.distance import distance, values_of
from epstar.release.secret_entry import secret_of
from epstar.secret import Secret
from epstar.source import Everything, Source

EXAMPLES = """\
epstar audit mechanism.csv --prior 0.5,0.3,0.2
epstar audit mechanism.json --source box.json --cost absolute --notion leakage
epstar solve problem.json --json | epstar audit -
epstar audit --command './answer {input} {count}' --inputs yes,no --claimed 1.0
epstar audit --command './answer {input} {count}' --inputs yes,no,perhaps --claimed 1.0 --sequential
epstar audit --function answers:noisy --inputs yes,no --samples 50000
epstar audit out.csv.release.json --table out.csv
epstar audit mechanism.csv --prior 0.5,0.3,0.2 --secret low,low,high"""
PICTURE = "the mechanism"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the mechanism, or the black box."""
    parser.add_argument(
        "matrix",
        nargs="?",
        help="a mechanism: rows in CSV, with or without labels, or JSON; - for JSON on standard input",
    )
    parser.add_argument("--column", metavar="NAME", help="which mechanism of a release file with several")
    add_source_options(parser)
    add_cost_option(parser)
    parser.add_argument(
        "--notion",
        metavar="NAME",
        help=f"measure by this notion, and compare a matrix with the best: {notion_names()} (default: dp)",
    )
    add_gain_option(parser)
    add_secret_option(parser, "measure what is lost about a secret")
    parser.add_argument("--order", help="the order of a Rényi or Sibson notion")
    parser.add_argument("--delta", help="slack of an approximate notion, also for a black box")
    parser.add_argument("--command", dest="command_line", metavar="PROGRAM", help="a black box to ask")
    parser.add_argument(
        "--function", metavar="MODULE:NAME", help="a black box in Python, called with an input and a number of answers"
    )
    parser.add_argument(
        "--inputs", metavar="A,B", help="two neighbouring inputs for the black box; with --sequential two or more"
    )
    parser.add_argument(
        "--sequential",
        action="store_true",
        help="bet against the claimed loss for all pairs of inputs, and stop as soon as it is refuted",
    )
    parser.add_argument(
        "--table", metavar="TABLE", help="test whether this released table fits the mechanisms of its release file"
    )
    parser.add_argument("--samples", type=int, default=100_000, help="answers to draw for each input")
    parser.add_argument(
        "--confidence", default="0.999", help="the confidence of the bound on a black box (default: 0.999)"
    )
    parser.add_argument("--claimed", metavar="L", help="the loss that is claimed; exit 1 if it is exceeded")


def run(options: argparse.Namespace) -> Result:
    """Audit a matrix, or a command that answers for two inputs."""
    if sum(given is not None for given in (options.matrix, options.command_line, options.function)) != 1:
        raise InvalidInput(
            "Give a mechanism file, or --command 'PROGRAM {input} {count}' or --function MODULE:NAME with --inputs A,B."
        )
    if options.sequential and options.matrix is not None:
        raise InvalidInput("A matrix needs no samples; --sequential is for --command and --function.")
    if options.secret is not None and (options.matrix is None or options.table is not None):
        raise InvalidInput("What is lost about a secret is measured of a matrix; leave --secret out, or give one.")
    if options.table is not None:
        return _table(options)
    if options.matrix is not None:
        return _matrix(options)
    return _sequential(options) if options.sequential else _black_box(options)


def _table(options: argparse.Namespace) -> Result:
    if options.matrix is None:
        raise InvalidInput("A released table is tested against its release file; name that file.")
    if options.plot is not None:
        raise InvalidInput("The test of a table has no picture; leave --plot out.")
    with progress("counting"):
        found = audit_table(options.table, options.matrix, confidence=options.confidence)
    document = {
        "schema": "epstar/table-audit/1",
        "columns": list(found.columns),
        "answer": found.answer,
        "count": found.count,
        "rows": found.rows,
        "least": found.least,
        "most": found.most,
        "probability": found.probability,
        "confidence": str(found.confidence),
        "refuted": found.refuted,
    }
    fits = "was not made as its release file says" if found.refuted else "fits the mechanisms of its release file"
    shown = (
        f"the table {fits}: the answer {found.answer} of {', '.join(found.columns)} has a share of "
        f"{found.count / found.rows:.6g} of {found.rows} rows, and a probability between {found.least:.6g} and "
        f"{found.most:.6g}; by chance alone this has a probability of at most {found.probability:.3g}"
    )
    return Result(document, (shown,), code=REFUTED if found.refuted else 0)


def _sequential(options: argparse.Namespace) -> Result:
    if options.claimed is None:
        raise InvalidInput("A sequential audit bets against a claim; give --claimed L.")
    if options.plot is not None:
        raise InvalidInput("A black box has no matrix to draw; leave --plot out.")
    with progress("asking"):
        found = audit_sequentially(
            _asked(options),
            words(options.inputs or ""),
            claimed=options.claimed,
            samples=options.samples,
            confidence=options.confidence,
            delta=0 if options.delta is None else options.delta,
        )
    document = {
        "schema": "epstar/sequential-audit/1",
        "refuted": found.refuted,
        "inputs": [str(given) for given in found.inputs],
        "event": [str(answer) for answer in found.event],
        "fortune": found.fortune,
        "needed": found.needed,
        "answers": found.answers,
        "confidence": str(found.confidence),
        "claimed": finite(float(found.claimed)),
    }
    level = number(float(Real.of(found.confidence)))
    if found.refuted:
        several = f" or {len(found.event) - 1} others like it" if len(found.event) > 1 else ""
        sentence = (
            f"the loss exceeds the claimed {number(float(found.claimed))} nats, with confidence {level}: decided after "
            f"{found.answers} answers for each input, by the answer {found.event[0]}{several}, which comes more often "
            f"for {found.inputs[0]} than for {found.inputs[1]}"
        )
    else:
        sentence = (
            f"the claimed {number(float(found.claimed))} nats are not refuted by {found.answers} answers for each "
            "input, which is no proof of the claim; more answers would show smaller differences"
        )
    return Result(document, (sentence,), code=REFUTED if found.refuted else 0)


def _matrix(options: argparse.Namespace) -> Result:
    mechanism = _labelled(read_mechanism_file(options.matrix, options.column), options)
    size = mechanism.shape[0]
    notion = from_problem(described_notion(options.notion or "dp", options.order, options.delta, options.gain))
    source, secret = _source(options, mechanism), _secret(options)
    if source.size != size:
        raise InvalidInput(
            f"The distribution is one of {source.size} inputs and the mechanism has {size}; make them agree."
        )
    stated = described_cost(options)
    cost, distortion = str(stated.get("name", "expected")), read_distortion(stated)
    if "name" in stated and values_of(mechanism.universe.labels) is not None:
        # A table of text holds numbers as text, and a difference is between the numbers all the same.
        distortion = distance(distortion, mechanism.universe.labels, options.column or options.matrix)
    with progress("auditing"):
        found = audit_matrix(mechanism, source, distortion, notion, secret)
    document = {
        "schema": "epstar/audit/1",
        "guarantees": [
            {**guarantee.to_json(), "attained_at": _witness(found, guarantee.notion)} for guarantee in found.guarantees
        ],
        "notion": found.notion.name,
        "distortion": None if found.distortion is None else str(found.distortion.value),
        "least_loss": None if found.optimum is None else found.optimum.upper,
        "excess": None if found.excess is None else finite(found.excess),
    }
    about = "" if secret is None else ", about a secret behind the inputs"
    table = Table(title=f"audit of {size} inputs and {mechanism.shape[1]} outputs{about}")
    values = "attained at inputs" if secret is None else "attained at values"
    for heading in ("notion", "loss", "unit", "exactly", values, "outputs"):
        table.add_column(heading)
    for guarantee in found.guarantees:
        if guarantee.loss is None:
            table.add_row(guarantee.notion.full_title, guarantee.reason, "", "", "", "")
            continue
        inputs, outputs = (", ".join(map(str, labels)) for labels in found.witness(guarantee.notion))
        exact = guarantee.loss.upper
        shown = str(exact) if exact is not None and exact.argument_of_log is not None else ""
        measured = number(guarantee.loss.value), guarantee.notion.unit, shown
        table.add_row(guarantee.notion.full_title, *measured, inputs, outputs)
    sentences = []
    if found.distortion is not None:
        sentences.append(f"worst-case {cost} distortion {number(float(Real.of(found.distortion.value)))}")
    if found.optimum is not None and found.excess is not None:
        sentences.append(
            f"the least {found.notion.full_title} loss at that distortion is {number(found.optimum.upper)}: "
            + (f"this mechanism loses {number(found.excess)} more" if found.excess > 0 else "this mechanism reaches it")
        )
    elif found.reason:
        sentences.append(f"how near this is to the best is not told: {found.reason}")
    exceeds = options.claimed is not None and _exceeds(found, options.claimed)
    if options.claimed is not None:
        sentences.append(f"the {found.notion.full_title} loss {_compared(found, options.claimed)} {options.claimed}")
    if isinstance(source, Everything) and any(one.notion.needs_source for one in found.guarantees):
        sentences.append(
            "nothing was said about the frequencies of the inputs, so that losses that depend on them are those of the "
            "worst ones, and may be infinite through no fault of the mechanism; give --prior if they are known"
        )

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        plot_mechanism(mechanism, file)

    rests_on = "" if found.optimum is None else found.optimum.theorem
    return Result(document, (table, *sentences), rests_on, draw, REFUTED if exceeds else 0)


def _secret(options: argparse.Namespace) -> Secret | None:
    """The secret that the options describe, or the one that a release file protects."""
    if options.secret is not None:
        return read_secret(described_secret(options.secret))
    entry = _protecting(options)
    found = None if entry is None else secret_of(entry)
    return None if found is None else found[0]


def _protecting(options: argparse.Namespace) -> dict[str, Any] | None:
    """What a release file says of a column that protects a secret, if it does."""
    if options.matrix == "-" or not is_release_file(options.matrix):
        return None
    entry = released_entry(options.matrix, options.column)
    return entry if "secret" in entry else None


def _source(options: argparse.Namespace, mechanism: AnyMechanism) -> Source:
    stated, entry = described_source(options), _protecting(options)
    if stated is None and entry is not None:
        return read_source(entry["source"], mechanism.universe)
    return Everything(mechanism.shape[0]) if stated is None else read_source(stated, mechanism.universe)


def _labelled(mechanism: AnyMechanism, options: argparse.Namespace) -> AnyMechanism:
    """The mechanism on the inputs that the options name; it keeps its own where they name none."""
    stated = described_universe(options)
    if stated is None:
        return mechanism
    universe, rows = read_universe(stated), mechanism.dense().rows
    if universe.size != len(rows):
        raise InvalidInput(f"{universe.size} inputs are named and the mechanism has {len(rows)}; make them agree.")
    same = mechanism.outputs == mechanism.universe.labels
    return Mechanism(rows, universe, universe.labels if same else mechanism.outputs)


def _witness(found: MatrixAudit, notion: Notion) -> dict[str, object]:
    inputs, outputs = found.witness(notion)
    return {"inputs": [str(label) for label in inputs], "outputs": [str(label) for label in outputs]}


def _exceeds(found: MatrixAudit, claimed: str) -> bool:
    loss = found.loss(found.notion)
    if loss is None:
        return False
    return loss.value > float(Real.of(claimed)) if loss.lower is None else loss.lower > Real.of(claimed)


def _compared(found: MatrixAudit, claimed: str) -> str:
    if _exceeds(found, claimed):
        return "exceeds the claimed"
    loss = found.loss(found.notion)
    is_decided = loss is not None and loss.upper is not None and loss.upper <= Real.of(claimed)
    return "is at most what was claimed," if is_decided else "could not be compared exactly with the claimed"


def _black_box(options: argparse.Namespace) -> Result:
    inputs = [] if options.inputs is None else options.inputs.split(",")
    if len(inputs) != 2:
        raise InvalidInput("An audit of a black box compares two inputs; give --inputs A,B.")
    if options.plot is not None:
        raise InvalidInput("A black box has no matrix to draw; leave --plot out.")
    notion, stated = None, described_source(options)
    if options.notion is not None and full_name(options.notion) != "differential_privacy":
        notion = from_problem(described_notion(options.notion, options.order, options.delta, options.gain))
    if isinstance(notion, ApproximateDifferentialPrivacy):
        notion = None
    with progress("asking"):
        found = audit_black_box(
            _asked(options),
            inputs[0],
            inputs[1],
            samples=options.samples,
            confidence=options.confidence,
            claimed=0 if options.claimed is None else options.claimed,
            delta=0 if options.delta is None else options.delta,
            notion=notion,
            source=None if stated is None else read_source(stated, None),
        )
    document = {
        "schema": "epstar/black-box-audit/1",
        "notion": {"name": found.notion.name, **found.notion.parameters()},
        "lower_bound": found.bound.lower,
        "confidence": str(found.confidence),
        "draws": found.draws,
        "inputs": [str(given) for given in found.inputs],
        "event": [str(answer) for answer in found.event],
        "counts": list(found.counts),
        "claimed": finite(float(found.claimed)),
        "exceeds_claim": found.exceeds_claim,
        "found_in_99_of_100_cases": finite(found.detectable),
    }
    beyond = f", beyond a slack of {found.delta}" if found.delta > 0 else ""
    sentence = (
        f"with confidence {number(float(Real.of(found.confidence)))} the {found.notion.title} loss is at least "
        f"{number(found.bound.lower)}{beyond} ({found.draws} answers for each input decided it)"
    )
    several = f" or {len(found.event) - 1} others like it" if len(found.event) > 1 else ""
    event = (
        f"the event was the answer {found.event[0]}{several}: {found.counts[0]} times for {found.inputs[0]}, "
        f"{found.counts[1]} times for {found.inputs[1]}"
    )
    power = "that an audit finds nothing proves nothing; more answers see more"
    if found.detectable < float("inf"):
        power = (
            f"an audit of this size finds in 99 of 100 cases that a randomised response loses more than "
            f"{number(float(found.claimed))}{beyond} if it loses {number(found.detectable)}"
        )
    exceeds = options.claimed is not None and found.exceeds_claim
    return Result(document, (sentence, event, power), code=REFUTED if exceeds else 0)


def _asked(options: argparse.Namespace) -> BlackBox:
    if options.command_line is None:
        return _function(options.function)
    return Command(tuple(shlex.split(options.command_line)))


def _function(name: str) -> BlackBox:
    """Return the function that is called MODULE:NAME; modules of the working folder are found too."""
    module, _, attribute = name.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    found = None
    # Whatever goes wrong in somebody else's code says nothing about what it loses.
    with suppress(Exception):
        found = getattr(importlib.import_module(module), attribute)
    if not callable(found):
        raise InvalidInput(f"There is no function {name}; name it as MODULE:NAME, and try to import it first.")

    def black_box(given: Hashable, count: int) -> Sequence[Hashable]:
        with suppress(Exception):
            return list(found(given, count))
        raise AuditFailed(f"The function {name} failed; try it by hand first.")

    return black_box
