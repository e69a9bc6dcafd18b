"""Which way to solve a problem: the first that applies, each naming the result it rests on.

`method` forces one of them, so that tests can make them agree.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from epstar.deadline import WORKING, Deadline
from epstar.distortion import Hamming
from epstar.errors import InvalidInput, NoSolution, ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.memory import Memory, TooLarge
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MutualInformation,
    SibsonMutualInformation,
)
from epstar.notions.constraints import Constraints
from epstar.problem import Problem
from epstar.proof import AnyProof, Converse, Proof
from epstar.proof.divergences import compared_rows
from epstar.solve.cut_short import improved, known_ends, share_to_spare
from epstar.solve.disguised import disguised
from epstar.solve.forms.distances import by_distances
from epstar.solve.forms.erokhin import information
from epstar.solve.forms.graph import guessing
from epstar.solve.forms.hamming import leakage, response_to_prior, response_to_source
from epstar.solve.forms.identifiable import identifiable
from epstar.solve.forms.rows import by_rows, rows_theorem
from epstar.solve.forms.symmetric import symmetric
from epstar.solve.fractions.exact_distortion import exactly
from epstar.solve.fractions.exact_level import ENOUGH, is_small, sharpened
from epstar.solve.fractions.exact_loss import exactly_least
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.programs.evidence import is_private, trivial_converse
from epstar.solve.programs.forced import cheapest_mechanism, forced_answer, mixed_with_uniform, nearly_truthful
from epstar.solve.programs.general import least_bound, least_distortion
from epstar.solve.programs.level import least_level
from epstar.solve.programs.members import is_listed
from epstar.solve.programs.prior_level import prior_level
from epstar.solve.smooth.alike import at_level_zero
from epstar.solve.smooth.orders import by_orders
from epstar.solve.smooth.rate_distortion import rate_distortion
from epstar.solve.smooth.refined import refined
from epstar.solve.units import in_units, restored, unit_of
from epstar.source import Prior
from epstar.universe import Alphabet

# Beyond e^30 a program would mix coefficients that floats cannot hold together, and nothing is left to gain.
_LARGE_LEVEL = 30
_LARGEST_LEVEL = 1000
_MANY_ENTRIES = 200
_MANY_LETTERS = 128
_WIDE = 5e-8
_NEAR = Rational(1, 1000)
METHODS = ("closed form", "program")
_RATE_DISTORTION = "Csiszár's form of the rate-distortion function"


@dataclass(frozen=True)
class Solved:
    """A proof with how it was found: the method and the published result behind it."""

    proof: AnyProof
    method: str
    theorem: str
    timed_out: bool = False
    too_large: bool = False

    def row_proof(self) -> Proof:
        """Return the proof of a row, which is never itself made of rows."""
        assert isinstance(self.proof, Proof)
        return self.proof


@np.errstate(all="ignore")
def solve(
    problem: Problem, method: str | None = None, time_limit: float | None = None, memory_limit: float | None = None
) -> Solved:
    """Return a proof around the answer, within some seconds and with some bytes for all that the process holds.

    What floats find is a proposal, so that nobody is warned where they overflow on the way.

    Raises:
        NoSolution: if no mechanism meets what was asked, with the proof of it as witness.
        TimeLimit: if nothing was proven in time.
    """
    if method is not None and method not in METHODS:
        raise InvalidInput(f"{method!r} is not a method; choose one of {', '.join(METHODS)}, or leave it out.")
    whole = Deadline(time_limit)
    disguise = None if method == "program" else disguised(problem)
    if disguise is not None:
        with disguise.refusing():
            solved = solve(disguise.plain, method, whole.remaining, memory_limit)
        theorem = "; ".join(filter(None, (disguise.theorem, solved.theorem)))
        return replace(solved, proof=disguise.restored(solved.row_proof()), theorem=theorem)
    left = whole.remaining
    deadline = Deadline(None if left is None else WORKING * left, share_to_spare(problem))
    with Memory(memory_limit).kept():
        if method != "program":
            by_row = _RowSolver(method, deadline)
            rows = by_rows(problem, by_row)
            if rows is not None:
                theorems = dict.fromkeys((rows_theorem(problem), *by_row.theorems))
                return Solved(rows, "rows", "; ".join(theorems), by_row.timed_out)
            distances = by_distances(problem)
            if distances is not None:
                return Solved(distances, "closed form", "zhong2022, Theorem 7, made exact by symmetry")
        try:
            solved = _solved(problem, method, deadline)
        except TimeLimit:
            return _naming_the_order(_improved(_nothing(problem, timed_out=True), deadline))
        except TooLarge:
            return _naming_the_order(_improved(_nothing(problem, too_large=True), deadline))
        is_late = deadline.is_missed or (solved.method == "program" and deadline.remaining == 0)
        solved = replace(solved, timed_out=solved.timed_out or is_late)
        return _naming_the_order(_improved(solved, deadline) if solved.timed_out else solved)


def _naming_the_order(solved: Solved) -> Solved:
    """Return the answer with the theorem by which its proof reads the notion at a smaller order, where it does so."""
    if not isinstance(solved.proof, Proof) or solved.proof.converse is None or solved.proof.converse.order is None:
        return solved
    is_sibson = isinstance(solved.proof.problem.notion, SibsonMutualInformation)
    grows = "zhong2022, Lemma 20(9)" if is_sibson else "vanerven2014, Theorem 3"
    return replace(solved, theorem=f"{solved.theorem}; {grows}")


def _solved(problem: Problem, method: str | None, deadline: Deadline) -> Solved:
    """Return the first proof that a form or a program gives, or what there is of it when time runs out."""
    # Away from the ends of the trade-off; where that is no sooner told, other forms come first.
    if method != "closed form" and _has_quick_saddle(problem):
        unit = unit_of(problem)
        with deadline.kept():
            found = rate_distortion(in_units(problem, unit), deadline.left)
        if found is not None:
            return Solved(restored(found, problem, unit), "program", _RATE_DISTORTION)
    if method != "program" and _has_many_letters(problem):
        solved = _alphabet_forms(problem)
        if solved is not None:
            return solved
    with suppress(TimeLimit), deadline.kept():
        _check_possible(problem)
        extreme = _extreme(problem)
        if extreme is not None:
            return extreme
    if method != "program":
        for form in (_alphabet_forms, _symmetric_form, _graph_form):
            solved = form(problem)
            if solved is not None:
                return solved
    if method == "closed form":
        raise InvalidInput("No closed form is known for this problem; leave the method out to use a program.")
    with deadline.kept():
        return _settled(_program(problem, deadline), deadline)


def _improved(solved: Solved, deadline: Deadline) -> Solved:
    """Return what was cut short with better ends, where other ways know some in the time that was spared."""
    proof = improved(
        solved.row_proof(), deadline.afterwards(), lambda other, left: solve(other, None, left).row_proof()
    )
    return replace(solved, proof=proof)


def _settled(solved: Solved, deadline: Deadline) -> Solved:
    """Return a least loss with both ends at the logarithm of one fraction, where it is one that is recognised."""
    if isinstance(solved.proof, Proof) and solved.proof.problem.asks == "loss" and not solved.timed_out:
        with suppress(TimeLimit):
            return replace(solved, proof=exactly_least(solved.proof, deadline))
    return solved


@dataclass
class _RowSolver:
    """Solves the rows of a database within one time limit; remembers whether it passed, and what the rows rest on."""

    method: str | None
    deadline: Deadline
    timed_out: bool = False
    theorems: list[str] = field(default_factory=list)

    def __call__(self, row: Problem) -> Proof:
        solved = solve(row, self.method, self.deadline.remaining)
        self.timed_out = self.timed_out or solved.timed_out
        self.theorems.append(solved.theorem)
        return solved.row_proof()


def _has_quick_saddle(problem: Problem) -> bool:
    """Return whether there is no closed form to look for first, and all laws that judge a mechanism are at hand."""
    return not isinstance(problem.distortion, Hamming) and is_listed(problem.source)


def _has_many_letters(problem: Problem) -> bool:
    """Return whether a matrix of all letters would be too large, so that only a structured form can answer."""
    response = isinstance(problem.notion, DifferentialPrivacy | ApproximateDifferentialPrivacy | MaximalLeakage)
    letters = isinstance(problem.universe, Alphabet) and isinstance(problem.distortion, Hamming)
    possible = problem.asks == "distortion" or problem.given > 0
    return response and letters and possible and problem.universe.size > _MANY_LETTERS


def _nothing(problem: Problem, timed_out: bool = False, too_large: bool = False) -> Solved:
    """Return what is proven before anything is known: the ends are looked for in the time that is left."""
    converse = None if problem.asks == "loss" else trivial_converse(problem)
    return Solved(Proof(problem, None, converse), "program", "weak duality", timed_out, too_large)


def _program(problem: Problem, deadline: Deadline) -> Solved:
    """Return a proof from programs, which work in units in which costs are not tiny."""
    unit = unit_of(problem)
    solved = _in_plain_units(in_units(problem, unit), deadline)
    return replace(solved, proof=restored(solved.row_proof(), problem, unit))


def _in_plain_units(problem: Problem, deadline: Deadline) -> Solved:
    saddle = None if _has_quick_saddle(problem) else rate_distortion(problem, deadline.left)
    if saddle is not None:
        return Solved(saddle, "program", _RATE_DISTORTION)
    by_row = _RowSolver(None, deadline)
    ordered = by_orders(problem, by_row, deadline)
    if ordered is not None:
        return Solved(ordered, "program", "weak duality", by_row.timed_out)
    if problem.asks == "distortion":
        return Solved(_least_distortion(problem, deadline), "program", "weak duality")
    constraints = problem.notion.constraints(problem.universe, [])
    points = [(ONE,) + (ZERO,) * (problem.universe.size - 1)]
    scales = {bound.scale for bound in problem.notion.constraints(problem.universe, points).sums}
    if len(scales) > 1 or (scales and _is_near_least(problem)):
        # Cone programs take more steps for sums on many scales, and prove little near the least distortion.
        proof = _narrowed(Proof(problem, mixed_with_uniform(problem), None), deadline)
        if proof.check().width <= _WIDE:
            return Solved(proof, "program", "weak duality")
    if (
        len(scales) == 1
        and not constraints.ratios
        and constraints.spread is None
        and not _has_pairs(problem, constraints)
    ):
        proof = _narrowed(least_bound(problem, deadline), deadline)
        if proof.check().width <= _WIDE or deadline.is_missed:
            return Solved(proof, "program", "weak duality")
        # The bound is a steep function of the level; searching the level itself is slower and keeps more digits.
        found = least_level(problem, deadline)
        best = min(proof, found.proof, key=lambda candidate: candidate.check().width)
        return Solved(best, "program", "weak duality", found.timed_out)
    floor = prior_level(problem)
    if _is_near_least(problem):
        # There programs in floats are slow and prove little.
        proof = sharpened(Proof(problem, mixed_with_uniform(problem), floor), deadline)
        if proof.check().width <= ENOUGH:
            return Solved(proof, "program", "weak duality")
    found = least_level(problem, deadline, floor)
    proof = found.proof if found.timed_out else _narrowed(found.proof, deadline)
    if proof.mechanism is None:
        # No program near the answer could be solved; a plain mixture at least has a finite loss.
        proof = replace(proof, mechanism=mixed_with_uniform(problem))
    if not found.timed_out:
        proof = sharpened(proof, deadline)
    return Solved(proof, "program", "weak duality", found.timed_out)


def _least_distortion(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least distortion: from floats, and from many digits where floats prove too little."""
    failure: SolverFailure | None = None
    try:
        proof = least_distortion(problem, deadline)
    except SolverFailure as error:
        # Numbers that are too far apart for floats need not be for many digits.
        proof, failure = known_ends(problem), error
    proof = _narrowed(proof, deadline)
    with suppress(TimeLimit):
        proof = exactly(proof, deadline)
    if failure is not None and proof.mechanism is None:
        raise failure
    return proof


def _is_near_least(problem: Problem) -> bool:
    """Return whether the distortion allowed is hardly more than the least there is, in a small problem."""
    if not is_small(problem):
        return False
    cheapest = problem.source.maximum([min(row) for row in problem.distortion.matrix(problem.universe)]).value
    return problem.given - cheapest <= (best_constant(problem).distortion - cheapest) * _NEAR


def _has_pairs(problem: Problem, constraints: Constraints) -> bool:
    """Return whether a method of its own finds the least distortion at a level, much faster than a cone program."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs >= _MANY_ENTRIES and isinstance(problem.source, Prior) and bool(compared_rows(constraints))


def _narrowed(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof that proves enough as it is, another as far as many digits and the time left improve it."""
    with suppress(TimeLimit):
        if proof.check().width > _WIDE:
            return refined(proof.problem, proof, deadline)
    return proof


def _check_possible(problem: Problem) -> None:
    """Refuse a distortion below that of the best mechanism without privacy, or a level below that of the prior."""
    if problem.asks == "loss":
        converse: Converse | None = trivial_converse(problem)
        reason = "even without privacy there is none; allow more distortion"
        what = f"No mechanism has a distortion of at most {problem.given}"
    elif problem.given.is_infinite:
        return
    else:
        converse = prior_level(problem)
        reason = "the prior alone gives away more; allow a larger loss"
        what = f"No mechanism has a loss of at most {problem.given}"
    if converse is None or (converse.level is not None and converse.level <= problem.given):
        return
    proof = Proof(problem, None, replace(converse, level=None))
    try:
        impossible = proof.check().lower.is_infinite
    except ProofRejected:
        return
    if impossible:
        raise NoSolution(f"{what}: {reason}.", witness=proof)


def _extreme(problem: Problem) -> Solved | None:
    """Return the answer where a constant mechanism is good enough, or where only one mechanism is left."""
    if problem.asks == "distortion":
        return _extreme_level(problem)
    constant = best_constant(problem)
    if Real.of(constant.distortion) <= problem.given:
        mechanism = constant_mechanism(problem, constant.law)
        loss = problem.notion.loss(mechanism, problem.source)
        if loss.upper is not None and loss.upper.rational == 0:
            return Solved(Proof(problem, mechanism, None), "constant mechanism", "a constant answer loses nothing")
        return Solved(Proof(problem, mechanism, prior_level(problem)), "constant mechanism", "wang2016, Section II")
    forced = forced_answer(problem)
    return None if forced is None else Solved(forced, "forced mechanism", "the least distortion forces the answers")


def _extreme_level(problem: Problem) -> Solved | None:
    """Return the answer where privacy does not bind, where it leaves only constants, or where it barely binds."""
    cheapest = cheapest_mechanism(problem)
    if is_private(cheapest, problem, problem.given):
        return Solved(
            Proof(problem, cheapest, trivial_converse(problem)),
            "truthful mechanism",
            "the level does not bind",
        )
    if problem.given >= _LARGE_LEVEL:
        constant = best_constant(problem)
        unaware = constant_mechanism(problem, constant.law)
        least = cheapest.distortion(problem.distortion, problem.source).value
        if constant.distortion == least and is_private(unaware, problem, problem.given):
            return Solved(
                Proof(problem, unaware, trivial_converse(problem)), "constant mechanism", "no other answer costs less"
            )
    if problem.given.rational == 0:
        proof = at_level_zero(problem, lambda other: solve(other).row_proof())
        if proof is not None:
            return Solved(proof, "constant mechanism", "level zero leaves constant mechanisms")
    if problem.given >= _LARGE_LEVEL:
        # Beyond that a smaller level shows nothing more, and its digits would fill the memory.
        capped = Real.of(_LARGEST_LEVEL) if problem.given > _LARGEST_LEVEL else problem.given
        mechanism = nearly_truthful(replace(problem, given=capped))
        if mechanism is not None:
            return Solved(
                Proof(problem, mechanism, trivial_converse(problem)),
                "truthful mechanism",
                "the level barely binds",
            )
    return None


def _alphabet_forms(problem: Problem) -> Solved | None:
    """Return the closed form for Hamming distortion on an alphabet, where there is one."""
    if not isinstance(problem.universe, Alphabet) or not isinstance(problem.distortion, Hamming):
        return None
    if problem.asks == "loss" and problem.given <= 0:
        return None
    notion = problem.notion
    prior = problem.source.probabilities if isinstance(problem.source, Prior) else None
    if isinstance(notion, DifferentialPrivacy | ApproximateDifferentialPrivacy):
        delta = notion.delta if isinstance(notion, ApproximateDifferentialPrivacy) else ZERO
        if delta == 1:
            # All is forgiven, and the forms divide by what is not.
            return None
        name = "zhong2022, Theorem 9" if delta > 0 else "zhong2022, Theorem 13"
        flattest = problem.source.flattest
        if flattest is not None:
            if prior is None:
                name = "zhong2022, Theorem 9" if delta > 0 else "kalantari2018, Theorems 1 and 2 as corrected"
                name = f"{name}, at the flattest law of the source"
            return Solved(response_to_prior(problem, flattest.probabilities, delta), "closed form", name)
        name = "kalantari2018, Theorems 1 to 3 as corrected, as one linear program"
        if delta > 0:
            name = f"{name}; zhong2022, Theorem 9, for the slack"
        return Solved(response_to_source(problem, delta), "small program", name)
    if isinstance(notion, MaximalLeakage):
        return Solved(leakage(problem), "small program", "zhong2022, Theorem 14")
    if isinstance(notion, MutualInformation) and prior is not None:
        return _between(
            problem,
            lambda: Solved(information(problem, prior), "closed form", "Erokhin's rate-distortion function"),
        )
    if isinstance(notion, Identifiability) and prior is not None and min(prior) > 0:
        return _between(
            problem,
            lambda: Solved(identifiable(problem, prior), "closed form", "wang2016, Theorem 1, exact beyond its range"),
        )
    return None


def _symmetric_form(problem: Problem) -> Solved | None:
    """Return the symmetric mechanism where the uniform law is in the hull of the source."""
    proof = symmetric(problem)
    return None if proof is None else Solved(proof, "closed form", "zhong2022, Theorem 7 and Proposition 8")


def _graph_form(problem: Problem) -> Solved | None:
    """Return the closed form for guessing the node of a graph, where one applies."""
    found = guessing(problem)
    return None if found is None else Solved(found[0], "closed form", found[1])


def _between(problem: Problem, build: Callable[[], Solved]) -> Solved | None:
    """Return the closed form unless the level is at one of its ends, where the formula degenerates."""
    if problem.asks == "distortion" and problem.given <= 0:
        return None
    return build()
