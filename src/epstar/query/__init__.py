"""Queries on databases: the graph of their answers, its closed forms, and the system end to end."""

from epstar.query.answer_graph import AnyShape, Shape
from epstar.query.any_prior import any_prior_bounds, evenness
from epstar.query.baselines import (
    Completion,
    completed,
    constant_border,
    doubled_ring,
    equation_six,
    proposition_one,
    truncated_geometric,
)
from epstar.query.binary_outputs import StepCertificate, TwoOutputs, two_outputs
from epstar.query.bounds import (
    database_bound,
    individual_bound,
    printed_individual_bound,
    printed_range_bound,
    range_bound,
    utility_bound,
)
from epstar.query.certificate import KernelCertificate
from epstar.query.closed_forms import ClosedForm, HypothesisFails, closed_form
from epstar.query.end_to_end import Comparison, Leakage, System, SystemLevel
from epstar.query.exponential_kernel import KernelMechanism
from epstar.query.informed import (
    feasible_level,
    histogram,
    output_law,
    prior_level,
    response_distortion,
    response_level,
)
from epstar.query.known_graphs import Clique, HammingShape, PathPower, Ring, Star
from epstar.query.query import Query, query_from_problem
from epstar.query.remap import Remapping, binary_gain, remap

__all__ = [
    "AnyShape",
    "Clique",
    "ClosedForm",
    "Comparison",
    "Completion",
    "HammingShape",
    "HypothesisFails",
    "KernelCertificate",
    "KernelMechanism",
    "Leakage",
    "PathPower",
    "Query",
    "Remapping",
    "Ring",
    "Shape",
    "Star",
    "StepCertificate",
    "System",
    "SystemLevel",
    "TwoOutputs",
    "any_prior_bounds",
    "binary_gain",
    "closed_form",
    "completed",
    "constant_border",
    "database_bound",
    "doubled_ring",
    "equation_six",
    "evenness",
    "feasible_level",
    "histogram",
    "individual_bound",
    "output_law",
    "printed_individual_bound",
    "printed_range_bound",
    "prior_level",
    "proposition_one",
    "query_from_problem",
    "range_bound",
    "remap",
    "response_distortion",
    "response_level",
    "truncated_geometric",
    "two_outputs",
    "utility_bound",
]
