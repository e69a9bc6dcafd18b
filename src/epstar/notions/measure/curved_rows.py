"""The supremum of a loss over the products of unknown row laws, for any notion that knows the hull of some laws."""

from __future__ import annotations

from epstar.exact import Real
from epstar.exact.enclosure import greatest
from epstar.mechanism import Mechanism
from epstar.notions.base import Loss, Notion, Witness
from epstar.source import Hull, Prior, Rows
from epstar.source.cells import enclosed

# How far the bound may stay above a loss that is attained: less than what the answers are asked to.
_CONCAVE, _OTHERS = 1e-9, 1e-11


def largest_over_cells(notion: Notion, mechanism: Mechanism, source: Rows) -> Loss:
    """Return the supremum of a loss over a curved source: its cells are cut until their hulls give no more.

    Floats decide where to cut; for an exact mechanism the bounds come from exact losses on the cells that are left.
    """
    steering = Mechanism(mechanism.floats, mechanism.universe, mechanism.outputs)
    found = enclosed(
        source.cells(),
        lambda laws: notion.loss(steering, Hull(laws)).value,
        lambda law: notion.loss(steering, Prior(law)).value,
        _CONCAVE if notion.is_concave_in_prior else _OTHERS,
    )
    attained = notion.loss(mechanism, Prior(found.point))
    witness = Witness(attained.witness.inputs, attained.witness.outputs, found.point)
    if not mechanism.is_exact:
        return Loss(attained.value, witness)
    uppers = [notion.loss(mechanism, Hull(leaf.hull)).upper for leaf in found.leaves]
    _, upper = greatest((witness, real) for real in uppers if real is not None)
    if _same(attained.lower, upper):
        return Loss.known(upper, witness)
    return Loss(attained.value, witness, attained.lower, upper)


def _same(lower: Real | None, upper: Real) -> bool:
    """Whether both are written as the same number."""
    if lower is None or lower.is_infinite or upper.is_infinite:
        return lower is not None and lower.is_infinite
    if lower.rational is not None or upper.rational is not None:
        return lower.rational == upper.rational
    return lower.argument_of_log is not None and lower.argument_of_log == upper.argument_of_log
