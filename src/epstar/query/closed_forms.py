"""Closed forms of the best oblivious mechanism for the 0/1 gain, each with its hypotheses checked on the data.

With E = e^level, q = 1/E, K[y][z] = q^distance(y, z): the best chance of guessing the answer from a mechanism with
ratio E between neighbouring answers. Every form returns its value, a mechanism that attains it and weights that
prove that nothing does better, all in rationals. Sources: alvim2011, Theorems 3 and 4 as corrected, and the closed
forms that hold beyond the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from epstar.arguments import check_kind, shown
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, Mechanism, TopRandomisedResponse
from epstar.mechanism.pairing import paired_universe
from epstar.query.answer_graph import AnyShape, Shape, shape_of
from epstar.query.certificate import KernelCertificate
from epstar.query.exponential_kernel import (
    DENSE_ANSWERS,
    Vector,
    dense_solutions,
    different,
    kernel_mechanism,
    total,
    tree_solution,
)
from epstar.query.query import Law, Query, read_answer_prior
from epstar.universe import Alphabet, Graph

Answers: TypeAlias = "Query | Shape | Graph"


class HypothesisFails(InvalidInput):
    """A closed form does not apply to this graph, ratio and prior; the message says which hypothesis fails.

    >>> from epstar.errors import EpstarError
    >>> from epstar.query import HypothesisFails
    >>> issubclass(HypothesisFails, EpstarError)
    True
    """


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The best utility at ratio E, a mechanism that attains it, and why nothing does better.

    >>> from epstar import Query, rational
    >>> from epstar.query import closed_form
    >>> found = closed_form(Query.named("count", individuals=5, values=2).shape, rational(2))
    >>> found.form, str(found.value)
    ('tree', '4/9')
    """

    form: str
    value: Rational
    ratio: Rational
    mechanism: AnyMechanism
    certificate: KernelCertificate

    @property
    def theorem(self) -> str:
        """The published result behind the form, or that it extends one."""
        return _THEOREMS[self.form]

    def check(self) -> Rational:
        """Return the value after recomputing loss, utility and bound from the mechanism and the weights.

        Raises:
            ProofRejected: if one of the three does not agree.
        """
        from epstar.notions.differential_privacy import DifferentialPrivacy

        loss = DifferentialPrivacy().loss(self.mechanism).upper
        if loss is None or loss > Real.log(self.ratio):
            raise ProofRejected("The mechanism loses more than its level.")
        prior = self.certificate.prior
        reached = sum_of([chance * self.mechanism.entry(y, y) for y, chance in enumerate(prior) if chance > 0])
        if not reached == self.value == self.certificate.check():
            raise ProofRejected("The utility of the mechanism and the bound of the weights are not the value.")
        return self.value


_EXTENDED = "alvim2011, Theorem 4 extended: "
_THEOREMS = {
    "no loss": "a level of 0 leaves one output distribution per component",
    "constant spheres": _EXTENDED + "constant sphere sums",
    "clique": _EXTENDED + "cliques with any prior",
    "tree": _EXTENDED + "trees of largest degree at most 1 + E",
    "star": _EXTENDED + "stars of at least 1 + E leaves",
    "kernel": _EXTENDED + "K^-1 1 >= 0 and K^-1 pi >= 0",
    "product": _EXTENDED + "Cartesian products",
}


def answers_of(answers: Answers) -> Shape:
    """Return the graph of a query, or the graph itself, as a shape."""
    return answers.shape if isinstance(answers, Query) else shape_of(answers)


def _read(answers: Answers, ratio: Rational, prior: Law | None) -> tuple[Shape, Vector]:
    shape = answers_of(answers)
    read_ratio(ratio)
    return shape, read_answer_prior(shape, prior)


def read_ratio(ratio: object) -> Rational:
    """Return a ratio e^level between neighbours, which must be at least 1."""
    read = rational(ratio)
    if read < ONE:
        raise InvalidInput(f"The ratio e^level must be at least 1, not {shown(read)}.")
    return read


def _is_uniform(prior: Vector) -> bool:
    return len(set(different(prior))) == 1


def no_loss(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """E = 1: each component names its likeliest answer; the utility is the sum of those probabilities."""
    shape, chances = _read(answers, ratio, prior)
    if ratio != ONE:
        raise HypothesisFails("Naming one answer per component is best only at level 0.")
    parts = (range(shape.size),) if shape.component_count == 1 else shape.graph().components
    weights, bound = [ZERO] * shape.size, [ZERO] * shape.size
    for part in parts:
        likeliest = max(part, key=lambda y: chances[y])
        weights[likeliest], bound[likeliest] = ONE, chances[likeliest]
    certificate = KernelCertificate(shape, ratio, chances, tuple(bound))
    mechanism = kernel_mechanism(shape, ratio, tuple(weights))
    return ClosedForm("no loss", total(bound), ratio, mechanism, certificate)


def constant_spheres(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Uniform answers, S = sum over z of q^distance(y, z) the same for all y: U = 1/S, by M = q^distance / S.

    Holds on every vertex-transitive graph: rings (1 - q)/((1 + q)(1 - q^n)) for 2n answers and
    (1 - q)/(1 + q - 2 q^(n+1)) for 2n + 1, cliques E/(E + N - 1), Hamming graphs (E/(v - 1 + E))^u; and on some
    others, such as the regular graphs of diameter 2.
    """
    shape, chances = _read(answers, ratio, prior)
    if not _is_uniform(chances):
        raise HypothesisFails("The form for constant spheres needs a uniform prior.")
    spheres = shape.sphere_sum(ONE / ratio)
    if spheres is None:
        raise HypothesisFails("The sphere sums differ between answers.")
    weight = ONE / spheres
    certificate = KernelCertificate(shape, ratio, chances, (weight * chances[0],) * shape.size)
    mechanism = kernel_mechanism(shape, ratio, (weight,) * shape.size)
    return ClosedForm("constant spheres", weight, ratio, mechanism, certificate)


def clique(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Clique, any prior: U = max over k of E P_k/(E + k - 1), P_k the sum of the k largest probabilities.

    Attained by randomised response on the k likeliest answers.
    """
    shape, chances = _read(answers, ratio, prior)
    if not shape.is_clique or ratio == ONE:
        raise HypothesisFails("This form needs a clique and a level above 0.")
    order = sorted(range(shape.size), key=lambda y: -chances[y])
    sums = accumulate(chances[y] for y in order)
    value, k = max(
        ((ratio * mass / (ratio + k - 1), -k) for k, mass in enumerate(sums, 1)),
    )
    active = order[:-k]
    q = ONE / ratio
    weights = tuple(max(ZERO, (chance - q * value) / (ONE - q)) for chance in chances)
    response = TopRandomisedResponse(Alphabet(tuple(shape.answers)), sorted(active), ratio)
    mechanism: AnyMechanism = response
    if shape.size <= DENSE_ANSWERS:
        mechanism = Mechanism(response.dense().rows, shape.graph(), tuple(shape.answers))
    return ClosedForm("clique", value, ratio, mechanism, KernelCertificate(shape, ratio, chances, weights))


def tree(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Tree of largest degree at most 1 + E: M = K[y][z] a[z] with a = (E + 1 - degree)/(E + 1).

    Uniform answers give U = 1 - 2(N - 1)/(N(1 + E)); any prior with K^-1 pi >= 0 gives the sum of K^-1 pi. On a
    path M is the truncated geometric mechanism. Costs a few operations per answer.
    """
    shape, chances = _read(answers, ratio, prior)
    if not shape.is_tree or ratio == ONE:
        raise HypothesisFails("This form needs a tree and a level above 0.")
    degree = int(shape.degrees().max())
    if Rational(degree) > ONE + ratio:
        raise HypothesisFails(f"An answer of the tree has {degree} neighbours, more than 1 + E.")
    bound = tree_solution(shape, ratio, chances)
    if min(different(bound)) < 0:
        raise HypothesisFails("The prior is outside the region where the kernel mechanism needs no remapping.")
    weights = tree_solution(shape, ratio, (ONE,) * shape.size)
    certificate = KernelCertificate(shape, ratio, chances, bound)
    return ClosedForm("tree", total(bound), ratio, kernel_mechanism(shape, ratio, weights), certificate)


def star(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Star with m >= 1 + E leaves, uniform answers: U = E/(m + 1), and the centre is never named."""
    shape, chances = _read(answers, ratio, prior)
    leaves = shape.size - 1
    if not shape.is_tree or int(shape.degrees().max()) != leaves or Rational(leaves) < ONE + ratio:
        raise HypothesisFails("This form needs a star with at least 1 + E leaves.")
    if not _is_uniform(chances) or shape.size > DENSE_ANSWERS:
        raise HypothesisFails(f"This form needs a uniform prior on at most {DENSE_ANSWERS} answers.")
    centre = int(shape.degrees().argmax())
    kept, other = ratio / leaves, (leaves - ratio) / (leaves * (leaves - 1))
    rows = [
        [
            ZERO if z == centre else Rational(1, leaves) if y == centre else kept if y == z else other
            for z in range(shape.size)
        ]
        for y in range(shape.size)
    ]
    value = ratio * chances[0]
    weights = tuple(value if y == centre else ZERO for y in range(shape.size))
    mechanism = Mechanism(rows, shape.graph(), tuple(shape.answers))
    return ClosedForm("star", value, ratio, mechanism, KernelCertificate(shape, ratio, chances, weights))


def kernel(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Any graph and prior with K^-1 1 >= 0 and K^-1 pi >= 0: U = 1^T K^-1 pi, by M = K[y][z] a[z], a = K^-1 1.

    Exact elimination, up to 96 answers.
    """
    shape, chances = _read(answers, ratio, prior)
    if ratio == ONE:
        raise HypothesisFails("At level 0 the kernel has no inverse.")
    solutions = dense_solutions(shape, ratio, [(ONE,) * shape.size, chances])
    if solutions is None:
        raise HypothesisFails("K^-1 1 or K^-1 pi has a negative entry, or the kernel has no inverse.")
    weights, bound = solutions
    certificate = KernelCertificate(shape, ratio, chances, bound)
    return ClosedForm("kernel", total(bound), ratio, kernel_mechanism(shape, ratio, weights), certificate)


def product(first: ClosedForm, second: ClosedForm) -> ClosedForm:
    """Cartesian product of two graphs with independent answers: the utilities multiply.

    Mechanisms and certificates multiply as well, entry by entry, so that nothing is assumed of the factors.

    Raises:
        InvalidInput: if the factors have different ratios or too many answers together.
    """
    for factor in (first, second):
        check_kind(factor, ClosedForm, "A factor", "two closed forms")
    if first.ratio != second.ratio:
        raise InvalidInput("The two factors have different levels; solve both at the same level.")
    left, right = first.certificate, second.certificate
    if left.shape.size * right.shape.size > DENSE_ANSWERS:
        raise HypothesisFails(f"The product has more than {DENSE_ANSWERS} answers; keep the factors apart.")
    graph = paired_universe(left.shape.graph(), right.shape.graph())
    assert isinstance(graph, Graph), "two graphs side by side are a graph"
    certificate = KernelCertificate(
        AnyShape(graph), first.ratio, _outer(left.prior, right.prior), _outer(left.weights, right.weights)
    )
    mechanism = first.mechanism.dense().product(second.mechanism.dense())
    return ClosedForm("product", first.value * second.value, first.ratio, mechanism, certificate)


def _outer(first: Vector, second: Vector) -> Vector:
    return tuple(a * b for a in first for b in second)


FORMS: tuple[Callable[[Answers, Rational, Law | None], ClosedForm], ...] = (
    no_loss,
    constant_spheres,
    clique,
    tree,
    star,
    kernel,
)


def closed_form(answers: Answers, ratio: Rational, prior: Law | None = None) -> ClosedForm:
    """Return the first closed form whose hypotheses hold.

    Raises:
        HypothesisFails: if there is none.

    >>> closed_form(Graph.line(6), Rational(2)).value, closed_form(Graph.ring(6), Rational(2)).value
    (4/9, 8/21)
    """
    shape, read = answers_of(answers), read_ratio(ratio)
    for form in FORMS:
        if form is kernel and shape.size > 96:
            continue
        try:
            return form(shape, read, prior)
        except HypothesisFails:
            continue
    raise HypothesisFails("No closed form is known for this graph, level and prior; use the program.")
