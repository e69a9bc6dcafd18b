"""Falsified claims: whatever is changed in a document of claims, the question stays as it was."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.proofs.mutations import JUNK, is_number

Json = Any
Place = tuple[Json, Any]
MOVES = [Fraction(1, 10**30), Fraction(1, 10**15), Fraction(1, 10**6), Fraction(1, 100), Fraction(1)]


def mutated(document: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> dict[str, Json]:
    """Return a copy of a document with one to three faults in one of its claims; `others` lend theirs."""
    changed = copy.deepcopy(document)
    claims = [name for name in ("attained", "excluded") if name in changed]
    kept = generator.choice(claims)
    # The other claim would contradict a false one.
    for name in claims:
        if name != kept and generator.random() < 0.8:
            del changed[name]
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        generator.choice(FAULTS)(changed, kept, others, generator)
    return changed


def places(value: Json, wanted: Callable[[Json], bool]) -> Iterator[Place]:
    """Yield (container, key) of every value below `value` that is wanted."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in list(entries):
        if wanted(entry):
            yield value, key
        yield from places(entry, wanted)


def _some(value: Json, wanted: Callable[[Json], bool], generator: random.Random) -> Place | None:
    found = list(places(value, wanted))
    return generator.choice(found) if found else None


def _moved(value: str, generator: random.Random) -> str:
    """Return a number moved by 1e-30 to 1, up or down; the argument of a logarithm likewise."""
    inner = value[4:-1] if value.startswith("log(") else value
    number = Fraction(inner) + generator.choice(MOVES) * generator.choice((1, -1))
    return f"log({number})" if value.startswith("log(") and number > 0 else str(number)


def _move_claim(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Claim more: a larger number is excluded, or a smaller one attained."""
    claim = document[kept]
    end = generator.choice(("loss", "distortion"))
    if is_number(claim[end]) or str(claim[end]).startswith("log("):
        claim[end] = _moved(claim[end], generator)


def _move_number(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], is_number, generator)
    if place is not None:
        container, key = place
        container[key] = _moved(container[key], generator)


def _negate(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], is_number, generator)
    if place is not None:
        container, key = place
        container[key] = str(-Fraction(container[key]))


def _scale(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], is_number, generator)
    if place is not None:
        container, key = place
        container[key] = str(Fraction(container[key]) * generator.choice((0, Fraction(1, 2), 2, 10**9)))


def _drop(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], lambda entry: isinstance(entry, list) and len(entry) > 0, generator)
    if place is not None:
        container, key = place
        del container[key][generator.randrange(len(container[key]))]


def _repeat(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], lambda entry: isinstance(entry, list) and len(entry) > 0, generator)
    if place is not None:
        container, key = place
        container[key].append(copy.deepcopy(generator.choice(container[key])))


def _swap(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Exchange two entries of a list: two outputs, two rows, two laws."""
    place = _some(document[kept], lambda entry: isinstance(entry, list) and len(entry) > 1, generator)
    if place is not None:
        container, key = place
        first, second = generator.sample(range(len(container[key])), 2)
        entries = container[key]
        entries[first], entries[second] = entries[second], entries[first]


def _position(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], lambda entry: type(entry) is int, generator)
    if place is not None:
        container, key = place
        container[key] += generator.choice((-1, 1, 2, 10**9))


def _other_claim(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    """Take the claim of another problem."""
    lent = generator.choice(others)
    if kept in lent:
        document[kept] = copy.deepcopy(lent[kept])


def _other_evidence(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    """Take the evidence of another problem for the numbers of this one."""
    lent = generator.choice(others)
    if kept in lent:
        numbers = {name: document[kept][name] for name in ("loss", "distortion", "open") if name in document[kept]}
        document[kept] = {**copy.deepcopy(lent[kept]), **numbers}


def _other_field(document: Json, kept: str, others: list[Json], generator: random.Random) -> None:
    lent = generator.choice(others).get(kept, {})
    common = sorted(set(lent) & set(document[kept]))
    if common:
        name = generator.choice(common)
        document[kept][name] = copy.deepcopy(lent[name])


def _turn(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Turn the open end round, or let a column be judged by another test."""
    claim = document[kept]
    if "open" in claim and generator.random() < 0.5:
        claim["open"] = "loss" if claim["open"] == "distortion" else "distortion"
        return
    steps = claim.get("steps")
    named = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    if named:
        step = generator.choice(named)
        step["spread"] = not step.get("spread", False)


def _junk(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    place = _some(document[kept], lambda _: True, generator)
    if place is not None:
        container, key = place
        container[key] = copy.deepcopy(generator.choice(JUNK))


def _order(document: Json, kept: str, _: list[Json], generator: random.Random) -> None:
    """Read the notion at another order, or with other digits."""
    if kept == "excluded":
        document[kept]["order"] = generator.choice(("1/2", "1", "3/2", "2", "3", "1000"))
    else:
        document[kept]["digits"] = generator.choice((1, 2, 5, 2000))


FAULTS: list[Callable[[Json, str, list[Json], random.Random], None]] = [
    _move_claim,
    _move_claim,
    _move_claim,
    _move_number,
    _move_number,
    _move_number,
    _negate,
    _scale,
    _drop,
    _repeat,
    _swap,
    _position,
    _other_claim,
    _other_evidence,
    _other_field,
    _turn,
    _junk,
    _order,
]
