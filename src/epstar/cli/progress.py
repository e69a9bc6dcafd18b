"""Progress on a terminal, for whatever takes longer than a second; silence in a pipe."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

Step = Callable[[int, int | None], None]
"""Tells how much is done, and of how much in all where that is known."""

_PATIENCE = 1.0


@contextmanager
def progress(what: str, unit: str = "") -> Iterator[Step | None]:
    """Show a bar on standard error once a second has passed, with a rate where a unit is named.

    Yields None where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    rate = [_Rate(unit)] if unit else []
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), *rate, TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    start = threading.Timer(_PATIENCE, bar.start)
    start.daemon = True
    start.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        start.cancel()
        start.join()
        bar.stop()


class _Rate(ProgressColumn):
    """How much is done in a second, once that can be told."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f} {self._unit}/s")
