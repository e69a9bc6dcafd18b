"""The best guarantee that follows from a given one, and the chain of implications that gives it."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.convert.curves import PrivacyCurve, constant_curve, lowest
from epstar.convert.edge import Edge
from epstar.convert.guarantee import Guarantee, Kind, check_kind_asked, least_probability, needs_source
from epstar.convert.informations import INFORMATIONS
from epstar.convert.leakages import LEAKAGES
from epstar.convert.local import LOCAL
from epstar.convert.pairwise import PAIRWISE
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.reading import check_kind, whole_number
from epstar.source import Source
from epstar.universe import Alphabet, Universe

EDGES: tuple[Edge, ...] = PAIRWISE + LEAKAGES + LOCAL + INFORMATIONS
"""Every implication that is known, each naming its theorem."""

_STATIONS: tuple[Kind, ...] = (
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy,
    RenyiDifferentialPrivacy(1),
    Capacity(),
    MutualInformation(),
    MaximalLeakage(),
    MaximalInformation(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy,
    Identifiability(),
    PointwiseLeakage(),
    MinEntropyLeakage(),
)


# Where curves are compared, to set those aside that are nowhere better than another.
_PROBES = tuple(Real.of(Rational(k, 4)) for k in (0, 1, 2, 4, 8, 16, 40))
# A curve that has not left its start here is of no use anywhere.
_FAR = Real.of(Rational(40))


@dataclass(frozen=True)
class Route:
    """One chain of implications, and what it gives."""

    guarantee: Guarantee
    chain: tuple[Edge, ...]


@dataclass(frozen=True)
class Conversion:
    """The best guarantee that follows, and the chains that give it.

    A level comes from one route, none if the guarantee is given or nothing follows. A whole curve is the least of all
    its routes, each of which is the best at some level: `chain_at` tells which.
    """

    guarantee: Guarantee
    routes: tuple[Route, ...] = ()

    @property
    def chain(self) -> tuple[Edge, ...]:
        """The implications that gave the level; for a curve, those that are best at level 0."""
        return self.routes[0].chain if self.routes else ()

    def chain_at(self, level: object) -> tuple[Edge, ...]:
        """Return the implications that give the least delta of a curve at a level."""
        if self.guarantee.curve is None or not self.routes:
            return self.chain
        real = Real.of(level)
        return min(self.routes, key=lambda route: _curve(route).delta(real).upper).chain

    @property
    def says_nothing(self) -> bool:
        """Whether nothing follows, so that a mechanism may lose anything under this notion.

        A curve says nothing if it keeps, at every level, the delta that no mechanism exceeds.
        """
        curve = self.guarantee.curve
        if curve is None:
            return self.guarantee.level.is_infinite
        return curve.delta(_FAR).upper >= Real.of(_largest_delta(self.guarantee.source)).lower

    @property
    def is_tight(self) -> bool:
        """Whether at most one edge gave it and that edge is known to be tight under the conditions it states."""
        return len(self.routes) <= 1 and len(self.chain) <= 1 and all(edge.tight for edge in self.chain)


def convert(
    guarantee: Guarantee,
    to: Kind,
    *,
    source: Source | None = None,
    universe: Universe | None = None,
    longest: int = 4,
) -> Conversion:
    """Return the best guarantee of the kind `to` that the known implications give, with the chains that gave it.

    `to` is a notion, or the class of one with a slack for its whole curve. `source` names the class of priors where
    the notion asked for depends on it (that of the guarantee unless given); where the guarantee is for more priors,
    what it says of them all is used, too. Chains of up to `longest` implications are tried. An edge keeps the order of
    levels and of curves, so that of two ways to one kind the better is followed.

    Raises:
        InvalidInput: if a class of priors is needed and none is named, or if it is not one the guarantee holds for; for
            anything but a guarantee and a notion.

    >>> from epstar.notions import DifferentialPrivacy, MaximalLeakage
    >>> from epstar.universe import Alphabet
    >>> found = convert(Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(4)), to=MaximalLeakage())
    >>> str(found.guarantee.level), found.chain[0].name
    ('log(2)', 'differential privacy to maximal leakage')
    """
    check_kind(guarantee, Guarantee, "What is converted", "a Guarantee")
    check_kind_asked(to)
    if universe is not None:
        check_kind(universe, Universe, "The universe", "one such as Alphabet(4)")
        if guarantee.universe is not None and universe != guarantee.universe:
            raise InvalidInput("The guarantee is for another universe; leave universe= out.")
    if source is not None:
        check_kind(source, Source, "The class of priors", "a Prior, a set of priors or Everything(size)")
    steps = whole_number(longest, "The length of a chain", 1)
    starts = _starts(guarantee, source, universe)
    start = starts[0].guarantee
    law = source if source is not None else start.source
    if needs_source(to) and law is None:
        raise InvalidInput(
            "The notion asked for depends on the prior; name the class of priors with source=, "
            "as a Prior, a set of priors or Everything(size)."
        )
    if _same_kind(start.notion, to) and len(starts) == 1:
        return Conversion(start)
    kept = law if needs_source(to) else None
    routes = _routes(starts, to, law, min(steps, len(EDGES)))
    if isinstance(to, Notion):
        if not routes:
            return Conversion(Guarantee(to, INFINITY, start.universe, kept, outputs=start.outputs))
        return Conversion(routes[0].guarantee, routes)
    curves = [_curve(route) for route in routes] or [constant_curve(_largest_delta(kept))]
    return Conversion(Guarantee(to, None, start.universe, kept, lowest(curves), start.outputs), routes)


def _largest_delta(source: Source | None) -> Rational:
    """What no mechanism exceeds: 1, and 1 - P_min against an output law that holds every input with that chance."""
    return ONE if source is None else 1 - least_probability(source)


def _starts(guarantee: Guarantee, source: Source | None, universe: Universe | None) -> tuple[Route, ...]:
    """Return the guarantee for the priors that are asked about; where it holds for more of them, that one as well."""
    whole = guarantee
    if universe is None and whole.universe is None and source is not None:
        universe = Alphabet(source.size)
    if universe is not None and whole.universe is None:
        level = whole.level if whole.curve is None else None
        whole = Guarantee(whole.notion, level, universe, whole.source, whole.curve, whole.outputs)
    if source is None or not needs_source(whole.notion) or source == whole.source:
        return (Route(whole, ()),)
    return Route(whole.restricted(source), ()), Route(whole, ())


def _routes(starts: tuple[Route, ...], to: Kind, law: Source | None, longest: int) -> tuple[Route, ...]:
    """Return the best routes: one for a level; for a curve all that are not behind another everywhere."""
    stations = [*(kind for kind in (*_STATIONS, *_on_the_way(to)) if not _same_kind(kind, to)), to]
    given = starts[0].guarantee.notion
    # What is known of more priors may say more about these than the guarantee itself does.
    best: list[list[Route]] = [[starts[0]] if _same_kind(kind, given) else [] for kind in stations]
    layer = list(starts)
    for _ in range(longest):
        following: list[Route] = []
        for reached in layer:
            for place, kind in enumerate(stations):
                if _same_kind(kind, given) and len(starts) == 1:
                    continue
                joined = [found for found in _steps(reached, kind, law) if _joins(best[place], found)]
                following += joined if kind is not to else ()
        # A route that was overtaken by another of the same layer leads nowhere.
        current = {id(route) for routes in best for route in routes}
        layer = [route for route in following if id(route) in current]
    return tuple(best[-1])


def _on_the_way(to: Kind) -> tuple[Notion, ...]:
    """Return the notion of the same order through which one with an order is reached best."""
    return (RenyiDifferentialPrivacy(to.order),) if isinstance(to, SibsonMutualInformation) else ()


def _steps(reached: Route, kind: Kind, law: Source | None) -> list[Route]:
    found = []
    for edge in EDGES:
        if edge.leaves(reached.guarantee.notion) and edge.reaches(kind):
            result = edge.apply(reached.guarantee, kind, law)
            if result is not None:
                found.append(Route(result, (*reached.chain, edge)))
    return found


def _joins(routes: list[Route], found: Route) -> bool:
    """Add a route to those that reach the same kind, unless one of them is as good; return whether it was added."""
    if any(_is_as_good(other, found) for other in routes):
        return False
    routes[:] = [found, *(other for other in routes if not _is_as_good(found, other))]
    if found.guarantee.curve is not None:
        routes.sort(key=lambda route: _curve(route).delta(_PROBES[0]).upper)
    return True


def _is_as_good(left: Route, right: Route) -> bool:
    """Whether a route is nowhere behind another."""
    if left.guarantee.curve is None or right.guarantee.curve is None:
        return left.guarantee.level.upper <= right.guarantee.level.upper
    return all(a <= b for a, b in zip(_measured(left), _measured(right), strict=True))


def _measured(route: Route) -> list[float]:
    curve = _curve(route)
    return [*(curve.delta(level).upper for level in _PROBES), curve.divergence().upper]


def _curve(route: Route) -> PrivacyCurve:
    assert route.guarantee.curve is not None
    return route.guarantee.curve


def _same_kind(left: Kind, right: Kind) -> bool:
    return left is right or (isinstance(left, Notion) and isinstance(right, Notion) and left == right)
