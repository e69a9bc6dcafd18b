"""How an answer was found: who was asked, what each improved, and the theorem that it used."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.problem import Problem

BEST_DESIGN = "best design"
"""Who answers about the error of a statistic."""


@dataclass(frozen=True)
class Improvement:
    """What a method changed: the ends after it, None for one that it left, and the seconds of work since the last."""

    by: str
    theorem: str
    lower: float | None
    upper: float | None
    seconds: float

    def __str__(self) -> str:
        ends = (("at least", self.lower), ("at most", self.upper))
        said = " and ".join(f"{word} {end:.10g}" for word, end in ends if end is not None)
        return f"{self.by}: {said}, by {self.theorem}"


@dataclass(frozen=True)
class Asked:
    """Another problem that a reduction or a method asked about, and how that was answered."""

    by: str
    explanation: Explanation


@dataclass(frozen=True)
class Stopped:
    """A method that a limit or a failure ended, and why: what would have narrowed the ends."""

    by: str
    reason: str

    def __str__(self) -> str:
        return f"{self.by}: stopped. {self.reason}"


@dataclass(frozen=True)
class Explanation:
    """What happened, in order: improvements of the two ends, questions about other problems, methods that were stopped.

    As text it is one line for each, what belongs to another problem further in.
    """

    asks: str
    steps: tuple[Improvement | Asked | Stopped, ...]

    def lines(self, seconds: bool = False, indent: str = "") -> list[str]:
        """Return the text line by line, with the seconds of work that each improvement took if they are asked for."""
        found = [f"{indent}{self.asks}"]
        for step in self.steps:
            if isinstance(step, Improvement):
                found.append(f"{indent}  {step} ({step.seconds:.2f} s)" if seconds else f"{indent}  {step}")
            elif isinstance(step, Stopped):
                found.append(f"{indent}  {step}")
            else:
                found += [f"{indent}  {step.by} asks:", *step.explanation.lines(seconds, f"{indent}    ")]
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())


def asked_for(problem: Problem) -> str:
    """Return what a problem asks for, in words."""
    what, at = ("loss", "distortion") if problem.asks == "loss" else ("distortion", "loss")
    wider = (("a secret", problem.secret), ("limits", problem.limits), ("further guarantees", problem.also))
    added = [name for name, part in wider if part]
    with_these = f", with {' and '.join(added)}" if added else ""
    return f"the least {what} under {problem.notion.full_title} at {at} {problem.given}{with_these}"


@dataclass(frozen=True)
class Plan:
    """Who would be asked about a problem, without asking: the reduction that replaces it, or the methods in order.

    After a relaxation, which may leave something open, both are.
    """

    asks: str
    reduction: str | None
    questions: tuple[Plan, ...]
    methods: tuple[str, ...]

    def lines(self, indent: str = "") -> list[str]:
        """Return the text line by line."""
        found = [f"{indent}{self.asks}"]
        if self.reduction is not None:
            found.append(f"{indent}  {self.reduction} asks:" if self.questions else f"{indent}  {self.reduction}")
            for question in self.questions:
                found += question.lines(f"{indent}    ")
        return [*found, *(f"{indent}  {method}" for method in self.methods)]

    def __str__(self) -> str:
        return "\n".join(self.lines())
