"""Equal releases are counted, and several with normal noise are one release with less of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from epstar.arguments import check_kind
from epstar.errors import InvalidInput
from epstar.exact import ZERO
from epstar.gaussian import Gaussian
from epstar.probability_vectors import listed

Kind = TypeVar("Kind")


def grouped(releases: Sequence[Kind], key: Callable[[Kind], Hashable]) -> list[tuple[Kind, int]]:
    """Return each different release with how often it occurs; `key` says which are equal.

    One object a million times is recognised as such, without a look at what it is.
    """
    objects: dict[int, tuple[Kind, int]] = {}
    for release in releases:
        objects[id(release)] = release, objects.get(id(release), (release, 0))[1] + 1
    found: dict[Hashable, tuple[Kind, int]] = {}
    for release, uses in objects.values():
        first, before = found.get(key(release), (release, 0))
        found[key(release)] = first, before + uses
    return list(found.values())


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
    for noise, uses in grouped(noises, lambda noise: noise):
        if noise.squared_distance is None or noise.inputs is not None:
            raise InvalidInput("Normal noise is added up by the distance of inputs; give it a sensitivity or a peak.")
        total += noise.squared_distance * uses
    return Gaussian(variance=1 / total, sensitivity=1)
