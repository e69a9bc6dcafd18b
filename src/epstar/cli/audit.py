"""`epstar audit`: what a mechanism that somebody hands over really loses."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rich.console import Console
from rich.table import Table

from epstar.audit import Command, audit_black_box, audit_matrix
from epstar.cli.commands import number, print_json
from epstar.cli.options import read_json, written_numbers
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.source import Everything, Prior, Source


def audit(options: argparse.Namespace) -> int:
    """Audit a matrix, or a command that answers for two inputs."""
    if (options.matrix is None) == (options.command_line is None):
        raise InvalidInput("Give a mechanism file, or --command 'PROGRAM {input} {count}' with --inputs A,B.")
    return _matrix(options) if options.matrix is not None else _black_box(options)


def _matrix(options: argparse.Namespace) -> int:
    mechanism = _mechanism(options.matrix)
    size = mechanism.shape[0]
    source: Source = Everything(size) if options.prior is None else Prior(written_numbers(options.prior))
    found = audit_matrix(mechanism, source)
    if options.json:
        print_json(
            {
                "guarantees": [guarantee.to_json() for guarantee in found.guarantees],
                "distortion": str(found.distortion.value),
                "least_loss": None if found.optimum is None else found.optimum.upper,
                "excess": found.excess,
            }
        )
        return 0
    table = Table(title=f"audit of {size} inputs and {mechanism.shape[1]} outputs")
    for heading in ("notion", "loss (nats)", "exactly", "attained at inputs", "outputs"):
        table.add_column(heading)
    for guarantee in found.guarantees:
        if guarantee.loss is None:
            table.add_row(guarantee.notion.title, guarantee.reason, "", "", "")
            continue
        inputs, outputs = (", ".join(map(str, labels)) for labels in found.witness(guarantee.notion))
        exact = guarantee.loss.upper
        shown = str(exact) if exact is not None and exact.argument_of_log is not None else ""
        table.add_row(guarantee.notion.title, number(guarantee.loss.value), shown, inputs, outputs)
    console = Console()
    console.print(table)
    console.print(f"worst-case Hamming distortion {number(float(Real.of(found.distortion.value)))}")
    if found.optimum is not None and found.excess is not None:
        console.print(
            f"the least {found.notion.title} loss at that distortion is {number(found.optimum.upper)}: this mechanism "
            f"loses {number(found.excess)} more than it must"
        )
    return 0


def _mechanism(name: str) -> AnyMechanism:
    """Return the mechanism in a JSON file (a matrix, or what epstar wrote), or in a CSV file of rows."""
    if name.endswith(".csv"):
        try:
            lines = Path(name).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise InvalidInput(f"{name} cannot be read: {error.strerror}.") from None
        return Mechanism([[cell.strip() for cell in line.split(",")] for line in lines if line.strip()])
    document = read_json(name)
    if isinstance(document, dict):
        return AnyMechanism.from_json(document.get("mechanism", document))
    return Mechanism(document)


def _black_box(options: argparse.Namespace) -> int:
    inputs = [] if options.inputs is None else options.inputs.split(",")
    if len(inputs) != 2:
        raise InvalidInput("An audit of a command compares two inputs; give --inputs A,B.")
    found = audit_black_box(
        Command(tuple(shlex.split(options.command_line))),
        inputs[0],
        inputs[1],
        samples=options.samples,
        confidence=options.confidence,
        claimed=0 if options.claimed is None else options.claimed,
    )
    if options.json:
        print_json({"lower_bound": found.bound.lower, "confidence": str(found.confidence), "draws": found.draws})
        return 0
    Console().print(
        f"with confidence {number(float(Real.of(found.confidence)))} the loss is at least {number(found.bound.lower)} "
        f"nats ({found.draws} answers for each input decided it; an audit of this size finds a loss of "
        f"{number(found.detectable)} beyond what is claimed in 99 of 100 cases)"
    )
    return 1 if options.claimed is not None and found.exceeds_claim else 0
