"""A trade-off at many points: the answers in order, with their proven bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from epstar.answer import Answer, unit_asked
from epstar.breakpoints import Breakpoint, breakpoints
from epstar.errors import InvalidInput
from epstar.notebook.face import Displayed, Saved, Tabular, late
from epstar.points import Unanswered, answered, solved, stream
from epstar.problem import Asked, Problem
from epstar.proof import CurveProof

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AnswersOnDemand", "Curve", "Progress", "Unanswered", "proven_curve", "solved_curve"]

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Curve(Displayed, Tabular, Saved):
    """Answers to the same question at many points, in the order in which they were asked.

    `lower` and `upper` are the proven ends of what was asked for: losses at given distortions, or distortions
    (utilities, for a gain) at given losses. A point without a mechanism has an infinite loss or distortion.

    For one prior under Hamming distortion, and a notion with a closed form, all points share one `proof`, which was
    checked when the curve was made; the answers, each with its mechanism and a proof of its own, are made when they are
    asked for.

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
    proof: CurveProof | None = None
    """The proof of all ends at once, where there is one."""
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
        return self.proof is None and any(answer.timed_out for answer in self.answers)

    @property
    def too_large(self) -> bool:
        """Whether the memory allowed left a point with a wider interval than it would have had."""
        return self.proof is None and any(isinstance(answer, Answer) and answer.too_large for answer in self.answers)

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
        if self.proof is not None:
            return np.array([point.lower.lower for point in self.proof.points])
        return np.array([self._ends(answer)[0] for answer in self.answers])

    @cached_property
    def upper(self) -> Floats:
        """The proven upper ends."""
        if self.proof is not None:
            return np.array([point.upper.upper for point in self.proof.points])
        return np.array([self._ends(answer)[1] for answer in self.answers])

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
    """The answers of a curve whose ends are known: each is made, and its proof checked, when it is first asked for."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        self._made: dict[int, Answer | Unanswered] = {}

    def __len__(self) -> int:
        return len(self._problems)

    @overload
    def __getitem__(self, place: int) -> Answer | Unanswered: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Answer | Unanswered]: ...

    def __getitem__(self, place: int | slice) -> Answer | Unanswered | Sequence[Answer | Unanswered]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]
        if i not in self._made:
            self._made[i] = answered(self._problems[i], solved(self._problems[i]))
        return self._made[i]


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
    `epstar.points.stream` takes. One proof for all points is never cut short, and needs no workers.
    """
    if not problems:
        raise InvalidInput("A curve needs at least one point; give distortions, losses or a number of points.")
    points = stream(problems, workers, time_limit, memory_limit, executor)
    proven = proven_curve(problems)
    if proven is not None:
        if progress is not None:
            progress(len(problems), len(problems))
        return proven
    answers: dict[int, Answer | Unanswered] = {}
    for place, answer in points:
        answers[place] = answer
        if progress is not None:
            progress(len(answers), len(problems))
    return Curve(tuple(problems), tuple(answers[place] for place in range(len(problems))), time_limit=time_limit)


def proven_curve(problems: Sequence[Problem]) -> Curve | None:
    """Return the curve with one proof for all its points, checked; None where only single answers can be proven.

    It takes some fifty microseconds for each point, however many letters there are.
    """
    # Solvers are loaded when there is something to solve.
    from epstar.solve.forms.ranked_curve import curve_proof

    proof = None if any(problem.is_wider for problem in problems) else curve_proof(problems)
    if proof is None:
        return None
    proof.check()
    return Curve(tuple(problems), AnswersOnDemand(tuple(problems)), proof)
