"""Falsified certificates by semantic mutation: each kind of fault has a name, and is made on parsed documents."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from typing import Any

from tests.claims import mutations as simple
from tests.proofs.mutations import is_number

Json = Any
Fault = Callable[[Json, str, list[Json], random.Random], None]
MOVES = [Fraction(1, 10**k) for k in (30, 24, 18, 12, 9, 6, 3, 2, 1, 0)]
_STEP_LISTS = ("laws", "ratios", "sums", "rows")


def shifted(value: str, by: Fraction) -> str:
    """Return a number, or the argument of a logarithm, moved by so much."""
    if value.startswith("log("):
        return f"log({max(Fraction(1), Fraction(value[4:-1]) * (1 + by))})"
    return value if value == "infinity" else str(Fraction(value) + by)


def claim_moved(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Claim more, by 1e-30 to 1: a larger number is excluded, or a smaller one attained."""
    claim, by = document[kept], generator.choice(MOVES) * (1 if kept == "excluded" else -1)
    end = generator.choice(("loss", "distortion"))
    moved = shifted(claim[end], by)
    claim[end] = "0" if end == "loss" and moved.startswith("-") else moved


def _steps(document: Json, kept: str) -> list[Json]:
    """Return the steps of what is excluded, also of its rows."""
    claim = document[kept]
    inner = [part["excluded"] for part, _ in claim.get("rows", []) if isinstance(part, dict) and "excluded" in part]
    return [step for one in (claim, *inner) for step in one.get("steps", []) if isinstance(step, dict)]


def _entries(document: Json, kept: str, *names: str) -> list[tuple[list[Json], int]]:
    """Return the places of entries of some lists of all steps."""
    lists = [step[name] for step in _steps(document, kept) for name in names if isinstance(step.get(name), list)]
    return [(entries, k) for entries in lists for k in range(len(entries))]


def _law(value: Json, generator: random.Random) -> Json:
    """Return a law that may be another one, or none at all."""
    if not isinstance(value, list) or not value:
        return generator.choice((0, 1, 2, -1, 7))
    law = [Fraction(p) for p in value]
    x, z = generator.randrange(len(law)), generator.randrange(len(law))
    by = generator.choice([*MOVES, min(law[x], law[z]) / 2])
    law[x] += by
    if generator.random() < 0.7:
        law[z] -= by
    return [str(p) for p in law]


def law_changed(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Use a law outside the source, or another one of it."""
    places = _entries(document, kept, "laws")
    mixtures = [mixture for mixture in document[kept].get("points", []) if isinstance(mixture, list)]
    places += [(mixture, k) for mixture in mixtures for k in range(len(mixture))]
    source = document["problem"]["source"]
    listed = [source["prior"]] if "prior" in source else source.get("finite", source.get("hull"))
    if places:
        entries, k = generator.choice(places)
        if len(entries[k]) == 2:
            given = entries[k][1]
            if isinstance(given, int) and listed and given < len(listed) and generator.random() < 0.7:
                given = listed[given]
            entries[k] = [entries[k][0], _law(given, generator)]


def multiplier_changed(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Turn a multiplier round, scale it, move it or drop it."""
    places = _entries(document, kept, *_STEP_LISTS)
    if not places:
        return
    entries, k = generator.choice(places)
    entry = entries[k]
    if generator.random() < 0.2:
        del entries[k]
        return
    place = k if isinstance(entry, str) else 1 if entry and isinstance(entry[0], list) else -1 if len(entry) > 2 else 0
    holder = entries if isinstance(entry, str) else entry
    if isinstance(holder[place], str):
        value = Fraction(holder[place])
        by = generator.choice(MOVES) * generator.choice((1, -1))
        holder[place] = str(generator.choice((-value, value * 2, value / 2, value + by, value * (1 + by), Fraction(0))))


def place_changed(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Take a tangent at another place, a negative one, or none; or other shares of a maximum."""
    uses = [entries[k] for entries, k in _entries(document, kept, "sums") if isinstance(entries[k][-1], list)]
    rows = [row for use in uses for row in use[-1] if isinstance(row, list) and row]
    if rows:
        row = generator.choice(rows)
        k = generator.randrange(len(row))
        if isinstance(row[k], str):
            value = Fraction(row[k])
            by = generator.choice(MOVES) * generator.choice((1, -1))
            row[k] = generator.choice(
                (str(-value), "0", str(value + by), str(value * 2), str(1 / value if value else 1), None)
            )
        elif row[k] is None:
            row[k] = generator.choice(("1", "1/1000", "-1"))
        else:
            row[k] += generator.choice((-1, 1))


def output_swapped(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Speak of another output, input or bound; of a mechanism, exchange two columns or rows."""
    mechanism = document[kept].get("mechanism", {})
    if "rows" in mechanism and mechanism["rows"] and len(mechanism["rows"][0]) > 1:
        first, second = generator.sample(range(len(mechanism["rows"][0])), 2)
        for row in mechanism["rows"] if generator.random() < 0.6 else [generator.choice(mechanism["rows"])]:
            row[first], row[second] = row[second], row[first]
        return
    places = [(e, k) for e, k in _entries(document, kept, "ratios") if e[k]]
    if places:
        entries, k = generator.choice(places)
        at = generator.randrange(len(entries[k]))
        if type(entries[k][at]) is int:
            entries[k][at] += generator.choice((-1, 1))
    else:
        simple._swap(document, kept, [], generator)


def other_problem(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    """Say the same of another problem: another source, cost or universe."""
    problem, lent = document["problem"], generator.choice(others)["problem"]
    choice = generator.random()
    if choice < 0.3:
        name = generator.choice(("source", "distortion", "universe", "notion"))
        if name in lent:
            problem[name] = deepcopy(lent[name])
        return
    found = list(simple.places(problem[generator.choice(("source", "distortion"))], is_number))
    if found:
        container, key = generator.choice(found)
        by = generator.choice(MOVES) * generator.choice((1, -1))
        container[key] = str(Fraction(container[key]) + by)
        if isinstance(container, list) and generator.random() < 0.8:
            other = generator.randrange(len(container))
            if other != key and is_number(container[other]):
                container[other] = str(Fraction(container[other]) - by)


def other_parameter(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Say the same of another notion, order, delta or reading; or read the notion at another order."""
    notion = document["problem"]["notion"]
    if "delta" in notion and generator.random() < 0.7:
        notion["delta"] = shifted(str(notion["delta"]), generator.choice(MOVES) * generator.choice((1, -1)))
        if generator.random() < 0.3 and notion["name"].startswith("approx"):
            notion["reading"] = "pointwise" if notion.get("reading", "event") == "event" else "event"
    elif "order" in notion and generator.random() < 0.7:
        if notion["order"] != "infinity" and generator.random() < 0.7:
            notion["order"] = shifted(str(notion["order"]), generator.choice(MOVES) * generator.choice((1, -1)))
        else:
            document[kept]["order"] = generator.choice(("1/2", "1", "3/2", "2", "3"))
    else:
        notion["name"] = generator.choice(
            (
                *("differential_privacy", "identifiability", "maximal_information", "mutual_information", "capacity"),
                *("maximal_leakage", "min_entropy_leakage", "local_information_privacy", "pointwise_leakage"),
            )
        )


def float_for_exact(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Write the nearest float of a number, or that many digits of it."""
    claim = document[kept]
    end = generator.choice(("loss", "distortion"))
    found = list(simple.places(claim, is_number))
    container, key = (claim, end) if generator.random() < 0.5 or not found else generator.choice(found)
    value = container[key]
    if isinstance(value, str) and value != "infinity":
        inner = value[4:-1] if value.startswith("log(") else value
        number = Fraction(inner)
        if abs(number) < 10**15 and len(inner) < 400:
            rounded = generator.choice(
                (repr(float(number)), f"{float(number):.6g}", str(number.limit_denominator(10**6)))
            )
            container[key] = f"log({rounded})" if value.startswith("log(") else rounded
            if generator.random() < 0.1:
                container[key] = float(number)


def entries_split(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Write an entry twice, or split its last number into two, which together are as large, or larger."""
    places = _entries(document, kept, "laws", "ratios", "sums")
    uses = [e[k] for e, k in places if len(e[k]) == 3 and isinstance(e[k][2], list) and isinstance(e[k][0], list)]
    places += [(use[2], k) for use in uses for k in range(len(use[2])) if isinstance(use[2][k], list)]
    if not places:
        simple._repeat(document, kept, [], generator)
        return
    entries, k = generator.choice(places)
    twin = deepcopy(entries[k])
    if generator.random() < 0.6 and twin and isinstance(twin[-1], str) and is_number(twin[-1]):
        share = Fraction(twin[-1]) * generator.choice((Fraction(1, 2), Fraction(1, 3), Fraction(2), Fraction(-1)))
        rest = Fraction(twin[-1]) - share + generator.choice((Fraction(0), *MOVES[:3]))
        entries[k] = [*entries[k][:-1], str(share)]
        twin[-1] = str(rest)
    entries.insert(generator.randrange(len(entries) + 1), twin)


def hints_changed(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    """Change what helps a checker: multipliers, a law of the output, shares, cells, digits; or the mechanism."""
    claim = document[kept]
    names = [n for n in ("multipliers", "output", "shares", "cells", "points", "uniform", "symmetry") if n in claim]
    if names and generator.random() < 0.7:
        name = generator.choice(names)
        found = list(simple.places(claim[name], is_number))
        if found and generator.random() < 0.8:
            container, key = generator.choice(found)
            by = generator.choice(MOVES) * generator.choice((1, -1))
            container[key] = generator.choice((str(Fraction(container[key]) + by), str(-Fraction(container[key]))))
        else:
            del claim[name]
    elif generator.random() < 0.4:
        claim["digits"] = generator.choice((10, 15, 2000))
    else:
        simple._other_field(document, kept, others, generator)


def mechanism_moved(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Move probability from one answer to another, or make it from nothing."""
    rows = document[kept].get("mechanism", {})
    lists = [rows[n] for n in ("diagonal", "left", "right", "distances") if n in rows] + list(rows.get("rows", []))
    if lists:
        row = generator.choice(lists)
        x, y = generator.randrange(len(row)), generator.randrange(len(row))
        by = generator.choice(MOVES)
        row[x] = str(Fraction(row[x]) + by)
        if generator.random() < 0.8:
            row[y] = str(Fraction(row[y]) - by)
    else:
        multiplier_changed(document, kept, [], generator)


def shape_changed(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    """Turn the open end, drop or repeat a step, take the claim or the evidence of another document, or junk."""
    fault = (simple._turn, simple._drop, simple._repeat, simple._swap, simple._position)
    lent = (simple._other_claim, simple._other_evidence, simple._junk)
    generator.choice((*fault, *lent))(document, kept, others, generator)


KINDS: dict[str, Fault] = {
    "claim moved": claim_moved,
    "law outside": law_changed,
    "multiplier": multiplier_changed,
    "place": place_changed,
    "output swapped": output_swapped,
    "other problem": other_problem,
    "other parameter": other_parameter,
    "float for exact": float_for_exact,
    "entries split": entries_split,
    "hints": hints_changed,
    "mechanism": mechanism_moved,
    "shape": shape_changed,
}


def falsified(document: Json, others: list[Json], kind: str, generator: random.Random) -> tuple[Json, str]:
    """Return a copy of a document with a fault of a kind in one of its claims, which alone is left, and its name.

    In two of three the claim is moved as well, so that whatever the fault does to the evidence proves something false.
    """
    kept = generator.choice([name for name in ("attained", "excluded") if name in document])
    found = deepcopy({name: document[name] for name in ("schema", "problem", kept)})
    if kind != "claim moved" and generator.random() < 2 / 3:
        claim_moved(found, kept, others, generator)
    for _ in range(generator.choice((1, 1, 1, 2))):
        # What one fault made, the next may not know.
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            KINDS[kind](found, kept, others, generator)
    return found, kept


def drawn(seed: int, count: int) -> Iterator[tuple[str, random.Random]]:
    """Yield kinds and what to draw their faults with, the same for the same seed."""
    generator = random.Random(seed)
    names = list(KINDS)
    for k in range(count):
        yield names[k % len(names)], random.Random(generator.getrandbits(64))
