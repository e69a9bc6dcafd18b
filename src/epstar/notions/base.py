"""What a privacy notion is: a loss with a witness, and the constraints that bound it.

A notion does two things. It measures the loss of a given mechanism (`loss`), and it writes "the loss is at most
this level" as constraints on the mechanism's columns (`constraints`), from which every solver and every proof
checker works. Nothing else in epstar knows one notion from another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.mechanism.base import MEASURED
from epstar.notions.constraints import Constraints
from epstar.source import Source
from epstar.universe import Universe

Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Witness:
    """Where a loss is attained: inputs (a pair, or one), outputs (one, or an event), and a prior, as they apply.

    Inputs and outputs are positions in the mechanism's universe and outputs.

    >>> from epstar import DifferentialPrivacy, Mechanism
    >>> loss = DifferentialPrivacy().loss(Mechanism([["3/4", "1/4"], ["1/8", "7/8"]]))
    >>> loss.witness.inputs, loss.witness.outputs
    ((0, 1), (0,))
    """

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    prior: Point | None = None


@dataclass(frozen=True)
class Loss:
    """A privacy loss in nats: a float, a rigorous enclosure where the mechanism is exact, and its witness.

    >>> from epstar import DifferentialPrivacy, Mechanism
    >>> loss = DifferentialPrivacy().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> str(loss.upper), round(loss.value, 4), loss.witness.inputs
    ('log(3)', 1.0986, (0, 1))
    """

    value: float
    witness: Witness
    lower: Real | None = None
    upper: Real | None = None

    @classmethod
    def known(cls, real: Real, witness: Witness) -> Loss:
        """Return the loss that is exactly `real`: both bounds are that number."""
        return cls(float(real), witness, real, real)


@dataclass(frozen=True)
class Notion(ABC):
    """A way to measure how much a mechanism gives away.

    >>> from epstar import DifferentialPrivacy, MutualInformation
    >>> [(notion.title, notion.needs_source) for notion in (DifferentialPrivacy(), MutualInformation())]
    [('differential privacy', False), ('mutual information', True)]
    """

    name: ClassVar[str]
    """The name in problem files."""

    title: ClassVar[str]
    """The name for people."""

    unit: ClassVar[str] = "nats"
    """What a loss is a number of: nats, or a parameter that only this notion has."""

    needs_source: ClassVar[bool] = False
    """Whether the loss depends on what is known of the distribution of the inputs."""

    is_concave_in_prior: ClassVar[bool] = False
    """Whether mixing priors can raise the loss, so that a set of priors and its hull differ."""

    rows_share: ClassVar[Literal["level", "sum"] | None] = None
    """How the optimum of independent rows follows from the rows: all at one level, or by adding up their losses.

    It holds for a notion that averaging over the other rows and ignoring their answers cannot raise, and whose loss on
    rows treated one by one is the largest of theirs ("level") or their sum ("sum").
    """

    is_general: ClassVar[bool] = False
    """Whether the notion has no methods of its own: every question about it goes to the general program."""

    def priors(self, source: Source) -> Source:
        """Return the set of priors over which the loss is the supremum: the source itself, unless said otherwise."""
        return source

    @abstractmethod
    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss of `mechanism`; over a source set, the supremum over its members."""

    def loss_once(self, mechanism: AnyMechanism, source: Source) -> Loss:
        """Return the loss; what was measured last of this mechanism is remembered with it.

        Whoever proposes a mechanism measures it, and so does whoever checks what is claimed of it.
        """
        known: tuple[Notion, Source, Loss] | None = vars(mechanism).get(MEASURED)
        if known is None or known[0] is not self or known[1] is not source:
            known = self, source, self.loss(mechanism, source)
            vars(mechanism)[MEASURED] = known
        return known[2]

    def worst_laws(self, mechanism: Mechanism, source: Source) -> Sequence[Point]:
        """Return distributions of a source at which a mechanism loses much, one that it loses most at among them.

        A program that learns of many at once needs fewer rounds.
        """
        prior = self.loss(mechanism, source).witness.prior
        return () if prior is None else (prior,)

    @abstractmethod
    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return what "loss at most a level" says about a mechanism on `universe`.

        `points` are members of the source; notions that do not depend on the source ignore them. With all
        vertices of a source the constraints are equivalent to the bound; with some, they are implied by it.
        """

    def parameters(self) -> dict[str, object]:
        """Return the notion's own parameters as they stand in a problem file."""
        return {}

    @property
    def full_title(self) -> str:
        """The title with the parameters, if there are any: "Rényi differential privacy (order 2)"."""
        written = [f"{key} {value}" for key, value in self.parameters().items() if key != "reading" and value != "0"]
        return f"{self.title} ({', '.join(written)})" if written else self.title


class PerInput(Notion):
    """A notion with a parameter for each input."""

    @abstractmethod
    def check_size(self, size: int) -> None:
        """Refuse the notion where there is another number of inputs."""

    @abstractmethod
    def among(self, places: Sequence[int]) -> Notion:
        """Return the notion on the inputs at some places, which are all that can happen."""
