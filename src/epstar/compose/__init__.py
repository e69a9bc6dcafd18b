"""Composition: rows treated each by itself, several releases of the same data, and a ledger of them."""

from epstar.compose.accountant import Accountant, Total
from epstar.compose.loss_distribution import LossDistribution
from epstar.compose.noise import together
from epstar.compose.parallel import ParallelOptimum, ParallelRule, parallel_loss, parallel_optimum, parallel_rule
from epstar.compose.sequential import ADDITIVE, Composition, is_additive, sequential

__all__ = [
    "ADDITIVE",
    "Accountant",
    "Composition",
    "LossDistribution",
    "ParallelOptimum",
    "ParallelRule",
    "Total",
    "is_additive",
    "parallel_loss",
    "parallel_optimum",
    "parallel_rule",
    "sequential",
    "together",
]
