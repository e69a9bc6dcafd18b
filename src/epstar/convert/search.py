"""The best guarantee that follows from a given one, and the chain of implications that gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from epstar.arguments import check_kind, whole_number
from epstar.convert.concentrated import CONCENTRATED
from epstar.convert.counterexamples import Counterexample, largest_delta, strongest
from epstar.convert.differential_privacy import PAIRWISE
from epstar.convert.guarantee import Guarantee, Kind, check_kind_asked, least_probability, needs_source
from epstar.convert.implication import Implication
from epstar.convert.information import INFORMATIONS
from epstar.convert.leakage import LEAKAGES
from epstar.convert.local_information_privacy import LOCAL
from epstar.convert.privacy_curve import PrivacyCurve, constant_curve, lowest
from epstar.convert.total_variation import VARIATION, edge_to, most
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
from epstar.source import Source
from epstar.universe import Alphabet, Universe

EDGES: tuple[Implication, ...] = PAIRWISE + CONCENTRATED + LEAKAGES + LOCAL + INFORMATIONS + VARIATION
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
# A mechanism that loses at least so much of a level attains it.
_NEARLY = 1 - 1e-9
# A curve that has not left its start here is of no use anywhere.
_FAR = Real.of(Rational(40))


@dataclass(frozen=True)
class Route:
    """One chain of implications, and what it gives.

    >>> from epstar import Alphabet, DifferentialPrivacy, Guarantee, MaximalLeakage
    >>> from epstar.convert import convert
    >>> found = convert(Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(4)), MaximalLeakage())
    >>> route = found.routes[0]
    >>> str(route.guarantee.level), len(route.chain)
    ('log(2)', 1)
    """

    guarantee: Guarantee
    chain: tuple[Implication, ...]


@dataclass(frozen=True)
class Conversion:
    """The best guarantee that is known to follow from `premise`, and the chains of implications that give it.

    A level comes from one route, none if the guarantee is given or no implication is known. A whole curve is the least
    of all its routes, each of which is the best at some level: `chain_at` tells which.

    >>> from epstar import Alphabet, DifferentialPrivacy, Guarantee, MaximalLeakage
    >>> from epstar.convert import convert
    >>> found = convert(Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(4)), MaximalLeakage())
    >>> str(found.guarantee.level), found.is_tight
    ('log(2)', True)
    """

    guarantee: Guarantee
    premise: Guarantee
    routes: tuple[Route, ...] = ()

    @property
    def chain(self) -> tuple[Implication, ...]:
        """The implications that gave the level; for a curve, those that are best at level 0."""
        return self.routes[0].chain if self.routes else ()

    def chain_at(self, level: object) -> tuple[Implication, ...]:
        """Return the implications that give the least delta of a curve at a level."""
        if self.guarantee.curve is None or not self.routes:
            return self.chain
        real = Real.of(level)
        return min(self.routes, key=lambda route: _curve(route).delta(real).upper).chain

    @property
    def says_nothing(self) -> bool:
        """Whether no bound is known to follow. `may_lose_anything` tells whether none can.

        A curve says nothing if it keeps, at every level, the delta that no mechanism exceeds.
        """
        curve = self.guarantee.curve
        if curve is None:
            return self.guarantee.level.is_infinite
        return curve.delta(_FAR).upper >= self._largest_delta.lower

    @cached_property
    def strongest(self) -> Counterexample | None:
        """Of the mechanisms tried that keep the premise, the one that loses most under the notion asked for, measured.

        None for a whole curve, and where no mechanism was tried: from a curve, or on more than 64 inputs.
        """
        return strongest(self.premise, self.guarantee)

    @cached_property
    def may_lose_anything(self) -> bool:
        """Whether that is proven: a mechanism that keeps the premise was built, and its loss measured to be infinite.

        For a curve: its delta stays the largest that any mechanism has, however large the level.
        """
        if not self.says_nothing:
            return False
        if self.guarantee.curve is not None:
            return largest_delta(self.premise, self.guarantee, _FAR) >= self._largest_delta
        return self.strongest is not None and self.strongest.claimed.is_infinite

    @property
    def is_known(self) -> bool:
        """Whether a bound is known, or that there is none; otherwise no implication is known here."""
        return not self.says_nothing or self.may_lose_anything

    @cached_property
    def is_tight(self) -> bool:
        """Whether a mechanism that keeps the premise was built and measured to lose what is given, up to 10^-9 of it.

        That is for the inputs and priors asked about; False says that none was found. A curve is probed at four levels.
        """
        curve = self.guarantee.curve
        if self.says_nothing:
            return False
        if curve is not None:
            return all(
                largest_delta(self.premise, self.guarantee, level).lower >= _NEARLY * curve.delta(level).upper
                for level in _PROBES[::2]
            )
        return self.strongest is not None and self.strongest.claimed.lower >= _NEARLY * self.guarantee.level.upper

    @property
    def _largest_delta(self) -> Real:
        return Real.of(_largest_delta(self.guarantee.source))


def convert(
    guarantee: Guarantee,
    to: Kind,
    *,
    source: Source | None = None,
    universe: Universe | None = None,
    longest: int = 4,
) -> Conversion:
    """Return the best guarantee of the kind `to` that the known implications give, with the chains that gave it.

    `to` is a notion, or the class of one with a slack for its whole curve. `source` names the set of priors where
    the notion asked for depends on it (that of the guarantee unless given); where the guarantee is for more priors,
    what it says of them all is used, too. Chains of up to `longest` implications are tried, and what no mechanism
    exceeds on the inputs that are named. An edge keeps the order of levels and of curves, so that of two ways to one
    kind the better is followed.

    Raises:
        InvalidInput: if a set of priors is needed and none is named, or if it is not one the guarantee holds for; for
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
        check_kind(source, Source, "What is known about the prior", "a Prior, a set of priors or Everything(size)")
    steps = whole_number(longest, "The length of a chain", 1)
    starts = _starts(guarantee, source, universe)
    start = starts[0].guarantee
    law = source if source is not None else start.source
    if needs_source(to) and law is None:
        raise InvalidInput(
            "The notion asked for depends on the prior; say with source= what is known about it, "
            "as a Prior, a set of priors or Everything(size)."
        )
    if _same_kind(start.notion, to) and len(starts) == 1:
        return Conversion(start, start)
    kept = law if needs_source(to) else None
    routes = _routes(starts, to, law, min(steps, len(EDGES)))
    whole = starts[-1].guarantee
    if isinstance(to, Notion):
        cap = most(start, to, law)
        if cap is not None and (not routes or cap.level.upper < routes[0].guarantee.level.upper):
            routes = (Route(cap, (edge_to(start.notion, to),)),)
        if not routes:
            return Conversion(Guarantee(to, INFINITY, start.universe, kept, outputs=start.outputs), whole)
        return Conversion(routes[0].guarantee, whole, routes)
    curves = [_curve(route) for route in routes] or [constant_curve(_largest_delta(kept))]
    return Conversion(Guarantee(to, None, start.universe, kept, lowest(curves), start.outputs), whole, routes)


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
