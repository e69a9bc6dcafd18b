"""The two claims that an answer consists of, each with the numbers that it claims in it.

    attained:  this mechanism has loss <= L and distortion <= D under every law of the source
    excluded:  no mechanism has loss <= L and distortion <= D, one of the two strictly smaller

The least loss at a distortion D lies in [a, b] if loss < a is excluded at D and b is attained there; the least
distortion at a loss has the other end open. "Nothing has a finite loss" is excluded at an infinite loss that is open,
"nothing keeps this loss" at an infinite distortion that is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from epstar.claims.cover import Cover
from epstar.distortion import Distortion, Hamming
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.limits import NO_LIMITS, LimitName, Limits
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.notions.constraints import Name
from epstar.problem import Further, Problem, is_wider
from epstar.secret import Secret
from epstar.source import Prior, Source
from epstar.universe import Databases, Universe

Point = tuple[Rational, ...]
Mixture = tuple[tuple[Rational, Point], ...]
End = Literal["loss", "distortion"]

# Decimal digits in which logarithms, exponentials and powers are enclosed, unless a claim asks for others.
DIGITS = 60
LEAST_DIGITS, MOST_DIGITS = 10, 2000


def bits_of(digits: int) -> int:
    """Return the binary digits in which a claim of some decimal digits is enclosed.

    Raises:
        ProofRejected: if these are too few or too many.
    """
    if not LEAST_DIGITS <= digits <= MOST_DIGITS:
        raise ProofRejected(f"Numbers are enclosed with {LEAST_DIGITS} to {MOST_DIGITS} digits.")
    return digits * 10 // 3 + 17


@dataclass(frozen=True)
class Setting:
    """What a claim is about: a notion of privacy, the inputs, what is known of their law, and what answers cost."""

    notion: Notion
    universe: Universe
    source: Source
    distortion: Distortion
    secret: Secret | None = None
    limits: Limits = NO_LIMITS
    also: Further = ()

    def __post_init__(self) -> None:
        if self.source.size != self.universe.size:
            raise InvalidInput("The source and the universe have different sizes; make them agree.")

    @property
    def is_wider(self) -> bool:
        """Whether bounds are named by guarantee and point: with a secret, limits or further guarantees."""
        return is_wider(self.notion, self.secret, self.limits, self.also)

    @property
    def is_hamming_on_letters(self) -> bool:
        """Whether every wrong answer costs one: of databases each wrong row does."""
        return isinstance(self.distortion, Hamming) and not isinstance(self.universe, Databases)

    @property
    def guarantees(self) -> tuple[tuple[Notion, Real | None], ...]:
        """The notion, whose level a claim names, and the further guarantees with theirs."""
        return ((self.notion, None), *self.also)

    @classmethod
    def of(cls, problem: Problem) -> Setting:
        """Return the setting of a question, which asks about one point of its trade-off."""
        parts = (problem.notion, problem.universe, problem.source, problem.distortion)
        return cls(*parts, problem.secret, problem.limits, problem.also)


@dataclass(frozen=True)
class Hints:
    """What a checker that does not search needs to know beside a mechanism.

    `multipliers` bound linear functions over a polytope by weak duality, in the order in which they are needed;
    `output` is a law of the output from which informations are measured; `shares` says how likely each input is at most
    beside another; `envelope` that each output is read at its extreme probabilities; `slopes` says how fast a line
    falls that lies above minus the logarithm of its probability; `cover` names points whose mixtures hold the source.
    `cells` cuts a set of laws that is not convex: a tree for each choice of listed laws of the rows, whose own sources
    have `covers`. `orders` are those between which a divergence of every order is bounded.
    """

    multipliers: tuple[Point, ...] = ()
    output: Point | None = None
    shares: tuple[tuple[Rational, int], ...] | None = None
    envelope: bool = False
    slopes: Point | None = None
    orders: Point = ()
    cover: Cover | None = None
    cells: tuple[Hints | Cut, ...] | None = None
    covers: tuple[Cover | None, ...] | None = None


@dataclass(frozen=True)
class Cut:
    """Two cells with c = share v_i + (1 - share) v_j in place of v_i and of v_j, two laws of the cell's simplex `row`.

    Each is cut further, or has the hints for the hull of its products.
    """

    row: int
    i: int
    j: int
    share: Rational
    parts: tuple[Hints | Cut, Hints | Cut]


@dataclass(frozen=True)
class Attained:
    """A mechanism has loss at most `loss` and distortion at most `distortion` under every law of the source.

    Without a mechanism the claim follows from those about the `rows` of a database, each about a source of one row, and
    with the number of rows that it is for.
    """

    loss: Real
    distortion: Real
    mechanism: AnyMechanism | None
    hints: Hints = field(default=Hints())
    rows: tuple[tuple[Source, Attained, int], ...] = ()
    digits: int = DIGITS
    further: tuple[Hints, ...] = ()
    """Hints for the further guarantees, in their order; none where none needs any."""

    def __getstate__(self) -> dict[str, object]:
        return _told(self)


@dataclass(frozen=True)
class Shares:
    """Tangents of a maximum: (output, input, share), the shares of one output a mixture of its entries."""

    entries: tuple[tuple[int, int, Rational], ...]


@dataclass(frozen=True)
class Places:
    """Places at which smooth atoms are linearised.

    For entropies and powers a ratio for each atom and output; for a norm a column for each output. None stands where
    nothing on the left is left, in all of a column.
    """

    table: tuple[tuple[Rational | None, ...], ...]


Tangents = Shares | Places | Literal["conjugate"]


@dataclass(frozen=True)
class SumUse:
    """A multiple of a sum bound, with the tangents that stand for it."""

    name: Name
    multiplier: Rational
    tangents: Tangents


@dataclass(frozen=True)
class Step:
    """Multiples of constraints that are added up: of distortions under laws, of bounds of the notion, of rows.

    `laws` holds (multiple, law), `ratios` (name of the bound, output, multiple), `rows` one number of any sign for each
    row, or nothing. `spread` says that columns are judged by the spread of all pairs.
    """

    laws: tuple[tuple[Rational, Point], ...] = ()
    ratios: tuple[tuple[Name, int, Rational], ...] = ()
    sums: tuple[SumUse, ...] = ()
    rows: Point = ()
    spread: bool = False
    limits: tuple[tuple[LimitName, Rational], ...] = ()
    """Multiples of limits on the mechanism: of any sign for equations."""


@dataclass(frozen=True)
class Excluded:
    """No mechanism has loss at most `loss` and distortion at most `distortion`, the `open` one strictly smaller.

    `points` are the laws (mixtures of members of the source) at which a notion that depends on the source is read,
    `order` a smaller order at which one that grows with its order is; `symmetry` says that the mechanism is averaged
    over the symmetries of the problem first, which needs the uniform law: as a member, or as a mixture `uniform`.
    Without steps the claim follows from those about the `rows` of a database, each at a known law of one row, and with
    the number of rows that it is for.
    """

    loss: Real
    distortion: Real
    open: End
    steps: tuple[Step, ...] = ()
    points: tuple[Mixture, ...] = ()
    order: Rational | None = None
    symmetry: Literal["distances"] | None = None
    uniform: Mixture | None = None
    rows: tuple[tuple[Prior, Excluded, int], ...] = ()
    digits: int = DIGITS
    numbers: tuple[Rational, ...] = ()
    """Orders or thresholds at which notions that are families of bounds are read."""

    def __getstate__(self) -> dict[str, object]:
        return _told(self)


# Where a claim remembers of which setting it was checked: no copy of it does, nor what is read from a document.
_CHECKED = "_checked_of"


def is_known(setting: Setting, claim: Attained | Excluded) -> bool:
    """Return whether this process has checked a claim about a setting."""
    return vars(claim).get(_CHECKED) == setting


def remember(setting: Setting, claim: Attained | Excluded) -> None:
    """Remember that a claim about a setting was checked."""
    vars(claim)[_CHECKED] = setting


def _told(claim: Attained | Excluded) -> dict[str, object]:
    """Return what a claim says: what this process found out about it, others find out for themselves."""
    return {part.name: getattr(claim, part.name) for part in fields(claim)}


@dataclass(frozen=True)
class Bracket:
    """The two claims about one setting."""

    setting: Setting
    attained: Attained | None = None
    excluded: Excluded | None = None

    def lower(self, asks: End, given: Real) -> Real:
        """Return the lower end that the excluded claim says of the least loss or distortion at a given point.

        Raises:
            ProofRejected: if it says nothing of that point.
        """
        claim = self.excluded
        if claim is None:
            if asks == "loss":
                return Real.of(ZERO)
            raise ProofRejected("A distortion has no lower bound where nothing is excluded.")
        reached, end = (claim.distortion, claim.loss) if asks == "loss" else (claim.loss, claim.distortion)
        if claim.open != asks or reached < given:
            raise ProofRejected("What is excluded is not about the point that is asked for.")
        return end

    def upper(self, asks: End, given: Real) -> Real:
        """Return the upper end that the attained claim says of the least loss or distortion at a given point.

        Raises:
            ProofRejected: if it says nothing of that point.
        """
        claim = self.attained
        if claim is None:
            return INFINITY
        kept, end = (claim.distortion, claim.loss) if asks == "loss" else (claim.loss, claim.distortion)
        if kept > given:
            raise ProofRejected("What is attained is not about the point that is asked for.")
        return end


def at_most(first: Real, second: Real) -> bool:
    """Return whether a number is surely at most another."""
    try:
        return first <= second
    except Undecided:
        return False


def mixed(mixture: Sequence[tuple[Rational, Point]]) -> Point:
    """Return the law that a mixture of laws makes."""
    if len(mixture) == 1:
        ((weight, law),) = mixture
        return law if weight == 1 else tuple(weight * p for p in law)
    size = len(mixture[0][1])
    return tuple(sum((weight * point[x] for weight, point in mixture), ZERO) for x in range(size))
