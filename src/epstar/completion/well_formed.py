"""Documents of the first schema: whether their multipliers belong to bounds that there are, before they are completed.

The rule of claims has the last word on what they prove; here what is superfluous, misplaced or would take a table
that nobody could hold is refused by its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from epstar.arguments import shown
from epstar.completion.converse import Converse, Mixture, mixed
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    RenyiDifferentialPrivacy,
)
from epstar.notions.constraints import Atom, Constraints, Maximum, Norm
from epstar.problem import Problem
from epstar.proof_file.limits import MOST_BOUNDS
from epstar.universe import Alphabet


def check_form(problem: Problem, converse: Converse) -> None:
    """Refuse multipliers that are negative, or of a bound, an input or an output that there is not.

    Raises:
        ProofRejected: naming what is wrong.
        InvalidInput: if the bounds are too many to list.
    """
    inputs, outputs = problem.distortion.shape(problem.universe)
    for mixture in _mixtures(converse):
        weights = [weight for weight, _ in mixture]
        if any(weight < 0 for weight in weights) or sum(weights, ZERO) != ONE:
            raise ProofRejected("The weights of a mixture must be non-negative and sum to one.")
        if any(len(law) != inputs for _, law in mixture):
            raise ProofRejected("The proof uses a distribution that is not in the source.")
    used = [*converse.ratios, *(entry for step in converse.steps for entry in step.ratios)]
    multiples = [converse.weight, *converse.sums, *(m for *_, m in used), *(m for *_, m in converse.maxima)]
    if any(multiple < 0 for multiple in [*multiples, *(step.weight for step in converse.steps)]):
        raise ProofRejected("A multiplier is negative, so weak duality does not apply.")
    if converse.prices is not None and (len(converse.prices) != inputs or converse.maxima or converse.slopes):
        raise ProofRejected("Prices of rows are one for each input of the problem, and stand beside no tangents.")
    is_zero = problem.asks == "distortion" and problem.given.rational == 0
    if not (used or converse.sums or converse.maxima or converse.slopes or converse.forced or is_zero):
        return
    constraints = _constraints(problem, converse)
    if converse.sums and len(converse.sums) != len(constraints.sums):
        raise ProofRejected(f"There are {len(converse.sums)} sum multipliers for {len(constraints.sums)} sum bounds.")
    if any(i >= constraints.number_of_ratios or y >= outputs for i, y, _ in used):
        raise ProofRejected("A multiplier refers to a bound or an output that the problem does not have.")
    _check_tangents(converse, constraints, outputs)


def _mixtures(converse: Converse) -> Iterator[Mixture]:
    yield from (converse.distortion_law, *converse.points, *(step.distortion_law for step in converse.steps))


def _check_tangents(converse: Converse, constraints: Constraints, outputs: int) -> None:
    for i, k, y, x, _ in converse.maxima:
        atom = _term(constraints, i, k)
        if not isinstance(atom, Maximum) or x not in atom.weights or y >= outputs:
            raise ProofRejected("A multiplier refers to a maximum that the notion does not have.")
        if i >= len(converse.sums) or converse.sums[i] == 0:
            raise ProofRejected("A maximum is used without a multiplier of its sum.")
    places: set[tuple[int, int, int]] = set()
    for i, k, y, place in converse.slopes:
        atom = _term(constraints, i, k)
        length = len(atom.weights) if isinstance(atom, Norm) else 1
        if atom is None or isinstance(atom, Maximum) or y >= outputs or len(place) != length:
            raise ProofRejected("A place does not fit the term that it linearises.")
        if (i, k, y) in places:
            raise ProofRejected("A term is linearised at two places.")
        places.add((i, k, y))


def _term(constraints: Constraints, i: int, k: int) -> Atom | None:
    """Return a term of a sum bound, None if there is none at this place."""
    terms = constraints.sums[i].terms if i < len(constraints.sums) else ()
    return terms[k][1] if k < len(terms) else None


def _constraints(problem: Problem, converse: Converse) -> Constraints:
    """Return the bounds of the notion, unless nobody could count them."""
    universe = problem.universe
    bounds = 2 * universe.number_of_pairs * max(1, len(converse.points))
    if bounds > max(MOST_BOUNDS, len(converse.sums)) and _writes_pairs(problem, converse):
        raise InvalidInput(f"The notion has {shown(bounds)} bounds, of which the proof lists few; give fewer inputs.")
    return problem.notion.constraints(universe, [mixed(point) for point in converse.points])


def _writes_pairs(problem: Problem, converse: Converse) -> bool:
    """Return whether a bound for each pair of inputs is made: row prices over an alphabet need none."""
    notion = problem.notion
    if isinstance(notion, RenyiDifferentialPrivacy) and not isinstance(notion.order, float):
        return True
    pairwise = DifferentialPrivacy | ApproximateDifferentialPrivacy | RenyiDifferentialPrivacy | Identifiability
    spares = isinstance(problem.universe, Alphabet) and not converse.ratios and not converse.forced
    return isinstance(notion, pairwise) and not (spares and len(converse.points) < 2)
