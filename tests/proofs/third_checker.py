"""A third checker of proofs, for notions whose bounds are linear, written from `docs/proof-format.md` alone.

What the other checkers accept or refuse must follow from the page. It cannot tell (`CannotTell`) about
other notions, boxes and balls, sources and claims by rows, symmetry, mechanisms by distances, hints, answers, curves.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

Vector = list[Fraction]
NEIGHBOURS = {"differential_privacy", "approximate_differential_privacy"}
LEAKAGES = {"maximal_leakage", "min_entropy_capacity"}
HINTS = {"rows", "cells", "covers", "cover", "output", "envelope", "slopes", "shares"}
AT_POINTS = {"identifiability", "maximal_information", "local_information_privacy"}
NOT_LINEAR = {"mutual_information", "capacity", "pointwise_leakage"}
ORDERS = {"renyi_differential_privacy": "differential_privacy", "sibson_mutual_information": "maximal_leakage"}
MOST_INPUTS, ZERO, ONE = 1024, Fraction(0), Fraction(1)


class Refused(Exception):
    """The document does not prove what it claims, or cannot be read."""


class CannotTell(Exception):
    """The document uses a part of the format that this checker does not know."""


def require(condition: object, why: str) -> None:
    if not condition:
        raise Refused(why)


def known(condition: object, what: str) -> None:
    if not condition:
        raise CannotTell(what)


def fields(value: Any, required: str, optional: str = "") -> dict[str, Any]:
    """Return an object that has the required fields and no others than these and the optional ones."""
    require(isinstance(value, dict) and set(required.split()) <= set(value), f"not all of the fields {required}")
    require(set(value) <= set(f"{required} {optional}".split()), f"unknown fields in {list(value)}")
    return dict(value)


def one_field(value: Any, names: str, beside: str = "") -> tuple[str, Any]:
    found = fields(value, "", f"{names} {beside}")
    kinds = [name for name in found if name in names.split()]
    require(len(kinds) == 1, f"expected one of {names}")
    return kinds[0], found[kinds[0]]


def items(value: Any, length: int | None = None) -> list[Any]:
    require(isinstance(value, list) and length in (None, len(value)), f"expected a list of length {length}")
    return list(value)


def position(value: Any, size: int) -> int:
    require(type(value) is int and 0 <= value < size, f"no position below {size}")
    return int(value)


def number(value: Any, shown: bool = False) -> Fraction:
    """Return a number that is written as a text, or (where `shown`) as a JSON number."""
    value = str(value) if shown and type(value) in (int, Decimal) else value
    require(isinstance(value, str) and len(value) <= 4000, "no number")
    found = re.fullmatch(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*|(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,4}))?)", value)
    require(found and abs(int(found[1] or 0)) <= 4000, "no number")
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


def distortion(value: Any) -> Fraction | None:
    return None if value == "infinity" else number(value)


class Loss:
    """A loss, power + log(argument), or infinity; what is not rational has so many digits."""

    def __init__(self, value: Any, digits: Any) -> None:
        require(type(digits) is int and 10 <= digits <= 2000, "digits from 10 to 2000")
        is_log = isinstance(value, str) and value.startswith("log(") and value.endswith(")")
        self.infinite, self.digits = value == "infinity", digits
        self.argument = number(value[4:-1]) if is_log else ONE
        self.power = ZERO if is_log or self.infinite else number(value)
        require(self.power >= 0 and self.argument >= 1, "a loss is not negative")
        self.is_zero = not self.infinite and self.power == 0 and self.argument == 1

    def exponential(self, multiple: Fraction = ONE) -> Vector:
        """Enclose e^(loss · multiple), exactly where it is rational."""
        argument, ends = self.argument**multiple.numerator, list[Fraction]()
        known(self.power * multiple + multiple * len(str(self.argument)) * 3 <= 20000, "so large a loss")
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            there = Context(self.digits + 20, rounding)
            away = there.next_minus if rounding == ROUND_FLOOR else there.next_plus  # exp and ln round to the nearest
            quotient = there.divide(*map(Decimal, argument.as_integer_ratio()))
            logarithm = there.divide(away(there.ln(quotient)), Decimal(multiple.denominator))
            exponent = there.add(there.divide(*map(Decimal, (self.power * multiple).as_integer_ratio())), logarithm)
            ends.append(Fraction(away(there.exp(exponent))))
        there, degree = Context(len(str(argument)) + 9), Decimal(multiple.denominator)
        roots = [round(there.power(Decimal(part), 1 / degree)) for part in argument.as_integer_ratio()]
        exact = Fraction(*roots) ** multiple.denominator == argument and not self.power
        return [Fraction(*roots)] * 2 if exact else ends


class Source:
    """What is known of the input distribution: one of a list, or {p: a·p ≤ b for every half (a, b)}."""

    def __init__(self, value: Any) -> None:
        known(not isinstance(value, dict) or not {"rows", "box", "ball"} & set(value), "rows, boxes and balls")
        self.kind, content = one_field(value, "prior finite hull polytope everything")
        self.listed, self.halves = list[Vector](), list[tuple[Vector, Fraction]]()
        if self.kind in ("prior", "finite", "hull"):
            self.listed = [distribution(p, None, True) for p in ([content] if self.kind == "prior" else items(content))]
        elif self.kind == "polytope":
            matrix = [numbers(row, None, True) for row in items(fields(content, "matrix bounds member")["matrix"])]
            self.halves = list(zip(matrix, numbers(content["bounds"], len(matrix), True), strict=True))
        vectors = [*self.listed, *(a for a, _ in self.halves)]
        known(type(content) is not int or content < MOST_INPUTS, "so many inputs")
        self.size = position(content, MOST_INPUTS) if self.kind == "everything" else len(next(iter(vectors), []))
        require(self.size > 0 and all(len(vector) == self.size for vector in vectors), "different lengths")
        held = all(dot(a, distribution(content["member"], self.size, True)) <= b for a, b in self.halves)
        require(held and len(set(map(tuple, self.listed))) == len(self.listed), "twice, or an empty polytope")
        self.convex = self.kind != "finite" or len(self.listed) == 1

    def member(self, value: Any) -> Vector:
        if not isinstance(value, list):
            return self.listed[position(value, len(self.listed))]
        p = distribution(value, self.size)
        inside = p in self.listed if self.listed else all(dot(a, p) <= b for a, b in self.halves)
        require(inside, "outside the source")
        return p

    def largest(self, e: Vector, multipliers: Iterator[Any]) -> Fraction:
        """Return the largest e·p over the source, or for a polytope the bound on it by the next multiplier."""
        if self.kind != "polytope":
            return max(dot(e, p) for p in self.listed) if self.listed else max(e)
        u = numbers(next(multipliers, None), len(self.halves))
        require(min(u, default=ZERO) >= 0, "a negative multiplier")
        rest = [e[x] - dot(u, [a[x] for a, _ in self.halves]) for x in range(self.size)]
        return max(rest) + dot(u, [b for _, b in self.halves])


class Ratio(NamedTuple):
    """left(q) ≤ e^(ε·distance) right(q) + slack, the slack times e^ε if it grows."""

    left: Vector
    right: Vector
    distance: Fraction = ONE
    slack: Fraction = ZERO
    grows: bool = False


class Problem:
    """A notion with linear bounds, inputs, a source and a cost."""

    def __init__(self, value: Any) -> None:
        parts = fields(value, "notion source distortion", "universe")
        notion = fields(parts["notion"], "name", "order delta reading")
        known(notion["name"] not in NOT_LINEAR and notion.get("order", "infinity") == "infinity", "no linear bounds")
        self.ordered, self.name = notion["name"] in ORDERS, ORDERS.get(notion["name"], notion["name"])
        require(self.name in NEIGHBOURS | LEAKAGES | AT_POINTS | {"min_entropy_leakage"}, "unknown notion")
        approximate, local = self.name == "approximate_differential_privacy", self.name == "local_information_privacy"
        require(("order" in notion) == self.ordered and ("reading" in notion) <= approximate, "fields of the notion")
        require(approximate <= ("delta" in notion) <= (approximate or local), "fields of the notion")
        self.delta, reading = number(notion.get("delta", 0), True), notion.get("reading", "event")
        require(0 <= self.delta <= 1 and reading in ("event", "pointwise"), "fields of the notion")
        self.events, self.source = self.delta > 0 and reading == "event", Source(parts["source"])
        self.read_universe(parts.get("universe", {"size": self.source.size}))
        require(self.source.size == self.size, "the source is about other inputs")
        kind, content = one_field(parts["distortion"], "name matrix gain")
        if kind == "name":
            require(content in ("hamming", "absolute", "squared"), "unknown cost")
            both = [[zip(u, v, strict=True) for v in self.inputs] for u in self.inputs]
            self.cost = [[sum((self.gap(content, *p) for p in pairs), ZERO) for pairs in row] for row in both]
        else:
            self.cost = [numbers(row, len(items(content[0])), True) for row in items(content, self.size)]
            require(kind == "gain" or min(map(min, self.cost)) >= 0, "a negative cost")
            self.cost = [[-entry for entry in row] for row in self.cost] if kind == "gain" else self.cost
        self.outputs = len(self.cost[0])

    def gap(self, name: str, a: int, b: int) -> Fraction:
        far = abs(self.places[a] - self.places[b])
        return Fraction(a != b) if name == "hamming" else far if name == "absolute" else far**2

    def read_universe(self, value: Any) -> None:
        kind, content = one_field(value, "size alphabet databases graph metric", "labels")
        require("labels" not in value or kind == "metric", "labels are those of a metric")
        rows, lengths, self.apart = 1, list[tuple[int, int, Any]](), dict[tuple[int, int], Fraction]()
        if kind == "databases":
            rows = position(fields(content, "rows", "size alphabet")["rows"], 10**6)
            kind, content = one_field(content, "size alphabet", "rows")
        compared = kind in ("size", "alphabet")
        self.alphabet = compared and "databases" not in value
        if kind == "metric":
            lengths = [
                (i, j, d) for i, row in enumerate(items(content)) for j, d in enumerate(items(row, len(content)))
            ]
            content = items(value.get("labels", list(range(len(content)))), len(content))
        elif kind == "graph":
            content, edges = (items(fields(content, "nodes edges")[part]) for part in ("nodes", "edges"))
            ends = [[position(end, len(content)) for end in items(edge, 2)] for edge in edges]
            require(len({frozenset(edge) for edge in ends}) == len(ends) and all(i != j for i, j in ends), "edges")
            lengths = [(i, j, "1") for edge in ends for i, j in (edge, edge[::-1])]
        for i, j, d in lengths:
            require(number(d, True) == 0 if i == j else d is None or number(d, True) > 0, "no metric")
            self.apart |= {(i, j): number(d, True)} if i != j and d is not None else {}
        require(all(self.apart.get((j, i)) == d for (i, j), d in self.apart.items()), "no metric")
        labels = list(range(position(content, 10**6))) if kind == "size" else items(content)
        digits = [Decimal(a).normalize().as_tuple().digits for a in labels if type(a) in (int, Decimal)]
        require(all(len(some) <= 15 for some in digits) and [] not in labels, "no label: too many digits, or nothing")
        exact = [fields(a, "rational")["rational"] if isinstance(a, dict) else a for a in labels]
        numbers = [number(a, True) for a, b in zip(exact, labels, strict=True) if type(b) in (int, Decimal, dict)]
        require(len(set(numbers)) == len(numbers), "two labels are one number")
        self.places = numbers if len(numbers) == len(labels) else [Fraction(i) for i in range(len(labels))]
        require(rows > 0, "databases have rows")
        known(len(labels) ** rows <= MOST_INPUTS, "so many inputs")
        self.inputs = list(itertools.product(range(len(labels)), repeat=rows))
        self.size = len(self.inputs)
        for (i, u), (j, v) in itertools.permutations(enumerate(self.inputs if compared else []), 2):
            if sum(a != b for a, b in zip(u, v, strict=True)) == 1:
                self.apart[i, j] = ONE

    def ratios(self, points: list[Vector]) -> dict[tuple[int, ...], Ratio]:
        """Return the ratio bounds by their names."""
        n, found = self.size, dict[tuple[int, ...], Ratio]()
        if self.name in NEIGHBOURS:
            found = {(x, z): Ratio(unit(x, n), unit(z, n), d, self.delta) for (x, z), d in self.apart.items()}
        for i, p in enumerate(points):
            if self.name == "identifiability":
                found |= {(i, x, z): Ratio(unit(x, n, p[x]), unit(z, n, p[z]), d) for (x, z), d in self.apart.items()}
            elif self.name == "maximal_information":
                found |= {(i, x): Ratio(unit(x, n), p) for x in range(n)}
            elif self.name == "local_information_privacy":
                found |= {(i, x, 0): Ratio(p, unit(x, n), ONE, self.delta) for x in range(n)}
                found |= {(i, x, 1): Ratio(unit(x, n), p, ONE, self.delta, True) for x in range(n)}
        return found

    def maximum(self, name: list[Any], points: list[Vector]) -> Vector:
        """Return the weights w(x) of a sum bound, Σ_y max_x w(x) q_y(x) ≤ e^ε."""
        require(self.name in LEAKAGES | {"min_entropy_leakage"}, "the notion has no sum bounds")
        items(name, 0 if self.name in LEAKAGES else 1)
        p = [ONE] * self.size if self.name in LEAKAGES else points[position(name[0], len(points))]
        return [entry / max(p) for entry in p]


def check_excluded(problem: Problem, value: Any) -> None:
    """Raise unless no mechanism has loss ≤ L and distortion ≤ D, the open one strictly smaller."""
    claim = fields(value, "loss distortion open", "digits order points symmetry uniform steps rows")
    known(not {"symmetry", "uniform", "rows", "order"} & set(claim), "symmetry, claims by rows, another order")
    bound, most = Loss(claim["loss"], claim.get("digits", 60)), distortion(claim["distortion"])
    open_loss, source, points = claim["open"] == "loss", problem.source, list[Vector]()
    require(claim["open"] in ("loss", "distortion"), "open")
    for mixture in items(claim.get("points", [])):
        pairs = [items(pair, 2) for pair in items(mixture)]
        require(source.convex or len(pairs) == 1, "a mixture in a source that is not convex")
        weights, members = distribution([pair[0] for pair in pairs]), [source.member(pair[1]) for pair in pairs]
        points.append([dot(weights, list(entries)) for entries in zip(*members, strict=True)])
    bounds, size, outputs = problem.ratios(points), problem.size, problem.outputs
    vanished, done = set[tuple[int, int]](), open_loss and bound.is_zero
    for value in items(claim.get("steps", [])):
        require(not done, "a step follows the contradiction")
        step = fields(value, "", "laws ratios sums rows spread")
        prices = numbers(step.get("rows", ["0"] * size), size)
        c, total, strict = [[-price] * outputs for price in prices], -sum(prices, ZERO), False
        zero, paid = set[tuple[int, int]](), dict[tuple[int, ...], Vector]()
        for weight, member in (items(law, 2) for law in items(step.get("laws", []))):
            w, p = number(weight), source.member(member)
            require(w >= 0 and most is not None, "a law with a negative weight, or where the distortion is unbounded")
            total, strict = total + w * (most or ZERO), strict or (w > 0 and not open_loss)
            c = [[a + w * p[x] * d for a, d in zip(row, problem.cost[x], strict=True)] for x, row in enumerate(c)]
        for entry in map(items, items(step.get("ratios", []))):
            require(len(entry) >= 2 and all(type(i) is int for i in entry[:-1]), "a ratio has a name and an output")
            *name, output, multiple = entry
            require(tuple(name) in bounds, "no such ratio bound")
            m, y, ratio = number(multiple), position(output, outputs), bounds[tuple(name)]
            right = {(x, y) for x, weight in enumerate(ratio.right) if weight}
            if bound.infinite:
                require(open_loss and right <= vanished and not (ratio.grows and ratio.slack), "an infinite loss")
            elif open_loss and m:
                zero |= right
            high = ZERO if bound.infinite else bound.exponential(ratio.distance)[1]
            for x in range(size):
                c[x][y] += m * (ratio.left[x] - high * ratio.right[x])
            payments = paid.setdefault(tuple(name), [ZERO] * outputs)
            before = max(payments)
            payments[y] += m
            require(m >= 0, "a negative multiple")
            total += ratio.slack * (high if ratio.grows else 1) * (max(payments) - before if problem.events else m)
        for name, multiple, tangents in (items(entry, 3) for entry in items(step.get("sums", []))):
            weights, s, spent = problem.maximum(items(name), points), number(multiple), [ZERO] * outputs
            require(s > 0 and not bound.infinite, "a sum bound with multiple ≤ 0, or at an infinite loss")
            for y, x, share in (items(tangent, 3) for tangent in items(tangents)):
                c[position(x, size)][position(y, outputs)] += s * number(share) * weights[x]
                spent[y] += number(share)
                require(number(share) >= 0 and spent[y] <= 1 and weights[x], "shares ≥ 0 of at most one in all")
            total, strict = total + s * bound.exponential()[1], strict or open_loss
        scale, spread = [ONE] * size, step.get("spread", False)
        if "spread" in step:
            require(spread is True and problem.alphabet and not bound.infinite, "no spread here")
            require(problem.name in NEIGHBOURS or (problem.name == "identifiability" and len(points) == 1), "no spread")
            scale = scale if problem.name in NEIGHBOURS else points[0]
            require(min(scale) > 0, "spread needs full support")
        for y in range(outputs):
            column = [c[x][y] / scale[x] for x in range(size) if (x, y) not in vanished]
            positive, negative = (sum((s * a for a in column if s * a > 0), ZERO) for s in (1, -1))
            require(positive >= bound.exponential()[1] * negative if spread else not negative, "a column fails")
            total += problem.delta * negative
        require(total <= 0, "a step proves nothing")
        done = total < 0 or strict
        positives = {(x, y) for x in range(size) for y in range(outputs) if c[x][y] > 0}
        vanished |= zero | (positives if open_loss or not spread else set())
    require(done, "no step ends in a contradiction")


def read_mechanism(problem: Problem, value: Any) -> list[Vector]:
    known(isinstance(value, dict) and "distances" not in value, "distances")
    if "rows" in value:
        q = [numbers(row, problem.outputs) for row in items(fields(value, "rows")["rows"], problem.size)]
    else:
        require(problem.outputs == problem.size, "outputs that are not the inputs")
        parts = fields(value, "diagonal left right")
        a, u, v = (numbers(parts[part], problem.size) for part in ("diagonal", "left", "right"))
        q = [[a[x] if x == y else u[x] * v[y] for y in range(problem.size)] for x in range(problem.size)]
    require(all(min(row) >= 0 and sum(row) == 1 for row in q), "rows are ≥ 0 and sum to one")
    return q


def check_attained(problem: Problem, value: Any) -> None:
    """Raise unless the mechanism has loss ≤ L and distortion ≤ D under every distribution of the source."""
    known(not isinstance(value, dict) or not HINTS & set(value), "hints")
    claim = fields(value, "loss distortion mechanism", "digits multipliers")
    bound, most = Loss(claim["loss"], claim.get("digits", 60)), distortion(claim["distortion"])
    q, source, given = read_mechanism(problem, claim["mechanism"]), problem.source, claim.get("multipliers", [])
    columns, multipliers = [list(column) for column in zip(*q, strict=True)], iter(items(given))
    if most is not None:
        costs = [dot(row, cost) for row, cost in zip(q, problem.cost, strict=True)]
        require(source.largest(costs, multipliers) <= most, "the distortion is larger than claimed")
    require(next(multipliers, None) is None, "multipliers are left over")
    if bound.infinite:
        return
    known(source.kind != "polytope" or problem.name in NEIGHBOURS | LEAKAGES, "the corners of a polytope")
    known(not (guessing := problem.name == "min_entropy_leakage") or source.kind in ("prior", "finite"), "covers")
    points = source.listed or [unit(x, problem.size) for x in range(problem.size if problem.name in AT_POINTS else 0)]
    for ratio in problem.ratios(points).values():
        low = bound.exponential(ratio.distance)[0]
        excess = [dot(ratio.left, column) - low * dot(ratio.right, column) for column in columns]
        worst = sum(max(a, ZERO) for a in excess) if problem.events else max(excess)
        require(worst <= ratio.slack * (low if ratio.grows else 1), "the loss is larger than claimed")
    for name in [[i] for i in range(len(points))] if guessing else [[]] if problem.name in LEAKAGES else []:
        weights = problem.maximum(name, points)
        total = sum((max(w * a for w, a in zip(weights, column, strict=True)) for column in columns), ZERO)
        require(total <= bound.exponential()[0], "the loss is larger than claimed")


def check(text: bytes) -> None:
    """Raise `Refused` unless the document proves what it claims, or `CannotTell`."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len({key for key, _ in pairs}) == len(pairs), "a field stands twice")
        return dict(pairs)

    def constant(word: str) -> None:
        raise Refused(f"{word} is no number")

    try:
        document = json.loads(text.decode(), object_pairs_hook=once, parse_float=Decimal, parse_constant=constant)
        json.dumps(document, default=str, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refused(str(error)) from error
    claims = fields(document, "schema problem", "attained excluded")
    require(claims["schema"] == "epstar/proof/2" and len(claims) > 2, "unknown schema, or nothing is claimed")
    problem = Problem(claims["problem"])
    if "attained" in claims:
        check_attained(problem, claims["attained"])
    if "excluded" in claims:
        check_excluded(problem, claims["excluded"])
