"""The constructions of the paper as functions: square matrices, equal diagonals, orbit averages, rings.

The matrices of the examples and Theorem 4 are in `epstar.query.gallery` and `epstar.query.baselines`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.query.baselines import doubled_ring
from epstar.query.closed_forms import constant_spheres
from epstar.query.exponential_kernel import ratios
from epstar.universe import Databases, Graph

Permutation = tuple[int, ...]
_MOST_NODES = 12


def square_with_maxima_on_the_diagonal(mechanism: Mechanism) -> Mechanism:
    """Return a square mechanism with the same capacity whose column maxima are on the diagonal: Lemma 1.

    Columns with their maximum in the same row are added up. A row that no column needs gets a column of zeros, so
    that fewer outputs than inputs are welcome as well.

    >>> square_with_maxima_on_the_diagonal(Mechanism([["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"]])).rows
    ((1/2, 1/2), (1/3, 2/3))
    """
    size = mechanism.shape[0]
    columns = [[ZERO] * size for _ in range(size)]
    for z in range(mechanism.shape[1]):
        column = mechanism.column(z)
        home = columns[column.index(max(column))]
        for y, entry in enumerate(column):
            home[y] += entry
    return Mechanism(list(zip(*columns, strict=True)), mechanism.universe)


def averaged_over_distances(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism whose entries are averages over all pairs of databases at the same distance: Lemma 2.

    Raises:
        InvalidInput: unless the inputs are databases and there are as many outputs.
    """
    databases = mechanism.universe
    if not isinstance(databases, Databases) or mechanism.shape[0] != mechanism.shape[1]:
        raise InvalidInput("Averages over distances need databases as inputs and as outputs; use a square mechanism.")
    size = databases.size
    apart = [[int(databases.distance(i, j).p) for j in range(size)] for i in range(size)]
    totals = [ZERO] * (databases.rows + 1)
    for i, row in enumerate(mechanism.rows):
        for j, entry in enumerate(row):
            totals[apart[i][j]] += entry
    shares = [total / (size * databases.sphere_size(d)) for d, total in enumerate(totals)]
    return Mechanism([[shares[d] for d in row] for row in apart], databases)


def averaged_over_group(mechanism: Mechanism, group: Sequence[Permutation]) -> Mechanism:
    """Return the average of M[s(h)][s(k)] over the automorphisms s of a group.

    Lemma 5 takes the powers of one automorphism; any group serves, and a transitive one makes the diagonal constant.
    """
    size = mechanism.shape[0]
    if mechanism.shape[1] != size or any(sorted(step) != list(range(size)) for step in group):
        raise InvalidInput("A square mechanism and permutations of its inputs are needed.")
    share = Rational(1, len(group))
    rows = [
        [share * sum((mechanism.entry(step[h], step[k]) for step in group), ZERO) for k in range(size)]
        for h in range(size)
    ]
    return Mechanism(rows, mechanism.universe)


def averaged_over_orbit(mechanism: Mechanism, automorphism: Permutation) -> Mechanism:
    """Return the average over the powers of an automorphism: Lemma 5."""
    return averaged_over_group(mechanism, powers(automorphism))


def powers(step: Permutation) -> tuple[Permutation, ...]:
    """Return all the powers of a permutation, the identity first.

    Raises:
        InvalidInput: if some place is reached twice.
    """
    if sorted(step) != list(range(len(step))):
        raise InvalidInput("An automorphism is a permutation of the inputs; name each place once.")
    found = [tuple(range(len(step)))]
    while (after := tuple(step[place] for place in found[-1])) != found[0]:
        found.append(after)
    return tuple(found)


def single_orbit_automorphism(graph: Graph) -> Permutation | None:
    """Return an automorphism that moves every node through all the others, None if there is none.

    Searched as an order of the nodes around a circle in which the distance depends on the difference of places.

    Raises:
        InvalidInput: for more than 12 nodes.

    >>> single_orbit_automorphism(Graph.ring(5)), single_orbit_automorphism(Graph.line(3))
    ((1, 2, 3, 4, 0), None)
    """
    size = graph.size
    if size > _MOST_NODES:
        raise InvalidInput(f"Automorphisms are searched among at most {_MOST_NODES} nodes; use a smaller graph.")
    steps = graph.distances.tolist()

    def extended(circle: list[int]) -> list[int] | None:
        place = len(circle)
        if place == size:
            closes = all(steps[circle[k]][circle[0]] == steps[circle[k - 1]][circle[-1]] for k in range(1, size))
            return circle if closes else None
        for node in range(size):
            if node not in circle and all(
                steps[circle[k]][node] == steps[circle[k - 1]][circle[-1]] for k in range(1, place)
            ):
                found = extended([*circle, node])
                if found is not None:
                    return found
        return None

    circle = extended([0])
    if circle is None:
        return None
    after = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    return tuple(after[node] for node in range(size))


def projection(individuals: int, values: int, kept: int, rows: Sequence[int]) -> tuple[int, ...] | None:
    """Return places in Val^kept for v^kept databases such that each pair comes at most u - kept closer, else None.

    What the proof of Lemma 3 needs of its projection; by exhaustive search. Without it no relation on these rows
    gives point 1 of the lemma.
    """
    large, small = Databases(values, individuals), Databases(values, kept)
    slack = individuals - kept
    needed = [[int(large.distance(i, j).p) - slack for j in rows] for i in rows]
    apart = [[int(small.distance(i, j).p) for j in range(small.size)] for i in range(small.size)]

    def extended(images: list[int]) -> tuple[int, ...] | None:
        place = len(images)
        if place == len(rows):
            return tuple(images)
        for image in range(small.size):
            if image not in images and all(apart[image][images[k]] >= needed[place][k] for k in range(place)):
                found = extended([*images, image])
                if found is not None:
                    return found
        return None

    # Val^kept looks the same from each of its points, so that the first row may go to the first one.
    return extended([0])


def relaxed_square(individuals: int, values: int, kept: int, ratio: Rational, diagonal: Rational) -> Mechanism:
    """Return a square matrix on Val^kept with the points of Lemma 3 and this diagonal.

    A mixture of the extreme one, a E^-(u - l + d) off the diagonal, and of the uniform one.

    Raises:
        InvalidInput: if the diagonal is below 1/v^l or above what Proposition 2 allows.
    """
    small = Databases(values, kept)
    q = ONE / ratio
    far = [q ** (individuals - kept + d) for d in range(kept + 1)]
    spread = sum((small.sphere_size(d) * far[d] for d in range(1, kept + 1)), ZERO)
    most, least = ONE / (ONE + spread), Rational(1, small.size)
    if not least <= diagonal <= most:
        raise InvalidInput(f"The diagonal must lie between {least} and {most}, not {diagonal}.")
    weight = (diagonal - least) / (most - least) if most > least else ZERO
    rows = [
        [
            weight * most * (ONE if i == j else far[int(small.distance(i, j).p)]) + (ONE - weight) * least
            for j in range(small.size)
        ]
        for i in range(small.size)
    ]
    return Mechanism(rows, small)


@dataclass(frozen=True, eq=False)
class EvenRing:
    """Two mechanisms on a ring of an even number of answers, and what each is worth for uniform answers.

    `doubled` is Remark 1, None where its condition e^(2 level) >= 2 fails; `optimal` has no condition.
    """

    doubled: Mechanism | None
    optimal: AnyMechanism

    @property
    def utilities(self) -> tuple[Rational | None, Rational]:
        """The chances of a right answer of the two."""
        return None if self.doubled is None else self.doubled.entry(0, 0), self.optimal.entry(0, 0)


def even_ring(size: int, level: object) -> EvenRing:
    """Return Remark 1 beside the best mechanism on a ring with an even number of answers.

    >>> even_ring(6, "log(2)").utilities
    (4/11, 8/21)
    """
    ratio = ratios(level).below
    doubled = doubled_ring(size, Real.log(ratio)) if ratio * ratio >= 2 or size % 2 else None
    return EvenRing(doubled, constant_spheres(Graph.ring(size), ratio).mechanism)


def remappings(outputs: int, guesses: int) -> Iterator[tuple[int, ...]]:
    """Yield all functions from outputs to guesses."""
    yield from product(range(guesses), repeat=outputs)


def translations(databases: Databases) -> tuple[Permutation, ...]:
    """Return the group that adds a fixed tuple to every database: transitive, without a single orbit as a rule."""
    size, base = databases.size, databases.alphabet.size
    categories = [databases.letters(i) for i in range(size)]
    place = {tuple(row): i for i, row in enumerate(categories)}
    return tuple(
        tuple(place[tuple((a + b) % base for a, b in zip(row, shift, strict=True))] for row in categories)
        for shift in categories
    )


def all_permutations(size: int) -> tuple[Permutation, ...]:
    """Return every permutation: the automorphisms of a clique."""
    return tuple(permutations(range(size)))
