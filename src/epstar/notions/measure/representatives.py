"""Pairs of distributions that stand for all constrained pairs of a mechanism that is not written out."""

from __future__ import annotations

from collections.abc import Iterable

from epstar.mechanism import AnyMechanism, DistanceMechanism
from epstar.notions.measure.by_distance import neighbour_entries, neighbour_pair
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.pairs import LawPair

# Pairs of kinds; where all letters differ, arrays of a matrix are the quicker way.
_MOST_KINDS = 1000


def representative_pairs(mechanism: AnyMechanism) -> Iterable[LawPair] | None:
    """Return one pair of distributions of each kind for a structured mechanism, None for any other."""
    if isinstance(mechanism, DistanceMechanism):
        return [neighbour_pair(mechanism)]
    rank_one = RankOne.of(mechanism)
    return None if rank_one is None or len(rank_one.kinds) > _MOST_KINDS else rank_one.pairs()


def representative_entries(mechanism: AnyMechanism) -> Iterable[LawPair] | None:
    """Return the single entries that pairs of each kind can have for a structured mechanism, None for any other."""
    if isinstance(mechanism, DistanceMechanism):
        return [neighbour_entries(mechanism)]
    rank_one = RankOne.of(mechanism)
    return None if rank_one is None or len(rank_one.kinds) > _MOST_KINDS else rank_one.entries()
