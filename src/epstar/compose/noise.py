"""Several releases with normal noise are one release with less of it."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.errors import InvalidInput
from epstar.exact import ZERO
from epstar.gaussian import Gaussian
from epstar.reading import check_kind, listed


def together(noises: Sequence[Gaussian]) -> Gaussian:
    """Return the Gaussian mechanism that distinguishes two inputs exactly as well as all of these together.

    What matters of normal noise is the distance of two inputs in deviations; squares of distances add up.

    Raises:
        InvalidInput: for no mechanism, or one without a bound on the distance of inputs.

    >>> str(together([Gaussian(2, sensitivity=1)] * 4).distance)
    '1'
    """
    for noise in listed(noises, "The list of normal noises"):
        check_kind(noise, Gaussian, "Normal noise", "Gaussian mechanisms only")
    total = ZERO
    for noise in noises:
        if noise.squared_distance is None or noise.inputs is not None:
            raise InvalidInput("Normal noise is added up by the distance of inputs; give it a sensitivity or a peak.")
        total += noise.squared_distance
    return Gaussian(variance=1 / total, sensitivity=1)
