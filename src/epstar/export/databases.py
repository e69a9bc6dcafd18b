"""Proofs about the rows of a database, or about distances, written out for whole databases.

With one row left, the others averaged over their laws and their answers ignored, a mechanism on databases is one on a
row: each bound on it is a sum of bounds on the whole, weighted by the law of the other rows. Averaged over the
symmetries of the cube it depends on distances alone: each bound on it is the mean of bounds on the whole that the
symmetries take to each other. So both proofs are multiples of constraints like any others, only more of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from epstar.claims.claim import Excluded, Mixture, Point, Setting
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.export import CHECK
from epstar.export.steps import PlainEntropies, PlainMaximum, PlainPowers, PlainRatio, PlainStep, Proof
from epstar.notions import Identifiability, MaximalInformation
from epstar.notions.constraints import Name
from epstar.source import Rows
from epstar.universe import Databases, from_digits

Multiples = dict[Name, PlainRatio]


def of_rows(setting: Setting, claim: Excluded, rows: Sequence[tuple[PlainStep, ...]]) -> Proof:
    """Return the proof of a claim about databases from the steps of each of its rows.

    Raises:
        InvalidInput: if the rows share more than ratio bounds.
    """
    if any(step.maxima or step.entropies or step.powers for steps in rows for step in steps):
        raise InvalidInput(f"The proof adds up informations of rows, which no exported file can say; {CHECK}")
    # What a row said last it may say again, beside rows that need more steps.
    longest = max(map(len, rows))
    padded = [steps + steps[-1:] * (longest - len(steps)) for steps in rows]
    priors = [prior for prior, _, count in claim.rows for _ in range(count)]
    joint = claim.uniform or ((ONE, Rows(priors).joint().probabilities),)
    laws = [prior.probabilities for prior in priors]
    steps = tuple(_added_up(setting, laws, joint, together) for together in zip(*padded, strict=True))
    return Proof(steps, (joint,) if setting.notion.needs_source else ())


def _added_up(setting: Setting, laws: Sequence[Point], joint: Mixture, rows: Sequence[PlainStep]) -> PlainStep:
    """Return one step of all rows together, in units of the distortion unless some row does without it."""
    weights = [sum((w for w, _ in row.laws), ZERO) for row in rows]
    free = [k for k, weight in enumerate(weights) if weight == 0]
    prices, ratios = [ZERO] * setting.universe.size, Multiples()
    for k in free or range(len(rows)):
        scale = ONE if free else ONE / weights[k]
        for others, share in _other_rows(laws, k):
            place = _Places(others, k, len(laws[k]))
            for x, price in enumerate(rows[k].rows):
                prices[place.of(x)] += scale * share * price
            # Identifiability is about joint probabilities, in which the law of the other rows is a factor already.
            factor = scale if isinstance(setting.notion, Identifiability) else scale * share
            for ratio in rows[k].ratios:
                *law, x, z = ratio.name
                for y, multiple in ratio.multiples.items():
                    for answers in product(range(len(laws[k])), repeat=len(others)):
                        output = _Places(answers, k, len(laws[k])).of(y)
                        _add(ratios, (*law, place.of(x), place.of(z)), ratio.rate, output, factor * multiple)
    return PlainStep(() if free else joint, tuple(ratios.values()), (), (), (), tuple(prices))


class _Places:
    """The databases whose rows but one have some letters."""

    def __init__(self, others: Sequence[int], k: int, letters: int) -> None:
        self.others, self.k, self.letters = others, k, letters

    def of(self, letter: int) -> int:
        return from_digits([*self.others[: self.k], letter, *self.others[self.k :]], self.letters)


def _other_rows(laws: Sequence[Point], k: int) -> Iterator[tuple[tuple[int, ...], Rational]]:
    """Yield the letters of all rows but one, with their probability."""
    others = [law for i, law in enumerate(laws) if i != k]
    for letters in product(*(range(len(law)) for law in others)):
        yield letters, prod((law[x] for law, x in zip(others, letters, strict=True)), start=ONE)


def _add(ratios: Multiples, name: Name, rate: Rational, output: int, multiple: Rational) -> None:
    multiples = ratios.setdefault(name, PlainRatio(name, rate, {})).multiples
    multiples[output] = multiples.get(output, ZERO) + multiple


def of_distances(setting: Setting, claim: Excluded, steps: Sequence[PlainStep]) -> Proof:
    """Return the proof of a claim about databases from steps about mechanisms that depend on distances alone."""
    assert isinstance(setting.universe, Databases)
    if any(step.powers for step in steps) and not setting.notion.needs_source:
        raise InvalidInput(f"The proof averages powers of rows over distances, which no exported file can say; {CHECK}")
    uniform = claim.uniform or ((ONE, setting.source.uniform),)
    found = tuple(_of_distances(setting, setting.universe, uniform, step) for step in steps)
    return Proof(found, (uniform,) if setting.notion.needs_source else ())


def _of_distances(setting: Setting, databases: Databases, uniform: Mixture, step: PlainStep) -> PlainStep:
    size, spheres = databases.size, databases.sphere_sizes()
    distance = [[int(databases.distance(x, y).p) for x in range(size)] for y in range(size)]
    weight = sum((w for w, _ in step.laws), ZERO)
    ratios = Multiples()
    for ratio in step.ratios:
        names = list(_alike(setting, databases, distance, ratio.name))
        for name, output in names:
            _add(ratios, name, ratio.rate, output, ratio.multiples[0] / len(names))
    return PlainStep(
        tuple((weight * share, law) for share, law in uniform) if weight != 0 else (),
        tuple(ratios.values()),
        tuple(
            PlainMaximum(
                one.name,
                one.multiplier,
                tuple(
                    tuple((x, share / spheres[at]) for at, share in one.shares[0] for x in range(size) if row[x] == at)
                    for row in distance
                ),
            )
            for one in step.maxima
        ),
        tuple(
            PlainEntropies(one.name, one.multiplier, tuple(tuple(one.places[0][at] for at in row) for row in distance))
            for one in step.entropies
        ),
        tuple(
            PlainPowers(
                one.name, one.multiplier, one.rate, tuple(tuple(one.places[0][at] for at in row) for row in distance)
            )
            for one in step.powers
        ),
        tuple(step.rows[0] / size for _ in range(size)) if step.rows else (),
    )


def _alike(
    setting: Setting, databases: Databases, distance: Sequence[Sequence[int]], name: Name
) -> Iterator[tuple[Name, int]]:
    """Yield the bounds, with their outputs, that symmetries take to one about distances."""
    for output, row in enumerate(distance):
        if isinstance(setting.notion, MaximalInformation):
            yield from (((0, x), output) for x, at in enumerate(row) if at == name[1])
            continue
        for x, z in product(range(databases.size), repeat=2):
            if (row[x], row[z]) == name and distance[x][z] == 1:
                yield (x, z), output
