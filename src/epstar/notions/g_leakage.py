"""Leakage to a given adversary: how much an output raises what the adversary gains by the best guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, text
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, PerInput, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Maximum, SumBound
from epstar.notions.enclosure import greatest
from epstar.notions.priors import check_points, listed_laws, required
from epstar.reading import Table, nearest_floats, table
from epstar.source import Source
from epstar.universe import Universe


@dataclass(frozen=True, init=False)
class GLeakage(PerInput):
    """log of (sum_y max_w sum_x P(x) g(x,w) Q(y|x)) / (max_w sum_x P(x) g(x,w)), for gains g(x,w) >= 0 of a guess w.

    Multiplicative g-leakage: Alvim, Chatzikokolakis, Palamidessi and Smith, "Measuring information leakage using
    generalized gain functions" (CSF 2012). With the identity as gain it is the min-entropy leakage.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(GLeakage([[1, 0], [0, 2]]).loss(coin, Prior(["1/2", "1/2"])).upper)
    'log(9/8)'
    """

    name: ClassVar[str] = "g_leakage"
    title: ClassVar[str] = "g-leakage"
    needs_source: ClassVar[bool] = True
    is_general: ClassVar[bool] = True
    gain: tuple[tuple[Rational, ...], ...]

    def __init__(self, gain: Table) -> None:
        rows = table(gain, "The gain")
        if any(entry < 0 for row in rows for entry in row):
            raise InvalidInput("A gain is negative; raise all of them by the same amount until none is.")
        if all(entry == 0 for row in rows for entry in row):
            raise InvalidInput("All gains are zero, so that there is nothing to guess; give one that is positive.")
        object.__setattr__(self, "gain", rows)

    def check_size(self, size: int) -> None:
        if len(self.gain) != size:
            raise InvalidInput(
                f"The gain has {len(self.gain)} rows, and there are {size} values to guess; give a row for each."
            )

    def among(self, places: Sequence[int]) -> GLeakage:
        return GLeakage([self.gain[x] for x in places])

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism; the source is a prior or a list of them."""
        source = required(source, mechanism, self.title)
        laws = listed_laws(source)
        if laws is None:
            raise InvalidInput("A g-leakage is measured at a prior, or at a finite list of them; give one of these.")
        dense = mechanism.dense()
        self.check_size(dense.shape[0])
        if not dense.is_exact:
            return max((self._in_floats(dense, law) for law in laws), key=lambda loss: loss.value)
        witness, real = greatest((Witness(prior=law), self._at(dense, law)) for law in laws)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a sum of the best guesses' gains for each point of the source."""
        check_points(points, universe)
        self.check_size(universe.size)
        return Constraints(sums=tuple(self._bound(point, i) for i, point in enumerate(points)))

    def parameters(self) -> dict[str, object]:
        """Return the gain as it stands in a problem file."""
        return {"gain": [[text(entry) for entry in row] for row in self.gain]}

    @property
    def full_title(self) -> str:
        """The title with the size of the gain."""
        return f"{self.title} ({len(self.gain[0])} guesses)"

    def prior_gain(self, point: Point) -> Rational:
        """Return what the best guess gains under a law, before anything is released.

        Raises:
            InvalidInput: if that is nothing, so that no ratio to it is known.
        """
        best = max(sum((form.values()), ZERO) for form in self._forms(point))
        if best == 0:
            raise InvalidInput("Under this prior no guess gains anything; give a gain that is positive somewhere.")
        return best

    def _forms(self, point: Point) -> list[dict[int, Rational]]:
        guesses = range(len(self.gain[0]))
        return [{x: p * self.gain[x][w] for x, p in enumerate(point) if p * self.gain[x][w] != 0} for w in guesses]

    def _bound(self, point: Point, place: int) -> SumBound:
        forms, before = self._forms(point), self.prior_gain(point)
        scaled = {w: {x: share / before for x, share in form.items()} for w, form in enumerate(forms)}
        atom = Maximum(dict.fromkeys(scaled, ONE), forms=scaled)
        return SumBound(((ONE, atom),), Exponential(), (place,))

    def _at(self, mechanism: Mechanism, law: Point) -> Real:
        forms, gained = self._forms(law), ZERO
        for column in zip(*mechanism.rows, strict=True):
            gained += max(sum((share * column[x] for x, share in form.items()), ZERO) for form in forms)
        return Real.log(gained / self.prior_gain(law))

    def _in_floats(self, mechanism: Mechanism, law: Point) -> Loss:
        weights = nearest_floats(law)[:, None] * np.array([nearest_floats(row) for row in self.gain])
        after = (weights.T @ mechanism.floats).max(axis=0).sum()
        return Loss(max(0.0, float(np.log(after / weights.sum(axis=0).max()))), Witness(prior=law))
