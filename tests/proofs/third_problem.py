"""The problems of the third checker, read from a document as `docs/proof-format.md` says, with nothing else known.

Numbers are exact fractions; e^L is enclosed by decimals, rounded down and up.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

Vector = list[Fraction]
NEIGHBOURS = {"differential_privacy", "approximate_differential_privacy"}
LEAKAGES = {"maximal_leakage", "min_entropy_capacity"}
AT_POINTS = {"identifiability", "maximal_information", "local_information_privacy"}
NOT_LINEAR = {"mutual_information", "capacity", "pointwise_leakage"}
ORDERS = {"renyi_differential_privacy": "differential_privacy", "sibson_mutual_information": "maximal_leakage"}
LARGEST_EXPONENT, MOST_INPUTS, ZERO, ONE = 20000, 1024, Fraction(0), Fraction(1)


class Refused(Exception):
    """The document does not prove what it claims, or cannot be read."""


class CannotTell(Exception):
    """The document uses a part of the format that this checker does not know."""


def require(condition: bool, why: str) -> None:
    if not condition:
        raise Refused(why)


def known(condition: bool, what: str) -> None:
    if not condition:
        raise CannotTell(what)


def fields(value: Any, required: str, optional: str = "") -> dict[str, Any]:
    """Return an object that has the required fields and no others than these and the optional ones."""
    require(isinstance(value, dict) and set(required.split()) <= set(value), f"not all of the fields {required}")
    require(set(value) <= set(f"{required} {optional}".split()), f"unknown fields in {list(value)}")
    return dict(value)


def one_field(value: Any, names: str) -> tuple[str, Any]:
    require(len(found := fields(value, "", names)) == 1, f"expected one of {names}")
    return next(iter(found.items()))


def items(value: Any, length: int | None = None) -> list[Any]:
    require(isinstance(value, list) and length in (None, len(value)), f"expected a list of length {length}")
    return list(value)


def position(value: Any, size: int) -> int:
    require(type(value) is int and 0 <= value < size, f"{value!r} is no position below {size}")
    return int(value)


def number(value: Any, shown: bool = False) -> Fraction:
    """Return a number that is written as a text, or (where `shown`) as a JSON number."""
    value = str(value) if shown and type(value) in (int, Decimal) else value
    require(isinstance(value, str) and len(value) <= 4000, "no number")
    found = re.fullmatch(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*|(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?)", value)
    require(found is not None and abs(int(found[1] or 0)) <= LARGEST_EXPONENT, f"{value!r} is no number")
    return Fraction(value)


def numbers(value: Any, length: int | None = None, shown: bool = False) -> Vector:
    return [number(entry, shown) for entry in items(value, length)]


def distribution(value: Any, length: int | None = None, shown: bool = False) -> Vector:
    found = numbers(value, length, shown)
    require(min(found, default=-ONE) >= 0 and sum(found) == 1, "a distribution has entries ≥ 0 that sum to one")
    return found


def dot(u: Vector, v: Vector) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), ZERO)


def unit(place: int, size: int, value: Fraction = ONE) -> Vector:
    return [value * (i == place) for i in range(size)]


def root(radicand: int, degree: int) -> int:
    """Return a root that is an integer, or 0."""
    there = Context(prec=len(str(radicand)) + 9)
    found = round(there.power(Decimal(radicand), there.divide(Decimal(1), Decimal(degree))))
    return found if found**degree == radicand else 0


@dataclass(frozen=True)
class Amount:
    """A loss or a distortion: power + log(argument), or infinity (minus infinity, if the power is −1)."""

    power: Fraction
    argument: Fraction = ONE
    infinite: bool = False

    def exponential(self, multiple: Fraction, digits: int) -> tuple[Fraction, Fraction]:
        """Enclose e^(loss · multiple), exactly where it is rational."""
        power, argument = self.power * multiple, self.argument**multiple.numerator
        up, down = (root(part, multiple.denominator) for part in argument.as_integer_ratio())
        if up and down and not power:
            return Fraction(up, down), Fraction(up, down)
        require(abs(power) + abs(multiple) * len(str(self.argument)) * 3 <= LARGEST_EXPONENT, "a loss is too large")
        ends = []
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            there = Context(digits + 20, rounding)
            away = there.next_minus if rounding == ROUND_FLOOR else there.next_plus  # exp and ln round to the nearest
            quotient = there.divide(Decimal(argument.numerator), Decimal(argument.denominator))
            logarithm = there.divide(away(there.ln(quotient)), Decimal(multiple.denominator))
            exponent = there.add(there.divide(Decimal(power.numerator), Decimal(power.denominator)), logarithm)
            ends.append(Fraction(away(there.exp(exponent))))
        return ends[0], ends[1]

    def at_most(self, other: Amount, strictly: bool = False) -> bool:
        if self.infinite or other.infinite or self.argument == other.argument:
            one, two = ((amount.power if amount.infinite else ZERO, amount.power) for amount in (self, other))
            return one < two if strictly else one <= two
        (_, high), ratio = Amount(self.power - other.power).exponential(ONE, 60), other.argument / self.argument
        return high < ratio if strictly else high <= ratio

    def __neg__(self) -> Amount:
        require(self.argument == 1, "minus a logarithm is no distortion")
        return Amount(-self.power, ONE, self.infinite)


INFINITE = Amount(ONE, infinite=True)


def loss(value: Any, shown: bool = False) -> Amount:
    if value == "infinity":
        return INFINITE
    logarithm = isinstance(value, str) and value.startswith("log(") and value.endswith(")")
    found = Amount(ZERO, number(value[4:-1])) if logarithm else Amount(number(value, shown))
    require(found.power >= 0 and found.argument >= 1, "a loss is not negative")
    return found


def distortion(value: Any, shown: bool = False) -> Amount:
    return INFINITE if value == "infinity" else Amount(number(value, shown))


def cut(size: int, sides: list[Vector]) -> list[Vector]:
    """Return the corners of {w ≥ 0: Σ w = 1, a·w ≤ 0 for every side a}, one side at a time (double description)."""
    corners, planes = ([unit(i, size) for i in range(size)] for _ in range(2))
    for side in sides:
        tight = [frozenset(i for i, plane in enumerate(planes) if not dot(plane, p)) for p in corners]
        value = [dot(side, p) for p in corners]
        kept = [p for p, v in zip(corners, value, strict=True) if v <= 0]
        for i, j in itertools.product(range(len(corners)), repeat=2):
            shared = tight[i] & tight[j]
            if value[i] < 0 < value[j] and not any(shared <= tight[k] for k in range(len(tight)) if k not in (i, j)):
                t = value[j] / (value[j] - value[i])
                kept.append([t * a + (1 - t) * b for a, b in zip(corners[i], corners[j], strict=True)])
        corners, planes = kept, [*planes, side]
    return corners


class Source:
    """What is known of the input distribution: one of a list, or {Σ w_i base_i: a·w ≤ 0 for every side a}."""

    def __init__(self, value: Any) -> None:
        known(not isinstance(value, dict) or "rows" not in value, "a source of rows without databases, or nested")
        self.kind, content = one_field(value, "prior finite hull box ball polytope everything")
        self.by_position, self.listed = True, list[Vector]()
        halves: list[tuple[Vector, Fraction]] = []  # a·p ≤ b
        if self.kind in ("prior", "finite", "hull"):
            self.listed = [distribution(p, None, True) for p in ([content] if self.kind == "prior" else items(content))]
            self.size = len(next(iter(self.listed), []))
        elif self.kind == "everything":
            self.size = position(content, MOST_INPUTS)
        elif self.kind == "polytope":
            matrix = [numbers(row, None, True) for row in items(fields(content, "matrix bounds")["matrix"])]
            halves = list(zip(matrix, numbers(content["bounds"], len(matrix), True), strict=True))
            self.size = len(halves[0][0]) if halves else 0
        elif self.kind == "box":
            lower, upper = (numbers(fields(content, "lower upper")[end], None, True) for end in ("lower", "upper"))
            self.size = len(lower)
            halves = [(unit(x, self.size), b) for x, b in enumerate(upper)]
            halves += [(unit(x, self.size, -ONE), -a) for x, a in enumerate(lower)]
        else:
            center = distribution(fields(content, "center radius")["center"], None, True)
            radius, self.size = number(content["radius"], True), len(center)
            require(0 <= radius <= 2, "a radius in [0, 2]")
            known(self.size <= 8, "the corners of a large ball")
            signs = map(list, itertools.product((ZERO, ONE), repeat=self.size))
            halves = [(chosen, dot(chosen, center) + radius / 2) for chosen in signs]
        require(all(len(p) == self.size > 0 for p in [*self.listed, *(a for a, _ in halves)]), "different lengths")
        self.base = self.listed or [unit(x, self.size) for x in range(self.size)]
        self.halves, self.sides = halves, [[a - b for a in half] for half, b in halves]
        self.convex = self.kind != "finite" or len(self.listed) == 1

    @cached_property
    def corners(self) -> list[Vector]:
        """The corners of the source, or what it lists."""
        return self.listed or cut(self.size, self.sides)

    def member(self, value: Any) -> Vector:
        if not isinstance(value, list):
            return self.listed[position(value, len(self.listed) if self.by_position else 0)]
        p = distribution(value, self.size)
        require(p in self.listed if self.listed else all(dot(a, p) <= 0 for a in self.sides), "outside the source")
        return p

    def part(self, k: int) -> list[Vector]:
        """Return the corners of the part where input k is the likeliest (for a ball: the part of everything)."""
        sides = [[p[j] - p[k] for p in self.base] for j in range(self.size)]
        weights = cut(len(self.base), [*([] if self.kind == "ball" else self.sides), *sides])
        return [[dot(list(entries), w) for entries in zip(*self.base, strict=True)] for w in weights]

    def largest(self, e: Vector, multipliers: Iterator[Any]) -> Fraction:
        """Return the largest e·p over the source, or for a polytope the bound on it by the next multiplier."""
        if self.kind != "polytope":
            require(bool(self.corners), "an empty source")
            return max(dot(e, p) for p in self.corners)
        u = numbers(next(multipliers, None), len(self.halves))
        require(min(u, default=ZERO) >= 0, "a negative multiplier")
        rest = [e[x] - dot(u, [a[x] for a, _ in self.halves]) for x in range(self.size)]
        return max(rest) + dot(u, [b for _, b in self.halves])


def source_of(value: Any, rows: int, values: int) -> Source:
    """Return a source; one of rows that are all known is the product of their distributions."""
    if not (isinstance(value, dict) and "rows" in value):
        return Source(value)
    of_rows = fields(value, "rows", "iid")["rows"]
    require(type(value.get("iid", True)) is bool and rows > 0, "rows are those of databases")
    sources = [Source(row) for row in (items(of_rows, rows) if isinstance(of_rows, list) else [of_rows] * rows)]
    require(all(row.size == values for row in sources), "a row's distribution has as many entries as there are values")
    known(all(len(row.listed) == 1 for row in sources), "rows with an unknown row")
    product = itertools.product(*(row.listed[0] for row in sources))
    found = Source({"prior": [str(math.prod(entries, start=ONE)) for entries in product]})
    found.by_position = False  # it is not listed as one distribution
    return found


@dataclass(frozen=True)
class Ratio:
    """left(q) ≤ e^(ε·distance) right(q) + slack, the slack times e^ε if it grows."""

    left: Vector
    right: Vector
    distance: Fraction
    slack: Fraction
    grows: bool = False


class Problem:
    """A notion with linear bounds, inputs, a source and a cost."""

    def __init__(self, value: Any) -> None:
        self.parts = fields(value, "notion source distortion", "universe")
        notion = fields(self.parts["notion"], "name", "order delta reading")
        known(notion["name"] not in NOT_LINEAR and notion.get("order", "infinity") == "infinity", "no linear bounds")
        self.ordered, self.name = notion["name"] in ORDERS, ORDERS.get(notion["name"], notion["name"])
        require(self.name in NEIGHBOURS | LEAKAGES | AT_POINTS | {"min_entropy_leakage"}, "unknown notion")
        approximate = self.name == "approximate_differential_privacy"
        require(("order" in notion) == self.ordered and ("reading" in notion) <= approximate, "fields of the notion")
        slack = approximate or self.name == "local_information_privacy"
        require(approximate <= ("delta" in notion) <= slack, "fields of the notion")
        self.delta, reading = number(notion.get("delta", 0), True), notion.get("reading", "event")
        require(0 <= self.delta <= 1 and reading in ("event", "pointwise"), "fields of the notion")
        self.events = self.delta > 0 and reading == "event"
        universe = self.parts.get("universe", {})
        self._read_universe(universe if "universe" in self.parts else {"size": Source(self.parts["source"]).size})
        self.source = source_of(self.parts["source"], self.rows, len(self.labels))
        require(self.source.size == self.size, "the source is about other inputs")
        self._read_cost(self.parts["distortion"])

    def _read_universe(self, value: Any) -> None:
        kind, content = one_field(
            {k: v for k, v in value.items() if k != "labels"}, "size alphabet databases graph metric"
        )
        require("labels" not in value or kind == "metric", "labels are those of a metric")
        self.rows, self.alphabet, self.apart = 0, kind in ("size", "alphabet"), dict[tuple[int, int], Fraction]()
        if kind == "databases":
            self.rows = position(fields(content, "rows", "size alphabet")["rows"], 10**6)
            kind, content = one_field({k: v for k, v in content.items() if k != "rows"}, "size alphabet")
            require(self.rows > 0, "databases have rows")
        if kind == "size":
            content = list(range(position(content, 10**6)))
        elif kind == "metric":
            table = [
                [None if d is None else number(d, True) for d in items(row, len(content))] for row in items(content)
            ]
            content = items(value.get("labels", list(range(len(table)))), len(table))
            for (i, row), (j, other) in itertools.product(enumerate(table), repeat=2):
                if (d := row[j]) is not None and i != j:
                    self.apart[i, j] = d
                require(row[j] == other[i] and (row[j] == 0) == (i == j) and (row[j] or 0) >= 0, "no metric")
        elif kind == "graph":
            content, edges = (fields(content, "nodes edges")[part] for part in ("nodes", "edges"))
            for i, j in (items(edge, 2) for edge in items(edges)):
                self.apart[position(i, len(content)), position(j, len(content))] = self.apart[j, i] = ONE
        self.labels = items(content)
        for label in self.labels:
            digits = Decimal(label).normalize().as_tuple().digits if type(label) in (int, Decimal) else ()
            require(len(digits) <= 15, "a number that is a label has at most 15 digits")
        known(len(self.labels) ** (self.rows or 1) <= MOST_INPUTS, "so many inputs")
        self.inputs = list(itertools.product(range(len(self.labels)), repeat=self.rows or 1))
        self.size = len(self.inputs)
        for (i, u), (j, v) in itertools.permutations(enumerate(self.inputs if kind in ("size", "alphabet") else []), 2):
            if sum(a != b for a, b in zip(u, v, strict=True)) == 1:
                self.apart[i, j] = ONE

    def _read_cost(self, value: Any) -> None:
        kind, content = one_field(value, "name matrix gain")
        self.gain = kind == "gain"
        if kind == "name":
            require(content in ("hamming", "absolute", "squared"), "unknown cost")
            labels = [
                label["rational"] if isinstance(label, dict) and set(label) == {"rational"} else label
                for label in self.labels
            ]
            numeric = all(type(a) in (int, Decimal) or a is not b for a, b in zip(labels, self.labels, strict=True))
            places = [number(a, True) if numeric else Fraction(i) for i, a in enumerate(labels)]
            one = {"hamming": lambda a, b: Fraction(a != b), "absolute": lambda a, b: abs(places[a] - places[b])}.get(
                content, lambda a, b: (places[a] - places[b]) ** 2
            )
            self.cost = [[sum(map(one, u, v), ZERO) for v in self.inputs] for u in self.inputs]
        else:
            table = [numbers(row, len(items(content[0])), True) for row in items(content, self.size)]
            self.cost = [[-entry for entry in row] for row in table] if self.gain else table
            require(self.gain or min(map(min, self.cost)) >= 0, "a negative cost")
        self.outputs = len(self.cost[0])

    def ratios(self, points: list[Vector]) -> dict[tuple[int, ...], Ratio]:
        """Return the ratio bounds by their names."""
        n, delta, found = self.size, self.delta, dict[tuple[int, ...], Ratio]()
        if self.name in NEIGHBOURS:
            found = {(x, z): Ratio(unit(x, n), unit(z, n), d, delta) for (x, z), d in self.apart.items()}
        for i, p in enumerate(points if self.name in AT_POINTS else []):
            if self.name == "identifiability":
                for (x, z), d in self.apart.items():
                    found[i, x, z] = Ratio(unit(x, n, p[x]), unit(z, n, p[z]), d, ZERO)
            for x in range(n if self.name == "maximal_information" else 0):
                found[i, x] = Ratio(unit(x, n), p, ONE, ZERO)
            for x in range(n if self.name == "local_information_privacy" else 0):
                found[i, x, 0], found[i, x, 1] = (
                    Ratio(p, unit(x, n), ONE, delta),
                    Ratio(unit(x, n), p, ONE, delta, True),
                )
        return found

    def maximum(self, name: list[Any], points: list[Vector]) -> Vector:
        """Return the weights w(x) of a sum bound, Σ_y max_x w(x) q_y(x) ≤ e^ε."""
        require(self.name in LEAKAGES | {"min_entropy_leakage"}, "the notion has no sum bounds")
        if self.name in LEAKAGES:
            return [ONE] * (self.size if items(name, 0) == [] else 0)
        p = points[position(items(name, 1)[0], len(points))]
        return [entry / max(p) for entry in p]
