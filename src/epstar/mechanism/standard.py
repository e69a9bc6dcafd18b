"""The mechanisms that everybody knows, with their matrices written out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import gcd, lcm

from epstar.arguments import whole_number
from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational, Real
from epstar.exact.vectors import sum_of
from epstar.mechanism.dense import Mechanism
from epstar.mechanism.parsing import read_ratio
from epstar.probability_vectors import Numbers, law
from epstar.universe import Graph, Universe

# Powers of 128-bit numbers beyond this would be long enough to wait for.
_MOST_STEPS = 1 << 12


def identity(universe: Universe) -> Mechanism:
    """Return the mechanism that gives its input away.

    >>> from epstar import Alphabet, MaximalLeakage
    >>> from epstar.mechanism import identity
    >>> str(MaximalLeakage().loss(identity(Alphabet(3))).upper)
    'log(3)'
    """
    size = universe.size
    return Mechanism([[ONE if x == y else ZERO for y in range(size)] for x in range(size)], universe)


def constant(universe: Universe, outputs: Sequence[Hashable], probabilities: Numbers) -> Mechanism:
    """Return the mechanism whose output follows one distribution whatever the input: it loses nothing.

    >>> from epstar import Alphabet, DifferentialPrivacy
    >>> from epstar.mechanism import constant
    >>> DifferentialPrivacy().loss(constant(Alphabet(3), ["a", "b"], ["1/2", "1/2"])).value
    0.0
    """
    row = law(probabilities, "The output distribution")
    return Mechanism([row] * universe.size, universe, outputs)


def randomised_response(universe: Universe, level: Number | None = None, *, ratio: Number | None = None) -> Mechanism:
    """Return the mechanism that keeps its input with probability E / (E + m - 1), else names another evenly.

    E = e^level is given as the `ratio` or by the `level` in nats, a number or a `Real`. An irrational E is
    replaced by a dyadic rational below it (128 bits), so that the loss never exceeds the level.

    Raises:
        InvalidInput: for a negative level, a ratio below 1, both or neither.

    >>> str(randomised_response(Graph.clique(3), ratio=4).entry(0, 0))
    '2/3'
    """
    exact = _ratio_of(level, ratio)
    kept = exact / (exact + universe.size - 1)
    other = kept / exact
    size = universe.size
    return Mechanism([[kept if x == y else other for y in range(size)] for x in range(size)], universe)


def _ratio_of(level: Number | None, ratio: Number | None) -> Rational:
    if (level is None) == (ratio is None):
        raise InvalidInput("Randomised response needs a level or a ratio, and not both; give one of them.")
    if ratio is not None:
        return read_ratio(ratio)
    real = Real.of(level)
    if real < 0:
        raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
    if real.is_infinite:
        raise InvalidInput("Randomised response with an infinite level is the identity; use `identity`.")
    return max(ONE, Real.exp(real).below())


def geometric(size: int, ratio: Number) -> Mechanism:
    """Return the truncated geometric mechanism on a line of `size` answers.

    Inside, Q(y|x) = (E-1)/(E+1) E^-|x-y|; the two ends collect what would fall outside, which makes them
    E^-|x-y| E/(E+1). Neighbouring answers differ by the ratio E exactly (alvim2011, Example 3).

    >>> [str(p) for p in geometric(3, 2).rows[0]]
    ['2/3', '1/6', '1/6']
    """
    whole_number(size, "The number of answers", 2)
    exact = read_ratio(ratio)
    inner, end = (exact - 1) / (exact + 1), exact / (exact + 1)
    last = size - 1
    rows = [[(end if y in (0, last) else inner) / exact ** abs(x - y) for y in range(size)] for x in range(size)]
    return Mechanism(rows, Graph.line(size))


def exponential(universe: Universe, distortion: Distortion, level: Number) -> Mechanism:
    """Return the exponential mechanism: Q(y|x) in proportion to e^(-level d(x, y) / (2 S)).

    S is the sensitivity, the most by which the cost d of an output differs between two neighbours, per unit of
    their distance. Costs are whole multiples of some rational, so that every weight is a power of one number; where
    that is irrational a dyadic rational above it (128 bits) is used, and the loss never exceeds the level.

    Raises:
        InvalidInput: for a level that is negative or infinite, or costs with too fine a common unit.

    >>> from epstar.distortion import Hamming
    >>> exponential(Graph.clique(3), Hamming(), "log(4)").floats[0].tolist()
    [0.5, 0.25, 0.25]
    """
    real = Real.of(level)
    if real < 0 or real.is_infinite:
        raise InvalidInput(f"The level {real} is not a finite loss; give a number of at least 0.")
    costs = distortion.matrix(universe)
    outputs = distortion.outputs(universe)
    pairs = universe.pairs()
    apart = [ONE] * len(pairs) if pairs.distance is None else pairs.distance
    sensitivity = max(
        (
            abs(here - there) / distance
            for x, other, distance in zip(pairs.first.tolist(), pairs.second.tolist(), apart, strict=True)
            for here, there in zip(costs[x], costs[other], strict=True)
        ),
        default=ZERO,
    )
    if sensitivity == 0:
        return constant(universe, outputs, [Rational(1, len(outputs))] * len(outputs))
    unit, steps = _in_units(costs)
    base = min(ONE, Real.exp(real * (-unit / (2 * sensitivity))).above())
    powers = {step: base**step for row in steps for step in row}
    weights = [[powers[step] for step in row] for row in steps]
    totals = [sum_of(row) for row in weights]
    rows = [[weight / total for weight in row] for row, total in zip(weights, totals, strict=True)]
    return Mechanism(rows, universe, outputs)


def _in_units(costs: Sequence[Sequence[Rational]]) -> tuple[Rational, list[list[int]]]:
    """Return a rational of which every cost, less the least of all, is a whole multiple, and the multiples."""
    least = min(min(row) for row in costs)
    shifted = [[cost - least for cost in row] for row in costs]
    denominator = lcm(*(int(cost.q) for row in shifted for cost in row))
    whole = [[int((cost * denominator).p) for cost in row] for row in shifted]
    divisor = gcd(*(cost for row in whole for cost in row)) or 1
    steps = [[cost // divisor for cost in row] for row in whole]
    if max(max(row) for row in steps) > _MOST_STEPS:
        raise InvalidInput("The costs have too fine a common unit for exact powers; round them.")
    return Rational(divisor, denominator), steps
