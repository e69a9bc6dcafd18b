"""A checker that is written from the page of the format alone judges every document as `check_proof.py` does."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, cast

import check_proof
import pytest
from tests.claims.mutations import mutated
from tests.proofs import third_checker
from tests.proofs.cases import PROBLEMS, name
from tests.proofs.certificates import GENUINE, HAND_MADE, SPREAD
from tests.proofs.forgeries import FORGED
from tests.proofs.test_check_proof import FALSE, WRONG, changed

from epstar.answer_file import check_answer, write_answer
from epstar.claims import check
from epstar.errors import EpstarError
from epstar.frontier import Frontier
from epstar.json_document import parse_json
from epstar.problem_file import read_problem
from epstar.proof_file.document import read_bracket

Json = Any
ANY_ORDER = {"renyi_differential_privacy", "sibson_mutual_information"}
NOT_LINEAR = {"mutual_information", "capacity", "pointwise_leakage"}
MOVES = [Fraction(1, 10**30), Fraction(1, 10**15), Fraction(1, 10**6), Fraction(1, 100), Fraction(1)]


def is_linear(number: int) -> bool:
    notion = PROBLEMS[number]["problem"]["notion"]
    return notion["name"] not in NOT_LINEAR and (notion["name"] not in ANY_ORDER or notion["order"] == "infinity")


LINEAR = [number for number in range(len(PROBLEMS)) if is_linear(number)]


@cache
def written(number: int) -> str:
    answer = Frontier.answer(read_problem(PROBLEMS[number]["problem"]))
    return json.dumps(write_answer(answer))


def answered(number: int) -> Json:
    return json.loads(written(number))


def proven(number: int) -> str:
    """Return the proof of an answer alone, which is what the third checker reads."""
    return json.dumps(answered(number)["proof"])


def third(text: str) -> bool | None:
    """Return whether the third checker accepts a document; None if it cannot tell."""
    try:
        third_checker.check(text.encode())
    except third_checker.Refused:
        return False
    except third_checker.CannotTell:
        return None
    return True


def second(text: str) -> bool:
    try:
        check_proof.check(text.encode())
    except (check_proof.Refused, check_proof.Unreadable):
        return False
    return True


def first(text: str) -> bool:
    """Return whether epstar's own checker accepts a document."""
    try:
        check(read_bracket(parse_json(text)))
    except EpstarError:
        return False
    return True


def is_covered(answer: Json) -> bool:
    """Return whether a document keeps to what the third checker knows."""
    proof = answer["proof"]
    claims = [proof[claim] for claim in ("attained", "excluded") if claim in proof]
    by_rows = any("rows" in claim or "symmetry" in claim for claim in claims)
    by_distances = any("distances" in claim.get("mechanism", {}) for claim in claims)
    source, notion = next(iter(proof["problem"]["source"])), proof["problem"]["notion"]["name"]
    beyond = source in ("rows", "box", "ball") or "envelope" in proof.get("attained", {})
    at_corners = source == "polytope" and notion in ("maximal_information", "local_information_privacy")
    return not (by_rows or by_distances or beyond or at_corners or (notion, source) == ("min_entropy_leakage", "hull"))


@pytest.mark.parametrize("number", LINEAR, ids=name)
def test_both_accept_what_epstar_writes(number: int) -> None:
    assert second(written(number))
    assert third(proven(number)) is (True if is_covered(answered(number)) else None)


def test_most_documents_are_covered() -> None:
    assert sum(is_covered(answered(number)) for number in LINEAR) >= 55


def moved(value: str, by: Fraction) -> str | None:
    """Return a claimed number moved; None where there is no such loss."""
    if value == "infinity":
        return None
    if value.startswith("log("):
        argument = Fraction(value[4:-1]) * (1 + by)
        return f"log({argument})" if argument >= 1 else None
    return str(Fraction(value) + by)


def overclaimed(answer: Json) -> Iterator[Json]:
    """Yield proofs of one claim that contradicts the other claim of the answer, by a little or by much."""
    proof, end = answer["proof"], "loss" if "distortion" in answer["at"] else "distortion"
    if "attained" not in proof or "excluded" not in proof:
        return
    for by in MOVES:
        for claim, other, sign in (("excluded", "attained", 1), ("attained", "excluded", -1)):
            number = moved(proof[other][end], sign * by)
            if number is not None and not (end == "loss" and number.startswith("-")):
                changed = copy.deepcopy(proof)
                changed[claim][end] = number
                del changed[other]
                yield changed


@pytest.mark.parametrize("number", LINEAR, ids=name)
def test_both_refuse_claims_beyond_the_truth(number: int) -> None:
    for proof in overclaimed(answered(number)):
        text = json.dumps(proof)
        assert not second(text)
        assert not third(text)


def falsified(proof: Json, claim: str, change: Callable[[Json], None]) -> Json:
    """Return the proof with one claim, changed."""
    changed = {key: value for key, value in copy.deepcopy(proof).items() if key in ("schema", "problem", claim)}
    change(changed)
    return changed


def outside(proof: Json) -> None:
    for law in proof["excluded"]["steps"][0]["laws"]:
        size = len(proof["excluded"]["steps"][0].get("rows", [0, 0]))
        law[1] = ["1", *["0"] * (size - 1)]


def negative(field: str) -> Callable[[Json], None]:
    def change(proof: Json) -> None:
        entry = proof["excluded"]["steps"][0][field][0]
        place = {"laws": 0, "sums": 1, "ratios": -1}[field]
        entry[place] = f"-{entry[place]}"

    return change


def dropped_step(proof: Json) -> None:
    del proof["excluded"]["steps"][-1]


def swapped_multipliers(proof: Json) -> None:
    for entry in proof["excluded"]["steps"][0]["ratios"]:
        entry[-2] = {0: 1, 1: 0}.get(entry[-2], entry[-2])


def swapped_outputs(proof: Json) -> None:
    for row in proof["attained"]["mechanism"]["rows"]:
        row[0], row[1] = row[1], row[0]


def other_delta(proof: Json) -> None:
    notion = proof["problem"]["notion"]
    notion["delta"] = str(Fraction(notion["delta"]) / 2)


def other_reading(proof: Json) -> None:
    notion = proof["problem"]["notion"]
    notion["reading"] = "event" if notion.get("reading") == "pointwise" else "pointwise"


def other_open_end(proof: Json) -> None:
    claim = proof["excluded"]
    claim["open"] = "loss" if claim["open"] == "distortion" else "distortion"


def without_multipliers(proof: Json) -> None:
    del proof["attained"]["multipliers"][-1]


FALSIFIED: list[tuple[str, Callable[[Json], None]]] = [
    ("excluded", outside),
    ("excluded", negative("laws")),
    ("excluded", negative("ratios")),
    ("excluded", negative("sums")),
    ("excluded", dropped_step),
    ("excluded", swapped_multipliers),
    ("excluded", other_delta),
    ("excluded", other_reading),
    ("excluded", other_open_end),
    ("attained", swapped_outputs),
    ("attained", other_delta),
    ("attained", other_reading),
    ("attained", without_multipliers),
]


@pytest.mark.parametrize(("claim", "change"), FALSIFIED, ids=lambda part: getattr(part, "__name__", part))
def test_both_judge_falsified_documents_alike(claim: str, change: Callable[[Json], None]) -> None:
    refused = 0
    for number in LINEAR:
        try:
            text = json.dumps(falsified(answered(number)["proof"], claim, change))
        except (KeyError, IndexError):  # the proof has nothing that could be changed so
            continue
        verdict = third(text)
        assert verdict in (None, second(text)), name(number)
        refused += verdict is False
    assert refused >= 1


@pytest.mark.parametrize("field", ["laws", "ratios", "sums"])
def test_a_negative_multiplier_is_always_refused(field: str) -> None:
    for number in LINEAR:
        proof = answered(number)["proof"]
        if proof.get("excluded", {}).get("steps", [{}])[0].get(field):
            text = json.dumps(falsified(proof, "excluded", negative(field)))
            assert not second(text)
            assert not third(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"unit": "distortion"', '"unit": "nats"'),
        ('"unit": "distortion"', '"unit": "distortion", "unit": "distortion"'),
        ('"unit": "distortion"', '"unit": "distortion", "remark": ""'),
        ('"lower": ', '"lower": NaN, "lowest": '),
        ('"lower": ', '"lower": 1'),
        ('"upper": ', '"upper": -1e-5, "method": "", "theorem": "", "status": '),
        ('"method": "', '"method": "\\ud800'),
    ],
)
def test_answers_are_refused_that_the_page_does_not_know(old: str, new: str) -> None:
    assert old in written(0)
    text = written(0).replace(old, new, 1)
    assert not second(text)
    with pytest.raises(EpstarError):
        check_answer(cast(dict[str, Any], parse_json(text)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"open": "distortion"', '"open": "distortion", "open": "distortion"'),
        ('"open": "distortion"', '"open": "distortion", "remark": ""'),
        ('"spread": true', '"spread": 1'),
        ('"spread": true', '"spread": false'),
        ('"spread": true', '"ratios": [[]], "spread": true'),
        ('"spread": true', '"ratios": [[0]], "spread": true'),
        ('"spread": true', '"ratios": [[true, 0, 0, "0"]], "spread": true'),
        ('"laws": [["1", 0]]', '"laws": [[1, 0]]'),
        ('"laws": [["1", 0]]', '"laws": [["1", -1]]'),
        ('"laws": [["1", 0]]', '"laws": [["1", 1]]'),
        ('"laws": [["1", 0]]', '"laws": [["1", true]]'),
    ],
)
def test_all_refuse_what_the_page_does_not_know(old: str, new: str) -> None:
    assert old in proven(0)
    text = proven(0).replace(old, new, 1)
    assert not second(text)
    assert third(text) is False
    assert not first(text)


@pytest.mark.parametrize("value", ["1e400", f"1{'0' * 400}", "-1e400", '"nan"', "true", "null"])
@pytest.mark.parametrize("end", ["lower", "upper"])
def test_both_refuse_an_end_that_is_no_binary_number(end: str, value: str) -> None:
    text = re.sub(f'"{end}": [^,]*', f'"{end}": {value}', written(0), count=1)
    assert not second(text)
    document = parse_json(text)
    assert isinstance(document, dict)
    with pytest.raises(EpstarError):
        check_answer(document)


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({}, True),
        ({"steps": []}, True),
        ({"open": "distortion"}, False),
        ({"loss": "1e-30"}, False),
        ({"loss": "log(1)"}, True),
    ],
)
def test_no_loss_is_negative_without_any_step(changes: dict[str, Json], holds: bool) -> None:
    problem = answered(0)["proof"]["problem"]
    claim = {"loss": "0", "distortion": "1/4", "open": "loss", **changes}
    proof = {"schema": "epstar/proof/2", "problem": problem, "excluded": claim}
    assert second(json.dumps(proof)) is third(json.dumps(proof)) is holds
    if holds:
        check(read_bracket(proof))
    else:
        with pytest.raises(EpstarError):
            check(read_bracket(proof))


NO_NUMBERS = ["1.", ".5", " 1", "1 ", "1_0", "0x1", "1/-2", "1/0", "1/2e3", "1 / 2", "½", "٣", "nan", "inf", "", "-"]


@pytest.mark.parametrize("text", [*NO_NUMBERS, "1e5000", "1" * 4001])
def test_all_refuse_texts_that_are_no_numbers(text: str) -> None:
    proof = answered(0)["proof"]
    in_problem = copy.deepcopy(proof)
    in_problem["problem"]["distortion"] = {"matrix": [["0", text], ["1", "0"]]}
    del in_problem["excluded"]
    proof["attained"]["distortion"] = text
    for document in (proof, in_problem):
        assert second(json.dumps(document)) is third(json.dumps(document)) is first(json.dumps(document)) is False


@pytest.mark.parametrize("text", ["1", "+1", "01", "1.0", "1e2", "1E+2", "100e-2", "10/10"])
def test_all_read_other_forms_of_numbers(text: str) -> None:
    proof = answered(0)["proof"]
    proof["attained"]["distortion"] = text
    assert second(json.dumps(proof)) is third(json.dumps(proof)) is first(json.dumps(proof)) is True


@pytest.mark.parametrize("text", ["log( 2)", " log(2)", "log(2) ", "inf", "ln(2)", "log(1/2)", "log 2", "-0.5"])
def test_all_refuse_texts_that_are_no_losses(text: str) -> None:
    proof = answered(0)["proof"]
    proof["attained"] |= {"loss": text, "distortion": "1"}
    assert second(json.dumps(proof)) is third(json.dumps(proof)) is first(json.dumps(proof)) is False


# What is refused because it would take long, and not because of what it says.
BEYOND_A_LIMIT = ("no common denominator", "many databases", "a large exponent")


def documents() -> Iterator[tuple[str, Json]]:
    """Yield the documents that other tests of checkers are made of, true and false ones."""
    yield from HAND_MADE.items()
    yield from ((f"genuine {k}", document) for k, document in enumerate(GENUINE))
    yield from FORGED.items()
    yield from (
        (f"{name} {path} {k}", changed(HAND_MADE[name], path, value)) for k, (name, path, value) in enumerate(FALSE)
    )
    yield from ((f"{path} {k}", changed(SPREAD, path, value)) for k, (path, value) in enumerate(WRONG))


def test_it_judges_all_documents_as_the_second_checker_does() -> None:
    found = {True: 0, False: 0, None: 0}
    for name_, document in documents():
        text = json.dumps(document)
        is_proof = document.get("schema") == "epstar/proof/2" and name_ not in BEYOND_A_LIMIT
        verdict = third(text) if is_proof else None
        assert verdict in (None, second(text)), name_
        found[verdict] += 1
    assert found[True] >= 40
    assert found[False] >= 80


def test_both_judge_damaged_documents_alike() -> None:
    covered = [number for number in LINEAR if is_covered(answered(number)) and len(written(number)) < 30000]
    accepted = refused = 0
    for seed in range(300):
        generator = random.Random(seed)
        proofs = [answered(generator.choice(covered))["proof"] for _ in range(3)]
        text = json.dumps(mutated(proofs[0], proofs[1:], generator))
        verdict = third(text)
        assert verdict in (None, second(text)), f"seed {seed}"
        accepted, refused = accepted + (verdict is True), refused + (verdict is False)
    assert min(accepted, refused) > 25


def test_it_is_short() -> None:
    source = Path(third_checker.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    assert "import epstar" not in source
    assert "check_proof import" not in source
