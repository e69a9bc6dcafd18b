"""The portfolio of methods, cheapest first.

Each accepts a problem by the shape of its bounds, and says more only while the bracket is wider than it is worth.
"""

from __future__ import annotations

from epstar.problem import Problem
from epstar.solve import optimisation
from epstar.solve.bracket import Claims, asked
from epstar.solve.forms import (
    databases,
    guessing,
    identifiability,
    maximal_leakage,
    min_entropy,
    mutual_information,
    randomised_response,
)
from epstar.solve.method import Method, Task
from epstar.solve.reductions import relaxations
from epstar.solve.reductions.orders import NeighbouringOrders, order_of

# Inputs from which a matrix would be too large to look at the ends of the trade-off before its closed form.
_MANY_LETTERS = 128


def _always(_: Problem) -> bool:
    return True


def _has_open_ends(problem: Problem) -> bool:
    """Return whether the ends of the trade-off are to be looked at: no closed form knows the question to lie between.

    Randomised response and maximal leakage tell the ends themselves, where a matrix would be too large to look at.
    """
    is_large = problem.universe.size > _MANY_LETTERS
    told = [(form, is_large) for form in (randomised_response, maximal_leakage)]
    told += [(form, False) for form in (mutual_information, identifiability)]
    return not any(form.accepts(problem) and (is_told or form.is_between(problem)) for form, is_told in told)


def _ends(task: Task) -> Claims:
    from epstar.solve.forms import ends  # loads a solver

    yield from ends.claims(task)


def _first_claims(task: Task) -> Claims:
    from epstar.solve.forms import ends  # loads a solver

    yield from ends.first_claims(task)


def _is_symmetric(problem: Problem) -> bool:
    from epstar.solve.forms import symmetric  # loads a solver

    return symmetric.accepts(problem)


def _symmetric(task: Task) -> Claims:
    from epstar.solve.forms import symmetric

    yield from symmetric.claims(task)


def _neighbours(task: Task) -> Claims:
    reduction = NeighbouringOrders()
    below, above = reduction.apply(task.problem)
    smaller = yield from asked(below)
    larger = yield from asked(above)
    yield from reduction.lift(task.problem, (smaller, larger))


def _general(task: Task) -> Claims:
    from epstar.solve.wider import search  # loads a solver

    yield from search.claims(task)


def _constant_answers(task: Task) -> Claims:
    from epstar.solve.wider import constant

    yield from constant.first_claims(task)


METHODS: tuple[Method, ...] = (
    Method("saddle point", "program", optimisation.has_quick_saddle, optimisation.saddle),
    Method("min-entropy leakage", "closed form", min_entropy.accepts, min_entropy.claims, is_quick=True),
    Method("ends of the trade-off", "ends", _has_open_ends, _ends, is_quick=True),
    Method(
        "randomised response", "closed form", randomised_response.accepts, randomised_response.claims, is_quick=True
    ),
    Method("maximal leakage", "closed form", maximal_leakage.accepts, maximal_leakage.claims, is_quick=True),
    Method("mutual information", "closed form", mutual_information.accepts, mutual_information.claims, is_quick=True),
    Method("identifiability", "closed form", identifiability.accepts, identifiability.claims, is_quick=True),
    Method("symmetric categories", "closed form", _is_symmetric, _symmetric, is_quick=True),
    Method("guessing on a graph", "closed form", guessing.accepts, guessing.claims, is_quick=True),
    Method("rows alike", "closed form", databases.is_soon_told, databases.claims, is_quick=True),
    Method("saddle point", "program", optimisation.has_slow_saddle, optimisation.saddle),
    Method("neighbouring orders", "program", NeighbouringOrders().accepts, _neighbours),
    Method("orders", "program", lambda problem: order_of(problem.notion) is not None, optimisation.orders),
    Method("convex program", "program", optimisation.has_smooth_sums, optimisation.convex),
    Method("linear program", "program", optimisation.is_linear, optimisation.program),
    Method("fractions", "program", optimisation.is_linear, optimisation.exact, worth=0.0),
    Method("first claims", "fallback", _always, _first_claims, is_quick=True, is_bounded=True),
    Method("rows alike", "fallback", databases.accepts, databases.claims, is_quick=True),
    Method("mutual information below", "fallback", relaxations.has_information, relaxations.from_information),
    Method("single outputs", "fallback", relaxations.has_events, relaxations.from_single_outputs),
    Method("differential privacy above", "fallback", relaxations.has_divergences, relaxations.from_pure_privacy),
    Method("one distribution", "fallback", relaxations.has_many_laws, relaxations.from_one_law),
)
"""All methods, in the order in which they are asked."""

WIDER: tuple[Method, ...] = (
    Method("general program", "program", _always, _general),
    Method("constant answers", "fallback", _always, _constant_answers, is_quick=True),
)
"""Those that know of secrets, limits and further guarantees."""


def methods_for(problem: Problem) -> tuple[Method, ...]:
    """Return the methods that know of all that a problem says, in the order in which they are asked."""
    return WIDER if problem.is_wider else METHODS
