"""A secret behind the data: what is to be protected, where that is not the record itself.

A secret s follows a record x by P(s|x). Under a distribution p of the records, P(s) = sum_x p(x) P(s|x), and an output
y has the probability Q(y|s) = sum_x p(x) P(s|x) Q(y|x) / P(s): every notion is read on this channel, which is linear in
the mechanism. It is the privacy funnel's setting (Makhdoumi, Salamatian, Fawaz and Médard 2014) with a worst-case loss.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.probability_vectors import Labelled, Table, law, listed
from epstar.universe import Alphabet, Universe

Point = tuple[Rational, ...]


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
        if labels is not None and universe is not None:
            raise InvalidInput("The universe of the secret names its values; leave the labels out.")
        known = universe if universe is not None else Alphabet(len(rows[0]) if labels is None else list(labels))
        return cls(rows, known)

    @property
    def size(self) -> int:
        """The number of inputs that it follows."""
        return len(self.conditional)

    def law(self, point: Point) -> Point:
        """Return the distribution of the secret under a distribution of the inputs."""
        columns = range(self.universe.size)
        return tuple(sum((p * row[s] for p, row in zip(point, self.conditional, strict=True)), ZERO) for s in columns)

    def mixtures(self, point: Point) -> tuple[dict[int, Rational] | None, ...]:
        """Return for each value of the secret the chances of the inputs beside it; None where it never occurs."""
        found: list[dict[int, Rational] | None] = []
        for s, total in enumerate(self.law(point)):
            joint = {x: p * row[s] for x, (p, row) in enumerate(zip(point, self.conditional, strict=True))}
            found.append({x: share / total for x, share in joint.items() if share != 0} if total != 0 else None)
        return tuple(found)
