"""Invariant post-randomisation: a mechanism after which the known frequencies are on average as they were.

Answer with a mechanism R, and then with a draw from the distribution of the true value given that answer (Gouweleeuw,
Kooiman, Willenborg and de Wolf, J. Official Statistics 14, 1998). With frequencies p the two steps together are

    Q(y|x) = sum over z of R(z|x) p(y) R(z|y) / (p R)(z),

so that p Q = p. The second step sees nothing but the answer of the first, so that Q loses no more than R by any notion.
"""

from __future__ import annotations

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.source import Prior, Source

_LARGEST = 256


def invariant(mechanism: AnyMechanism, source: Source) -> Mechanism:
    """Return a mechanism that keeps the frequencies of `source`, and loses no more than the one given.

    Raises:
        InvalidInput: if the frequencies are not known, or there are more than 256 categories.

    >>> from epstar.mechanism import randomised_response
    >>> from epstar.universe import Alphabet
    >>> kept = invariant(randomised_response(Alphabet(2), "log(3)"), Prior(["3/4", "1/4"]))
    >>> [str(sum_of([Rational(3, 4) * kept.rows[0][y], Rational(1, 4) * kept.rows[1][y]])) for y in (0, 1)]
    ['3/4', '1/4']
    """
    if not isinstance(source, Prior):
        raise InvalidInput(
            "An invariant release keeps known frequencies; give them, as --prior, --counts or --public do."
        )
    size, answers = mechanism.shape
    if max(size, answers) > _LARGEST:
        raise InvalidInput(f"An invariant release is for at most {_LARGEST} categories; merge some.")
    rows, law = mechanism.dense().rows, source.probabilities
    back: list[list[Rational]] = []
    for z in range(answers):
        joint = [law[y] * rows[y][z] for y in range(size)]
        total = sum_of(joint)
        # An answer that is never given leads nowhere, and anywhere would do.
        back.append([entry / total for entry in joint] if total > ZERO else list(law))
    product = [[sum_of([row[z] * back[z][y] for z in range(answers)]) for y in range(size)] for row in rows]
    universe = mechanism.universe
    return Mechanism(product, universe, universe.labels)
