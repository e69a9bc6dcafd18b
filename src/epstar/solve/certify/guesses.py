"""The best guesses over a box or a ball of laws, whose corners are too many to list.

Above, the mechanism that is best against guesses whose chances are all as good as any law allows: a program at one
law, which dominates the source, and a loss that a checker bounds by shares. Below, the exchange method from the law of
the source at which the guesses that bind there are best. Where these guesses leave out as many inputs as a law needs to
have all others at their best, both programs have the same value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.errors import SolverFailure
from epstar.problem import Problem
from epstar.solve.certify.mechanism import private_mechanism, useful_mechanism
from epstar.solve.certify.multipliers import converse_of
from epstar.solve.program.exchange import Round, solve_round
from epstar.solve.program.guesses import Guesses, dominating_law
from epstar.solve.program.laws import Members, first_members
from epstar.source import Ball, Box

Floats = NDArray[np.float64]


def region_guesses(problem: Problem, deadline: Deadline) -> Iterator[Proof]:
    """Yield the mechanism for the law that dominates the source, then what the worst laws of the source exclude."""
    assert isinstance(problem.source, Box | Ball)
    level, laws = None if problem.asks == "loss" else problem.given, first_members(problem.source)
    above = solve_round(problem, Members(laws, [dominating_law(problem.source)], dominate=True), level, deadline)
    matrix = above.found.matrix
    if level is None:
        mechanism = useful_mechanism(matrix, problem)
    else:
        mechanism = private_mechanism(matrix, problem, level, above.constraints, above.law)
    yield Proof(problem, mechanism, None)
    guesses = Guesses(problem.source)
    first = guesses.member(_chances(above, problem))
    below = solve_round(problem, Members(list(laws), [first], guesses=guesses), level, deadline)
    yield Proof(problem, None, converse_of(problem, below, level))


def _chances(solved: Round, problem: Problem) -> Floats:
    """Return the weights of the inputs in the guesses that bind a program at one law.

    Raises:
        SolverFailure: if none do.
    """
    block = solved.found.solution.block_multipliers.get(("maximum", 0, 0))
    if block is None:
        raise SolverFailure("The program has no multipliers; ask at a slightly different distortion or loss.")
    weights: Floats = np.maximum(block, 0.0).reshape(-1, problem.universe.size).sum(axis=0)
    return weights
