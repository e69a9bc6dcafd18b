r"""Lower bounds by weak duality: the half of a proof that speaks about every mechanism at once.

Write c(x,y) = weight * p(x) * d(x,y) with p in the hull of the source. Add to it, for each constraint of the
notion, a non-negative multiple of a linear form that the constraint keeps below its bound: the excess of a ratio
bound; the gradient of a sum bound at a positive direction (a convex function that scales with the column lies
above its tangents). Every mechanism that meets the constraints then satisfies

    weight * distortion + (multipliers on bounds)  >=  sum over x of min over y of price(x, y),

because its rows are probability laws. A spread needs less: given one price lambda(x) per input, the column
condition "the sum of positive parts of (price - lambda)/scale is at least e^level times that of the negative
parts" says that no column within the spread can gain.

Everything is computed from the data of the problem and these multipliers; no solver is involved.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.notions.constraints import (
    Atom,
    Constraints,
    Exponential,
    Form,
    Maximum,
    Norm,
    Power,
    RatioBound,
    RelativeEntropy,
    Scale,
    SumBound,
)
from epstar.notions.enclosure import bits_taken, times

Point = tuple[Rational, ...]
Table = tuple[tuple[Rational, ...], ...]
Mixture = tuple[tuple[Rational, Point], ...]
BITS = 160


def mixed(mixture: Mixture) -> Point:
    """Return the law that a mixture of laws makes."""
    if len(mixture) == 1 and mixture[0][0] == 1:
        return mixture[0][1]
    size = len(mixture[0][1])
    return tuple(sum((weight * point[x] for weight, point in mixture), ZERO) for x in range(size))


@dataclass(frozen=True)
class Step:
    """Multipliers at an infinite level: the answers whose price is not the least of their input are never given.

    `weight` multiplies the distortion under `distortion_law`; `ratios` holds (bound, output, multiplier) for outputs
    that no input on the right of the bound may give.
    """

    weight: Rational
    distortion_law: Mixture
    ratios: tuple[tuple[int, int, Rational], ...] = ()


@dataclass(frozen=True)
class Converse:
    """Multipliers of a lower bound; what they multiply is said by the notion's constraints.

    `ratios` holds (bound, output, multiplier), `maxima` (sum, term, output, input, multiplier), `sums` one multiplier
    per sum bound, `slopes` (sum, term, output, place) the places at which smooth terms are linearised: the ratio
    left/right, or the direction of the column for a norm. `prices` is one number per input where the notion is a
    spread. `distortion_law` weighs members of the source; `points` are the members (mixtures of members, where the
    source is convex) at which a source-dependent notion is read. `level` is the level that is ruled out, where the
    question is which level is possible. `forced` says that the distortion allowed is the least there is and leaves
    few answers at a finite loss, by the zeros that the `steps` prove: where they make a single mechanism, or none, that
    is all, and elsewhere the multipliers speak about these answers alone. `weights` says of a law written out
    why it is a mixture of members: one weight for each point that the source lists. `relative` says that multipliers of
    sums are in units of the bounds at the level, which may be out of reach of numbers with few digits. `order` is a
    smaller order at which a notion that grows with its order is read.
    """

    weight: Rational
    distortion_law: Mixture
    points: tuple[Mixture, ...] = ()
    level: Real | None = None
    ratios: tuple[tuple[int, int, Rational], ...] = ()
    maxima: tuple[tuple[int, int, int, int, Rational], ...] = ()
    sums: tuple[Rational, ...] = ()
    slopes: tuple[tuple[int, int, int, tuple[Rational, ...]], ...] = ()
    prices: tuple[Rational, ...] | None = None
    forced: bool = False
    weights: tuple[Rational, ...] | None = None
    steps: tuple[Step, ...] = ()
    relative: bool = False
    order: Rational | None = None


@dataclass(frozen=True)
class Guarantee:
    """Every mechanism at the level satisfies weight * distortion + sum_multiplier * bound >= value.

    `strict` says that at any smaller level the left side exceeds `value` for sure.
    """

    value: Real
    strict: bool


def guarantee(
    converse: Converse,
    constraints: Constraints,
    cost: Table,
    level: Real | None,
    answers: Sequence[Collection[int]] | None = None,
) -> Guarantee:
    """Return what the multipliers prove, in exact and ball arithmetic; `check_converse` has looked at them.

    `level` is the level at which ratio bounds are read; the bounds of sums are left to the caller. With `answers`, it
    holds for the mechanisms that give each input one of its own.

    Raises:
        ProofRejected: if a level or a place is missing, or a column condition fails.
    """
    prices = distortion_prices(converse, cost)
    gains = [[ZERO] * len(cost[0]) for _ in cost]
    charge = add_ratios(converse, constraints, level, prices, gains)
    _add_maxima(converse, constraints, prices)
    if converse.prices is not None:
        charged, strict = _spread(converse.prices, constraints, level, prices)
        return Guarantee(Real.of(sum(converse.prices, ZERO) - charge - charged), strict)
    answers = [range(len(row)) for row in cost] if answers is None else answers
    if not (_has_smooth_terms(constraints) and any(converse.sums)):
        least = [min(row[y] for y in choices) for row, choices in zip(prices, answers, strict=True)]
        # Lowering the level raises a row's minimum for sure when every minimiser carries a positive gain.
        strict = any(
            all(gained[y] > 0 for y in choices if row[y] == low)
            for row, gained, choices, low in zip(prices, gains, answers, least, strict=True)
        )
        return Guarantee(Real.of(sum(least, ZERO) - charge), strict)

    @lru_cache(maxsize=2)
    def enclosed(bits: int) -> Ball:
        # At this precision whatever is in force: the next who asks may need more.
        with working_precision(bits):
            return _smooth_total(converse, constraints, prices, answers, level, bits) - charge

    return Guarantee(Real.from_ball(lambda bits: enclosed(max(bits, BITS))), False)


def sum_charge(converse: Converse, constraints: Constraints, level: Real) -> Real:
    """Return what the multipliers of the sum bounds cost at `level`."""
    relative = ZERO
    shares: dict[Scale, Rational] = {}
    for multiplier, bound in zip(_sum_multipliers(converse, constraints), constraints.sums, strict=True):
        if multiplier > 0 and converse.relative:
            relative += multiplier if _rate(bound, level) > 0 else -multiplier
        elif multiplier > 0:
            shares[bound.scale] = shares.get(bound.scale, ZERO) + multiplier
    # Pair by pair: a sum of thousands, one after the other, would be as deep as it is long.
    terms = [Real.of(relative), *(scale.bound(level) * share for scale, share in shares.items())]
    while len(terms) > 1:
        terms = [sum(terms[k + 1 : k + 2], terms[k]) for k in range(0, len(terms), 2)]
    return terms[0]


def _rate(bound: SumBound, level: Real | None) -> Rational:
    """Return the rate at which the logarithm of a bound grows, where multipliers are in units of the bound."""
    powers = all(isinstance(atom, Power) for _, atom in bound.terms)
    at_level = level is not None and not level.is_infinite
    if not at_level or not powers:
        raise ProofRejected("Multipliers in units of bounds need sums of powers and a level.")
    assert isinstance(bound.scale, Exponential)
    return bound.scale.rate


def sum_weight(converse: Converse, constraints: Constraints) -> Rational:
    """Return the total multiplier of the sum bounds."""
    return sum(_sum_multipliers(converse, constraints), ZERO)


def _sum_multipliers(converse: Converse, constraints: Constraints) -> list[Rational]:
    return list(converse.sums) if converse.sums else [ZERO] * len(constraints.sums)


def check_converse(converse: Converse, constraints: Constraints, shape: tuple[int, int]) -> None:
    """Refuse multipliers for which weak duality does not hold, whichever way what they prove is then computed.

    None is negative, each belongs to a bound, an input and an output that there are, and terms are linearised at
    positive places. `shape` is the numbers of inputs and outputs.

    Raises:
        ProofRejected: naming what is wrong.
    """
    inputs, outputs = shape
    multipliers = [
        converse.weight,
        *converse.sums,
        *(m for *_, m in converse.ratios),
        *(m for *_, m in converse.maxima),
    ]
    multipliers += [m for step in converse.steps for m in (step.weight, *(value for *_, value in step.ratios))]
    if any(multiplier < 0 for multiplier in multipliers):
        raise ProofRejected("A multiplier is negative, so weak duality does not apply.")
    if converse.prices is not None and len(converse.prices) != inputs:
        raise ProofRejected("The multipliers do not have one entry per input of the problem.")
    if converse.sums and len(converse.sums) != len(constraints.sums):
        raise ProofRejected(f"There are {len(converse.sums)} sum multipliers for {len(constraints.sums)} sum bounds.")
    used = [*converse.ratios, *(entry for step in converse.steps for entry in step.ratios)]
    if any(i >= constraints.number_of_ratios or y >= outputs for i, y, _ in used):
        raise ProofRejected("A multiplier refers to a bound or an output that the problem does not have.")
    for i, k, y, x, _ in converse.maxima:
        atom = _term(constraints, i, k)
        if not isinstance(atom, Maximum) or x not in atom.weights or y >= outputs:
            raise ProofRejected("A multiplier refers to a maximum that the notion does not have.")
    places: set[tuple[int, int, int]] = set()
    for i, k, y, place in converse.slopes:
        atom = _term(constraints, i, k)
        length = len(atom.weights) if isinstance(atom, Norm) else 1
        if atom is None or isinstance(atom, Maximum) or y >= outputs or len(place) != length:
            raise ProofRejected("A place does not fit the term that it linearises.")
        if (i, k, y) in places:
            raise ProofRejected("A term is linearised at two places.")
        places.add((i, k, y))
        if min(place) <= 0:
            raise ProofRejected("A smooth term is linearised at a place that is not positive.")


def _term(constraints: Constraints, i: int, k: int) -> Atom | None:
    """Return a term of a sum bound, None if there is none at this place."""
    terms = constraints.sums[i].terms if i < len(constraints.sums) else ()
    return terms[k][1] if k < len(terms) else None


def _has_smooth_terms(constraints: Constraints) -> bool:
    return any(not isinstance(atom, Maximum) for bound in constraints.sums for _, atom in bound.terms)


def distortion_prices(converse: Converse, cost: Table) -> list[list[Rational]]:
    law = mixed(converse.distortion_law)
    return [[converse.weight * p * d for d in row] for p, row in in_time(zip(law, cost, strict=True))]


def add_ratios(
    converse: Converse,
    constraints: Constraints,
    level: Real | None,
    prices: list[list[Rational]],
    gains: list[list[Rational]],
) -> Rational:
    """Add the excess forms of the ratio bounds to the prices; return what their slacks cost."""
    if not converse.ratios:
        return ZERO
    if level is None:
        raise ProofRejected("Ratio bounds were used, but the proof names no level for them.")
    bounds = constraints.pairwise()
    # By distance, what right sides gain: many multipliers are added up before e^level, of many digits, comes in.
    received: dict[Rational, list[list[Rational]]] = {}
    tables: dict[int, list[list[Rational]]] = {}
    for i, y, multiplier in in_time(converse.ratios):
        bound = bounds[i]
        if i not in tables:
            if bound.distance not in received:
                received[bound.distance] = [[ZERO] * len(row) for row in prices]
            tables[i] = received[bound.distance]
        for x, coefficient in bound.left.items():
            prices[x][y] += multiplier * coefficient
        for x, coefficient in bound.right.items():
            tables[i][x][y] += multiplier * coefficient
    for distance, table in received.items():
        growth = _growth(level, distance)
        for row, gained, taken in in_time(zip(prices, gains, table, strict=True)):
            for y, amount in enumerate(taken):
                row[y] -= amount * growth
                gained[y] += amount
    grown = _growth(level, ONE)
    slacks = {i: bounds[i].slack * (grown if bounds[i].slack_grows else ONE) for i in tables}
    return sum((times_paid * slacks[i] for i, times_paid in slacks_paid(converse.ratios, bounds).items()), ZERO)


def slacks_paid(ratios: Sequence[tuple[int, int, Rational]], bounds: Sequence[RatioBound]) -> dict[int, Rational]:
    """Return how many times the slack of each bound is paid for multipliers of its outputs.

    Over events the slack is shared by all outputs: the largest multiplier that one of them has in all pays for it.
    """
    shares: dict[tuple[int, int], Rational] = {}
    for i, y, multiplier in ratios:
        shares[i, y] = shares.get((i, y), ZERO) + multiplier
    paid: dict[int, Rational] = {}
    for (i, _), share in shares.items():
        known = paid.get(i, ZERO)
        paid[i] = max(known, share) if bounds[i].events else known + share
    return paid


def _growth(level: Real, distance: Rational) -> Rational:
    """Return e^(level * distance) rounded up: that enlarges the set of mechanisms, and a lower bound stays valid."""
    return Real.exp(times(level, distance)).above(BITS)


def _add_maxima(converse: Converse, constraints: Constraints, prices: list[list[Rational]]) -> None:
    used: dict[tuple[int, int, int], Rational] = {}
    sums = _sum_multipliers(converse, constraints)
    for i, k, y, x, multiplier in converse.maxima:
        weight, atom = constraints.sums[i].terms[k]
        assert isinstance(atom, Maximum)
        used[i, k, y] = used.get((i, k, y), ZERO) + multiplier
        if used[i, k, y] > weight * sums[i]:
            raise ProofRejected("The multipliers of one maximum exceed the multiplier of its sum.")
        prices[x][y] += multiplier * atom.weights[x]


def _spread(
    row_prices: Sequence[Rational], constraints: Constraints, level: Real | None, prices: list[list[Rational]]
) -> tuple[Rational, bool]:
    spread = constraints.spread
    if spread is None or level is None:
        raise ProofRejected("Row prices need a notion that bounds all pairs of inputs, and a level.")
    ratio = Real.exp(level).above(BITS)
    charge, strict = ZERO, True
    for y in range(len(prices[0])):
        above, below = ZERO, ZERO
        for x, price in enumerate(row_prices):
            difference = (prices[x][y] - price) / spread.scales[x]
            if difference > 0:
                above += difference
            else:
                below -= difference
        if above < ratio * below:
            raise column_failure(y)
        strict = strict and (below > 0 or above > 0)
        charge += below * spread.slack
    # At a smaller level every column has room, so one price can rise; it must gain more than its slack costs.
    cheap = any(
        spread.slack * sum(prices[x][y] <= price for y in range(len(prices[0]))) < spread.scales[x]
        for x, price in enumerate(row_prices)
    )
    return charge, strict and cheap


def column_failure(output: int) -> ProofRejected:
    """Return the error for row prices that a column within the spread could beat."""
    return ProofRejected(f"The column condition fails for output {output}: the row prices are too high.")


def _smooth_total(
    converse: Converse,
    constraints: Constraints,
    prices: list[list[Rational]],
    answers: Sequence[Collection[int]],
    level: Real | None,
    bits: int,
) -> Ball:
    outputs = len(prices[0])
    places = {(i, k, y): place for i, k, y, place in converse.slopes}
    orders = {atom.order for bound in constraints.sums for _, atom in bound.terms if isinstance(atom, Power | Norm)}
    precision = bits + max(map(bits_taken, orders), default=0)
    with working_precision(precision):
        total = [[ball(price) for price in row] for row in prices]
        used = [(i, bound) for i, bound in enumerate(constraints.sums) if converse.sums and converse.sums[i] > 0]
        units = {
            i: level.enclose(precision) * _rate(bound, level) if converse.relative and level is not None else ball(ZERO)
            for i, bound in used
        }
        for y in in_time(range(outputs)):
            slopes: list[tuple[Form, Ball]] = []
            for i, bound in used:
                for k, (weight, atom) in enumerate(bound.terms):
                    if isinstance(atom, Maximum):
                        continue
                    if (i, k, y) not in places:
                        raise ProofRejected("A smooth term is used without a place at which to linearise it.")
                    share = converse.sums[i] * weight
                    slopes += [(form, slope * share) for form, slope in _slopes(atom, places[i, k, y], units[i])]
            for x, slope in _by_input(slopes).items():
                total[x][y] += slope
        result = ball(ZERO)
        for row, choices in zip(total, answers, strict=True):
            least, *others = (row[y] for y in choices)
            for value in others:
                least = least.min(value)
            result += least
        return result


def gradient(atom: Atom, place: tuple[Rational, ...], unit: Ball | None = None) -> dict[int, Ball]:
    """Return the gradient of a smooth atom at a place, as balls at the working precision.

    That of a power is in units of e^unit.
    """
    return _by_input(_slopes(atom, place, unit))


_Slopes = Sequence[tuple[Form, Ball]]


def _slopes(atom: Atom, place: tuple[Rational, ...], unit: Ball | None) -> _Slopes:
    """Return the gradient of a smooth atom as a sum of forms, each times a slope."""
    if isinstance(atom, Norm):
        return [({x: ONE}, slope) for x, slope in _norm_gradient(atom, place).items()]
    (ratio,) = map(ball, place)
    if isinstance(atom, RelativeEntropy):
        return [(atom.left, ratio.log() + 1), (atom.right, -ratio)]
    assert isinstance(atom, Power)
    order = ball(atom.order)
    sign = 1 if atom.order > 1 else -1
    exponent = ratio.log() * (order - 1)
    power = (exponent if unit is None else exponent - unit).exp()
    return [(atom.left, sign * order * power), (atom.right, sign * (1 - order) * power * ratio)]


def _by_input(slopes: _Slopes) -> dict[int, Ball]:
    """Return what forms times slopes add up to at each input; terms often share a form, such as the law."""
    forms: dict[int, tuple[Form, Ball]] = {}
    for form, slope in slopes:
        known = forms.get(id(form))
        forms[id(form)] = form, slope if known is None else known[1] + slope
    total: dict[int, Ball] = {}
    for form, slope in forms.values():
        for x, coefficient in form.items():
            total[x] = total.get(x, ball(ZERO)) + slope * coefficient
    return total


def _norm_gradient(atom: Norm, column: tuple[Rational, ...]) -> dict[int, Ball]:
    order = ball(atom.order)
    powers = [ball(entry) ** (order - 1) for entry in column]
    total = ball(ZERO)
    for power, entry, weight in zip(powers, column, atom.weights.values(), strict=True):
        total += power * entry * weight
    scale = total ** (1 / order - 1) * (1 if atom.order > 1 else -1)
    return {x: scale * power * weight for power, (x, weight) in zip(powers, atom.weights.items(), strict=True)}
