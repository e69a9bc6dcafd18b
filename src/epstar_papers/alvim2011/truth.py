"""What is true: values that epstar proves from the definitions, never from a formula of the paper.

Leakages are in bits, as the paper states them; utilities are chances.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from epstar.distortion import Gain
from epstar.exact import ONE, ZERO, Interval, Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import AnyMechanism
from epstar.notions import DifferentialPrivacy, MinEntropyLeakage
from epstar.query.bounds import in_bits
from epstar.query.optimum import Optimum, optimal_oblivious
from epstar.query.remap import remap
from epstar.source import Prior
from epstar.universe import Databases, Graph, Universe

Distribution = tuple[Rational, ...]
Edges = tuple[tuple[int, int], ...]


def bits(factor: Rational) -> Real:
    """Return the binary logarithm of a factor."""
    return in_bits(Real.log(factor))


def interval_in_bits(interval: Interval, factor: Rational = ONE) -> Interval:
    """Return the binary logarithms of the ends of an interval of rationals, times a factor."""
    low, high = interval.lower.rational, interval.upper.rational
    assert low is not None, "the programs have rational optima"
    assert high is not None, "the programs have rational optima"
    return Interval(bits(low * factor), bits(high * factor))


def uniform(size: int) -> Distribution:
    """Return the uniform distribution."""
    return (Rational(1, size),) * size


def gain_in_chance(mechanism: AnyMechanism, distribution: Sequence[Rational] | None = None) -> Rational:
    """Return the factor by which the output raises the chance of guessing the input: 2 to the leakage in bits."""
    chances = uniform(mechanism.shape[0]) if distribution is None else tuple(distribution)
    loss = MinEntropyLeakage().loss(mechanism, Prior(chances)).upper
    assert loss is not None, "exact mechanisms have exact losses"
    factor = Real.exp(loss).rational
    assert factor is not None, "the leakage is the logarithm of a rational"
    return factor


def leakage(mechanism: AnyMechanism, distribution: Sequence[Rational] | None = None) -> Real:
    """Return the min-entropy leakage in bits, for the uniform distribution unless one is given."""
    return bits(gain_in_chance(mechanism, distribution))


def min_entropy(distribution: Sequence[Rational]) -> Real:
    """Return the min-entropy in bits: what a channel that reveals its input leaks."""
    from epstar.mechanism import identity
    from epstar.universe import Alphabet

    return leakage(identity(Alphabet(len(distribution))), distribution)


def capacity(mechanism: AnyMechanism) -> Rational:
    """Return the largest gain in chance over all distributions of the input.

    Where one input is the likeliest the leakage is quasi-convex in the prior, so that the corners decide: they are the
    uniform distributions on the sets of inputs.
    """
    size = mechanism.shape[0]
    distributions = (
        tuple(Rational(x in kept, count) for x in range(size))
        for count in range(1, size + 1)
        for kept in combinations(range(size), count)
    )
    return max(gain_in_chance(mechanism, distribution) for distribution in distributions)


def ratio_of(mechanism: AnyMechanism) -> Rational | None:
    """Return the largest ratio between neighbouring inputs, by definition; None if it is infinite."""
    loss = DifferentialPrivacy().loss(mechanism).upper
    assert loss is not None, "exact mechanisms have exact losses"
    return None if loss.is_infinite else Real.exp(loss).rational


def keeps(mechanism: AnyMechanism, ratio: Rational) -> bool:
    """Return whether a mechanism is private with this ratio between neighbours."""
    found = ratio_of(mechanism)
    return found is not None and found <= ratio


@lru_cache(maxsize=4096)
def best(size: int, edges: Edges, ratio: Rational, distribution: Distribution | None = None) -> Optimum:
    """Return the best utility on a graph, by the program alone: no closed form is used."""
    return optimal_oblivious(Graph(size, list(edges)), Real.log(ratio), distribution, method="program")


def best_utility(graph: Graph, ratio: Rational, distribution: Distribution | None = None) -> Interval:
    """Return the interval of `best`."""
    return best(graph.size, edges_of(graph), ratio, distribution).interval


def edges_of(graph: Graph) -> Edges:
    """Return the edges of a graph as pairs of places."""
    pairs = graph.pairs()
    return tuple(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


def utility(mechanism: AnyMechanism, distribution: Sequence[Rational] | None = None) -> Rational:
    """Return the chance of guessing the input from the output, with the best remapping."""
    return remap(mechanism, distribution).utility


@lru_cache(maxsize=4096)
def _most(universe: Universe, ratio: Rational, gain: Gain, distribution: Distribution) -> Interval:
    problem = Frontier(DifferentialPrivacy(), Prior(distribution), gain, universe=universe)
    return problem.distortion_at(loss=Real.log(ratio), method="program").interval


@lru_cache(maxsize=4096)
def database_utility(
    individuals: int, values: int, ratio: Rational, distribution: Distribution | None = None
) -> Interval:
    """Return the best chance of guessing the database over all private mechanisms: one program."""
    databases = Databases(values, individuals)
    chances = uniform(databases.size) if distribution is None else distribution
    gain = Gain([[ONE if x == z else ZERO for z in range(databases.size)] for x in range(databases.size)])
    return _most(databases, ratio, gain, chances)


def database_leakage(
    individuals: int, values: int, ratio: Rational, distribution: Distribution | None = None
) -> Interval:
    """Return the largest leakage about the database over all private mechanisms, in bits.

    The best chance of guessing the database, against the chance without the output.
    """
    before = Rational(1, values**individuals) if distribution is None else max(distribution)
    return interval_in_bits(database_utility(individuals, values, ratio, distribution), ONE / before)


@lru_cache(maxsize=4096)
def telling_rows(individuals: int, values: int, rows: tuple[int, ...], ratio: Rational) -> Interval:
    """Return the largest sum of M[rows[j]][j] over private mechanisms with one output for each of the rows."""
    databases = Databases(values, individuals)
    size = databases.size
    gain = Gain([[Rational(size) if x == row else ZERO for row in rows] for x in range(size)])
    return _most(databases, ratio, gain, uniform(size))


@lru_cache(maxsize=4096)
def range_leakage(individuals: int, values: int, outputs: int, ratio: Rational) -> Interval:
    """Return the largest leakage with at most `outputs` outputs, in bits: one program for each set of rows.

    Columns with their maximum in the same row can be merged, so that different rows suffice; by symmetry the first
    database is one of them.
    """
    size: int = values**individuals
    kept = min(outputs, size)
    found = [
        telling_rows(individuals, values, (0, *others), ratio) for others in combinations(range(1, size), kept - 1)
    ]
    most = max(found, key=lambda interval: interval.upper.upper)
    return interval_in_bits(most)


def individual_leakage(individuals: int, values: int, ratio: Rational) -> Interval:
    """Return the largest leakage about the last individual when the others are known, in bits.

    Which values the others have makes no difference, by symmetry.
    """
    return interval_in_bits(telling_rows(individuals, values, tuple(range(values)), ratio))
