"""Databases with independent rows: solve one problem per kind of row and apply the mechanisms row by row."""

from __future__ import annotations

from collections.abc import Callable

from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import NoSolution
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, ProductMechanism, TopRandomisedResponse
from epstar.mechanism.product import Block
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.notions.distances import is_uniform
from epstar.problem import Asked, Problem
from epstar.proof import Proof, RowsProof
from epstar.proof.converse import BITS
from epstar.proof.rows import independent_rows, shares_rows
from epstar.reading import sum_of
from epstar.solve.forms.unlike_rows import shared_level
from epstar.source import Prior, Rows
from epstar.universe import Alphabet, Databases

Solver = Callable[[Problem], Proof]

_LEVEL = "zhong2022, Lemma 16(1), true for all mechanisms"
THEOREMS: dict[type[Notion], str] = {
    DifferentialPrivacy: _LEVEL,
    RenyiDifferentialPrivacy: _LEVEL,
    ApproximateDifferentialPrivacy: "zhong2022, Theorem 18(1), true event-wise and for all mechanisms",
    Identifiability: "wang2016, product priors (recomputed)",
    MutualInformation: "zhong2022, Lemma 16(2), true for all mechanisms",
}
"""By which result the optimum of independent rows is that of one row, for each notion."""


def rows_theorem(problem: Problem) -> str:
    """Return the result by which the rows of a database answer for it."""
    theorem = THEOREMS.get(type(problem.notion), "averaging over the other rows cannot raise the loss of a row")
    if independent_rows(problem) is problem.source or isinstance(problem.source, Prior):
        return theorem
    return f"{theorem}; zhong2022, Theorem 17 as corrected: the set holds the uniform law"


def by_rows(problem: Problem, solve_row: Solver) -> RowsProof | None:
    """Return a proof from the rows, or None where the database does not fall apart into them.

    Raises:
        NoSolution: if some row has none, with what the rows say about the database as witness.
    """
    if not isinstance(problem.universe, Databases) or not shares_rows(problem):
        return None
    if type(problem.distortion) not in (Hamming, Absolute, Squared):
        return None
    source = independent_rows(problem)
    # Other members of the source than the uniform law must not raise the loss.
    is_other = source is not problem.source and not is_uniform(problem.source)
    if source is None or (is_other and problem.notion.needs_source):
        return None
    kinds = _kinds(source)
    try:
        return _from_kinds(problem, kinds, solve_row)
    except NoSolution as error:
        if not isinstance(error.witness, Proof):
            raise
        raise _refuted(problem, kinds, solve_row, str(error)) from None


def _refuted(problem: Problem, kinds: list[tuple[Prior, int]], solve_row: Solver, reason: str) -> NoSolution:
    """Return that no mechanism on the database does what was asked, because none does on some row."""
    level = INFINITY if problem.asks == "loss" else problem.given
    rows = [(_told(_row_problem(problem, prior, "distortion", level), solve_row), count) for prior, count in kinds]
    if problem.asks == "loss":
        costs = [row.check().lower.below(BITS) * count for row, count in rows]
        left = problem.given - sum(costs, ZERO)
        if left < 0:
            reason = (
                f"No mechanism has a distortion of at most {problem.given}: even without privacy there is none; "
                "allow more distortion."
            )
        else:
            # Some row has no finite loss at any distortion: also at all that the others leave.
            for k, (prior, count) in enumerate(kinds):
                share = (left + costs[k]) * Rational(1, count)
                row = _told(_row_problem(problem, prior, "loss", share), solve_row)
                if row.check().lower.is_infinite:
                    rows[k] = row, count
                    break
    return NoSolution(reason, witness=RowsProof(problem, None, tuple(rows)))


def _told(row: Problem, solve_row: Solver) -> Proof:
    """Return the proof of an answer, or that there is none."""
    try:
        return solve_row(row)
    except NoSolution as error:
        if isinstance(error.witness, Proof):
            return error.witness
        raise


def _from_kinds(problem: Problem, kinds: list[tuple[Prior, int]], solve_row: Solver) -> RowsProof | None:
    adds_up = problem.notion.rows_share == "sum"
    if len(kinds) == 1:
        ((prior, count),) = kinds
        given = problem.given
        if given.is_infinite or not (problem.asks == "loss" or adds_up):
            shares = [given]
        elif given.rational is not None:
            shares = [given * Rational(1, count)]
        else:
            # A share that is not rational is rounded up for the proof and down for the mechanism.
            shares = [Real.of(end / count) for end in (given.above(BITS), given.below(BITS))]
        lower, *rest = [solve_row(_row_problem(problem, prior, problem.asks, share)) for share in shares]
        return _assembled(problem, [(lower, count)], [(rest[0] if rest else lower, count)])
    if adds_up:
        return None
    if problem.asks == "distortion":
        parts = [(solve_row(_row_problem(problem, prior, "distortion", problem.given)), n) for prior, n in kinds]
        return _assembled(problem, parts, parts)
    assert problem.given.rational is not None
    shared = shared_level(
        [prior for prior, _ in kinds],
        problem.given.rational,
        lambda prior, asks, given: solve_row(_row_problem(problem, prior, asks, given)),
    )
    return _assembled(problem, [(row, 1) for row in shared.lower], [(row, 1) for row in shared.upper])


def _assembled(problem: Problem, lower: list[tuple[Proof, int]], upper: list[tuple[Proof, int]]) -> RowsProof:
    blocks = [Block(row.mechanism, count) for row, count in upper if row.mechanism is not None]
    if not isinstance(problem.source, Rows) or not problem.source.is_one_law:
        blocks = [Block(_alike(block.factor), block.rows) for block in blocks]
    return RowsProof(problem, ProductMechanism(blocks) if len(blocks) == len(upper) else None, tuple(lower))


def _alike(factor: AnyMechanism) -> TopRandomisedResponse:
    """Return the mechanism averaged over all orders of the letters: it costs all the same and loses no more."""
    alphabet = factor.universe
    assert isinstance(alphabet, Alphabet)
    letters = alphabet.size
    right = max(Rational(1, letters), 1 - sum_of(factor.costs(Hamming())) / letters)
    if right == 1:
        return TopRandomisedResponse(alphabet, range(letters), ONE, delta=ONE)
    return TopRandomisedResponse(alphabet, range(letters), (letters - 1) * right / (1 - right))


def _kinds(source: Rows) -> list[tuple[Prior, int]]:
    laws = [law for law in source.sources if isinstance(law, Prior)]
    if len(laws) == 1:
        return [(laws[0], source.rows)]
    return [(law, 1) for law in laws]


def _row_problem(problem: Problem, prior: Prior, asks: Asked, given: Real) -> Problem:
    assert isinstance(problem.universe, Databases)
    return Problem(problem.notion, prior, problem.distortion, problem.universe.alphabet, asks, given)
