"""What must be true of an excluded claim before anything is added up, whichever arithmetic adds it up.

Laws belong to the source, multiples have the right sign, names are those of the notion, tangents are tangents. Both the
exact rule and the one in arrays work on what `premises` returns, so that neither can forget a condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from epstar.claims.bounds import Bounds, Ratio
from epstar.claims.claim import Excluded, Places, Point, Setting, Shares, Step, SumUse, bits_of, mixed
from epstar.claims.members import check_member, check_mixture
from epstar.claims.readings import Readings
from epstar.claims.symmetry import averaged_constraints, unevenness
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Ball, Rational, Real, working_precision
from epstar.limits import Limit, LimitName
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints, Maximum, Name, Norm, RelativeEntropy, Spread, SumBound
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
class UsedSum:
    """A sum bound in a step, with what stands for it."""

    bound: SumBound
    use: SumUse
    bounds: Bounds
    """The table that it stands in, with its level."""
    is_own: bool = True
    """Whether it is a bound of the notion itself, whose loss may be open, and not one of a further guarantee."""


@dataclass(frozen=True)
class Addends:
    """A step whose premises hold: its constraints, each with its multiple."""

    step: Step
    law: Point | None
    """The laws of the step times their multiples, added up; None without any."""

    prices: Point
    """What the multiples of rows take from an entry of each input."""

    weight: Rational
    ratios: tuple[Ratio, ...]
    sums: tuple[UsedSum, ...]
    spread: Spread | None
    limits: tuple[tuple[Limit, Rational], ...] = ()

    @property
    def conjugate(self) -> UsedSum | None:
        return self.sums[0] if self.sums and self.sums[0].use.tangents == "conjugate" else None


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

    def addends(self, step: Step) -> Addends:
        """Return the constraints of a step.

        Raises:
            ProofRejected: if a premise of the rule fails.
        """
        law, weight = self._laws(step)
        if step.rows and len(step.rows) != self.frame.rows:
            raise ProofRejected(f"A step has {len(step.rows)} multiples of rows; there are {self.frame.rows} rows.")
        spread = self.bounds.constraints.spread if step.spread else None
        if step.spread and (spread is None or any(scale <= 0 for scale in spread.scales)):
            raise ProofRejected("Only a notion that bounds all pairs of inputs alike judges columns by their spread.")
        if step.spread and (step.sums or self.claim.loss.is_infinite):
            raise ProofRejected("Columns judged by their spread need a finite loss, and no bounds on sums.")
        sums = tuple(self._sum(use) for use in step.sums)
        for used in sums:
            self._check_sum(used, len(step.sums) == 1)
        prices = self.frame.per_input(step.rows)
        return Addends(step, law, prices, weight, self._ratios(step), sums, spread, self._limits(step))

    def total(self, addends: Addends) -> tuple[Rational, Ball | None]:
        """Return what the bounds of a step add up to, less the multiples of rows: a rational and perhaps a ball."""
        total, enclosed = -sum(addends.step.rows, ZERO), None
        if addends.law is not None:
            assert self.claim.distortion.rational is not None
            total += addends.weight * self.claim.distortion.rational
        for ratio in addends.ratios:
            total += ratio.paid * ratio.slack
        for limit, multiple in addends.limits:
            total += multiple * limit.bound
        with working_precision(self.bits):
            for used in addends.sums:
                charge = used.bounds.charge(used.bound)
                if isinstance(charge, Rational):
                    total += used.use.multiplier * charge
                else:
                    part: Ball = charge * used.use.multiplier
                    enclosed = part if enclosed is None else enclosed + part
        return total, enclosed

    def _found(self, name: Name) -> tuple[int, Bounds, Name]:
        """Return which guarantee a name speaks of, its bounds, and the name among these."""
        return (0, self.bounds, name) if self.readings is None else self.readings.find(name)

    def _sum(self, use: SumUse) -> UsedSum:
        which, bounds, name = self._found(use.name)
        return UsedSum(bounds.sum(name), use, bounds, which == 0)

    def _limits(self, step: Step) -> tuple[tuple[Limit, Rational], ...]:
        found = []
        for name, multiple in step.limits:
            if name not in self.limits:
                raise ProofRejected(f"The mechanism has no limit of the name {list(name)}.")
            limit = self.limits[name]
            if multiple < 0 and not limit.is_equation:
                raise ProofRejected("A multiple of an inequality is negative, so that nothing follows.")
            found.append((limit, multiple))
        return tuple(found)

    def _laws(self, step: Step) -> tuple[Point | None, Rational]:
        weights = [weight for weight, _ in step.laws]
        if any(weight < 0 for weight in weights):
            raise ProofRejected("A multiple of a distortion is negative, so that nothing follows.")
        if not step.laws:
            return None, ZERO
        if self.claim.distortion.is_infinite:
            raise ProofRejected("An infinite distortion bounds nothing, so that a step cannot use it.")
        weight = sum(weights, ZERO)
        if self.frame.sizes is not None:
            if any(law != () for _, law in step.laws):
                raise ProofRejected("Averaged over distances, the distribution is the uniform one, and none is named.")
            return self.frame.per_input([weight]), weight
        for _, law in step.laws:
            check_member(law, self.setting.source)
        return mixed(step.laws), weight

    def _ratios(self, step: Step) -> tuple[Ratio, ...]:
        found: dict[Name, dict[int, Rational]] = {}
        for name, output, multiple in step.ratios:
            if multiple < 0:
                raise ProofRejected("A multiple of a bound is negative, so that nothing follows.")
            self._check_output(output)
            by_output = found.setdefault(name, {})
            by_output[output] = by_output.get(output, ZERO) + multiple
        return tuple(replace(self._ratio(name), multiples=multiples) for name, multiples in found.items())

    def _ratio(self, name: Name) -> Ratio:
        which, bounds, rest = self._found(name)
        if bounds.level.is_infinite and (which > 0 or self.claim.open != "loss"):
            raise ProofRejected("An infinite loss that is not open allows everything.")
        found = bounds.ratio(rest)
        # The level of a further guarantee is given, and never open.
        return found if which == 0 else replace(found, rises=False, is_strict=False)

    def _check_output(self, output: int) -> None:
        if not 0 <= output < self.frame.outputs:
            raise ProofRejected(f"There is no output {output}; the outputs are 0 to {self.frame.outputs - 1}.")

    def _check_sum(self, used: UsedSum, alone: bool) -> None:
        bound, use = used.bound, used.use
        if use.multiplier <= 0:
            raise ProofRejected("The multiple of a sum must be positive.")
        if used.bounds.level.is_infinite and not (used.is_own and self._is_nothing(used)):
            raise ProofRejected("An infinite loss bounds no sum, so that a step cannot use it.")
        atoms = [atom for _, atom in bound.terms]
        if use.tangents == "conjugate":
            laws = [atom.right for atom in atoms if isinstance(atom, RelativeEntropy)]
            shares_one_law = len(laws) == len(atoms) == len(laws[0]) and all(law is laws[0] for law in laws)
            if not alone or not shares_one_law or self.frame.sizes is not None:
                raise ProofRejected("Only the sum of a mutual information, by itself, is judged by its conjugate.")
            return
        if isinstance(use.tangents, Shares):
            if len(atoms) != 1 or not isinstance(atoms[0], Maximum):
                raise ProofRejected("Shares are for the entries of a maximum.")
            self._check_shares(atoms[0], use.tangents)
            return
        if any(isinstance(atom, Maximum) for atom in atoms):
            raise ProofRejected("A maximum is replaced by shares of its entries.")
        self._check_places(atoms, use.tangents)

    def _is_nothing(self, used: UsedSum) -> bool:
        """Return whether a sum is claimed to vanish that must not, at any finite loss: of an order below one."""
        tangents, below_one = used.use.tangents, used.bound.scale.bound(Real.of(ZERO)) < 0
        if self.claim.open != "loss" or not below_one or not isinstance(tangents, Places):
            return False
        return all(place is None for row in tangents.table for place in row)

    def _check_shares(self, atom: Maximum, tangents: Shares) -> None:
        total: dict[int, Rational] = {}
        for output, place, share in tangents.entries:
            self._check_output(output)
            if share < 0 or place not in atom.weights:
                raise ProofRejected("A share of a maximum is negative, or of an entry that it does not have.")
            total[output] = total.get(output, ZERO) + share
        if any(share > 1 for share in total.values()):
            raise ProofRejected("The shares of one maximum sum to more than one.")

    def _check_places(self, atoms: Sequence[object], tangents: Places) -> None:
        atom, outputs, table = atoms[0], self.frame.outputs, tangents.table
        rows, length = (outputs, len(atom.weights)) if isinstance(atom, Norm) else (len(atoms), outputs)
        if len(table) != rows or any(len(row) != length for row in table):
            raise ProofRejected("The places of tangents are not one for each atom and output.")
        for row in table:
            given = [place for place in row if place is not None]
            wrong = any(place <= 0 for place in given)
            if isinstance(atom, Norm) and given:
                # Of an order above one a norm has a tangent at any column but zero, and entries may vanish.
                wrong = len(given) < len(row) or min(given) < 0 or (max if atom.order > 1 else min)(given) <= 0
            if wrong:
                raise ProofRejected("A place of a tangent is not positive.")


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
