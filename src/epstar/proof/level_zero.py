"""Level zero of the notions made of divergences: which rows are equal there, and what that proves about distortion.

A divergence that must vanish makes two laws equal, so that all inputs that are compared with one law, directly or by
way of others, answer alike. The distortion is then no less than what the best common answer of each such class costs.
No multiplier proves as much: the trade-off has a vertical tangent at level zero.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from epstar.exact import ZERO, Rational
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Form,
    Norm,
    Power,
    Proportional,
    RelativeEntropy,
    SumBound,
)
from epstar.proof.converse import Converse, Table, mixed


def has_law_alone(converse: Converse) -> bool:
    """Return whether a converse names laws and no multiplier, so that only the level itself can prove anything."""
    multipliers = converse.ratios, converse.maxima, converse.sums, converse.slopes, converse.prices, converse.weights
    return not any(multipliers) and not converse.forced


def least_at_level_zero(converse: Converse, constraints: Constraints, cost: Table) -> Rational:
    """Return what the distortion is at least, where no bound on a sum leaves anything to a divergence."""
    law, outputs = mixed(converse.distortion_law), range(len(cost[0]))
    least = ZERO
    for members in answering_alike(constraints, len(cost)):
        least += min(sum((law[x] * cost[x][y] for x in members), ZERO) for y in outputs)
    return least


def answering_alike(constraints: Constraints, inputs: int) -> list[list[int]]:
    """Return the classes of inputs whose rows are equal at level zero."""
    alike = _Alike()
    for bound in constraints.sums:
        for first, second in _equal_laws(bound):
            alike.join(first, second)
    classes: dict[Hashable, list[int]] = {}
    for x in range(inputs):
        classes.setdefault(alike.leader(x), []).append(x)
    return list(classes.values())


def _equal_laws(bound: SumBound) -> Iterator[tuple[Hashable, Hashable]]:
    """Return pairs of equal laws on the outputs: of an input, by its position, or of a mixture, by its weights.

    A relative entropy vanishes with its bound. A sum of powers is at least 1 (minus that, for orders below one), as is
    a sum of norms whose weights are a law, and reaches it only if what it compares is equal.
    """
    scale, is_alone = bound.scale, len(bound.terms) == 1 and bound.terms[0][0] == 1
    is_one = is_alone and isinstance(scale, Exponential) and scale.factor == 1
    for weight, atom in bound.terms:
        vanishes = isinstance(atom, RelativeEntropy) and isinstance(scale, Proportional) and weight > 0
        if isinstance(atom, RelativeEntropy | Power) and (is_one or vanishes):
            yield _law_of(atom.left), _law_of(atom.right)
        elif isinstance(atom, Norm) and is_one and sum(atom.weights.values(), ZERO) == 1:
            first, *others = [x for x, share in atom.weights.items() if share > 0]
            yield from ((first, other) for other in others)


def _law_of(form: Form) -> Hashable:
    """Return the position of an input that is a law by itself, or the weights of a mixture."""
    weights = tuple((x, weight) for x, weight in sorted(form.items()) if weight > 0)
    return weights[0][0] if len(weights) == 1 and weights[0][1] == 1 else weights


class _Alike:
    """Classes of what is equal, each known by one of its members."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def leader(self, member: Hashable) -> Hashable:
        while self._parent.get(member, member) != member:
            member = self._parent[member]
        return member

    def join(self, first: Hashable, second: Hashable) -> None:
        self._parent[self.leader(first)] = self.leader(second)
