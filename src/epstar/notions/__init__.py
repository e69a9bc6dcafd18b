"""Privacy notions: each measures the loss of a mechanism and writes a bound on it as constraints."""

from __future__ import annotations

from collections.abc import Mapping

from epstar.errors import InvalidInput
from epstar.notions.approximate_differential_privacy import ApproximateDifferentialPrivacy
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.capacity import Capacity
from epstar.notions.differential_privacy import DifferentialPrivacy
from epstar.notions.identifiability import Identifiability
from epstar.notions.local_information_privacy import LocalInformationPrivacy
from epstar.notions.maximal_information import MaximalInformation
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.notions.min_entropy_leakage import MinEntropyCapacity, MinEntropyLeakage
from epstar.notions.mutual_information import MutualInformation
from epstar.notions.pointwise_leakage import PointwiseLeakage
from epstar.notions.renyi_differential_privacy import RenyiDifferentialPrivacy
from epstar.notions.sibson_mutual_information import SibsonMutualInformation
from epstar.notions.slack import Delta

NOTIONS: Mapping[str, type[Notion]] = {
    notion.name: notion
    for notion in (
        DifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        MutualInformation,
        Capacity,
        SibsonMutualInformation,
        MaximalLeakage,
        MaximalInformation,
        Identifiability,
        LocalInformationPrivacy,
        PointwiseLeakage,
        MinEntropyLeakage,
        MinEntropyCapacity,
    )
}
"""The notions by their names in problem files."""

_REQUIRED = {
    "approximate_differential_privacy": ("delta",),
    "renyi_differential_privacy": ("order",),
    "sibson_mutual_information": ("order",),
}
_OPTIONAL = {"approximate_differential_privacy": ("reading",), "local_information_privacy": ("delta",)}


def from_problem(problem: Mapping[str, object]) -> Notion:
    """Return the notion that a problem file describes: {"name": ..., and its parameters}.

    Raises:
        InvalidInput: for an unknown name, a missing parameter or one that the notion does not have.

    >>> from_problem({"name": "local_information_privacy", "delta": "1/10"}).parameters()
    {'delta': '1/10'}
    """
    name = problem.get("name")
    if not isinstance(name, str) or name not in NOTIONS:
        raise InvalidInput(f"The notion {name!r} is unknown; choose one of {', '.join(NOTIONS)}.")
    required, optional = _REQUIRED.get(name, ()), _OPTIONAL.get(name, ())
    given = {key: value for key, value in problem.items() if key != "name"}
    for key in required:
        if key not in given:
            raise InvalidInput(f"The notion {name} needs {key!r}; add it beside the name.")
    for key in given:
        if key not in required + optional:
            known = ", ".join(required + optional) or "none"
            raise InvalidInput(f"The notion {name} has no parameter {key!r}; it takes: {known}.")
    return NOTIONS[name](**given)


__all__ = [
    "NOTIONS",
    "ApproximateDifferentialPrivacy",
    "Capacity",
    "Delta",
    "DifferentialPrivacy",
    "Identifiability",
    "LocalInformationPrivacy",
    "Loss",
    "MaximalInformation",
    "MaximalLeakage",
    "MinEntropyCapacity",
    "MinEntropyLeakage",
    "MutualInformation",
    "Notion",
    "Point",
    "PointwiseLeakage",
    "RenyiDifferentialPrivacy",
    "SibsonMutualInformation",
    "Witness",
    "from_problem",
]
