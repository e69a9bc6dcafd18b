"""The best mechanism that sees only the answer, for any graph, level, prior and gain.

A closed form where one applies, the linear program of `Frontier` otherwise; either way the answer is an interval
with a mechanism at its lower end and a proof of its upper end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from epstar.arguments import check_kind, shown
from epstar.completion import AnyProof, Converse, Proof
from epstar.distortion import Gain
from epstar.errors import InvalidInput, TimeLimit
from epstar.exact import ONE, Interval, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.probability_vectors import Table
from epstar.problem import Problem
from epstar.query.answer_graph import Shape
from epstar.query.certificate import KernelCertificate
from epstar.query.closed_forms import (
    Answers,
    HypothesisFails,
    answers_of,
    closed_form,
)
from epstar.query.exponential_kernel import ratios
from epstar.query.known_graphs import HammingShape
from epstar.query.query import Law, Query, read_answer_prior
from epstar.query.remap import binary_gain, is_binary, read_gain
from epstar.source import Prior
from epstar.universe import Universe

Method = Literal["closed form", "program"]
# A gain table beyond this many answers is not written out.
_MOST_ANSWERS = 1 << 11


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best utility at a level: proven interval, mechanism that attains its lower end, proof of its upper end.

    `form` names the closed form, or the method of `Frontier`. A closed form carries its `certificate`, which
    `certificate.check()` verifies in rationals; `proof` is the same in the form that every epstar answer has.

    >>> from epstar import Query, optimal_oblivious
    >>> best = optimal_oblivious(Query.named("count", individuals=5, values=2), "log(2)")
    >>> str(best.interval.upper), best.form
    ('4/9', 'tree')
    """

    interval: Interval
    mechanism: AnyMechanism
    form: str
    theorem: str
    level: Real
    certificate: KernelCertificate | None
    found_proof: AnyProof | None

    @property
    def lower(self) -> float:
        """The largest float that is proven not to exceed the best utility."""
        return self.interval.lower.lower

    @property
    def upper(self) -> float:
        """The smallest float that is proven not to be below the best utility."""
        return self.interval.upper.upper

    @cached_property
    def proof(self) -> AnyProof:
        """The proof that `Proof.check` verifies (for a gain it speaks of minus the utility).

        Raises:
            InvalidInput: for a closed form on too many answers to write the constraints out.
        """
        if self.found_proof is not None:
            return self.found_proof
        assert self.certificate is not None, "a closed form has a certificate"
        return kernel_proof(self.certificate, self.mechanism, self.level)


def kernel_proof(certificate: KernelCertificate, mechanism: AnyMechanism, level: Real) -> Proof:
    """Return the epstar proof made of a mechanism and of weights that bound every other one.

    Raises:
        InvalidInput: if the graph has too many answers to write its constraints out.
    """
    from epstar.notions.differential_privacy import DifferentialPrivacy

    graph = certificate.shape.graph()
    dense = mechanism.dense()
    problem = Problem(
        DifferentialPrivacy(), Prior(certificate.prior), binary_gain(graph.size), graph, "distortion", level
    )
    bounds = problem.notion.constraints(graph, []).pairwise()
    number = {(*bound.left, *bound.right): i for i, bound in enumerate(bounds)}
    multipliers = tuple(
        (number[x, other], z, multiplier) for (x, other, z), multiplier in certificate.multipliers().items()
    )
    converse = Converse(ONE, ((ONE, certificate.prior),), ratios=multipliers)
    return Proof(problem, Mechanism(dense.rows, graph, graph.labels), converse)


def optimal_oblivious(
    answers: Answers,
    level: object,
    prior: Law | None = None,
    gain: Gain | Table | None = None,
    method: Method | None = None,
    time_limit: float | None = None,
) -> Optimum:
    """Return the best mechanism with at most this loss (in nats) among those that see only the answer.

    `prior` is a distribution on the answers, uniform unless given; `gain` a table of answers by guesses, 0/1 unless
    given.

    Raises:
        InvalidInput: for a wrong level, prior or gain, or a forced closed form that does not apply.
        TimeLimit: if the program proves nothing in time.

    >>> best = optimal_oblivious(Query.named("count", individuals=5, values=2), "log(2)")
    >>> str(best.interval.lower), str(best.interval.upper), best.form
    ('4/9', '4/9', 'tree')
    """
    if method not in (None, "closed form", "program"):
        raise InvalidInput(f"{shown(method)} is not a method; choose 'closed form' or 'program', or leave it out.")
    shape = answers_of(answers)
    ratios(level)  # refuses a level that is none
    chances = None if prior is None else Prior(read_answer_prior(shape, prior))
    if gain is None or is_binary(read_gain(shape, gain)):
        if method != "program":
            try:
                return _closed(shape, Real.of(level), chances)
            except HypothesisFails:
                if method == "closed form":
                    raise
    elif method == "closed form":
        raise HypothesisFails("The closed forms are for the 0/1 gain; leave the method out to use the program.")
    return _program(shape, level, chances, gain, time_limit)


def _closed(shape: Shape, level: Real, chances: Law | None) -> Optimum:
    around = ratios(level)
    low = closed_form(shape, around.below, chances)
    # Between the two ratios there is no room to tell them apart, but the proof must hold for the larger one.
    high = low if around.is_exact else closed_form(shape, around.above, chances)
    interval = Interval(Real.of(low.value), Real.of(high.value))
    return Optimum(interval, low.mechanism, low.form, low.theorem, level, high.certificate, None)


def _program(
    shape: Shape, level: object, chances: Law | None, gain: Gain | Table | None, time_limit: float | None
) -> Optimum:
    from epstar.frontier import Frontier
    from epstar.notions.differential_privacy import DifferentialPrivacy

    if shape.size > _MOST_ANSWERS:
        raise InvalidInput(
            f"No closed form is known, and a program for {shape.size} answers is too large (at most {_MOST_ANSWERS}); "
            "ask about fewer."
        )
    if time_limit is not None:
        check_kind(time_limit, (int, float), "A time limit", "a number of seconds")
    graph: Universe = shape.databases if isinstance(shape, HammingShape) else shape.graph()
    source = Prior(read_answer_prior(shape, chances))
    frontier = Frontier(DifferentialPrivacy(), source, read_gain(shape, gain), universe=graph)
    answer = frontier.distortion_at(loss=Real.of(level), method="program", time_limit=time_limit)
    if answer.mechanism is None:
        raise TimeLimit("The program found no mechanism in time; raise the time limit, or ask about fewer answers.")
    return Optimum(answer.interval, answer.mechanism, answer.method, answer.theorem, Real.of(level), None, answer.proof)


@dataclass(frozen=True, eq=False)
class CostOfObliviousness:
    """What is lost by looking only at the answer: the best utility with and without that restriction.

    >>> from epstar import Query
    >>> from epstar.query.optimum import cost_of_obliviousness
    >>> found = cost_of_obliviousness(Query.named("parity", individuals=2, values=2), "log(2)")
    >>> found.oblivious.interval.upper <= found.unrestricted.interval.upper
    True
    """

    oblivious: Optimum
    unrestricted: Optimum

    @property
    def cost(self) -> Interval:
        """What the restriction costs: an interval around the difference of the two utilities."""
        free, bound = self.unrestricted.interval, self.oblivious.interval
        return Interval(free.lower - bound.upper, free.upper - bound.lower)


def cost_of_obliviousness(
    query: Query,
    level: object,
    prior: Law | None = None,
    gain: Gain | Table | None = None,
    time_limit: float | None = None,
) -> CostOfObliviousness:
    """Return the best utility of mechanisms that see the answer, and of those that see the whole database.

    `prior` is a distribution on the databases of the domain, uniform unless given. The second program has one row per
    database, so that it suits small u and v. Source: alvim2011 assumes obliviousness in Section 5.

    >>> from epstar import Query
    >>> from epstar.query.optimum import cost_of_obliviousness
    >>> found = cost_of_obliviousness(Query.named("max", individuals=2, values=2), "log(4)")
    >>> str(found.oblivious.interval.upper), str(found.unrestricted.interval.upper)
    ('4/5', '67/80')
    """
    check_kind(query, Query, "What is asked", "a Query")
    weights = query.read_prior(prior)
    answer_gain = read_gain(query.shape, gain)
    oblivious = optimal_oblivious(query, level, query.answer_law(weights), answer_gain, None, time_limit)
    places = query.table.places[query.table.members].tolist()
    guesses = tuple(answer_gain.outputs(query.shape))
    database_gain = Gain([answer_gain.values[place] for place in places], guesses)
    shape = HammingShape(query.databases) if query.domain is None else answers_of(query.domain_graph())
    unrestricted = _program(shape, level, weights, database_gain, time_limit)
    return CostOfObliviousness(oblivious, unrestricted)
