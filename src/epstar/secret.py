"""A secret behind the data: what is to be protected, where that is not the record itself.

A secret s follows a record x by P(s|x). Under a distribution p of the records, P(s) = sum_x p(x) P(s|x), and an output
y has the probability Q(y|s) = sum_x p(x) P(s|x) Q(y|x) / P(s): every notion is read on this channel, which is linear in
the mechanism. It is the privacy funnel's setting (Makhdoumi, Salamatian, Fawaz and Médard 2014) with a worst-case loss.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, PerInput
from epstar.notions.measure.over_sources import largest_loss
from epstar.notions.pairs import ordered_pairs
from epstar.notions.priors import listed_laws
from epstar.probability_vectors import Labelled, Table, law, listed
from epstar.source import Finite, Prior, Source
from epstar.universe import Alphabet, Graph, Metric, Universe

Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Behind:
    """A secret under one distribution of the inputs, with the values only that occur.

    `places` are their positions among all values, `law` their probabilities, and `mixtures` the distribution of the
    input beside each.
    """

    places: tuple[int, ...]
    law: Point
    mixtures: tuple[dict[int, Rational], ...]
    universe: Universe

    def channel(self, mechanism: Mechanism) -> Mechanism:
        """Return the channel from the secret to the output of a mechanism."""
        if not mechanism.is_exact:
            shares = [[mixture.get(x, ZERO) for x in range(mechanism.shape[0])] for mixture in self.mixtures]
            mixed = [nearest_floats(row) @ mechanism.floats for row in shares]
            return Mechanism(mixed, self.universe, mechanism.outputs)
        rows = []
        for mixture in self.mixtures:
            parts = [[share * entry for entry in mechanism.rows[x]] for x, share in mixture.items()]
            rows.append(tuple(sum(column[1:], column[0]) for column in zip(*parts, strict=True)))
        return Mechanism(rows, self.universe, mechanism.outputs)


@dataclass(frozen=True)
class Secret:
    """What is to be protected: `conditional` holds P(s|x), a row for each input; `universe` has the secret's values.

    Make one with `Secret.of`, for a function of the record, or `Secret.given`, for one that the record only hints at.

    >>> Secret.of(["rich", "poor", "poor"]).universe.labels
    ('rich', 'poor')
    """

    conditional: tuple[Point, ...]
    universe: Universe

    def __post_init__(self) -> None:
        if any(len(row) != self.universe.size for row in self.conditional):
            raise InvalidInput(
                f"The secret has {self.universe.size} values, and a row of its probabilities has another number; "
                "give one probability for each value."
            )
        if len(set(self.conditional)) == 1:
            raise InvalidInput("The secret depends on nothing: it follows every input alike; leave it out.")

    @classmethod
    def of(cls, labels: Sequence[Hashable] | Labelled, universe: Universe | None = None) -> Secret:
        """Return the secret that is a function of the record: its value for each input, in their order.

        Without a `universe` on the values all pairs of them are neighbours.

        Raises:
            InvalidInput: if it is the same for all, or has a value that the universe has not.
        """
        values: list[Hashable] = []
        for value in listed(labels, "The secret"):
            if not isinstance(value, Hashable):
                raise InvalidInput(f"{shown(value)} is not a value of a secret; give a label for each input.")
            values.append(value)
        places = list(dict.fromkeys(values)) if universe is None else list(universe.labels)
        unknown = [value for value in values if value not in places]
        if unknown:
            raise InvalidInput(f"The universe of the secret has no value {shown(unknown[0])}; add it there.")
        rows = tuple(tuple(ONE if value == place else ZERO for place in places) for value in values)
        if len(set(values)) == 1:
            raise InvalidInput("The secret depends on nothing: it follows every input alike; leave it out.")
        return cls(rows, Alphabet(places) if universe is None else universe)

    @classmethod
    def given(cls, matrix: Table, labels: Sequence[Hashable] | None = None, universe: Universe | None = None) -> Secret:
        """Return the secret that follows each input x with the probabilities in a row, P(s|x).

        Raises:
            InvalidInput: if a row is no distribution, all are the same, or the labels do not fit.
        """
        rows = tuple(law(row, f"Row {x} of the secret") for x, row in enumerate(listed(matrix, "The secret")))
        known = universe if universe is not None else Alphabet(len(rows[0]) if labels is None else list(labels))
        return cls(rows, known if labels is None else _named(known, tuple(labels)))

    @property
    def size(self) -> int:
        """The number of inputs that it follows."""
        return len(self.conditional)

    def law(self, point: Point) -> Point:
        """Return the distribution of the secret under a distribution of the inputs."""
        columns = range(self.universe.size)
        return tuple(sum((p * row[s] for p, row in zip(point, self.conditional, strict=True)), ZERO) for s in columns)

    def behind(self, point: Point) -> Behind:
        """Return the secret as it is under a distribution of the inputs; values that never occur are left out."""
        whole = self.law(point)
        places = tuple(s for s, total in enumerate(whole) if total != 0)
        mixtures = []
        for s in places:
            joint = {x: p * row[s] for x, (p, row) in enumerate(zip(point, self.conditional, strict=True))}
            mixtures.append({x: share / whole[s] for x, share in joint.items() if share != 0})
        return Behind(places, tuple(whole[s] for s in places), tuple(mixtures), self._among(places))

    def _among(self, kept: Sequence[int]) -> Universe:
        """The universe of the values that are left."""
        universe = self.universe
        if len(kept) == universe.size:
            return universe
        labels = [universe.labels[s] for s in kept]
        if len(kept) == 1 or isinstance(universe, Alphabet):
            return Alphabet(labels)
        if isinstance(universe, Metric):
            return Metric([[universe.distance(s, t) for t in kept] for s in kept], labels)
        pairs = [(s, t) for s, t, _ in ordered_pairs(universe) if s < t and s in kept and t in kept]
        return Graph(labels, [(universe.labels[s], universe.labels[t]) for s, t in pairs])

    def loss(self, notion: Notion, mechanism: AnyMechanism, source: Source) -> Loss:
        """Return what a mechanism loses about the secret: the worst over the distributions of the source.

        The inputs of the witness are positions among the values of the secret.

        Raises:
            InvalidInput: if the source is no prior and no finite list of them, or what the notion measures of a secret
                has no meaning.

        >>> from epstar.mechanism import identity
        >>> from epstar.notions import DifferentialPrivacy
        >>> income = Secret.given([["3/4", "1/4"], ["1/4", "3/4"]], ["low", "high"])
        >>> str(income.loss(DifferentialPrivacy(), identity(Alphabet(2)), Prior(["1/2", "1/2"])).upper)
        'log(3)'
        """
        check_secret(self, (notion,), source, mechanism.shape[0])
        laws, dense, found = listed_laws(source), mechanism.dense(), []
        assert laws is not None
        for point in laws:
            behind = self.behind(point)
            read = notion.among(behind.places) if isinstance(notion, PerInput) else notion
            loss = read.loss(behind.channel(dense), Prior(behind.law))
            places = tuple(behind.places[s] for s in loss.witness.inputs)
            found.append(replace(loss, witness=replace(loss.witness, inputs=places)))
        return largest_loss(found)


def _named(universe: Universe, labels: tuple[Hashable, ...]) -> Universe:
    """Return a universe with labels for values that it counts; one that names them must name them so.

    Raises:
        InvalidInput: if it names them otherwise.
    """
    if universe.labels == labels:
        return universe
    if universe.labels != tuple(range(len(labels))) or not isinstance(universe, Alphabet | Metric | Graph):
        raise InvalidInput("The universe of the secret has other values than the labels; leave the labels out.")
    if isinstance(universe, Metric):
        return Metric(universe.matrix, labels)
    return Graph(labels, np.array(universe.edges, dtype=object)) if isinstance(universe, Graph) else Alphabet(labels)


def check_secret(secret: Secret, notions: Sequence[Notion], source: Source, size: int) -> None:
    """Refuse a secret that does not fit what is known about the inputs, or a notion that cannot measure it.

    Raises:
        InvalidInput: saying what to do instead.
    """
    if not isinstance(source, Prior | Finite):
        raise InvalidInput(
            "A secret needs a prior or a finite list of them; list the distributions that the promise should hold for "
            "as 'finite', or leave the secret out."
        )
    if secret.size != size:
        raise InvalidInput(
            f"The secret is about {secret.size} inputs and the universe has {shown(size)}; make them agree."
        )
    for notion in notions:
        if notion.priors(source) is not source:
            raise InvalidInput(
                f"{notion.title.capitalize()} is a supremum over distributions of its own, and what a secret tells "
                "depends on the prior; choose mutual information, or maximal leakage, which is never less."
            )
