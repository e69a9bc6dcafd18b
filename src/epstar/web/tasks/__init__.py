"""What a worker can be asked for, by name: each task takes a JSON document and returns one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from epstar.web.worker import Context

Task: TypeAlias = Callable[[Any, Context], object]

PLACES: Mapping[str, tuple[str, ...]] = {
    "epstar.web.tasks.frontier": ("solve", "ends", "curve", "breakpoints", "source"),
    "epstar.web.tasks.evidence": ("audit", "check"),
    "epstar.web.tasks.compare": ("baselines", "convert"),
    "epstar.web.tasks.files": ("figure", "release", "code"),
    "epstar.web.tasks.queries": ("query",),
    "epstar.web.tasks.papers": ("theorem", "rerun"),
    "epstar.web.tasks.publish": ("plan", "publish"),
}
"""The tasks by the modules that hold them, in the order in which a page needs them."""


def find_task(name: str) -> Task:
    """Return a task; its module is imported when it is first needed."""
    place = next(module for module, names in PLACES.items() if name in names)
    task: Task = getattr(import_module(place), name)
    return task
