"""The trade-off between privacy and distortion, and the answers it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from epstar.answer import Answer, answer
from epstar.arguments import shown, typed
from epstar.breakpoints import Breakpoint, breakpoints, ends
from epstar.curve import Curve, Progress, solved_curve
from epstar.distortion import NAMED, Distortion
from epstar.errors import InvalidInput
from epstar.exact import Number, Rational, Real
from epstar.limits import Limits
from epstar.names import COSTS, full_name
from epstar.notebook.face import Displayed, late
from epstar.notions import from_problem
from epstar.notions.base import Notion
from epstar.probability_vectors import Labelled, Numbers, listed
from epstar.problem import Asked, Further, Problem
from epstar.secret import Secret
from epstar.source import Prior, Rows, Source
from epstar.universe import Alphabet, Databases, Universe

if TYPE_CHECKING:
    from epstar.solve import Explanation

__all__ = ["Answer", "Breakpoint", "Curve", "Frontier"]


Many = list[Any] | tuple[Any, ...] | range | NDArray[Any] | Labelled
"""Several points at once."""


@dataclass(frozen=True, repr=False)
class Frontier(Displayed):
    """How much privacy must be lost to keep the distortion within a bound, and the other way round.

    A notion and a distortion may be given by the names that the command line takes, and a prior as its probabilities.
    Without a universe the inputs are an `Alphabet`, which takes its labels from a prior that has some.

    >>> from epstar.distortion import Hamming
    >>> from epstar.notions import DifferentialPrivacy
    >>> from epstar.source import Prior
    >>> frontier = Frontier(DifferentialPrivacy(), Prior([0.4, 0.3, 0.2, 0.1]), Hamming())
    >>> answer = frontier.loss_at(distortion=0.2)
    >>> str(answer.interval.upper), answer.interval.width
    ('log(12)', 0.0)
    >>> str(Frontier("dp", {"yes": 0.5, "no": 0.5}, "hamming").loss_at("1/4").interval.upper)
    'log(3)'

    Args:
        notion: how privacy loss is measured.
        source: what is known about the frequencies.
        distortion: what a wrong answer costs.
        universe: the inputs, and which of them are neighbours.
        secret: what the notion protects in place of the data (`epstar.Secret`).
        limits: what else the mechanism must keep (`epstar.Limits`).
        also: further guarantees, pairs of a notion and a level.

    >>> from epstar.limits import Limits
    >>> capped = Frontier("dp", {"yes": 0.5, "no": 0.5}, "hamming", limits=Limits(upper="2/3"))
    >>> round(capped.distortion_at(loss=5).lower, 9)
    0.333333333
    """

    _face: ClassVar[str] = "frontiers"

    notion: Notion
    source: Source
    distortion: Distortion
    universe: Universe
    secret: Secret | None
    limits: Limits
    also: Further

    def __init__(
        self,
        notion: Notion | str,
        source: Source | Numbers | Mapping[Any, Number] | Labelled,
        distortion: Distortion | str,
        universe: Universe | None = None,
        *,
        secret: Secret | None = None,
        limits: Limits | None = None,
        also: Sequence[tuple[Notion | str, Number]] = (),
    ) -> None:
        notion, source, distortion = _named_notion(notion), _read_source(source), _named_distortion(distortion)
        _check_kind(notion, Notion, "notion, such as DifferentialPrivacy()")
        _check_kind(distortion, Distortion, "distortion, such as Hamming()")
        chosen = _universe_of(source) if universe is None else universe
        _check_kind(chosen, Universe, "universe, such as Alphabet(4)")
        object.__setattr__(self, "notion", notion)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "distortion", distortion)
        object.__setattr__(self, "universe", chosen)
        _check_kind(secret, Secret | None, "secret, such as Secret.of([...])")
        _check_kind(limits, Limits | None, "set of limits, such as Limits(upper=0.9)")
        object.__setattr__(self, "secret", secret)
        object.__setattr__(self, "limits", Limits() if limits is None else limits)
        object.__setattr__(self, "also", _read_further(also))

    @overload
    def loss_at(
        self,
        distortion: Number,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer: ...

    @overload
    def loss_at(
        self,
        distortion: Many,
        method: None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Curve: ...

    def loss_at(
        self,
        distortion: Number | Many,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer | Curve:
        """Return the least loss of a mechanism whose worst-case distortion is at most `distortion`.

        Args:
            distortion: the distortion allowed, such as 0.2 or "1/5"; several of them give a curve.
            method: the only method to use, such as "closed form" or "program"; all of them unless given.
            time_limit: seconds, after which the answer has the bounds that are proven by then.
            memory_limit: bytes for all that the process holds; half of what is free unless given.

        Returns:
            the proven answer with its mechanism, or a curve of answers.

        Raises:
            NoSolution: if no mechanism has so little distortion and a finite loss.
            InvalidInput: if a number or the method makes no sense.

        >>> str(Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5").interval.upper)
        'log(12)'
        """
        return self._at("loss", distortion, method, time_limit, memory_limit)

    @overload
    def distortion_at(
        self,
        loss: Number,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer: ...

    @overload
    def distortion_at(
        self,
        loss: Many,
        method: None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Curve: ...

    def distortion_at(
        self,
        loss: Number | Many,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer | Curve:
        """Return the least worst-case distortion (or the best utility) of a mechanism with at most this loss.

        Args:
            loss: the loss allowed, such as 1 or "log(3)"; several of them give a curve.
            method: the only method to use, such as "closed form" or "program"; all of them unless given.
            time_limit: seconds, after which the answer has the bounds that are proven by then.
            memory_limit: bytes for all that the process holds; half of what is free unless given.

        Returns:
            the proven answer with its mechanism, or a curve of answers.

        Raises:
            NoSolution: if no mechanism keeps this loss.
            InvalidInput: if a number or the method makes no sense.

        >>> str(Frontier("dp", {"yes": 0.5, "no": 0.5}, "hamming").distortion_at("log(3)").interval.upper)
        '1/4'
        """
        return self._at("distortion", loss, method, time_limit, memory_limit)

    def explain(
        self, distortion: Number | None = None, loss: Number | None = None, time_limit: float | None = None
    ) -> Explanation:
        """Return how the answer at a distortion, or at a loss, is found.

        It is one line for each reduction or method that improved an end, with the theorem that it used. Who would be
        asked, without solving anything, says `epstar.solve.select_methods`.

        >>> print(Frontier("information", [0.4, 0.3, 0.2, 0.1], "hamming").explain(distortion=0.2))
        the least loss under mutual information at distortion 1/5
          mutual information: at least 0.5597293446 and at most 0.5597293446, by Erokhin's rate-distortion function
        """
        if (distortion is None) == (loss is None):
            raise InvalidInput("An answer is at a distortion or at a loss; give one of the two.")
        problem = self._problem("distortion", loss) if distortion is None else self._problem("loss", distortion)
        found = answer(problem, None, time_limit).explanation
        assert found is not None
        return found

    def curve(
        self,
        distortions: Sequence[Number] | Many | None = None,
        losses: Sequence[Number] | Many | None = None,
        points: int = 50,
        workers: int | None = None,
        progress: Progress | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        executor: Executor | None = None,
    ) -> Curve:
        """Return the answers at given distortions, at given losses, or at evenly spaced distortions.

        Args:
            distortions: where to ask for the least loss.
            losses: where to ask for the least distortion instead.
            points: how many distortions to choose where neither is given, from the least there is to one at which the
                loss is the least of all.
            workers: how many processes to use; as many as there are cores unless given.
            progress: called with the number of points done and the number of all points.
            time_limit: seconds for all points together; the curve then holds what was proven so far
                (`Curve.timed_out`).
            memory_limit: bytes for all that the process holds.
            executor: one of `concurrent.futures`, in place of processes.

        Returns:
            the answers; `epstar.points.stream` yields them as they come.

        >>> Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").curve(distortions=["1/5", "2/5"]).upper.round(4).tolist()
        [2.4849, 1.3863]
        """
        if distortions is not None and losses is not None:
            raise InvalidInput("A curve goes over distortions or over losses; give one of the two.")
        if losses is not None:
            problems = [self._problem("distortion", loss) for loss in listed(losses, "The list of losses")]
        elif distortions is not None:
            problems = [self._problem("loss", place) for place in listed(distortions, "The list of distortions")]
        else:
            problems = [self._problem("loss", distortion) for distortion in self.grid(points)]
        return solved_curve(problems, workers, progress, time_limit, memory_limit, executor)

    def breakpoints(self, time_limit: float | None = None) -> tuple[Breakpoint, ...]:
        """Return where the trade-off changes its course: the least distortion, jumps, kinks, the free end.

        What is exact of them, and what may be missed, says `epstar.breakpoints.breakpoints`. `time_limit` is in
        seconds; `TimeLimit` is raised where it passes.

        >>> from epstar.distortion import Hamming
        >>> from epstar.notions import DifferentialPrivacy
        >>> from epstar.source import Prior
        >>> jump = Frontier(DifferentialPrivacy(), Prior([0.7, 0.2, 0.1]), Hamming()).breakpoints()[-1]
        >>> jump.kind, str(jump.distortion), str(jump.left.upper), str(jump.right.upper)
        ('jump', '3/10', 'log(7/2)', '0')
        """
        return breakpoints(self._problem("loss", 0), time_limit)

    def explore(self, distortion: Number | None = None) -> Any:
        """Return an explorer for notebooks: sliders for the frequencies, the curve, and the best mechanism.

        It is an `epstar.notebook.explorer.Explorer`, a widget for Jupyter and marimo. It begins at `distortion`, or in
        the middle of the curve.

        Raises:
            MissingExtra: if anywidget is not installed.

        >>> explorer = Frontier("dp", {"yes": 0.5, "no": 0.5}, "hamming").explore(distortion="1/4")
        >>> str(explorer.answer.interval.upper)
        'log(3)'
        """
        return late("explorer").Explorer(self, distortion)

    def grid(self, points: int) -> list[Rational]:
        """Return distortions in equal steps from the least there is to one at which the loss is the least of all.

        >>> from epstar.distortion import Hamming
        >>> from epstar.notions import DifferentialPrivacy
        >>> from epstar.source import Prior
        >>> [str(place) for place in Frontier(DifferentialPrivacy(), Prior([0.7, 0.2, 0.1]), Hamming()).grid(4)]
        ['0', '1/10', '1/5', '3/10']
        """
        if type(points) is not int or points < 2:
            raise InvalidInput("A curve needs an integer number of at least 2 points.")
        limits = ends(self._problem("loss", 0))
        if limits.least == limits.free:
            return [limits.least]
        step = (limits.free - limits.least) / (points - 1)
        return [limits.least + step * i for i in range(points)]

    def _at(
        self,
        asks: Asked,
        given: object,
        method: str | None,
        time_limit: float | None,
        memory_limit: float | None,
    ) -> Answer | Curve:
        several = isinstance(given, list | tuple | range | Labelled) or (isinstance(given, np.ndarray) and given.ndim)
        if not several:
            return answer(self._problem(asks, given), method, time_limit, memory_limit)
        if method is not None:
            raise InvalidInput("A method is chosen for one point; leave it out, or ask for the points one by one.")
        places = listed(given, f"The list of {'distortions' if asks == 'loss' else 'losses'}")
        problems = [self._problem(asks, place) for place in places]
        return solved_curve(problems, time_limit=time_limit, memory_limit=memory_limit)

    def _problem(self, asks: Asked, given: object) -> Problem:
        wider = self.secret, self.limits, self.also
        return Problem(self.notion, self.source, self.distortion, self.universe, asks, Real.of(typed(given)), *wider)

    @staticmethod
    def answer(
        problem: Problem, method: str | None = None, time_limit: float | None = None, memory_limit: float | None = None
    ) -> Answer:
        """Return the proven answer to a question."""
        return answer(problem, method, time_limit, memory_limit)


def _read_further(given: Sequence[tuple[Notion | str, Number]]) -> Further:
    found = []
    for entry in given:
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise InvalidInput(f"A further guarantee is a pair of a notion and a level, not {shown(entry)}.")
        notion = _named_notion(entry[0])
        _check_kind(notion, Notion, "notion, such as DifferentialPrivacy()")
        found.append((notion, Real.of(typed(entry[1]))))
    return tuple(found)


def _check_kind(value: object, kind: Any, what: str) -> None:
    if not isinstance(value, kind):
        raise InvalidInput(f"A frontier needs a {what}, not {shown(value)}.")


def _named_notion(given: Notion | str) -> Notion:
    return from_problem({"name": full_name(given)}) if isinstance(given, str) else given


def _read_source(given: Source | Numbers | Mapping[Any, Number] | Labelled) -> Source:
    if isinstance(given, Source):
        return given
    if isinstance(given, str) or not isinstance(given, Iterable | Labelled):
        raise InvalidInput(f"A frontier needs a source, such as Prior([0.5, 0.5]), not {shown(given)}.")
    return Prior(given)


def _named_distortion(given: Distortion | str) -> Distortion:
    if not isinstance(given, str):
        return given
    if given not in NAMED:
        raise InvalidInput(f"The distortion {shown(given)} is unknown; choose one of {', '.join(COSTS)}, or a matrix.")
    return NAMED[given]()


def _universe_of(source: Source) -> Universe:
    """Return the inputs that a source speaks about: databases where it is given by rows, else categories."""
    if isinstance(source, Prior) and source.labels is not None:
        return Alphabet(source.labels)
    if isinstance(source, Rows):
        return Databases(source.alphabet_size, source.rows)
    return Alphabet(source.size)
