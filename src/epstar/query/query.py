"""Queries on databases and the graph of their answers.

A query f turns a database into an answer; two answers are neighbours when two databases that differ in one row
give them (alvim2011, Definition 2). A mechanism that sees only the answer keeps the databases private exactly
when it keeps neighbouring answers apart, so that the graph is all that matters of f.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.exact.vectors import sum_of
from epstar.probability_vectors import Numbers, law, listed
from epstar.query.answer_graph import AnyShape, Shape, graph_on
from epstar.query.enumeration import AnswerTable, Function, Predicate, Row, evaluated, is_inside, tabulated
from epstar.query.named_queries import Named, named_query
from epstar.source import Prior
from epstar.universe import Databases, Graph, Label, Universe

Law: TypeAlias = "Prior | Numbers"

# Beyond this many edges a graph is described rather than listed.
_LISTED_EDGES = 1 << 14
_MOST_ANSWERS = 1 << 24


@dataclass(frozen=True, init=False, eq=False)
class Query:
    """A function on databases, by enumeration; `Query.named` knows the common ones without it.

    `f` takes a tuple with one label per individual and must return something hashable on every database.
    `null` is the label that stands for an absent individual: f then sees the tuple without it. `domain` keeps
    only the databases for which it is true; neighbours are then sought among them. Answers are sorted if they are
    all numbers or all texts, and otherwise in order of first appearance.

    Raises:
        InvalidInput: if f fails or returns something unhashable, if the domain is empty, if `null` is no label,
            or if there are more than 2**20 databases.

    >>> query = Query(sum, Databases([0, 1, 2], 2))
    >>> query.answers, str(query.distance(0, 4))
    ((0, 1, 2, 3, 4), '2')
    """

    databases: Databases
    shape: Shape
    name: str
    null: Label | None
    domain: Predicate | None
    function: Function
    _named: Named | None

    def __init__(
        self,
        f: Function,
        databases: Databases,
        null: Label | None = None,
        domain: Predicate | None = None,
    ) -> None:
        if not isinstance(databases, Databases):
            raise InvalidInput("A query is asked of Databases; give Databases(alphabet, rows).")
        if not callable(f) or not (domain is None or callable(domain)):
            raise InvalidInput("A query and its domain are functions of a database; give callables.")
        if null is not None:
            databases.alphabet.index(null)
        table = tabulated(f, databases, null, domain)
        shape = AnyShape(graph_on(tuple(table.answers), table.edges().tolist()))
        name = getattr(f, "__name__", "query")
        self._set(databases=databases, shape=shape, name=name, null=null, domain=domain, function=f, _named=None)
        self.__dict__["table"] = table

    @classmethod
    def named(cls, name: str, individuals: int, values: int, modulus: int | None = None) -> Query:
        """Return a query with values 0 to `values` - 1 whose graph is known: no database is enumerated.

        Names: count (entries equal to 1), sum, average, max, min, median (lower), plurality (smallest value wins a
        tie), plurality_with_tie ("tie" is an answer), parity (of the count), any (entry not 0), count_mod (the
        count modulo `modulus`), distinct (how many values occur), identity (the database itself).

        >>> Query.named("count_mod", individuals=9, values=2, modulus=4).shape.is_vertex_transitive
        True
        """
        found = named_query(name, individuals, values, modulus)
        query = cls.__new__(cls)
        databases = Databases(values, individuals)
        query._set(databases=databases, shape=found.shape, name=name, null=None, domain=None)
        query._set(function=found.function, _named=found)
        return query

    def _set(self, **fields: object) -> None:
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @property
    def answers(self) -> Sequence[Label]:
        """The answers in order; answers are addressed by their place in it."""
        return self.shape.answers

    @property
    def size(self) -> int:
        """The number of answers."""
        return self.shape.size

    def domain_graph(self) -> Graph:
        """Return the databases of the domain, joined where they differ in one row."""
        members = self.table.members.tolist()
        place_of = {index: place for place, index in enumerate(members)}
        pairs = self.databases.pairs()
        edges = [
            (place_of[i], place_of[j])
            for i, j in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
            if i in place_of and j in place_of
        ]
        return Graph([self.databases.label(index) for index in members], edges)

    @cached_property
    def graph(self) -> Graph:
        """The answers as a `Graph` with its edges listed: at most 2**22, some seconds for a million."""
        return self.shape.graph()

    @property
    def universe(self) -> Universe:
        """The answers as a universe: a `Graph` if it is small, otherwise its shape, which costs nothing."""
        return self.graph if self.shape.edge_count <= _LISTED_EDGES else self.shape

    @property
    def components(self) -> tuple[Sequence[int], ...]:
        """The places of the answers, by connected component."""
        return (range(self.size),) if self.shape.component_count == 1 else self.graph.components

    @property
    def diameter(self) -> int | None:
        """The largest distance between two answers; None if some cannot be reached from others."""
        return self.shape.longest

    def distance(self, first: Label, second: Label) -> Rational | None:
        """Return the distance of two answers, given by their labels; None if there is no path."""
        return self.shape.distance(self.shape.index(first), self.shape.index(second))

    def are_adjacent(self, first: Label, second: Label) -> bool:
        """Return whether two databases that differ in one row give these two answers."""
        return self.distance(first, second) == 1

    def answer(self, database: Sequence[Label]) -> Hashable:
        """Return the answer for one database.

        Raises:
            InvalidInput: if it is not a database, or is outside the domain.
        """
        rows = tuple(listed(database, "A database"))
        self.databases.index(rows)
        if not is_inside(self.domain, rows):
            raise InvalidInput(f"The database {shown(rows)} is outside the domain of the query.")
        return evaluated(self.function, rows, self.null)

    @cached_property
    def table(self) -> AnswerTable:
        """The answers for every database, listed.

        Raises:
            InvalidInput: if there are more than 2**20 databases.
        """
        return tabulated(self.function, self.databases, answers=self.answers)

    def answer_law(self, prior: Law | None = None) -> Prior:
        """Return the distribution of the answer for a prior on the databases of the domain, uniform unless given."""
        gathered: list[list[Rational]] = [[] for _ in range(self.size)]
        for place, weight in zip(self._places(), self.read_prior(prior), strict=True):
            gathered[place].append(weight)
        return Prior([sum_of(shares) if shares else ZERO for shares in gathered])

    def likeliest(self, prior: Law | None = None) -> tuple[Rational, ...]:
        """Return for each answer the probability of the likeliest database that gives it."""
        most = [ZERO] * self.size
        for place, weight in zip(self._places(), self.read_prior(prior), strict=True):
            most[place] = max(most[place], weight)
        return tuple(most)

    def _places(self) -> list[int]:
        places: list[int] = self.table.places[self.table.members].tolist()
        return places

    def read_prior(self, prior: Law | None) -> tuple[Rational, ...]:
        """Return a distribution on the databases of the domain, one entry per database in lexicographic order."""
        count = len(self.table.members)
        if prior is None:
            return (Rational(1, count),) * count
        return _read_law(prior, count, "databases")

    def read_answer_prior(self, prior: Law | None) -> tuple[Rational, ...]:
        """Return a distribution on the answers, in their order; uniform unless given."""
        return read_answer_prior(self.shape, prior)

    def neighbours(self, first: Label, second: Label) -> tuple[Row, Row] | None:
        """Return two databases that differ in one row and give these answers; None if the answers are no neighbours.

        >>> Query.named("count", individuals=3, values=2).neighbours(2, 1)
        ((1, 1, 0), (0, 1, 0))
        """
        if not self.are_adjacent(first, second):
            return None
        places = self.shape.index(first), self.shape.index(second)
        return self.table.neighbours(*places) if self._named is None else self._named.neighbours(*places)

    def windows(self) -> Iterator[Sequence[int]]:
        """Yield sets of places of answers among which one individual chooses, the others being fixed.

        Each yielded set occurs, and every set that occurs is part of one. Enumerates the databases unless the
        query is one whose windows are known.
        """
        if self._named is not None and self._named.windows is not None:
            return iter(self._named.windows())
        return self.table.windows()


def read_answer_prior(answers: Universe, prior: Law | None) -> tuple[Rational, ...]:
    """Return a distribution on the answers, in their order; uniform unless given."""
    if answers.size > _MOST_ANSWERS:
        raise InvalidInput(
            "The query has too many answers to list a distribution on them (at most 2^24); ask about one row."
        )
    if prior is None:
        return (Rational(1, answers.size),) * answers.size
    return _read_law(prior, answers.size, "answers")


def _read_law(prior: Law, count: int, what: str) -> tuple[Rational, ...]:
    weights = prior.probabilities if isinstance(prior, Prior) else law(prior, f"The prior on {what}")
    if len(weights) != count:
        raise InvalidInput(f"The prior has {len(weights)} entries for {count} {what}; give one for each.")
    return weights


def query_from_problem(fields: Mapping[str, object]) -> Query:
    """Return the query of a problem file, {"name": "count", "individuals": u, "values": v}.

    The object that holds it under "query" will do as well; "modulus" goes with "count_mod".

    Raises:
        InvalidInput: for a missing or unknown field, or one that `Query.named` refuses.

    >>> from epstar.query import query_from_problem
    >>> query_from_problem({"name": "count", "individuals": 3, "values": 2}).answers
    range(0, 4)
    """
    inner = fields.get("query", fields) if isinstance(fields, Mapping) else None
    if not isinstance(inner, Mapping):
        raise InvalidInput("A query is described by an object with 'name', 'individuals' and 'values'.")
    missing = [field for field in ("name", "individuals", "values") if field not in inner]
    if missing:
        raise InvalidInput(f"The query has no {missing[0]!r}; add it.")
    unknown = sorted(set(map(str, inner)) - {"name", "individuals", "values", "modulus"})
    if unknown:
        raise InvalidInput(f"The query has an unknown field {unknown[0]!r}; remove it.")
    given: dict[str, Any] = dict(inner)
    return Query.named(**given)
