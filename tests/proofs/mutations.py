"""Faults planted in proofs: whatever is changed in the evidence, the question stays as it was."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

Json = Any
Place = tuple[Json, Any]
NUMBER = re.compile("-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
EVIDENCE = ("mechanism", "converse", "rows", "distances")
JUNK: list[Json] = [
    None,
    True,
    [],
    {},
    "",
    "NaN",
    "inf",
    "1/0",
    "1e99999",
    "log(0)",
    "log(-1)",
    -1,
    10**6,
    0.5,
    "x",
    [[]],
]


def mutated(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> dict[str, Json]:
    """Return a copy of a proof with one to three faults in its evidence; `others` lend theirs.

    Often only one half is kept: a checker that has both notices a false half because it contradicts the other.
    """
    changed = copy.deepcopy(proof)
    half = generator.choice(("lower", "lower", "upper", "upper", "both"))
    if half == "lower":
        changed["mechanism"] = None
    elif half == "upper":
        weaken(changed)
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        generator.choice(FAULTS)(changed, others, generator)
    return changed


def weaken(proof: dict[str, Json]) -> None:
    """Leave of the lower bound only what is trivially true."""
    for row, _ in proof.get("rows", []):
        weaken(row)
    if "distances" in proof:
        proof["distances"] = {"price": None, "level": None}
    elif "distortion" in proof["problem"]["at"] and "converse" in proof:
        proof["converse"] = None
    elif proof.get("converse") is not None:
        nothing: dict[str, Json] = {name: [] for name in ("points", "ratios", "maxima", "sums", "slopes")}
        proof["converse"] |= nothing | {"weight": "1", "level": None, "prices": None, "forced": False}


def places(value: Json, wanted: Callable[[Json], bool]) -> Iterator[Place]:
    """Yield (container, key) of every value below `value` that is wanted."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in list(entries):
        if wanted(entry):
            yield value, key
        yield from places(entry, wanted)


def evidence(proof: dict[str, Json]) -> dict[str, Json]:
    """Return the parts of a proof that are evidence, in a container through which they can be changed."""
    return {name: proof[name] for name in EVIDENCE if proof.get(name) is not None}


def is_number(value: Json) -> bool:
    """Whether a value is an exact number as proofs write it."""
    return isinstance(value, str) and NUMBER.fullmatch(value) is not None


def is_level(value: Json) -> bool:
    """Whether a value is the logarithm of a number."""
    return isinstance(value, str) and value.startswith("log(") and is_number(value[4:-1])


def text(value: Fraction) -> str:
    """Write a number as proofs do."""
    return str(value)


def some(found: Iterator[Place], generator: random.Random) -> Place | None:
    """Return one of some places."""
    listed = list(found)
    return generator.choice(listed) if listed else None


def changed_number(value: Fraction, generator: random.Random) -> Fraction:
    """Return another number: near, opposite, inverse, or far."""
    tiny = Fraction(1, 10) ** generator.randint(1, 30)
    return generator.choice(
        [
            -value,
            Fraction(0),
            value * (1 + tiny),
            value * (1 - tiny),
            value + tiny,
            value - tiny,
            value * 2,
            value / 2,
            1 / value if value else Fraction(1),
            value * Fraction(10) ** generator.randint(1, 12),
            Fraction(1),
        ]
    )


def change_entry(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Change one number."""
    place = some(places(evidence(proof), is_number), generator)
    if place is not None:
        container, key = place
        container[key] = text(changed_number(Fraction(container[key]), generator))


def change_level(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Raise the level that the proof excludes, or change another logarithm."""
    for name in ("converse", "distances"):
        part = proof.get(name)
        if isinstance(part, dict) and is_number(part.get("level")):
            part["level"] = text(Fraction(part["level"]) * (1 + Fraction(1, 10 ** generator.randint(1, 15))))
            return
    place = some(places(evidence(proof), is_level), generator)
    if place is not None:
        container, key = place
        argument = changed_number(Fraction(container[key][4:-1]), generator)
        container[key] = f"log({argument})"


def move_mass(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Move some of one entry of a list of numbers to another, so that the sum stays."""
    place = some(
        places(evidence(proof), lambda v: isinstance(v, list) and len(v) > 1 and all(map(is_number, v))), generator
    )
    if place is not None:
        row = place[0][place[1]]
        i, j = generator.sample(range(len(row)), 2)
        moved = Fraction(row[i]) * generator.choice(
            [Fraction(1), Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 10**15)]
        )
        row[i], row[j] = text(Fraction(row[i]) - moved), text(Fraction(row[j]) + moved)


def scale_list(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Scale all numbers of one list, or all multipliers of one kind."""
    factor = generator.choice(
        [Fraction(2), Fraction(1, 2), Fraction(-1), 1 + Fraction(1, 10 ** generator.randint(1, 12))]
    )
    place = some(places(evidence(proof), lambda v: isinstance(v, list)), generator)
    if place is not None:
        for container, key in list(places(place[0][place[1]], is_number)):
            container[key] = text(Fraction(container[key]) * factor)


def disturb_list(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Swap, drop, repeat, cut off or reverse entries of a list."""
    place = some(places(evidence(proof), lambda v: isinstance(v, list) and len(v) > 0), generator)
    if place is None:
        return
    row = place[0][place[1]]
    i, j = generator.randrange(len(row)), generator.randrange(len(row))
    kind = generator.randrange(6)
    if kind == 0:
        row[i], row[j] = row[j], row[i]
    elif kind == 1:
        del row[i]
    elif kind == 2:
        row.insert(i, copy.deepcopy(row[j]))
    elif kind == 3:
        del row[i:]
    elif kind == 4:
        row.reverse()
    else:
        row[i] = copy.deepcopy(row[j])


def shift_index(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Make a multiplier refer to another bound, output or input, or change a count."""
    place = some(places(evidence(proof), lambda v: isinstance(v, int) and not isinstance(v, bool)), generator)
    if place is not None:
        container, key = place
        container[key] += generator.choice([-1, 1, -2, 2, -container[key], 100, -100])


def add_multiplier(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Use a bound that the proof does not use, with a small multiplier of either sign."""
    converse = proof.get("converse")
    if isinstance(converse, dict) and isinstance(converse.get("ratios"), list):
        sign = generator.choice((-1, 1))
        value = text(sign * Fraction(1, 10) ** generator.randint(1, 12))
        kind = generator.choice(("ratios", "ratios", "maxima"))
        indices = [generator.randrange(12), *([0] if kind == "maxima" else []), generator.randrange(4)]
        converse[kind] = [
            *(converse[kind] if isinstance(converse[kind], list) else []),
            [*indices, *([generator.randrange(4)] if kind == "maxima" else []), value],
        ]


def split_multiplier(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Write the multipliers of one list in shares, which add up to what they were, or to a little more."""

    def is_list(value: Json) -> bool:
        return (
            isinstance(value, list)
            and bool(value)
            and all(isinstance(v, list) and v and is_number(v[-1]) for v in value)
        )

    place = some(places(evidence(proof), is_list), generator)
    if place is not None:
        count = generator.choice((2, 3, 10))
        share = (1 + generator.choice((Fraction(0), Fraction(1, 100)))) / count
        shares = [[*rest, text(Fraction(last) * share)] for *rest, last in place[0][place[1]]]
        place[0][place[1]] = [[*entry] for entry in shares for _ in range(count)]


def move_weight(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Move weight between the parts of a mixture, beyond zero too, so that the sum stays one."""

    def is_mixture(value: Json) -> bool:
        return isinstance(value, list) and len(value) > 1 and all(isinstance(p, list) and len(p) == 2 for p in value)

    place = some(places(evidence(proof), is_mixture), generator)
    if place is not None:
        parts = place[0][place[1]]
        i, j = generator.sample(range(len(parts)), 2)
        if is_number(parts[i][0]) and is_number(parts[j][0]):
            moved = Fraction(parts[i][0]) * generator.choice(
                [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(-1, 2)]
            )
            parts[i][0], parts[j][0] = text(Fraction(parts[i][0]) - moved), text(Fraction(parts[j][0]) + moved)


def transplant(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Take the evidence, or a part of it, from the proof of another problem."""
    other = copy.deepcopy(generator.choice(others))
    name = generator.choice(EVIDENCE)
    if generator.random() < 0.3:
        for part in EVIDENCE:
            proof.pop(part, None)
        proof.update({part: other[part] for part in EVIDENCE if part in other})
    elif isinstance(proof.get(name), dict) and isinstance(other.get(name), dict):
        field = generator.choice(list(proof[name]))
        if field in other[name] and generator.random() < 0.5:
            proof[name][field] = other[name][field]
        else:
            proof[name] = other[name]
    elif name in other:
        proof[name] = other[name]


def toggle(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Leave a part out, or claim that the mechanism is forced."""
    part = proof.get(generator.choice(("converse", "distances")))
    if not isinstance(part, dict):
        return
    field = generator.choice(list(part))
    part[field] = {"forced": True, "level": None, "prices": None, "price": None, "weight": "0"}.get(field, [])


def plant_junk(proof: dict[str, Json], others: list[dict[str, Json]], generator: random.Random) -> None:
    """Put something in a place where it does not belong."""
    place = some(places(evidence(proof), lambda v: True), generator)
    if place is not None:
        container, key = place
        container[key] = copy.deepcopy(generator.choice(JUNK))


FAULTS: tuple[Callable[[dict[str, Json], list[dict[str, Json]], random.Random], None], ...] = (
    change_entry,
    change_entry,
    change_entry,
    change_level,
    move_mass,
    move_mass,
    scale_list,
    disturb_list,
    disturb_list,
    shift_index,
    add_multiplier,
    split_multiplier,
    move_weight,
    transplant,
    toggle,
    plant_junk,
)
