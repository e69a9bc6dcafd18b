"""The trade-off between privacy and distortion, and the answers it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.distortion import Distortion, Gain
from epstar.exact import Real
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.proof import AnyProof, Interval
from epstar.source import Source
from epstar.universe import Alphabet, Universe


@dataclass(frozen=True)
class Answer:
    """A proven interval, the mechanism that attains its achievable end, and the proof of the other.

    For a distortion or a loss the mechanism attains `upper`; for a utility it attains `lower`.
    """

    interval: Interval
    mechanism: AnyMechanism | None
    proof: AnyProof
    method: str
    theorem: str
    status: str
    unit: str
    timed_out: bool = False

    @property
    def lower(self) -> float:
        """The largest float that is proven not to exceed the answer."""
        return self.interval.lower.lower

    @property
    def upper(self) -> float:
        """The smallest float that is proven not to be below the answer."""
        return self.interval.upper.upper


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
        object.__setattr__(self, "notion", notion)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "distortion", distortion)
        object.__setattr__(self, "universe", Alphabet(source.size) if universe is None else universe)

    def loss_at(self, distortion: object, method: str | None = None, time_limit: float | None = None) -> Answer:
        """Return the least loss of a mechanism whose worst-case distortion is at most `distortion`."""
        return self._answer("loss", distortion, method, time_limit)

    def distortion_at(self, loss: object, method: str | None = None, time_limit: float | None = None) -> Answer:
        """Return the least worst-case distortion (or the best utility) of a mechanism with at most this loss."""
        return self._answer("distortion", loss, method, time_limit)

    def curve(self, losses: Sequence[object] = (), distortions: Sequence[object] = ()) -> list[Answer]:
        """Return the answers at several losses or distortions."""
        return [self.distortion_at(loss) for loss in losses] + [self.loss_at(d) for d in distortions]

    def _answer(self, asks: Asked, given: object, method: str | None, time_limit: float | None) -> Answer:
        problem = Problem(self.notion, self.source, self.distortion, self.universe, asks, Real.of(given))
        return self.answer(problem, method, time_limit)

    @staticmethod
    def answer(problem: Problem, method: str | None = None, time_limit: float | None = None) -> Answer:
        """Return the proven answer to a question."""
        from epstar.solve.dispatch import solve

        solved = solve(problem, method, time_limit)
        interval = solved.proof.check()
        unit = "nats" if problem.asks == "loss" else "distortion"
        if isinstance(problem.distortion, Gain) and problem.asks == "distortion":
            interval, unit = Interval(interval.upper * -1, interval.lower * -1), "utility"
        status = "proven" if interval.width <= 1e-7 else f"proven to within {interval.width:.1e}"
        if solved.timed_out:
            status = f"the time limit passed; {status}"
        return Answer(
            interval,
            solved.proof.mechanism,
            solved.proof,
            solved.method,
            solved.theorem,
            status,
            unit,
            solved.timed_out,
        )
