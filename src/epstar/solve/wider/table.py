"""The bounds of a question at a level, each by the name that claims give it, and the entries that must vanish."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from epstar.claims import Setting, Step
from epstar.claims.bounds import Bounds, combined
from epstar.claims.readings import read_at
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.limits import Entry, Limit
from epstar.notions.constraints import (
    Allowance,
    Constraints,
    Form,
    Name,
    RatioBound,
    Scale,
    SumBound,
    with_free_law,
)
from epstar.notions.family import Family
from epstar.solve.wider.bounds import BITS, AllPairs, Bound, at_level, compares
from epstar.solve.wider.implied import Cost, Implied, Outweighing, implied, outweighed, outweighing
from epstar.solve.wider.laws import Laws, Point

Pulled = tuple[Constraints, AllPairs | None]
"""Bounds as they are read; those of all pairs alike apart."""


@dataclass(frozen=True)
class Member:
    """One bound of a family: which guarantee, read at which law, of which pair, at which order or threshold."""

    guarantee: int
    law: int
    pair: tuple[int, int]
    number: Rational
    event: frozenset[int] | None = None
    """The outputs of an event, where the bound is on all of them and this one is read."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.guarantee, self.law, self.pair, self.number, self.event))

    @property
    def place(self) -> tuple[int, int, tuple[int, int], frozenset[int] | None]:
        """What it has in common with other members of the same pair, and the same event."""
        return self.guarantee, self.law, self.pair, self.event


@dataclass(frozen=True, eq=False)
class Table:
    """A setting at a level of its notion: all bounds that are finite there.

    Notions that are families of bounds are read at the orders or thresholds of the `members` alone.
    """

    laws: Laws
    level: Real
    members: frozenset[Member] = frozenset()
    most: Rational | None = None
    """The distortion that is kept, where that is given."""
    is_closed: bool = False
    """Whether zeros spread by slacks that vanish in the limit, too: mechanisms keep to that, and no step says it."""
    is_finite: bool = True
    """Whether an infinite level stands for all finite losses, and not for any at all."""
    _known: dict[tuple[int, Point], dict[Rational | None, Pulled]] = field(default_factory=dict)
    """Tables of bounds that were made, which depend on no level."""
    allowed: dict[tuple[Allowance, Real], tuple[Rational, float]] = field(default_factory=dict)
    """What bounds of families allow at a level, and how fast that grows, where it is known."""
    _implied: dict[frozenset[Entry], Implied] = field(default_factory=dict)
    """What limits imply beside entries that vanish."""

    @cached_property
    def numbers(self) -> tuple[Rational, ...]:
        """The orders and thresholds at which families are read."""
        return tuple(sorted({member.number for member in self.members}))

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The numbers of inputs and outputs."""
        return self.setting.distortion.shape(self.setting.universe)

    @property
    def setting(self) -> Setting:
        """What the bounds are about."""
        return self.laws.setting

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The limits on the mechanism but for entries that must vanish."""
        return self.setting.limits.rows(self.shape, self.setting.source) if self.setting.limits else ()

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds of all guarantees whose level is finite, at every law of the source."""
        return self._listed(False)

    def _listed(self, with_infinite: bool) -> tuple[Bound, ...]:
        found: list[Bound] = []
        for which, (notion, given) in enumerate(self.setting.guarantees):
            level = self.level if given is None else given
            if level.is_infinite and not (with_infinite and which == 0):
                continue
            if self.laws.has_saddle(which) and level.rational != 0:
                found += self._saddle(which, level)
                continue
            for place in self._places(which):
                if not isinstance(notion, Family):
                    found += self._entries((which, place), level, self._pulled(which, place, None))
                    continue
                for position, number in enumerate(self.numbers):
                    pairs = self._read_pairs.get((which, place, number), ())
                    pulled = self._pulled(which, place, number) if pairs else (Constraints(), None)
                    found += self._entries((which, place, position), level, pulled, pairs)
        return tuple(found)

    @cached_property
    def _read_pairs(self) -> dict[tuple[int, int, Rational], set[tuple[int, ...]]]:
        """The pairs at which a family is read, by the guarantee, the law and the number."""
        found: dict[tuple[int, int, Rational], set[tuple[int, ...]]] = {}
        for member in self.members:
            found.setdefault((member.guarantee, member.law, member.number), set()).add(member.pair)
        return found

    def events(self, name: Name) -> Collection[frozenset[int]]:
        """Return the events that are read of a bound of a family on all events, by its name; none if all are."""
        return self._events.get(name[:5], ())

    @cached_property
    def _events(self) -> dict[Name, set[frozenset[int]]]:
        position, found = {number: i for i, number in enumerate(self.numbers)}, dict[Name, set[frozenset[int]]]()
        for one in self.members:
            if one.event is not None:
                found.setdefault((one.guarantee, one.law, position[one.number], *one.pair), set()).add(one.event)
        return found

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The laws at which claims read guarantees as they stand."""
        middles = [self.laws.middle(which) for which in range(len(self.laws.read)) if self._is_level_zero(which)]
        return tuple(dict.fromkeys((*self.laws.points, *middles)))

    @property
    def scale(self) -> Scale | None:
        """The one scale on which all bounds of the notion are sums; None if there are others."""
        own = [entry.bound for entry in self.bounds if entry.name[0] == 0]
        scales = {bound.scale if isinstance(bound, SumBound) else None for bound in own}
        return next(iter(scales)) if len(scales) == 1 and not isinstance(self.setting.notion, Family) else None

    def _is_level_zero(self, which: int) -> bool:
        """Return whether an information over a region vanishes, as it then does at any law that uses all inputs."""
        given = self.setting.guarantees[which][1]
        return self.laws.has_saddle(which) and (self.level if given is None else given).rational == 0

    def _places(self, which: int) -> list[int]:
        """Return the places of the points at which a guarantee is read."""
        laws = (self.laws.middle(which),) if self._is_level_zero(which) else self.laws.read[which]
        return [self.points.index(law) for law in laws]

    def _saddle(self, which: int, level: Real) -> list[Bound]:
        """Return an information over a region: a bound for each known corner, all against one law of the output."""
        if level.is_infinite:
            return []
        notion, found = self.setting.guarantees[which][0], []
        for place, corner in enumerate(self.laws.read[which]):
            freed = with_free_law(notion.constraints(self.setting.universe, (corner,)))
            bounds = Bounds(partial(_itself, freed), level, BITS)
            found += [Bound((which, place), bounds, bound, corner) for bound in freed.sums]
        return found

    def _pulled_at(self, which: int, place: int) -> dict[Rational | None, Pulled]:
        """Return what is known of a guarantee at a point, by the number."""
        if (which, place) not in self._at_places:
            self._at_places[which, place] = self._known.setdefault((which, self.points[place]), {})
        return self._at_places[which, place]

    @cached_property
    def _at_places(self) -> dict[tuple[int, int], dict[Rational | None, Pulled]]:
        return {}

    def _pulled(self, which: int, place: int, number: Rational | None) -> Pulled:
        """Return the bounds of a guarantee at a point; those of all pairs alike, without slack, apart."""
        known = self._pulled_at(which, place)
        if number not in known:
            reading = read_at(self.setting, self.setting.guarantees[which][0], self.points[place])
            spread = reading.constraints(number).spread
            if spread is None or spread.slack > 0:
                known[number] = reading.pulled(number), None
            else:
                behind = reading.behind
                forms = (
                    {x: scale} if behind is None else combined(((scale, behind.mixtures[x]),))
                    for x, scale in enumerate(spread.scales)
                )
                known[number] = Constraints(), AllPairs(tuple(forms), spread.law)
        return known[number]

    @staticmethod
    def _entries(
        prefix: Name,
        level: Real,
        pulled: Pulled,
        pairs: Collection[tuple[int, ...]] | None = None,
    ) -> list[Bound]:
        """Return the bounds at a level; those of some pairs alone, where these are given."""
        constraints, together = pulled
        bounds = Bounds(lambda: constraints, level, BITS)
        listed: Iterable[RatioBound | SumBound] = (*constraints.pairwise(), *constraints.sums)
        listed = listed if pairs is None else (bound for bound in listed if bound.name[:2] in pairs)
        entries = (Bound((*prefix, *bound.name), bounds, bound) for bound in listed)
        found = [part for entry in entries for part in at_level(entry)]
        return found if together is None else [Bound((*prefix, *together.name), bounds, together), *found]

    @cached_property
    def face(self) -> tuple[frozenset[Entry], tuple[Step, ...]]:
        """The entries that must vanish where the loss is finite, and the steps that say so after what is forbidden.

        An output that the right side of a bound excludes, its left side excludes. A distortion that is as small as can
        be under a law leaves the cheapest outputs.
        """
        vanishing, steps = set(self.setting.limits.forbidden()), list[Step]()
        while True:
            for vanish, step in (
                self._forced(vanishing),
                self._cheapest(vanishing),
                self._spread(vanishing),
                self._outweighed(vanishing),
            ):
                if vanish - vanishing:
                    vanishing |= vanish
                    steps.append(step)
                    break
            else:
                return frozenset(vanishing), tuple(steps)

    def _spread(self, vanishing: set[Entry]) -> tuple[set[Entry], Step]:
        """Return what the left sides of bounds exclude because their right sides do, or are nothing under some law."""
        used: list[tuple[Name, int, Rational]] = []
        fresh: set[Entry] = set()
        is_whole = not vanishing and all(map(all, self.points))
        for name, left, right in () if is_whole else self._comparisons:
            for y in range(self.shape[1]):
                if all((x, y) in vanishing for x in right):
                    follow = {(x, y) for x in left} - vanishing
                    if follow - fresh:
                        used.append((name, y, ONE))
                        fresh |= follow
        return fresh, Step(ratios=tuple(used))

    @cached_property
    def _comparisons(self) -> list[tuple[Name, Form, Form]]:
        return [found for entry in self._listed(self.is_finite) for found in compares(entry, self.is_closed)]

    def _outweighed(self, vanishing: set[Entry]) -> tuple[set[Entry], Step]:
        """Return what vanishes in columns because bounds say it of what is left of them together."""
        used: list[tuple[Name, int, Rational]] = []
        fresh: set[Entry] = set()
        for y in sorted({y for _, y in vanishing}) if self._mixing else ():
            alive = [x for x in range(self.shape[0]) if (x, y) not in vanishing]
            gone, multiples = outweighed(self._mixing, alive)
            if gone:
                fresh |= {(x, y) for x in gone}
                used += [(one.name, y, m) for one, m in zip(self._mixing, multiples, strict=True) if m > 0]
        return fresh, Step(ratios=tuple(used))

    @cached_property
    def _mixing(self) -> list[Outweighing]:
        """The bounds that hold for every multiple of a column, if some compare more than one input with another."""
        found = [one for entry in self.bounds for one in outweighing(entry)]
        return found if any(len(one.left) + len(one.right) > 2 for one in found) else []

    def _forced(self, vanishing: set[Entry]) -> tuple[frozenset[Entry], Step]:
        found = self.implied(frozenset(vanishing))
        return found.vanishing, found.step

    def implied(self, vanishing: frozenset[Entry]) -> Implied:
        """Return what the limits imply beside entries that vanish."""
        if not self.limits:
            return Implied()
        if vanishing not in self._implied:
            self._implied[vanishing] = implied(self.shape, self.limits, vanishing, self._costs)
        return self._implied[vanishing]

    @cached_property
    def _costs(self) -> list[Cost]:
        """The distortions that are kept: at the least that limits allow, they imply more."""
        if self.most is None:
            return []
        cost, found = self.setting.distortion.matrix(self.setting.universe), []
        for law in self.laws.for_distortion:
            terms = {(x, y): p * c for x, p in enumerate(law) for y, c in enumerate(cost[x]) if p * c != 0}
            found.append(Cost(law, terms, self.most))
        return found

    @property
    def keeps_cost(self) -> bool:
        """Whether mechanisms keep to a distortion whatever they lose; a finite level is moved until they do."""
        return self.most is not None and self.level.is_infinite

    @cached_property
    def spent(self) -> frozenset[int]:
        """The places of laws under which the distortion that is kept is that of every mechanism on the face."""
        cost, inputs = self.setting.distortion.matrix(self.setting.universe), range(self.shape[0])
        left = [{cost[x][y] for y in range(self.shape[1]) if (x, y) not in self.face[0]} for x in inputs]
        found = []
        for place, law in enumerate(self.laws.for_distortion if self.most is not None else ()):
            if all(p == 0 or len(costs) == 1 for p, costs in zip(law, left, strict=True)):
                total = sum((p * min(costs) for p, costs in zip(law, left, strict=True) if p > 0), ZERO)
                found += [place] if total == self.most else []
        return frozenset(found)

    @property
    def tight_costs(self) -> frozenset[int]:
        """The places of laws under which the distortion that is kept holds with equality."""
        return self.implied(self.face[0]).tight_costs | self.spent

    @property
    def tight_laws(self) -> list[Cost]:
        """The distortions that hold with equality."""
        return [self._costs[i] for i in self.tight_costs]

    @property
    def tight(self) -> frozenset[int]:
        """The places of limits that are inequalities, and hold with equality."""
        return self.implied(self.face[0]).tight

    def _cheapest(self, vanishing: set[Entry]) -> tuple[set[Entry], Step]:
        """Return what vanishes because a law has no smaller distortion than `most`."""
        cost = self.setting.distortion.matrix(self.setting.universe)
        outputs = range(self.shape[1])
        rows = [[y for y in outputs if (x, y) not in vanishing] for x in range(self.shape[0])]
        for law in self.laws.for_distortion if self.most is not None and all(rows) else ():
            prices = tuple(p * min(cost[x][y] for y in rows[x]) for x, p in enumerate(law))
            if sum(prices[1:], prices[0]) == self.most:
                dearer = {(x, y) for x, ys in enumerate(rows) for y in ys if law[x] * cost[x][y] > prices[x]}
                return dearer, Step(laws=((ONE, law),), rows=prices)
        return set(), Step()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of a row, so that there is no mechanism."""
        vanishing = self.face[0]
        return any(all((x, y) in vanishing for y in range(self.shape[1])) for x in range(self.shape[0]))

    @property
    def proven(self) -> Table:
        """The same without zeros that no step says."""
        return replace(self, is_closed=False) if self.is_closed else self

    def at(self, level: Real) -> Table:
        """Return the same setting at another level of its notion."""
        return replace(self, level=level)

    def reading(self, laws: Laws, members: frozenset[Member]) -> Table:
        """Return the same with other laws, orders or thresholds."""
        return replace(self, laws=laws, members=members)


def _itself(constraints: Constraints) -> Constraints:
    return constraints
