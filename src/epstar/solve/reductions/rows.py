"""Independent rows: one problem per kind of row, whose mechanisms are applied row by row (zhong2022, Lemma 16)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from epstar.claims.rows import shares_rows
from epstar.completion import Proof, RowsProof
from epstar.completion.converse import BITS
from epstar.completion.rows import independent_rows
from epstar.distortion import Absolute, Hamming, Squared
from epstar.errors import NoSolution
from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.exact.vectors import sum_of
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
from epstar.notions.measure.by_distance import is_uniform
from epstar.problem import Asked, Problem
from epstar.solve.bracket import Bracket, Claims, Offer, Question, asked
from epstar.solve.forms.randomised_response import wrong_with
from epstar.solve.method import Outcome, Reduction
from epstar.source import Prior, Rows
from epstar.universe import Alphabet, Databases

if TYPE_CHECKING:
    from epstar.solve.reductions.unlike_rows import Asking, RowProof

_LEVEL = "zhong2022, Lemma 16(1), true for all mechanisms"
THEOREMS: dict[type[Notion], str] = {
    DifferentialPrivacy: _LEVEL,
    RenyiDifferentialPrivacy: _LEVEL,
    ApproximateDifferentialPrivacy: "zhong2022, Theorem 18(1), true event-wise and for all mechanisms",
    Identifiability: "wang2016, product priors (recomputed)",
    MutualInformation: "zhong2022, Lemma 16(2), true for all mechanisms",
}
"""By which result the optimum of independent rows is that of one row, for each notion."""


class IndependentRows(Reduction):
    """A database whose rows are independent, as rows; Hamming's, absolute or squared distortions add up over them."""

    name = "independent rows"
    knows_additions = True

    def accepts(self, problem: Problem) -> bool:
        """Return whether the optimum follows from those of the rows."""
        is_plain = problem.secret is None and not problem.limits and not problem.also
        if not isinstance(problem.universe, Databases) or not is_plain or not shares_rows(problem.notion):
            return False
        if type(problem.distortion) not in (Hamming, Absolute, Squared):
            return False
        source = independent_rows(problem)
        return source is not None and not (_adds_up(problem) and len(_kinds(source)) > 1)

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return one problem for each kind of row; none yet where unlike rows have to share a distortion."""
        kinds = _kinds_of(problem)
        if len(kinds) > 1 and problem.asks == "loss":
            return ()
        if len(kinds) > 1:
            return tuple(_row_problem(problem, prior, "distortion", problem.given) for prior, _ in kinds)
        ((prior, count),) = kinds
        return tuple(_row_problem(problem, prior, problem.asks, share) for share in _shares(problem, count))

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the mechanisms of the rows side by side, and that none of the rows can do better."""
        kinds = _kinds_of(problem)
        cited: list[str] = []
        try:
            if len(kinds) == 1:
                lower, *rest = (_told(found, cited) for found in outcomes)
                count = kinds[0][1]
                proof = _assembled(problem, [(lower, count)], [(rest[0] if rest else lower, count)])
            elif problem.asks == "distortion":
                parts = [(_told(found, cited), n) for found, (_, n) in zip(outcomes, kinds, strict=True)]
                proof = _assembled(problem, parts, parts)
            else:
                proof = yield from _sharing(problem, kinds, cited)
        except NoSolution as error:
            if not isinstance(error.witness, Proof):
                raise
            refused = yield from _refuted(problem, kinds, str(error))
            raise refused from None
        # Other members of the source than the uniform law may raise the loss.
        is_other = independent_rows(problem) is not problem.source and not is_uniform(problem.source)
        settles = not (is_other and problem.notion.needs_source)
        yield Offer(proof, "rows", "; ".join(dict.fromkeys((rows_theorem(problem), *cited))), settles)


def rows_theorem(problem: Problem) -> str:
    """Return the result by which the rows of a database answer for it."""
    theorem = THEOREMS.get(type(problem.notion), "averaging over the other rows cannot raise the loss of a row")
    if independent_rows(problem) is problem.source or isinstance(problem.source, Prior):
        return theorem
    return f"{theorem}; zhong2022, Theorem 17 as corrected: the set holds the uniform distribution"


def _adds_up(problem: Problem) -> bool:
    return problem.notion.rows_share == "sum"


def _kinds_of(problem: Problem) -> list[tuple[Prior, int]]:
    source = independent_rows(problem)
    assert source is not None
    return _kinds(source)


def _shares(problem: Problem, count: int) -> list[Real]:
    """Return what one of some like rows is given, for the proof and, if that is another, for the mechanism."""
    given = problem.given
    if given.is_infinite or not (problem.asks == "loss" or _adds_up(problem)):
        return [given]
    if given.rational is not None:
        return [given * Rational(1, count)]
    # A share that is not rational is rounded up for the proof and down for the mechanism.
    return [Real.of(end / count) for end in (given.above(BITS), given.below(BITS))]


def _told(found: Outcome, cited: list[str]) -> RowProof:
    """Return the proof about a row, and note what it rests on.

    Raises:
        NoSolution: if the row has none.
    """
    if isinstance(found, NoSolution):
        raise found
    cited.append(found.theorem)
    return found.row_proof


def _sharing(
    problem: Problem, kinds: list[tuple[Prior, int]], cited: list[str]
) -> Generator[Question, Bracket | None, RowsProof]:
    """Return the proof for unlike rows that share a distortion."""
    from epstar.solve.reductions.unlike_rows import shared_level  # which like rows do without

    def solve_row(prior: Prior, asks: Asked, given: Real) -> Asking:
        return _told((yield from asked(_row_problem(problem, prior, asks, given))), cited)

    assert problem.given.rational is not None
    shared = yield from shared_level([prior for prior, _ in kinds], problem.given.rational, solve_row)
    return _assembled(problem, [(row, 1) for row in shared.lower], [(row, 1) for row in shared.upper])


def _refuted(
    problem: Problem, kinds: list[tuple[Prior, int]], reason: str
) -> Generator[Question, Bracket | None, NoSolution]:
    """Return that no mechanism on the database does what was asked, because none does on some row."""
    level = INFINITY if problem.asks == "loss" else problem.given
    rows: list[tuple[RowProof, int]] = []
    for prior, count in kinds:
        rows.append(((yield from _proven(_row_problem(problem, prior, "distortion", level))), count))
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
                row = yield from _proven(_row_problem(problem, prior, "loss", share))
                if row.check().lower.is_infinite:
                    rows[k] = row, count
                    break
    return NoSolution(reason, witness=RowsProof(problem, None, tuple(rows)))


def _proven(row: Problem) -> Asking:
    """Return the proof of an answer, or that there is none."""
    try:
        return (yield from asked(row)).proof
    except NoSolution as error:
        if isinstance(error.witness, Proof):
            return error.witness
        raise


def _assembled(
    problem: Problem, lower: Sequence[tuple[RowProof, int]], upper: Sequence[tuple[RowProof, int]]
) -> RowsProof:
    blocks = [Block(row.mechanism, count) for row, count in upper if row.mechanism is not None]
    if not isinstance(problem.source, Rows) or not problem.source.is_one_law:
        blocks = [Block(_alike(block.factor), block.rows) for block in blocks]
    return RowsProof(problem, ProductMechanism(blocks) if len(blocks) == len(upper) else None, tuple(lower))


def _alike(factor: AnyMechanism) -> TopRandomisedResponse:
    """Return the mechanism averaged over all orders of the letters: it costs all the same and loses no more."""
    alphabet = factor.universe
    assert isinstance(alphabet, Alphabet)
    letters = Rational(alphabet.size)
    return wrong_with(min(1 - 1 / letters, sum_of(factor.costs(Hamming())) / letters), alphabet)


def _kinds(source: Rows) -> list[tuple[Prior, int]]:
    laws = [law for law in source.sources if isinstance(law, Prior)]
    if len(laws) == 1:
        return [(laws[0], source.rows)]
    return [(law, 1) for law in laws]


def _row_problem(problem: Problem, prior: Prior, asks: Asked, given: Real) -> Problem:
    assert isinstance(problem.universe, Databases)
    return Problem(problem.notion, prior, problem.distortion, problem.universe.alphabet, asks, given)
