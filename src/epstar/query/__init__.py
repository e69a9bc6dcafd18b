"""Queries on databases: the graph of their answers, its closed forms, and the system end to end."""

from epstar.query.answer_graph import AnyShape, Shape
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
from epstar.query.known_graphs import Clique, HammingShape, PathPower, Ring, Star
from epstar.query.query import Query, query_from_problem
from epstar.query.remap import Remapping, binary_gain, remap

__all__ = [
    "AnyShape",
    "Clique",
    "ClosedForm",
    "Comparison",
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
    "binary_gain",
    "closed_form",
    "database_bound",
    "individual_bound",
    "printed_individual_bound",
    "printed_range_bound",
    "query_from_problem",
    "range_bound",
    "remap",
    "two_outputs",
    "utility_bound",
]
