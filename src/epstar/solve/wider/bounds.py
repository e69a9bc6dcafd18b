"""The bounds that a table lists: each by the name that claims give it, and what it says of zeros and at level zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from epstar.claims.bounds import Bounds, combined, compared, vanishes
from epstar.claims.claim import DIGITS, bits_of
from epstar.exact import ZERO
from epstar.notions.constraints import Atom, Form, Maximum, Name, Power, RatioBound, RelativeEntropy, SumBound
from epstar.solve.wider.laws import Point

BITS = bits_of(DIGITS)
"""The binary digits in which claims enclose their numbers."""


@dataclass(frozen=True)
class AllPairs:
    """Ratio bounds of every form of a column by every other: none is more than e^level times the least of them.

    A program says it with a variable for the least; claims name the pairs, `name` and the places of two forms.
    """

    forms: tuple[Form, ...]
    name: Name

    def pairs(self) -> Iterator[tuple[Name, Form, Form]]:
        """Yield the bounds by name, with what they compare."""
        for x, left in enumerate(self.forms):
            for other, right in enumerate(self.forms):
                if x != other:
                    yield (*self.name, x, other), left, right


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound on columns of the mechanism: its name in claims, the table that it stands in with its level, itself."""

    name: Name
    bounds: Bounds
    bound: RatioBound | SumBound | AllPairs
    corner: Point | None = None
    """The law of a region at which a bound in its saddle form is read; claims name a mixture of these instead."""


def at_level(entry: Bound) -> list[Bound]:
    """Return a bound, or where it says at level zero that two sides are equal, the two ratios that say so."""
    bound = entry.bound
    if not isinstance(bound, SumBound) or entry.bounds.level.rational != 0 or not vanishes(bound):
        return [entry]
    found = []
    for k, (_, left, right) in enumerate(compared(bound)):
        for side, (one, other) in enumerate(((left, right), (right, left))):
            found.append(Bound((*entry.name, k, side), entry.bounds, RatioBound(one, other, ZERO)))
    return found


def compares(entry: Bound, is_closed: bool) -> list[tuple[Name, Form, Form]]:
    """Return what a bound says of entries that vanish: pairs of sides, by the names of ratio bounds."""
    bound = entry.bound
    if entry.corner is not None:
        return []
    if isinstance(bound, AllPairs):
        prefix = entry.name[: len(entry.name) - len(bound.name)]
        return [((*prefix, *name), left, right) for name, left, right in bound.pairs()]
    if isinstance(bound, RatioBound):
        is_plain = bound.slack == 0 and (bound.allowance is None or is_closed)
        return [(entry.name, bound.left, bound.right)] if is_plain and bound.left else []
    found: list[tuple[Name, Form, Form]] = []
    for k, (_, atom) in enumerate(bound.terms):
        if _is_steep(atom):
            assert isinstance(atom, RelativeEntropy | Power)
            found.append(((*entry.name, k, 0), atom.left, atom.right))
    return found


def _is_steep(atom: Atom) -> bool:
    """Return whether an atom is infinite where its right side alone vanishes."""
    return isinstance(atom, RelativeEntropy) or (isinstance(atom, Power) and atom.order > 1)


def equalities(entry: Bound) -> Iterator[tuple[Form, Form]]:
    """Yield what a bound at level zero makes equal: two sides whose totals over the outputs are."""
    bound = entry.bound
    if isinstance(bound, SumBound):
        tied = (pair for pair in largest_parts(entry) if sum(pair[0].values(), ZERO) == sum(pair[1].values(), ZERO))
        yield from tied
        return
    if entry.bounds.level.rational != 0:
        return
    if isinstance(bound, AllPairs):
        pairs = [(bound.forms[0], other) for other in bound.forms[1:]]
    else:
        pairs = [(bound.left, bound.right)] if bound.slack == 0 and bound.allowance is None else []
    if all(sum(left.values(), ZERO) == sum(right.values(), ZERO) for left, right in pairs):
        yield from pairs


def largest_parts(entry: Bound) -> list[tuple[Form, Form]]:
    """Return what a sum of maxima that is as small as can be says of each output: pairs of a part and the largest one.

    In total over the outputs a part is the same for every mechanism; the largest one is then so for each output.
    """
    bound = entry.bound
    if not isinstance(bound, SumBound) or entry.bounds.level.rational != 0 or len(bound.terms) > 1:
        return []
    ((weight, atom),) = bound.terms
    if not isinstance(atom, Maximum):
        return []
    parts = [combined(((share, atom.form(place)),)) for place, share in atom.weights.items()]
    totals = [sum(part.values(), ZERO) for part in parts]
    best = totals.index(max(totals))
    if weight * totals[best] != bound.scale.bound(entry.bounds.level).rational:
        return []
    return [(part, parts[best]) for i, part in enumerate(parts) if i != best]
