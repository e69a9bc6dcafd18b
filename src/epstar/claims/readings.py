"""Where the bounds of a wider question are read: guarantees at their levels, on the channel from the secret.

A problem with a secret, limits or further guarantees, or about one of the notions that came with them, names a bound by
three things: which guarantee (0 is the notion, then the further ones), at which of the claim's points it is read, and
its name in the table of that guarantee. A notion that is a family of bounds, one for each number (an order, a
threshold), has the position of the number in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from epstar.claims.bounds import Bounds, combined
from epstar.claims.claim import Point, Setting
from epstar.claims.members import check_member
from epstar.errors import ProofRejected
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions.base import Notion, PerInput
from epstar.notions.constraints import Atom, Constraints, Form, Measured, Name, Power, RatioBound, RelativeEntropy
from epstar.notions.family import Family
from epstar.secret import Behind
from epstar.universe import Universe

Sides = TypeVar("Sides", bound=RatioBound | Power | RelativeEntropy)


@dataclass(frozen=True)
class Reading:
    """A notion as it is read under one law of the inputs: what of, on which universe, and at which law."""

    notion: Notion
    universe: Universe
    law: Point
    behind: Behind | None
    """The secret under the law; None where it is the input itself."""

    def constraints(self, number: Rational | None = None) -> Constraints:
        """Return the bounds on columns of the channel that is read; of a family, those of a number."""
        if number is None:
            return self.notion.constraints(self.universe, (self.law,))
        assert isinstance(self.notion, Family)
        return self.notion.member(number).constraints(self.universe, (self.law,))

    def pulled(self, number: Rational | None = None) -> Constraints:
        """Return the bounds as bounds on columns of the mechanism."""
        found = self.constraints(number)
        if self.behind is None:
            return found
        ratios = tuple(self._between(bound) for bound in found.pairwise())
        sums = (replace(bound, terms=tuple((w, self._atom(atom)) for w, atom in bound.terms)) for bound in found.sums)
        return Constraints(ratios, None, tuple(sums))

    def channel(self, mechanism: Mechanism) -> Mechanism:
        """Return the channel that is read, of an exact mechanism."""
        return mechanism if self.behind is None else self.behind.channel(mechanism)

    def _form(self, form: Form) -> Form:
        assert self.behind is not None
        return combined((share, self.behind.mixtures[s]) for s, share in form.items())

    def _between(self, sides: Sides) -> Sides:
        return replace(sides, left=self._form(sides.left), right=self._form(sides.right))

    def _atom(self, atom: Atom) -> Atom:
        if isinstance(atom, Measured):
            return replace(atom, forms={place: self._form(atom.form(place)) for place in atom.weights})
        assert isinstance(atom, Power | RelativeEntropy)
        return self._between(atom)


def read_at(setting: Setting, notion: Notion, point: Point) -> Reading:
    """Return a notion as it is read under a law of the inputs; secrets of probability zero are left out."""
    secret = setting.secret
    if secret is None:
        return Reading(notion, setting.universe, point, None)
    behind = secret.behind(point)
    read = notion.among(behind.places) if isinstance(notion, PerInput) else notion
    return Reading(read, behind.universe, behind.law, behind)


@dataclass(frozen=True, eq=False)
class Readings:
    """The bounds of all guarantees of a setting at some points, by name."""

    setting: Setting
    level: Real
    points: tuple[Point, ...]
    numbers: tuple[Rational, ...]
    bits: int
    _known: dict[tuple[int, int, Rational | None], Bounds] = field(default_factory=dict)

    def find(self, name: Name) -> tuple[int, Bounds, Name]:
        """Return which guarantee a name speaks of, its bounds where they are read, and the rest of the name.

        Raises:
            ProofRejected: if there is no such guarantee, point or number, or the point is none of the notion's laws.
        """
        try:
            which, place, *rest = name
            notion, given = self.setting.guarantees[which]
            point, number = self.points[place], self.numbers[rest.pop(0)] if isinstance(notion, Family) else None
        except (IndexError, ValueError):
            raise ProofRejected(f"The name {list(name)} is not one of a guarantee at a point.") from None
        key = (which, place, number)
        if key not in self._known:
            check_member(point, notion.priors(self.setting.source))
            if isinstance(notion, Family) and number is not None and not notion.has_member(number):
                raise ProofRejected("A number at which a notion is read is none of those that it has.")
            reading = read_at(self.setting, notion, point)
            level = self.level if given is None else given
            self._known[key] = Bounds(partial(reading.pulled, number), level, self.bits)
        return which, self._known[key], tuple(rest)
