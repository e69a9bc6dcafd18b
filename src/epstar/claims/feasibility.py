"""Feasibility: whether a mechanism keeps every bound of a notion at a level, exactly or by enclosures.

The bounds are the table that the notion says of itself (`Notion.constraints`), the same that lower bounds add up. Each
is evaluated where the mechanism is and compared with what the level allows: ratios in integers over one denominator,
e^level rounded down; sums as real numbers. Nothing is searched. For a large matrix floats with bounds on their errors
come first, and what they cannot settle is left to exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.claims.claim import Point, at_most
from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.common_denominator import widened
from epstar.exact.enclosure import Logarithm, sum_of_logs, times
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import DistanceMechanism, Mechanism
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Form,
    Maximum,
    Norm,
    Power,
    Proportional,
    RatioBound,
    RelativeEntropy,
    Spread,
    SumBound,
)
from epstar.notions.measure.hockey_stick import LARGEST, has_faint, may_exceed, outputs_above
from epstar.notions.measure.information_arrays import MANY_ENTRIES, EnclosedInformation, is_many
from epstar.notions.measure.relative_entropy import logs_of_divergence
from epstar.notions.measure.renyi_divergence import divergence, enclosed_divergences
from epstar.notions.measure.worst_ratio import row_kinds
from epstar.notions.pairs import PairBounds
from epstar.notions.sibson_mutual_information import information

Floats = NDArray[np.float64]
Vector = NDArray[Any]
"""One number for each output: integers or fractions, as objects."""

# Entries of one block of pairs: 1 MiB for each temporary array, which a cache holds.
_BLOCK = 1 << 17
# Terms of divergences; from here on floats for all of them take less than exact numbers, about a millisecond.
_MANY_TERMS = 1 << 10
# Probabilities of 4000 digits, the most that documents hold, differ by less than e to the power of this, and no law
# that is written down makes up for more.
LARGEST_EXPONENT = 20_000


@dataclass(frozen=True, eq=False)
class Value:
    """A linear form of every column, in units of a table: `numerators / denominator`."""

    numerators: Vector
    denominator: int


@dataclass(frozen=True, eq=False)
class Table:
    """The entries of a mechanism, in units of `unit`; a column stands for `columns` outputs.

    Where only the extreme probabilities of the outputs are known, over the laws of a source, `extremes` has the least
    and the largest: they stand for the law of the output on the right and on the left of a bound.
    """

    entries: Vector
    unit: Rational
    columns: int = 1
    extremes: tuple[Point, Point] | None = None
    mechanism: Mechanism | None = None
    # Forms by their place in memory, which is theirs as long as they are kept here.
    _forms: dict[int, tuple[Form, Value]] = field(default_factory=dict)

    @classmethod
    def of(cls, mechanism: Mechanism, extremes: tuple[Point, Point] | None = None) -> Table:
        """Return the table of an exact mechanism, as integers where these are of moderate size."""
        scaled = mechanism.scaled
        if scaled is None:
            return cls(_objects(mechanism.rows), ONE, 1, extremes, mechanism)
        return cls(widened(scaled.numerators), Rational(1, scaled.denominator), 1, extremes, mechanism)

    def keeps(self, constraints: Constraints, level: Real, bits: int) -> bool:
        """Return whether the mechanism surely keeps some bounds at a finite level."""
        spread, ratios = constraints.spread, constraints.ratios
        if spread is not None and not (spread.events and spread.slack > 0):
            if not self._keeps_spread(spread, growth_below(level, ONE, bits)):
                return False
        elif spread is not None:
            assert self.mechanism is not None
            ratios = PairBounds(self.mechanism.universe, spread.slack, spread.events)

        @cache
        def growth(rate: Rational) -> Rational:
            return growth_below(level, rate, bits)

        for bound in in_time(self._doubtful_ratios(ratios, growth)):
            slack = bound.slack * (growth(ONE) if bound.slack_grows else ONE)
            sides = self._value(bound.left, 1), self._value(bound.right)
            if not self._keeps_ratio(*sides, growth(bound.distance), slack, bound.events):
                return False
        doubtful = self._doubtful_sums(constraints.sums, level)
        return all(at_most(self._level_of(bound), level) for bound in in_time(doubtful))

    # -- ratios -------------------------------------------------------------------------------------------------------

    def _keeps_spread(self, spread: Spread, growth: Rational) -> bool:
        """Among all pairs the largest and the least entry of a column decide."""
        scales, common = _whole(spread.scales)
        entries = self.entries if all(scale == 1 for scale in scales) else _objects(scales)[:, None] * self.entries
        above, below = Value(entries.max(axis=0), common), Value(entries.min(axis=0), common)
        return self._keeps_ratio(above, below, growth, spread.slack)

    def _doubtful_ratios(
        self, ratios: Sequence[RatioBound], growth: Callable[[Rational], Rational]
    ) -> Sequence[RatioBound]:
        """Return the bounds on pairs of rows of a large matrix that floats cannot settle, and all other bounds.

        Equal rows keep them.
        """
        mechanism, terms = self.mechanism, len(ratios) * self.entries.shape[1]
        if mechanism is None or not isinstance(ratios, PairBounds) or terms < MANY_ENTRIES:
            return ratios
        floats, pairs = mechanism.floats, ratios.pairs
        lengths, place = pairs.lengths
        factors = [growth(length) for length in lengths]
        if has_faint(self.entries, floats) or min(factors) < 1:
            return ratios
        kind = row_kinds(mechanism)
        unlike = np.flatnonzero(kind[pairs.first] != kind[pairs.second])
        unlike = unlike[np.argsort(place[unlike], kind="stable")]
        found: list[RatioBound] = []
        step = max(1, _BLOCK // floats.shape[1])
        for alike in in_time(np.split(unlike, np.flatnonzero(np.diff(place[unlike])) + 1)):
            for start in range(0, len(alike), step):
                block = alike[start : start + step]
                ends, factor = (pairs.first[block], pairs.second[block]), factors[place[block[0]]]
                for order, (left, right) in enumerate((ends, ends[::-1])):
                    doubtful = self._are_doubtful(floats, left, right, factor, ratios.slack)
                    found += [ratios[2 * pair + order] for pair in block[doubtful].tolist()]
        return found

    def _are_doubtful(
        self, floats: Floats, left: Vector, right: Vector, factor: Rational, slack: Rational
    ) -> NDArray[np.bool_]:
        """Return which pairs of rows may differ by more than a factor and a slack; without one, those that do.

        A factor beyond all floats is one of those that leave a doubt.
        """
        if slack > 0 or factor > LARGEST:
            # Excesses that add up to no more than the slack are no more one by one.
            return may_exceed(floats[left], floats[right], 1, factor, slack)
        surely, maybe = outputs_above(floats[left], floats[right], 1, factor)
        is_broken = np.asarray(surely.any(axis=1))
        pair, output = np.nonzero(maybe)
        above, below = self.entries[left[pair], output], self.entries[right[pair], output]
        is_broken[pair[above * int(factor.q) > below * int(factor.p)]] = True
        return is_broken

    def _keeps_ratio(self, left: Value, right: Value, growth: Rational, slack: Rational, events: bool = False) -> bool:
        times_left, times_right = right.denominator * int(growth.q), left.denominator * int(growth.p)
        excess = left.numerators * times_left - right.numerators * times_right
        allowed = slack / self.unit * left.denominator * times_left
        return bool((np.maximum(excess, 0).sum() if events else excess.max()) <= allowed)

    def _value(self, form: Form, side: int = 0) -> Value:
        """Return a form of every column; of the law of the output, where it is not known, one of its extremes."""
        if self.extremes is not None and len(form) == len(self.entries) > 1:
            return Value(_objects([mean / self.unit for mean in self.extremes[side]]), 1)
        if len(form) == 1 and ONE in form.values():
            return Value(self.entries[next(iter(form))], 1)
        if id(form) not in self._forms:
            shares, common = _whole(list(form.values()))
            total = _objects([0] * self.entries.shape[1])
            for x, share in zip(form, shares, strict=True):
                total = total + self.entries[x] * share
            self._forms[id(form)] = form, Value(total, common)
        return self._forms[id(form)][1]

    # -- sums ---------------------------------------------------------------------------------------------------------

    def _doubtful_sums(self, sums: Sequence[SumBound], level: Real) -> Sequence[SumBound]:
        """Return the sums of a large matrix that floats cannot settle."""
        mechanism = self.mechanism
        if mechanism is None or self.extremes is not None or not sums:
            return sums
        first = sums[0].terms[0][1]
        if isinstance(first, Power) or len(sums) > len(self.entries):
            return self._doubtful_pairs(mechanism, sums, level)
        if isinstance(first, RelativeEntropy) and is_many(mechanism):
            return [bound for bound in sums if not self._is_surely_little(bound, level)]
        return sums

    def _doubtful_pairs(self, mechanism: Mechanism, sums: Sequence[SumBound], level: Real) -> Sequence[SumBound]:
        """Return the divergences of one row from another that floats cannot settle."""
        atom = sums[0].terms[0][1]
        order = atom.order if isinstance(atom, Power) else ONE
        if len(sums) * self.entries.shape[1] < _MANY_TERMS:
            return sums
        enclosed = enclosed_divergences(mechanism.floats, mechanism.universe, order)
        if enclosed is None:
            return sums
        pairs = enclosed.pairs
        is_settled = enclosed.upper <= level.lower
        settled = set(zip(pairs.first[is_settled].tolist(), pairs.second[is_settled].tolist(), strict=True))
        # Distances other than one are known to floats but for a rounding.
        scale = Exponential(rate=order - 1) if isinstance(atom, Power) else Proportional()
        return [bound for bound in sums if bound.scale != scale or _pair_of(bound) not in settled]

    def _is_surely_little(self, bound: SumBound, level: Real) -> bool:
        """Return whether floats tell that divergences of rows from one law of the output are small enough."""
        atoms = [atom for _, atom in bound.terms if isinstance(atom, RelativeEntropy)]
        law = atoms[0].right
        assert all(atom.right is law and list(atom.left.values()) == [ONE] for atom in atoms)
        floats = nearest_floats([law.get(x, ZERO) for x in range(len(self.entries))])
        used = {next(iter(atom.left)): weight for atom, (weight, _) in zip(atoms, bound.terms, strict=True)}
        if used == dict(law):
            upper = self._informations.at(floats).upper
        else:
            assert list(used.values()) == [ONE]
            upper = float(self._informations.divergences(floats)[next(iter(used))])
        return upper <= bound.scale.bound(level).lower

    @cached_property
    def _informations(self) -> EnclosedInformation:
        assert self.mechanism is not None
        return EnclosedInformation(self.mechanism.floats)

    def _level_of(self, bound: SumBound) -> Real:
        """Return the least level at which a sum bound holds."""
        weight, first = bound.terms[0]
        if isinstance(first, Maximum):
            values = [self._value(first.form(x)) for x in first.weights]
            shares = zip(first.weights.values(), values, strict=True)
            scales, common = _whole([share / value.denominator for share, value in shares])
            chosen = np.array([value.numerators * scale for value, scale in zip(values, scales, strict=True)])
            return bound.scale.level(Real.of(weight * self.columns * self.unit / common * sum(chosen.max(axis=0))))
        if isinstance(first, Norm):
            return self._level_of_norm(bound, first)
        if isinstance(first, Power):
            assert isinstance(bound.scale, Exponential)
            laws = self._fractions(first.left), self._fractions(first.right)
            return divergence(*laws, first.order, bound.scale.rate / (first.order - 1))
        assert isinstance(first, RelativeEntropy)
        law, logs = self._fractions(first.right), list[Logarithm]()
        for weight, atom in bound.terms:
            assert isinstance(atom, RelativeEntropy)
            right = law if atom.right is first.right else self._fractions(atom.right)
            if not logs_of_divergence(self._fractions(atom.left), right, weight * self.columns, logs):
                return INFINITY
        assert isinstance(bound.scale, Proportional)
        return times(sum_of_logs(logs), ONE / bound.scale.factor)

    def _level_of_norm(self, bound: SumBound, atom: Norm) -> Real:
        """Return Sibson's information; averaged over distances it is a divergence of laws of the distance."""
        shares, order = tuple(atom.weights.values()), atom.order
        rows = [self._fractions(atom.form(x)) for x in atom.weights]
        assert bound.terms[0][0] == sum(shares, ZERO) == 1, "the atom is measured by the distributions of inputs"
        assert bound.scale == Exponential(rate=(order - 1) / order)
        if self.columns > 1:
            law = [self.columns * share * row[0] for share, row in zip(shares, rows, strict=True)]
            return divergence(law, shares, order)
        return information(rows, shares, order)

    def _fractions(self, form: Form) -> Sequence[Rational]:
        """Return a form of every column, number by number."""
        if self.mechanism is not None and list(form.values()) == [ONE]:
            return self.mechanism.rows[next(iter(form))]
        value = self._value(form)
        unit = self.unit / value.denominator
        return [entry * unit for entry in value.numerators]


def growth_below(level: Real, rate: Rational, bits: int) -> Rational:
    """Return a number not above e^(rate level); no entries of a mechanism that is written out differ by more."""
    exponent = times(level, rate)
    return Real.exp(exponent if exponent < LARGEST_EXPONENT else LARGEST_EXPONENT).below(bits)


def table_of_distances(mechanism: DistanceMechanism) -> Table:
    """Return the one column f(0), f(1), ... that stands for all columns of a mechanism on databases."""
    databases = mechanism.databases
    values = [(mechanism.at_distance(distance),) for distance in range(databases.rows + 1)]
    return Table(_objects(values), ONE, databases.size)


def _pair_of(bound: SumBound) -> tuple[int, int]:
    """Return the two rows whose divergence a sum consists of."""
    ((weight, atom),) = bound.terms
    assert isinstance(atom, Power | RelativeEntropy)
    assert weight == 1 == len(atom.left) == len(atom.right)
    return next(iter(atom.left)), next(iter(atom.right))


def _whole(shares: Sequence[Rational]) -> tuple[list[int], int]:
    """Return fractions as integers over one denominator."""
    common = math.lcm(*(int(share.q) for share in shares))
    return [int((share * common).p) for share in shares], common


def _objects(values: Sequence[Any]) -> Vector:
    """Return numbers as an array of objects."""
    found = np.empty((len(values), len(values[0])) if isinstance(values[0], tuple) else len(values), dtype=object)
    for place, value in enumerate(values):
        found[place] = value
    return found
