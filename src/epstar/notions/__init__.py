"""Privacy notions: each measures the loss of a mechanism and writes a bound on it as constraints.

A notion is one file of this package: whatever `Notion` a module here defines with a `name` of its own is known by
that name to problem files, the command line and the proofs.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.names import SHORT_NAMES, suggestion
from epstar.notions.approximate_differential_privacy import ApproximateDifferentialPrivacy
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.capacity import Capacity, binary_asymmetric_capacity
from epstar.notions.concentrated_differential_privacy import ConcentratedDifferentialPrivacy
from epstar.notions.differential_privacy import DifferentialPrivacy
from epstar.notions.g_leakage import GLeakage
from epstar.notions.gaussian_differential_privacy import GaussianDifferentialPrivacy
from epstar.notions.identifiability import Identifiability
from epstar.notions.local_information_privacy import LocalInformationPrivacy
from epstar.notions.maximal_information import MaximalInformation
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.notions.measure.slack import Delta
from epstar.notions.min_entropy_leakage import MinEntropyCapacity, MinEntropyLeakage
from epstar.notions.mutual_information import MutualInformation
from epstar.notions.pointwise_leakage import PointwiseLeakage
from epstar.notions.renyi_differential_privacy import RenyiDifferentialPrivacy
from epstar.notions.sibson_mutual_information import SibsonMutualInformation

_IN_ORDER: tuple[type[Notion], ...] = (
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
    GLeakage,
    ConcentratedDifferentialPrivacy,
    GaussianDifferentialPrivacy,
)


def _defined() -> Iterator[type[Notion]]:
    """Yield the notions that the modules of this package define, module by module."""
    for place in iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(place.name)).values():
            if isinstance(value, type) and issubclass(value, Notion) and value.__module__ == place.name:
                yield value


NOTIONS: Mapping[str, type[Notion]] = {
    notion.name: notion for notion in (*_IN_ORDER, *_defined()) if "name" in vars(notion)
}
"""The notions by their names in problem files."""

ALIASES = {"pointwise_maximal_leakage": "maximal_information"}
"""Other names that the literature gives the same notion: Saeidian, Cervia, Oechtering and Skoglund (2023)."""


def from_problem(problem: Mapping[str, object]) -> Notion:
    """Return the notion that a problem file describes: {"name": ..., and its parameters}.

    Raises:
        InvalidInput: for an unknown name, a missing parameter or one that the notion does not have.

    >>> from_problem({"name": "local_information_privacy", "delta": "1/10"}).parameters()
    {'delta': '1/10'}
    """
    name = problem.get("name")
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in NOTIONS:
        near = suggestion(name, (*NOTIONS, *SHORT_NAMES)) if isinstance(name, str) else ""
        raise InvalidInput(f"The notion {shown(name)} is unknown{near}; choose one that `epstar notions` lists.")
    known = inspect.signature(NOTIONS[name]).parameters
    given = {key: value for key, value in problem.items() if key != "name"}
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in given:
            raise InvalidInput(
                f"The notion {name} needs {key!r}; add it beside the name, or on the command line with --{key}."
            )
    for key in given:
        if key not in known:
            raise InvalidInput(
                f"The notion {name} has no parameter {shown(key)}; it takes: {', '.join(known) or 'none'}."
            )
    return NOTIONS[name](**given)


__all__ = [
    "NOTIONS",
    "ApproximateDifferentialPrivacy",
    "Capacity",
    "ConcentratedDifferentialPrivacy",
    "Delta",
    "DifferentialPrivacy",
    "GLeakage",
    "GaussianDifferentialPrivacy",
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
    "binary_asymmetric_capacity",
    "from_problem",
]
