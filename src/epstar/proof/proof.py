"""A proof: one mechanism that shows what is possible, and multipliers that show what is not.

`Proof.check` recomputes both from the problem's data in exact and ball arithmetic, and returns the interval that
they establish. It trusts nothing that a solver said and nothing that the proof claims.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar

from epstar.claims.claim import Setting
from epstar.claims.enclosed_distortion import enclosed_distortion
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notebook.face import Displayed, Saved
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints
from epstar.problem import Problem
from epstar.proof.converse import (
    BITS,
    Converse,
    Guarantee,
    Mixture,
    check_converse,
    guarantee,
    mixed,
    sum_charge,
    sum_weight,
)
from epstar.proof.diagonal_maxima import diagonal_guarantee
from epstar.proof.divergences import divergence_guarantee
from epstar.proof.equality import rise
from epstar.proof.forced import forced_answers, forced_loss
from epstar.proof.information import information_guarantee
from epstar.proof.level_zero import has_law_alone, least_at_level_zero
from epstar.proof.limits import MOST_BOUNDS
from epstar.proof.row_prices import integer_guarantee
from epstar.reading import shown
from epstar.source import Finite, Hull, Prior, Source
from epstar.universe import Alphabet


@dataclass(frozen=True)
class Interval:
    """A value enclosed between two exactly specified numbers."""

    lower: Real
    upper: Real

    @property
    def width(self) -> float:
        """The width, rounded up; exactly 0.0 where both ends are the same number."""
        if self.upper.is_infinite:
            return 0.0 if self.lower.is_infinite else float("inf")
        difference = self.upper - self.lower
        if self.lower is self.upper or (
            self.lower.argument_of_log is not None and self.lower.argument_of_log == self.upper.argument_of_log
        ):
            return 0.0
        return max(0.0, difference.upper)


@dataclass(frozen=True, repr=False)
class Proof(Displayed, Saved):
    """Evidence for an interval around the answer to `problem`.

    Without a mechanism there is no upper end; without a converse the lower end is the trivial one. What was checked
    once is remembered, but for other processes.

    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> print(answer.proof.check().upper)
    log(12)
    """

    _face: ClassVar[str] = "proofs"

    problem: Problem
    mechanism: AnyMechanism | None
    converse: Converse | None

    def check(self) -> Interval:
        """Return the interval that the evidence establishes.

        Raises:
            ProofRejected: if the evidence is malformed or does not establish anything.
        """
        return checked(self.lower, self.upper)

    @cached_property
    def upper(self) -> Real:
        """What the mechanism achieves.

        Raises:
            ProofRejected: if it is not admissible.
        """
        return achieved(self.problem, self.mechanism)

    def with_mechanism_of(self, other: Proof) -> Proof:
        """Return this proof with the mechanism of another about the same problem; what was checked stays known."""
        joined = Proof(self.problem, other.mechanism, self.converse)
        for end, known in (("lower", self), ("upper", other)):
            if end in vars(known):
                vars(joined)[end] = vars(known)[end]
        return joined

    def __getstate__(self) -> dict[str, object]:
        # Numbers with recipes cannot be sent between processes.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @cached_property
    def lower(self) -> Real:
        """What the converse proves.

        Raises:
            ProofRejected: if that is nothing.
        """
        problem, converse = self.problem, self.converse
        if converse is None:
            if problem.asks == "loss":
                return Real.of(ZERO)
            raise ProofRejected("A distortion has no lower bound without a converse.")
        if converse.order is not None:
            problem = replace(problem, notion=_of_smaller_order(problem.notion, converse.order))
        _check_laws(converse, problem)
        level = converse.level if problem.asks == "loss" else problem.given
        constraints, shape = _constraints(converse, problem), problem.distortion.shape(problem.universe)
        check_converse(converse, constraints, shape)
        if _is_at_level_zero(converse, problem):
            return Real.of(least_at_level_zero(converse, constraints, problem.distortion.matrix(problem.universe)))
        if converse.relative and level is None:
            raise ProofRejected("Multipliers in units of bounds need a level.")
        if converse.forced and problem.asks == "loss":
            answers = forced_answers(problem, mixed(converse.distortion_law), constraints, converse.steps)
            loss = forced_loss(problem, answers, constraints)
            if loss is not None:
                return loss
            if not (converse.weight > 0 or converse.sums or converse.ratios):
                raise ProofRejected("The least distortion leaves more than one mechanism, and nothing tells of these.")
            proven = guarantee(converse, constraints, problem.distortion.matrix(problem.universe), level, answers)
        else:
            proven = _proven(converse, constraints, problem, level)
        if problem.asks == "distortion":
            total = proven.value - sum_charge(converse, constraints, problem.given)
            return _least_distortion(_sharply(total, max(converse.sums, default=ONE)), converse.weight)
        if level is None:
            return _least_level(proven, converse, constraints, problem.given)
        if _is_equality(proven, converse, problem) and _rises(converse, constraints, problem, level):
            return level
        return _excluded_level(proven, converse, constraints, level, problem.given)


def _check_laws(converse: Converse, problem: Problem) -> None:
    """Refuse a law that the source does not hold."""
    if converse.weights is None:
        _check_members(converse.distortion_law, problem.source)
    else:
        _check_weights(converse, problem.source)
    for step in converse.steps:
        _check_members(step.distortion_law, problem.source)
    priors = problem.notion.priors(problem.source)
    for mixture in converse.points:
        _check_members(mixture, priors)
    if not priors.is_convex and any(len(mixture) > 1 for mixture in converse.points):
        raise ProofRejected("The source is not convex, so a notion cannot be read at a mixture of its members.")


def _constraints(converse: Converse, problem: Problem) -> Constraints:
    """Return the bounds of the notion; none where the proof uses none, and none that nobody could count."""
    universe = problem.universe
    if has_law_alone(converse) and not converse.forced and not _is_at_level_zero(converse, problem):
        return Constraints()
    bounds = 2 * universe.number_of_pairs * max(1, len(converse.points))
    if bounds > max(MOST_BOUNDS, len(converse.sums)) and _writes_pairs(converse, problem):
        raise InvalidInput(f"The notion has {shown(bounds)} bounds, of which the proof lists few; give fewer inputs.")
    return problem.notion.constraints(universe, [mixed(point) for point in converse.points])


def _writes_pairs(converse: Converse, problem: Problem) -> bool:
    """Return whether a bound for each pair of inputs is made: row prices over an alphabet need none."""
    notion = problem.notion
    if isinstance(notion, RenyiDifferentialPrivacy) and not isinstance(notion.order, float):
        return True
    pairwise = DifferentialPrivacy | ApproximateDifferentialPrivacy | RenyiDifferentialPrivacy | Identifiability
    spares = isinstance(problem.universe, Alphabet) and not converse.ratios and not converse.forced
    return isinstance(notion, pairwise) and not (spares and len(converse.points) < 2)


def _is_at_level_zero(converse: Converse, problem: Problem) -> bool:
    return problem.asks == "distortion" and problem.given.rational == 0 and has_law_alone(converse)


def _proven(converse: Converse, constraints: Constraints, problem: Problem, level: Real | None) -> Guarantee:
    """Return what multipliers that were checked prove: in arrays where they have the form for it, else one by one."""
    distortion, universe = problem.distortion, problem.universe
    found = integer_guarantee(converse, constraints, distortion, universe, level)
    found = found or information_guarantee(converse, problem.notion, distortion, universe)
    found = found or divergence_guarantee(converse, constraints, distortion, universe)
    found = found or diagonal_guarantee(converse, constraints, distortion, universe)
    return found or guarantee(converse, constraints, distortion.matrix(universe), level)


def _of_smaller_order(notion: Notion, order: Rational) -> Notion:
    """Return the notion at a smaller order, which asks for less: Rényi divergences and Sibson's grow with the order."""
    if not isinstance(notion, RenyiDifferentialPrivacy | SibsonMutualInformation):
        raise ProofRejected("Only a notion of an order can be read at another.")
    if order <= 0 or not (isinstance(notion.order, float) or order <= notion.order):
        raise ProofRejected("A notion can be read only at a smaller order than its own.")
    return type(notion)(order)


def checked(lower: Real, upper: Real) -> Interval:
    """Return the interval between two proven bounds.

    Raises:
        ProofRejected: if they are the wrong way round, so that one of them must be false.
    """
    if _surely_above(lower, upper):
        raise ProofRejected("The two halves of the proof contradict each other; at least one is wrong.")
    return Interval(lower, upper)


def achieved(problem: Problem, mechanism: AnyMechanism | None) -> Real:
    """Return what a mechanism achieves: its loss or its distortion, after checking that it is admissible."""
    if mechanism is None:
        return INFINITY
    if mechanism.universe != problem.universe:
        raise ProofRejected("The mechanism has other inputs than the problem.")
    distortion = _worst_distortion(problem, mechanism)
    loss = problem.notion.loss(mechanism, problem.source).upper
    if loss is None:
        raise ProofRejected("The mechanism is not exact; rationalise it before proving anything about it.")
    if problem.asks == "loss":
        if Real.of(distortion) > problem.given:
            raise ProofRejected(f"The mechanism has distortion {float(Real.of(distortion))}, more than allowed.")
        return loss
    if loss > problem.given:
        raise ProofRejected(f"The mechanism has loss {float(loss)}, more than allowed.")
    return Real.of(distortion)


def _worst_distortion(problem: Problem, mechanism: AnyMechanism) -> Rational:
    """Return the worst distortion exactly; for a large table of floats a number just above it, where that decides."""
    enclosed = enclosed_distortion(Setting.of(problem), mechanism)
    if enclosed is not None and (problem.asks == "distortion" or enclosed.upper <= problem.given.lower):
        return Rational(*enclosed.upper.as_integer_ratio())
    return mechanism.distortion(problem.distortion, problem.source).value


def _surely_above(lower: Real, upper: Real) -> bool:
    """Return whether balls separate the two numbers the wrong way round; equal numbers need not be told apart."""
    if lower.is_infinite or upper.is_infinite:
        return lower.is_infinite and not upper.is_infinite
    return lower.below(BITS) > upper.above(BITS)


def _least_distortion(total: Real, weight: Rational) -> Real:
    if weight > 0:
        return total / weight
    if total > 0:
        return INFINITY
    raise ProofRejected("The multipliers put no weight on the distortion and exclude nothing.")


def _sharply(difference: Real, multiplier: Rational) -> Real:
    """Return a difference with as many more digits as a heavy multiplier cancels of its two sides."""
    if difference.rational is not None:
        return difference
    taken = int(multiplier.ceil()).bit_length()
    return Real.from_ball(lambda bits: difference.ball(bits + taken))


def _least_level(proven: Guarantee, converse: Converse, constraints: Constraints, distortion: Real) -> Real:
    rest = proven.value - distortion * converse.weight
    share = sum_weight(converse, constraints)
    if share == 0:
        return INFINITY if rest > 0 else Real.of(ZERO)
    rest = _sharply(rest, converse.weight / min(ONE, share))
    scales = {bound.scale for bound, used in zip(constraints.sums, converse.sums, strict=True) if used > 0}
    if len(scales) != 1:
        raise ProofRejected("The sums are bounded on different scales, so the proof must name a level.")
    (scale,) = scales
    bound = rest / share
    # At level zero and below nothing is claimed: losses are never negative.
    return scale.level(bound) if bound > scale.bound(Real.of(ZERO)) else Real.of(ZERO)


def _is_equality(proven: Guarantee, converse: Converse, problem: Problem) -> bool:
    """Return whether ratio bounds alone prove just the distortion allowed, and smaller levels may prove more."""
    distortion = problem.given.rational
    alone = converse.ratios and converse.prices is None and not any(converse.sums) and not converse.forced
    return bool(alone) and distortion is not None and proven.value.rational == distortion * converse.weight


def _rises(converse: Converse, constraints: Constraints, problem: Problem, level: Real) -> bool:
    cost, allowed = problem.distortion.matrix(problem.universe), problem.given.rational
    assert allowed is not None
    return rise(converse, converse.steps, constraints, cost, level, allowed)


def _excluded_level(
    proven: Guarantee, converse: Converse, constraints: Constraints, level: Real, distortion: Real
) -> Real:
    total = proven.value - sum_charge(converse, constraints, level)
    allowed = distortion * converse.weight
    if total > allowed or (proven.strict and total >= allowed):
        return level
    raise ProofRejected(f"The multipliers do not exclude the level {float(level)}.")


def _check_weights(converse: Converse, source: Source) -> None:
    """Check that the law is what the weights make of the points that the source lists."""
    weights = converse.weights or ()
    if any(weight < 0 for weight in weights) or sum(weights, ZERO) != ONE:
        raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
    law = source.mixed(weights) if isinstance(source, Finite | Hull) else None
    if law is None or mixed(converse.distortion_law) != law:
        raise ProofRejected("The law of the proof is not the mixture that its weights make.")


def _check_members(mixture: Mixture, source: Source) -> None:
    weights = [weight for weight, _ in mixture]
    if any(weight < 0 for weight in weights) or sum(weights, ZERO) != ONE:
        raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
    for _, point in mixture:
        listed = isinstance(source, Finite | Hull) and point in source.points
        listed = listed or (isinstance(source, Prior) and point is source.probabilities)
        if not listed and not source.contains(point):
            raise ProofRejected("The proof uses a law that is not in the source.")
