"""Notions that are infinitely many bounds: one notion for each of some numbers, such as orders or thresholds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism, ProductMechanism
from epstar.notions.base import Notion
from epstar.universe import Universe

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Broken:
    """A bound of a family that a mechanism breaks: by how much, the pair of inputs and the number of the member.

    A bound on all events names the outputs of one that breaks it.
    """

    excess: float
    pair: tuple[int, int]
    number: Rational
    event: frozenset[int] | None = None


class Family(Notion):
    """A notion whose loss is the largest of its members' losses.

    A program reads a family at finitely many numbers, and more join where they are broken; that an exact mechanism
    keeps all members is proven at once.
    """

    is_about_events: ClassVar[bool] = False
    """Whether members bound events, each by itself: a program reads those that are broken."""

    @abstractmethod
    def member(self, number: Rational) -> Notion:
        """Return the member of a number, whose loss is never more."""

    @abstractmethod
    def has_member(self, number: Rational) -> bool:
        """Return whether a number belongs to a member."""

    @abstractmethod
    def first_members(self) -> tuple[Rational, ...]:
        """Return numbers at which a program reads the family first."""

    @abstractmethod
    def broken(self, matrix: NDArray[np.float64], universe: Universe, level: float) -> list[Broken]:
        """Return which members floats break at a level."""

    @abstractmethod
    def losses(self, matrix: NDArray[np.float64], universe: Universe) -> NDArray[np.float64]:
        """Return what each pair of inputs loses, in floats."""

    def share_needed(self, near: Floats, inside: Floats, universe: Universe, level: float) -> float:
        """Return the share of a mechanism inside that makes up for what another breaks at a level, as floats see it."""
        broken, kept = (self.losses(matrix, universe) - level for matrix in (near, inside))
        gaps = broken - kept
        shares = np.where((broken > 0) & (gaps > 0), broken / np.where(gaps > 0, gaps, 1.0), 0.0)
        return float(np.nanmax(shares, initial=0.0))

    def keeps(self, mechanism: AnyMechanism, level: Real, bits: int) -> bool:
        """Return whether an exact mechanism surely keeps all members at a level; of rows each by itself."""
        if isinstance(mechanism, ProductMechanism):
            return all(self.keeps(block.factor, level, bits) for block in mechanism.blocks)
        dense = mechanism.dense()
        return self.is_kept(dense, level, self.pieces(dense, level), bits)

    @abstractmethod
    def pieces(self, mechanism: Mechanism, level: Real) -> tuple[Rational, ...]:
        """Return the hints by which `is_kept` sees that an exact mechanism keeps a level."""

    @abstractmethod
    def is_kept(self, mechanism: Mechanism, level: Real, orders: Sequence[Rational], bits: int) -> bool:
        """Return whether an exact mechanism surely keeps all members at a level, `orders` being the hints."""
