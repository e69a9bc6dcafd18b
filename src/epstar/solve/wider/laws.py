"""The active set of laws: at which distributions of a source distortions and guarantees are read, and which join.

All of a list are read. Of a region the program knows some corners, and the law under which its mechanism does worst
joins (the exchange method for semi-infinite programs, Blankenship and Falk 1976). An information is concave in the
prior, so that over a region it is read in its saddle form, against a law of the output that is free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.claims import Setting
from epstar.claims.saddle import order_of
from epstar.exact import Rational
from epstar.exact.vectors import nearest_floats
from epstar.notions.base import Notion
from epstar.notions.identifiability import most_unlike_laws
from epstar.notions.priors import listed_laws
from epstar.solve.program.laws import initial_members, is_listed, is_worse, worse_laws
from epstar.solve.shapes import is_scaled_by_the_law
from epstar.source import Prior

Floats = NDArray[np.float64]
Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Laws:
    """The laws at which the distortion is read, and those at which each guarantee is."""

    setting: Setting
    for_distortion: tuple[Point, ...]
    read: tuple[tuple[Point, ...], ...]
    is_fixed: bool = False
    """Whether informations over regions are read at a law of each, as claims about what is excluded read them."""

    @classmethod
    def start(cls, setting: Setting) -> Laws:
        """Return the laws to begin with."""
        source = setting.source
        listed = listed_laws(source)
        first = tuple(initial_members(source) if listed is None else listed)
        return cls(setting, first, tuple(cls._first(setting, notion, first) for notion, _ in setting.guarantees))

    @staticmethod
    def _first(setting: Setting, notion: Notion, first: tuple[Point, ...]) -> tuple[Point, ...]:
        if not notion.needs_source and setting.secret is None:
            return first[:1]
        priors = notion.priors(setting.source)
        if listed_laws(setting.source) is None and is_scaled_by_the_law(notion):
            # For each pair the law at which it is most unlike decides; where none is compared any law does.
            return tuple(most_unlike_laws(setting.universe, priors)) or first
        return first if priors is setting.source else tuple(initial_members(priors))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All laws at which guarantees are read as they stand, in the order in which claims count them."""
        kept = [self.for_distortion[:1]]
        kept += [laws for which, laws in enumerate(self.read) if not self.has_saddle(which)]
        return tuple(dict.fromkeys(law for laws in kept for law in laws))

    def has_saddle(self, which: int) -> bool:
        """Return whether a guarantee is an information over a convex source: one mixture of its laws is worst."""
        notion = self.setting.guarantees[which][0]
        priors = notion.priors(self.setting.source)
        is_convex = priors.is_convex and not isinstance(priors, Prior)
        return order_of(notion) is not None and is_convex and self.setting.secret is None and not self.is_fixed

    def middle(self, which: int) -> Point:
        """Return the mean of the laws of a guarantee, which uses every input that one of them uses."""
        laws = self.read[which]
        return tuple(sum(column[1:], column[0]) / len(laws) for column in zip(*laws, strict=True))

    def fixed(self, worst: Mapping[int, Point]) -> Laws:
        """Return the same with informations over regions read at the law of each that is the worst.

        Where none is, as at level zero, it is a law that uses every input: a corner alone says nothing.
        """
        read = tuple(
            (worst.get(which, self.middle(which)),) if self.has_saddle(which) else laws
            for which, laws in enumerate(self.read)
        )
        return replace(self, read=read, is_fixed=True)

    def with_dearest(self, expected: Sequence[Rational]) -> Laws:
        """Return these laws and the one of the source under which answers that cost this much cost most."""
        worst = self.setting.source.maximum(expected).point
        return replace(self, for_distortion=tuple(dict.fromkeys((*self.for_distortion, worst))))

    def grown(self, matrix: Floats, outputs: Sequence[Floats | None], cost: Floats) -> Laws:
        """Return these laws and those under which a mechanism does worse; themselves if there are none.

        `outputs` has for each guarantee in its saddle form the law of the output that goes with the mechanism.
        """
        source, found = self.setting.source, self
        if not is_listed(source):
            expected = (matrix * cost).sum(axis=1)
            found = replace(
                self, for_distortion=_with_worst(self.for_distortion, source.maximum(expected).point, expected)
            )
        read = list(self.read)
        for which, (notion, _) in enumerate(self.setting.guarantees):
            priors = notion.priors(source)
            output = outputs[which]
            if output is not None and not is_listed(priors):
                losses = _divergences(notion, matrix, output)
                read[which] = _with_worst(read[which], priors.maximum(losses).point, losses)
            elif notion.needs_source and listed_laws(source) is None and not self.has_saddle(which):
                read[which] += tuple(worse_laws(notion, self.setting.universe, source, read[which], matrix))
        return (
            self
            if (found.for_distortion, tuple(read)) == (self.for_distortion, self.read)
            else replace(found, read=tuple(read))
        )


def _with_worst(known: tuple[Point, ...], worst: Point, costs: Floats) -> tuple[Point, ...]:
    """Return laws, and the worst one if its mean cost is larger than theirs."""
    most = max(float(nearest_floats(law) @ costs) for law in known)
    has_worse = is_worse(float(nearest_floats(worst) @ costs), most)
    return (*known, worst) if has_worse and worst not in known else known


def _divergences(notion: Notion, matrix: Floats, output: Floats) -> Floats:
    """Return what each input contributes to an information, against a law of the output."""
    order = order_of(notion)
    assert order is not None
    kept = matrix > 0
    safe = np.where(kept, matrix, 1.0)
    logs = np.where(kept, np.log(safe / np.maximum(output, 1e-300)), 0.0)
    if order == 1:
        found: Floats = (matrix * logs).sum(axis=1)
        return found
    powers: Floats = np.where(kept, matrix * np.exp(float(order - 1) * logs), 0.0).sum(axis=1)
    return powers if order > 1 else -powers
