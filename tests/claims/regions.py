"""A campaign of false claims about mechanisms over regions of distributions: neither checker may accept one.

    python -m tests.claims.regions --count 20000 --record regions.jsonl

A mechanism, a region and a notion whose loss depends on the distribution are drawn at random. What is claimed is less
than the loss, or the distortion, at one distribution of the region, by 1e-12 to 1e-1 of it, so that every claim is
false by definition (`tests.claims.truth`), however much the true supremum is. The hints are those that the package
writes for a true claim, or false ones.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

from tests.claims.campaign import CHECKERS, Base
from tests.claims.forged_hints import forged
from tests.claims.region_laws import drawn, law, members, near, products, texts
from tests.claims.truth import INFINITE, MANY, Law, Notion, Rows, decimal, log, loss_at, precisely
from tests.proofs.certificates import proof
from tests.proofs.guards import UNEXPECTED

from epstar.claims import Bracket, Setting
from epstar.completion.attained import attained
from epstar.deadline import Deadline
from epstar.errors import EpstarError
from epstar.exact import INFINITY, Real
from epstar.problem import Problem
from epstar.proof_file.document import read_claims, read_setting, write_bracket

Json = Any
BATCH, EACH = 500, 40
# Categories; from seven on the package writes envelopes, and from ten on shares.
SIZES = (2, 3, 3, 4, 4, 5, 6)
# Seconds of work for a claim with its hints: cells of some regions are many.
LONGEST = 3
NOTIONS: dict[str, Json] = {
    "min-entropy leakage": {"name": "min_entropy_leakage"},
    "pointwise leakage": {"name": "pointwise_leakage"},
    "maximal information": {"name": "maximal_information"},
    "local information privacy": {"name": "local_information_privacy"},
    "local information privacy, delta": {"name": "local_information_privacy", "delta": "1/20"},
    "identifiability": {"name": "identifiability"},
    "mutual information": {"name": "mutual_information"},
    "Sibson of order 2": {"name": "sibson_mutual_information", "order": "2"},
    "Sibson of order 1/2": {"name": "sibson_mutual_information", "order": "1/2"},
    "capacity": {"name": "capacity"},
    "g-leakage": {"name": "g_leakage"},
}
REGIONS = ("box", "ball", "polytope", "hull", "everything")
KINDS = (*REGIONS, "rows that share", "rows of their own", "rows one by one")
# What a product of rows loses is the sum of what they lose, or the most.
BY_ROWS = {
    "pointwise leakage",
    "maximal information",
    "local information privacy",
    "identifiability",
    "mutual information",
    "capacity",
}
_FLOOR = Context(prec=45, rounding=ROUND_FLOOR)


@dataclass
class Question:
    """A problem with a mechanism, distributions of its source, and what it costs and loses at these at the most."""

    problem: Json
    mechanism: Rows
    costs: Rows
    laws: list[Law]
    loss: Decimal = Decimal(0)
    distortion: Fraction = Fraction(0)
    anywhere: list[Law] = field(default_factory=list)
    """Distributions of the inputs, in the source or not."""

    def measure(self) -> None:
        """Measure the mechanism at the distributions, by definition."""
        notion, size = self.problem["notion"], len(self.mechanism)
        laws = list(dict.fromkeys(self.laws))
        if notion["name"] == "capacity":
            laws += [(Fraction(1, size),) * size, *(p for p in self.anywhere if min(p) >= 0 and sum(p) == 1)]
        self.loss = max(_loss(notion, _neighbours(self.problem, size), self.mechanism, p) for p in laws)
        each = [
            sum((q * d for q, d in zip(row, cost, strict=True)), Fraction(0))
            for row, cost in zip(self.mechanism, self.costs, strict=True)
        ]
        self.distortion = max(sum((p * e for p, e in zip(one, each, strict=True)), Fraction(0)) for one in self.laws)


@precisely
def _loss(notion: Json, neighbours: list[tuple[int, int, Fraction]], rows: Rows, p: Law) -> Decimal:
    if notion["name"] == "g_leakage":
        guesses = list(zip(*[[Fraction(g) for g in row] for row in notion["gain"]], strict=True))
        before = max(sum((a * g for a, g in zip(p, gains, strict=True)), Fraction(0)) for gains in guesses)
        columns = [[a * q for a, q in zip(p, column, strict=True)] for column in zip(*rows, strict=True)]
        chances = (max(sum(a * g for a, g in zip(c, gains, strict=True)) for gains in guesses) for c in columns)
        return log(sum(chances, Fraction(0)) / before)
    order, delta = Fraction(notion.get("order", 1)), Fraction(notion.get("delta", 0))
    return loss_at(Notion(notion["name"], order, delta, False), neighbours, rows, p)


def _neighbours(problem: Json, size: int) -> list[tuple[int, int, Fraction]]:
    universe = problem.get("universe", {})
    if "graph" in universe:
        pairs = {(i, j) for edge in universe["graph"]["edges"] for i, j in (edge, edge[::-1])}
    elif "databases" in universe:
        letters = universe["databases"]["size"]
        pairs = {
            (i, j)
            for i, j in product(range(size), repeat=2)
            if (i // letters != j // letters) + (i % letters != j % letters) == 1
        }
    else:
        pairs = {(i, j) for i, j in product(range(size), repeat=2) if i != j}
    return [(i, j, Fraction(1)) for i, j in sorted(pairs)]


def _matrix(generator: Random, size: int, outputs: int) -> Rows:
    """Return a mechanism: the truth, often the truth, sparse, or anything; some outputs may never be given."""
    kind = generator.choice(("truth", "often", "sparse", "any", "any"))
    if kind in ("truth", "often") and outputs == size:
        most = Fraction(1) if kind == "truth" else Fraction(generator.randint(4, 9), 10)
        rest = (1 - most) / (size - 1)
        return tuple(tuple(most if x == y else rest for y in range(size)) for x in range(size))
    if kind == "sparse":
        return tuple(law(generator, outputs) for _ in range(size))
    weights = [[generator.randint(1, 9) for _ in range(outputs)] for _ in range(size)]
    if generator.random() < 0.3 and outputs > 1:
        gone = generator.randrange(outputs)
        weights = [[0 if y == gone else w for y, w in enumerate(row)] for row in weights]
    return tuple(tuple(Fraction(w, sum(row)) for w in row) for row in weights)


def _notion(generator: Random, name: str, size: int) -> Json:
    gain = [[str(generator.randint(0, 4)) for _ in range(3)] for _ in range(size)]
    gain[generator.randrange(size)][0] = "5"
    gain = [["1", *row[1:]] if set(row) == {"0"} else row for row in gain]
    return NOTIONS[name] | ({"gain": gain} if name == "g-leakage" else {})


def question(generator: Random, name: str, kind: str, sizes: Sequence[int]) -> Question:
    """Return a problem of a kind with a mechanism."""
    if kind.startswith("rows"):
        return _of_rows(generator, name, kind)
    size = generator.choice(sizes)
    source = drawn(generator, "finite" if name == "g-leakage" else kind, size)
    outputs = size if generator.random() < 0.7 else generator.randint(1, size + 1)
    problem = proof(_notion(generator, name, size), source)["problem"]
    costs: Rows = tuple(tuple(Fraction(x != y) for y in range(size)) for x in range(size))
    if outputs != size or generator.random() < 0.3:
        costs = tuple(tuple(Fraction(generator.randint(0, 5)) for _ in range(outputs)) for _ in range(size))
        problem["distortion"] = {"matrix": [texts(row) for row in costs]}
    if generator.random() < 0.2 and size > 2 and name == "identifiability":
        problem["universe"] = {"graph": {"nodes": list(range(size)), "edges": [[x, x + 1] for x in range(size - 1)]}}
    found = members(generator, source, size, name == "min-entropy leakage")
    return Question(problem, _matrix(generator, size, outputs), costs, found)


def _of_rows(generator: Random, name: str, kind: str) -> Question:
    letters = 2 if generator.random() < 0.8 else 3
    shared = kind == "rows that share" or (kind == "rows one by one" and generator.random() < 0.5)
    kinds = ("finite",) if name == "g-leakage" else (*REGIONS, "finite")
    parts = [drawn(generator, generator.choice(kinds), letters) for _ in range(1 if shared else 2)]
    laws = [members(generator, part, letters, False)[:8] for part in parts]
    costs = tuple(
        tuple(Fraction((x // letters != y // letters) + (x % letters != y % letters)) for y in range(letters**2))
        for x in range(letters**2)
    )
    source = {"rows": parts[0], "iid": True} if shared else {"rows": parts}
    notion, universe = _notion(generator, name, letters**2), {"databases": {"size": letters, "rows": 2}}
    problem = proof(notion, source, universe=universe)["problem"]
    matrix = _matrix(generator, letters**2, letters**2)
    if kind == "rows one by one":
        row = _matrix(generator, letters, letters)
        matrix = tuple(
            tuple(row[x // letters][y // letters] * row[x % letters][y % letters] for y in range(letters**2))
            for x in range(letters**2)
        )
    return Question(problem, matrix, costs, products(laws, 2, shared))


def completed(setting: Setting, problem: Json, matrix: Rows) -> tuple[Json, Law | None]:
    """Return the claim of the package about a mechanism, with hints; and where it loses most, as the package says."""
    claim = {"loss": "infinity", "distortion": "infinity", "mechanism": {"rows": [texts(row) for row in matrix]}}
    given = read_claims({"schema": "epstar/proof/2", "problem": problem, "attained": claim}, setting).attained
    assert given is not None
    assert given.mechanism is not None
    loss = setting.notion.loss(given.mechanism, setting.source)
    worst = Real.of(given.mechanism.distortion(setting.distortion, setting.source).value)
    asked = Problem(setting.notion, setting.source, setting.distortion, setting.universe, "loss", worst)
    found = attained(asked, given.mechanism, INFINITY if loss.upper is None else loss.upper)
    prior = loss.witness.prior
    worst_law = None if prior is None else tuple(Fraction(int(p.p), int(p.q)) for p in prior)
    document: Json = write_bracket(Bracket(setting, found))
    return document["attained"], worst_law


def moved(generator: Random, value: Decimal) -> str | None:
    """Return a loss that is smaller by 1e-12 to 1e-1 of it; None where nothing is less than nothing."""
    if value == INFINITE:
        return generator.choice(("log(1000)", "7", "log(2)", "1e3"))
    share = Decimal(1) - Decimal(10) ** -generator.randint(1, 12)
    smaller = _FLOOR.multiply(value, share)
    if smaller <= Decimal("1e-9"):
        return None
    inner = _FLOOR.plus(MANY.exp(smaller) * (1 - Decimal("1e-44")))
    return f"log({inner:f})" if inner > 1 and generator.random() < 0.5 else f"{smaller:f}"


@dataclass
class Tally:
    """Documents by notion and source: how many false ones, and which of these were accepted; how many true ones."""

    drawn: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    """True claims that both checkers accepted."""

    tight: Counter[str] = field(default_factory=Counter)
    """Questions whose largest loss at the distributions is within 1e-12 of what the package claims."""

    left_out: Counter[str] = field(default_factory=Counter)
    false: list[Json] = field(default_factory=list)
    errors: list[Json] = field(default_factory=list)


def _judged(document: Json, tally: Tally, seed: int) -> list[str]:
    """Return who accepts a document."""
    accepted = []
    for who, accepts in CHECKERS.items():
        try:
            if accepts(document, Base(document)):
                accepted.append(who)
        except (*UNEXPECTED, MemoryError) as error:
            tally.errors.append({"seed": seed, "who": who, "error": repr(error)[:200], "document": document})
    return accepted


def false_documents(asked: Question, claim: Json, generator: Random) -> Iterator[Json]:
    """Yield documents about a question whose claims are false, with the hints of a true claim or forged ones."""
    matrix = {"rows": [texts(row) for row in asked.mechanism]}
    while True:
        said = forged(deepcopy(claim), asked.laws, asked.mechanism, generator)
        problem = asked.problem
        by_loss, by_cost = moved(generator, asked.loss), asked.distortion > 0
        which = generator.random()
        if by_loss is not None and (which < 0.7 or not by_cost):
            said["loss"] = by_loss
            if generator.random() < 0.3:
                said["distortion"] = "infinity"
                said["multipliers"] = said.get("multipliers", [])[1:]
            if generator.random() < 0.2 and "rows" not in said and problem["notion"]["name"] != "g_leakage":
                # The same of a further guarantee.
                hints = {
                    key: said[key] for key in said.keys() & {"output", "shares", "envelope", "slopes", "multipliers"}
                }
                also = [{"notion": problem["notion"], "loss": by_loss}]
                problem = {**problem, "notion": {"name": "differential_privacy"}, "also": also}
                said = {"loss": "infinity", "distortion": "infinity", "mechanism": matrix, "further": [hints]}
        elif by_cost:
            share = 1 - Fraction(1, 10 ** generator.randint(1, 12))
            said["distortion"] = str(asked.distortion * share)
            said["loss"] = generator.choice((said["loss"], "infinity"))
        else:
            return
        if said.get("multipliers") == []:
            del said["multipliers"]
        yield {"schema": "epstar/proof/2", "problem": problem, "attained": said}


def asked_about(generator: Random, name: str, kind: str, sizes: Sequence[int]) -> tuple[Question, Json]:
    """Return a question, measured, with the claim that the package makes about it."""
    asked = question(generator, name, kind, sizes)
    setting = read_setting(asked.problem)
    with Deadline(LONGEST, is_of_work=True).kept():
        claim, worst = completed(setting, asked.problem, asked.mechanism)
    if worst is not None:
        # Where it belongs to the region it is as good as any other: only its loss by definition counts.
        asked.laws.extend(_members_near(asked.problem, worst))
        asked.anywhere.append(worst)
    asked.measure()
    if kind == "rows one by one" and name in BY_ROWS:
        claim = _one_by_one(asked, claim)
    return asked, claim


def _members_near(problem: Json, p: Law) -> list[Law]:
    """Return a distribution of the source as near as can be to one that is said to be in it; none if it is not."""
    source = problem["source"]
    if "rows" not in source:
        found = near(source, p)
        return [] if found is None else [found]
    letters = problem["universe"]["databases"]["size"]
    first = tuple(sum(p[x * letters : (x + 1) * letters], Fraction(0)) for x in range(letters))
    second = tuple(sum(p[x::letters], Fraction(0)) for x in range(letters))
    shared = not isinstance(source["rows"], list)
    parts = [source["rows"]] * 2 if shared else source["rows"]
    laws = [near(part, one) for part, one in zip(parts, (first, first if shared else second), strict=True)]
    known = [[one] for one in laws if one is not None]
    return products(known, 2, shared) if len(known) == 2 else []


def _one_by_one(asked: Question, claim: Json) -> Json:
    """Return the claim about a product of rows from claims about each."""
    letters, source = asked.problem["universe"]["databases"]["size"], asked.problem["source"]
    first = [
        [sum(asked.mechanism[x * letters][y * letters + k] for k in range(letters)) for y in range(letters)]
        for x in range(letters)
    ]
    rows = tuple(tuple(map(Fraction, row)) for row in first)
    parts: list[Json] = []
    sources = source["rows"] if isinstance(source["rows"], list) else [source["rows"]]
    for part in sources:
        problem = proof(asked.problem["notion"], part)["problem"]
        inner, _ = completed(read_setting(problem), problem, rows)
        parts.append([{"source": part, "attained": inner}, 2 // len(sources)])
    losses = [inner["attained"]["loss"] for inner, number in parts for _ in range(number)]
    total = claim["loss"]
    if asked.problem["notion"]["name"] != "identifiability" and "infinity" not in losses:
        if all(loss.startswith("log(") for loss in losses):
            total = f"log({prod(Fraction(loss[4:-1]) for loss in losses)})"
        elif not any(loss.startswith("log(") for loss in losses):
            total = str(sum(map(Fraction, losses)))
    return {"loss": total, "distortion": claim["distortion"], "rows": parts}


def batch(
    seed: int,
    count: int = BATCH,
    each: int = EACH,
    names: Sequence[str] = (*NOTIONS,),
    kinds: Sequence[str] = KINDS,
    sizes: Sequence[int] = SIZES,
) -> Tally:
    """Draw false documents and have both checkers judge them; and the true ones that they were made from."""
    tally = Tally()
    for place in range(count):
        if sum(tally.drawn.values()) >= count:
            break
        generator = Random(f"regions {seed} {place}")
        name, kind = generator.choice(names), generator.choice(kinds)
        label = f"{name} | {'finite' if name == 'g-leakage' and kind in REGIONS else kind}"
        try:
            asked, claim = asked_about(generator, name, kind, sizes)
        except EpstarError:
            tally.left_out[label] += 1  # what the package cannot measure, or not in time, it does not claim
            continue
        tally.true[label] += 1
        untouched = {"schema": "epstar/proof/2", "problem": asked.problem, "attained": claim}
        tally.held[label] += len(_judged(untouched, tally, seed)) == len(CHECKERS)
        tally.tight[label] += _is_tight(asked.loss, claim["loss"])
        for number, document in enumerate(false_documents(asked, claim, generator)):
            if number == each:
                break
            tally.drawn[label] += 1
            by = _judged(document, tally, seed)
            if by:
                tally.false.append({"seed": seed, "by": by, "document": document, "loss": str(asked.loss)})
    return tally


def _is_tight(found: Decimal, said: str) -> bool:
    if said == "infinity" or found == INFINITE:
        return said == "infinity" and found == INFINITE
    level = log(Fraction(said[4:-1])) if said.startswith("log(") else decimal(Fraction(said))
    return level - found <= Decimal("1e-12")


def main() -> None:
    """Run what is missing of a campaign, and print its sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=20_000, help="false documents")
    parser.add_argument("--record", type=Path, required=True, help="a file for one line of JSON per batch")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of categories")
    options = parser.parse_args()
    record: Path = options.record
    done = set()
    with suppress(FileNotFoundError):
        done = {json.loads(line)["seed"] for line in record.read_text(encoding="utf-8").splitlines()}
    for seed in (seed for seed in range(-(-options.count // BATCH)) if seed not in done):
        start = time.process_time()
        found = vars(batch(seed, sizes=options.sizes))
        with record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"seed": seed, "cpu": round(time.process_time() - start, 1), **found}) + "\n")
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    sums = {name: sum((Counter(line[name]) for line in lines), Counter[str]()) for name in ("drawn", "true", "held")}
    tight = sum((Counter(line["tight"]) for line in lines), Counter[str]())
    for label in sorted(sums["drawn"]):
        print(label, *(counts[label] for counts in (*sums.values(), tight)))
    wrong = [entry for line in lines for entry in (*line["false"], *line["errors"])]
    print(json.dumps(wrong[:5], indent=1))
    totals = [sum(counts.values()) for counts in (*sums.values(), tight)]
    print(f"drawn, true, held, tight: {totals}; {len(wrong)} false or errors; {sum(line['cpu'] for line in lines)} s")


if __name__ == "__main__":
    main()
