"""A third checker of proofs, for notions whose bounds are linear, written from `docs/proof-format.md` alone.

It tests the page: what the other checkers accept or refuse must follow from it. It cannot tell (`CannotTell`) about
other notions, unknown rows, claims by rows, symmetry, cells, mechanisms by distances, and curves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.proofs.third_problem import (
    INFINITE,
    LEAKAGES,
    NEIGHBOURS,
    ONE,
    ZERO,
    Amount,
    CannotTell,
    Problem,
    Refused,
    Vector,
    distortion,
    distribution,
    dot,
    fields,
    items,
    known,
    loss,
    number,
    numbers,
    one_field,
    position,
    require,
)

__all__ = ["CannotTell", "Refused", "check"]


def claim_ends(claim: dict[str, Any]) -> tuple[Amount, Amount, int]:
    digits = claim.get("digits", 60)
    require(type(digits) is int and 10 <= digits <= 2000, "digits from 10 to 2000")
    return loss(claim["loss"]), distortion(claim["distortion"]), digits


def check_excluded(problem: Problem, value: Any) -> None:
    """Raise unless no mechanism has loss ≤ L and distortion ≤ D, the open one strictly smaller."""
    claim = fields(value, "loss distortion open", "digits order points symmetry uniform steps rows")
    known(not {"symmetry", "uniform", "rows"} & set(claim), "symmetry, or claims by rows")
    known(claim.get("order", "infinity") == "infinity", "another order")
    (bound, most, digits), open_loss = claim_ends(claim), claim["open"] == "loss"
    require(claim["open"] in ("loss", "distortion") and ("order" in claim) <= problem.ordered, "open, or no order")
    source, points = problem.source, []
    for mixture in items(claim.get("points", [])):
        pairs = [items(pair, 2) for pair in items(mixture)]
        require(source.convex or len(pairs) == 1, "a mixture in a source that is not convex")
        weights, members = distribution([pair[0] for pair in pairs]), [source.member(pair[1]) for pair in pairs]
        points.append([dot(weights, list(entries)) for entries in zip(*members, strict=True)])
    if not items(claim.get("steps", [])):
        return require(open_loss and bound == Amount(ZERO), "no steps")
    bounds, vanished, size, outputs = problem.ratios(points), set[tuple[int, int]](), problem.size, problem.outputs
    for later, value in enumerate(items(claim["steps"]), 1 - len(claim["steps"])):
        step = fields(value, "", "laws ratios sums rows spread")
        prices = numbers(step.get("rows", ["0"] * size), size)
        c, total, strict = [[-price] * outputs for price in prices], -sum(prices, ZERO), False
        zero, paid = set[tuple[int, int]](), dict[tuple[int, ...], Vector]()
        for weight, member in (items(law, 2) for law in items(step.get("laws", []))):
            w, p = number(weight), source.member(member)
            require(w >= 0 and not most.infinite, "a law with a negative weight, or where the distortion is unbounded")
            total, strict = total + w * most.power, strict or (w > 0 and not open_loss)
            c = [[a + w * p[x] * d for a, d in zip(row, problem.cost[x], strict=True)] for x, row in enumerate(c)]
        for entry in map(items, items(step.get("ratios", []))):
            require(len(entry) >= 2, "a ratio has a name, an output and a multiple")
            *name, output, multiple = entry
            require(all(type(i) is int for i in name) and tuple(name) in bounds, "no such ratio bound")
            m, y, ratio = number(multiple), position(output, outputs), bounds[tuple(name)]
            right = {(x, y) for x, weight in enumerate(ratio.right) if weight}
            if bound.infinite:
                require(open_loss and right <= vanished and not (ratio.grows and ratio.slack), "an infinite loss")
            elif open_loss and m:
                zero |= right
            high = ZERO if bound.infinite else bound.exponential(ratio.distance, digits)[1]
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
                require(number(share) >= 0 and spent[y] <= 1, "shares ≥ 0 of at most one for each output")
            total, strict = total + s * bound.exponential(ONE, digits)[1], strict or open_loss
        scale, spread = [ONE] * size, step.get("spread", False)
        if spread:
            require(spread is True and problem.alphabet and not bound.infinite, "no spread here")
            require(problem.name in NEIGHBOURS or (problem.name == "identifiability" and len(points) == 1), "no spread")
            scale = scale if problem.name in NEIGHBOURS else points[0]
            require(min(scale) > 0, "spread needs full support")
        for y in range(outputs):
            column = [c[x][y] / scale[x] for x in range(size) if (x, y) not in vanished]
            positive, negative = (sum((s * a for a in column if s * a > 0), ZERO) for s in (1, -1))
            high = bound.exponential(ONE, digits)[1] if spread else ZERO
            require(positive >= high * negative if spread else not negative, "a column fails the test")
            total += problem.delta * negative
        if total < 0 or (total == 0 and strict):
            return require(later == 0, "a step follows the contradiction")
        require(total == 0, "a step proves nothing")
        positive_entries = {(x, y) for x in range(size) for y in range(outputs) if c[x][y] > 0}
        vanished |= zero | (positive_entries if open_loss or not spread else set())
    raise Refused("no step ends in a contradiction")


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
    known(not isinstance(value, dict) or not {"rows", "cells"} & set(value), "claims by rows, or cells")
    claim = fields(value, "loss distortion mechanism", "digits output envelope shares multipliers")
    (bound, most, digits), given = claim_ends(claim), iter(items(claim.get("multipliers", [])))
    q, source = read_mechanism(problem, claim["mechanism"]), problem.source
    if not most.infinite:
        costs = [dot(row, cost) for row, cost in zip(q, problem.cost, strict=True)]
        require(source.largest(costs, given) <= most.power, "the distortion is larger than claimed")
    if not bound.infinite:
        check_loss(
            problem, claim, [list(c) for c in zip(*q, strict=True)], given, lambda d: bound.exponential(d, digits)[0]
        )
    require(next(given, None) is None, "multipliers are left over")


def check_loss(
    problem: Problem, claim: dict[str, Any], q: list[Vector], given: Iterator[Any], low: Callable[[Fraction], Fraction]
) -> None:
    """Raise unless every bound holds; `low` is e^(L d) rounded down, q are the columns."""
    source, size, slack = problem.source, range(problem.size), problem.delta
    require("output" not in claim, "the notion has no output distribution")
    require("shares" not in claim or problem.name == "min_entropy_leakage", "shares are those of min-entropy leakage")
    excesses: list[tuple[Vector, Fraction]] = []  # each at most the slack, or over events their positive parts
    if "envelope" in claim:
        both = problem.name == "local_information_privacy"
        require(claim["envelope"] is True and (both or problem.name == "maximal_information"), "no envelope here")
        ends = [(-source.largest([-a for a in c], given), source.largest(c, given) if both else ZERO) for c in q]
        for x in size:
            excesses.append(
                ([c[x] - low(ONE) * least for c, (least, _) in zip(q, ends, strict=True)], slack * low(ONE))
            )
            if both:
                excesses.append(([most - low(ONE) * c[x] for c, (_, most) in zip(q, ends, strict=True)], slack))
    for ratio in [] if "envelope" in claim else problem.ratios(source.corners).values():
        high = low(ratio.distance)
        excess = [dot(ratio.left, column) - high * dot(ratio.right, column) for column in q]
        excesses.append((excess, ratio.slack * (high if ratio.grows else 1)))
    for excess, slack in excesses:
        total = sum(max(a, ZERO) for a in excess) if problem.events else max(excess)
        require(total <= slack, "the loss is larger than claimed")
    maxima: list[tuple[Vector, Fraction]] = [([ONE] * problem.size, ONE)] if problem.name in LEAKAGES else []
    if "shares" in claim:
        pairs = [
            (number(w), position(k, problem.size))
            for w, k in (items(s, 2) for s in items(claim["shares"], problem.size))
        ]
        for x, (w, k) in enumerate(pairs):
            over = [Fraction(i == x) - w * (i == k) for i in size]
            require(w >= 1 if k == x else source.largest(over, given) <= 0, "shares that do not hold")
        maxima = [([w for w, _ in pairs], ONE)]
    elif problem.name == "min_entropy_leakage" and source.kind in ("prior", "finite"):
        maxima = [(p, max(p)) for p in source.listed]
    elif problem.name == "min_entropy_leakage":
        maxima = [(p, p[k]) for k in size for p in source.part(k)]
    for weights, limit in maxima:
        total = sum((max(w * a for w, a in zip(weights, c, strict=True)) for c in q), ZERO)
        require(total <= low(ONE) * limit, "the loss is larger than claimed")


def check_proof(value: Any) -> tuple[Problem, Any, Any]:
    claims = fields(value, "schema problem", "attained excluded")
    require(claims["schema"] == "epstar/proof/2" and len(claims) > 2, "unknown schema, or nothing is claimed")
    problem = Problem(claims["problem"])
    if "attained" in claims:
        check_attained(problem, claims["attained"])
    if "excluded" in claims:
        check_excluded(problem, claims["excluded"])
    return problem, claims.get("attained"), claims.get("excluded")


def check_answer(value: Any) -> None:
    answer = fields(value, "schema at lower upper unit proof", "lower_exact upper_exact method theorem status")
    require(all(isinstance(answer.get(text, ""), str) for text in ("method", "theorem", "status")), "words are texts")
    problem, attained, excluded = check_proof(answer["proof"])
    asked, text = one_field(answer["at"], "loss distortion")
    level, at_loss = (loss if asked == "loss" else distortion)(text, True), asked == "loss"
    utility, answered = at_loss and problem.gain, "distortion" if at_loss else "loss"
    require(answer["unit"] == ("utility" if utility else "distortion" if at_loss else "nats"), "another unit")
    for side, claim in (("lower", excluded), ("upper", attained)):
        written = {"lower": "upper", "upper": "lower"}[side] if utility else side
        end, exact = read_end(answer[written], utility), read_exact(answer.get(f"{written}_exact"), utility)
        least = -INFINITE if problem.gain and at_loss else Amount(ZERO)
        needless = end.at_most(least) if side == "lower" else INFINITE.at_most(end)
        if needless and exact in (None, least if side == "lower" else INFINITE):
            continue
        require(claim is not None, "an end without a claim")
        claimed = {"loss": loss(claim["loss"]), "distortion": distortion(claim["distortion"])}
        if side == "lower":
            fits = level.at_most(claimed[asked], strictly=claim["open"] == asked) and end.at_most(claimed[answered])
        else:
            fits = claimed[asked].at_most(level) and claimed[answered].at_most(end)
        require(fits and exact in (None, claimed[answered]), "the claim is about another number")


def read_end(value: Any, turned: bool) -> Amount:
    """Return an end of an answer: a JSON number, read as a binary one, or infinity."""
    if value in ("infinity", "-infinity"):
        return INFINITE if (value == "infinity") != turned else -INFINITE
    require(type(value) in (int, Decimal) and abs(value) <= sys.float_info.max, "an end is a JSON number")
    return -Amount(Fraction(float(value))) if turned else Amount(Fraction(float(value)))


def read_exact(value: Any, turned: bool) -> Amount | None:
    if value is None:
        return None
    found = loss(value) if isinstance(value, str) and value.startswith("log(") else distortion(value)
    return -found if turned else found


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
    schema = document.get("schema") if isinstance(document, dict) else None
    known(schema != "epstar/curve/2", "curves")
    if schema == "epstar/answer/2":
        check_answer(document)
    else:
        check_proof(document)
