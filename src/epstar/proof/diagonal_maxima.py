"""Maximal leakage under Hamming distortion: a proof whose multipliers lie on the diagonal needs no matrix.

Each letter is charged weight * p(x) for any wrong answer and its own multiplier for the right one, so that the least
of the two is what the row is worth.
"""

from __future__ import annotations

from epstar.distortion import Distortion, Hamming
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Real
from epstar.notions.constraints import Constraints, Maximum
from epstar.proof.converse import Converse, Guarantee, mixed
from epstar.universe import Databases, Universe


def diagonal_guarantee(
    converse: Converse, constraints: Constraints, distortion: Distortion, universe: Universe
) -> Guarantee | None:
    """Return what multipliers of one maximum prove that are all on the diagonal; None for any others.

    `check_converse` has looked at them.

    Cost: a few operations for each letter.

    Raises:
        ProofRejected: if a multiplier exceeds that of the sum.
    """
    if not isinstance(distortion, Hamming) or isinstance(universe, Databases) or universe.size < 2:
        return None
    if converse.prices is not None or converse.ratios or converse.slopes or len(converse.sums) != 1:
        return None
    terms = constraints.sums[0].terms
    atom = terms[0][1]
    if len(terms) != 1 or not isinstance(atom, Maximum) or len(atom.weights) != universe.size:
        return None
    own = dict.fromkeys(range(universe.size), ZERO)
    for _, _, y, x, multiplier in converse.maxima:
        if y != x or own[x] != 0:
            return None
        own[x] = multiplier
    most = terms[0][0] * converse.sums[0]
    if any(multiplier > most for multiplier in own.values()):
        raise ProofRejected("The multipliers of one maximum exceed the multiplier of its sum.")
    law = mixed(converse.distortion_law)
    least = (min(converse.weight * p, own[x] * atom.weights[x]) for x, p in enumerate(law))
    return Guarantee(Real.of(sum(least, ZERO)), False)
