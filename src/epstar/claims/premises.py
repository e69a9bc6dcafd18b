"""What must be true of an excluded claim before any of its steps is read: its points are laws, its numbers are numbers.

What a step must fulfil is said by `epstar.claims.form`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from epstar.claims.bounds import Bounds
from epstar.claims.claim import Excluded, Point, Setting, bits_of, mixed
from epstar.claims.members import check_mixture
from epstar.claims.readings import Readings
from epstar.claims.symmetry import averaged_constraints, unevenness
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Rational, Real
from epstar.limits import Limit, LimitName
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints, Name
from epstar.notions.measure.product import total
from epstar.source import Source
from epstar.universe import Databases

# Inputs of which a claim need say nothing, and pairs of inputs whose divergences it may be about: their bounds are made
# before they are looked at, and take some hundred bytes each.
MOST_UNLISTED, MOST_PAIRS = 1 << 12, 1 << 20


@dataclass(frozen=True)
class Frame:
    """The entries z(x,y) of a mechanism: each row sums to one, and a column of it stands for `columns` outputs.

    Averaged over distances there is one column, whose entry x stands for `sizes[x]` databases, and one row.
    """

    inputs: int
    outputs: int
    columns: int = 1
    sizes: tuple[int, ...] | None = None

    @property
    def rows(self) -> int:
        return self.inputs if self.sizes is None else 1

    def per_input(self, multiples: Sequence[Rational]) -> Point:
        """Return multiples of rows, zero where there are none, as what they put on an entry of each input."""
        if not multiples:
            return (ZERO,) * self.inputs
        return tuple(multiples) if self.sizes is None else tuple(multiples[0] * size for size in self.sizes)


@dataclass(frozen=True)
class Premises:
    """A claim whose laws and points belong to the source, ready to be added up."""

    setting: Setting
    """What the bounds are about: at a smaller order, if the claim names one."""

    claim: Excluded
    frame: Frame
    bounds: Bounds
    points: tuple[Point, ...]
    asked: Setting
    """What the claim is about."""
    readings: Readings | None = None
    """Where bounds are found that are named by guarantee and point: those of a wider question."""

    @property
    def forbidden(self) -> frozenset[tuple[int, int]]:
        """The entries that a limit on the mechanism makes vanish."""
        return self.setting.limits.forbidden()

    @cached_property
    def limits(self) -> dict[LimitName, Limit]:
        """The other limits on the mechanism, by name."""
        if not self.setting.limits:
            return {}
        found = self.setting.limits.rows((self.frame.inputs, self.frame.outputs), self.setting.source)
        return {limit.name: limit for limit in found}

    @cached_property
    def cost(self) -> Sequence[Sequence[Rational]]:
        """What each entry costs: averaged over distances, the number of wrong rows."""
        if self.frame.sizes is not None:
            return [(Rational(distance),) for distance in range(self.frame.inputs)]
        return self.setting.distortion.matrix(self.setting.universe)

    @property
    def bits(self) -> int:
        return self.bounds.bits

    def found(self, name: Name) -> tuple[int, Bounds, Name]:
        """Return which guarantee a name speaks of, its bounds, and the name among these."""
        return (0, self.bounds, name) if self.readings is None else self.readings.find(name)


def premises(setting: Setting, claim: Excluded) -> Premises:
    """Return what the steps of a claim work with.

    Raises:
        ProofRejected: if a law does not belong to the source, or the claim is not of a known kind.
    """
    if claim.open not in ("loss", "distortion"):
        raise ProofRejected("The open end of what is excluded is its loss or its distortion.")
    bits = bits_of(claim.digits)
    if not claim.distortion.is_infinite and claim.distortion.rational is None:
        raise ProofRejected("A distortion is a rational number, or infinite.")
    if claim.rows:
        raise ProofRejected("A claim that follows from rows has no steps.")
    asked = setting
    if claim.order is not None:
        setting = replace(setting, notion=of_smaller_order(setting.notion, claim.order))
    points = tuple(mixed(mixture) for mixture in claim.points)
    laws = _laws_read(setting) if claim.points else setting.source
    for mixture in claim.points:
        check_mixture(mixture, laws)
    table, frame = partial(setting.notion.constraints, setting.universe, points), None
    readings, level = None, claim.loss
    if setting.is_wider:
        # Averaging over symmetries would leave limits and secrets out of sight, so that they are never averaged. A
        # point is checked again by each bound that is read there, where guarantees are read at different laws.
        table, readings = partial(Constraints), Readings(setting, claim.loss, points, claim.numbers, bits)
    elif claim.symmetry is not None:
        if claim.points:
            raise ProofRejected("Averaged over distances, a notion is read at the uniform prior, and none is named.")
        level = total([(claim.loss, 1), (Real.log(unevenness(setting, claim)), 1)])
        assert isinstance(setting.universe, Databases)
        sizes = setting.universe.sphere_sizes()
        table = partial(averaged_constraints, setting.notion, setting.universe)
        frame = Frame(len(sizes), 1, setting.universe.size, sizes)
    if frame is None:
        _check_size(setting, claim)
        frame = Frame(*setting.distortion.shape(setting.universe))
    return Premises(setting, claim, frame, Bounds(table, level, bits), points, asked, readings)


def _laws_read(setting: Setting) -> Source:
    """Return the laws at which some guarantee is read: those of the source, or any, if one is read at any."""
    laws = (notion.priors(setting.source) for notion, _ in setting.guarantees)
    return next((read for read in laws if read != setting.source), setting.source)


def _check_size(setting: Setting, claim: Excluded) -> None:
    """Check that bounds are not made of many more inputs than the claim speaks of: a short document takes little.

    Where rows have no multiples nothing follows but what a cost below zero says, so that a claim about many inputs
    lists a number for each.
    """
    inputs = setting.universe.size
    if inputs > MOST_UNLISTED and claim.steps and all(len(step.rows) != inputs for step in claim.steps):
        raise ProofRejected(f"A claim about more than {MOST_UNLISTED} inputs lists the multiples of their rows.")
    is_listed = any(step.sums or step.ratios or step.spread for step in claim.steps)
    is_of_pairs = isinstance(setting.notion, RenyiDifferentialPrivacy)
    if is_listed and is_of_pairs and setting.universe.number_of_pairs > MOST_PAIRS:
        raise ProofRejected(f"The divergences of more than {MOST_PAIRS} pairs of inputs are too many to list.")


def of_smaller_order(notion: Notion, order: Rational) -> Notion:
    """Return the notion at a smaller order, which asks for less: Rényi divergences and Sibson's grow with the order."""
    if not isinstance(notion, RenyiDifferentialPrivacy | SibsonMutualInformation):
        raise ProofRejected("Only a notion of an order can be read at another.")
    if order <= 0 or not (isinstance(notion.order, float) or order <= notion.order):
        raise ProofRejected("A notion can be read only at a smaller order than its own.")
    return type(notion)(order)
