"""The trade-off between privacy and distortion, and the answers it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.answer import Answer, answer
from epstar.breakpoints import Breakpoint, breakpoints, ends
from epstar.curve import Curve, Progress, solved_curve
from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.reading import listed, shown
from epstar.source import Rows, Source
from epstar.universe import Alphabet, Databases, Universe

__all__ = ["Answer", "Breakpoint", "Curve", "Frontier"]


@dataclass(frozen=True)
class Frontier:
    """How much privacy must be lost to keep the distortion within a bound, and the other way round.

    >>> from epstar.distortion import Hamming
    >>> from epstar.notions import DifferentialPrivacy
    >>> from epstar.source import Prior
    >>> frontier = Frontier(DifferentialPrivacy(), Prior([0.4, 0.3, 0.2, 0.1]), Hamming())
    >>> answer = frontier.loss_at(distortion=0.2)
    >>> str(answer.interval.upper), answer.interval.width
    ('log(12)', 0.0)
    """

    notion: Notion
    source: Source
    distortion: Distortion
    universe: Universe

    def __init__(
        self, notion: Notion, source: Source, distortion: Distortion, universe: Universe | None = None
    ) -> None:
        _check_kind(notion, Notion, "notion, such as DifferentialPrivacy()")
        _check_kind(source, Source, "source, such as Prior([0.5, 0.5])")
        _check_kind(distortion, Distortion, "distortion, such as Hamming()")
        chosen = _universe_of(source) if universe is None else universe
        _check_kind(chosen, Universe, "universe, such as Alphabet(4)")
        object.__setattr__(self, "notion", notion)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "distortion", distortion)
        object.__setattr__(self, "universe", chosen)

    def loss_at(
        self,
        distortion: object,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer:
        """Return the least loss of a mechanism whose worst-case distortion is at most `distortion`.

        The limits are those of `epstar.answer.answer`: seconds, and bytes for all that the process holds.
        """
        return answer(self._problem("loss", distortion), method, time_limit, memory_limit)

    def distortion_at(
        self,
        loss: object,
        method: str | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Answer:
        """Return the least worst-case distortion (or the best utility) of a mechanism with at most this loss.

        The limits are those of `epstar.answer.answer`: seconds, and bytes for all that the process holds.
        """
        return answer(self._problem("distortion", loss), method, time_limit, memory_limit)

    def curve(
        self,
        distortions: Sequence[object] | None = None,
        losses: Sequence[object] | None = None,
        points: int = 50,
        workers: int | None = None,
        progress: Progress | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> Curve:
        """Return the answers at given distortions, at given losses, or at evenly spaced distortions.

        Without distortions and losses there are `points` distortions, from the least there is to one at which the
        loss is the least of all. `time_limit` is in seconds and for all points together: where it passes, the curve
        holds what was proven so far (`Curve.timed_out`). It, `memory_limit`, `workers` and `progress` are those of
        `epstar.curve.solved_curve`.
        """
        if distortions is not None and losses is not None:
            raise InvalidInput("A curve goes over distortions or over losses; give one of the two.")
        if losses is not None:
            problems = [self._problem("distortion", loss) for loss in listed(losses, "The list of losses")]
        elif distortions is not None:
            problems = [self._problem("loss", place) for place in listed(distortions, "The list of distortions")]
        else:
            problems = [self._problem("loss", distortion) for distortion in self.grid(points)]
        return solved_curve(problems, workers, progress, time_limit, memory_limit)

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

    def _problem(self, asks: Asked, given: object) -> Problem:
        return Problem(self.notion, self.source, self.distortion, self.universe, asks, Real.of(given))

    @staticmethod
    def answer(
        problem: Problem, method: str | None = None, time_limit: float | None = None, memory_limit: float | None = None
    ) -> Answer:
        """Return the proven answer to a question."""
        return answer(problem, method, time_limit, memory_limit)


def _check_kind(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise InvalidInput(f"A frontier needs a {what}, not {shown(value)}.")


def _universe_of(source: Source) -> Universe:
    """Return the inputs that a source speaks about: databases where it is given by rows, else letters."""
    if isinstance(source, Rows):
        return Databases(source.alphabet_size, source.rows)
    return Alphabet(source.size)
