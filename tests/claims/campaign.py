"""A campaign of falsified certificates against both checkers: none that is false may be accepted.

    python -m tests.claims.campaign --count 1000000 --record campaign.jsonl

Documents are drawn in batches, one for each seed; a batch that the record holds is not run again, so that a campaign
that was stopped goes on where it was. What is accepted is judged by `tests.claims.truth`, which shares no code with
either checker: a mechanism is measured by definition, and what is excluded must contradict no mechanism that is known
to be as good, and follow from the untouched document where its question is the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import check_proof
from tests.claims import large
from tests.claims.falsify import drawn, falsified
from tests.claims.forged_claims import TRUE
from tests.claims.truth import (
    ALIKE,
    INFINITE,
    Measured,
    Rows,
    Unknown,
    World,
    contradicts,
    is_attained,
    measured,
    mechanism,
    number,
    real,
    standard_mechanisms,
    world,
)
from tests.proofs.certificates import GENUINE, HAND_MADE
from tests.proofs.guards import UNEXPECTED

from epstar.claims import Setting, check
from epstar.errors import EpstarError
from epstar.proof_file.document import read_bracket, read_claims, read_setting

Json = Any
BATCH = 10_000
# One document in so many is large enough for the rule in arrays: each takes as long as a hundred small ones.
ONE_LARGE_IN = 400
# Inputs of another problem up to which mechanisms are measured anew.
FEW = 16


@dataclass
class Tally:
    """Falsified documents by kind: how many, how many each checker accepted, and which of those are false."""

    drawn: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    second: Counter[str] = field(default_factory=Counter)
    proven: Counter[str] = field(default_factory=Counter)
    """Accepted, and true by definition or because the untouched claim says more."""

    open: Counter[str] = field(default_factory=Counter)
    """Accepted, and contradicted by nothing that is known."""

    false: list[Json] = field(default_factory=list)
    errors: list[Json] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Base:
    """A document that holds, with what is known of its problem, once it is asked for."""

    document: Json

    @cached_property
    def setting(self) -> Setting:
        """The problem as the package reads it."""
        return read_setting(self.document["problem"])

    @cached_property
    def world(self) -> World | None:
        """The problem as its definitions say, None where they do not reach."""
        try:
            return world(self.document["problem"])
        except Unknown:
            return None

    @cached_property
    def mechanisms(self) -> tuple[Rows, ...]:
        """Its own mechanism, if it has one that is written out."""
        if self.world is not None:
            with suppress(KeyError, Unknown):
                return (mechanism(self.document["attained"]["mechanism"], self.world),)
        return ()

    @cached_property
    def witnesses(self) -> list[Measured]:
        """Mechanisms that are not excluded: its own, the cheapest answers, constant ones."""
        if self.world is None:
            return []
        return measured(self.world, (*self.mechanisms, *standard_mechanisms(self.world)))


@cache
def bases() -> tuple[list[Base], list[Base]]:
    """Return small and large documents that hold."""
    small = [*HAND_MADE.values(), *GENUINE, *TRUE.values()]
    few = [
        document for document in small if document["schema"] == "epstar/proof/2" and len(json.dumps(document)) < 2500
    ]
    return [Base(document) for document in few], [Base(document) for _, document in large.true()]


def first(document: Json, untouched: Base) -> bool:
    """Return whether the package accepts a document; a problem that was not touched is not read again."""
    try:
        if document["problem"] == untouched.document["problem"]:
            check(read_claims(document, untouched.setting))
        else:
            check(read_bracket(document))
    except EpstarError:
        return False
    return True


def second(document: Json, _: Base) -> bool:
    """Return whether the second checker accepts a document."""
    try:
        check_proof.check(json.dumps(document).encode())
    except (check_proof.Refused, check_proof.Unreadable):
        return False
    return True


CHECKERS: dict[str, Callable[[Json, Base], bool]] = {"first": first, "second": second}


def judged(document: Json, kept: str, untouched: Base) -> bool | None:
    """Return whether an accepted claim is true, None if nothing contradicts it and nothing shows it."""
    claim = document[kept]
    loss = real(claim["loss"])
    distortion = None if claim["distortion"] == "infinity" else number(claim["distortion"])
    same = document["problem"] == untouched.document["problem"]
    try:
        known = untouched.world if same else world(document["problem"])
    except Unknown:
        known = None
    if kept == "attained":
        if "mechanism" in claim and known is not None:
            try:
                rows = mechanism(claim["mechanism"], known)
            except Unknown:
                return None
            return is_attained(known, rows, loss, distortion) and (known.is_exact or None)
        return True if same and _weaker(claim, untouched.document[kept], -1) else None
    witnesses = untouched.witnesses if same else []
    if not same and known is not None and len(known.costs) <= FEW:
        witnesses = measured(known, (*untouched.mechanisms, *standard_mechanisms(known)))
    if any(contradicts(witness, loss, distortion, claim["open"]) for witness in witnesses):
        return False
    return True if same and _weaker(claim, untouched.document[kept], 1) else None


def _weaker(claim: Json, given: Json, sign: int) -> bool:
    """Return whether a claim says no more than another of its kind."""
    if claim.get("open") != given.get("open"):
        return False
    loss, known = real(claim["loss"]), real(given["loss"])
    ends = [None if one["distortion"] == "infinity" else number(one["distortion"]) for one in (claim, given)]
    values = [INFINITE if end is None else Decimal(0) for end in ends]
    nearer = ends[0] is not None and ends[1] is not None and sign * (ends[1] - ends[0]) >= 0
    return (loss == known or sign * (known - loss) >= -ALIKE) and (nearer or (values[0] == values[1] == INFINITE))


def batch(seed: int, count: int = BATCH, checkers: tuple[str, ...] = ("first", "second")) -> Tally:
    """Draw falsified documents and have both checkers judge them."""
    small, big = bases()
    tally = Tally()
    for place, (kind, generator) in enumerate(drawn(seed, count)):
        is_large = place % ONE_LARGE_IN == ONE_LARGE_IN - 1
        untouched = generator.choice(big if is_large else small)
        others = [generator.choice(small).document for _ in range(2)]
        document, kept = falsified(untouched.document, others, kind, generator)
        if document[kept] == untouched.document[kept] and document["problem"] == untouched.document["problem"]:
            continue  # the fault left it as it was
        name = f"{kind}, large" if is_large else kind
        tally.drawn[name] += 1
        accepted = []
        for who in checkers:
            try:
                if CHECKERS[who](document, untouched):
                    accepted.append(who)
                    (tally.first if who == "first" else tally.second)[name] += 1
            except (*UNEXPECTED, MemoryError) as error:
                tally.errors.append(
                    {"seed": seed, "place": place, "who": who, "error": repr(error)[:200], "document": document}
                )
        if accepted:
            truth = judged(document, kept, untouched)
            if truth is False:
                tally.false.append({"seed": seed, "place": place, "by": accepted, "document": document})
            else:
                (tally.proven if truth else tally.open)[name] += 1
    return tally


def written(seed: int, count: int) -> str:
    """Return the tally of a batch as a line of JSON."""
    start = time.process_time()
    found = batch(seed, count)
    return json.dumps({"seed": seed, "count": count, "cpu": round(time.process_time() - start, 1), **vars(found)})


def summary(record: Path) -> Json:
    """Return the sums of all batches of a record."""
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    sums = {
        name: sum((Counter(line[name]) for line in lines), Counter[str]())
        for name in ("drawn", "first", "second", "proven", "open")
    }
    lists = {name: [entry for line in lines for entry in line[name]] for name in ("false", "errors")}
    totals = {name: sum(counts.values()) for name, counts in sums.items()}
    return {"batches": len(lines), "cpu": sum(line["cpu"] for line in lines), "totals": totals, **sums, **lists}


def main() -> None:
    """Run what is missing of a campaign, and print its sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=1_000_000, help="falsified documents")
    parser.add_argument("--record", type=Path, required=True, help="a file for one line of JSON per batch")
    parser.add_argument("--batch", type=int, default=BATCH, help="documents in a batch")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    record: Path = options.record
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    done = {json.loads(line)["seed"] for line in lines}
    missing = [seed for seed in range(-(-options.count // options.batch)) if seed not in done]
    with ProcessPoolExecutor(options.jobs) as pool, record.open("a", encoding="utf-8") as file:
        for line in pool.map(written, missing, [options.batch] * len(missing)):
            file.write(line + "\n")
            file.flush()
    found = summary(record)
    print(json.dumps({**found, "false": found["false"][:5], "errors": found["errors"][:5]}, indent=1))
    print(f"{len(found['false'])} false, {len(found['errors'])} errors")


if __name__ == "__main__":
    main()
