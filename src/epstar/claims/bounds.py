"""The meaning of a notion: the bounds on the columns of a mechanism, by the names that proofs use.

The table itself is what each notion says of itself (`Notion.constraints`). Here a name finds its bound, a level says
what the bound is, and two consequences of bounds on divergences get names of their own:

* at level zero a divergence vanishes, so what it compares is equal: two ratio bounds at distance zero;
* at any finite level an output that the right side of a divergence excludes, its left side excludes: a ratio bound at
  an infinite distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from epstar.errors import ProofRejected, Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.exact.enclosure import times
from epstar.notions.constraints import (
    Atom,
    Constraints,
    Exponential,
    Form,
    Maximum,
    Name,
    Norm,
    Power,
    RatioBound,
    RelativeEntropy,
    SumBound,
)


@dataclass(frozen=True)
class Ratio:
    """A ratio bound at a level: left <= growth * right + slack; the growth is None where it is infinite."""

    bound: RatioBound
    growth: Rational | None
    slack: Rational
    rises: bool
    """Whether the right side counts for less at every smaller level."""
    is_strict: bool = False
    """Whether the slack is less at every smaller level."""
    multiples: dict[int, Rational] = field(default_factory=dict)
    """How often it is used in a step, by output."""

    @property
    def paid(self) -> Rational:
        """How many times the slack is paid: over events the outputs share it."""
        values = self.multiples.values()
        return max(values) if self.bound.events else sum(values, ZERO)


@dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds of a notion at a level, by name; numbers that are not rational are rounded with `bits`.

    The table is made where a bound is asked for: many claims about many inputs need none.
    """

    table: Callable[[], Constraints]
    level: Real
    bits: int
    _growths: dict[Rational, Rational] = field(default_factory=dict)

    @cached_property
    def constraints(self) -> Constraints:
        """The table of bounds."""
        return self.table()

    def ratio(self, name: Name) -> Ratio:
        """Return the ratio bound of a name.

        Raises:
            ProofRejected: if the notion has none, or it says nothing at this level.
        """
        spread = self.constraints.spread
        if spread is not None:
            *law, x, other = name if len(name) >= 2 else (0, 0, 0, 0)
            size = len(spread.scales)
            if tuple(law) == spread.law and 0 <= x < size and 0 <= other < size and x != other:
                return self._read(spread.ratio(x, other))
        elif name in self._ratios:
            return self._read(self._ratios[name])
        elif name[:-2] in self._sums and len(name) >= 2:
            return self._consequence(self._sums[name[:-2]], *name[-2:])
        raise _unknown("ratio", name)

    def sum(self, name: Name) -> SumBound:
        """Return the sum bound of a name.

        Raises:
            ProofRejected: if the notion has none.
        """
        if name not in self._sums:
            raise _unknown("sum", name)
        return self._sums[name]

    def growth(self, rate: Rational) -> Rational:
        """Return e^(rate * level) rounded up: that allows more mechanisms, so that what is excluded stays true."""
        if rate not in self._growths:
            try:
                self._growths[rate] = Real.exp(times(self.level, rate)).above(self.bits)
            except Undecided:
                raise ProofRejected("The loss is so large that nothing can be computed with e to that power.") from None
        return self._growths[rate]

    def charge(self, bound: SumBound) -> Rational | Ball:
        """Return what a sum is at most; for powers and norms in units of the size of that."""
        if is_relative(bound):
            assert isinstance(bound.scale, Exponential)
            return ONE if bound.scale.rate > 0 else -ONE
        limit = bound.scale.bound(self.level)
        return limit.rational if limit.rational is not None else limit.ball(self.bits)

    @cached_property
    def _ratios(self) -> dict[Name, RatioBound]:
        return {bound.name: bound for bound in self.constraints.ratios}

    @cached_property
    def _sums(self) -> dict[Name, SumBound]:
        return {bound.name: bound for bound in self.constraints.sums}

    def _read(self, bound: RatioBound) -> Ratio:
        if self.level.is_infinite:
            if bound.allowance is not None or (bound.slack_grows and bound.slack > 0):
                raise ProofRejected("A slack that grows with the loss says nothing at an infinite one.")
            return Ratio(bound, None, bound.slack, False)
        if bound.allowance is not None:
            return Ratio(bound, ONE, bound.allowance.at(self.level).above(self.bits), False, True)
        slack = bound.slack * (self.growth(ONE) if bound.slack_grows else ONE)
        return Ratio(bound, self.growth(bound.distance), slack, bound.distance > 0)

    def _consequence(self, bound: SumBound, term: int, side: int) -> Ratio:
        found = compared(bound)
        if not 0 <= term < len(found) or side not in (0, 1):
            raise _unknown("ratio", (*bound.name, term, side))
        atom, left, right = found[term]
        if self.level.rational == 0 and vanishes(bound):
            left, right = (left, right) if side == 0 else (right, left)
            return Ratio(RatioBound(left, right, ZERO), ONE, ZERO, False)
        if side == 0 and (isinstance(atom, RelativeEntropy) or (isinstance(atom, Power) and atom.order > 1)):
            return Ratio(RatioBound(left, right), None, ZERO, False)
        raise ProofRejected("Above level zero a bound on a divergence says nothing of this ratio.")


def is_relative(bound: SumBound) -> bool:
    """Return whether a sum is measured in units of its bound: one of powers or norms."""
    return any(isinstance(atom, Power | Norm) for _, atom in bound.terms)


def vanishes(bound: SumBound) -> bool:
    """Return whether a sum is as small as it can be at level zero only if what it compares is equal.

    Relative entropies are never negative, and vanish with their bound. A sum of powers of two laws is at least 1 (minus
    that, for orders below one), as is a sum of norms whose weights are a law.
    """
    if isinstance(bound.scale, Exponential):
        ((weight, atom),) = bound.terms
        is_law = isinstance(atom, Norm) and sum(atom.weights.values(), ZERO) == 1
        return weight == 1 and bound.scale.factor == 1 and (is_law or isinstance(atom, Power))
    return all(isinstance(atom, RelativeEntropy) and weight > 0 for weight, atom in bound.terms)


def compared(bound: SumBound) -> list[tuple[Atom, Form, Form]]:
    """Return what the atoms of a sum compare; a norm compares each input with the law of the output."""
    found: list[tuple[Atom, Form, Form]] = []
    for _, atom in bound.terms:
        if isinstance(atom, RelativeEntropy | Power):
            found.append((atom, atom.left, atom.right))
        elif isinstance(atom, Norm):
            found += [(atom, atom.form(x), mean_of(atom)) for x in atom.weights]
        else:
            assert isinstance(atom, Maximum)
    return found


def mean_of(atom: Norm) -> Form:
    """Return the weighted sum of what a norm is about: the law of the output, where the weights are a law."""
    if atom.forms is None:
        return atom.weights
    return combined((weight, atom.form(place)) for place, weight in atom.weights.items())


def combined(parts: Iterable[tuple[Rational, Form]]) -> Form:
    """Return a sum of multiples of forms."""
    found: dict[int, Rational] = {}
    for weight, form in parts:
        for x, share in form.items():
            found[x] = found.get(x, ZERO) + weight * share
    return {x: share for x, share in found.items() if share != 0}


def _unknown(kind: str, name: Name) -> ProofRejected:
    return ProofRejected(f"The notion has no {kind} bound of the name {list(name)}.")
