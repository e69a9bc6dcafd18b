"""Maximum likelihood for the input frequencies behind a histogram of outputs, by expectation-maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput

Floats = NDArray[np.float64]
_STEPS = 20_000
# Nats per row by which the likelihood may still grow: a thousandth of a nat for a million rows.
_GAP = 1e-9
_BOLDNESS = 1.9


@dataclass(frozen=True)
class Likeliest:
    """A law of the inputs, and how much likelier any law could make the outputs, in nats per row, at most."""

    law: Floats
    gap: float


def likeliest(matrix: Floats, counts: Floats) -> Likeliest:
    """Return the distribution p that maximises sum counts · log(pQ), among all distributions.

    Each step multiplies p by its gradient g; the likelihood of every distribution is at most max g - 1 nats per row
    above that of p, because the objective is concave, so the gap is a certificate.

    Raises:
        InvalidInput: if there are no counts, or an output was counted that no input gives.
    """
    total = counts.sum()
    if total <= 0:
        raise InvalidInput("There are no rows to estimate from; give a table with rows.")
    seen = np.flatnonzero(counts)
    shares, rows = counts[seen] / total, matrix[:, seen]
    if (rows.max(axis=0) <= 0).any():
        raise InvalidInput("The table holds an output that its mechanism never gives; check the release file.")
    law = np.full(len(matrix), 1 / len(matrix))
    gap = np.inf
    for _ in range(_STEPS):
        gradient = rows @ (shares / (law @ rows))
        gap = float(gradient.max() - 1)
        if gap <= _GAP:
            break
        # Two steps at once where that does not lose likelihood: plain steps are slow near the boundary.
        plain = law * gradient
        bold = law * gradient**_BOLDNESS
        bold /= bold.sum()
        law = bold if _value(bold, rows, shares) >= _value(plain, rows, shares) else plain / plain.sum()
    return Likeliest(law, max(0.0, gap))


def _value(law: Floats, rows: Floats, shares: Floats) -> float:
    return float(shares @ np.log(law @ rows))
