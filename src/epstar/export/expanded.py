"""Steps of Farkas' lemma in which every shortcut is written out: transport for spreads, tangents for conjugates.

A column that is judged by its spread has positive coefficients that outweigh the negative ones e^loss times. Then
there is a transport (northwest corner rule) of multiples of ratio bounds, from the entries with negative coefficients
to those with positive ones, after which no coefficient is negative. A column that is judged by the conjugate of a
mutual information passes the plain test with the tangents at the ratios exp(-c / (s p)), by which the conjugate
is derived.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from epstar.claims.bounds import compared
from epstar.claims.claim import Excluded, Places, Setting, Shares, mixed
from epstar.claims.face import Face
from epstar.claims.form import Form
from epstar.claims.premises import Premises, premises
from epstar.claims.rows import row_setting
from epstar.claims.rule import judged
from epstar.claims.symmetry import unevenness
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.export import CHECK
from epstar.export.databases import of_distances, of_rows
from epstar.export.powers import Tangents, rate_of
from epstar.export.steps import (
    Place,
    PlainEntropies,
    PlainMaximum,
    PlainPowers,
    PlainRatio,
    PlainStep,
    Proof,
    enclosed,
    rounded,
)
from epstar.notions.constraints import Name, Norm, Power, RelativeEntropy
from epstar.source import Prior, Rows


def expanded(setting: Setting, claim: Excluded) -> Proof:
    """Return the proof of a claim with every shortcut written out; the claim has been checked.

    Raises:
        InvalidInput: if the claim rests on a theorem that is no step.
    """
    if claim.order is not None:
        raise InvalidInput(f"The proof reads the notion at a smaller order, which no exported file can say; {CHECK}")
    if not (
        _is_of_product(setting, claim) if claim.rows else claim.symmetry is None or unevenness(setting, claim) == 1
    ):
        raise InvalidInput(
            f"The proof averages over a distribution that is no product, which no exported file can say; {CHECK}"
        )
    if claim.rows:
        rows = [
            [expanded(row_setting(setting, prior, is_attained=False), part).steps] * count
            for prior, part, count in claim.rows
        ]
        return of_rows(setting, claim, list(chain(*rows)))
    given, face, found = premises(setting, claim), Face(), []
    for step in claim.steps:
        form = Form(given, step)
        found.append(_plain(form, face))
        face |= judged(form, face) or Face()
    if claim.symmetry is not None:
        return of_distances(setting, claim, found)
    return Proof(tuple(found), claim.points)


def _is_of_product(setting: Setting, claim: Excluded) -> bool:
    """Return whether the rows of a claim follow, one after the other, a law of the source or a mixture as good."""
    laws = [prior for prior, _, count in claim.rows for _ in range(count)]
    if claim.uniform is not None:
        return mixed(claim.uniform) == Rows(laws).joint().probabilities
    return not isinstance(setting.source, Prior) or setting.source == Rows(laws).joint()


def _plain(form: Form, face: Face) -> PlainStep:
    given, step = form.given, form.step
    ratios: dict[Name, PlainRatio] = {}
    for name, output, multiple in (*step.ratios, *_transport(form, face)):
        ratio = _equality(given, name) if given.bounds.constraints.sums else _bound(given, name)
        by_output = ratios.setdefault(name, ratio).multiples
        by_output[output] = by_output.get(output, ZERO) + multiple
    return PlainStep(
        step.laws,
        tuple(ratios.values()),
        tuple(_maxima(form)),
        tuple(_entropies(form, face)),
        tuple(_powers(form)),
        step.rows,
    )


def _bound(given: Premises, name: Name) -> PlainRatio:
    return PlainRatio(name, given.bounds.ratio(name).bound.distance, {})


def _equality(given: Premises, name: Name) -> PlainRatio:
    """Return what follows from a divergence, named by the row that is compared and not by the place of its term."""
    *base, term, side = name
    _, left, _ = compared(given.bounds.sum(tuple(base)))[term]
    (row,) = left
    return PlainRatio((*base, row, side), ZERO, {}, True)


def _transport(form: Form, face: Face) -> Iterator[tuple[Name, int, Rational]]:
    spread = form.spread
    if spread is None:
        return
    growth = form.given.bounds.growth(ONE)
    for y in range(form.given.frame.outputs):
        live = (x for x in range(form.given.frame.inputs) if (x, y) not in face)
        columns = {x: form.rational(x, y) / spread.scales[x] for x in live}
        supply = [(x, -value) for x, value in columns.items() if value < 0]
        room = [(x, value / growth) for x, value in columns.items() if value > 0]
        while supply:
            (x, wanted), (other, left) = supply[-1], room[-1]
            moved = min(wanted, left)
            yield (*spread.law, x, other), y, moved
            supply[-1], room[-1] = (x, wanted - moved), (other, left - moved)
            if supply[-1][1] == 0:
                supply.pop()
            if room[-1][1] == 0:
                room.pop()


def _maxima(form: Form) -> Iterator[PlainMaximum]:
    for used in form.sums:
        if isinstance(used.use.tangents, Shares):
            by_output: list[list[tuple[int, Rational]]] = [[] for _ in range(form.given.frame.outputs)]
            for y, x, share in used.use.tangents.entries:
                by_output[y].append((x, share))
            yield PlainMaximum(used.use.name, used.use.multiplier, tuple(map(tuple, by_output)))


def _entropies(form: Form, face: Face) -> Iterator[PlainEntropies]:
    given = form.given
    inputs, outputs, bits = given.frame.inputs, given.frame.outputs, given.bits
    for used in form.sums:
        tangents, terms = used.use.tangents, used.bound.terms
        if isinstance(tangents, Shares) or not isinstance(terms[0][1], RelativeEntropy):
            continue
        atoms = {x: k for k, (_, atom) in enumerate(terms) if isinstance(atom, RelativeEntropy) for x in atom.left}
        places: list[list[Place]] = [[None] * inputs for _ in range(outputs)]
        for x, k in atoms.items():
            for y in range(outputs):
                if isinstance(tangents, Places):
                    ratio = tangents.table[k][y]
                    if ratio is not None:
                        places[y][x] = (rounded(Real.log(ratio).below(bits), bits, False), ratio)
                elif (x, y) not in face:
                    places[y][x] = enclosed(-form.rational(x, y) / (used.use.multiplier * terms[k][0]), bits)
        yield PlainEntropies(used.use.name, used.use.multiplier, tuple(map(tuple, places)))


def _powers(form: Form) -> Iterator[PlainPowers]:
    given = form.given
    for used in form.sums:
        bound, use = used.bound, used.use
        if isinstance(use.tangents, Places) and isinstance(bound.terms[0][1], Power | Norm):
            found = Tangents(bound, used.bounds)
            places = found.places(use.tangents, given.frame.inputs, given.frame.outputs)
            yield PlainPowers(use.name, found.multiplier(use.multiplier), rate_of(bound), places)
