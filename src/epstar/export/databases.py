"""Proofs about the rows of a database, or about distances, written out for whole databases.

With one row left, the others averaged over their laws and their answers ignored, a mechanism on databases is one on a
row: each bound on it is a sum of bounds on the whole, weighted by the law of the other rows. Averaged over the
symmetries of the cube it depends on distances alone: each bound on it is the mean of bounds on the whole that the
symmetries take to each other. So both proofs are multiples of constraints like any others, only more of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from epstar.claims.claim import Excluded, Mixture, Point, Setting, bits_of
from epstar.claims.rows import row_setting
from epstar.exact import ONE, ZERO, Rational
from epstar.export.steps import Place, PlainEntropies, PlainMaximum, PlainPowers, PlainRatio, PlainStep, Proof, enclosed
from epstar.notions import Identifiability, MaximalInformation
from epstar.notions.constraints import Name
from epstar.source import Prior, Rows
from epstar.universe import Databases, digits, from_digits

Multiples = dict[Name, PlainRatio]


def of_rows(setting: Setting, claim: Excluded, rows: Sequence[tuple[PlainStep, ...]]) -> Proof:
    """Return the proof of a claim about databases from the steps of each of its rows."""
    # What a row said last it may say again, beside rows that need more steps.
    longest = max(map(len, rows))
    padded = [steps + steps[-1:] * (longest - len(steps)) for steps in rows]
    priors = [prior for prior, _, count in claim.rows for _ in range(count)]
    joint = claim.uniform or ((ONE, Rows(priors).joint().probabilities),)
    laws = [prior.probabilities for prior in priors]
    whole = _Whole(setting, laws, bits_of(claim.digits))
    steps = tuple(whole.step(joint, together) for together in zip(*padded, strict=True))
    return Proof(steps, (joint,) if setting.notion.needs_source else ())


class _Whole:
    """Steps of rows with known laws, as steps about databases."""

    def __init__(self, setting: Setting, laws: Sequence[Point], bits: int) -> None:
        self.setting, self.laws, self.bits = setting, laws, bits
        self.letters, self.size = len(laws[0]), setting.universe.size
        self.cost = setting.distortion.matrix(row_setting(setting, Prior(laws[0])).universe)

    def step(self, joint: Mixture, rows: Sequence[PlainStep]) -> PlainStep:
        """Return one step of all rows together, in units of the distortion unless some row does without it."""
        weights = [sum((w for w, _ in row.laws), ZERO) for row in rows]
        free = [k for k, weight in enumerate(weights) if weight == 0]
        prices, ratios = [ZERO] * self.size, Multiples()
        entropies: list[PlainEntropies] = []
        powers: list[PlainPowers] = []
        for k in free or range(len(rows)):
            scale = ONE if free else ONE / weights[k]
            for others, share in _other_rows(self.laws, k):
                place = _Places(others, k, self.letters)
                for x, price in enumerate(rows[k].rows):
                    prices[place.of(x)] += scale * share * price
                if share == 0:
                    continue
                # Identifiability is about joint probabilities, in which the law of the other rows is a factor already.
                factor = scale if isinstance(self.setting.notion, Identifiability) else scale * share
                for ratio in rows[k].ratios:
                    self._ratio(ratios, ratio, place, factor)
                if not self.setting.notion.needs_source:
                    entropies += (self._divergence(one, place, factor) for one in rows[k].entropies)
                    powers += (self._powers(one, place, factor) for one in rows[k].powers)
        if self.setting.notion.needs_source and rows[0].entropies:
            entropies.append(self._information(rows, ONE if free else ONE / weights[0]))
        laws = () if free else joint
        return PlainStep(laws, tuple(ratios.values()), (), tuple(entropies), tuple(powers), tuple(prices))

    def _ratio(self, ratios: Multiples, ratio: PlainRatio, place: _Places, factor: Rational) -> None:
        if ratio.is_equality:
            *base, x, side = ratio.name
            inputs = base if self.setting.notion.needs_source else [place.of(z) for z in base]
            name = (*inputs, place.of(x), side)
        else:
            *law, x, z = ratio.name
            name = (*law, place.of(x), place.of(z))
        for y, multiple in ratio.multiples.items():
            for output in self._outputs(place.k, y):
                _add(ratios, replace(ratio, name=name, multiples={}), output, factor * multiple)

    def _outputs(self, k: int, y: int) -> Iterator[int]:
        """Yield the databases in whose row k an answer stands."""
        for answers in product(range(self.letters), repeat=len(self.laws) - 1):
            yield _Places(answers, k, self.letters).of(y)

    def _answers(self, k: int) -> list[int]:
        """Return what stands in row k of each database."""
        return [digits(database, self.letters, len(self.laws))[k] for database in range(self.size)]

    def _powers(self, one: PlainPowers, place: _Places, factor: Rational) -> PlainPowers:
        x, z = one.name
        places = tuple(one.places[y] for y in self._answers(place.k))
        return PlainPowers((place.of(x), place.of(z)), factor * one.multiplier, one.rate, places)

    def _divergence(self, one: PlainEntropies, place: _Places, factor: Rational) -> PlainEntropies:
        x, z = one.name
        places = []
        for y in self._answers(place.k):
            column: list[Place] = [None] * self.size
            column[place.of(x)] = one.places[y][x]
            places.append(tuple(column))
        return PlainEntropies((place.of(x), place.of(z)), factor * one.multiplier, tuple(places))

    def _information(self, rows: Sequence[PlainStep], scale: Rational) -> PlainEntropies:
        """Return the tangents of the information of the whole: their places are products of those of the rows.

        Each row, all of which are alike, is charged as much as its tangents can pay (Csiszar's form).
        """
        (one,) = rows[0].entropies
        tables = [self._exponents(row, law) for row, law in zip(rows, self.laws, strict=True)]
        spelled = [digits(database, self.letters, len(self.laws)) for database in range(self.size)]
        places = []
        for ys in spelled:
            column: list[Place] = []
            for xs in spelled:
                exponents = [table[x][y] for table, x, y in zip(tables, xs, ys, strict=True)]
                known = [exponent for exponent in exponents if exponent is not None]
                column.append(enclosed(sum(known, ZERO), self.bits) if len(known) == len(exponents) else None)
            places.append(tuple(column))
        return PlainEntropies(one.name, scale * one.multiplier, tuple(places))

    def _exponents(self, row: PlainStep, law: Point) -> list[list[Rational | None]]:
        """Return the logarithms of the ratios at which the tangents of a row just pay what it is charged."""
        (one,) = row.entropies
        found: list[list[Rational | None]] = [[None] * self.letters for _ in law]
        for x, p in enumerate(law):
            for y in range(self.letters) if p > 0 else ():
                if one.places[y][x] is not None:
                    charge = sum((w * given[x] for w, given in row.laws), ZERO) * self.cost[x][y]
                    charge -= row.rows[x] if row.rows else ZERO
                    found[x][y] = -charge / (one.multiplier * p)
        return found


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


def _add(ratios: Multiples, ratio: PlainRatio, output: int, multiple: Rational) -> None:
    multiples = ratios.setdefault(ratio.name, ratio).multiples
    multiples[output] = multiples.get(output, ZERO) + multiple


def of_distances(setting: Setting, claim: Excluded, steps: Sequence[PlainStep]) -> Proof:
    """Return the proof of a claim about databases from steps about mechanisms that depend on distances alone."""
    assert isinstance(setting.universe, Databases)
    uniform = claim.uniform or ((ONE, setting.source.uniform),)
    found = tuple(_of_distances(setting, setting.universe, uniform, step) for step in steps)
    return Proof(found, (uniform,) if setting.notion.needs_source else ())


def _of_distances(setting: Setting, databases: Databases, uniform: Mixture, step: PlainStep) -> PlainStep:
    size, spheres = databases.size, databases.sphere_sizes()
    distance = [[int(databases.distance(x, y).p) for x in range(size)] for y in range(size)]
    weight = sum((w for w, _ in step.laws), ZERO)
    ratios = Multiples()
    for ratio in step.ratios:
        names = list(_alike(setting, databases, distance, ratio))
        for name, output in names:
            _add(ratios, replace(ratio, name=name, multiples={}), output, ratio.multiples[0] / len(names))
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
    setting: Setting, databases: Databases, distance: Sequence[Sequence[int]], ratio: PlainRatio
) -> Iterator[tuple[Name, int]]:
    """Yield the bounds, with their outputs, that symmetries take to one about distances."""
    name = ratio.name
    for output, row in enumerate(distance):
        if isinstance(setting.notion, MaximalInformation) or ratio.is_equality:
            yield from (((0, x, *name[2:]), output) for x, at in enumerate(row) if at == name[1])
            continue
        for x, z in product(range(databases.size), repeat=2):
            if (row[x], row[z]) == name and distance[x][z] == 1:
                yield (x, z), output
