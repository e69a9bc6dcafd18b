"""Min-entropy leakage: how much an output helps to guess the input in one try."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.errors import EmptySource
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact.enclosure import greatest
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import DENSE_LIMIT, AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Maximum, SumBound
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.notions.measure.by_distance import holds_uniform, is_uniform
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.worst_ratio import column_extremes
from epstar.notions.priors import check_points, extreme_laws, in_floats, listed_laws, required
from epstar.source import Polytope, Prior, Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]

# With more weights, and as many letters, parts of a source have more corners than can be listed.
_MOST_WEIGHTS = 9
_ROUNDS = 8
# Laws that a program learns of at once: it needs fewer rounds, each of which takes longer.
_WORST = 8


def vulnerabilities(matrix: Floats, prior: Floats) -> Floats:
    """Return sum_y max_x P(x) Q(y|x) over the last two axes: the chance of guessing the input."""
    return np.asarray(column_extremes(matrix, prior)[0].sum(axis=-1))


@dataclass(frozen=True)
class MinEntropyLeakage(Notion):
    """log of (sum_y max_x P(x) Q(y|x)) / (max_x P(x)): chances of guessing the input, after and before.

    Source: alvim2011, Section 2. Its supremum over all priors is reached at the uniform one and is the
    maximal leakage: see `MinEntropyCapacity`.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> channel = Mechanism([["3/5", "2/5"], ["2/5", "3/5"]])
    >>> str(MinEntropyLeakage().loss(channel, Prior(["9/10", "1/10"])).upper)
    '0'
    """

    name: ClassVar[str] = "min_entropy_leakage"
    title: ClassVar[str] = "min-entropy leakage"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism.

        A convex source is cut into the parts where one input is the likeliest; on each the leakage is quasi-convex, so
        the corners of the parts decide. Where these are too many to list, the loss is enclosed: by that at some
        distributions, and by the leakage to guesses whose chances are all as good as any distribution of the source
        allows.
        """
        source = required(source, mechanism, self.title)
        by_row = sum_over_rows(self, mechanism, source)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        if rank_one is not None and isinstance(source, Prior):
            return _of_letters(rank_one, source)
        by_distance = isinstance(mechanism, DistanceMechanism) and math.prod(mechanism.shape) > DENSE_LIMIT
        is_largest = is_uniform(source) if isinstance(source, Prior) else holds_uniform(source)
        if by_distance or is_largest:
            leakage = MaximalLeakage().loss(mechanism)
            if not is_largest:
                # It is an upper bound at any prior (alvim2011, Section 2).
                return Loss(leakage.value, Witness(), Real.of(ZERO), leakage.upper)
            # A law on more databases than can be listed is left out.
            prior = source.uniform if source.size <= DENSE_LIMIT else None
            return Loss(leakage.value, Witness(prior=prior), leakage.lower, leakage.upper)
        by_letters = None
        if rank_one is not None:
            by_letters = over_letters(source, partial(_of_letters, rank_one), lambda: MaximalLeakage().loss(mechanism))
        if by_letters is not None:
            return by_letters
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        laws = listed_laws(source)
        if laws is None:
            laws = corners_of_parts(source)
        if laws is None:
            return _between(dense, source)
        if not dense.is_exact:
            losses = (_in_floats(dense, law, floats) for law, floats in in_floats(laws, source))
            return max(losses, key=lambda loss: loss.value)
        witness, real = greatest((Witness(prior=law), _at(dense, law)) for law in laws)
        return Loss.known(real, witness)

    def worst_laws(self, mechanism: Mechanism, source: Source) -> Sequence[Point]:
        """Return the few corners of the parts of a source at which most is given away, where these are listed."""
        laws = None if isinstance(source, Rows) else listed_laws(source) or corners_of_parts(source)
        if laws is None:
            return super().worst_laws(mechanism, source)
        priors = np.array([nearest_floats(law) for law in laws])
        gains = vulnerabilities(mechanism.floats[None], priors) / priors.max(axis=1)
        return tuple(laws[place] for place in np.argsort(-gains)[:_WORST].tolist())

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a sum of column maxima for each point of the source."""
        check_points(points, universe)
        return Constraints(
            sums=tuple(
                # Measured in units of the chance before, so that all points share one scale.
                SumBound(((ONE, Maximum(_shares(point))),), Exponential(), (i,))
                for i, point in enumerate(points)
            )
        )


def _shares(point: Point) -> dict[int, Rational]:
    most = max(point)
    return {x: p / most for x, p in enumerate(point) if p != 0}


def _of_letters(rank_one: RankOne, prior: Prior) -> Loss:
    law, letters = prior.probabilities, rank_one.typical(prior)
    first, second, *_ = *sorted((letter.scale * letter.kind.input for letter in letters), reverse=True), ZERO
    chance = ZERO
    for kind in rank_one.kinds:
        kept, offered = kind.diagonal, first * kind.output
        chance += sum_of([max(law[x] * kept, offered) for x in kind.members.tolist()])
    # An input that is itself the likeliest to give another output leaves that to the next one.
    leader = max(letters, key=lambda letter: letter.scale * letter.kind.input)
    own = law[leader.place] * leader.kind.diagonal
    chance += max(own, second * leader.kind.output) - max(own, first * leader.kind.output)
    return Loss.known(Real.log(chance / max(law)), Witness(prior=law))


def _at(mechanism: Mechanism, law: Point) -> Real:
    chance = ZERO
    for column in zip(*mechanism.rows, strict=True):
        chance += max(p * q for p, q in zip(law, column, strict=True))
    return Real.log(chance / max(law))


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats) -> Loss:
    ratio = float(vulnerabilities(mechanism.floats, prior)) / prior.max()
    return Loss(max(0.0, float(np.log(ratio))), Witness(prior=law))


def _between(mechanism: Mechanism, source: Source) -> Loss:
    """Return the loss between that at some laws, each the best against the guesses that the one before suggests."""
    matrix, seen = mechanism.floats, [source.maximum([ONE] * source.size).point]
    if source.flattest is not None:
        seen.append(source.flattest.probabilities)
    for _ in range(_ROUNDS):
        guesses = (nearest_floats(seen[-1])[:, None] * matrix).argmax(axis=0)
        chances = np.zeros(source.size)
        np.add.at(chances, guesses, matrix[guesses, np.arange(matrix.shape[1])])
        worse = source.maximum(chances.tolist()).point
        if worse in seen:
            break
        seen.append(worse)
    found = max((_in_floats(mechanism, law, nearest_floats(law)) for law in seen), key=lambda loss: loss.value)
    if not mechanism.is_exact or found.witness.prior is None:
        return found
    shares = largest_shares(source)
    chance = ZERO
    for column in zip(*mechanism.rows, strict=True):
        chance += max(share * q for share, q in zip(shares, column, strict=True))
    return Loss(found.value, found.witness, _at(mechanism, found.witness.prior), Real.log(chance))


@lru_cache(maxsize=16)
def largest_shares(source: Source) -> Point:
    """Return for every category the most that its probability can be of the largest."""
    letters = range(source.size)
    ratios = ([source.maximum_ratio(x, other) for other in letters if other != x] for x in letters)
    return tuple(min([ONE, *(ratio for ratio in row if ratio is not None)]) for row in ratios)


@lru_cache(maxsize=16)
def corners_of_parts(source: Source) -> tuple[Point, ...] | None:
    """Return the corners of {P in the source: P(x) is the largest} for every x, each once; None if there are too many.

    They are listed in the simplex of weights on some vectors, where each part is a polytope: on those of which the
    source is made by inequalities, else on its extreme distributions. Every corner of a part is the image of a corner
    there.
    """
    letters = range(source.size)
    if source.size == 1:
        return ((ONE,),)
    made = source.mixtures
    if made is not None and source.size > _MOST_WEIGHTS:
        return None
    laws = extreme_laws(source) if made is None else made.vectors
    if min(len(laws), source.size) > _MOST_WEIGHTS:
        return None
    matrix, bounds = ((), ()) if made is None else (made.matrix, made.bounds)
    corners: dict[Point, None] = {}
    for largest in letters:
        differences = [[law[x] - law[largest] for law in laws] for x in letters if x != largest]
        try:
            part = Polytope([*differences, *matrix], [*[ZERO] * len(differences), *bounds])
        except EmptySource:
            continue  # this input is nowhere the likeliest
        for weights in part.vertices():
            corners[tuple(dot(weights, [law[x] for law in laws]) for x in letters)] = None
    return tuple(corners)


@dataclass(frozen=True)
class MinEntropyCapacity(MaximalLeakage):
    """The largest min-entropy leakage over all priors: the maximal leakage, reached at the uniform prior.

    Source: alvim2011, Section 2.

    >>> from epstar import Mechanism
    >>> print(MinEntropyCapacity().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).upper)
    log(3/2)
    """

    name: ClassVar[str] = "min_entropy_capacity"
    title: ClassVar[str] = "min-entropy capacity"
