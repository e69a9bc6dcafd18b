#!/usr/bin/env python3
"""Check a proof of epstar without epstar: one file, the standard library, no search, no optimiser, no tolerance.

    python check_proof.py FILE        an answer, a curve or a proof (docs/proof-format.md); - for standard input

It says yes and what is proven (exit code 0), no and why (1), or that the document cannot be read or asks for too much
work (2). A mechanism Q gives each input x a law Q(.|x) on outputs y. A document makes two claims about one problem,
with their numbers in them; each is verified as it stands:

    attained    the mechanism Q has loss <= L and distortion <= D under every law of the source;
    excluded    no mechanism has loss <= L and distortion <= D, one of the two (the open one) strictly smaller.

EXCLUDED rests on one rule, Farkas' lemma with facial reduction. Write z(x,y) >= 0 for the entries of a mechanism that
is said not to exist. It satisfies linear constraints, form(z) <= bound: its distortion under a law of the source; each
ratio bound of a notion; each tangent of a convex sum bound; and its rows sum to one. A step names multiples of such
constraints, not negative but for equations. If in the sum no entry has a negative coefficient c, then

    0  <=  sum of c(x,y) z(x,y)  <=  total of the bounds.

If the total is negative, or zero with a strict constraint among those used, there is no such z. If it is zero, entries
with c > 0 vanish, and so, where the loss is open, do the entries on the right of the ratio bounds used: at a smaller
loss they count for less. The next step need not care for the coefficients of entries that vanish. All else is refused.

ATTAINED is an evaluation: the rows of Q are laws, its mean cost is at most D under the worst law of the source, and
every bound of the notion holds at L. What a document names as a help is verified and never looked for.

PART ONE is a whole checker for single records: a prior, a list of laws, or its mixtures; ratio bounds, maxima and
entropies; costs of any kind. PART TWO adds powers, each in a section: entries of the tables of part one, by names that
documents use, and subclasses of its values. It reads from top to bottom: cut off before part two or any section of it
(and with its last two lines) it runs, judges what it reads, and says of all else that it cannot be read. Of a document
that part one can read no line of a function of part two runs, so that whoever checks such answers stops there.

Fractions are exact; logarithms, exponentials and powers are enclosed by fractions on the safe side. The work is at most
FREE + MULTIPLE * (bytes of the document) operations on numbers: `spend` counts what is not a walk through the document
before it is done, and the size of numbers is bounded.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, chain, combinations_with_replacement, pairwise, permutations, product
from math import factorial, gcd, lcm, prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias

MOST_BYTES, MOST_LISTS = 1 << 27, 1 << 22  # of the document; lists and objects in it
FREE, MULTIPLE = 1 << 21, 16  # operations: so many, and so many more for each byte
LONGEST_NUMBER = 4000  # characters, and the largest exponent of ten
MOST_BITS = 1 << 16  # of the common denominator of all numbers, of exact powers, and of the number of databases
LARGEST_EXPONENT = 20_000  # e^20000 has 8,686 digits

Pair: TypeAlias = tuple[Fraction, Fraction]  # a number lies between the two
Law: TypeAlias = tuple[Fraction, ...]
Form: TypeAlias = dict[int, Fraction]  # a linear form: coefficients by input
Fields: TypeAlias = dict[str, Any]
ZERO, ONE = Fraction(0), Fraction(1)


class Refused(Exception):
    """The document was understood, and does not prove what it claims."""


class Unreadable(Exception):
    """The document is not one of this format, or asks for more work than its size allows."""


class Work:
    """What is left to spend on a document, the common denominator and the bits of its numbers, the place being read."""

    left, common, length, place = 0, 1, 0, list[str]()


def spend(amount: int, length: int = 0) -> None:
    """Count operations; each on numbers of many bits, as long as those met so far, for as many as it takes."""
    Work.left -= amount * (1 + (max(length, Work.length) // 1024) ** 2)
    if Work.left < 0:
        raise Unreadable("it asks for more work than a document of its size may")


def require(condition: bool, why: str) -> None:
    if not condition:
        raise Refused(why)


def fail(what: str) -> NoReturn:
    raise Unreadable(f"{''.join(Work.place).lstrip('.') or 'the document'}: {what}")


def expect(condition: object, otherwise: str) -> None:
    if not condition:
        fail(otherwise)


# -- Numbers: fractions, and pairs of fractions around what is not rational --------------------------------------------

DOWN, UP = (
    Context(prec=70, rounding=side, Emin=-999_999, Emax=999_999, traps=[InvalidOperation, DivisionByZero, TooLarge])
    for side in (ROUND_FLOOR, ROUND_CEILING)
)


def use_digits(digits: int = 60) -> None:
    """Enclose with so many decimal digits from here on; ten more are kept against rounding."""
    DOWN.prec = UP.prec = 10 + digits
    for known in ENCLOSED:
        known.cache_clear()


def decimal(x: Fraction, side: Context) -> Decimal:
    return side.divide(Decimal(x.numerator), Decimal(x.denominator))


@lru_cache(maxsize=1 << 14)
def ln(x: Fraction) -> Pair:
    """`decimal` rounds a logarithm to the nearest, so one unit more on each side is safe; that of one is exact."""
    spend(8 + (DOWN.prec // 48) ** 3)
    low, high = DOWN.ln(decimal(x, DOWN)), UP.ln(decimal(x, UP))
    return Fraction(DOWN.next_minus(low) if low else low), Fraction(UP.next_plus(high) if high else high)


@lru_cache(maxsize=1 << 12)
def exp(low: Fraction, high: Fraction) -> Pair:
    """Of a number between two; rounded likewise. What is below e^-20000 lies between nothing and that."""
    spend(8 + (DOWN.prec // 48) ** 3)
    if high > LARGEST_EXPONENT:
        raise Unreadable(f"an exponent beyond {LARGEST_EXPONENT} is needed")
    least, most = (decimal(max(end, Fraction(-LARGEST_EXPONENT)), side) for end, side in ((low, DOWN), (high, UP)))
    below, above = DOWN.next_minus(DOWN.exp(least)), UP.next_plus(UP.exp(most))
    return Fraction(below) if low >= -LARGEST_EXPONENT else ZERO, Fraction(above)


ENCLOSED = [ln, exp]


def times(a: Pair, factor: Fraction) -> Pair:
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


def dot(form: Form | Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """The value of a linear form."""
    spend(len(form))
    terms: Iterable[tuple[int, Fraction]] = form.items() if isinstance(form, dict) else enumerate(form)
    return sum((c * q[x] for x, c in terms if c), ZERO)


def bits(x: Fraction) -> int:
    return sum(map(int.bit_length, x.as_integer_ratio()))


def root_of(n: int, degree: int) -> int:
    """The largest whole number whose power is at most n, by Newton's method from a number not below the root."""
    guess = int(exp(*times(ln(Fraction(n)), Fraction(1, degree)))[1]) + 1 if 1 < degree < n.bit_length() else 1
    while (less := ((degree - 1) * guess + n // guess ** (degree - 1)) // degree) < guess:
        spend(1, n.bit_length())
        guess = less
    return guess if degree > 1 else n


class Level(NamedTuple):
    """A loss, a distortion or a sum of them: value + the sum of weight * log(base), or infinity."""

    value: Fraction = ZERO
    logs: Mapping[Fraction, Fraction] = MappingProxyType({})  # weights by base
    infinite: int = 0  # 1, or -1 for minus infinity

    def plus(self, other: Level, factor: Fraction = ONE) -> Level:
        more = {base: self.logs.get(base, ZERO) + factor * weight for base, weight in other.logs.items()}
        infinite = self.infinite or (other.infinite if factor > 0 else -other.infinite)
        return Level(self.value + factor * other.value, {**self.logs, **more}, infinite)

    def pair(self) -> Pair:
        require(not self.infinite, "an infinite loss bounds nothing")
        ends = [times(ln(base), weight) for base, weight in self.logs.items()]
        return self.value + sum(low for low, _ in ends), self.value + sum(high for _, high in ends)

    def as_power(self) -> tuple[Fraction, Fraction] | None:
        """(r, t) with e^self = r^t, t > 0, if there are such fractions of moderate size."""
        whole = lcm(*(weight.denominator for weight in self.logs.values()))
        exponents = {base: int(weight * whole) for base, weight in self.logs.items()}
        if self.infinite or self.value or sum(bits(base) * abs(n) for base, n in exponents.items()) > MOST_BITS:
            return None
        common = gcd(*exponents.values()) or 1
        return prod((base ** (n // common) for base, n in exponents.items()), start=ONE), Fraction(common, whole)

    def exp(self, rate: Fraction = ONE) -> Pair:
        """e^(rate * self), exact where that is a fraction of moderate size."""
        found = self if rate == 1 else NOTHING.plus(self, rate)
        power, share = found.as_power() or (ZERO, ONE)
        parts, degree = power.as_integer_ratio(), share.denominator
        if power:
            roots = [root_of(n, degree) for n in parts]
            if (roots[0] ** degree, roots[1] ** degree) == parts:
                spend(1, sum(map(int.bit_length, roots)) * share.numerator)
                return (Fraction(*roots) ** share.numerator,) * 2
        return exp(*found.pair())

    def at_most(self, other: Level, strictly: bool = False) -> bool:
        """Whether this is certainly at most the other; where enclosures touch, powers are compared."""
        if self.infinite or other.infinite:
            return self.infinite < other.infinite or (self.infinite == other.infinite and not strictly)
        gap = self.plus(other, -ONE)
        low, high = gap.pair()
        power = gap.as_power() if low <= 0 <= high else None
        excess = high if power is None else power[0] - 1
        return excess < 0 or (excess == 0 and not strictly)


NOTHING, INFINITY = Level(), Level(infinite=1)


def log_of(base: Fraction, weight: Fraction = ONE) -> Level:
    return Level(ZERO, {base: weight} if base != 1 else {})


# -- Reading: {"field": kind, "optional?": kind}, [kind], (kind, kind), {"text"}, a type or function; OneOf objects ----

LATER = None  # the kind of what is read later
_NUMBER = re.compile(r"[+-]?[0-9]+(?:/(?P<below>[0-9]+)|(?:\.[0-9]+)?(?:[eE](?P<ten>[+-]?[0-9]{1,4}))?)", re.ASCII)


class OneOf(dict[str, tuple[Fields, Any]]):
    """Objects told apart by a field (the last of those here, else the first): their fields, and what they are read for.
    Part two adds entries."""


@lru_cache(maxsize=1 << 16)
def rational(text: str) -> Fraction | None:
    """The fraction that a text stands for, or None; all numbers of a document have a moderate common denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None or int(found["below"] or 1) == 0 or abs(int(found["ten"] or 0)) > LONGEST_NUMBER:
        return None
    value = Fraction(text)
    Work.common = lcm(Work.common, value.denominator) if Work.common % value.denominator else Work.common
    Work.length = max(Work.length, bits(value), Work.common.bit_length() // 8)
    if Work.common.bit_length() > MOST_BITS:
        raise Unreadable("the numbers of the document have no common denominator of moderate length")
    return value


def read(kind: Any, value: Any, place: str = "") -> Any:
    """A value of a kind."""
    Work.place.append(place)
    found = value
    if isinstance(kind, OneOf):
        names = [name for name in kind if isinstance(value, dict) and name in value] or [*kind][:1]
        fields, use = kind[names[-1]]
        found = use, read(fields, value)
    elif isinstance(kind, dict):
        known = {name.rstrip("?"): inner for name, inner in kind.items()}
        needed = {name for name in kind if not name.endswith("?")}
        if not isinstance(value, dict) or not needed <= value.keys() <= known.keys():
            fail(f"an object with {', '.join(kind)} was expected, and nothing else")
        found = {name: read(known[name], entry, f".{name}") for name, entry in value.items()}
    elif isinstance(kind, list | tuple):
        kinds = kind * len(value) if isinstance(kind, list) and isinstance(value, list) else kind
        if not isinstance(value, list) or len(value) != len(kinds):
            fail("a list was expected" + (f" with {len(kind)} entries" if isinstance(kind, tuple) else ""))
        texts = value if kind in ([number], [shown]) else [None]
        found = [rational(text) if type(text) is str else None for text in texts]  # the usual case, at once
        if None in found:
            found = [read(kinds[k], entry, f"[{k}]") for k, entry in enumerate(value)]
    elif isinstance(kind, set | type):
        fits = type(value) in (str, bool) and value in kind if isinstance(kind, set) else type(value) is kind
        found = value if fits else fail(f"{sorted(kind) if isinstance(kind, set) else kind.__name__} was expected")
    elif kind is not LATER:
        found = kind(value)
    Work.place.pop()
    return found


def made(table: OneOf, value: Any, *more: Any) -> Any:
    """What an object that is told apart is read for."""
    make, given = read(table, value)
    return make(given, *more)


def number(value: Any, loose: bool = False) -> Fraction:
    """A text; where `loose`, in a problem, also a JSON number, which stands for the decimal that it shows."""
    text = str(value) if loose and type(value) in (int, Decimal) else value
    found = rational(text) if isinstance(text, str) else None
    return found if found is not None else fail('a number was expected, such as "3/10"')


def law(value: Any, loose: bool = False) -> Law:
    found = tuple(read([shown if loose else number], value))
    expect(found and min(found) >= 0 and sum(found) == 1, "a distribution is not negative and sums to exactly one")
    return found


def whole(value: Any, least: int = 0, most: int = MOST_BYTES) -> int:
    is_whole = type(value) is int and least <= value <= most
    return int(value) if is_whole else fail("a whole number in its range was expected")


def optional(kind: Any, missing: Any, value: Any) -> Any:
    """A value of a kind, or nothing for what stands in its place."""
    return None if value == missing and type(value) is type(missing) else read(kind, value)


def level(value: Any, loose: bool = False, is_loss: bool = True) -> Level:
    """A distortion: a number or "infinity"; a loss: also "log(r)", and not negative."""
    is_log = is_loss and isinstance(value, str) and value.startswith("log(") and value.endswith(")")
    found = INFINITY if value == "infinity" else Level(number(value[4:-1] if is_log else value, loose))
    expect(not is_loss or found.value >= is_log or found.infinite, "a loss is never negative")
    return log_of(found.value) if is_log else found


def sized(values: Any, count: int) -> Any:
    return values if len(values) == count else fail(f"{count} entries were expected")


def table(values: Sequence[Sequence[Fraction]], rows: int) -> list[Law]:
    """Equally long lists of numbers."""
    return [tuple(sized(row, len(values[0]) or 1)) for row in sized(values, max(rows, 1))]


shown, shown_law, count = partial(number, loose=True), partial(law, loose=True), partial(whole, least=1, most=1 << 30)
distortion = partial(level, is_loss=False)


# -- The problem: inputs and their distances, sources, notions, costs --------------------------------------------------


def label(value: Any) -> Fraction | None:
    """The number that a label is, if it is one: a rational, or a JSON number that everybody reads alike."""
    if isinstance(value, dict):
        return Fraction(read({"rational": shown}, value)["rational"])
    if isinstance(value, list):
        read([label], value)
        expect(value, "a label is no empty list")
    if type(value) in (int, Decimal) and len(re.sub(r"[eE].*|\D", "", str(value)).strip("0")) > 15:
        fail("a number that is a label has at most 15 digits")
    return shown(value) if type(value) in (int, Decimal) else None


@dataclass(frozen=True)
class Universe:
    """Inputs 0 ... size - 1, with `values`: their labels if all are numbers, else positions. All are at distance 1; or
    those in a graph with the lengths of its `edges`."""

    size: int
    values: Sequence[Fraction | int]
    edges: Mapping[tuple[int, int], Fraction] | None = None

    def distance(self, x: int, z: int) -> Fraction:
        found = Fraction(x != z) if self.edges is None else self.edges.get((min(x, z), max(x, z)), ZERO)
        require(found > 0, f"the inputs {x} and {z} are not neighbours")
        return found

    def cliques(self) -> Iterable[tuple[Sequence[int], Fraction]]:
        """Sets of inputs that are neighbours of each other at one distance; every two neighbours are in one."""
        return [(range(self.size), ONE)] if self.edges is None else self.edges.items()

    def costs(self, name: str, y: int) -> list[Fraction]:
        """Of the output y, which is an input, for each input."""
        if name == "hamming":
            return [Fraction(x != y) for x in range(self.size)]
        gaps = [abs(Fraction(v - self.values[y])) for v in self.values]
        return [gap * gap for gap in gaps] if name == "squared" else gaps


def records(labels: Sequence[Any], pairs: Sequence[tuple[int, int, Fraction]] | None = None) -> Universe:
    """Inputs with their labels: an alphabet, or which of them are neighbours, and how far apart."""
    numbers = [value for value in labels if value is not None]
    expect(len(set(numbers)) == len(numbers), "two labels are one number")
    edges = {(min(i, j), max(i, j)): d for i, j, d in pairs or ()}
    known = len(edges) == len(pairs or ()) and all(i < j < len(labels) and d > 0 for (i, j), d in edges.items())
    expect(known, "an edge joins two different nodes, stands once and has a positive length")
    values = numbers if len(numbers) == len(labels) else range(len(labels))
    return Universe(len(labels), values, None if pairs is None else edges)


def metric(given: Fields) -> Universe:
    """Distances between all inputs, or null."""
    rows = given["metric"]
    is_even = rows == [list(column) for column in zip(*rows, strict=False)]
    expect(is_even and all(row[i] == 0 for i, row in enumerate(rows)), "a metric is symmetric, zero on the diagonal")
    pairs = [(i, j, d) for i, row in enumerate(rows) for j, d in enumerate(row[:i]) if d is not None]
    return records(sized(given.get("labels") or [None] * len(rows), len(rows)), pairs)


GRAPH: Fields = {"nodes": [label], "edges": [lambda edge: (*read((whole, whole), edge), ONE)]}
UNIVERSES = OneOf(
    size=({"size": count}, lambda given: Universe(given["size"], range(given["size"]))),
    alphabet=({"alphabet": [label]}, lambda given: records(given["alphabet"])),
    graph=({"graph": GRAPH}, lambda given: records(given["graph"]["nodes"], given["graph"]["edges"])),
    metric=({"metric": [[partial(optional, shown, None)]], "labels?": [label]}, metric),
)


@dataclass(frozen=True)
class Source:
    """Laws on the inputs: some `points`, with their mixtures if convex; without points all laws."""

    size: int
    points: tuple[Law, ...] = ()
    convex: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether the points are all the laws."""
        return len(self.points) == 1 or (self.points != () and not self.convex)

    def contains(self, law: Law) -> bool:
        """Whether a law is one of the points, without mixtures of them."""
        return not self.points or law in self.points

    def largest(self, cost: Sequence[Fraction]) -> Fraction:
        """At least the mean cost under every law."""
        spend(self.size * (1 + len(self.points)))
        return max(dot(cost, point) for point in self.points) if self.points else max(cost)

    def check(self, problem: Problem, given: Fields, expected: Law, columns: Sequence[Law]) -> None:
        """Verify what is said of the distortion, and of notions that depend on the law, under every law."""
        require(given["distortion"].infinite or self.largest(expected) <= given["distortion"].value, TOO_COSTLY)
        for notion, loss, hints in problem.guarantees(given):
            if not problem.is_free(notion) and not loss.infinite:
                is_convex = FAMILIES[notion.family].is_convex  # so that the points decide
                require(notion.family != "capacity" and (self.is_listed or is_convex), NO_COVER)
                for law in self.points:
                    problem.read_at(notion, loss, law).check(columns, hints)


def form_of(entries: Sequence[Fraction]) -> Form:
    return {x: a for x, a in enumerate(entries) if a}


def listed(given: Fields, _: Universe | None = None) -> Source:
    ((kind, entry),) = given.items()
    points = [entry] if kind == "prior" else table(entry, len(entry))
    expect(len(set(points)) == len(points), "a distribution stands twice in the list")
    return Source(len(points[0]), tuple(points), kind == "hull" or len(points) == 1)


LISTS: Fields = {"prior": shown_law, "finite": [shown_law], "hull": [shown_law]}
SOURCES = OneOf({name: ({name: kind}, listed) for name, kind in LISTS.items()})


class Notion(NamedTuple):
    """A way to measure loss: its family and parameters, and its fields as they were read."""

    given: Fields
    family: str
    order: Fraction = ONE
    delta: Fraction = ZERO
    events: bool = False  # positive parts are added up over the outputs


def read_notion(value: Any) -> Notion:
    _, fields = NOTIONS[read(set(NOTIONS), value.get("name") if isinstance(value, dict) else None, ".name")]
    return notion_of(read({"name": LATER, **fields}, value))


def notion_of(given: Fields) -> Notion:
    """A notion by its family; orders that are limits are read as the notion that they are."""
    (family, _), order, slack = NOTIONS[given["name"]], given.get("order", ONE), given.get("delta", ZERO)
    expect(0 <= slack <= 1 and (order is None or order > 0), "an order is positive, a delta lies between 0 and 1")
    events = slack > 0 and given.get("reading") != "pointwise"
    return Notion(given, FAMILIES[family].limits.get(order, family), order or ONE, slack, events)


@dataclass(frozen=True)
class Problem:
    """What is asked about: a notion, inputs, a source, and the cost d(x,y) of output y, which has a name, or stands in
    a matrix of `costs` (of a gain, with its sign turned). In part two subclasses are read, and ask, in other ways."""

    notion: Notion
    universe: Universe
    source: Source
    outputs: int
    cost: str
    costs: Sequence[Law] = ()

    def read_at(self, notion: Notion, loss: Level, law: Law | None = None) -> Reading:
        """A notion under a law of the inputs; or at no law, if the notion is the same whatever that is."""
        size, own = self.universe.size, form_of(law or ())
        spend(2 * size)
        return Reading(notion, loss, self.universe, [{x: ONE} for x in range(size)], own, own, own)

    def is_free(self, notion: Notion) -> bool:
        return FAMILIES[notion.family].is_free

    def guarantees(self, claim: Fields) -> list[tuple[Notion, Level, Fields]]:
        """Notions that a mechanism keeps, at a loss, with what a claim says of each; the first is claimed."""
        return [(self.notion, claim["loss"], claim)]

    def check_entries(self, columns: Sequence[Law]) -> None:
        """Verify what else is asked of the entries of a mechanism: here nothing."""

    def column(self, y: int) -> list[Fraction]:
        """The costs of an output."""
        spend(self.universe.size)
        return [row[y] for row in self.costs] if self.costs else self.universe.costs(self.cost, y)


COST = OneOf({name: ({name: [[shown]]}, name) for name in ("matrix", "gain")})
COST["name"] = {"name": {"hamming", "absolute", "squared"}}, "name"
PROBLEM: Fields = {"notion": read_notion, "source": LATER, "distortion": COST, "universe?": partial(made, UNIVERSES)}
EXTENSIONS: dict[str, Callable[[Problem, Fields], Problem]] = {}  # of part two, by a field or the family of the notion


def read_problem(value: Any) -> Problem:
    given = read(PROBLEM, value)
    universe, notion, (cost, entry) = given.get("universe"), given["notion"], given["distortion"]
    source = read(lambda value: made(SOURCES, value, universe), given["source"], ".source")
    universe = universe or Universe(source.size, range(source.size))
    expect(source.size == universe.size, "the source has another size than the universe")
    costs = [] if cost == "name" else table(entry[cost], universe.size)
    expect(cost != "matrix" or all(min(row) >= 0 for row in costs), "a cost is negative")
    outputs = len(costs[0]) if costs else universe.size
    costs = [tuple(-c for c in row) for row in costs] if cost == "gain" else costs
    found = Problem(notion, universe, source, outputs, entry.get("name", cost), costs)
    extended = sorted(EXTENSIONS.keys() & {notion.family, *given})
    return EXTENSIONS[extended[0]](found, given) if extended else found


# -- The table of notions: what "the loss is at most L" says about the columns q of a mechanism ------------------------

NO_BOUND, TOO_MUCH = "no bound has this name", "the mechanism loses more than claimed"
TOO_COSTLY = "the mechanism has more distortion than claimed"
NO_COVER = "over this source a cover or a distribution of outputs is needed"
place_of = partial(optional, number, None)


class Bound(NamedTuple):
    """A bound on the columns q of a mechanism; atoms are (weight, left, right), left and right forms of q.

    ratio: left <= e^(L distance) right + slack (times e^L if it `grows`), for each column, or, with events, for the sum
    of the positive parts of left - e^(L distance) right; distance None stands for infinity.
    The others bound the sum over columns of convex functions: maximum: the largest weight * left, by e^L; entropy: the
    sum of weight * left log(left/right), by L distance; of kinds of part two, by +-1, + for orders from 1 on. Atoms of
    a sum over `inputs` stand for these. In part two a slack may be another function of the loss that `falls` with it.
    """

    kind: str
    atoms: Sequence[tuple[Fraction, Form, Form]]
    distance: Fraction | None = ONE
    order: Fraction = ONE
    slack: Fraction = ZERO
    grows: bool = False
    events: bool = False
    inputs: Sequence[int] = ()
    falls: Callable[[Level], Fraction] | None = None

    def most(self, loss: Level) -> Pair:
        """What a sum may be."""
        if self.kind in ("maximum", "entropy"):
            return loss.exp() if self.kind == "maximum" else times(loss.pair(), self.distance or ONE)
        return (ONE, ONE) if self.order > 1 else (-ONE, -ONE)

    def excess(self, columns: Sequence[Law], loss: Level) -> Level:
        """At least that by which a mechanism exceeds the bound."""
        kind, atoms, logs, total = self.kind, self.atoms, dict[Fraction, Fraction](), ZERO
        growth = loss.exp(self.distance or ONE)[0] if kind == "ratio" else ONE
        spend(40 + len(columns) * (sum(len(left) for _, left, _ in atoms) + 1))
        for q in columns:
            values = [(w, dot(left, q), dot(right, q)) for w, left, right in atoms]
            if kind == "ratio":
                over = values[0][1] - growth * values[0][2]
                total = total + max(over, ZERO) if self.events else max(total, over)
            elif kind == "maximum":
                total += max(w * p for w, p, _ in values)
            elif kind != "norm" and self.order >= 1 and any(p and r <= 0 for _, p, r in values):
                return INFINITY
            elif kind == "entropy":
                for w, p, r in (term for term in values if term[1]):
                    for base, weight in ((p, w * p), (r, -w * p)):
                        logs[base] = logs.get(base, ZERO) + weight
            else:  # a function of degree one is its slopes times what they are in
                terms = [(w, p, r) for w, p, r in values if p and (r or kind == "norm")]
                for (w, p, r), (up, down) in zip(terms, SLOPES[kind](self, terms, loss), strict=True):
                    total += w * (up[1] * p + down[1] * r)
        if kind == "entropy":
            return Level(ZERO, logs).plus(loss, -(self.distance or ONE))
        return Level(total - (self.slack * (growth if self.grows else 1) if kind == "ratio" else self.most(loss)[0]))


def of_entropy(_: Bound, terms: Sequence[Law], __: Level) -> list[tuple[Pair, Pair]]:
    return [((1 + ln(p / r)[0], 1 + ln(p / r)[1]), (-p / r, -p / r)) for _, p, r in terms]


# By kind, slopes in left and right of the atoms of a sum, where (weight, left, right) have some values: it is nowhere
# below its tangent, and equal to it where they touch.
SLOPES: dict[str, Callable[[Bound, Sequence[Law], Level], list[tuple[Pair, Pair]]]] = {"entropy": of_entropy}


class Reading(NamedTuple):
    """A notion at a loss, where it is read: on the columns of a mechanism, under a law of the inputs or at none.

    What the notion protects are values of a universe: the inputs, each seen by a form of a column, its own entry (in
    part two, the values of a secret). They have probabilities in the `law`, and an output has the probability
    `least` . q on the right of a bound, `most` . q on the left. The loss may be the one that is claimed, and open.
    """

    notion: Notion
    loss: Level
    universe: Universe
    forms: Sequence[Form]
    law: Form
    least: Form
    most: Form
    is_open: bool = False

    @property
    def tops(self) -> Sequence[int]:
        """Names of bounds are lists of numbers below these."""
        family = FAMILIES[self.notion.family]
        return (*(self.universe.size,) * family.values, *family.further(self.notion))

    def names(self) -> Iterable[Sequence[int]]:
        """The names of all bounds."""
        pairs = (pair for clique, _ in self.universe.cliques() for pair in permutations(clique, 2))
        return pairs if FAMILIES[self.notion.family].values == 2 else product(*map(range, self.tops))

    def bound(self, name: Sequence[int]) -> Bound:
        known = len(name) == len(self.tops) and all(i < top for i, top in zip(name, self.tops, strict=False))
        require(known, NO_BOUND)
        return FAMILIES[self.notion.family].bound(self, name)

    def ratio(self, name: Sequence[int]) -> Bound:
        """A ratio bound; one that follows from a sum is named by it, the number of an atom, and a side.

        At level zero a divergence vanishes: what it compares is equal. Finite: where the right is zero, the left is."""
        count = len(self.tops)
        bound, is_zero = self.bound(name[:count]), self.loss == NOTHING
        if bound.kind == "ratio" and len(name) == count:
            return bound
        known = len(name) == count + 2 and bound.kind in SLOPES and name[-2] < len(bound.atoms) and name[-1] < 2
        require(known, NO_BOUND)
        finite = bound.kind != "norm" and bound.order >= 1 and not name[-1]
        require(is_zero or finite, "such a ratio follows at level zero only")
        weight, *sides = bound.atoms[name[-2]]
        return Bound("ratio", [(weight, sides[name[-1]], sides[1 - name[-1]])], ZERO if is_zero else None)

    def check(self, columns: Sequence[Law], hints: Fields, ends: Sequence[Pair] = ()) -> None:
        """Verify every bound; over a set of laws with the `ends` between which the probabilities of outputs lie."""
        (_, family, _, slack, events), law, size = self.notion, self.law, self.universe.size
        spend((size + len(law)) * len(columns))
        if check_family := FAMILIES[family].check:
            check_family(self, columns, hints)
            return
        if family in ("pairs", "identifiability") and not events:  # the extremes decide
            for clique, distance in self.universe.cliques():
                spend(len(clique) * len(columns))
                growth = self.loss.exp(distance)[0]
                for q in columns:
                    values = [q[x] * law.get(x, ZERO) if family != "pairs" else q[x] for x in clique]
                    require(max(values) <= growth * min(values) + slack, TOO_MUCH)
            return
        ends = ends or [(dot(self.least, q),) * 2 for q in columns]  # which stand below the columns
        longer = [(*q, *pair) for q, pair in zip(columns, ends, strict=True)]
        reading = self._replace(least={size: ONE}, most={size + 1: ONE})
        for name in reading.names():
            require(reading.bound(name).excess(longer, self.loss).at_most(NOTHING), TOO_MUCH)


def of_pairs(reading: Reading, name: Sequence[int]) -> Bound:
    """Two neighbours x and z: q(x) against q(z), or their joint probabilities."""
    (x, z), (_, family, _, slack, events), law = name, reading.notion, reading.law
    one, other, far = reading.forms[x], reading.forms[z], reading.universe.distance(x, z)
    if family == "identifiability":
        one, other = ({i: law[k] * c for i, c in reading.forms[k].items() if k in law} for k in name)
    return Bound("ratio", [(ONE, one, other)], far, slack=slack, events=events)


def of_value(reading: Reading, name: Sequence[int]) -> Bound:
    """A value against the law of the output, on one side or, for local privacy, on both."""
    (_, family, _, slack, events), own = reading.notion, reading.forms[name[0]]
    if family != "local":
        return Bound("ratio" if family == "output" else "entropy", [(ONE, own, reading.least)])
    atom = (ONE, own, reading.least) if name[1] else (ONE, reading.most, own)
    return Bound("ratio", [atom], slack=slack, events=events, grows=name[1] == 1)


def of_all(kind: str, reading: Reading, _: Sequence[int]) -> Bound:
    """All values at once."""
    spend(reading.universe.size)
    law = dict.fromkeys(range(reading.universe.size), ONE) if reading.notion.family == "maximal" else reading.law
    unit = max(law.values()) if kind == "maximum" else ONE
    atoms = [(w / unit, reading.forms[i], reading.least) for i, w in law.items()]
    return Bound(kind, atoms, order=reading.notion.order, inputs=list(law))


class Family(NamedTuple):
    """How the bounds of notions are made. Their names are so many values (two are neighbours) and `further` numbers."""

    bound: Callable[[Reading, Sequence[int]], Bound]
    values: int
    is_free: bool = False  # the same whatever the law of the inputs is
    is_convex: bool = False  # in that law
    further: Callable[[Notion], Sequence[int]] = lambda _: ()
    check: Callable[[Reading, Sequence[Law], Fields], None] | None = None  # instead of bound after bound
    limits: Mapping[Fraction | None, str] = MappingProxyType({})  # families by order


FAMILIES = {
    "pairs": Family(of_pairs, 2, is_free=True),
    "identifiability": Family(of_pairs, 2, is_convex=True),
    "output": Family(of_value, 1, is_convex=True),
    "local": Family(of_value, 1, is_convex=True, further=lambda _: (2,)),
    "pointwise": Family(of_value, 1, is_convex=True),
    "maximal": Family(partial(of_all, "maximum"), 0, is_free=True),
    "guessing": Family(partial(of_all, "maximum"), 0),
    **dict.fromkeys(("information", "capacity"), Family(partial(of_all, "entropy"), 0)),
}
NOTIONS: dict[str, tuple[str, Fields]] = {  # family, fields
    "differential_privacy": ("pairs", {}),
    "approximate_differential_privacy": ("pairs", {"delta": shown, "reading?": {"event", "pointwise"}}),
    "identifiability": ("identifiability", {}),
    "maximal_information": ("output", {}),
    "local_information_privacy": ("local", {"delta?": shown}),
    "maximal_leakage": ("maximal", {}),
    "min_entropy_capacity": ("maximal", {}),
    "min_entropy_leakage": ("guessing", {}),
    "mutual_information": ("information", {}),
    "capacity": ("capacity", {}),
    "pointwise_leakage": ("pointwise", {}),
}


# -- Excluded: adding up constraints -----------------------------------------------------------------------------------

NUMBERS: Fields = {"loss": level, "distortion": distortion, "digits?": partial(whole, least=10, most=2000)}
MIXTURE = [(number, LATER)]
OPEN: Fields = {"open": {"loss", "distortion"}, **NUMBERS}
STEP: Fields = {"laws?": [[LATER]], "ratios?": [[LATER]], "sums?": [([whole], number, LATER)], "rows?": [number]}
STEPS: Fields = {"points?": [MIXTURE], "steps?": [STEP], **OPEN}
NO_SIGN = "a multiplier is negative"


def mixture(parts: list[Any], source: Source, listed: Source, mixes: bool = True) -> Law:
    """The sum of weight * law over [[weight, law], ...], of one alone unless mixtures are allowed; a law of a source is
    written out, or the number of one that the source of the problem lists."""
    weights, laws = [weight for weight, _ in parts], list[Law]()
    require(min(weights, default=ZERO) >= 0 and (mixes or len(parts) == 1), "a weight is negative, or no mixture is")
    spend(8 * source.size)  # it is kept
    for _, entry in parts:
        spend(source.size)
        if type(entry) is int:
            laws.append(listed.points[whole(entry, most=len(listed.points) - 1)])
        else:
            laws.append(sized(law(entry), source.size))
            require(source.contains(laws[-1]), "a distribution is not in the source")
    return tuple(dot(weights, column) for column in zip(*laws, strict=True)) or (ZERO,) * source.size


class Exclusion:
    """A claim that no mechanism is as good: the entries that are known to vanish, by output, and where notions are
    read; of the step that is taken, the coefficients and the total of the constraints that are added up."""

    def __init__(self, problem: Problem, claim: Fields) -> None:
        self.problem, self.claim, self.is_open = problem, claim, claim["open"] == "loss"
        self.kept, self.known = problem.guarantees(claim), dict[tuple[int, int], Reading]()
        for place in range(len(claim.get("points", []))):
            self.law_at(place, any(notion.family == "capacity" for notion, *_ in self.kept))
        spend(problem.outputs)
        self.zeros = [set[int]()] * problem.outputs
        self.output = partial(whole, most=problem.outputs - 1)

    def check(self) -> None:
        """Verify that the steps end in a contradiction."""
        done = self.is_open and self.claim["loss"] == NOTHING  # a loss is never negative
        for step in self.claim.get("steps", []):
            require(not done, "there are steps after the contradiction")
            done = self.take(step)
        nothing = not self.is_open and self.claim["distortion"] == NOTHING and self.problem.cost != "gain"
        require(done or nothing, "the steps end without a contradiction")  # nor is a cost that is no gain

    def law_at(self, place: int, anyhow: bool) -> Law:
        """A point of the claim: a mixture of laws of the source, or, anyhow, of any laws."""
        source, points = self.problem.source, self.claim.get("points", [])
        laws = Source(source.size) if anyhow else source
        require(place < len(points), "no such point")
        found = mixture(points[place], laws, source, laws.convex)
        require(sum(found) == 1, "the weights of a mixture are no distribution")
        return found

    def reading(self, which: int, place: int) -> Reading:
        """A guarantee, read at a point of the claim; at place -1, at no law."""
        if (which, place) not in self.known:
            notion, loss, _ = self.kept[which]
            law = self.law_at(place, notion.family == "capacity") if place >= 0 else None
            found = self.problem.read_at(notion, loss, law)
            self.known[which, place] = found._replace(is_open=self.is_open and which == 0)
        return self.known[which, place]

    def find(self, name: Sequence[int]) -> tuple[Reading, Sequence[int]]:
        """Where a bound is read, and the rest of its name; it begins with the point, unless there is no need of one."""
        if self.problem.is_free(self.problem.notion):
            return self.reading(0, -1), name
        require(len(name) > 0, NO_BOUND)
        return self.reading(0, name[0]), name[1:]

    def add(self, y: int, form: Form, amount: Fraction) -> None:
        spend(len(form) - 1)
        for x, c in form.items():
            self.extra[y][x] = self.extra[y].get(x, ZERO) + amount * c

    def take(self, step: Fields) -> bool:
        """Whether the step ends in a contradiction; if not, what vanishes after it is known."""
        source, limit, outputs = self.problem.source, self.claim["distortion"], range(len(self.zeros))
        spend(32 * len(outputs))
        self.extra: list[Form] = [{} for _ in outputs]  # coefficients, beside weight * cost - price
        self.rising: list[set[int]] = [set() for _ in outputs]  # beside growing factors in ratio bounds
        self.passes: Callable[[list[tuple[int, Fraction]]], bool] = lambda live: all(c >= 0 for _, c in live)
        self.joins = True  # entries that may be positive, and have positive coefficients, to those that vanish
        entries = [(number(w), member) for w, member in (sized(entry, 2) for entry in step.get("laws", []))]
        weight, w = mixture(entries, source, source), sum((w for w, _ in entries), ZERO)  # w * (mean cost) <= w D
        require(not entries or not limit.infinite, "an infinite distortion bounds nothing")
        self.total, self.is_strict = w * limit.value, w > 0 and not self.is_open
        for name in (name for name in ADDED if name in step):
            ADDED[name](self, step[name])
        self.add_rows(step.get("rows"))
        after = list[set[int]]()
        for y, gone in enumerate(self.zeros):
            column = [w * d - price for w, d, price in zip(weight, self.problem.column(y), self.prices, strict=True)]
            for x, c in self.extra[y].items():
                column[x] += c
            live = [(x, c) for x, c in enumerate(column) if x not in gone]
            passes = self.passes(live)
            require(passes, f"the coefficients of output {y} do not pass the test, so that nothing follows")
            after.append(gone | self.rising[y] | {x for x, c in live if c > 0 and self.joins})
        self.zeros = after
        require(self.total <= 0, "a step leaves room, so that nothing follows")
        return self.total < 0 or self.is_strict

    def add_ratios(self, entries: list[list[Any]]) -> None:
        """m (left - e^(L distance) right) <= m slack; over events only the output with the largest multiple pays."""
        paid: dict[Any, tuple[Fraction, Form]] = {}
        for entry in entries:
            *names, output, multiple = entry if len(entry) > 2 else fail("a ratio has a name, an output and a multiple")
            name, y, m = [whole(part) for part in names], self.output(output), number(multiple)
            reading, rest = self.find(name)
            (_, atoms, distance, _, slack, grows, events, _, falls), loss = reading.ratio(rest), reading.loss
            ((_, left, right),) = atoms
            require(m >= 0, NO_SIGN)
            require(not loss.infinite or reading.is_open, "an infinite loss bounds nothing")
            self.add(y, left, m)
            if loss.infinite or distance is None:
                require(right.keys() <= self.zeros[y], "where e^L has no bound, what stands beside it must vanish")
            else:
                self.add(y, right, -m * loss.exp(distance)[1])
                rises = reading.is_open and m > 0
                self.rising[y].update(right if rises and distance > 0 else ())
                self.is_strict = self.is_strict or (rises and falls is not None)
            if slack or falls:
                slack = falls(loss) if falls else slack * (loss.exp()[1] if grows else ONE)
                cells = paid.setdefault(tuple(name) if events else len(paid), (slack, {}))[1]
                cells[y] = cells.get(y, ZERO) + m
        self.total += sum((slack * max(cells.values()) for slack, cells in paid.values()), ZERO)

    def add_sums(self, entries: list[list[Any]]) -> None:
        """s times the tangents of a sum, at most s times its bound."""
        for name, s, tangents in entries:
            reading, rest = self.find(name)
            bound, loss, gone = reading.bound(rest), reading.loss, self.zeros
            kind, atoms, word = bound.kind, bound.atoms, tangents if isinstance(tangents, str) else ""
            require(kind != "ratio" and s > 0, "no sum bound, or its multiplier is not positive")
            require(not loss.infinite or reading.is_open, "an infinite loss bounds nothing")
            self.is_strict = self.is_strict or (reading.is_open and not loss.infinite)
            self.total += s * bound.most(loss)[1]
            if word in TANGENTS:
                TANGENTS[word](self, bound, s)
            elif kind == "maximum":
                shares, named = dict[int, Fraction](), dict(zip(bound.inputs, atoms, strict=True))
                for y, x, share in read([(self.output, whole, number)], tangents):
                    shares[y] = shares.get(y, ZERO) + share
                    require(share >= 0 and shares[y] <= 1 and x in named, "no mixture of the entries of a maximum")
                    self.add(y, named[x][1], s * share * named[x][0])
            else:
                many, few = (gone, atoms) if kind == "norm" else (atoms, gone)
                rows = read(((place_of,) * len(few),) * len(many), tangents)
                for y, places in enumerate(rows if kind == "norm" else zip(*rows, strict=True)):
                    self.add_tangent(bound, loss, s, y, places)

    def add_tangent(self, bound: Bound, loss: Level, s: Fraction, y: int, places: Sequence[Fraction | None]) -> None:
        """The tangent where each left has its place beside right = 1; what vanishes has none."""
        (kind, atoms, _, a, *_), gone = bound, self.zeros[y]
        for (_, left, right), r in zip(atoms, places, strict=True):
            vanishes = left.keys() <= gone or (kind == "power" and a < 1 and right.keys() <= gone)
            stands = vanishes if r is None else r > 0 or (r == 0 and kind == "norm" and a > 1)
            require(stands, "a place is not positive, or missing where nothing vanishes")
        used = [(atom, r) for atom, r in zip(atoms, places, strict=True) if r is not None]
        found = SLOPES[kind](bound, [(w, r, ONE) for (w, *_), r in used], loss)
        for ((w, left, right), _), (up, down) in zip(used, found, strict=True):
            self.add(y, left, s * w * up[0])
            self.add(y, right, s * w * down[0])

    def add_rows(self, prices: list[Fraction] | None) -> None:
        """The rows of a mechanism sum to one, and each has its price."""
        size = self.problem.universe.size
        self.prices = sized(prices if prices is not None else [ZERO] * size, size)
        self.total -= sum(self.prices)


# By the field of a step; and other sums of tangents, by their names in part two.
ADDED: dict[str, Callable[[Exclusion, Any], None]] = {"ratios": Exclusion.add_ratios, "sums": Exclusion.add_sums}
TANGENTS: dict[str, Callable[[Exclusion, Bound, Fraction], None]] = {}


# -- Attained: a mechanism keeps to every bound ------------------------------------------------------------------------


def lawful(rows: list[Any], problem: Problem) -> list[Law]:
    for x, row in enumerate(found := table(rows, problem.universe.size)):
        is_law = len(row) == problem.outputs and min(row) >= 0 and sum(row) == 1
        require(is_law, f"row {x} of the mechanism is no distribution on the outputs")
    return found


MECHANISMS = OneOf(rows=({"rows": [[number]]}, lambda problem, given, _: (problem, lawful(given["rows"], problem))))
EVALUATED: Fields = {"mechanism": MECHANISMS, **NUMBERS}


def check_attained(problem: Problem, given: Fields, over: Callable[[Source], Source] = lambda source: source) -> None:
    """Verify that a mechanism is as good as claimed; part two may read what is said over the source in another way."""
    (make, mechanism), asked = given["mechanism"], problem
    problem, rows = make(problem, mechanism, given["loss"])
    columns, expected = list(zip(*rows, strict=True)), [ZERO] * len(rows)
    for y, column in enumerate(columns):
        expected = [e + q * d if q else e for e, q, d in zip(expected, column, problem.column(y), strict=True)]
    problem.check_entries(columns)
    for notion, loss, hints in problem.guarantees(given):
        if problem.is_free(notion) and not loss.infinite:
            problem.read_at(notion, loss).check(columns, hints)
    source = over(problem.source) if problem is asked else problem.source
    source.check(problem, given, tuple(expected), columns)


# -- Documents: proofs, answers, curves --------------------------------------------------------------------------------

RULES: dict[type[Problem], Callable[[Any, Fields], Exclusion]] = {Problem: Exclusion}


EXCLUDED = OneOf(open=(STEPS, lambda problem, claim: RULES[type(problem)](problem, claim).check()))
ATTAINED = OneOf(mechanism=(EVALUATED, check_attained))
CLAIMS = {"attained": ATTAINED, "excluded": EXCLUDED}
CLAIMED: Fields = {"attained?": LATER, "excluded?": LATER}
ENDS: Fields = dict.fromkeys(("lower", "upper"), LATER) | dict.fromkeys(("method?", "theorem?", "status?"), str)
EXACT: Fields = {"at": LATER, "lower_exact?": LATER, "upper_exact?": LATER, **ENDS}
PROOF: Fields = {"problem": read_problem, "schema": {"epstar/proof/2"}, **CLAIMED}
POINTS: Fields = {"points": [{**EXACT, **CLAIMED}], "asks": {"loss", "distortion"}, "unit": LATER}
SO = "so the bounds of the answer hold"
AT = OneOf(loss=({"loss": partial(level, loose=True)}, "loss"))
AT["distortion"] = {"distortion": partial(distortion, loose=True)}, "distortion"


def check_claim(problem: Problem, name: str, value: Any, place: str) -> Fields:
    """Verify a claim, and return it."""
    verify, given = read(CLAIMS[name], value, place)
    use_digits(given.get("digits", 60))
    verify(problem, given)
    return dict(given)


def check_claims(problem: Problem, given: Fields) -> dict[str, Fields]:
    """Verify the claims of a proof, and what ends follow."""
    claims = {name: check_claim(problem, name, given[name], f".{name}") for name in CLAIMS if name in given}
    if "at" in given:
        check_ends(problem, given, claims)
    return claims


def check_ends(problem: Problem, given: Fields, claims: dict[str, Fields]) -> None:
    """Verify that the ends of an answer at a distortion, or at a loss, follow from its claims."""
    use_digits()
    asked, found = read(AT, given["at"], ".at")
    wanted, at = "loss" if asked == "distortion" else "distortion", found[asked]
    turned = problem.cost == "gain" and wanted == "distortion"  # a utility is minus a distortion
    read({"utility" if turned else "nats" if wanted == "loss" else "distortion"}, given["unit"], ".unit")
    for name in sorted({"lower", "upper", "lower_exact", "upper_exact"} & given.keys()):
        is_lower, is_exact = name.startswith("lower") != turned, name.endswith("exact")
        end = NOTHING.plus(read(partial(read_end, is_exact), given[name], f".{name}"), -ONE if turned else ONE)
        claim, covers = claims.get("excluded" if is_lower else "attained"), True
        proven = (Level(infinite=-1) if turned else NOTHING) if is_lower else INFINITY
        trivial = not is_exact and (end.at_most(proven) if is_lower else end == proven)
        if claim is not None:
            proven = claim[wanted]
            covers = at.at_most(claim[asked], claim["open"] == asked) if is_lower else claim[asked].at_most(at)
        below = end.at_most(proven) or not (is_lower or is_exact)
        above = proven.at_most(end) or (is_lower and not is_exact)
        require(trivial or covers, f"the claim behind {name} does not cover the question")
        require(trivial or (below and above), f"{name} does not follow from what is claimed")


def read_end(is_exact: bool, value: Any) -> Level:
    """An end of an answer: a number as in claims if it is exact, else the binary number that JSON is read as."""
    if value in ("infinity", "-infinity"):
        return Level(infinite=1 if value == "infinity" else -1)
    if is_exact:
        return level(value) if str(value).startswith("log(") else distortion(value)
    expect(type(value) in (int, Decimal) and abs(Decimal(str(value))) <= Decimal("1e308"), "a number was expected")
    return Level(Fraction(float(str(value))))


def written(found: Level) -> str:
    (exact,) = found.logs or [found.value]
    text = str(exact) if bits(exact) < 256 else f"{decimal(exact, DOWN):.17g}..."
    return "infinity" if found.infinite else f"log({text})" if found.logs else text


def said(claims: dict[str, Fields], error: str = "distortion") -> list[str]:
    """What claims state."""
    expect(claims, "a proof claims something")
    found = list[str]()
    for name, claim in claims.items():
        is_open = claim.get("open") if name == "excluded" else None
        parts = ((end, "<" if end == is_open else "<=", written(claim[end])) for end in ("loss", "distortion"))
        ends = " and ".join(f"{error if end == 'distortion' else end} {sign} {text}" for end, sign, text in parts)
        found.append(f"{'a' if name == 'attained' else 'no'} mechanism has {ends}")
    return found


def check_answer(given: Fields) -> list[str]:
    """Verify an answer: its proof, and its ends; or a proof alone."""
    proof = given.get("proof", given)
    return [*said(check_claims(proof["problem"], {**given, **proof})), *([SO] if "at" in given else [])]


def check_curve(given: Fields) -> list[str]:
    """Verify a curve: claims and ends at many points of one problem."""
    other = "distortion" if given["asks"] == "loss" else "loss"
    for k, point in enumerate(given["points"]):
        if len(point) > 3 or point["lower"] is not None or point["upper"] is not None:
            answer = {**point, "unit": given["unit"], "at": {other: point["at"]}}
            read(partial(check_claims, given["problem"]), answer, f".points[{k}]")
    return [f"the answer lies between the ends at every one of the {len(given['points'])} points that has ends"]


DOCUMENTS: dict[Any, tuple[Fields, Callable[[Fields], list[str]]]] = {
    "epstar/proof/2": (PROOF, check_answer),
    "epstar/answer/2": ({"unit": LATER, "proof": PROOF, "schema": {"epstar/answer/2"}, **EXACT}, check_answer),
    "epstar/curve/2": ({"problem": read_problem, "schema": {"epstar/curve/2"}, **POINTS}, check_curve),
}


def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise Unreadable("a field stands twice in one object")
    return dict(pairs)


def check(content: bytes) -> list[str]:
    """The statements that a document proves; raises Refused or Unreadable."""
    Work.left, Work.common, Work.length, Work.place = FREE + MULTIPLE * len(content), 1, 0, []
    rational.cache_clear()
    if len(content) > MOST_BYTES or content.count(b"[") + content.count(b"{") > MOST_LISTS:
        raise Unreadable(f"it has more than {MOST_BYTES} bytes or {MOST_LISTS} lists and objects")
    try:
        text = content.decode()
        document = json.loads(text, parse_float=Decimal, parse_constant=fail, object_pairs_hook=unrepeated)
        if "\\ud" in text.lower():  # half a character cannot be encoded
            json.dumps(document, ensure_ascii=False, default=str).encode()
    except (ValueError, RecursionError, DecimalException):
        raise Unreadable("it is no valid JSON in UTF-8") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in [*DOCUMENTS]:  # it may be anything
        fail(f"its schema is none of {', '.join(DOCUMENTS)}; `epstar check` also takes release files and breakpoints")
    fields, verify = DOCUMENTS[schema]
    try:
        return verify(read(fields, document))
    except (RecursionError, DecimalException):
        raise Unreadable("it is nested too deeply, or a number is too large") from None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a proof of epstar with the standard library alone.")
    parser.add_argument("document", help="an answer, a curve or a proof in JSON; - for standard input")
    name = parser.parse_args(arguments).document
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            print("yes: " + "; ".join(check(file.read(MOST_BYTES + 1))))
        return 0
    except Refused as error:
        print(f"no: {error}")
        return 1
    except (Unreadable, MemoryError, OSError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2


# ======================================================================================================================
# PART TWO: further powers. Each section adds entries to tables of part one; see the explanation at the top.
# ======================================================================================================================

# -- Shortcuts: spread, conjugate, mechanisms by a diagonal, a law of the output ---------------------------------------


def scales(reading: Reading) -> Law:
    """If the bounds are scale_x q_x <= e^L scale_z q_z + slack for all values x and z, these scales; else none."""
    is_scaled, values = reading.notion.family == "identifiability", range(reading.universe.size)
    found = tuple(reading.law.get(x, ZERO) if is_scaled else ONE for x in values)
    every = reading.universe.edges is None and (is_scaled or reading.notion.family == "pairs")
    return found if every and min(found, default=ZERO) > 0 else ()


def is_spread(excluded: Exclusion, live: list[tuple[int, Fraction]]) -> bool:
    """Of a column whose least scale_x q_x is l, positive parts of c / scale are worth l times their sum, at least, and
    negative ones at most e^L l + slack times theirs."""
    scale = scales(excluded.reading(0, 0 if len(excluded.claim.get("points", [])) == 1 else -1))
    require(scale != () and type(excluded) is Exclusion, "spread needs a bound between all inputs, and nothing else")
    negative = sum((-c / scale[x] for x, c in live if c < 0), ZERO)
    excluded.total += excluded.problem.notion.delta * negative
    growth = excluded.claim["loss"].exp()[1]
    return bool(sum((c / scale[x] for x, c in live if c > 0), ZERO) >= growth * negative)


def spread(excluded: Exclusion, _: bool) -> None:
    excluded.passes, excluded.joins = partial(is_spread, excluded), excluded.is_open


def conjugate(excluded: Exclusion, bound: Bound, s: Fraction) -> None:
    """By the log-sum inequality, s I(q) + c.q >= -s q(y) log(sum of p e^(-c/(s p))), I the information of a column."""
    own = {x: w for x, (w, *_) in zip(bound.inputs, bound.atoms, strict=False)} if bound.kind == "entropy" else {}
    plain = type(excluded) is Exclusion or (isinstance(excluded, WiderExclusion) and excluded.is_direct)
    require(own != {} and excluded.joins and plain, "no conjugate")

    def passes(live: list[tuple[int, Fraction]]) -> bool:
        exponents = ((own[x], max(-c / (s * own[x]), Fraction(-5 * UP.prec))) for x, c in live if x in own)
        spent = sum((w * exp(exponent, exponent)[1] for w, exponent in exponents), ZERO)
        return spent <= 1 and all(c >= 0 or x in own for x, c in live)

    excluded.passes, excluded.joins = passes, False


def by_parts(problem: Problem, given: Fields, _: Level) -> tuple[Problem, list[Law]]:
    """Q(x|x) = diagonal(x), Q(y|x) = left(x) right(y)."""
    size = problem.universe.size
    spend(size**2)
    diagonal, left, right = (sized(given[name], size) for name in ("diagonal", "left", "right"))
    rows = [tuple(diagonal[x] if x == y else u * v for y, v in enumerate(right)) for x, u in enumerate(left)]
    return problem, lawful(rows, problem)


STEP["spread?"], ADDED["spread"] = {True}, spread
TANGENTS["conjugate"] = conjugate
MECHANISMS["diagonal"] = {"diagonal": [number], "left": [number], "right": [number]}, by_parts


# -- Renyi and Sibson: orders, sums of powers and of norms -------------------------------------------------------------

SHORT = 1 << 12  # bits of powers that are quicker multiplied than by a logarithm


def powered(base: Fraction, exponent: Fraction, loss: Level = NOTHING, rate: Fraction = ZERO) -> Pair:
    """base^exponent * e^(rate * loss), exact where that is a fraction of moderate size."""
    length = bits(base) * abs(exponent)
    if exponent.denominator > 1 or length >= SHORT:
        return log_of(base, exponent).plus(loss, rate).exp()
    spend(1, int(length))  # one exponential serves many bases
    low, high = times(loss.exp(rate), base ** int(exponent))
    return (low, high) if low == high else (Fraction(decimal(low, DOWN)), Fraction(decimal(high, UP)))


def of_power(bound: Bound, terms: Sequence[Law], loss: Level) -> list[tuple[Pair, Pair]]:
    """Of +-weight * left^a right^(1-a), whose sum is at most +-e^((a-1) L distance), divided by that; + for a > 1."""
    a, far, (sign, _) = bound.order, bound.distance or ONE, bound.most(loss)
    found = [(p / r, times(powered(p / r, a - 1, loss, far * (1 - a)), sign)) for _, p, r in terms]
    return [(times(slope, a), times(slope, (1 - a) * ratio)) for ratio, slope in found]


def of_norm(bound: Bound, terms: Sequence[Law], loss: Level) -> list[tuple[Pair, Pair]]:
    """Of +-(sum of weight * left^a)^(1/a), at most +-e^(L (a-1)/a), divided by that."""
    a, most, (sign, _) = bound.order, max((p for _, p, _ in terms), default=ZERO), bound.most(loss)
    powers = [times(powered(p / most, a), w) for w, p, _ in terms if p]
    ends = [powered(sum(side, ZERO), 1 / a - 1, loss, (1 - a) / a) for side in zip(*powers, strict=True)]
    low, high = min((low for low, _ in ends), default=ZERO), max((high for _, high in ends), default=ZERO)
    found = [powered(p / most, a - 1) if p else (ZERO, ZERO) for _, p, _ in terms]
    return [(times((least * low, greatest * high), sign), (ZERO, ZERO)) for least, greatest in found]


def of_divergence(reading: Reading, name: Sequence[int]) -> Bound:
    """Two neighbours, by a divergence."""
    a = reading.notion.order
    return of_pairs(reading, name)._replace(kind="entropy" if a == 1 else "power", order=a)


def at_smaller_order(problem: Problem, claim: Fields) -> Problem:
    """Divergences and informations grow with their order: whoever keeps a notion keeps it at a smaller order."""
    if "order" not in claim:
        return problem
    given, smaller = problem.notion.given, claim["order"]
    known = "order" in given and smaller > 0 and (given["order"] is None or smaller <= given["order"])
    require(known, "no smaller order of the notion")
    return replace(problem, notion=notion_of({**given, "order": smaller}))


SLOPES |= {"power": of_power, "norm": of_norm}
ORDER: Fields = {"order": partial(optional, shown, "infinity")}
NOTIONS["renyi_differential_privacy"] = "renyi", ORDER
NOTIONS["sibson_mutual_information"] = "sibson", ORDER
FAMILIES["renyi"] = Family(of_divergence, 2, is_free=True, limits={None: "pairs"})
FAMILIES["sibson"] = Family(partial(of_all, "norm"), 0, limits={None: "maximal", ONE: "information"})
STEPS["order?"] = number
EXCLUDED["order"] = STEPS, lambda problem, claim: EXCLUDED["open"][1](at_smaller_order(problem, claim), claim)


# -- Sets of distributions: how bounds are seen to hold over all of them; boxes, balls, polytopes, covers --------------

Side: TypeAlias = tuple[Form, Fraction]  # form . p <= bound
NONE: Iterator[Any] = iter(())


@dataclass(frozen=True)
class Set(Source):
    """Laws over which documents help to see that bounds hold; suprema are bounded by `multipliers`."""

    multipliers: Iterator[list[Fraction]] = NONE

    def held(self, _: Fields) -> Sequence[Law]:
        """Laws whose mixtures hold the set: those listed, or all certain ones."""
        return self.points or certain(self.size)

    def leaves(self, given: Fields) -> Iterator[tuple[Source, Fields]]:
        """Sets of laws that cover this one, with what the document offers for each."""
        require("cells" not in given and "covers" not in given, "cells are for rows")
        yield self, given

    def check(self, problem: Problem, given: Fields, expected: Law, columns: Sequence[Law]) -> None:
        (first, *others), limit = problem.guarantees(given), given["distortion"]
        for part, found in self.leaves(given):
            for k, (notion, loss, hints) in enumerate([(*first[:2], found), *others]):
                laws = replace(as_set(part), multipliers=iter(hints.get("multipliers", [])))
                require(k > 0 or limit.infinite or laws.largest(expected) <= limit.value, TOO_COSTLY)
                if not problem.is_free(notion) and not loss.infinite:
                    check_set(problem, (notion, loss), columns, laws, hints)
                require(next(laws.multipliers, None) is None, "multipliers are left over")


def as_set(source: Source) -> Set:
    return source if isinstance(source, Set) else Set(**vars(source))


def certain(size: int) -> tuple[Law, ...]:
    spend(size**2)
    return tuple(tuple(Fraction(j == x) for j in range(size)) for x in range(size))


def check_set(problem: Problem, kept: tuple[Notion, Level], columns: Sequence[Law], laws: Set, hints: Fields) -> None:
    """The bounds of a notion that depends on the law of the inputs, at a loss, under every law of a set."""
    family = kept[0].family
    laws = Set(problem.universe.size) if family == "capacity" else laws
    checks = (check for name, fits, check in OVER_SETS if name in {*hints, type(laws).__name__} and family in fits)
    if not laws.is_listed and (check := next(checks, None)):
        check(problem, problem.read_at(*kept), columns, laws, hints)
        return
    require(laws.is_listed or FAMILIES[family].is_convex, NO_COVER)
    for law in laws.held(hints):
        problem.read_at(*kept, law).check(columns, hints)


def by_output(problem: Problem, at: Reading, columns: Sequence[Law], source: Source, hints: Fields) -> None:
    """An information is at most the worst mean divergence of the rows from any law r of the output."""
    size, r, costs, a = problem.universe.size, sized(hints["output"], len(columns)), list[Level](), at.notion.order
    require(min(r) >= 0 and sum(r) == 1, "the distribution of the outputs is none")
    longer = [(*q, s) for q, s in zip(columns, r, strict=True)]
    for x in range(size):
        bound = Bound("entropy" if a == 1 else "power", [(ONE, {x: ONE}, {size: ONE})], order=a)
        costs.append(bound.excess(longer, at.loss))
        if costs[x].infinite:  # then no law may use the input
            require(source.largest([Fraction(k == x) for k in range(size)]) <= 0, TOO_MUCH)
            costs[x] = NOTHING.plus(at.loss, -ONE)
    each = all(cost.at_most(NOTHING) for cost in costs)
    require(each or source.largest([cost.pair()[1] for cost in costs]) <= 0, TOO_MUCH)


@dataclass(frozen=True)
class Region(Set):
    """Laws within the `sides`. In a box that is the `start` with some `mass` more, up to the `room` of each input; in a
    ball as much may move from where there is room."""

    sides: tuple[Side, ...] = ()
    start: Law = ()
    mass: Fraction = ZERO
    room: Law = ()
    is_ball: bool = False

    def contains(self, law: Law) -> bool:
        inside = all(dot(form, law) <= bound for form, bound in self.sides)
        return inside and sum(abs(p - c) for p, c in zip(law, self.start, strict=False)) <= 2 * self.mass

    def largest(self, cost: Sequence[Fraction]) -> Fraction:
        """A box is filled, or a ball emptied, where that costs most; otherwise by weak duality: for u >= 0, cost . p is
        at most the largest (cost - u . forms) . p, and u . bounds."""
        spend(self.size + sum(len(form) for form, _ in self.sides))
        if self.start:
            total, left = dot(cost, self.start), self.mass
            gains = [max(cost) - c for c in cost] if self.is_ball else cost
            for gain, room in sorted(zip(gains, self.room, strict=True), reverse=True):
                total, left = total + gain * min(room, left), left - min(room, left)
            return total
        rest, chosen = list(cost), sized(next(self.multipliers, []), len(self.sides))
        require(min(chosen, default=ZERO) >= 0, "a multiplier is negative")
        for u, (form, _) in zip(chosen, self.sides, strict=True):
            for x, a in form.items() if u else ():
                rest[x] -= u * a
        return dot(chosen, [bound for _, bound in self.sides]) + max(rest)

    def held(self, hints: Fields) -> Sequence[Law]:
        """By a cover. If p moves the mass d of a ball to the inputs u, it is a mixture of the laws that move all of d
        to one input: a ball is held by a box for each input."""
        _, cover = hints.get("cover") or (None, Fields())
        if not self.is_ball:
            return self.corners(cover)
        gains = [[self.mass * c for c in unit] for unit in certain(self.size)]
        upper = [[min(ONE, a + b) for a, b in zip(self.start, gain, strict=True)] for gain in gains]
        parts = zip(gains, upper, sized(cover.get("boxes", []), self.size), strict=True)
        return [law for low, high, part in parts for law in box(low, high).corners({"corners": part})]

    def corners(self, cover: Fields, rising: bool = False) -> list[Law]:
        """Laws that a cover names, whose mixtures hold the set. If `rising`, vectors (p, t) whose mixtures hold all
        that have p in the set and max(p) <= t <= 1; p a mixture of the points, if there are any.

        The sides of a cover: no weight is negative; t <= 1, and p(x) <= t for each x; the sides of the set. In a ball
        no set of inputs gains more than the mass that moves: those that the cover names.
        """
        columns = list(zip(*(self.points or certain(self.size)), strict=True))
        size, sets = len(columns[0]), [dict.fromkeys(chosen, ONE) for chosen in cover.get("sets", [])]
        require("corners" in cover, "over this source a cover is needed")
        known = self.is_ball and all(x < size for chosen in sets for x in chosen)
        require(known or not sets, "no side of the source")
        spend(2 * size * self.size)
        sides: list[Side] = [({i: -ONE}, ZERO) for i in range(size)]
        if rising:
            sides += [({size: ONE}, ONE), *[(form_of((*column, -ONE)), ZERO) for column in columns]]
        sides += [*self.sides, *[(form, dot(form, self.start) + self.mass) for form in sets]]
        found = held_by(cover["corners"], sides, size, size + rising)
        return [(*(dot(column, v) for column in columns), v[size]) for v in found] if rising else found


def held_by(corners: list[list[Any]], sides: Sequence[Side], inputs: int, size: int) -> list[Law]:
    """Points whose mixtures hold all vectors of a size within the sides, whose first entries, the inputs, sum to one.

    Each point stands with cones: lists of sides, one fewer than it has entries, on or beyond which it lies. A linear
    function that is a sum of their forms, none of them negative, and of any multiple of the sum of inputs, is within
    the sides nowhere larger than at the point. So the points hold all of them, if every function is in some cone.

    Faces are cones without one of their sides. They are added up, alternating, with the sign of the determinant of the
    cone, and all cancel: across each face there are as many cones as on this side of it. So all functions that are on
    no face are in the same number of cones, which is not zero; and cones are closed.
    """
    faces, points, seen = dict[tuple[int, ...], int](), list[Law](), 0
    length = size * max(bits(c) for form, _ in sides for c in form.values())
    for point, *cones in (corner if corner else fail("a corner is a point with its cones") for corner in corners):
        points.append(tuple(sized(read(law if inputs == size else [number], point), size)))
        require(sum(points[-1][:inputs]) == 1, "a corner has another sum than one")
        for cone in read([[partial(whole, most=len(sides) - 1)]], cones):
            spend(size * size)
            rising = all(a < b for a, b in pairwise(sized(cone, size - 1)))
            lies = rising and all(dot(sides[k][0], points[-1]) >= sides[k][1] for k in cone)
            require(lies, "a corner lies within a side of its cone, or one stands twice")
            sign = orientation([*(sides[k][0] for k in cone), dict.fromkeys(range(inputs), ONE)], length)
            require(sign != 0, "a cone is flat")
            seen += 1
            for place in range(size - 1):
                face = (*cone[:place], *cone[place + 1 :])
                faces[face] = faces.get(face, 0) + (-sign if place % 2 else sign)
    require(seen > 0 and not any(faces.values()), "the cones leave something out")
    return points


def orientation(rows: Sequence[Form], length: int) -> int:
    """The sign of a determinant, by elimination: that of the pivots, and of the order of their columns."""
    pivots, sign = list[tuple[int, Form]](), 1
    for row in rows:
        rest = dict(row)
        for column, other in pivots:
            if column in rest:
                spend(len(other), length)
                share = rest[column] / other[column]
                rest |= {x: rest.get(x, ZERO) - share * c for x, c in other.items()}
                rest = {x: c for x, c in rest.items() if c}
        if not rest:
            return 0
        place = min(rest)
        swaps = sum(place < column for column, _ in pivots) + (rest[place] < 0)
        sign = -sign if swaps % 2 else sign
        pivots.append((place, rest))
    return sign


def box(lower: Sequence[Fraction], upper: Sequence[Fraction]) -> Region:
    sides = [({x: -ONE}, -a) for x, a in enumerate(lower)] + [({x: ONE}, b) for x, b in enumerate(upper)]
    room = tuple(b - a for a, b in zip(lower, upper, strict=True))
    return Region(len(lower), sides=tuple(sides), start=tuple(lower), mass=1 - sum(lower, ZERO), room=room)


def read_region(given: Fields, _: Universe | None = None) -> Source:
    ((kind, entry),) = given.items()
    if kind == "everything":
        return Set(entry)
    if kind == "box":
        lower, upper = tuple(entry["lower"]), sized(entry["upper"], len(entry["lower"]))
        if any(not 0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True)) or not sum(lower) <= 1 <= sum(upper):
            fail("the box is malformed, or holds no distribution")
        return box(lower, upper)
    if kind == "ball":
        center, radius = entry["center"], entry["radius"]
        expect(0 <= radius <= 2, "the radius of a ball lies between 0 and 2")
        return Region(len(center), start=center, mass=radius / 2, room=center, is_ball=True)
    rows, bounds = table(entry["matrix"], len(entry["bounds"])), sized(entry["bounds"], len(entry["matrix"]))
    within = Region(len(rows[0]), sides=tuple(zip(map(form_of, rows), bounds, strict=True)))
    member = sized(entry["member"], within.size)
    return within if within.contains(member) else fail("the polytope is not shown to hold a distribution")


def keeps(source: Source, x: int, share: Fraction, z: int) -> bool:
    """Whether p(x) <= share * p(z) under every law."""
    return source.largest([Fraction(k == x) - share * (k == z) for k in range(source.size)]) <= 0


def by_pairs(_: Problem, at: Reading, columns: Sequence[Law], source: Source, __: Fields) -> None:
    """Joint probabilities of neighbours, p(x) Q(y|x) <= e^(L distance) p(z) Q(y|z)."""
    for x, z in sorted(map(tuple, at.names())):
        spend(source.size + len(columns))
        growth = at.loss.exp(at.universe.distance(x, z))[0]
        require(keeps(source, x, min(growth * q[z] / q[x] for q in columns if q[x]), z), TOO_MUCH)


def by_shares(problem: Problem, at: Reading, columns: Sequence[Law], source: Source, hints: Fields) -> None:
    """Guesses, where p(x) <= w(x) p(k) for some input k: max p is at least p(x) / w(x) for each x."""
    size = problem.universe.size
    spend(size**2)
    for x, (w, k) in enumerate(sized(hints["shares"], size)):
        require(w >= (k == x) and k < size and (k == x or keeps(source, x, w, k)), "a share is too small")
    bound = Bound("maximum", [(w, {x: ONE}, {}) for x, (w, _) in enumerate(hints["shares"])])
    require(bound.excess(columns, at.loss).at_most(NOTHING), TOO_MUCH)


def by_envelope(_: Problem, at: Reading, columns: Sequence[Law], source: Source, hints: Fields) -> None:
    """Each output at the least and, for local privacy, at the largest probability that it has under any law."""
    is_local = at.notion.family == "local"
    ends = [(-source.largest([-p for p in q]), source.largest(q) if is_local else ZERO) for q in columns]
    at.check(columns, hints, ends)


def by_slopes(_: Problem, at: Reading, columns: Sequence[Law], source: Source, hints: Fields) -> None:
    """Minus the logarithm of an output's probability is convex: up to the largest one it is below a line from the least
    one that falls by no more, so that a divergence is at most one from the least, and a mean."""
    slopes, size = sized(hints["slopes"], len(columns)), source.size
    ends = [(-source.largest([-p for p in q]), source.largest(q)) for q in columns]
    for slope, (low, high) in zip(slopes, ends, strict=True):
        fall = slope * (high - low)
        is_above = fall == 0 or (low > 0 and Level(fall).at_most(log_of(high / low)))
        require(slope >= 0 and is_above, "a slope is too steep, or negative")
    longer = [(*q, max(low, ZERO)) for q, (low, _) in zip(columns, ends, strict=True)]
    for x in range(size):
        spend(size * len(columns))
        falls = [(s * q[x], q) for s, q in zip(slopes, longer, strict=True)]
        more = [sum((fall * (q[-1] - q[z]) for fall, q in falls), ZERO) for z in range(size)]
        above = Bound("entropy", [(ONE, {x: ONE}, {size: ONE})]).excess(longer, at.loss)
        require(above.plus(Level(source.largest(more))).at_most(NOTHING), TOO_MUCH)


def by_guesses(_: Problem, at: Reading, columns: Sequence[Law], source: Source, hints: Fields) -> None:
    """For p <= t the sum of max p(x) q(x) is convex in p and t together: it is at most e^L t."""
    region = source if isinstance(source, Region) else Region(source.size, source.points)
    for *p, t in region.corners(hints["cover"][1], rising=True):
        spend(source.size * len(columns))
        guessed = sum((max(a * b for a, b in zip(p, q, strict=True)) for q in columns), ZERO)
        require(guessed <= times(at.loss.exp(), t)[0], TOO_MUCH)


COVER = OneOf(corners=({"corners": [[LATER]], "sets?": [[whole]]}, None), boxes=({"boxes": [[[LATER]]]}, None))
SOURCES["everything"] = {"everything": partial(whole, least=1, most=1 << MOST_BITS)}, read_region
SOURCES["box"] = {"box": {"lower": [shown], "upper": [shown]}}, read_region
SOURCES["ball"] = {"ball": {"center": shown_law, "radius": shown}}, read_region
SOURCES["polytope"] = {"polytope": {"matrix": [[shown]], "bounds": [shown], "member": shown_law}}, read_region
Check: TypeAlias = Callable[[Problem, Reading, Sequence[Law], Source, Fields], None]
OVER_SETS: list[tuple[str, Sequence[str], Check]] = [  # by a hint, or a kind of source
    ("output", ("information", "capacity", "sibson"), by_output),
    ("Region", ("identifiability",), by_pairs),
    ("shares", ("guessing",), by_shares),
    ("cover", ("guessing",), by_guesses),
    ("slopes", ("pointwise",), by_slopes),
    ("envelope", ("output", "local", "pointwise"), by_envelope),
]
HINTS: Fields = {"output?": [number], "multipliers?": [[number]], "envelope?": {True}, "cover?": COVER}
HINTS |= {"shares?": [(number, whole)], "slopes?": [number], "orders?": [number]}
HELPED: Fields = {
    **EVALUATED,
    **HINTS,
    "cells?": [LATER],
    "covers?": [partial(optional, COVER, None)],
    "further?": [HINTS],
}
ATTAINED |= {
    name.rstrip("?"): (HELPED, partial(check_attained, over=as_set)) for name in HELPED.keys() - EVALUATED.keys()
}


# -- Gaussian and concentrated privacy: the normal law, and divergences of all orders ----------------------------------


def series(factor: Callable[[int], Fraction]) -> Pair:
    """1 + f(1) + f(1) f(2) + ..., with factors that stay below 1/2 once they are: the rest is below the last term."""
    ends = list[Fraction]()
    for side in (DOWN, UP):
        total, term, k, ratio = Decimal(1), Decimal(1), 0, Decimal(1)
        while 2 * ratio > 1 or term > total.scaleb(-side.prec):
            spend(1 + side.prec // 64)
            k, ratio = k + 1, decimal(factor(k + 1), side)
            term = side.multiply(term, ratio)
            total = side.add(total, term)
        ends.append(Fraction(total if side is DOWN else side.add(total, term)))
    return ends[0], ends[1]


@lru_cache(maxsize=1 << 12)
def normal(x: Fraction) -> Pair:
    """The standard normal law of the numbers up to x: for x < 0 it is 1/2 + d (x + x^3/3 + x^5/15 + ...), for which the
    digits are added that a small difference loses, and never more than e^(-x^2/2); d is the density at x, that divided
    by 2 sqrt(pi/2), where pi/2 = 1 + 1/3 + 2/15 + ... (Euler)."""
    if x > 0:
        return 1 - normal(-x)[1], 1 - normal(-x)[0]
    if x * x > LARGEST_EXPONENT:
        return ZERO, exp(-x * x / 2, -x * x / 2)[1]
    digits = DOWN.prec
    DOWN.prec = UP.prec = digits + int(x * x) // 4 + 5
    (below, above), (least, most) = series(lambda k: Fraction(k, 2 * k + 1)), series(lambda k: x * x / (2 * k + 1))
    tail = exp(-x * x / 2, -x * x / 2)
    low = tail[0] / (2 * Fraction(UP.next_plus(UP.sqrt(decimal(above, UP)))))
    high = tail[1] / (2 * Fraction(DOWN.next_minus(DOWN.sqrt(decimal(below, DOWN)))))
    DOWN.prec = UP.prec = digits
    return Fraction(decimal(ONE / 2 + x * high * most, DOWN)), Fraction(decimal(ONE / 2 + x * low * least, UP))


ENCLOSED += [normal]


def is_nonnegative(form: tuple[Fraction, Fraction, Fraction], low: Fraction, high: Fraction) -> bool:
    """Whether a t^2 + b t + c >= 0 for low <= t <= high: at both ends, and where it is least between them."""
    a, b, c = form
    places = [low, high, *([-b / (2 * a)] if a > 0 and low < -b / (2 * a) < high else [])]
    return all((a * t + b) * t + c >= 0 for t in places)


def normal_slack(t: Fraction, apart: Fraction, loss: Level) -> Fraction:
    """That of normal laws at the distance m = loss * apart and the ratio 1 : t, rounded up, is
    Phi(m/2 - log(t)/m) - t Phi(-m/2 - log(t)/m), which grows with m."""
    far = loss.pair()[1] * apart
    if not far:
        return max(ONE - t, ZERO)
    low, high = times(ln(t), 1 / far)
    return normal(far / 2 - low)[1] - t * normal(-far / 2 - high)[0]


def of_numbers(reading: Reading, name: Sequence[int]) -> Bound:
    """At a number, which stands as the order: Renyi's divergence, at the order times the loss; or events at x beside t
    times those at z, which exceed them by no more than those of normal laws."""
    found, t = of_pairs(reading, name), reading.notion.order
    ((_, left, right),), far = found.atoms, found.distance or ONE
    if reading.notion.family == "concentrated":
        return found._replace(kind="entropy" if t == 1 else "power", order=t, distance=t * far)
    atom = (ONE, left, {x: t * c for x, c in right.items()})
    return Bound("ratio", [atom], ZERO, events=True, falls=partial(normal_slack, t, far))


def check_events(pairs: list[Pair], allowed: Fraction, numbers: list[Fraction]) -> None:
    """Two laws are as hard to tell apart as normal ones at a distance. By the lemma of Neyman and Pearson the likeliest
    events decide, in the order of the ratio of the laws, and what normal laws allow is concave between them: an event
    of the probabilities a and b is allowed if one of the numbers has at most b below it, and a below what is further.
    """
    a = b = ZERO
    spend(len(pairs) * (1 + len(numbers)))
    for p, r in sorted(pairs, key=lambda pair: (pair[1] > 0, -pair[0] / pair[1] if pair[1] else ZERO))[:-1]:
        a, b = a + p, b + r
        allowed_by = (x for x in numbers if normal(x)[1] <= b and a <= normal(x + allowed)[0])
        require(a <= b or next(allowed_by, None) is not None, TOO_MUCH)


def check_orders(pairs: list[Pair], allowed: Fraction, orders: list[Fraction]) -> None:
    """The divergence of every order t > 1 is at most allowed * t, by those of some orders: (t - 1) times it is
    f(t) = log(sum of p^t r^(1-t)), which is convex. The divergence grows with t: up to the first order it is at most
    what is allowed at 1; beyond the last, at most the logarithm of the largest ratio. Between two, f lies below its
    chord, and that below allowed * t (t - 1); where it does not, the order halfway in the list cuts the chord."""
    terms, f, pieces = [(p, r) for p, r in pairs if p], dict[Fraction, Fraction](), [(0, len(orders) - 1)]
    require(all(r for _, r in terms), TOO_MUCH)
    require(orders != [] and all(s < t for s, t in pairwise(orders)), "the orders do not rise")
    while pieces:
        i, j = pieces.pop()
        for t in {orders[i], orders[j]} - f.keys():
            spend(len(terms))
            ends = [ln(p)[1] + times(ln(p / r), t - 1)[1] for p, r in terms]
            f[t] = ln(sum((exp(end, end)[1] for end in ends), ZERO))[1]
        s, t = orders[i], orders[j]
        slope = (f[t] - f[s]) / (t - s) if s < t else ZERO
        is_below = i == j or is_nonnegative((allowed, -allowed - slope, slope * s - f[s]), s, t)
        require(is_below or j - i > 1, TOO_MUCH)
        pieces += [(i, (i + j) // 2), ((i + j) // 2, j)] if not is_below and j - i > 1 else []
    far = max(ln(p / r)[1] for p, r in terms)
    require(f[orders[0]] <= allowed * (orders[0] - 1) and far <= allowed * orders[-1], TOO_MUCH)


def check_neighbours(verify: Any, reading: Reading, columns: Sequence[Law], hints: Fields) -> None:
    for x, z in reading.names():
        spend(8 + 2 * len(columns) + len(hints.get("orders", [])))
        pairs = [(q[x], q[z]) for q in columns if q[x] or q[z]]
        allowed = times(reading.loss.pair(), reading.universe.distance(x, z))[0]
        if any(p != r for p, r in pairs):
            verify(pairs, allowed, hints.get("orders", []))


NOTIONS["concentrated_differential_privacy"] = "concentrated", {}
NOTIONS["gaussian_differential_privacy"] = "gaussian", {}
FAMILIES["concentrated"] = Family(of_numbers, 2, is_free=True, check=partial(check_neighbours, check_orders))
FAMILIES["gaussian"] = Family(of_numbers, 2, is_free=True, check=partial(check_neighbours, check_events))


# -- Secrets, limits on the mechanism, gains, further guarantees -------------------------------------------------------

LIMITS: Fields = {"allowed?": [[{True, False}]], "lower?": LATER, "upper?": LATER, "invariant?": {True}}
LIMITS |= {"unbiased?": {"inputs": [shown], "outputs": [shown]}}
LIMITS |= {name: [([[shown]], shown)] for name in ("equations?", "inequalities?")}
LimitName: TypeAlias = tuple[str | int, ...]


class Limit(NamedTuple):
    """The sum of coefficient * z(x,y), over all (x, y, coefficient), is at most a bound, or equal to it."""

    terms: Sequence[tuple[int, int, Fraction]]
    bound: Fraction
    is_equation: bool = False


class Hidden(Reading):
    """A notion of the values of a secret."""

    def check(self, columns: Sequence[Law], hints: Fields, ends: Sequence[Pair] = ()) -> None:
        """On the channel from the secret to the outputs."""
        found = [tuple(dot(form, q) for form in self.forms) for q in columns]
        forms = [{k: ONE} for k in range(self.universe.size)]
        Reading(*self)._replace(forms=forms, least=self.law).check(found, hints, ends)


@dataclass(frozen=True)
class Wider(Problem):
    """A problem that may protect a secret that follows input x with the law secret[x], whose values have a universe of
    their own, keep `limits` and have entries that vanish (`zeros`, by output), and keep other notions `also`. A notion
    is read on the channel from the secret, which is linear in the mechanism."""

    secret: Sequence[Law] = ()
    values: Universe | None = None
    limits: Mapping[LimitName, Limit] = field(default_factory=dict)
    zeros: Sequence[set[int]] = ()
    also: Sequence[tuple[Notion, Level]] = ()

    def read_at(self, notion: Notion, loss: Level, law: Law | None = None) -> Reading:
        """Without the values of the secret that have no probability."""
        if self.values is None:
            return super().read_at(notion, loss, law)
        own = form_of(law or ())
        spend(self.universe.size * (1 + self.values.size))
        rows = [[own.get(x, ZERO) * share for share in row] for x, row in enumerate(self.secret)]
        both = [form_of(column) for column in zip(*rows, strict=True)]
        kept = [s for s, form in enumerate(both) if form]
        law_of_values = {k: sum(both[s].values(), ZERO) for k, s in enumerate(kept)}
        forms = [{x: share / law_of_values[k] for x, share in both[s].items()} for k, s in enumerate(kept)]
        gains = [[gain[s] for s in kept] for gain in gains_of(notion)]
        notion = notion._replace(given={"gain": gains[0], "others": gains[1:]}) if gains else notion
        return Hidden(notion, loss, among(self.values, kept), forms, law_of_values, own, own)

    def is_free(self, notion: Notion) -> bool:
        return super().is_free(notion) and self.values is None

    def guarantees(self, claim: Fields) -> list[tuple[Notion, Level, Fields]]:
        hints = [*claim.get("further", []), *[{}] * len(self.also)]
        others = [(notion, loss, hint) for (notion, loss), hint in zip(self.also, hints, strict=False)]
        return [*super().guarantees(claim), *others]

    def check_entries(self, columns: Sequence[Law]) -> None:
        for terms, bound, is_equation in self.limits.values():
            value = sum((c * columns[y][x] for x, y, c in terms), ZERO)
            require(value == bound or (value < bound and not is_equation), "a limit is not kept")
        require(all(not columns[y][x] for y, gone in enumerate(self.zeros) for x in gone), "an entry is not allowed")


def among(universe: Universe, kept: list[int]) -> Universe:
    """Some inputs alone, counted among these."""
    places, edges = {s: k for k, s in enumerate(kept)}, dict[tuple[int, int], Fraction]()
    for clique, distance in universe.cliques() if universe.edges is not None else ():
        found = [places[s] for s in clique if s in places]
        spend(len(found) ** 2)
        edges |= {(i, j): distance for i in found for j in found if i < j}
    return Universe(len(kept), range(len(kept)), None if universe.edges is None else edges)


class WiderExclusion(Exclusion):
    """A name begins with the guarantee, the point and, of a family of bounds, the number at which it is read."""

    def __init__(self, problem: Wider, claim: Fields) -> None:
        super().__init__(problem, claim)
        self.zeros = list(problem.zeros) or self.zeros
        self.limits, self.is_direct = problem.limits, problem.values is None

    def find(self, name: Sequence[int]) -> tuple[Reading, Sequence[int]]:
        require(len(name) > 1 and name[0] < len(self.kept), "no such guarantee")
        which, place, *rest = name
        family, numbers = self.kept[which][0].family, self.claim.get("numbers", [])
        reading = self.reading(which, place)
        if family in NUMBERED:
            require(rest != [] and rest[0] < len(numbers), "no number at which the notion is read")
            number, *rest = numbers[rest[0]], *rest[1:]
            require(number > 0 and number >= NUMBERED[family], "the number is too small")
            reading = reading._replace(notion=reading.notion._replace(order=number))
        require(FAMILIES[family].is_free or rest[:1] == [0], NO_BOUND)
        return reading, rest if FAMILIES[family].is_free else rest[1:]


def add_limits(excluded: Exclusion, entries: list[list[Any]]) -> None:
    limits = excluded.limits if isinstance(excluded, WiderExclusion) else {}
    for entry in entries:
        name, m = tuple(entry[:-1]), number(entry[-1] if entry else None)
        known = all(type(part) in (int, str) for part in name) and name in limits
        require(known, "no limit has this name")
        terms, bound, is_equation = limits[name]
        require(m >= 0 or is_equation, NO_SIGN)
        spend(4 * len(terms))
        excluded.total += m * bound
        for x, y, c in terms:
            excluded.add(y, {x: c}, m)


def read_limits(value: Any, size: int, outputs: int, source: Source) -> Fields:
    """The entries of a mechanism that vanish, by output, and its other limits by name."""
    given, found = read(LIMITS, value), dict[LimitName, Limit]()
    spend(4 * size * outputs * (1 + len(given)))

    def each(rows: Any) -> Iterator[tuple[int, int, Any]]:
        """The entries of a matrix of inputs and outputs, or one number for all."""
        matrix = rows if isinstance(rows, list) else [[rows] * outputs] * size
        entries = chain(*(sized(row, outputs) for row in sized(matrix, size)))
        return ((x, y, entry) for (x, y), entry in zip(product(range(size), range(outputs)), entries, strict=True))

    for name, sign, known in (("lower", -ONE, ZERO), ("upper", ONE, ONE)):
        kind = [[shown]] if isinstance(given.get(name), list) else shown
        for x, y, end in each(read(kind, given.get(name, int(known)), f".{name}")):
            expect(0 <= end <= 1, "a probability lies between 0 and 1")
            if end != known:
                found[name, x, y] = Limit([(x, y, sign)], sign * end)
    if not given or ("invariant" in given and (len(source.points) != 1 or outputs != size)):
        fail("there are no limits, or what is invariant lacks one distribution, or the inputs as outputs")
    for y, kept in enumerate(source.points[0] if "invariant" in given else ()):
        found["invariant", y] = Limit([(x, y, p) for x, p in enumerate(source.points[0])], kept, True)
    ends = given.get("unbiased", {"inputs": [], "outputs": [ZERO] * outputs})
    for x, mean in enumerate(sized(ends["inputs"], size if "unbiased" in given else 0)):
        found["unbiased", x] = Limit([(x, y, v) for y, v in enumerate(sized(ends["outputs"], outputs))], mean, True)
    for name, many in (("equation", "equations"), ("inequality", "inequalities")):
        for i, (rows, bound) in enumerate(given.get(many, [])):
            found[name, i] = Limit(list(each(rows)), bound, name == "equation")
    zeros: list[set[int]] = [set() for _ in range(outputs)]
    for x, y, allowed in each(given.get("allowed", True)):
        zeros[y].update([] if allowed else [x])
    return {"limits": found, "zeros": zeros}


def read_gain(value: Any) -> list[Law]:
    """Of each value that is protected, for each guess."""
    rows = read([[shown]], value)
    found = table(rows, len(rows))
    expect(all(min(row) >= 0 for row in found), "a gain is negative")
    return found


def gains_of(notion: Notion) -> list[list[Law]]:
    return [notion.given["gain"], *notion.given.get("others", [])] if "gain" in notion.given else []


def combined(weights: Form, forms: Sequence[Form]) -> Form:
    """The sum of weight * form."""
    found: Form = {}
    for s, weight in weights.items():
        spend(len(forms[s]))
        for x, share in forms[s].items() if weight else ():
            found[x] = found.get(x, ZERO) + weight * share
    return found


def of_gain(reading: Reading, name: Sequence[int]) -> Bound:
    """The best guess, as many times as good as without the output; of several gains one."""
    gains = gains_of(reading.notion)
    spend(reading.universe.size * (1 + sum(len(gain[0]) for gain in gains)))
    columns = zip(*gains[name[0] if name else 0], strict=True)
    guesses = [{k: p * gain[k] for k, p in reading.law.items()} for gain in columns]
    before = max(sum(guess.values(), ZERO) for guess in guesses)
    require(before > 0, "no guess gains anything")
    atoms = [(1 / before, combined(guess, reading.forms), Form()) for guess in guesses]
    return Bound("maximum", atoms, inputs=range(len(atoms)))


def widened(problem: Problem, given: Fields) -> Problem:
    """The wider problem."""
    universe, source = problem.universe, problem.source
    also, protected = [(part["notion"], part["loss"]) for part in given.get("also", [])], universe
    found = Wider(**vars(problem), also=also)
    if "secret" in given:
        secret = table(given["secret"]["given"], universe.size)
        protected = given["secret"].get("universe") or Universe(len(secret[0]), range(len(secret[0])))
        sized(secret[0], protected.size)
        found = replace(found, secret=secret, values=protected)
    if "mechanism" in given:
        limits = partial(read_limits, size=universe.size, outputs=found.outputs, source=source)
        found = replace(found, **read(limits, given["mechanism"], ".mechanism"))
    expect(given.get("also") != [], "a wider problem keeps something also")
    for notion in (problem.notion, *(other for other, _ in also)):
        fits = all(len(gain) == protected.size for gain in gains_of(notion))
        expect(fits, "a gain has a row for each value protected")
        alone = "secret" in given or notion.family == "gain"
        expect(
            not alone or (source.is_listed and notion.family != "capacity"), "a secret or a gain needs listed priors"
        )
    return found


NUMBERED = {"concentrated": ONE, "gaussian": ZERO}  # families of bounds, one for each number from the least
NOTIONS["g_leakage"] = "gain", {"gain": read_gain, "others?": [read_gain]}
FAMILIES["gain"] = Family(of_gain, 0, further=lambda notion: [n for n in [len(gains_of(notion))] if n > 1])
RULES[Wider] = WiderExclusion
EXTENSIONS |= dict.fromkeys(("gain", *NUMBERED, "secret", "mechanism", "also"), widened)
PROBLEM |= {"secret?": {"given": [shown_law], "universe?": partial(made, UNIVERSES)}, "mechanism?": LATER}
PROBLEM |= {"also?": [{"notion": read_notion, "loss": partial(level, loose=True)}]}
STEP["limits?"], ADDED["limits"] = [[LATER]], add_limits
STEPS["numbers?"] = [number]


# -- Databases: rows that are independent, cells, a claim about each kind of row ---------------------------------------


@dataclass(frozen=True)
class Databases(Universe):
    """Lists of `rows` letters in lexicographic order; those that differ in one row are at distance 1. `values` are of
    the letters."""

    letters: int = 1
    rows: int = 1
    places: Sequence[int] = ()

    def distance(self, x: int, z: int) -> Fraction:
        other = sum(x // place % self.letters != z // place % self.letters for place in self.places)
        require(other == 1, f"the inputs {x} and {z} are not neighbours")
        return ONE

    def cliques(self) -> Iterable[tuple[Sequence[int], Fraction]]:
        for place in self.places:
            starts = (first for first in range(self.size) if first // place % self.letters == 0)
            yield from ((range(first, first + place * self.letters, place), ONE) for first in starts)

    def costs(self, name: str, y: int) -> list[Fraction]:
        """The sum over the rows."""
        found, row = [ZERO], Universe(self.letters, self.values)
        for place in reversed(self.places):
            gaps = row.costs(name, y // place % self.letters)
            found = [cost + gap for cost in found for gap in gaps]
        return found


def databases(given: Fields) -> Universe:
    inner = given["databases"]
    expect(len(inner) == 2, "the values of a row are told in one way")
    one = records(inner["alphabet"]) if "alphabet" in inner else Universe(inner["size"], range(inner["size"]))
    rows = inner["rows"]
    expect(one.size.bit_length() * rows <= MOST_BITS, "too many databases")
    return Databases(one.size**rows, one.values, {}, one.size, rows, [one.size**row for row in range(rows)])


@dataclass(frozen=True)
class Rows(Set):
    """The laws of independent `rows`, which if `shared` all have the same."""

    rows: tuple[Source, ...] = ()
    shared: bool = False

    def contains(self, law: Law) -> bool:
        laws, rest = list[Law](), law
        for row in self.rows:  # the law of the first row, then that of the others
            spend(len(rest))
            width = len(rest) // row.size
            blocks = [rest[k : k + width] for k in range(0, len(rest), width)]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        return joint(laws) == law and self.holds(laws)

    def holds(self, laws: Sequence[Law]) -> bool:
        """Whether the rows may have these laws: of a hull also mixtures that the document shows."""
        spend(sum(map(len, laws)))
        different = {(id(row), law): row for row, law in zip(self.rows, laws, strict=True)}
        shown = ((p, r, (parts <= set(r.points) for parts in SHOWN.get(p, []))) for (_, p), r in different.items())
        held = (r.contains(p) or (r.convex and any(among)) for p, r, among in shown)
        return (not self.shared or len(different) == 1) and all(held)

    def leaves(self, given: Fields) -> Iterator[tuple[Source, Fields]]:
        """Cells cover the laws of independent rows: for each row (for all, if shared) laws whose mixtures are possible.
        The hull of mean products of laws of a cell holds all products of their mixtures. A cell may be cut in two at
        c = t v_i + (1 - t) v_j: a mixture that uses v_i and v_j is one of c and only one of the two.
        """
        n, rows = len(self.rows), self.rows[:1] if self.shared else self.rows
        different = list({id(row): row for row in self.rows}.values())  # as they are written
        covers = sized(given.get("covers", [None] * len(different)), len(different))
        laws = {id(row): list(as_set(row).held({"cover": cover})) for row, cover in zip(different, covers, strict=True)}
        laws |= {id(row): sorted(set(laws[id(row)])) for row in different if isinstance(row, Region)}
        choices = [[laws[id(row)]] if row.convex else [[law] for law in row.points] for row in rows]
        spend(prod(map(len, choices)))
        trees = given.get("cells", [{}] * prod(map(len, choices)))
        require(len(trees) == prod(map(len, choices)), "there is not a tree of cells for each choice of the rows")
        cells = list(zip(product(*choices), trees, strict=True))
        while cells:
            cell, tree = cells.pop()
            _, found = read(TREE, tree, ".cells")
            if "cut" in found:
                row, i, j, t = found["cut"]
                require(row < len(cell) and max(i, j) < len(cell[row]) and i != j and 0 < t < 1, "no cut of a cell")
                spend(len(cell) + 2 * len(cell[row]) + len(cell[row][0]))
                middle = tuple(t * a + (1 - t) * b for a, b in zip(cell[row][i], cell[row][j], strict=True))
                for gone, part in zip((i, j), found["cells"], strict=True):
                    cut = [middle if k == gone else law for k, law in enumerate(cell[row])]
                    cells.append(((*cell[:row], cut, *cell[row + 1 :]), part))
                continue
            points = list[Law]()
            for chosen in combinations_with_replacement(cell[0], n) if self.shared else product(*cell):
                mixed = self.shared and len(set(chosen)) > 1
                spend(factorial(n) if mixed else 1)
                orders = [joint(order) for order in (set(permutations(chosen)) if mixed else [chosen])]
                points.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
            yield Source(self.size, tuple(dict.fromkeys(points))), found if "cells" in given else given


SHOWN: dict[Law, list[set[Law]]] = {}  # mixtures that a document shows, each with laws of which it is one


def show(value: Any) -> None:
    """Keep a mixture [[weight, law], ...], which it is whatever is claimed."""
    parts = read([(number, law)], value)
    weights, laws = [weight for weight, _ in parts], table([entry for _, entry in parts], len(parts))
    expect(min(weights) >= 0, "a weight is negative")
    spend(2 * len(laws) * len(laws[0]))
    SHOWN.setdefault(tuple(dot(weights, column) for column in zip(*laws, strict=True)), []).append(set(laws))


def joint(laws: Sequence[Law]) -> Law:
    """The law of independent rows."""
    Work.length = max(Work.length, sum(max(map(bits, law)) for law in laws))
    spend(prod(map(len, laws)) * len(laws))
    return tuple([prod(entries, start=ONE) for entries in product(*laws)])


row_source = partial(made, SOURCES)


def read_rows(given: Fields, universe: Universe | None = None) -> Source:
    if not isinstance(universe, Databases):
        fail("a source by rows needs databases")
    SHOWN.clear()
    entry, several = given["rows"], isinstance(given["rows"], list)
    found = [read(row_source, part, ".rows") for part in (sized(entry, universe.rows) if several else [entry])]
    if any(row.size != universe.letters for row in found) or (several and given.get("iid", False)):
        fail("each row has a source on the values; one that all rows share (iid) stands alone")
    known, shared = all(len(row.points) == 1 for row in found), not several and given.get("iid", True)
    return Rows(universe.size, (), known, rows=tuple(found * (universe.rows // len(found))), shared=shared)


def lines(law: Law, letters: int) -> Iterator[list[Law]]:
    """For each row the probabilities of its values, for all values of the other rows."""
    width = len(law)
    while width > 1:
        spend(len(law))
        width //= letters
        starts = (start for start in range(len(law)) if start // width % letters == 0)
        yield [law[start : start + width * letters : width] for start in starts]


def rows_of(problem: Problem) -> Databases:
    if not isinstance(problem.universe, Databases):
        raise Refused("rows need databases")
    return problem.universe


def some_law(problem: Problem, given: Fields, laws: list[Law]) -> Law | None:
    """The mixture `uniform` of laws of the source, if that is as good as one of them; none if it is the product of the
    laws of rows, or that is in the source."""
    source = problem.source
    if "uniform" not in given:
        spend(sum(map(len, laws)))
        is_any = source == Set(source.size)
        holds = source.holds(laws) if isinstance(source, Rows) else is_any or source.contains(joint(laws))
        require(holds, "rows with these distributions are not in the source")
        return None
    found = mixture(given["uniform"], source, source, source.convex or problem.is_free(problem.notion))
    require(sum(found) == 1, "the weights of a mixture are no distribution")
    return None if found == joint(laws) else found


def shares_of(problem: Problem, given: Fields, laws: list[Law]) -> list[Fraction]:
    """For each row how much of the distortion that a claim about it excludes, under these laws, the database has.

    It is one if such rows are in the source. Else, for a notion that is the same whatever the law: fix the other rows;
    a law of the source is at least some multiple of that of the row, and costs are not negative. The joint
    probabilities that identifiability compares are, averaged over the other rows and all orders of the values of one,
    those of a mechanism under the uniform law.
    """
    family, even = problem.notion.family, all(len(set(one)) == 1 for one in laws)
    even = even and family == "identifiability" and problem.cost == "hamming"
    law = None if even else some_law(problem, given, laws)
    if law is None:
        return [ONE] * len(laws)
    require(problem.is_free(problem.notion), "the mixture is another distribution than that of the rows")
    rows = zip(lines(law, rows_of(problem).letters), laws, strict=True)
    return [sum((min(p / v for p, v in zip(line, one, strict=True) if v) for line in row), ZERO) for row, one in rows]


def check_rows(name: str, problem: Problem, claim: Fields) -> None:
    """[[{"source": ..., name: claim}, count], ...], rows in order; the rest of their problem is that of the database.

    Attained: rows treated one by one. Distortions add up; of the losses the largest counts, or informations add up.
    Excluded: averaging over the other rows, and ignoring their answers, leaves a mechanism on a row that loses no more.
    So at one level the distortion is at least the sum of what the rows exclude. Mutual informations of rows add up to
    at most that of the database, and n equal rows do no better than n times their mean, by convexity. Under one law
    of databases neighbours are as identifiable as differential privacy of the rows and the ratio of their own
    probabilities make them.
    """
    notion, universe, source, parts = problem.notion, rows_of(problem), problem.source, claim["rows"]
    family, is_attained = notion.family, name == "attained"
    is_wider = isinstance(problem, Wider) and (problem.secret or problem.limits or problem.zeros or problem.also)
    require(not (problem.costs or is_wider), "rows need a cost that has a name, and no more than that")
    require(sum(number for _, number in parts) == universe.rows, "there is not a part for each row")
    row = Universe(universe.letters, universe.values)
    sources = [part["source"] for part, number in parts for _ in range(number)]
    each = FAMILIES[family].values == 2
    shares, further = [ONE] * universe.rows, NOTHING
    if is_attained:
        if family == "identifiability" and not isinstance(source, Rows):
            require(source.is_listed, "identifiability of rows needs a distribution of databases")
            notion = notion._replace(family="pairs")
            rows = (row for law in source.points for row in lines(law, universe.letters))
            unlike = [line for found in rows for line in found if any(line)]
            require(all(min(line) > 0 for line in unlike), TOO_MUCH)
            further = log_of(max((max(line) / min(line) for line in unlike), default=ONE))
        adds_up = family in ("information", "capacity", "maximal", "output", "pointwise", "local")
        same = list(source.rows if isinstance(source, Rows) else (Set(row.size),) * universe.rows) == sources
        require(same, "a row is about another source")
    else:
        adds_up = family == "information" and len(parts) == 1
        each = (each and notion.events == (notion.delta > 0)) or family == "local"
        known = all([len(law) for law in one.points] == [row.size] for one in sources)
        require(known, "a row is excluded under one distribution of the values")
        shares = shares_of(problem, claim, [one.points[0] for one in sources])
    require(adds_up or each, "what is claimed does not follow from the rows")
    total, distortion, is_open = NOTHING, NOTHING, False
    for part, number in parts:
        kept = notion._replace(delta=ZERO, events=False) if family == "local" and is_attained else notion
        inner = replace(problem, notion=kept, universe=row, source=part["source"], outputs=row.size)
        found = check_claim(inner, name, part[name], ".rows")
        share, shares = sum(shares[:number], ZERO), shares[number:]
        distortion = distortion.plus(found["distortion"], share)
        total = total.plus(found["loss"], Fraction(number)) if adds_up else found["loss"].plus(further)
        is_open = is_open or (share > 0 and found.get("open") == "loss")
        covers = total.at_most(claim["loss"]) if is_attained else claim["loss"].at_most(total)
        covers = covers and (claim.get("open") == "loss" or not is_open)
        require(covers, "the losses do not follow from those of the rows")
    strictly = claim.get("open") == "loss" and not is_open
    enough = distortion.infinite > 0 or claim["distortion"].at_most(distortion, strictly)
    enough = distortion.at_most(claim["distortion"]) if is_attained else enough
    require(enough, "the distortion does not follow from those of the rows")


ROWS: Fields = {"rows": count, "size?": count, "alphabet?": [label]}
TREE = OneOf(leaf=(HINTS, None), cut=({"cut": (whole, whole, whole, number), "cells": (LATER, LATER)}, None))
UNIVERSES["databases"] = {"databases": ROWS}, databases
SOURCES["rows"] = {"rows": LATER, "iid?": {True, False}}, read_rows
STEPS["members?"] = [show]
BY_ROWS = {"uniform?": MIXTURE, "members?": [show], **OPEN}
for name, table_of, fields in (("attained", ATTAINED, NUMBERS), ("excluded", EXCLUDED, BY_ROWS)):
    rows_kind = {"rows": [({"source": row_source, name: LATER}, count)], **fields}
    table_of["rows"] = rows_kind, partial(check_rows, name)


# -- Databases by distance: what depends on the number of rows that change ---------------------------------------------


@dataclass(frozen=True)
class Symmetric(Problem):
    """Databases up to symmetry: Q(y|x) = f(l) if x and y differ in l rows: f is the one column of a mechanism. Input l
    stands for the N_l of the M databases at distance l, which are listed as the law of the source; to them the law that
    is `even` gives N_l / M, or for a guess, where one database is like another, 1 / M."""

    even: Law = ()

    def read_at(self, notion: Notion, loss: Level, _: Law | None = None) -> Reading:
        """What is summed over all databases is M times what it is for one."""
        found, times_all = super().read_at(notion, loss, self.even), notion.family not in ("pairs", "output")
        count = 1 / self.even[0] if times_all else ONE
        own = {x: count * p for x, p in found.law.items()}
        return found._replace(forms=[{x: count} for x in own], least=own, most=own)

    def is_free(self, _: Notion) -> bool:
        return True


def by_distances(problem: Problem) -> Symmetric:
    notion, universe, sizes = problem.notion, rows_of(problem), [ONE]
    n, m = universe.rows, universe.letters
    if notion.family == "pointwise":  # the same for all inputs, so that their mean is
        notion = notion._replace(family="information")
    known = notion.family not in ("renyi", "identifiability", "local") and not notion.events
    known = known and not isinstance(problem, Wider)
    require(known and m > 1, "this notion or these inputs have no distances")
    require(problem.cost == "hamming", "distances need Hamming's cost")
    spend(n * (1 + universe.size.bit_length() // 64))
    for row in range(n):
        sizes.append(sizes[-1] * (n - row) * (m - 1) / (row + 1))
    path = Universe(n + 1, range(n + 1), {(k, k + 1): ONE for k in range(n)})
    even = [(ONE if notion.family == "guessing" else size) / universe.size for size in sizes]
    costs = [(Fraction(k),) for k in range(n + 1)]
    return Symmetric(notion, path, Source(n + 1, (tuple(sizes),)), 1, "matrix", costs, tuple(even))


def by_change(problem: Problem, given: Fields, loss: Level) -> tuple[Problem, list[Law]]:
    """All inputs are alike, and informations largest at the uniform law."""
    rows = problem.source.rows if isinstance(problem.source, Rows) else (problem.source,)
    known = all(len(row.points) == 1 and len(set(row.points[0])) == 1 for row in rows)
    known = known or problem.notion.family not in ("output", "pointwise") or loss.infinite > 0
    require(known, "not the uniform distribution")
    found, f = by_distances(problem), sized(given["distances"], rows_of(problem).rows + 1)
    total = sum((n * q for n, q in zip(found.source.points[0], f, strict=True)), ZERO)
    require(min(f) >= 0 and total == 1, "the mechanism is no distribution on the distances")
    return found, [(q,) for q in f]


def unevenness(problem: Problem, given: Fields) -> Level:
    """By how much a loss at the uniform law may exceed that at a law p of the source. Averaged over symmetries, joint
    probabilities are those of a mechanism under the uniform law. As they are at most max p times the mechanism's, the
    difference is at most log(M max p) for M databases; an information differs by the entropies, sum of p log(M p)."""
    universe, family, logs = rows_of(problem), problem.notion.family, dict[Fraction, Fraction]()
    spend(universe.letters)
    law = some_law(problem, given, [(Fraction(1, universe.letters),) * universe.letters] * universe.rows)
    require(law is None or family != "pairs", "for this notion the mixture must be the uniform distribution")
    if law is None or family not in ("information", "capacity", "pointwise"):
        return NOTHING if law is None else log_of(universe.size * max(law))
    for p in filter(None, law):
        logs[universe.size * p] = logs.get(universe.size * p, ZERO) + p
    return Level(Level(ZERO, logs).pair()[1])


class Averaged(Exclusion):
    """The rule for the one column of a mechanism that symmetry leaves."""

    def __init__(self, problem: Problem, claim: Fields) -> None:
        require(not claim.get("points"), "by distances a notion is read at the uniform distribution")
        problem = at_smaller_order(problem, claim)
        self.has_point = not problem.is_free(problem.notion)
        found, more = by_distances(problem), unevenness(problem, claim)
        super().__init__(found, {**claim, "loss": claim["loss"].plus(more)})

    def find(self, name: Sequence[int]) -> tuple[Reading, Sequence[int]]:
        require(not self.has_point or list(name[:1]) == [0], NO_BOUND)
        return self.reading(0, -1), name[self.has_point :]

    def take(self, step: Fields) -> bool:
        laws = [[*sized(entry, 1), 0] for entry in step.get("laws", [])]
        return super().take({**step, "laws": laws})

    def add_rows(self, prices: list[Fraction] | None) -> None:
        (price,) = sized(prices if prices is not None else [ZERO], 1)
        self.prices = [price * n for n in self.problem.source.points[0]]
        self.total -= price


STEPS["uniform?"] = MIXTURE
MECHANISMS["distances"] = {"distances": [number]}, by_change
EXCLUDED["symmetry"] = {"symmetry": {"distances"}, **STEPS}, lambda problem, claim: Averaged(problem, claim).check()


# -- The error of a statistic: designs, and what no design improves on -------------------------------------------------


STATISTIC: Fields = {"name": {"frequencies", "contrasts"}, "rows": partial(whole, least=1, most=1 << 60)}
STATISTIC |= {"weights?": [shown], "contrasts?": [[shown]]}


class Statistic(NamedTuple):
    """Linear forms of the law of the inputs with the weights of their squared errors, and how many rows tell them."""

    forms: Sequence[tuple[Fraction, Form]]
    rows: int
    of_inputs: bool  # whether the forms are the probabilities of the inputs

    def known(self, law: Law) -> Fraction:
        """The weighted squares of the forms themselves."""
        return sum((w * dot(form, law) ** 2 for w, form in self.forms), ZERO)


def read_statistic(given: Fields, size: int) -> Statistic:
    spend(size)
    of_inputs, lines = given["name"] == "frequencies", [{x: ONE} for x in range(size)]
    expect(of_inputs != ("contrasts" in given) and given.get("contrasts") != [], "contrasts alone have a list of forms")
    lines = lines if of_inputs else [form_of(sized(line, size)) for line in given["contrasts"]]
    weights = sized(given.get("weights", [ONE] * len(lines)), len(lines))
    expect(min(weights) >= 0, "a weight is negative")
    return Statistic(list(zip(weights, lines, strict=True)), given["rows"], of_inputs)


LARGER, GAINS = "the mechanism has a larger error than claimed", "a column gains more than its price"


def error_of(statistic: Statistic, columns: Sequence[Law], law: Law) -> Fraction:
    """At least the error of the efficient estimate of a statistic from the answers of a mechanism, times the rows.

    With J the sum of c c' / (law.c) over the columns c, it is the sum of weight * l J^-1 l, less what is known: a
    smaller J makes it larger. Elimination in whole numbers (Bareiss) of J beside the forms l leaves pivots d and
    numbers v, and l J^-1 l is the sum of v^2 / d over the pivot before.
    """
    size, told, before, forms = len(law), -statistic.known(law), 1, statistic.forms
    columns = [column for column in columns if any(column)]
    chances = [dot(law, column) for column in columns]
    require(min(chances) > 0, "an answer that never happens tells nothing of its error")
    spend(4 * size * size * len(columns))
    parts = [(Fraction(decimal(1 / chance, DOWN)), c) for chance, c in zip(chances, columns, strict=True)]
    rows = [[sum((share * c[x] * c[z] for share, c in parts), ZERO) for z in range(size)] for x in range(size)]
    rows = [[*row, *(form.get(x, ZERO) for _, form in forms)] for x, row in enumerate(rows)]
    common = lcm(*(c.denominator for c in chain(*rows)))
    spend(size * size * (size + len(forms)), size * common.bit_length())
    lines = [[int(c * common) for c in row] for row in rows]
    for k, line in enumerate(lines):
        require(line[k] > 0, "the answers are not seen to tell the statistic")
        for below in lines[k + 1 :]:
            below[k:] = [(line[k] * b - below[k] * a) // before for a, b in zip(line[k:], below[k:], strict=True)]
        squares = (Fraction(v * v, line[k] * before * common) for v in line[size:])
        told += sum((w * square for (w, _), square in zip(forms, squares, strict=True)), ZERO)
        before = line[k]
    return told


def is_even(reading: Reading) -> bool:
    """Whether the bounds are q_x <= e^L q_z for all values."""
    return len(set(scales(reading))) == 1 and not reading.notion.delta


def check_design(problem: Problem, statistic: Statistic, claim: Fields) -> None:
    """Verify that a mechanism keeps a loss, and has at most the error that is claimed.

    It is a matrix, or it answers with sets of k inputs, `ratio` times as likely if they hold the input. A set holds
    the input with the probability `own` and another with `other`, so that (share - other) / (own - other) estimates a
    probability from the share of the sets that hold an input. Over all laws the sum of share * (1 - share) is largest
    where all shares are alike, as their sum is known.
    """
    size, source, loss, (_, mechanism) = problem.universe.size, problem.source, claim["loss"], claim["mechanism"]
    spend(size)
    laws, error = source.points if source.is_listed else [(Fraction(1, size),) * size], claim["error"] * statistic.rows
    if "rows" in mechanism:
        rows = table(mechanism["rows"], size)
        columns = list(zip(*rows, strict=True))
        require(all(min(row) >= 0 and sum(row) == 1 for row in rows), "a row of the mechanism is no distribution")
        require(source.is_listed, "over a set of distributions errors are known for sets of inputs alone")
        if not loss.infinite:
            check_set(problem, (problem.notion, loss), columns, as_set(source), {})
        require(all(error_of(statistic, columns, law) <= error for law in laws), LARGER)
        return
    chosen, ratio, weights = mechanism["chosen"], mechanism["ratio"], [w for w, _ in statistic.forms]
    require(chosen < size and ratio > 1, "there are no such sets, or they tell nothing")
    known = source.is_listed or problem.notion.family == "pairs"
    alike = known and all(is_even(problem.read_at(problem.notion, loss, law)) for law in laws)
    require(alike and log_of(ratio).at_most(loss), TOO_MUCH)
    require(statistic.of_inputs and (source.is_listed or len(set(weights)) == 1), "not all inputs count alike")
    own = chosen * ratio / (chosen * ratio + size - chosen)
    other = (chosen - own) / (size - 1)
    for law in laws:
        shares = [other + (own - other) * p for p in law]
        spread = sum((w * share * (1 - share) for w, share in zip(weights, shares, strict=True)), ZERO)
        require(spread <= error * (own - other) ** 2, LARGER)


def check_no_design(problem: Problem, statistic: Statistic, claim: Fields) -> None:
    """Verify that no mechanism that keeps a loss has a smaller error, at a law of the source.

    For any vectors b, l J^-1 l >= 2 l.b - b J b, and b J b is the sum of (b.c)^2 / (law.c) over the columns c, which
    grows if columns are split. If prices v have (law.c)(v.c) >= sum of weight * (b.c)^2, and v.c >= 0, on the extreme
    rays c of the columns that are allowed, then it is at most the sum of the prices: columns add up to 1.
    """
    law = sized(claim["law"], problem.universe.size)
    require(problem.source.contains(law), "a distribution is not in the source")
    bounded, proof = claim["certificate"]
    proven = bounded(statistic, problem.read_at(problem.notion, claim["loss"], law), law, proof)
    require(claim["error"] * statistic.rows <= proven, "a smaller error is not excluded")


def by_sampling(statistic: Statistic, _: Reading, law: Law, __: Fields) -> Fraction:
    """Without protection the rows themselves tell no more."""
    squares = ((w, {x: c * c for x, c in form.items()}) for w, form in statistic.forms)
    return sum((w * dot(square, law) for w, square in squares), -statistic.known(law))


def by_rays(statistic: Statistic, reading: Reading, law: Law, proof: Fields) -> Fraction:
    """Prices, and a vector b for each form, tried on all rays."""
    size, prices, forms = len(law), sized(proof["prices"], len(law)), statistic.forms
    spend((4 + len(forms)) * size * size)
    excess = [[(law[x] * prices[z] + law[z] * prices[x]) / 2 for z in range(size)] for x in range(size)]
    told: Fraction = -sum(prices) - statistic.known(law)
    for (w, form), b in zip(forms, sized(proof["estimators"], len(forms)), strict=True):
        told += 2 * w * dot(form, sized(b, size))
        excess = [[c - w * b[x] * b[z] for z, c in enumerate(row)] for x, row in enumerate(excess)]
    require(holds_on_rays(reading, excess, prices, proof.get("corners", [])), GAINS)
    return told


def holds_on_rays(reading: Reading, form: list[list[Fraction]], prices: Law, corners: list[list[Any]]) -> bool:
    """Whether a quadratic form, and prices, are not negative on rays whose sums are all columns that are allowed.

    Where all inputs are compared these have the value 1 or e^L, over the scale of the input, at each of them. To list
    the form on all takes two additions for each: an input x with large value adds what it has with those before it.
    Other cones are held by the corners that the document names.
    """
    (_, family, _, slack, *_), loss, size, sides = reading.notion, reading.loss, len(form), list[Side]()
    require(family in ("pairs", "identifiability", "output", "local") and not slack, "no cone of columns")
    if scales(reading):
        spend(4 << min(size, 64))
        low = [1 / scale for scale in scales(reading)]
        step, image = [(loss.exp()[1] - 1) * c for c in low], [dot(row, low) for row in form]
        values = [dot(image, low)]
        for x in range(size):
            gains = [2 * step[x] * image[x] + step[x] ** 2 * form[x][x]]
            for z in range(x):
                gains += [gain + 2 * step[x] * step[z] * form[x][z] for gain in gains]
            values += [value + gain for value, gain in zip(values, gains, strict=True)]
        return min(values) >= 0
    for name in sorted(map(tuple, reading.names())):
        bound = reading.bound(name)
        ((_, left, right),), growth = bound.atoms, loss.exp(bound.distance or ONE)[1]
        sides.append(({x: left.get(x, ZERO) - growth * right.get(x, ZERO) for x in {**left, **right}}, ZERO))
    rays = Region(size, sides=tuple(sides)).corners({"corners": corners})
    return all(dot(prices, c) >= 0 and dot([dot(row, c) for row in form], c) >= 0 for c in rays)


def by_counts(statistic: Statistic, reading: Reading, law: Law, proof: Fields) -> Fraction:
    """The error times the rows that is excluded by prices v = first + second * law, for columns compared by two sums.

    For input x take b = t a (e - z) + law(x) law, e its unit vector, z = (1 - share) / m + share * law, and a factor a
    with weight * a^2 <= 1. As J law = 1, what is told is 2 t T - t^2 (sum of v), T the sum of weight * a (1 - z(x)),
    if (law.c)(v.c) >= sum of (c(x) - z.c)^2 for every c of the values 1 and e^L; t = T / (sum of v) is best. Both sides
    depend on how many values are large, and on law.c, which lies between the sums for the least and for the largest
    probabilities.
    """
    require(is_even(reading) and statistic.of_inputs, "counts are for inputs that are all alike")
    size, share, (first, second), growth = len(law), proof["share"], proof["prices"], reading.loss.exp()[1]
    factors, even = sized(proof.get("factors", [ONE] * size), size), (1 - share) / size
    fits = all(w * a * a <= 1 for (w, _), a in zip(statistic.forms, factors, strict=True))
    require(fits and size * first + second > 0, "a factor is too large, or the prices are nothing")
    spend(16 * size)
    least, most = ([ZERO, *accumulate(sorted(law, reverse=turned))] for turned in (False, True))
    for many in range(size + 1):
        total = size + many * (growth - 1)
        squares = (growth + 1) * total - size * growth  # of the values
        linear = (first + 2 * share - 2 * size * even * share) * total
        form = second - size * share**2, linear, 2 * even * total**2 - squares - size * (even * total) ** 2
        require(is_nonnegative(form, 1 + (growth - 1) * least[many], 1 + (growth - 1) * most[many]), GAINS)
    parts = zip(statistic.forms, factors, law, strict=True)
    told = sum((w * a * (1 - even - share * p) for (w, _), a, p in parts), ZERO)
    return Fraction(told * told / (size * first + second))


def check_statistic(given: Fields) -> list[str]:
    """Verify an answer about the error of a statistic; its problem is a problem file, with what is asked."""
    asked = read(PROBLEM_FILE, given["problem"], ".problem")
    inner = {name: asked[name] for name in ("notion", "source", "universe") if name in asked}
    problem = read(read_problem, {**inner, "distortion": {"name": "hamming"}}, ".problem")
    expect(type(problem) is Problem, "a wider problem has a cost")
    statistic, claims = read_statistic(asked["distortion"]["statistic"], problem.universe.size), dict[str, Fields]()
    for name, verify in (("attained", check_design), ("excluded", check_no_design)):
        if name in given:
            use_digits()
            verify(problem, statistic, given[name])
            claims[name] = {**given[name], "distortion": Level(given[name]["error"]), "open": "distortion"}
    check_ends(problem, {**given, "at": asked["at"]}, claims)
    return [*said(claims, "error"), SO]


PROBLEM_FILE: Fields = {"schema": {"epstar/problem/2"}, "at": LATER, "distortion": {"statistic": STATISTIC}}
PROBLEM_FILE |= {"notion": LATER, "source": LATER, "universe?": LATER}
RESPONSE = OneOf(
    chosen=({"chosen": count, "ratio": number}, None), rows=({"rows": [[number]], "outputs?": LATER}, None)
)
CERTIFICATE = OneOf(
    kind=({"kind": {"sampling"}}, by_sampling),
    share=({"share": number, "kind": {"counts"}, "prices": (number, number), "factors?": [number]}, by_counts),
    estimators=({"estimators": [[number]], "kind": {"rays"}, "prices": [number], "corners?": [[LATER]]}, by_rays),
)
DESIGN: Fields = {"loss": level, "error": number, "mechanism": RESPONSE}
NO_DESIGN: Fields = {"loss": level, "error": number, "law": law, "certificate": CERTIFICATE}
COUNTED: Fields = {"schema": {"epstar/statistic/1"}, "problem": LATER, "unit": LATER, **ENDS}
COUNTED |= {"attained?": DESIGN, "excluded?": NO_DESIGN}
DOCUMENTS["epstar/statistic/1"] = COUNTED, check_statistic

# ======================================================================================================================

if __name__ == "__main__":
    sys.exit(main())
