"""A ledger of what was released about the same data, and what it all gives away."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from epstar.arguments import check_kind, shown, whole_number
from epstar.compose.lattice import repeated
from epstar.compose.loss_distribution import LossDistribution
from epstar.compose.noise import grouped, together
from epstar.compose.numerical import numerical_level
from epstar.compose.sequential import is_additive, root_of_squares, total_of
from epstar.convert import Conversion, Guarantee, Implication, SegmentCurve, convert, curve_of, gaussian_curve
from epstar.convert.guarantee import Kind, has_unit_pairs, needs_source, times
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.gaussian import Gaussian, gaussian_loss
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    MaximalLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.notions.family import Family
from epstar.notions.pairs import ordered_pairs
from epstar.source import Source
from epstar.universe import Universe

_ORDERS = tuple(RenyiDifferentialPrivacy(order) for order in ("3/2", 2, 3, 4, 6, 8, 12, 16, 24, 32, 64))
_INFORMATIONS = (RenyiDifferentialPrivacy(1), MaximalLeakage(), Capacity(), MutualInformation())
# What is lost between pairs of inputs, which a sensitivity bounds.
_OF_PAIRS = (
    DifferentialPrivacy,
    RenyiDifferentialPrivacy,
    ConcentratedDifferentialPrivacy,
    GaussianDifferentialPrivacy,
)
_MOST_PAIRS = 200
_MOST_ENTRIES = 1 << 20
# Chords of a curve reach this far; beyond it delta stays what it is there.
_FAR = Rational(1 << 20)


Entry: TypeAlias = "Guarantee | Mechanism | Gaussian"


@dataclass(frozen=True)
class Total:
    """The guarantee of everything together: in which notion the parts were added up, and how it was converted.

    `is_proven` is False where floats of another package were trusted.

    >>> from epstar import Accountant, DifferentialPrivacy, Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> total = Accountant().add(coin).add(coin).total(DifferentialPrivacy())
    >>> str(total.guarantee.level), total.is_proven
    ('log(9)', True)
    """

    guarantee: Guarantee
    added_in: Kind
    chain: tuple[Implication, ...] = ()
    is_proven: bool = True


@dataclass(frozen=True)
class Accountant:
    """What was released so far about the data of one universe: guarantees, exact mechanisms, normal noise.

    It is a value: `add` returns a new one. Without a universe it takes that of the first release that has one; a
    guarantee that names none is then read as one about the neighbours of that universe.

    Raises:
        InvalidInput: for a release that `add` refuses, or a universe that is none.

    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> ledger = Accountant().add(coin).add(coin)
    >>> str(ledger.total(DifferentialPrivacy()).guarantee.level)
    'log(9)'
    >>> str(ledger.total(ApproximateDifferentialPrivacy("3/8")).guarantee.level)
    'log(3)'
    """

    universe: Universe | None = None
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        check_kind(self.entries, tuple, "What was released", "a tuple of guarantees and mechanisms, or use .add")
        if self.universe is not None:
            check_kind(self.universe, Universe, "The universe of an accountant", "one such as Alphabet(4)")
        for entry in {id(entry): entry for entry in self.entries}.values():
            _check(entry)
            if isinstance(entry, Gaussian) or entry.universe is None:
                continue
            if self.universe is None:
                object.__setattr__(self, "universe", entry.universe)
            elif entry.universe != self.universe:
                raise InvalidInput("The release is about another universe than the accountant; keep one for each.")
        if not has_unit_pairs(self.universe):
            for entry in {id(entry): entry for entry in self.entries}.values():
                if isinstance(entry, Guarantee) and entry.universe is None:
                    raise InvalidInput(
                        "A guarantee without a universe does not say what it promises per unit of distance; "
                        "give it the universe of the accountant."
                    )

    def add(self, entry: Entry, times: int = 1) -> Accountant:
        """Return the accountant with one more release, or the same one several times.

        Raises:
            InvalidInput: for another universe, a mechanism of floats, normal noise without a bound on the distance of
                inputs, a guarantee without a universe where distances are not all 1, or fewer uses than one.
        """
        uses = whole_number(times, "The number of uses", 1)
        if uses > _MOST_ENTRIES:
            raise InvalidInput(
                f"More than {_MOST_ENTRIES} uses are not listed one by one; add up their guarantees first."
            )
        return Accountant(self.universe, self.entries + (entry,) * uses)

    def total(
        self,
        notion: Notion,
        source: Source | None = None,
        method: Literal["proven", "dp-accounting"] = "proven",
    ) -> Total:
        """Return the best guarantee under `notion` of all releases together.

        Every notion whose levels add up is tried: each entry is converted to it, the levels are added, the sum is
        converted to what was asked for. Approximate differential privacy is also composed exactly, by privacy-loss
        distributions; normal noise adds up to normal noise. Mutual information adds up for mechanisms with independent
        randomness, not for adaptive ones.

        Equal releases are counted, so that a million of them take seconds; hundreds of different ones take long.

        `method="dp-accounting"` asks that package, in floats, for approximate differential privacy: fast for hundreds
        of different releases, but no proof.

        Raises:
            InvalidInput: if the notion needs a set of priors and none is named, or for another method.
            MissingExtra: if dp-accounting is asked for and not installed.
        """
        check_kind(notion, Notion, "What the total is asked for in", "a notion such as DifferentialPrivacy()")
        if source is not None:
            check_kind(source, Source, "What is known about the prior", "a Prior, a set of priors or Everything(size)")
            if self.universe is not None and source.size != self.universe.size:
                raise InvalidInput(
                    f"The source has {source.size} categories and the universe {self.universe.size}; make them equal."
                )
        if method == "dp-accounting":
            level = Real.of(numerical_level(self.universe, self.entries, notion))
            return Total(Guarantee(notion, level, self.universe), ApproximateDifferentialPrivacy, is_proven=False)
        if method != "proven":
            raise InvalidInput(f"The method {shown(method)} is unknown; write 'proven' or 'dp-accounting'.")
        if needs_source(notion) and source is None:
            raise InvalidInput("The notion asked for depends on the prior; say with source= what is known about it.")
        if not self.entries:
            return Total(self._guarantee(notion, Real.of(ZERO), source), notion)
        found = [self._by_sum(step, notion, source) for step in _steps(notion)]
        if isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "event":
            found += [self._by_noise(notion), self._by_distribution(notion), self._by_pairs(notion)]
        totals = [total for total in found if total is not None]
        if not totals:
            return Total(self._guarantee(notion, INFINITY, source), notion)
        return min(totals, key=lambda total: total.guarantee.level.upper)

    @cached_property
    def _uses(self) -> list[tuple[Entry, int]]:
        """Each different release, and how often it was used."""
        return grouped(self.entries, _identity)

    def _guarantee(self, notion: Notion, level: Real, source: Source | None) -> Guarantee:
        return Guarantee(notion, level, self.universe, source if needs_source(notion) else None)

    def _by_sum(self, step: Notion, notion: Notion, source: Source | None) -> Total | None:
        if needs_source(step) and source is None:
            return None
        if isinstance(step, Family) and step != notion and any(isinstance(entry, Mechanism) for entry, _ in self._uses):
            return None  # their own divergences and distributions say more, and sooner
        levels: list[tuple[Real, int]] = []
        for entry, uses in self._uses:
            level = self._level(self._read(entry), step, source)
            if level is None:
                return None
            levels.append((level, uses))
        if isinstance(step, GaussianDifferentialPrivacy):
            whole = root_of_squares(levels)
        else:
            whole = total_of([times(level, Rational(uses)) for level, uses in levels])
        total = self._guarantee(step, whole, source)
        if step == notion:
            return Total(total, step)
        result: Conversion = convert(total, notion, source=source if needs_source(notion) else None, longest=2)
        return None if result.says_nothing else Total(result.guarantee, step, result.chain)

    def _read(self, entry: Entry) -> Entry:
        """Return a guarantee that names no universe as one about the accountant's: what it says of all pairs of inputs
        it says of neighbours."""
        if not isinstance(entry, Guarantee) or entry.universe is not None or self.universe is None:
            return entry
        level = entry.level if entry.curve is None else None
        return Guarantee(entry.notion, level, self.universe, entry.source, entry.curve, entry.outputs)

    def _level(self, entry: Entry, step: Notion, source: Source | None) -> Real | None:
        law = source if needs_source(step) else None
        level: Real | None
        if isinstance(entry, Gaussian):
            if entry.peak is None and not isinstance(step, _OF_PAIRS):
                return None  # a sensitivity bounds what pairs of neighbours lose, and nothing else
            level = gaussian_loss(entry, step).upper
        elif isinstance(entry, Mechanism):
            level = step.loss(entry, law).upper
        else:
            level = convert(entry, step, source=law, longest=3).guarantee.level
        return None if level is None or level.is_infinite else level

    def _by_noise(self, notion: ApproximateDifferentialPrivacy) -> Total | None:
        """Normal noise alone: exact, because several releases together are one with less noise."""
        noises = [noise for noise in map(_noise, self.entries) if noise is not None]
        if len(noises) < len(self.entries) or not has_unit_pairs(self.universe):
            return None
        level = gaussian_loss(together(noises), notion).upper
        if level is None or level.is_infinite:
            return None
        return Total(Guarantee(notion, level, self.universe), ApproximateDifferentialPrivacy)

    def _by_distribution(self, notion: ApproximateDifferentialPrivacy) -> Total | None:
        if not has_unit_pairs(self.universe):
            return None
        noises = [noise for noise in map(_noise, self.entries) if noise is not None]
        if len(noises) == len(self.entries):
            return None  # its own closed form is exact
        total = LossDistribution({ONE: ONE})
        parts = [(entry, uses) for entry, uses in self._uses if _noise(entry) is None]
        if any(isinstance(part, Guarantee) and isinstance(part.notion, Family) for part, _ in parts):
            return None  # a level at every order says more by its sum than by the chords of one curve
        for entry, uses in [*parts, (together(noises), 1)] if noises else parts:
            curve = self._curve(self._read(entry))
            if curve is None:
                return None
            total = _both(total, repeated(LossDistribution.dominating(curve), uses))
        level = total.level(notion.delta)
        if level.is_infinite:
            return None
        return Total(Guarantee(notion, level, self.universe), ApproximateDifferentialPrivacy)

    def _by_pairs(self, notion: ApproximateDifferentialPrivacy) -> Total | None:
        """Fixed mechanisms, pair by pair: exact unless there are too many ratios or digits."""
        mechanisms = [(entry, uses) for entry, uses in self._uses if isinstance(entry, Mechanism)]
        if len(mechanisms) < len(self._uses) or not has_unit_pairs(self.universe):
            return None
        assert self.universe is not None, "a mechanism has a universe"
        pairs = list(ordered_pairs(self.universe))
        if len(pairs) > _MOST_PAIRS:
            return None
        worst = Real.of(ZERO)
        for first, second, _ in pairs:
            total = LossDistribution({ONE: ONE})
            for mechanism, uses in mechanisms:
                one = LossDistribution.of(mechanism.rows[first], mechanism.rows[second])
                total = _both(total, repeated(one, uses))
            worst = max(worst, total.level(notion.delta))
        if worst.is_infinite:
            return None
        return Total(Guarantee(notion, worst, self.universe), ApproximateDifferentialPrivacy)

    def _curve(self, entry: Entry) -> SegmentCurve | None:
        if isinstance(entry, Mechanism):
            return curve_of(entry)
        if isinstance(entry, Gaussian):
            return gaussian_curve(entry).segments(_FAR)
        curve = convert(entry, ApproximateDifferentialPrivacy).guarantee.curve
        return None if curve is None else curve.segments(_FAR)


def _noise(entry: Entry) -> Gaussian | None:
    """Return normal noise that protects no more than a release: itself, or what its guarantee compares it with."""
    if isinstance(entry, Gaussian):
        return entry
    if not isinstance(entry, Guarantee) or not isinstance(entry.notion, GaussianDifferentialPrivacy):
        return None
    level = entry.level
    if level.is_infinite or level.rational == 0 or not has_unit_pairs(entry.universe):
        return None
    mu = level.above() if level.rational is None else level.rational
    return Gaussian(variance=1 / (mu * mu), sensitivity=1)


def _both(left: LossDistribution, right: LossDistribution) -> LossDistribution:
    """What two parts lose together at most; the first of them is left as it is."""
    if left.masses == {ONE: ONE}:
        return right
    return left.shortened().compose(right.shortened()).shortened()


def _identity(entry: Entry) -> Hashable:
    """What makes two releases the same."""
    if not isinstance(entry, Guarantee):
        return entry
    level = entry.level
    exact = level.rational is not None or level.argument_of_log is not None
    value = (level.rational, level.argument_of_log) if exact else id(level)
    return entry.notion, value, entry.universe, entry.source, id(entry.curve), entry.outputs


def _check(entry: Entry) -> None:
    """Refuse what cannot be added up."""
    check_kind(entry, (Mechanism, Guarantee, Gaussian), "A release", "a guarantee, a mechanism or a Gaussian mechanism")
    if isinstance(entry, Mechanism) and not entry.is_exact:
        raise InvalidInput("Floats prove nothing about the loss of a mechanism; make it exact with .exact(bits).")
    if isinstance(entry, Gaussian) and entry.sensitivity is None and entry.peak is None:
        raise InvalidInput("Normal noise is added up by the distance of inputs; give it a sensitivity or a peak.")


def _steps(notion: Notion) -> Sequence[Notion]:
    """The notions in which to add up: those from which the notion asked for can profit."""
    steps: list[Notion] = [notion] if is_additive(notion) else []
    if isinstance(notion, ApproximateDifferentialPrivacy | Family | RenyiDifferentialPrivacy):
        steps.append(GaussianDifferentialPrivacy())
    if isinstance(notion, ApproximateDifferentialPrivacy):
        steps.append(ConcentratedDifferentialPrivacy())
    others = _ORDERS if isinstance(notion, ApproximateDifferentialPrivacy) else _INFORMATIONS
    return [*steps, *(step for step in (DifferentialPrivacy(), *others) if step != notion)]
