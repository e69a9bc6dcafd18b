"""The shape of a notion: what its bounds are, whatever their numbers. Methods ask for this, and never for a name.

A notion is its list of bounds, and what they look like shows on four inputs of different probabilities: on fewer, a
bound on pairs may look like one on all.
"""

from __future__ import annotations

from functools import lru_cache

from epstar.distortion import Hamming
from epstar.exact import ONE, Rational
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints, Maximum, Norm, Power, RelativeEntropy, Spread
from epstar.problem import Problem
from epstar.source import Prior
from epstar.universe import Alphabet

LAW = tuple(Rational(weight, 10) for weight in (1, 2, 3, 4))
_INPUTS = len(LAW)


@lru_cache(maxsize=256)
def shape(notion: Notion) -> Constraints:
    """Return the bounds of a notion on four inputs."""
    return notion.constraints(Alphabet(_INPUTS), [LAW])


@lru_cache(maxsize=256)
def is_read_at_the_source(notion: Notion) -> bool:
    """Return whether a loss is the worst over the source itself, and not over a larger set of laws."""
    return notion.priors(Prior(LAW)) == Prior(LAW)


def are_the_same(one: Notion, other: Notion) -> bool:
    """Return whether two notions have the same bounds at the same laws, under two names."""
    return shape(one) == shape(other) and is_read_at_the_source(one) == is_read_at_the_source(other)


def plain_spread(notion: Notion) -> Spread | None:
    """Return the bound on the ratio of any two inputs if that is all, at equal scales; its slack may be positive."""
    spread = shape(notion).spread
    return spread if spread is not None and set(spread.scales) == {ONE} else None


def is_scaled_by_the_law(notion: Notion) -> bool:
    """Return whether any two inputs are compared, each times its probability: the joint probabilities' ratio."""
    spread = shape(notion).spread
    return spread is not None and spread.scales == LAW and spread.slack == 0


def is_sum_of_maxima(notion: Notion) -> bool:
    """Return whether the one bound is on the sum of the largest entry of each column, whatever the law."""
    sums = shape(notion).sums
    return len(sums) == 1 and sums[0].terms == ((ONE, Maximum(dict.fromkeys(range(_INPUTS), ONE))),)


def is_sum_of_scaled_maxima(notion: Notion) -> bool:
    """Return whether the one bound is on the sum of the largest joint probability of each column."""
    sums, scaled = shape(notion).sums, {x: p / max(LAW) for x, p in enumerate(LAW)}
    return len(sums) == 1 and sums[0].terms == ((ONE, Maximum(scaled)),) and is_read_at_the_source(notion)


def is_mean_of_entropies(notion: Notion) -> bool:
    """Return whether the one bound is on the relative entropies to the law of the output, in the mean over a law."""
    return _has_entropies(notion, 1)


def is_information(notion: Notion) -> bool:
    """Return whether that mean is all, at the laws of the source."""
    return is_mean_of_entropies(notion) and is_read_at_the_source(notion)


def bounds_each_entropy(notion: Notion) -> bool:
    """Return whether the relative entropy of each input to the law of the output is bounded by itself."""
    return _has_entropies(notion, _INPUTS)


def _has_entropies(notion: Notion, count: int) -> bool:
    """Return whether so many sums are bounded, of the relative entropies of all inputs to the law of the output."""
    sums = shape(notion).sums
    atoms = [atom for bound in sums for _, atom in bound.terms]
    are_all = len(sums) == count and len(atoms) == _INPUTS
    return are_all and all(isinstance(atom, RelativeEntropy) and len(atom.right) == _INPUTS for atom in atoms)


def order_of_pairs(notion: Notion) -> Rational | None:
    """Return the order of the divergences between inputs, if these are what is bounded; None for other notions."""
    sums = shape(notion).sums
    if len(sums) != _INPUTS * (_INPUTS - 1) or not all(len(bound.terms) == 1 for bound in sums):
        return None
    atom = sums[0].terms[0][1]
    if isinstance(atom, RelativeEntropy) and len(atom.right) == 1:
        return ONE
    return atom.order if isinstance(atom, Power) and len(atom.right) == 1 else None


def order_of_norms(notion: Notion) -> Rational | None:
    """Return the order of the norm of each column, if the sum of these is what is bounded; None for other notions."""
    sums = shape(notion).sums
    atom = sums[0].terms[0][1] if len(sums) == 1 and len(sums[0].terms) == 1 else None
    return atom.order if isinstance(atom, Norm) else None


def compares_with_the_output(notion: Notion) -> bool:
    """Return whether each input is compared with the law of the output, and with nothing else."""
    bounds = shape(notion)
    return bool(bounds.ratios) and bounds.spread is None and all(len(bound.right) == _INPUTS for bound in bounds.ratios)


def is_hamming_on_letters(problem: Problem) -> bool:
    """Return whether every error costs one and all pairs of inputs are neighbours."""
    return isinstance(problem.universe, Alphabet) and isinstance(problem.distortion, Hamming)


def is_linear(notion: Notion) -> bool:
    """Return whether every bound of a notion is linear at any one level."""
    return has_lines(shape(notion))


def has_lines(constraints: Constraints) -> bool:
    """Return whether all bounds are linear at any one level: ratios, spreads, and sums of maxima."""
    return all(isinstance(atom, Maximum) for bound in constraints.sums for _, atom in bound.terms)


def has_smooth_sums(notion: Notion, most: int) -> bool:
    """Return whether all bounds are on sums of smooth atoms, with powers and norms of this order at most."""
    bounds = shape(notion)
    atoms = [atom for bound in bounds.sums for _, atom in bound.terms]
    is_steep = any(
        isinstance(atom, Maximum) or (isinstance(atom, Power | Norm) and atom.order > most) for atom in atoms
    )
    return bool(atoms) and not is_steep and not bounds.ratios and bounds.spread is None
