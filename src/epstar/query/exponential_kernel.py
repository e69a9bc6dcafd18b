"""The exponential kernel K[y][z] = E^-distance(y, z) of an answer graph, and mechanisms M[y][z] = K[y][z] a[z].

E = e^level is the ratio that a privacy level in nats allows between neighbours, in rationals.

By the triangle inequality such a mechanism loses exactly log E; its rows are distributions when K a = 1. On a path it
is the truncated geometric mechanism, where all spheres are alike it is a = 1/S.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epstar.arguments import check_kind
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import AnyMechanism, Mechanism, StructuredMechanism
from epstar.query.answer_graph import Shape

_BITS = 128
# e^level beyond this would have thousands of digits.
_LARGEST = 10_000


@dataclass(frozen=True)
class Ratios:
    """Rationals on both sides of E = e^level: equal when the level is the logarithm of a rational.

    A mechanism made for `below` keeps the level; a bound proven for `above` holds at the level.
    """

    below: Rational
    above: Rational

    @property
    def is_exact(self) -> bool:
        """Whether E is itself a rational."""
        return self.below == self.above


def ratios(level: object) -> Ratios:
    """Return rationals around e^level, 128 bits apart at most.

    Raises:
        InvalidInput: for a level that is negative, infinite or no number.

    >>> ratios("log(3/2)").below
    3/2
    """
    real = Real.of(level)
    if real.is_infinite:
        raise InvalidInput("An infinite level puts no bound on the answer; give a finite one.")
    if real < 0:
        raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
    if real > _LARGEST:
        raise InvalidInput(
            f"A level beyond {_LARGEST} nats protects nothing that anybody could see; give a smaller one."
        )
    ratio = Real.exp(real)
    return Ratios(max(ONE, ratio.below(_BITS)), ratio.above(_BITS))


Vector = tuple[Rational, ...]
# Up to this many answers a mechanism is written out.
DENSE_ANSWERS = 256
# Exact elimination on more answers than this would take minutes.
SOLVE_LIMIT = 96


def different(vector: Sequence[Rational]) -> list[Rational]:
    """Return the entries, those that are one object once: a million equal weights may have long digits."""
    return list({id(entry): entry for entry in vector}.values())


def total(vector: Sequence[Rational]) -> Rational:
    """Return the sum of the entries, by one multiplication for those that are one object."""
    counts = Counter(map(id, vector))
    return sum_of([entry * counts[id(entry)] for entry in different(vector)])


@dataclass(frozen=True, init=False, eq=False, repr=False)
class KernelMechanism(StructuredMechanism):
    """M[y][z] = E^-distance(y, z) a[z] on the answers of a graph, never expanded.

    Meant for graphs too large to write out; the closed forms that make it have shown that its rows are distributions.

    >>> from epstar import Query, optimal_oblivious
    >>> best = optimal_oblivious(Query.named("count", individuals=100_000, values=2), 1)
    >>> type(best.mechanism).__name__, best.mechanism.shape
    ('KernelMechanism', (100001, 100001))
    """

    answers: Shape
    ratio: Rational
    weights: Vector

    def __init__(self, answers: Shape, ratio: Rational, weights: Vector) -> None:
        check_kind(answers, Shape, "The answers of a kernel mechanism", "a shape such as that of a query")
        object.__setattr__(self, "universe", answers)
        object.__setattr__(self, "outputs", answers.answers)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "weights", weights)

    def _entry(self, x: int, y: int) -> Rational:
        return self.weights[y] * kernel_entry(self.answers, self.ratio, x, y)

    def _hamming_costs(self) -> Vector:
        return tuple(ONE - weight for weight in self.weights)

    @property
    def worst_ratio(self) -> Rational:
        """The ratio E where there are neighbours: a row has a positive entry, and E is its ratio one step away."""
        return self.ratio if self.answers.edge_count else ONE

    def _expanded(self) -> Mechanism:
        """The matrix, on a `Graph` with its edges listed."""
        size = self.answers.size
        rows = [[self._entry(x, y) for y in range(size)] for x in range(size)]
        return Mechanism(rows, self.answers.graph(), tuple(self.answers.answers))

    def to_json(self) -> dict[str, object]:
        """Return the matrix written out, below the usual limit."""
        return self.dense().to_json()

    def _key(self) -> tuple[object, ...]:
        return id(self.answers), self.ratio, self.weights


def kernel_entry(shape: Shape, ratio: Rational, y: int, z: int) -> Rational:
    """Return E^-distance(y, z), which is 0 where there is no path."""
    steps = shape.steps(y, z)
    return ZERO if steps is None else ONE / ratio**steps


def kernel_mechanism(shape: Shape, ratio: Rational, weights: Vector) -> AnyMechanism:
    """Return the mechanism K[y][z] a[z], written out (and its rows checked) up to 256 answers."""
    structured = KernelMechanism(shape, ratio, weights)
    return structured.dense() if shape.size <= DENSE_ANSWERS else structured


def neighbours_on_a_line(ratio: Rational, weights: Vector) -> Iterator[Rational]:
    """Yield, for each two neighbouring answers on a line, the sum over outputs of the larger of their entries.

    Outputs to the left are likelier under the left answer and the others under the right one, so that two running
    sums do. Those of the truncated geometric mechanism stay the same number throughout.
    """
    q = ONE / ratio
    right = [ZERO] * len(weights)
    running = ZERO
    for y in range(len(weights) - 1, 0, -1):
        running = right[y] = running * q + weights[y]
    running = ZERO
    for y in range(len(weights) - 1):
        running = running * q + weights[y]
        yield running + right[y + 1]


def neighbours_on_a_ring(ratio: Rational, size: int) -> Rational:
    """Return the same sum for any two neighbours on a ring of equal weights 1/S.

    Half of the outputs are nearer to one of them, at distances 0, 1, ..., and on an odd ring one is equally far. On
    an even ring the sum is 2E/(1 + E), whatever the number of answers.

    >>> neighbours_on_a_ring(Rational(2), 6), neighbours_on_a_ring(Rational(2), 5)
    (4/3, 13/10)
    """
    q = ONE / ratio
    half, is_odd = divmod(size, 2)
    if not is_odd or q == ONE:
        return 2 / (ONE + q)
    power = q**half
    return (2 - power - power * q) / (ONE + q - 2 * power * q)


def tree_solution(shape: Shape, ratio: Rational, vector: Sequence[Rational]) -> Vector:
    """Return K^-1 times a vector on a tree, for E > 1, in a few operations per answer.

    On a tree K^-1 is sparse: (1 + (degree - 1) q^2) / (1 - q^2) on the diagonal and -q / (1 - q^2) on edges,
    with q = 1/E. Source: the inverse of the exponential distance matrix of a tree; checked in the tests.
    """
    q = ONE / ratio
    degrees = shape.degrees().tolist()
    scale = ONE / (ONE - q * q)
    if len(different(vector)) == 1:
        # One number per degree: a million equal entries are multiplied once.
        per_degree = {degree: vector[0] * (ONE + (degree - 1) * q * q - degree * q) * scale for degree in set(degrees)}
        return tuple(per_degree[degree] for degree in degrees)
    around = [ZERO] * shape.size
    for i, j in shape.edges().tolist():
        around[i] += vector[j]
        around[j] += vector[i]
    return tuple(
        (entry * (ONE + (degree - 1) * q * q) - q * near) * scale
        for entry, degree, near in zip(vector, degrees, around, strict=True)
    )


def dense_solutions(shape: Shape, ratio: Rational, vectors: Sequence[Sequence[Rational]]) -> list[Vector] | None:
    """Return K^-1 times each vector by exact elimination; None if K is singular or a solution is negative.

    Floats look first, so that the exact work is done only where it will be of use.

    Raises:
        InvalidInput: beyond 96 answers.
    """
    size = shape.size
    if size > SOLVE_LIMIT:
        raise InvalidInput(f"The kernel of {size} answers is too large to invert exactly; use the program.")
    kernel = [[kernel_entry(shape, ratio, y, z) for z in range(size)] for y in range(size)]
    floats = np.array([nearest_floats(row) for row in kernel])
    try:
        tried = np.linalg.solve(floats, np.array([nearest_floats(vector) for vector in vectors]).T)
    except np.linalg.LinAlgError:
        return None
    if np.isfinite(tried).all() and tried.min() < -1e-6 * max(1.0, float(np.abs(tried).max())):
        return None
    rows = [[*row, *(vector[y] for vector in vectors)] for y, row in enumerate(kernel)]
    for column in range(size):
        pivot = next((y for y in range(column, size) if rows[y][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [entry / head for entry in rows[column]]
        for y in range(size):
            factor = rows[y][column]
            if y != column and factor != 0:
                rows[y] = [a - factor * b for a, b in zip(rows[y], rows[column], strict=True)]
    solutions = [tuple(rows[y][size + k] for y in range(size)) for k in range(len(vectors))]
    return solutions if all(min(solution) >= 0 for solution in solutions) else None
