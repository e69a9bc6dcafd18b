"""Leakage to a given adversary: how much an output raises what the adversary gains by the best guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, text
from epstar.exact.enclosure import greatest
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, PerInput, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Maximum, Name, SumBound
from epstar.notions.priors import check_points, listed_laws, required
from epstar.probability_vectors import Table, table
from epstar.source import Source
from epstar.universe import Universe

Gain = tuple[tuple[Rational, ...], ...]
"""What each guess (columns) gains at each value (rows)."""


@dataclass(frozen=True, init=False)
class GLeakage(PerInput):
    """log of (sum_y max_w sum_x P(x) g(x,w) Q(y|x)) / (max_w sum_x P(x) g(x,w)), for gains g(x,w) >= 0 of a guess w.

    Multiplicative g-leakage: Alvim, Chatzikokolakis, Palamidessi and Smith, "Measuring information leakage using
    generalized gain functions" (CSF 2012). With the identity as gain it is the min-entropy leakage. With `others`,
    which are gains of other adversaries, it is the largest of theirs.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(GLeakage([[1, 0], [0, 2]]).loss(coin, Prior(["1/2", "1/2"])).upper)
    'log(9/8)'
    >>> str(GLeakage([[1, 0], [0, 2]], others=[[[1, 0], [0, 1]]]).loss(coin, Prior(["1/2", "1/2"])).upper)
    'log(3/2)'
    """

    name: ClassVar[str] = "g_leakage"
    title: ClassVar[str] = "g-leakage"
    needs_source: ClassVar[bool] = True
    is_general: ClassVar[bool] = True
    gain: Gain
    others: tuple[Gain, ...]

    def __init__(self, gain: Table, others: Sequence[Table] = ()) -> None:
        if not isinstance(others, Sequence) or isinstance(others, str):
            raise InvalidInput("The other gains are a list of matrices; give rows the value, columns the guess.")
        object.__setattr__(self, "gain", _read(gain))
        object.__setattr__(self, "others", tuple(map(_read, others)))

    @property
    def gains(self) -> tuple[Gain, ...]:
        """All gains."""
        return (self.gain, *self.others)

    def check_size(self, size: int) -> None:
        for gain in self.gains:
            if len(gain) != size:
                raise InvalidInput(
                    f"The gain has {len(gain)} rows, and there are {size} values to guess; give a row for each."
                )

    def among(self, places: Sequence[int]) -> GLeakage:
        gain, *others = ([gain[x] for x in places] for gain in self.gains)
        return GLeakage(gain, others)

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism; the source is a prior or a list of them."""
        source = required(source, mechanism, self.title)
        laws = listed_laws(source)
        if laws is None:
            raise InvalidInput("A g-leakage is measured at a prior, or at a finite list of them; give one of these.")
        dense = mechanism.dense()
        self.check_size(dense.shape[0])
        if not dense.is_exact:
            found = (_in_floats(gain, dense, law) for law in laws for gain in self.gains)
            return max(found, key=lambda loss: loss.value)
        witness, real = greatest((Witness(prior=law), _at(gain, dense, law)) for law in laws for gain in self.gains)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a sum of the best guesses' gains for each point of the source and each gain."""
        check_points(points, universe)
        self.check_size(universe.size)
        return Constraints(
            sums=tuple(
                _bound(gain, point, (i, k) if self.others else (i,))
                for i, point in enumerate(points)
                for k, gain in enumerate(self.gains)
            )
        )

    def parameters(self) -> dict[str, object]:
        """Return the gains as they stand in a problem file."""
        gain, *others = ([[text(entry) for entry in row] for row in gain] for gain in self.gains)
        return {"gain": gain, "others": others} if others else {"gain": gain}

    @property
    def full_title(self) -> str:
        """The title with the size of the gain."""
        more = f" and {len(self.others)} other gains" if len(self.others) > 1 else " and another gain"
        return f"{self.title} ({len(self.gain[0])} guesses{more if self.others else ''})"


def _read(gain: Table) -> Gain:
    rows = table(gain, "The gain")
    if any(entry < 0 for row in rows for entry in row):
        raise InvalidInput("A gain is negative; raise all of them by the same amount until none is.")
    if all(entry == 0 for row in rows for entry in row):
        raise InvalidInput("All gains are zero, so that there is nothing to guess; give one that is positive.")
    return rows


def _forms(gain: Gain, point: Point) -> list[dict[int, Rational]]:
    guesses = range(len(gain[0]))
    return [{x: p * gain[x][w] for x, p in enumerate(point) if p * gain[x][w] != 0} for w in guesses]


def _before(gain: Gain, point: Point) -> Rational:
    """Return what the best guess gains under a distribution, before anything is released.

    Raises:
        InvalidInput: if that is nothing, so that no ratio to it is known.
    """
    best = max(sum((form.values()), ZERO) for form in _forms(gain, point))
    if best == 0:
        raise InvalidInput("Under this prior no guess gains anything; give a gain that is positive somewhere.")
    return best


def _bound(gain: Gain, point: Point, name: Name) -> SumBound:
    forms, before = _forms(gain, point), _before(gain, point)
    scaled = {w: {x: share / before for x, share in form.items()} for w, form in enumerate(forms)}
    atom = Maximum(dict.fromkeys(scaled, ONE), forms=scaled)
    return SumBound(((ONE, atom),), Exponential(), name)


def _at(gain: Gain, mechanism: Mechanism, law: Point) -> Real:
    forms, gained = _forms(gain, law), ZERO
    for column in zip(*mechanism.rows, strict=True):
        gained += max(sum((share * column[x] for x, share in form.items()), ZERO) for form in forms)
    return Real.log(gained / _before(gain, law))


def _in_floats(gain: Gain, mechanism: Mechanism, law: Point) -> Loss:
    weights = nearest_floats(law)[:, None] * np.array([nearest_floats(row) for row in gain])
    after = (weights.T @ mechanism.floats).max(axis=0).sum()
    return Loss(max(0.0, float(np.log(after / weights.sum(axis=0).max()))), Witness(prior=law))
