"""What no mechanism exceeds: every mechanism is the identity with something done to what it says."""

from __future__ import annotations

from epstar.convert.edge import Edge
from epstar.convert.guarantee import Guarantee, Kind, needs_source
from epstar.exact import Rational, Real
from epstar.mechanism import identity
from epstar.notions import (
    Capacity,
    MaximalLeakage,
    MinEntropyCapacity,
    Notion,
)
from epstar.source import Source

# A larger identity is not written out.
_MOST_INPUTS = 256


def most(guarantee: Guarantee, target: Notion, source: Source | None) -> Guarantee | None:
    """Return what the identity loses on the inputs of a guarantee, if that is finite and they are known and not many.

    No mechanism loses more under any notion here, because ignoring or garbling what was said cannot raise a loss. (It
    can where approximate differential privacy is read output by output; the identity then loses everything or, with
    delta = 1, no mechanism loses anything.)
    """
    level = _of_identity(guarantee, target, source)
    if level is None or level.is_infinite:
        return None
    kept = source if needs_source(target) else None
    return Guarantee(target, level, guarantee.universe, kept, outputs=guarantee.outputs)


def _of_identity(guarantee: Guarantee, target: Notion, source: Source | None) -> Real | None:
    universe = guarantee.universe
    if universe is None or (needs_source(target) and source is None):
        return None
    if isinstance(target, Capacity | MaximalLeakage | MinEntropyCapacity):
        return Real.log(Rational(universe.size))
    if universe.size > _MOST_INPUTS:
        return None
    return target.loss(identity(universe), source if needs_source(target) else None).upper


def edge_to(start: Kind, target: Notion) -> Edge:
    """Return the implication by which everything follows that holds of all mechanisms."""
    first = start if isinstance(start, type) else type(start)
    return Edge(
        "no more than the identity",
        first,
        type(target),
        lambda guarantee, kind, source: _of_identity(guarantee, kind, source) if isinstance(kind, Notion) else None,
        "data processing: no mechanism loses more than the identity on these inputs",
        "where the identity keeps the guarantee",
        ("the number of inputs",),
        start_is_curve=isinstance(start, type),
    )
