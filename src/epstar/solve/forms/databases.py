r"""Databases, whatever is known of their law: the mechanisms and the bound of the papers for wrong rows.

A mechanism that treats all databases alike has one distortion under every law (zhong2022, Lemma 5). Of such mechanisms
some are optimal where the uniform law is possible, by the number of wrong rows (Theorem 7 made exact). Others keep each
row with probability 1 - D/n and give each other value alike (Lemma 5: the mechanism Q_D). None is ever expanded, and
neither are the losses that notions measure on them.

For the lower bound fix all rows but one. What is left of a mechanism is one on that row, which loses no more, under the
law of the row given the others; wrong rows add up (wang2016, Lemma 1, whose bound (12) it is where joint probabilities
are compared). With E = e^level, m values, and the masses v(a) of the databases that have value a in the row, randomised
response on the likeliest values is optimal in each such line, by the row prices

    price(a) = v(a) - max(0, (E v(a) - t)/(E - 1)),    t = the mass of right answers,

and a value a whose price is positive is paid by multiples u(b) of z(a,y) <= E z(b,y), y being right about a, with sum
u(b) = price(a) and E u(b) <= v(b) - price(b). Compared are joint probabilities (identifiability) or entries alike
(differential privacy). Bound (13) of wang2016, h^-1(D) - eps_X, and zhong2022, Theorem 6(1), which keeps the share
theta* of the distortion that a uniform law would have, follow from lines that are replaced by worse ones: by the most
unlike of all, and by their least masses; they are never larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import ne

import numpy as np

from epstar.claims.claim import DIGITS
from epstar.claims.rows import excludes_rows, shares_of_rows
from epstar.claims.symmetry import factor_of
from epstar.completion import Converse, DistanceProof, Proof, RowsProof
from epstar.completion.converse import BITS, Point
from epstar.completion.distances import fits_distances
from epstar.completion.evidence import is_kept
from epstar.distortion import Hamming
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism, ProductMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.measure.by_distance import holds_uniform
from epstar.notions.measure.product import total
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer, asked
from epstar.solve.forms import hamming_cube
from epstar.solve.forms.leakage import joint_prices
from epstar.solve.forms.randomised_response import MANY, allowed, row_prices, wrong_with
from epstar.solve.forms.symmetric import least_wrong
from epstar.solve.method import Task
from epstar.solve.program import MOST_MULTIPLES, STEEP
from epstar.solve.program.arithmetic import transported
from epstar.solve.shapes import is_scaled_by_the_law, order_of_pairs, plain_spread
from epstar.source import Everything, Prior, Rows
from epstar.universe import Databases

# A probability of a wrong row that is next to none, and the share by which the errors of floats may be wrong.
_HAIR = Rational(1, 10**12)


def accepts(problem: Problem) -> bool:
    """Return whether wrong rows of a database are counted, and the losses of the mechanisms are soon measured."""
    if not isinstance(problem.universe, Databases) or type(problem.distortion) is not Hamming:
        return False
    if problem.secret is not None or problem.limits or problem.also:
        return False
    if hamming_cube.accepts(_under_any_law(problem)):
        return True
    spread, entries = plain_spread(problem.notion), problem.universe.size**2
    # A slack for each output is lost on products, whose outputs are less likely than those of their rows.
    is_lost = spread is not None and spread.slack > 0 and not spread.events
    is_measured = problem.universe.size <= MANY or not problem.notion.needs_source or entries > DENSE_LIMIT
    return is_measured and not is_lost


def is_slow(problem: Problem) -> bool:
    """Return whether a program takes no longer: unless losses are measured once, or without a matrix."""
    return not (problem.asks == "loss" or problem.universe.size > MANY or _has_lines(problem))


def claims(task: Task) -> Claims:
    """Offer the best mechanism that is alike on all databases, and what lines of databases exclude."""
    problem, everywhere, databases = task.problem, _under_any_law(task.problem), _databases(task.problem)
    if hamming_cube.accepts(everywhere):
        mechanism: AnyMechanism | None = hamming_cube.by_distances(everywhere).mechanism
        theorem = "zhong2022, Lemma 5(1) and Theorem 7 made exact"
    else:
        mechanism, theorem = _rows_alike(problem), "zhong2022, Lemma 5"
    if mechanism is not None:
        yield Offer(Proof(problem, mechanism, None), "closed form", theorem)
    if isinstance(mechanism, ProductMechanism) and _has_divergences(problem):
        row = mechanism.blocks[0].factor
        converse = _by_tangents(problem, row.entry(0, 0) / row.entry(0, 1)) if row.entry(0, 1) > 0 else None
        yield Offer(Proof(problem, None, converse), "closed form", "zhong2022, Theorem 7(5), line by line")
    if _has_lines(problem):
        converse, ratio = _by_lines(problem)
        yield Offer(
            Proof(problem, _backward(problem, ratio), converse), "closed form", "wang2016, Theorem 1, line by line"
        )
    elif excludes_rows(problem.notion) and 0 < problem.given < INFINITY and databases.alphabet.size > 1:
        yield from _by_shares(problem)
    if _is_averaged(problem):
        yield Offer(_by_symmetry(problem), "closed form", "zhong2022, Theorem 6 by averaging joint probabilities")


def _under_any_law(problem: Problem) -> Problem:
    return replace(problem, source=Everything(problem.universe.size))


# -- Mechanisms --------------------------------------------------------------------------------------------------------


def _rows_alike(problem: Problem) -> ProductMechanism | None:
    """Return Q_D at the distortion allowed, or at the least at which it keeps the level."""
    databases = _databases(problem)
    wrong: Rational | None = Rational(databases.alphabet.size - 1, databases.alphabet.size)
    assert wrong is not None
    if problem.asks == "loss":
        assert problem.given.rational is not None
        wrong = min(problem.given.rational / databases.rows, wrong)
    else:
        wrong = _least_wrong(problem, wrong)
    return None if wrong is None or wrong < 0 else _response(databases, wrong)


def _response(databases: Databases, wrong: Rational) -> ProductMechanism:
    """Return the mechanism whose rows are wrong with the same probability, whatever they are."""
    return ProductMechanism(wrong_with(wrong, databases.alphabet), databases.rows)


def _backward(problem: Problem, above: Rational) -> Mechanism | None:
    """Return the mechanism of wang2016, Theorem 1: given the output, rows are right with odds E to one, independently.

    It is one where the law of the output that this asks for has no negative probability.
    """
    databases, ratio = _databases(problem), above if problem.asks == "loss" else Real.exp(problem.given).below(BITS)
    if ratio <= 1 or not problem.notion.needs_source or not isinstance(problem.source, Prior):
        return None
    letters, law = databases.alphabet.size, problem.source.probabilities
    output = list(law)
    for row in range(databases.rows):
        step = letters**row
        # The inverse of the channel with E on its diagonal and one elsewhere, over E + m - 1.
        sums = [
            sum((output[x + (value - x // step % letters) * step] for value in range(letters)), ZERO)
            for x in range(len(output))
        ]
        output = [((ratio + letters - 1) * p - total) / (ratio - 1) for p, total in zip(output, sums, strict=True)]
    if min(output) < 0:
        return None
    chances = [
        ratio ** (databases.rows - k) / (ratio + letters - 1) ** databases.rows for k in range(databases.rows + 1)
    ]
    values = [databases.letters(x) for x in range(len(law))]
    distances = [[sum(map(ne, first, second)) for second in values] for first in values]
    rows = [
        [q * chances[d] / p for q, d in zip(output, line, strict=True)] for p, line in zip(law, distances, strict=True)
    ]
    return Mechanism(rows, databases, problem.distortion.outputs(databases))


def _least_wrong(problem: Problem, most: Rational) -> Rational | None:
    """Return nearly the least probability of a wrong row at which the level is kept; None where none keeps it."""
    spread, response = plain_spread(problem.notion), partial(_response, _databases(problem))
    if spread is not None and spread.slack == 0:
        others = _databases(problem).alphabet.size - 1
        return others / (others + Real.exp(problem.given).below(BITS))
    tried = (least_wrong(problem, response, most), _HAIR, most)
    return next((p for p in tried if p is not None and is_kept(problem, response(p), problem.given)), None)


# -- Lower bounds that are never written out ---------------------------------------------------------------------------


def _by_shares(problem: Problem) -> Claims:
    """Offer what uniform rows exclude: all of it if they are possible, or joint probabilities are compared.

    Of another law they exclude their share, line by line, if the notion is the same whatever the law.
    """
    databases, share, named = _databases(problem), Rational(_databases(problem).rows), None
    even, theorem = Prior.uniform_on(databases.alphabet.size), "zhong2022, Theorem 6, line by line"
    if is_scaled_by_the_law(problem.notion):
        theorem = "wang2016, Theorem 1"
    elif not holds_uniform(problem.source):
        law = problem.source.flattest
        if law is None or problem.notion.needs_source:
            return
        named = law.probabilities
        (share,) = shares_of_rows(named, databases, [(even, databases.rows)])
    most = 1 - Rational(1, databases.alphabet.size)
    if problem.asks == "loss" and not problem.given < share * most:
        return
    given = problem.given / share if problem.asks == "loss" else problem.given
    row = Problem(problem.notion, even, problem.distortion, databases.alphabet, problem.asks, given)
    found = (yield from asked(row)).row_proof
    yield Offer(RowsProof(problem, None, ((found, databases.rows),), named), "closed form", theorem)


def _is_averaged(problem: Problem) -> bool:
    """Return whether a law is known that is not uniform, and the notion averages over symmetries."""
    law, spread = problem.source.flattest, plain_spread(problem.notion)
    is_known = law is not None and spread is None and problem.given > 0 and not problem.given.is_infinite
    return is_known and not holds_uniform(problem.source) and fits_distances(_under_any_law(problem))


def _by_symmetry(problem: Problem) -> DistanceProof:
    """Return the price at the uniform law, at the distortion, or at what the loss of the joint law is at most there."""
    assert problem.source.flattest is not None
    law, even = problem.source.flattest.probabilities, replace(problem, source=_even(problem))
    if problem.asks == "distortion":
        factor = factor_of(problem.notion, law, DIGITS)
        even = replace(even, given=Real.of(total([(problem.given, 1), (Real.log(factor), 1)]).above(BITS)))
    found = hamming_cube.by_distances(even)
    return DistanceProof(problem, None, found.price, found.level, law)


def _even(problem: Problem) -> Rows:
    databases = _databases(problem)
    return Rows(Prior.uniform_on(databases.alphabet.size), databases.rows)


# -- The lower bound, line by line -------------------------------------------------------------------------------------


def _has_lines(problem: Problem) -> bool:
    """Return whether neighbours are compared alike or by joint probabilities, at one prior of few databases."""
    if not isinstance(problem.universe, Databases) or not isinstance(problem.source, Prior):
        return False
    letters, rows, spread = problem.universe.alphabet.size, problem.universe.rows, plain_spread(problem.notion)
    is_alike = spread is not None and spread.slack == 0
    multiples = rows * letters ** (2 * rows - 1) * (letters - 1)
    is_between = problem.given > 0 and not problem.given.is_infinite
    is_known = is_alike or (is_scaled_by_the_law(problem.notion) and min(problem.source.probabilities) > 0)
    return is_between and is_known and letters > 1 and multiples <= MOST_MULTIPLES


def _by_lines(problem: Problem) -> tuple[Converse | None, Rational]:
    """Return the multiples that the lines need, or None where they exclude nothing, and E."""
    assert isinstance(problem.source, Prior)
    law, is_scaled = problem.source.probabilities, problem.notion.needs_source
    letters, rows = _databases(problem).alphabet.size, _databases(problem).rows
    lines = [(line, tuple(law[x] for x in line)) for line in _lines(_databases(problem))]
    if problem.asks == "distortion":
        ratio = Real.exp(problem.given).above(BITS)
    elif allowed(problem.given) * letters < rows * (letters - 1):
        ratio = _ratio_at([masses for _, masses in lines], is_scaled, allowed(problem.given))
    else:
        ratio = ONE
    if ratio <= 1:
        return None, ONE
    points = (((ONE, law),),) if is_scaled else ()
    bounds = problem.notion.constraints(problem.universe, [law] if is_scaled else []).pairwise()
    place = {(*bound.left, *bound.right): i for i, bound in enumerate(bounds)}
    found: list[tuple[int, int, Rational]] = []
    for line, masses in lines:
        prices, scales = _prices(masses, ratio, is_scaled), masses if is_scaled else (ONE,) * len(masses)
        spare = [(m - price) / (ratio * scale) for m, price, scale in zip(masses, prices, scales, strict=True)]
        step = line[1] - line[0]
        for value, first in enumerate(line):
            # Where the answer is right about a value, the others pay its price.
            room = {other: left for other, left in enumerate(spare) if other != value and left > 0}
            for _, other, multiple in transported({value: prices[value] / scales[value]}, room):
                bound = place[first, line[other]]
                found += [(bound, y, multiple) for y in range(len(law)) if y // step % len(line) == value]
    level = Real.log(ratio) if problem.asks == "loss" else None
    return Converse(ONE, ((ONE, law),), points, level, ratios=tuple(found)), ratio


def _has_divergences(problem: Problem) -> bool:
    """Return whether divergences between neighbours are bounded, at one prior of few databases of bits."""
    databases, order = _databases(problem), order_of_pairs(problem.notion)
    is_bits = isinstance(problem.source, Prior) and databases.alphabet.size == 2
    is_known = is_bits and order is not None and order.q == 1 and 1 < order <= STEEP and problem.given > 0
    return is_known and 2 * databases.rows * databases.size**2 <= MOST_MULTIPLES


def _by_tangents(problem: Problem, odds: Rational) -> Converse:
    """Return the tangents at Q_D, in each line with the multiples at which right and wrong answers are worth the same.

    With t the odds of a right answer, a = order and masses v, w, the bound of the first value beside the second has the
    multiple (B w - A v)/(B^2 - A^2), A = a (t^(a-1) - t^(1-a)) and B = (a-1) (t^a - t^(-a)), or none where that is
    negative.
    """
    assert isinstance(problem.source, Prior)
    databases, law, order = _databases(problem), problem.source.probabilities, order_of_pairs(problem.notion)
    assert order is not None
    power = int(order.p)
    near, far = order * (odds ** (power - 1) - odds ** (1 - power)), (order - 1) * (odds**power - odds**-power)
    bounds = problem.notion.constraints(databases, []).sums
    place = {bound.name: i for i, bound in enumerate(bounds)}
    multiples, slopes = [ZERO] * len(bounds), list[tuple[int, int, int, tuple[Rational, ...]]]()
    for line in _lines(databases) if odds > 1 else ():
        step = line[1] - line[0]
        for x, other in (line, line[::-1]):
            multiple = (far * law[other] - near * law[x]) / (far * far - near * near)
            if multiple > 0:
                i = place[x, other]
                multiples[i] = multiple
                places = ((y, odds if (y // step - x // step) % 2 == 0 else 1 / odds) for y in range(len(law)))
                slopes += [(i, 0, y, (ratio,)) for y, ratio in places]
    return Converse(ONE, ((ONE, law),), sums=tuple(multiples), slopes=tuple(slopes))


def _lines(databases: Databases) -> Iterator[range]:
    """Yield the databases that differ in one row alone, row by row."""
    return chain.from_iterable(databases.lines(row) for row in range(databases.rows))


def _prices(masses: Point, ratio: Rational, is_scaled: bool) -> Sequence[Rational]:
    """Return the prices of the values of a row: they add up to the mass of wrong answers that no mechanism avoids."""
    total = sum(masses, ZERO)
    if total == 0:
        return masses
    found = (joint_prices if is_scaled else row_prices)(tuple(mass / total for mass in masses), ratio)
    return [price * total for price in found]


def _ratio_at(lines: Sequence[Point], is_scaled: bool, wrong: Rational) -> Rational:
    """Return the least E at which lines allow some number of wrong rows: h^-1 of wang2016 where that is exact.

    Elsewhere it is a number hardly below, found in floats by halving.
    """
    letters = len(lines[0])
    rows = sum((sum(masses, ZERO) for masses in lines), ZERO)
    ratio = (letters - 1) * (rows - wrong) / wrong
    if sum((sum(_prices(masses, ratio, is_scaled), ZERO) for masses in lines), ZERO) == wrong:
        return ratio
    table = np.array([nearest_floats(masses) for masses in lines])
    total, least, sums = table.sum(axis=1), table.min(axis=1), np.cumsum(-np.sort(-table, axis=1), axis=1)

    def distortion(growth: float) -> float:
        if is_scaled:
            return float(np.maximum(total * (letters - 1) / (letters - 1 + growth), total - growth * least).sum())
        return float((total - (growth * sums / (growth + np.arange(letters))).max(axis=1)).sum())

    low, high, limit = 1.0, max(float(Real.of(ratio)), 1.0), float(Real.of(wrong))
    if is_scaled:
        low, high = high, max(high, float((total / least).max()))
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if distortion(middle) > limit else (low, middle)
    return Rational(*low.as_integer_ratio()) * (1 - _HAIR)


def _databases(problem: Problem) -> Databases:
    assert isinstance(problem.universe, Databases)
    return problem.universe
