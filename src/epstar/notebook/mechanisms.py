"""A mechanism: the probability of each output for each input, shaded, and what it loses by differential privacy."""

from __future__ import annotations

from epstar.errors import EpstarError
from epstar.exact import Interval
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.mechanism.base import counted
from epstar.notebook.card import card, measured, name, number_table, shaded
from epstar.notions import DifferentialPrivacy
from epstar.release.report.markup import Child, Markup
from epstar.risk import in_words

_MOST = 12
# What can be measured while somebody waits.
_QUICK_ENTRIES = 1 << 16


def size_of(mechanism: AnyMechanism) -> str:
    """Return the number of inputs and of outputs."""
    return " × ".join(counted(size) for size in mechanism.shape)


def html(mechanism: AnyMechanism) -> str:
    """Return a mechanism as a small page."""
    inputs, outputs = (counted(size) for size in mechanism.shape)
    kind = "exact" if mechanism.is_exact else "floats"
    facts: list[tuple[str, Child]] = [("size", f"{inputs} inputs, {outputs} outputs ({kind})"), *_loss(mechanism)]
    return card("Mechanism", facts, matrix(mechanism))


def _loss(mechanism: AnyMechanism) -> list[tuple[str, Child]]:
    """What is lost by differential privacy, which needs no knowledge of the inputs; nothing where that takes long."""
    inputs, outputs = mechanism.shape
    notion = DifferentialPrivacy()
    if mechanism.is_expanded and inputs * outputs > _QUICK_ENTRIES:
        return []
    try:
        loss = notion.loss(mechanism)
    except EpstarError:
        return []
    if loss.lower is None or loss.upper is None:
        return [(notion.title, f"about {loss.value:.6g} nats, in floats")]
    words = in_words(notion, loss.upper, mechanism.universe)
    return [(notion.title, measured(Interval(loss.lower, loss.upper), "nats")), ("in words", words)]


def matrix(mechanism: AnyMechanism) -> Markup:
    """Return the probabilities as a table, or the first of them where there are many."""
    inputs, outputs = (min(size, _MOST) for size in mechanism.shape)
    rows: list[list[Child]] = []
    for x in range(inputs):
        if isinstance(mechanism, Mechanism):
            entries = mechanism.floats[x, :outputs].tolist()
        else:
            entries = nearest_floats([mechanism.entry(x, y) for y in range(outputs)]).tolist()
        cells: list[Child] = [shaded(entry) for entry in entries]
        rows.append([name(mechanism.universe.label(x)), *cells, *_dots(mechanism.shape[1])])
    if mechanism.shape[0] > _MOST:
        rows.append(["…"] * (outputs + 1))
    columns: list[Child] = ["input", *(name(mechanism.outputs[y]) for y in range(outputs)), *_dots(mechanism.shape[1])]
    return number_table(columns, rows, "probability of each output (columns) for each input (rows)")


def _dots(size: int) -> list[Child]:
    return ["…"] if size > _MOST else []
