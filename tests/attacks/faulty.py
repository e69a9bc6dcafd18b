"""The zoo of samplers that are wrong, each in one way that a real one was or could be, with the test that must see it.

The samplers are in `faulty_laws` and `faulty_randomness`, which put themselves into the zoo when they are imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.attacks.subject import Subject

from epstar.release.tickets import Tickets


@dataclass(frozen=True)
class Fault:
    """A wrong sampler and the name of the test that must reject it."""

    make: Callable[[Tickets], Subject]
    seen_by: str


ZOO: dict[str, Fault] = {}


def fault(seen_by: str) -> Callable[[type[Subject]], type[Subject]]:
    """Put a class into the zoo."""

    def put(kind: type[Subject]) -> type[Subject]:
        ZOO[kind.__name__] = Fault(kind, seen_by)
        return kind

    return put
