"""Mechanisms: what an input is answered with, as a matrix or as a description that is never expanded."""

from epstar.mechanism.base import DENSE_LIMIT, SCHEMA, AnyMechanism
from epstar.mechanism.blocks import BlockDesign
from epstar.mechanism.dense import Mechanism
from epstar.mechanism.distance import DistanceMechanism
from epstar.mechanism.document import (
    read_labels,
    read_mechanism,
    read_universe,
    write_labels,
    write_universe,
)
from epstar.mechanism.named import (
    ball_mechanism,
    free_mechanism,
    subset_distortion,
    subset_response,
    symmetric_mechanism,
)
from epstar.mechanism.product import Block, ProductMechanism
from epstar.mechanism.refinement import Refinement, refines, vulnerability
from epstar.mechanism.response import (
    DiagonalMechanism,
    RankOneBeside,
    RankOneMechanism,
    TopRandomisedResponse,
    parts_of,
)
from epstar.mechanism.standard import constant, exponential, geometric, identity, randomised_response
from epstar.mechanism.structured import SparseRow, StructuredMechanism
from epstar.mechanism.subsets import Subsets, SubsetSelection

__all__ = [
    "DENSE_LIMIT",
    "SCHEMA",
    "AnyMechanism",
    "Block",
    "BlockDesign",
    "DiagonalMechanism",
    "DistanceMechanism",
    "Mechanism",
    "ProductMechanism",
    "RankOneBeside",
    "RankOneMechanism",
    "Refinement",
    "SparseRow",
    "StructuredMechanism",
    "SubsetSelection",
    "Subsets",
    "TopRandomisedResponse",
    "ball_mechanism",
    "constant",
    "exponential",
    "free_mechanism",
    "geometric",
    "identity",
    "parts_of",
    "randomised_response",
    "read_labels",
    "read_mechanism",
    "read_universe",
    "refines",
    "subset_distortion",
    "subset_response",
    "symmetric_mechanism",
    "vulnerability",
    "write_labels",
    "write_universe",
]
