"""The best guarantee that follows from a given one, and the chain of implications that gives it."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.convert.curves import constant_curve
from epstar.convert.edge import Edge
from epstar.convert.guarantee import Guarantee, Kind, needs_source
from epstar.convert.informations import INFORMATIONS
from epstar.convert.leakages import LEAKAGES
from epstar.convert.local import LOCAL
from epstar.convert.pairwise import PAIRWISE
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, Real
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
)
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


@dataclass(frozen=True)
class Conversion:
    """What follows from a guarantee, by which edges; `says_nothing` where no finite level follows."""

    guarantee: Guarantee
    chain: tuple[Edge, ...]

    @property
    def says_nothing(self) -> bool:
        """Whether no finite level follows, so that a mechanism may lose anything under this notion."""
        return self.guarantee.curve is None and self.guarantee.level.is_infinite

    @property
    def is_tight(self) -> bool:
        """Whether one edge gave it and that edge is known to be tight under the conditions it states."""
        return len(self.chain) <= 1 and all(edge.tight for edge in self.chain)


def convert(
    guarantee: Guarantee,
    to: Kind,
    *,
    source: Source | None = None,
    universe: Universe | None = None,
    longest: int = 4,
) -> Conversion:
    """Return the best guarantee of the kind `to` that the known implications give, with the chain that gave it.

    `to` is a notion, or the class of one with a slack for its whole curve. `source` names the class of priors where
    the notion asked for depends on it (that of the guarantee unless given). Chains of up to `longest` implications are
    tried; of whole curves the one from the fewest implications is returned.

    Raises:
        InvalidInput: if a class of priors is needed and none is named, or if it is not one the guarantee holds for.

    >>> from epstar.notions import DifferentialPrivacy, MaximalLeakage
    >>> from epstar.universe import Alphabet
    >>> found = convert(Guarantee(DifferentialPrivacy(), "log(3)", Alphabet(4)), MaximalLeakage())
    >>> str(found.guarantee.level), found.chain[0].theorem
    ('log(2)', 'alvim2011, Theorem 1; zhong2022, Lemma 20(9) as corrected')
    """
    if universe is not None and guarantee.universe is not None and universe != guarantee.universe:
        raise InvalidInput("The guarantee is for another universe; leave universe= out.")
    start = _prepared(guarantee, source, universe)
    law = source if source is not None else start.source
    if needs_source(to) and law is None:
        raise InvalidInput(
            "The notion asked for depends on the prior; name the class of priors with source=, "
            "as a Prior, a set of priors or Everything(size)."
        )
    if _same_kind(start.notion, to):
        return Conversion(start, ())
    best: Conversion | None = None
    for found in _paths(start, to, law, longest):
        if best is None or _is_better(found, best):
            best = found
    if best is None:
        kept = law if needs_source(to) else None
        if not isinstance(to, Notion):
            return Conversion(Guarantee(to, None, start.universe, kept, constant_curve(ONE)), ())
        return Conversion(Guarantee(to, INFINITY, start.universe, kept), ())
    return best


def _prepared(guarantee: Guarantee, source: Source | None, universe: Universe | None) -> Guarantee:
    start = guarantee
    if source is not None and needs_source(start.notion):
        start = start.restricted(source)
    size = universe
    if size is None and start.universe is None and source is not None:
        size = Alphabet(source.size)
    if size is not None and start.universe is None:
        level = start.level if start.curve is None else None
        start = Guarantee(start.notion, level, size, start.source, start.curve)
    return start


def _paths(start: Guarantee, to: Kind, law: Source | None, longest: int) -> list[Conversion]:
    """Every chain of implications that visits no kind twice, shortest first."""
    found: list[Conversion] = []
    layer = [Conversion(start, ())]
    for _ in range(longest):
        following: list[Conversion] = []
        for reached in layer:
            found += _steps(reached, [to], law)
            following += _steps(reached, [kind for kind in _STATIONS if not _same_kind(kind, to)], law)
        layer = _pruned(following)
    return found


def _steps(reached: Conversion, kinds: list[Kind], law: Source | None) -> list[Conversion]:
    visited = [edge.start for edge in reached.chain]
    found = []
    for edge in EDGES:
        if not edge.leaves(reached.guarantee.notion):
            continue
        for kind in kinds:
            if edge.reaches(kind) and not (edge.end in visited and edge.end is not edge.start):
                result = edge.apply(reached.guarantee, kind, law)
                if result is not None:
                    found.append(Conversion(result, (*reached.chain, edge)))
    return found


def _pruned(layer: list[Conversion]) -> list[Conversion]:
    """Of chains that reach the same kind with a level, the best: edges keep the order of levels."""
    kept: list[Conversion] = []
    for found in layer:
        rivals = [other for other in kept if _same_kind(other.guarantee.notion, found.guarantee.notion)]
        if found.guarantee.curve is not None:
            if len(rivals) < 3:
                kept.append(found)
        elif not rivals:
            kept.append(found)
        elif _is_better(found, rivals[0]):
            kept[kept.index(rivals[0])] = found
    return kept


def _same_kind(left: Kind, right: Kind) -> bool:
    return left is right or (isinstance(left, Notion) and isinstance(right, Notion) and left == right)


def _is_better(left: Conversion, right: Conversion) -> bool:
    if left.guarantee.curve is not None:
        return False
    return _upper(left.guarantee.level) < _upper(right.guarantee.level)


def _upper(level: Real) -> float:
    return level.upper
