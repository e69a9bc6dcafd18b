r"""Row prices of mutual information: a lower bound that is one number per input.

Let p be the law at which the information is read, r the one at which the distortion is, and let prices P(x) satisfy

    sum over x of p(x) exp((P(x) - weight r(x) d(x,y)) / (share p(x)))  <=  1      for every output y,

and P(x) <= weight r(x) d(x,y) for every y where p(x) = 0. Then every mechanism Q with output law q has

    share * information + weight * distortion  >=  sum over x of P(x):

the left side less the right is share * sum of p Q log (Q / (q e^(...))), and by the log-sum inequality that is at least
-share * log of the sum over y of q(y) times the sums above (Csiszár's form of the rate-distortion function).

The exponentials are taken over whole arrays with a proven error (`epstar.notions.elementary`); rounding only ever
enlarges a sum, so that what passes is true.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.distortion import Distortion, nearest_costs
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ZERO, Rational, Real
from epstar.notions import Capacity, MutualInformation, SibsonMutualInformation
from epstar.notions.base import Notion
from epstar.notions.elementary import ERROR, ROUNDING, exponentials, growth
from epstar.proof.converse import Converse, Guarantee, column_failure, mixed
from epstar.reading import nearest_floats
from epstar.universe import Universe

Floats = NDArray[np.float64]

# Smaller probabilities and larger numbers than these leave too little room in the exponents of floats.
_SMALLEST = 2.0**-900
_LARGEST = 1e150
_BLOCK = 1 << 16


def information_guarantee(
    converse: Converse, notion: Notion, distortion: Distortion, universe: Universe
) -> Guarantee | None:
    """Return what row prices prove about mutual information; None for another notion, or without prices.

    Cost: one exponential for each input and output.

    Raises:
        ProofRejected: if the prices are too high, or the evidence is not of this form.
    """
    prices = converse.prices
    if prices is None or not is_information(notion):
        return None
    others = converse.ratios or converse.maxima or converse.slopes
    if others or len(converse.points) != 1 or len(converse.sums) != 1:
        raise ProofRejected("Row prices of an information need one law and one share, and no other multipliers.")
    (share,) = converse.sums
    if share == 0:
        raise ProofRejected("Row prices of an information need a positive share.")
    law, other = mixed(converse.points[0]), mixed(converse.distortion_law)
    used = [x for x, p in enumerate(law) if p > 0]
    if len(used) < len(law):
        cheapest = distortion.cheapest(universe).costs
        for x, p in enumerate(law):
            if p == 0 and prices[x] > converse.weight * other[x] * cheapest[x]:
                raise ProofRejected("The price of an input without probability exceeds what its cheapest answer costs.")
    _check_columns(
        nearest_costs(distortion, universe)[used],
        _floats([law[x] for x in used]),
        _floats([converse.weight * other[x] / (share * law[x]) for x in used]),
        _floats([prices[x] / (share * law[x]) for x in used]),
    )
    return Guarantee(Real.of(sum(prices, ZERO)), False)


def is_information(notion: Notion) -> bool:
    """Return whether a notion is the mutual information at a prior, or its supremum over some."""
    return isinstance(notion, MutualInformation | Capacity) or (
        isinstance(notion, SibsonMutualInformation) and notion.order == 1
    )


def _floats(values: Sequence[Rational]) -> Floats:
    try:
        floats = nearest_floats(values)
    except InvalidInput:
        floats = np.array([np.inf])
    if not (np.abs(floats) < _LARGEST).all():
        raise ProofRejected("The numbers of the proof are too large for floats.")
    return floats


def _check_columns(cost: Floats, law: Floats, tilts: Floats, offsets: Floats) -> None:
    """Check that the sum over x of law exp(offset - tilt * cost) is at most 1 for every output."""
    if not (law > _SMALLEST).all() or not (np.abs(cost) < _LARGEST).all():
        raise ProofRejected("The numbers of the proof are too small or too large for floats.")
    inputs, outputs = cost.shape
    sums = np.zeros(outputs)
    step = max(1, _BLOCK // outputs)
    for start in range(0, inputs, step):
        rows = slice(start, start + step)
        charges = tilts[rows, None] * cost[rows]
        exponents = offsets[rows, None] - charges
        # Each number is off by one rounding, and so are the product and the difference; vanishing ones are off by
        # less than the error of an exponential, which is allowed for twice.
        np.abs(charges, out=charges)
        charges += np.abs(offsets[rows, None])
        charges *= 8 * ROUNDING
        exponents += charges
        sums += law[rows] @ exponentials(exponents)
    sums *= 1 + 2 * (growth(inputs + 8) + 2 * ERROR)
    wrong = ~(sums <= 1)
    if wrong.any():
        raise column_failure(int(wrong.argmax()))
