"""Independent answers for the rows of a database: a mechanism for every notion and whatever is known of the source.

Each row keeps its value with probability 1 - D/n and takes each other one alike (zhong2022, Lemma 5: the mechanism
Q_D), so that the expected number of wrong rows is D under every law of the database. It is never expanded, and neither
are the losses that notions measure on products of rows.
"""

from __future__ import annotations

from epstar.completion import Proof
from epstar.distortion import Hamming
from epstar.errors import Undecided
from epstar.exact import ONE, Rational
from epstar.mechanism import ProductMechanism, TopRandomisedResponse
from epstar.memory import TooLarge
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Task
from epstar.solve.shapes import plain_spread
from epstar.universe import Databases

# Databases up to which a loss that needs the whole matrix is measured in a moment.
_FEW = 128
# Halvings of the probability of a wrong row: the last one is a millionth of a millionth.
_STEPS = 40


def accepts(problem: Problem) -> bool:
    """Return whether wrong rows of a database are counted, and the loss of a product of rows is soon measured."""
    if not isinstance(problem.universe, Databases) or type(problem.distortion) is not Hamming:
        return False
    spread = plain_spread(problem.notion)
    if spread is not None and spread.slack > 0 and not spread.events:
        # A slack for each output is lost on products, whose outputs are less likely than those of their rows.
        return False
    return problem.universe.size <= _FEW or not problem.notion.needs_source or _is_measured(problem)


def is_soon_told(problem: Problem) -> bool:
    """Return whether that takes no longer than a program: losses are measured once, or without a matrix."""
    return accepts(problem) and (problem.asks == "loss" or problem.universe.size > _FEW)


def claims(task: Task) -> Claims:
    """Offer the rows' mechanism at the distortion allowed, or at the least at which it keeps the level."""
    problem = task.problem
    databases = _databases(problem)
    most = Rational(databases.alphabet.size - 1, databases.alphabet.size)
    if problem.asks == "loss":
        assert problem.given.rational is not None
        wrong: Rational | None = min(problem.given.rational / databases.rows, most)
    else:
        wrong = _least_wrong(problem, most)
    if wrong is not None and wrong >= 0:
        yield Offer(Proof(problem, _response(databases, wrong), None), "closed form", "zhong2022, Lemma 5")


def _response(databases: Databases, wrong: Rational) -> ProductMechanism:
    """Return the mechanism whose rows are wrong with the same probability, whatever they are."""
    letters = databases.alphabet.size
    if wrong == 0 or letters == 1:
        row = TopRandomisedResponse(databases.alphabet, range(letters), ONE, delta=ONE)
    else:
        row = TopRandomisedResponse(databases.alphabet, range(letters), (letters - 1) * (1 - wrong) / wrong)
    return ProductMechanism(row, databases.rows)


def _least_wrong(problem: Problem, most: Rational) -> Rational | None:
    """Return nearly the least probability of a wrong row at which the level is kept; None where none keeps it."""
    if not _is_kept(problem, most):
        return None
    low, high = Rational(0), most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _is_kept(problem, middle) else (middle, high)
    return high


def _is_kept(problem: Problem, wrong: Rational) -> bool:
    loss = problem.notion.loss(_response(_databases(problem), wrong), problem.source).upper
    try:
        return loss is not None and loss <= problem.given
    except Undecided:
        return False


def _is_measured(problem: Problem) -> bool:
    """Return whether the loss of a product of rows is measured without its matrix."""
    databases = _databases(problem)
    if databases.size * databases.size <= 1 << 20:
        return False
    try:
        problem.notion.loss(_response(databases, Rational(1, 2 * databases.alphabet.size)), problem.source)
    except TooLarge:
        return False
    return True


def _databases(problem: Problem) -> Databases:
    assert isinstance(problem.universe, Databases)
    return problem.universe
