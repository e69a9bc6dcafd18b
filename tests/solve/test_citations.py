"""What an answer says it rests on is what its proof uses: every kind of evidence against every theorem cited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.proofs.cases import PROBLEMS, case, name

from epstar.citations import papers_named
from epstar.completion import Proof
from epstar.frontier import Frontier
from epstar.problem_file import read_problem

Evidence = dict[str, Any]
"""A proof as it is written in an answer."""


def notion(proof: Evidence) -> str:
    return str(proof["problem"]["notion"]["name"])


def order(proof: Evidence) -> str:
    return str(proof["problem"]["notion"].get("order", ""))


def slack(proof: Evidence) -> bool:
    return str(proof["problem"]["notion"].get("delta", "0")) not in ("0", "")


def kind(proof: Evidence) -> str:
    return str(next(iter(proof["problem"]["source"])))


def used(proof: Evidence) -> set[str]:
    """The parts of the converse that say something."""
    converse = proof.get("converse") or {}
    parts = ("ratios", "maxima", "sums", "slopes", "prices", "forced", "steps", "order")
    return {part for part in parts if converse.get(part) not in (None, False, [], ()) and _counts(converse[part])}


def _counts(part: object) -> bool:
    return not isinstance(part, list) or any(entry not in ("0", 0) for entry in part)


def is_hamming(proof: Evidence) -> bool:
    """Whether every truth costs the same, and every error."""
    problem = read_problem(proof["problem"])
    table = problem.distortion.matrix(problem.universe)
    truths = {row[x] for x, row in enumerate(table)}
    errors = {cost for x, row in enumerate(table) for y, cost in enumerate(row) if x != y}
    return len(truths) == len(errors) == 1


def is_pure(proof: Evidence) -> bool:
    return notion(proof) == "differential_privacy" or (
        notion(proof) == "renyi_differential_privacy" and order(proof) == "infinity"
    )


def is_leakage(proof: Evidence) -> bool:
    return notion(proof) in ("maximal_leakage", "min_entropy_capacity") or (
        notion(proof) == "sibson_mutual_information" and order(proof) == "infinity"
    )


def by_spread(proof: Evidence) -> bool:
    """One price for each input, as the forms for randomised response have them, or a constant answer."""
    return is_hamming(proof) and used(proof) <= {"prices"}


def is_set(proof: Evidence) -> bool:
    return kind(proof) != "prior"


def approximate(proof: Evidence) -> bool:
    return notion(proof) == "approximate_differential_privacy" and slack(proof)


# What a proof must be to rest on a theorem; those of rows are judged by the rows themselves.
CITED: dict[str, Callable[[Evidence], bool]] = {
    "zhong2022, Theorem 13 as corrected": lambda p: is_pure(p) and not is_set(p) and by_spread(p),
    "zhong2022, Theorem 9 as corrected": lambda p: approximate(p) and not is_set(p) and by_spread(p),
    "zhong2022, Theorem 9 as corrected, at the flattest distribution of the source": lambda p: (
        approximate(p) and is_set(p) and by_spread(p)
    ),
    "zhong2022, Theorem 9 as corrected, for the slack": lambda p: approximate(p) and is_set(p) and by_spread(p),
    "kalantari2018, Theorems 1 and 2 as corrected, at the flattest distribution of the source": lambda p: (
        is_pure(p) and is_set(p) and by_spread(p)
    ),
    "kalantari2018, Theorems 1 to 3 as corrected, as one linear program": lambda p: (
        (is_pure(p) or approximate(p)) and is_set(p) and by_spread(p)
    ),
    "zhong2022, Theorem 14": lambda p: is_leakage(p) and is_hamming(p) and used(p) == {"maxima", "sums"},
    "zhong2022, Theorem 7 and Proposition 8 as corrected": lambda p: (
        is_hamming(p) and used(p) <= {"sums", "slopes", "ratios", "prices", "maxima"}
    ),
    "zhong2022, Theorem 7, made exact by symmetry": lambda p: "distances" in p,
    "Erokhin's rate-distortion function": lambda p: (
        notion(p) == "mutual_information" and kind(p) == "prior" and is_hamming(p) and used(p) == {"sums", "slopes"}
    ),
    "Csiszár's form of the rate-distortion function": lambda p: (
        notion(p) in ("mutual_information", "capacity") and used(p) == {"sums", "prices"}
    ),
    "wang2016, Theorem 1, exact beyond its range": lambda p: notion(p) == "identifiability" and by_spread(p),
    "wang2016, Theorem 1, line by line": lambda p: (
        notion(p) in ("identifiability", "differential_privacy")
        and kind(p) == "prior"
        and "databases" in p["problem"]["universe"]
        and used(p) == {"ratios"}
    ),
    "zhong2022, Theorem 7(5), line by line": lambda p: (
        notion(p) == "renyi_differential_privacy"
        and kind(p) == "prior"
        and "databases" in p["problem"]["universe"]
        and used(p) == {"sums", "slopes"}
    ),
    "wang2016, Section II": lambda p: notion(p) == "identifiability" and used(p) <= {"ratios"},
    "a constant answer loses nothing": lambda p: p.get("converse") is None,
    "level zero leaves constant mechanisms": lambda p: (
        p["problem"]["at"].get("loss") in (0, "0") and not used(p) - {"steps"}
    ),
    "only the cheapest answers are allowed": lambda p: "forced" in used(p),
    # Multipliers of what the notion itself bounds; at a smaller order only where that is said as well.
    "weak duality": lambda p: bool(used(p)) and "forced" not in used(p),
    "vanerven2014, Theorem 3": lambda p: notion(p) == "renyi_differential_privacy" and "order" in used(p),
    "zhong2022, Lemma 20(9)": lambda p: notion(p) == "sibson_mutual_information" and "order" in used(p),
    "zhong2022, Lemma 20(5)": lambda p: notion(p) == "renyi_differential_privacy" and order(p) == "infinity",
    "zhong2022, Lemma 20(6)": lambda p: notion(p) == "sibson_mutual_information" and order(p) == "1",
    "zhong2022, Lemma 20(7)": lambda p: notion(p) == "sibson_mutual_information" and order(p) == "infinity",
    "alvim2011, Section 2": lambda p: (
        notion(p) == "min_entropy_capacity" or (notion(p) == "min_entropy_leakage" and is_hamming(p))
    ),
}
ROWS: dict[str, Callable[[Evidence], bool]] = {
    "zhong2022, Lemma 16(1), true for all mechanisms": lambda p: (
        notion(p) in ("differential_privacy", "renyi_differential_privacy")
    ),
    "zhong2022, Lemma 16(2), true for all mechanisms": lambda p: notion(p) == "mutual_information",
    "zhong2022, Theorem 18(1), true event-wise and for all mechanisms": approximate,
    "zhong2022, Theorem 17 as corrected: the set holds the uniform distribution": is_set,
    "wang2016, product priors (recomputed)": lambda p: notion(p) == "identifiability",
}
ORDER = {"vanerven2014, Theorem 3", "zhong2022, Lemma 20(9)"}


def wrong(theorem: str, proof: Evidence) -> Iterator[str]:
    """What is cited and not used, or used and not cited."""
    cited = theorem.split("; ")
    rows = [row for row, _count in proof["rows"]] if "rows" in proof else None
    for claim in cited:
        if rows is not None and claim in ROWS:
            if not ROWS[claim](proof):
                yield f"{claim} is not about this database"
        elif claim not in CITED:
            yield f"{claim} is not known to this test"
        elif not any(CITED[claim](part) for part in (rows if rows is not None else [proof])):
            yield f"{claim} was not used"
    if rows is not None and not any(claim in ROWS for claim in cited):
        yield "the rows are put together by a theorem that is not cited"
    if rows is None and ("order" in used(proof)) != bool(ORDER & set(cited)):
        yield "whether a smaller order is used is not what is cited"


@pytest.mark.parametrize("number", range(len(PROBLEMS)), ids=name)
def test_every_theorem_cited_was_used(number: int) -> None:
    found = case(number)
    assert list(wrong(str(found.answer["theorem"]), found.proof)) == []


def test_the_corpus_cites_most_of_what_there_is() -> None:
    cited = {claim for number in range(len(PROBLEMS)) for claim in str(case(number).answer["theorem"]).split("; ")}
    assert len(cited & (set(CITED) | set(ROWS))) >= 22


def test_the_test_finds_wrong_citations() -> None:
    """The nine programs for Rényi privacy were once said to rest on the growth of divergences with the order."""
    programs = [
        number
        for number in range(len(PROBLEMS))
        if notion(case(number).proof) == "renyi_differential_privacy" and case(number).answer["method"] == "program"
    ]
    assert len(programs) >= 9
    for number in programs:
        assert papers_named(str(case(number).answer["theorem"])) == ()
        assert list(wrong("vanerven2014, Theorem 3", case(number).proof))
    assert list(wrong("zhong2022, Theorem 14", case(0).proof))
    assert list(wrong("weak duality", case(124).proof))


@pytest.mark.parametrize(
    ("described", "theorem"),
    [
        ({"name": "renyi_differential_privacy", "order": "10000000000"}, "weak duality; vanerven2014, Theorem 3"),
        ({"name": "sibson_mutual_information", "order": "10000000000"}, "weak duality; zhong2022, Lemma 20(9)"),
        (
            {"name": "sibson_mutual_information", "order": "100000000001/100000000000"},
            "weak duality; zhong2022, Lemma 20(9)",
        ),
        ({"name": "renyi_differential_privacy", "order": "100"}, "weak duality"),
        ({"name": "renyi_differential_privacy", "order": "infinity"}, "zhong2022, Lemma 20(5); weak duality"),
        ({"name": "sibson_mutual_information", "order": "infinity"}, "zhong2022, Lemma 20(7); weak duality"),
        (
            {"name": "sibson_mutual_information", "order": 1},
            "zhong2022, Lemma 20(6); Csiszár's form of the rate-distortion function",
        ),
    ],
)
def test_orders_that_rest_on_others_say_so(described: dict[str, object], theorem: str) -> None:
    document = {
        "schema": "epstar/problem/1",
        "notion": described,
        "source": {"prior": ["1/2", "3/10", "1/5"]},
        "distortion": {"matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
        "at": {"distortion": "1/4"},
    }
    answer = Frontier.answer(read_problem(document))
    assert answer.theorem == theorem
    assert isinstance(answer.proof, Proof)
    assert answer.proof.converse is not None
    assert (answer.proof.converse.order is not None) == any(claim in theorem for claim in ORDER)
