r"""The shapes in which every notion bounds a mechanism.

Write q for a column of the mechanism: the probabilities Q(y|x) of one output y, over all inputs x. Every notion
in epstar is one of

* **ratio bounds** (all pairs at once: a **spread**): for some pairs of non-negative linear forms,
  left(q) <= e^(level * distance) * right(q) + slack, either for each output alone or for every event of outputs,
  i.e. for the sum of the positive parts;
* **sum bounds**: for some convex functions f of a column that scale with it, f(c q) = c f(q), the sum of f over
  the outputs is at most a known increasing function of the level.

Both are convex in the mechanism, insensitive to splitting an output into proportional copies, and bounded from
below by linear forms: f(q) >= g(z).q for the gradient g at any direction z > 0. That inequality is all that a
proof needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import isqrt
from typing import TypeAlias

from epstar.exact import ONE, Rational, Real

Form: TypeAlias = Mapping[int, Rational]
"""A linear form with non-negative coefficients, by input position."""

Name: TypeAlias = tuple[int, ...]


LAW: Form = {}
"""Stands for the distribution of the output, as a variable of its own: at the least favourable member of a convex
source the output distribution is a free minimiser (the saddle form of mutual information and Sibson's)."""


class Allowance(ABC):
    """A slack that grows with the level."""

    @abstractmethod
    def at(self, level: Real) -> Real:
        """Return the slack at a level; it is smaller at every smaller level."""


@dataclass(frozen=True)
class RatioBound:
    """left(q) <= e^(level * distance) * right(q) + slack.

    With `events` the excesses of the outputs are added up before they are compared with the slack; else each output is
    compared alone. `slack_grows` multiplies the slack by e^level (the second half of local information privacy). `name`
    tells the bound from the others of its notion, as proofs write it: the place of the distribution it is read at,
    where there is one, and the inputs that it compares.
    """

    left: Form
    right: Form
    distance: Rational = ONE
    slack: Rational = Rational(0)
    events: bool = False
    slack_grows: bool = False
    name: Name = field(default=(), compare=False)
    allowance: Allowance | None = None
    """How the slack follows from the level, where it is not a number of the notion."""


@dataclass(frozen=True)
class Spread:
    """scale_x q_x <= e^level * scale_x' q_x' + slack for every pair of inputs x, x'.

    The ratio bounds of a universe in which all pairs are neighbours, said once: a proof then needs one number
    per input. With `events` the excesses of the outputs are added up, pair by pair. `law` begins the names of the
    bounds: the place of the distribution that they are read at, where there is one.
    """

    scales: tuple[Rational, ...]
    slack: Rational = Rational(0)
    events: bool = False
    law: Name = ()

    def ratios(self) -> Iterator[RatioBound]:
        """Return the same bounds pair by pair, each pair in both directions."""
        for first, second in combinations(range(len(self.scales)), 2):
            yield self.ratio(first, second)
            yield self.ratio(second, first)

    def ratio_at(self, place: int) -> RatioBound:
        """Return the bound at a place of `ratios`, without the others."""
        # Pairs that begin with x come after x (2 size - x - 1) / 2 others.
        pair, edge = place // 2, 2 * len(self.scales) - 1
        x = (edge - 1 - isqrt(edge**2 - 8 * pair - 1)) // 2
        other = pair - x * (edge - x) // 2 + x + 1
        return self.ratio(x, other) if place % 2 == 0 else self.ratio(other, x)

    def place_of(self, x: int, other: int) -> int:
        """Return where `ratios` has the bound of one input against another."""
        first, second = sorted((x, other))
        return 2 * (first * (2 * len(self.scales) - first - 1) // 2 + second - first - 1) + (x > other)

    def ratio(self, x: int, other: int) -> RatioBound:
        """Return the bound of one input against another."""
        left, right, name = {x: self.scales[x]}, {other: self.scales[other]}, (*self.law, x, other)
        return RatioBound(left, right, slack=self.slack, events=self.events, name=name)


class Atom:
    """A convex function of a column that scales with it."""


@dataclass(frozen=True)
class Measured(Atom):
    """A function of weighted numbers of a column: of its entries, or of `forms` of it that stand at their places."""

    weights: Form
    forms: Mapping[int, Form] | None = field(default=None, kw_only=True)

    def form(self, place: int) -> Form:
        """Return what stands at a place, as a form of the column."""
        return {place: ONE} if self.forms is None else self.forms[place]


@dataclass(frozen=True)
class Maximum(Measured):
    """max over x of weight_x q_x."""


@dataclass(frozen=True)
class RelativeEntropy(Atom):
    """left(q) log(left(q) / right(q))."""

    left: Form
    right: Form


@dataclass(frozen=True)
class Power(Atom):
    """left(q)^order right(q)^(1 - order) for order > 1; minus that for 0 < order < 1."""

    left: Form
    right: Form
    order: Rational


@dataclass(frozen=True)
class Norm(Measured):
    """(sum over x of weight_x q_x^order)^(1/order) for order > 1; minus that for 0 < order < 1."""

    order: Rational


class Scale(ABC):
    """How a level bounds a sum of atoms: an increasing function of the level and its inverse."""

    @abstractmethod
    def bound(self, level: Real) -> Real:
        """Return the largest sum allowed at `level`."""

    @abstractmethod
    def level(self, bound: Real) -> Real:
        """Return the smallest level that allows the sum `bound`."""


@dataclass(frozen=True)
class Proportional(Scale):
    """The sum is at most factor * level."""

    factor: Rational = ONE

    def bound(self, level: Real) -> Real:
        return level * self.factor

    def level(self, bound: Real) -> Real:
        return bound / self.factor


@dataclass(frozen=True)
class Exponential(Scale):
    """The sum is at most sign * factor * e^(rate * level), with sign(rate) = sign."""

    rate: Rational = ONE
    factor: Rational = ONE

    def bound(self, level: Real) -> Real:
        signed = self.factor if self.rate > 0 else -self.factor
        return Real.exp(level * self.rate) * signed if self.rate != 1 else Real.exp(level) * signed

    def level(self, bound: Real) -> Real:
        signed = self.factor if self.rate > 0 else -self.factor
        ratio = bound / signed
        if ratio.rational is not None:
            return Real.log(ratio.rational) if self.rate == 1 else Real.log(ratio.rational) / self.rate
        return Real.from_ball(lambda bits: ratio.enclose(bits).log()) / self.rate


@dataclass(frozen=True)
class SumBound:
    """The sum over outputs of sum_k weight_k atom_k(q) is at most scale.bound(level); for its name see `RatioBound`."""

    terms: tuple[tuple[Rational, Atom], ...]
    scale: Scale
    name: Name = field(default=(), compare=False)


@dataclass(frozen=True)
class Constraints:
    """All the bounds of a notion; a mechanism meets the level when it meets every one."""

    ratios: Sequence[RatioBound] = ()
    spread: Spread | None = None
    sums: tuple[SumBound, ...] = ()

    def __post_init__(self) -> None:
        # Bounds that do not say who they are go by their places; those that are not written out do.
        if isinstance(self.ratios, tuple) and len({bound.name for bound in self.ratios}) < len(self.ratios):
            named = tuple(replace(bound, name=(i,)) for i, bound in enumerate(self.ratios))
            object.__setattr__(self, "ratios", named)
        if len({bound.name for bound in self.sums}) < len(self.sums):
            object.__setattr__(self, "sums", tuple(replace(bound, name=(i,)) for i, bound in enumerate(self.sums)))

    @property
    def number_of_ratios(self) -> int:
        """How many ratio bounds there are, those of the spread counted and not written out."""
        inputs = 0 if self.spread is None else len(self.spread.scales)
        return len(self.ratios) + inputs * (inputs - 1)

    def ratio(self, place: int) -> RatioBound:
        """Return the ratio bound at a place of `pairwise`.

        Raises:
            IndexError: if there is none.
        """
        if self.spread is None or place < len(self.ratios):
            return self.ratios[place]
        if not place < self.number_of_ratios:
            raise IndexError(place)
        return self.spread.ratio_at(place - len(self.ratios))

    def pairwise(self) -> Sequence[RatioBound]:
        """Return all ratio bounds, those of the spread written out."""
        return self.ratios if self.spread is None else (*self.ratios, *self.spread.ratios())


def with_free_law(constraints: Constraints) -> Constraints:
    """Return the saddle form of bounds that were read at members of a convex source.

    The supremum over the source of a loss that is concave in the prior is a minimum over the distribution of the output
    of a maximum over the members, and for a fixed distribution the maximum is attained at extreme members. Relative
    entropies are taken to the free distribution; a norm becomes the sum of powers whose minimum over the distribution
    it is.
    """
    return Constraints(sums=tuple(_freed(bound) for bound in constraints.sums))


def _freed(bound: SumBound) -> SumBound:
    terms: list[tuple[Rational, Atom]] = []
    scale = bound.scale
    for weight, atom in bound.terms:
        if isinstance(atom, Norm):
            terms += [(weight * share, Power({x: ONE}, LAW, atom.order)) for x, share in atom.weights.items()]
            scale = Exponential(rate=atom.order - 1)
        elif isinstance(atom, RelativeEntropy):
            terms.append((weight, RelativeEntropy(atom.left, LAW)))
        else:
            terms.append((weight, atom))
    return SumBound(tuple(terms), scale)
