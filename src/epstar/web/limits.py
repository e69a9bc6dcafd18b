"""How much one server does for anybody: sizes, times and numbers of jobs, in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from epstar.errors import InvalidInput


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Limits:
    """What a request may ask for, and what the server keeps.

    `inputs` bounds the categories where each is a number or two, `table` those where each pair has an entry of its own,
    or each database. How long an answer takes is bounded by time, not by size: `seconds` is the time one job may take
    once it runs, `waiting_seconds` the time until it does; after `abandoned_seconds` without anybody asking, a job
    is cancelled. `queued`, `queued_per_address` and `queued_per_user` bound the jobs that wait or run, `queued_bytes`
    what was asked in them together. `running_per_address` bounds the workers that one address holds, all of them if it
    is None. `kept_bytes` bounds the results that are remembered, `memory` what a worker may take.

    `connections` bounds those that are open at once; each has `head_seconds` to say what it wants and `body_seconds`
    to send the rest, or to take what it asked for.
    """

    request_bytes: int = 4 << 20
    inputs: int = 10_000
    table: int = 128
    points: int = 201
    seconds: float = 60.0
    waiting_seconds: float = 600.0
    abandoned_seconds: float = 30.0
    queued: int = 1024
    queued_per_address: int = 256
    queued_per_user: int = 32
    queued_bytes: int = 256 << 20
    running_per_address: int | None = None
    kept_bytes: int = 64 << 20
    memory: int = 4 << 30
    connections: int = 512
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    workers: int = field(default_factory=lambda: max(2, min(8, _cores())))

    def check_points(self, points: object) -> int:
        """Return a number of points that is allowed."""
        if type(points) is not int or not 2 <= points <= self.points:
            raise InvalidInput(f"A curve has 2 to {self.points} points here; ask for a number between them.")
        return points

    def check_problem(self, document: object) -> Mapping[str, Any]:
        """Return a problem document whose sizes are allowed; whatever else is wrong with it is for its reader.

        Sizes are looked at before anything is built, because a short document can describe a huge universe.
        """
        if not isinstance(document, Mapping):
            raise InvalidInput("The request must be a problem in JSON: an object in braces.")
        secret, source = document.get("secret"), document.get("source")
        for universe in (document.get("universe"), secret.get("universe") if isinstance(secret, Mapping) else None):
            self._check_universe(universe)
        if isinstance(source, Mapping):
            for entry in source.values():
                self._check_size(entry if isinstance(entry, int) else None)
            self._check_size(source.get("prior"))
        return document

    def _check_universe(self, universe: object) -> None:
        if isinstance(universe, Mapping):
            for kind in ("size", "alphabet"):
                self._check_size(universe.get(kind))
            self._check_size(universe.get("metric"), self.table)
            self._check_graph(universe.get("graph"))
            self._check_databases(universe.get("databases"))
            if isinstance(universe.get("query"), Mapping):
                self.check_query(universe["query"])

    def check_table(self, size: int, what: str) -> None:
        """Refuse what has an entry for each pair of inputs where these are too many."""
        if size > self.table:
            raise InvalidInput(
                f"{what} for up to {self.table} inputs here, and these are {size}; use the command line."
            )

    def check_query(self, fields: Mapping[str, Any]) -> None:
        """Refuse a query with too many answers."""
        for name in ("individuals", "values"):
            if isinstance(fields.get(name), int) and fields[name] > 10_000:
                raise InvalidInput(f"A query has at most 10000 {name} here; ask about fewer.")
        from epstar.query import query_from_problem

        self._check_size(query_from_problem(fields).size, self.table)

    def _check_graph(self, graph: object) -> None:
        if isinstance(graph, Mapping):
            self._check_size(graph.get("nodes"))

    def _check_databases(self, databases: object) -> None:
        if isinstance(databases, Mapping):
            alphabet, rows = databases.get("alphabet", databases.get("size")), databases.get("rows")
            letters = len(alphabet) if isinstance(alphabet, list) else alphabet
            self._check_size(letters)
            if isinstance(letters, int) and isinstance(rows, int) and rows > 0 and letters > 1:
                self._check_size(letters ** min(rows, 20), self.table)

    def _check_size(self, size: object, most: int | None = None) -> None:
        count, allowed = len(size) if isinstance(size, list) else size, self.inputs if most is None else most
        if isinstance(count, int) and count > allowed:
            raise InvalidInput(
                f"The page takes at most {allowed} inputs here, and this has {count if count < 10**9 else 'far more'}; "
                "merge some, or use the command line."
            )
