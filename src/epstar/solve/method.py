"""A method: a generator of claims about a problem, each with the theorem that it used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epstar.deadline import Deadline
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Bracket, Claims

Kind: TypeAlias = Literal["ends", "closed form", "program", "fallback"]


@dataclass(frozen=True)
class Task:
    """What a method works on: a problem, what is known of it so far, and when to stop."""

    problem: Problem
    bracket: Bracket
    deadline: Deadline


@dataclass(frozen=True)
class Method:
    """A way to claims: its name, the problems that it accepts at a glance, and the generator.

    It is asked while the bracket is wider than `worth`, in nats or units of the distortion; a quick one even when the
    time is over, for a moment; a fallback only after a limit or a failure. One whose work is bounded by the size of the
    question is never stopped by the clock: without it there might be no answer at all.
    """

    name: str
    kind: Kind
    accepts: Callable[[Problem], bool]
    claims: Callable[[Task], Claims]
    worth: float = NARROW
    is_quick: bool = False
    is_bounded: bool = False
