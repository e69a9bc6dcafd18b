"""A trade-off at many points: the answers in order, with their proven bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from epstar.answer import Answer, unit_asked
from epstar.breakpoints import Breakpoint, breakpoints
from epstar.claims import Bracket, Setting
from epstar.completion import Proof
from epstar.errors import InvalidInput
from epstar.notebook.face import Displayed, Saved, Tabular, late
from epstar.points import Unanswered, answered, solved, stream
from epstar.problem import Asked, Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AnswersOnDemand", "Curve", "Progress", "Unanswered", "solved_curve"]

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

# Inputs at all points together, beyond which mechanisms and claims are made again when they are asked for: a million
# take about half a gigabyte.
_MOST_KEPT = 1 << 20


@dataclass(frozen=True, repr=False)
class Curve(Displayed, Tabular, Saved):
    """Answers to the same question at many points, in the order in which they were asked.

    `lower` and `upper` are the proven ends of what was asked for: losses at given distortions, or distortions
    (utilities, for a gain) at given losses. A point without a mechanism has an infinite loss or distortion.

    Every answer has its mechanism and claims of its own, which were checked when it was made. A curve of many points on
    many inputs keeps what they say, and makes them again when they are asked for.

    >>> from epstar.distortion import Hamming
    >>> from epstar.frontier import Frontier
    >>> from epstar.notions import MaximalLeakage
    >>> from epstar.source import Prior
    >>> curve = Frontier(MaximalLeakage(), Prior(["1/2", "1/2"]), Hamming()).curve(distortions=["1/4", "1/2"])
    >>> [str(answer.interval.upper) for answer in curve.answers]
    ['log(3/2)', '0']
    """

    _face: ClassVar[str] = "curves"

    problems: tuple[Problem, ...]
    answers: Sequence[Answer | Unanswered]
    time_limit: float | None = None
    """The seconds that the points were given together; the breakpoints are given as many."""

    @property
    def asks(self) -> Asked:
        """What was asked for at every point: "loss" or "distortion"."""
        return self.problems[0].asks

    @property
    def unit(self) -> str:
        """What the ends are measured in: "nats", "distortion" or "utility"."""
        return unit_asked(self.problems[0])

    @property
    def timed_out(self) -> bool:
        """Whether a time limit left a point without an answer, or with a wider interval than it would have had."""
        return any(answer.timed_out for answer in self.known)

    @property
    def too_large(self) -> bool:
        """Whether the memory allowed left a point with a wider interval than it would have had."""
        return any(isinstance(answer, Answer) and answer.too_large for answer in self.known)

    @property
    def known(self) -> Sequence[Answer | Unanswered]:
        """What the answers say, perhaps without the mechanisms and claims that show it."""
        return self.answers.known if isinstance(self.answers, AnswersOnDemand) else self.answers

    @property
    def distortion(self) -> Floats:
        """The distortion of each point: as given, or the proven upper end, which the mechanism attains."""
        return self._given if self.asks == "loss" else self._attained

    @property
    def loss(self) -> Floats:
        """The loss of each point: as given, or the proven upper end, which the mechanism attains."""
        return self._attained if self.asks == "loss" else self._given

    @cached_property
    def lower(self) -> Floats:
        """The proven lower ends."""
        return np.array([self._ends(answer)[0] for answer in self.known])

    @cached_property
    def upper(self) -> Floats:
        """The proven upper ends."""
        return np.array([self._ends(answer)[1] for answer in self.known])

    @cached_property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints of the whole trade-off; found when they are first asked for.

        Raises:
            TimeLimit: if the curve has a time limit, and as many seconds are not enough.
        """
        return breakpoints(self.problems[0], self.time_limit)

    def plot(self, axes: Axes | None = None, breakpoints: bool = True) -> Axes:
        """Draw the trade-off with its proven band onto `axes`, or onto new ones, and return them.

        With `breakpoints` they are marked; to find them takes a scan where there is no closed form.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        drawn: Axes = late("pictures").plot(self, axes, breakpoints)
        return drawn

    @property
    def _given(self) -> Floats:
        return np.array([float(problem.given) for problem in self.problems])

    @property
    def _attained(self) -> Floats:
        # A utility is a distortion turned round, and its lower end is the one attained.
        return -self.lower if self._is_utility else self.upper

    @property
    def _is_utility(self) -> bool:
        return self.unit == "utility"

    def _ends(self, answer: Answer | Unanswered) -> tuple[float, float]:
        if isinstance(answer, Answer):
            return answer.lower, answer.upper
        if answer.is_impossible:
            end = -np.inf if self._is_utility else np.inf
            return end, end
        return (0.0 if self.asks == "loss" else -np.inf), np.inf


class AnswersOnDemand(Sequence[Answer | Unanswered]):
    """The answers of a large curve: what each said is kept, the rest is made, and checked, when it is asked for."""

    def __init__(self, problems: tuple[Problem, ...], known: tuple[Answer | Unanswered, ...]) -> None:
        self._problems = problems
        self.known = known

    def __len__(self) -> int:
        return len(self._problems)

    @overload
    def __getitem__(self, place: int) -> Answer | Unanswered: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Answer | Unanswered]: ...

    def __getitem__(self, place: int | slice) -> Answer | Unanswered | Sequence[Answer | Unanswered]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        problem = self._problems[place]
        return answered(problem, solved(problem))


def _without_evidence(answer: Answer | Unanswered) -> Answer | Unanswered:
    if isinstance(answer, Unanswered):
        return answer
    problem = answer.problem
    empty = Bracket(Setting.of(problem))
    return replace(answer, mechanism=None, proof=Proof(problem, None, None), claims=empty, explanation=None)


def solved_curve(
    problems: Sequence[Problem],
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    executor: Executor | None = None,
) -> Curve:
    """Return the curve through the answers to `problems`, which differ only in the point that they ask about.

    `progress` is called with the number of points done and the number of all points; the rest is what
    `epstar.points.stream` takes.
    """
    if not problems:
        raise InvalidInput("A curve needs at least one point; give distortions, losses or a number of points.")
    points = stream(problems, workers, time_limit, memory_limit, executor)
    is_large = len(problems) * problems[0].universe.size > _MOST_KEPT
    answers: dict[int, Answer | Unanswered] = {}
    for place, answer in points:
        answers[place] = _without_evidence(answer) if is_large else answer
        if progress is not None:
            progress(len(answers), len(problems))
    known = tuple(answers[place] for place in range(len(problems)))
    asked = tuple(problems)
    return Curve(asked, AnswersOnDemand(asked, known) if is_large else known, time_limit)
