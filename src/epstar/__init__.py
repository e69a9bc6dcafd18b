"""The least privacy loss at a given distortion, the mechanism that attains it, and a proof of both.

Public names are looked up when they are first used: `import epstar` loads no numerical package, no solver.

>>> import epstar
>>> epstar.__version__
'0.1.0'
"""

from importlib import import_module

# As `typing` has it; that module alone would take longer to load than this one.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from epstar.completion import Proof
    from epstar.compose import Accountant
    from epstar.convert import Guarantee
    from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix, Squared
    from epstar.errors import (
        EpstarError,
        InvalidInput,
        MissingExtra,
        NoSolution,
        SolverFailure,
        TimeLimit,
        Undecided,
    )
    from epstar.exact import INFINITY, Number, Rational, Real, rational, rationals
    from epstar.frontier import Answer, Curve, Frontier
    from epstar.gaussian import Gaussian
    from epstar.limits import Limits
    from epstar.mechanism import DistanceMechanism, Mechanism, ProductMechanism, TopRandomisedResponse, refines
    from epstar.notebook.files import load
    from epstar.notions import (
        ApproximateDifferentialPrivacy,
        Capacity,
        ConcentratedDifferentialPrivacy,
        DifferentialPrivacy,
        GaussianDifferentialPrivacy,
        GLeakage,
        Identifiability,
        LocalInformationPrivacy,
        Loss,
        MaximalInformation,
        MaximalLeakage,
        MinEntropyCapacity,
        MinEntropyLeakage,
        MutualInformation,
        Notion,
        PointwiseLeakage,
        RenyiDifferentialPrivacy,
        SibsonMutualInformation,
    )
    from epstar.query import Query, System, remap
    from epstar.query.optimum import optimal_oblivious
    from epstar.secret import Secret
    from epstar.source import (
        Ball,
        Box,
        Everything,
        Finite,
        Hull,
        Polytope,
        Prior,
        Rows,
        Source,
    )
    from epstar.statistic import Statistic
    from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

__version__ = "0.1.0"

_NAMES_BY_MODULE = {
    "epstar.errors": (
        "EpstarError",
        "InvalidInput",
        "MissingExtra",
        "NoSolution",
        "SolverFailure",
        "TimeLimit",
        "Undecided",
    ),
    "epstar.exact": ("INFINITY", "Number", "Rational", "Real", "rational", "rationals"),
    "epstar.universe": ("Alphabet", "Databases", "Graph", "Metric", "Universe"),
    "epstar.source": (
        "Ball",
        "Box",
        "Everything",
        "Finite",
        "Hull",
        "Polytope",
        "Prior",
        "Rows",
        "Source",
    ),
    "epstar.distortion": ("Absolute", "Distortion", "Gain", "Hamming", "Matrix", "Squared"),
    "epstar.statistic": ("Statistic",),
    "epstar.mechanism": ("DistanceMechanism", "Mechanism", "ProductMechanism", "TopRandomisedResponse", "refines"),
    "epstar.notions": (
        "ApproximateDifferentialPrivacy",
        "Capacity",
        "ConcentratedDifferentialPrivacy",
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
        "PointwiseLeakage",
        "RenyiDifferentialPrivacy",
        "SibsonMutualInformation",
    ),
    "epstar.secret": ("Secret",),
    "epstar.limits": ("Limits",),
    "epstar.query": ("Query", "System", "remap"),
    "epstar.completion": ("Proof",),
    "epstar.frontier": ("Answer", "Curve", "Frontier"),
    "epstar.gaussian": ("Gaussian",),
    "epstar.convert": ("Guarantee",),
    "epstar.compose": ("Accountant",),
    "epstar.query.optimum": ("optimal_oblivious",),
    "epstar.notebook.files": ("load",),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__all__ = [
    "INFINITY",
    "Absolute",
    "Accountant",
    "Alphabet",
    "Answer",
    "ApproximateDifferentialPrivacy",
    "Ball",
    "Box",
    "Capacity",
    "ConcentratedDifferentialPrivacy",
    "Curve",
    "Databases",
    "DifferentialPrivacy",
    "DistanceMechanism",
    "Distortion",
    "EpstarError",
    "Everything",
    "Finite",
    "Frontier",
    "GLeakage",
    "Gain",
    "Gaussian",
    "GaussianDifferentialPrivacy",
    "Graph",
    "Guarantee",
    "Hamming",
    "Hull",
    "Identifiability",
    "InvalidInput",
    "Limits",
    "LocalInformationPrivacy",
    "Loss",
    "Matrix",
    "MaximalInformation",
    "MaximalLeakage",
    "Mechanism",
    "Metric",
    "MinEntropyCapacity",
    "MinEntropyLeakage",
    "MissingExtra",
    "MutualInformation",
    "NoSolution",
    "Notion",
    "Number",
    "PointwiseLeakage",
    "Polytope",
    "Prior",
    "ProductMechanism",
    "Proof",
    "Query",
    "Rational",
    "Real",
    "RenyiDifferentialPrivacy",
    "Rows",
    "Secret",
    "SibsonMutualInformation",
    "SolverFailure",
    "Source",
    "Squared",
    "Statistic",
    "System",
    "TimeLimit",
    "TopRandomisedResponse",
    "Undecided",
    "Universe",
    "__version__",
    "load",
    "optimal_oblivious",
    "rational",
    "rationals",
    "refines",
    "remap",
]


if not TYPE_CHECKING:  # a type checker that saw this would take any misspelt name for a public one

    def __getattr__(name: str) -> object:
        module = _MODULE_OF_NAME.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(module), name)
        globals()[name] = value  # the next use is an ordinary attribute
        return value


def __dir__() -> list[str]:
    # Completion offers what is meant to be used, and not what this file needed to offer it.
    return sorted(__all__)
