"""What is true of a claim, from the definitions of the format page alone: slow, and without a line of either checker.

The laws of a source are its corners, or some of its members where it is curved; the loss of a mechanism at a law is
its definition, in fractions and in decimals of a hundred digits. A claim about a mechanism is false if the mechanism
costs or loses more under some law; a claim that nothing is as good is false if some mechanism is, a *witness*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import wraps
from itertools import combinations, permutations, product
from math import comb, prod
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Json = Any
Law = tuple[Fraction, ...]
Rows = tuple[Law, ...]
MANY = Context(prec=100)
# Numbers of a hundred digits that differ by less than this are taken to be equal.
ALIKE = Decimal("1e-80")
INFINITE = Decimal("Infinity")
_FEW, _LARGEST = 6, 4096


def precisely(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function work with decimals of a hundred digits."""

    @wraps(function)
    def precise(*args: P.args, **kwargs: P.kwargs) -> T:
        with localcontext(MANY):
            return function(*args, **kwargs)

    return precise


class Unknown(Exception):
    """The definitions here do not reach so far."""


def number(value: Json) -> Fraction:
    """Return the number that a text or a JSON number shows."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise Unknown
    return Fraction(str(value))


def real(value: str) -> Decimal:
    """Return a loss."""
    if value == "infinity":
        return INFINITE
    if value.startswith("log("):
        return log(number(value[4:-1]))
    return decimal(number(value))


def decimal(value: Fraction) -> Decimal:
    """Return a fraction with a hundred digits."""
    return MANY.divide(Decimal(value.numerator), Decimal(value.denominator))


def log(value: Fraction) -> Decimal:
    """Return the logarithm, minus infinity at zero."""
    return MANY.ln(decimal(value)) if value > 0 else -INFINITE


@dataclass(frozen=True)
class Notion:
    """A notion with its parameters."""

    name: str
    order: Fraction | None
    delta: Fraction
    pointwise: bool

    @property
    def is_free(self) -> bool:
        return self.name in FREE


FREE = (
    "differential_privacy",
    "approximate_differential_privacy",
    "renyi_differential_privacy",
    "maximal_leakage",
    "min_entropy_capacity",
)
# Largest at a corner of the source; the others are only bounded from below by the laws that are tried.
AT_CORNERS = ("identifiability", "maximal_information", "local_information_privacy", "pointwise_leakage")


@dataclass(frozen=True)
class World:
    """A problem: the distances of neighbours, the costs, laws of the source, and whether its hull is all of it."""

    notion: Notion
    neighbours: tuple[tuple[int, int, Fraction], ...]
    costs: Rows
    laws: tuple[Law, ...]
    is_listed: bool
    """Whether the laws are the source itself, and not its corners."""

    is_whole: bool
    """Whether nothing of the source lies outside the hull of the laws."""

    def distortion(self, rows: Rows) -> Fraction:
        """Return the largest mean cost under the laws."""
        each = [
            sum((q * d for q, d in zip(row, cost, strict=True)), Fraction(0))
            for row, cost in zip(rows, self.costs, strict=True)
        ]
        return max(sum((p * e for p, e in zip(law, each, strict=True)), Fraction(0)) for law in self.laws)

    @precisely
    def loss(self, rows: Rows) -> Decimal:
        """Return the loss, or a number not above it where `is_exact` is not."""
        notion = self.notion
        if notion.is_free:
            return _free(notion, self.neighbours, rows)
        laws = list(self.laws)
        if notion.name == "capacity":
            size = len(rows)
            laws = [tuple(Fraction(x == k) for k in range(size)) for x in range(size)] + [(Fraction(1, size),) * size]
        elif not self.is_listed and notion.name not in AT_CORNERS:
            laws += [tuple((a + b) / 2 for a, b in zip(p, q, strict=True)) for p, q in combinations(self.laws[:8], 2)]
        return max(loss_at(notion, self.neighbours, rows, law) for law in laws)

    @property
    def is_exact(self) -> bool:
        """Whether the loss is known, and not only a number below it."""
        if self.notion.is_free:
            return True
        if self.notion.name in ("capacity",) or not self.is_whole:
            return False
        return self.is_listed or self.notion.name in AT_CORNERS


def world(problem: Json) -> World:
    """Return a problem of a document.

    Raises:
        Unknown: if it is malformed, or too large.
    """
    try:
        return _world(problem)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, ZeroDivisionError) as error:
        raise Unknown from error


def _world(problem: Json) -> World:
    given = problem["notion"]
    order = given.get("order")
    notion = Notion(
        given["name"],
        None if order in (None, "infinity") else number(order),
        number(given.get("delta", 0)),
        given.get("reading") == "pointwise",
    )
    if notion.name == "renyi_differential_privacy" and notion.order is None:
        notion = Notion("differential_privacy", None, Fraction(0), False)
    if notion.name == "sibson_mutual_information" and notion.order is None:
        notion = Notion("maximal_leakage", None, Fraction(0), False)
    universe, source = problem.get("universe"), problem["source"]
    databases = universe.get("databases") if universe else None
    count = databases["rows"] if databases else 1
    values = _values(databases or universe or {})
    laws, is_listed, is_whole = _laws(source, count)
    size = len(laws[0])
    letters = round(size ** (1 / count))
    if letters**count != size or size > _LARGEST:
        raise Unknown
    inputs = list(product(range(letters), repeat=count))
    if universe and "graph" in universe:
        near = [(i, j, Fraction(1)) for i, j in universe["graph"]["edges"]]
    elif universe and "metric" in universe:
        table = universe["metric"]
        near = [(i, j, number(table[i][j])) for i, j in combinations(range(size), 2) if table[i][j] is not None]
    else:
        near = [
            (i, j, Fraction(1))
            for i, j in combinations(range(size), 2)
            if sum(a != b for a, b in zip(inputs[i], inputs[j], strict=True)) == 1
        ]
    costs = _costs(problem["distortion"], inputs, values)
    if len(costs) != size:
        raise Unknown
    both = tuple((*pair, d) for i, j, d in near for pair in ((i, j), (j, i)))
    return World(notion, both, costs, laws, is_listed, is_whole)


def _values(universe: Json) -> list[Fraction] | None:
    labels = universe.get("alphabet", universe.get("labels", universe.get("graph", {}).get("nodes")))
    if not isinstance(labels, list):
        return None
    numbers = [
        number(label["rational"]) if isinstance(label, dict) else number(label)
        for label in labels
        if isinstance(label, dict) or (isinstance(label, int | float | Decimal) and not isinstance(label, bool))
    ]
    return numbers if len(numbers) == len(labels) else None


def _costs(entry: Json, inputs: list[tuple[int, ...]], values: list[Fraction] | None) -> Rows:
    if "matrix" in entry or "gain" in entry:
        sign = 1 if "matrix" in entry else -1
        return tuple(tuple(sign * number(e) for e in row) for row in entry.get("matrix", entry.get("gain")))
    places = values or [Fraction(k) for k in range(1 + max(max(x) for x in inputs))]

    def cost(x: tuple[int, ...], y: tuple[int, ...]) -> Fraction:
        gaps = [abs(places[a] - places[b]) for a, b in zip(x, y, strict=True)]
        if entry["name"] == "hamming":
            return Fraction(sum(a != b for a, b in zip(x, y, strict=True)))
        return sum((gap if entry["name"] == "absolute" else gap * gap for gap in gaps), Fraction(0))

    return tuple(tuple(cost(x, y) for y in inputs) for x in inputs)


# -- the laws of a source ---------------------------------------------------------------------------------------------


def _laws(source: Json, count: int) -> tuple[tuple[Law, ...], bool, bool]:
    """Return laws of a source; whether they are all of it; whether it lies in their hull."""
    ((kind, value),) = [(k, v) for k, v in source.items() if k != "iid"]
    if kind == "rows":
        return _products(source, value, count)
    if kind in ("prior", "finite", "hull"):
        found = tuple(_law(p) for p in ([value] if kind == "prior" else value))
        return found, kind != "hull" or len(found) == 1, True
    if kind == "everything":
        return _units(value), value == 1, True
    if kind == "polytope":
        return tuple(_cut(value)), False, True
    lower = _law(value["center"]) if kind == "ball" else tuple(map(number, value["lower"]))
    if len(lower) > _FEW:
        raise Unknown
    corners = set()
    for order in permutations(range(len(lower))):
        point = list(lower)
        if kind == "box":  # fill up in some order
            left = 1 - sum(lower)
            for x in order:
                moved = min(left, number(value["upper"][x]) - point[x])
                point[x], left = point[x] + moved, left - moved
        else:  # all that moves goes to the last
            left = number(value["radius"]) / 2
            for x in order[:-1]:
                moved = min(left, point[x])
                point[x], left = point[x] - moved, left - moved
                point[order[-1]] += moved
        corners.add(tuple(point))
    if any(sum(point) != 1 for point in corners):
        raise Unknown
    return tuple(sorted(corners)), len(corners) == 1, True


def _law(entry: Json) -> Law:
    found = tuple(map(number, entry))
    if sum(found) != 1 or min(found) < 0:
        raise Unknown
    return found


def _units(size: int) -> tuple[Law, ...]:
    if size > 64:
        raise Unknown
    return tuple(tuple(Fraction(x == k) for k in range(size)) for x in range(size))


def _products(source: Json, value: Json, count: int) -> tuple[tuple[Law, ...], bool, bool]:
    rows = value if isinstance(value, list) else [value]
    laws = [_laws(row, 1)[0] for row in rows]
    if len(laws[0][0]) ** count > _LARGEST or prod(map(len, laws)) > _LARGEST:
        raise Unknown
    known = all(len(points) == 1 for points in laws)
    if not isinstance(value, list) and source.get("iid", True):
        members = [tuple(Fraction(prod(p)) for p in product(*[law] * count)) for law in laws[0]]
        return tuple(members), known, known
    each = laws if isinstance(value, list) else laws * count
    members = [tuple(Fraction(prod(p)) for p in product(*chosen)) for chosen in product(*each)]
    return tuple(members), known, True


def _cut(value: Json) -> list[Law]:
    """Return the corners of a polytope: where as many inequalities as there are free numbers hold with equality."""
    matrix, bounds = [list(map(number, row)) for row in value["matrix"]], list(map(number, value["bounds"]))
    size = len(matrix[0])
    if size > _FEW or len(matrix) > _FEW:
        raise Unknown
    sides = [
        *zip(matrix, bounds, strict=True),
        *(([Fraction(-(x == k)) for k in range(size)], Fraction(0)) for x in range(size)),
    ]
    found = set()
    for chosen in combinations(sides, size - 1):
        point = solved([*[[*row, bound] for row, bound in chosen], [Fraction(1)] * (size + 1)])
        if point is not None and all(sum(a * p for a, p in zip(row, point, strict=True)) <= b for row, b in sides):
            found.add(point)
    if not found:
        raise Unknown
    return sorted(found)


def solved(system: list[list[Fraction]]) -> Law | None:
    """Return the solution of linear equations [coefficients, bound], None if there is none or several."""
    rows = [list(row) for row in system]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return tuple(row[-1] for row in rows)


# -- the loss of a mechanism, by definition ---------------------------------------------------------------------------


def _free(notion: Notion, neighbours: Sequence[tuple[int, int, Fraction]], rows: Rows) -> Decimal:
    if notion.name in ("maximal_leakage", "min_entropy_capacity"):
        return log(sum((max(column) for column in zip(*rows, strict=True)), Fraction(0)))
    worst = Decimal(0)
    for x, z, distance in neighbours:
        if notion.name == "renyi_differential_privacy":
            assert notion.order is not None
            found = renyi(rows[x], rows[z], notion.order)
        else:
            together = notion.name == "approximate_differential_privacy" and not notion.pointwise
            found = _least(list(zip(rows[x], rows[z], strict=True)), notion.delta, together)
        worst = max(worst, found if found == INFINITE else found / decimal(distance))
    return worst


def loss_at(notion: Notion, neighbours: Sequence[tuple[int, int, Fraction]], rows: Rows, law: Law) -> Decimal:
    inputs = [x for x, p in enumerate(law) if p > 0]
    output = [sum((law[x] * rows[x][y] for x in inputs), Fraction(0)) for y in range(len(rows[0]))]
    match notion.name:
        case "identifiability":
            each = [
                _least([(law[x] * a, law[z] * b) for a, b in zip(rows[x], rows[z], strict=True)], Fraction(0), False)
                / decimal(d)
                for x, z, d in neighbours
            ]
            return max(each, default=Decimal(0))
        case "maximal_information":
            return max(_least(list(zip(row, output, strict=True)), Fraction(0), False) for row in rows)
        case "local_information_privacy":
            together = notion.delta > 0
            less = [_least(list(zip(output, row, strict=True)), notion.delta, together) for row in rows]
            more = [_least(list(zip(row, output, strict=True)), notion.delta, together, True) for row in rows]
            return max(*less, *more)
        case "min_entropy_leakage":
            columns = zip(*rows, strict=True)
            return log(sum((max(p * q for p, q in zip(law, c, strict=True)) for c in columns), Fraction(0)) / max(law))
        case "mutual_information" | "capacity":
            return sum((decimal(law[x]) * renyi(rows[x], output, Fraction(1)) for x in inputs), Decimal(0))
        case "pointwise_leakage":
            return max(renyi(row, output, Fraction(1)) for row in rows)
        case "sibson_mutual_information":
            assert notion.order is not None
            return _sibson(notion.order, rows, law, inputs, output)
    raise Unknown


def _sibson(order: Fraction, rows: Rows, law: Law, inputs: list[int], output: list[Fraction]) -> Decimal:
    if order == 1:
        return sum((decimal(law[x]) * renyi(rows[x], output, order) for x in inputs), Decimal(0))
    a, total = decimal(order), Decimal(0)
    for y in range(len(output)):
        inner = sum((decimal(law[x]) * _power(rows[x][y], a) for x in inputs), Decimal(0))
        total += MANY.power(inner, 1 / a) if inner else Decimal(0)
    return MANY.multiply(a / (a - 1), MANY.ln(total)) if total else INFINITE


def renyi(left: Sequence[Fraction], right: Sequence[Fraction], order: Fraction) -> Decimal:
    """Return the divergence of two laws."""
    total, a = Decimal(0), decimal(order)
    for p, q in zip(left, right, strict=True):
        if p > 0 and q > 0:
            total += decimal(p) * log(p / q) if order == 1 else decimal(p) * _power(p / q, a - 1)
        elif p > 0 and order >= 1:
            return INFINITE
    if order == 1:
        return total
    return MANY.divide(MANY.ln(total), a - 1) if total else INFINITE


def _power(base: Fraction, exponent: Decimal) -> Decimal:
    return MANY.power(decimal(base), exponent) if base else Decimal(0)


def _least(pairs: list[tuple[Fraction, Fraction]], slack: Fraction, together: bool, grows: bool = False) -> Decimal:
    """Return the least level >= 0 with left <= e^level right + slack, of each pair, or of positive parts together.

    A slack that grows is multiplied by e^level.
    """
    if not together:
        return max((_least([pair], slack, True, grows) for pair in pairs), default=Decimal(0))
    bends = sorted({Fraction(1), *(p / q for p, q in pairs if q > 0 and p > q)})
    for k, low in enumerate(bends):
        # Beyond `low` the pairs that still exceed are those with a larger quotient: left - E right is linear there.
        above = [(p, q) for p, q in pairs if p > low * q]
        left = sum((p for p, _ in above), Fraction(0)) - (0 if grows else slack)
        right = sum((q for _, q in above), Fraction(0)) + (slack if grows else 0)
        if left <= low * right:
            return log(low)
        if right > 0 and (k + 1 == len(bends) or left <= bends[k + 1] * right):
            return log(left / right)
    return INFINITE


# -- claims -----------------------------------------------------------------------------------------------------------


def mechanism(entry: Json, world_: World) -> Rows:
    """Return the rows of a mechanism of a document."""
    try:
        if "rows" in entry:
            return tuple(tuple(map(number, row)) for row in entry["rows"])
        if "diagonal" in entry:
            a, u, v = (tuple(map(number, entry[part])) for part in ("diagonal", "left", "right"))
            return tuple(tuple(a[x] if x == y else u[x] * v[y] for y in range(len(a))) for x in range(len(a)))
        f, size = tuple(map(number, entry["distances"])), len(world_.costs)
        if len(f) > 13 or size > _LARGEST or sum(comb(len(f) - 1, k) for k in range(len(f))) > size:
            raise Unknown
        return tuple(tuple(f[int(d)] for d in row) for row in world_.costs)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise Unknown from error


@precisely
def is_attained(world_: World, rows: Rows, loss: Decimal, distortion: Fraction | None) -> bool:
    """Return whether a mechanism is one, and has at most this loss and distortion, as far as the laws here tell."""
    if len(rows) != len(world_.costs) or any(len(row) != len(world_.costs[0]) for row in rows):
        return False
    if any(min(row) < 0 or sum(row) != 1 for row in rows):
        return False
    if distortion is not None and world_.distortion(rows) > distortion:
        return False
    return loss == INFINITE or world_.loss(rows) <= loss + ALIKE


@dataclass(frozen=True)
class Measured:
    """What a mechanism is by definition."""

    loss: Decimal
    distortion: Fraction


def measured(world_: World, mechanisms: Iterable[Rows]) -> list[Measured]:
    """Return what mechanisms are, those that fit; none where the loss is only bounded here."""
    if not world_.is_exact or not world_.is_whole:
        return []
    fitting = [rows for rows in mechanisms if is_attained(world_, rows, INFINITE, None)]
    return [Measured(world_.loss(rows), world_.distortion(rows)) for rows in fitting]


@precisely
def contradicts(known: Measured, loss: Decimal, distortion: Fraction | None, open_: str) -> bool:
    """Return whether a mechanism is as good as a claim says that none is."""
    if open_ == "loss":
        below = known.loss < (loss - ALIKE if loss != INFINITE else INFINITE)
        return below and (distortion is None or known.distortion <= distortion)
    kept = loss == INFINITE or known.loss <= loss + (ALIKE if known.loss > 0 else 0)
    return kept and (distortion is None or known.distortion < distortion)


def standard_mechanisms(world_: World) -> Iterator[Rows]:
    """Yield mechanisms that many problems are solved by: the cheapest answers, and constant ones."""
    size, outputs = len(world_.costs), len(world_.costs[0])
    yield tuple(tuple(Fraction(y == row.index(min(row))) for y in range(outputs)) for row in world_.costs)
    for y in range(min(outputs, _FEW)):
        yield (tuple(Fraction(y == k) for k in range(outputs)),) * size
    yield ((Fraction(1, outputs),) * outputs,) * size
