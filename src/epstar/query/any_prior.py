"""Bounds on the least loss for any set of priors on databases, by how even the evenest is (zhong2022, Theorem 6)."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Interval, Number, Rational, Real, rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar.mechanism import symmetric_mechanism
from epstar.names import full_name
from epstar.notions import DifferentialPrivacy, MaximalInformation, MaximalLeakage, Notion, from_problem
from epstar.source import Finite, Hull, Prior, Source

Point = tuple[Rational, ...]


def evenness(source: Source | Sequence[Number]) -> Rational:
    """Return theta* = size * max over priors of the least probability: 1 if the uniform prior is possible.

    Probabilities alone are a prior.

    Raises:
        InvalidInput: for a region given by inequalities; name its corners.

    >>> str(evenness(Hull([["0.9", "0.1"], ["0.2", "0.8"]]))), str(evenness(["3/4", "1/4"]))
    ('1', '1/2')
    """
    source = source if isinstance(source, Source) else Prior(source)
    if isinstance(source, Prior):
        return source.size * min(source.probabilities)
    if isinstance(source, Finite):
        return source.size * max(min(law) for law in source.points)
    if source.contains(source.uniform):
        return ONE
    if not isinstance(source, Hull):
        raise InvalidInput("How even a region is follows from its corners; give them as a hull.")
    laws, size, count = source.points, source.size, len(source.points)
    matrix = tuple((*(-law[x] for law in laws), ONE) for x in range(size))
    system = LinearSystem(count + 1, matrix, (ZERO,) * size, ((ONE,) * count + (ZERO,),), (ONE,))
    optimum = system.maximise([ZERO] * count + [ONE])
    assert isinstance(optimum, Optimum), "the weights form a simplex"
    return size * optimum.value


def any_prior_bounds(
    notion: Notion | str, source: Source | Sequence[Number], letters: int, rows: int, distortion: Number
) -> Interval:
    """Return an interval around the least loss at a distortion, whatever the priors of whole databases are.

    Its upper end is what Q_D loses, which has this distortion under every prior (`symmetric_mechanism`). Its lower end
    is that of zhong2022, Theorem 6(1), (3) and (4), for differential privacy, maximal information and maximal leakage;
    0 for others.

    Raises:
        InvalidInput: if the source is about another number of databases, or the distortion is not positive.

    >>> found = any_prior_bounds("dp", ["1/4"] * 4, letters=2, rows=2, distortion="1/2")
    >>> str(found.lower), str(found.upper)
    ('log(3)', 'log(3)')
    """
    wrong, source = rational(distortion), source if isinstance(source, Source) else Prior(source)
    notion = from_problem({"name": full_name(notion)}) if isinstance(notion, str) else notion
    if source.size != letters**rows:
        raise InvalidInput(
            f"{rows} rows over {letters} categories have {letters**rows} databases, and the source {source.size}; "
            "make them agree."
        )
    if not 0 < wrong <= rows:
        raise InvalidInput(f"The distortion must be positive and at most {rows}, the number of rows.")
    theta, least = evenness(source), ZERO
    if isinstance(notion, DifferentialPrivacy):
        least = (letters - 1) * (theta * rows - wrong) / wrong
    elif isinstance(notion, MaximalLeakage | MaximalInformation) and theta > 0:
        least = letters * (1 - wrong / (theta * rows))
    upper = notion.loss(symmetric_mechanism(letters, rows, wrong), source).upper
    assert upper is not None, "the mechanism is exact"
    return Interval(Real.log(max(ONE, least)), upper)
