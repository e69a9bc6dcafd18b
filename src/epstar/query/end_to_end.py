"""A query followed by a mechanism on its answers, seen from the databases: how private, how telling.

K = H after f is a channel from databases to outputs. Its level depends on the answer graph alone; what it leaks
about the whole database and about one individual stands beside the bounds that the level implies (alvim2011,
Sections 3 and 4).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from epstar.arguments import check_kind, shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism, StructuredMechanism, TopRandomisedResponse
from epstar.notions.base import Loss
from epstar.notions.differential_privacy import DifferentialPrivacy
from epstar.notions.maximal_leakage import MaximalLeakage
from epstar.probability_vectors import law, listed
from epstar.query.bounds import database_bound, in_bits, individual_bound, printed_individual_bound, range_bound
from epstar.query.enumeration import Row, is_inside
from epstar.query.exponential_kernel import (
    KernelMechanism,
    different,
    neighbours_on_a_line,
    neighbours_on_a_ring,
    total,
)
from epstar.query.known_graphs import PathPower, Ring
from epstar.query.query import Law, Query
from epstar.source import Prior
from epstar.universe import Label

_MOST_COMPARISONS = 1 << 20


@dataclass(frozen=True)
class Leakage:
    """Min-entropy leakage: by which factor the output raises the chance of guessing right in one try.

    >>> from epstar import Query, System, optimal_oblivious
    >>> count = Query.named("count", individuals=2, values=2)
    >>> found = System(count, optimal_oblivious(count, "log(2)").mechanism).database_leakage()
    >>> str(found.factor), str(found.nats)
    ('5/3', 'log(5/3)')
    """

    factor: Rational

    @property
    def nats(self) -> Real:
        """The leakage in nats."""
        return Real.log(self.factor)

    @property
    def bits(self) -> float:
        """The leakage in bits."""
        return float(in_bits(self.nats))


@dataclass(frozen=True)
class SystemLevel:
    """The differential-privacy level of a system, and where it is attained.

    `answers` and `output` are labels; `databases` differ in one row and give those answers. None where the level is 0.

    >>> from epstar import Query, System, optimal_oblivious
    >>> count = Query.named("count", individuals=2, values=2)
    >>> system = System(count, optimal_oblivious(count, "log(2)").mechanism)
    >>> found = system.level()
    >>> str(found.loss.upper), found.databases
    ('log(2)', ((0, 0), (1, 0)))
    """

    loss: Loss
    answers: tuple[Label, Label] | None
    output: Hashable | None
    databases: tuple[Row, Row] | None


@dataclass(frozen=True)
class Comparison:
    """What a system leaks and what its level would allow, in nats; `range_limit` uses the number of outputs.

    >>> from epstar import Query, System, optimal_oblivious
    >>> count = Query.named("count", individuals=2, values=2)
    >>> system = System(count, optimal_oblivious(count, "log(2)").mechanism)
    >>> found = system.compare()
    >>> str(found.individual), str(found.individual_limit)
    ('log(4/3)', 'log(4/3)')
    """

    level: Real
    database: Real
    database_limit: Real
    range_limit: Real
    individual: Real
    individual_limit: Real
    printed_individual_limit: Real


@dataclass(frozen=True, eq=False)
class System:
    """A query and a mechanism whose inputs are its answers, in their order.

    Raises:
        InvalidInput: if the mechanism has another number of inputs, or the answers in another order.

    >>> from epstar.mechanism import geometric
    >>> system = System(Query.named("count", individuals=2, values=2), geometric(3, 2))
    >>> str(system.level().loss.upper), round(system.database_leakage().bits, 6)
    ('log(2)', 0.736966)
    """

    query: Query
    mechanism: AnyMechanism

    def __post_init__(self) -> None:
        check_kind(self.query, Query, "The query of a system", "a Query")
        check_kind(self.mechanism, AnyMechanism, "The mechanism of a system", "a mechanism on its answers")
        inputs = self.mechanism.shape[0]
        if inputs != self.query.size:
            raise InvalidInput(
                f"The mechanism takes {inputs} inputs and the query has {self.query.size} answers; make them equal."
            )
        if isinstance(self.mechanism, Mechanism):
            taken, given = tuple(self.mechanism.universe.labels), tuple(self.query.answers)
            if taken != given and set(taken) == set(given):
                raise InvalidInput("The mechanism takes the answers in another order; reorder its rows.")

    def channel(self) -> Mechanism:
        """Return the channel from databases (those of the domain) to outputs, written out."""
        dense, table = self.mechanism.dense(), self.query.table
        rows = [dense.rows[place] for place in table.places[table.members].tolist()]
        if len(rows) == self.query.databases.size:
            return Mechanism(rows, self.query.databases, dense.outputs)
        return Mechanism(rows, self.query.domain_graph(), dense.outputs)

    def level(self) -> SystemLevel:
        """Return the level of the channel on databases: the worst ratio over neighbouring answers.

        Two answers are compared when databases that differ in one row give them, and only then.
        """
        on_answers = self._on_answers()
        loss = DifferentialPrivacy().loss(on_answers)
        inputs, outputs = loss.witness.inputs, loss.witness.outputs
        if isinstance(on_answers, StructuredMechanism) and loss.value > 0:
            inputs, outputs = _worst_pair(on_answers, self.query)
        if len(inputs) != 2:
            return SystemLevel(loss, None, None, None)
        answers = self.query.answers[inputs[0]], self.query.answers[inputs[1]]
        return SystemLevel(loss, answers, self.mechanism.outputs[outputs[0]], self.query.neighbours(*answers))

    def _on_answers(self) -> AnyMechanism:
        mechanism, shape = self.mechanism, self.query.shape
        if isinstance(mechanism, KernelMechanism) and mechanism.answers is shape:
            return mechanism
        if isinstance(mechanism, TopRandomisedResponse) and shape.is_clique:
            return mechanism
        dense = mechanism.dense()
        matrix = dense.rows if dense.is_exact else dense.floats
        return Mechanism(matrix, self.query.graph, dense.outputs)

    def database_leakage(self, prior: Law | None = None) -> Leakage:
        """Return what the output tells about the database, for a prior on the databases (uniform unless given).

        For the uniform prior it is the capacity of the mechanism, whatever the query, and nothing is enumerated.
        """
        if prior is None:
            return Leakage(self._capacity())
        weights = self.query.read_prior(prior)
        likeliest = self.query.likeliest(weights)
        return Leakage(self._guessed(range(self.query.size), likeliest) / max(weights))

    def answer_leakage(self, prior: Law | None = None) -> Leakage:
        """Return what the output tells about the answer, for a prior on the answers (uniform unless given)."""
        chances = self.query.read_answer_prior(prior)
        return Leakage(self._guessed(range(self.query.size), chances) / max(chances))

    def _capacity(self) -> Rational:
        if isinstance(self.mechanism, KernelMechanism):
            return total(self.mechanism.weights)  # the largest entry of a column is on the diagonal
        if isinstance(self.mechanism, TopRandomisedResponse):
            factor = MaximalLeakage().loss(self.mechanism).upper
            if factor is not None and factor.argument_of_log is not None:
                return factor.argument_of_log
        return self._guessed(range(self.query.size), (ONE,) * self.query.size)

    def _guessed(self, places: Sequence[int], weights: Sequence[Rational]) -> Rational:
        """Return the sum over outputs of the largest weight times probability, over these answers."""
        mechanism = self.mechanism
        if len(places) * mechanism.shape[1] > _MOST_COMPARISONS:
            raise InvalidInput("The mechanism is too large to compare its entries one by one; use a smaller one.")
        pairs = list(zip(places, weights, strict=True))
        return sum(
            (max(weight * mechanism.entry(y, z) for y, weight in pairs) for z in range(mechanism.shape[1])), ZERO
        )

    def individual_leakage(
        self, others: Sequence[Label], individual: int, prior: Prior | Sequence[Rational] | None = None
    ) -> Leakage:
        """Return what the output tells about one individual when the values of all `others` are known.

        `individual` counts from 0; `prior` is a distribution on the values, uniform unless given; values that would
        leave the domain are out of the question.
        """
        databases = self.query.databases
        row = whole_number(individual, "The individual", 0)
        known = tuple(others) if databases.rows == 1 else tuple(listed(others, "The values of the others"))
        if row >= databases.rows or len(known) != databases.rows - 1:
            raise InvalidInput(
                f"One of the {databases.rows} individuals and the values of the {databases.rows - 1} others are needed."
            )
        letters = databases.alphabet.labels
        chances: Sequence[Rational] = (ONE,) * len(letters)
        if prior is not None:
            chances = prior.probabilities if isinstance(prior, Prior) else law(prior, "The prior on the values")
        if len(chances) != len(letters):
            raise InvalidInput(f"The prior has {len(chances)} entries for {len(letters)} values; give one for each.")
        found = []
        for label, chance in zip(letters, chances, strict=True):
            database = (*known[:row], label, *known[row:])
            databases.index(database)
            if is_inside(self.query.domain, database):
                found.append((self.query.shape.index(self.query.answer(database)), chance))
        if not any(chance > 0 for _, chance in found):
            raise InvalidInput(f"No value of the individual fits {shown(known)}; change the others.")
        return Leakage(
            self._guessed([place for place, _ in found], [chance for _, chance in found])
            / max(chance for _, chance in found)
        )

    def worst_individual_leakage(self) -> Leakage:
        """Return the largest leakage about any individual, over all values of the others and all priors.

        The uniform prior on the value is the worst; sets of answers that an individual chooses from are compared,
        on a line and on a ring without looking at every output for each.
        """
        mechanism, shape = self.mechanism, self.query.shape
        if isinstance(mechanism, KernelMechanism) and mechanism.answers is shape:
            if isinstance(shape, PathPower) and shape.reach == 1 and shape.size > 1:
                return Leakage(max(neighbours_on_a_line(mechanism.ratio, mechanism.weights)))
            if isinstance(shape, Ring) and len(different(mechanism.weights)) == 1:
                return Leakage(neighbours_on_a_ring(mechanism.ratio, shape.size))
        return Leakage(max(self._window_factors(self.query.windows())))

    def _window_factors(self, windows: Iterable[Sequence[int]]) -> Iterable[Rational]:
        work = 0
        for window in windows:
            if len(window) == self.query.size:
                yield self._capacity()
                continue
            work += len(window) * self.mechanism.shape[1]
            if work > _MOST_COMPARISONS:
                raise InvalidInput("There are too many individuals and outputs to compare; use a smaller query.")
            yield self._guessed(window, (ONE,) * len(window))

    def compare(self) -> Comparison:
        """Return the true leakages beside the bounds that the level of the system implies.

        Raises:
            InvalidInput: if the level is infinite, where there are no bounds.
        """
        loss = self.level().loss
        level = loss.upper if loss.upper is not None else Real.of(loss.value)
        if level.is_infinite:
            raise InvalidInput("The level of the system is infinite, so that it bounds nothing; change the mechanism.")
        u, v = self.query.databases.rows, self.query.databases.alphabet.size
        return Comparison(
            level,
            self.database_leakage().nats,
            database_bound(u, v, level),
            range_bound(u, v, self.mechanism.shape[1], level),
            self.worst_individual_leakage().nats,
            individual_bound(v, level),
            printed_individual_bound(level),
        )


def _worst_pair(mechanism: StructuredMechanism, query: Query) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two neighbouring answers with the largest ratio, at an output that is one of them, as in every closed form."""
    shape, ratio = query.shape, mechanism.worst_ratio
    assert ratio is not None, "closed forms have finite levels"
    for z in range(shape.size):
        # In a known shape a neighbour lies beside every answer, or it is the last one.
        for x in (z + 1, z - 1, shape.size - 1):
            if (
                0 <= x < shape.size
                and shape.steps(x, z) == 1
                and mechanism.entry(z, z) == ratio * mechanism.entry(x, z) > 0
            ):
                return (z, x), (z,)
    return (), ()
