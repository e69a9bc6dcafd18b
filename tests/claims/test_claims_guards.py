"""Every guard of `epstar.claims`, and of the readers that it trusts, is needed: without it a document is believed.

Modules and guards are found by themselves; what is written down here are the guards that no document needs, each with
the reason for which it stays.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.claims.forgeries import documents
from tests.claims.made_in_memory import MADE
from tests.proofs.guards import Document, Guard, Installed, Walk, installed, walk

import epstar.claims
import epstar.proof_file

READERS = (
    "epstar.json_document",
    "epstar.problem_file",
    "epstar.answer_file",
    "epstar.curve_file",
    "epstar.breakpoints_file",
)
MODULES = [
    *(
        f"{package.__name__}.{module.name}"
        for package in (epstar.claims, epstar.proof_file)
        for module in pkgutil.iter_modules(package.__path__)
    ),
    "epstar.claims",
    *READERS,
]
MEMORY = b"made in memory: "
# Why a guard stays that no document needs, and by a part of its text which these are.
REASONS: dict[str, tuple[str, ...]] = {
    "whatever Python trips over is refused by the last sentence of the reader; this one says what is wrong": (
        "Only databases have rows to claim something about",
        "The source lists no distribution at position",
        "must be a JSON object in braces",
        "not isinstance(universe, Databases) -> another case",
        "The parts of the mechanism need one entry for each input",
        "A mechanism by distances needs one number for each distance",
        "not isinstance(point, Mapping)",
        "has slopes that are not two",
        "in check_breakpoints: not isinstance(document['points'], list)",
        "has an unknown kind, or a place that is not a number",
        "not 0 <= i < corners",
    ),
    "what is infinite exceeds what is claimed, or all that is claimed is infinite": (
        "The distortion of a row is infinite",
    ),
    "no enclosure tells a divergence from a number that it is": (
        "self.loss.argument_of_log is None and self.loss.rational != 0",
    ),
    "what is made of it refuses it too: a notion of no order, a mechanism of ragged rows": (
        "order <= 0",
        "The source and the universe have different sizes",
        "The mechanism needs one row for each input, all of one length",
    ),
    "documents are refused by their reader, and objects by the claim that they would make: one guard for each": (
        "The open end of what is excluded is 'loss' or 'distortion'",
        "The only symmetry that is known is 'distances'",
        "claim.symmetry != 'distances'",
        "The proof claims nothing; it needs 'attained', 'excluded' or both",
        "A claim that follows from rows has no steps",
    ),
    "no mechanism is the outcome, which check_mechanism refuses": (
        "The mechanism of a proof is 'rows', or 'distances'",
    ),
    "a number cannot be compared with None": ("The mechanism is not exact",),
    "the entries of a text are texts, which are no rows": ("The rows of the mechanism are a list of lists",),
    "e to the infinity is no number: whatever uses it is refused, and a notion with a spread has no sums": (
        "Columns judged by their spread need a finite loss",
        "An infinite loss bounds no sum",
        "not all((place is None for row in tangents.table for place in row))",
        "not isinstance(tangents, Places) -> return False",
    ),
    "nothing vanishes before a law or a ratio was used, which a closed infinite loss does not allow": (
        "self.given.claim.open != 'loss' -> return False",
    ),
    "where the left side of a power above one vanishes everywhere, its row is empty already": (
        "not below_one -> return False",
    ),
    "where the law of the output vanishes at every output nothing is left to contradict": (
        "A slack that grows with the loss says nothing at an infinite one",
    ),
    "a maximum is alone in its sum, and shares and places of it are each refused twice": (
        "len(atoms) != 1",
        "A maximum is replaced by shares of its entries",
        "A place does not fit the term that it linearises",
    ),
    "every sum of divergences that a notion has vanishes at level zero, and a maximum compares nothing": (
        "not weight == 1 -> return False",
        "not bound.scale.factor == 1 -> return False",
        "not (is_law or isinstance(atom, Power)) -> return False",
        "not all((isinstance(atom, RelativeEntropy) and weight > 0",
    ),
    "both ways agree on either side of the border; test_rule.py reads every certificate both ways": (
        "in is_compact: not isinstance(mechanism, RankOneBeside)",
        "not is_quick -> return False",
        "in fits: ",
    ),
    "over a polytope, pairs of many categories have more multipliers than a test should": (
        "not not by_pairs -> return False",
    ),
    "beyond these numbers floats are not finite, and what is not finite passes no test": (
        "not (weights > _FAINTEST).all() -> return False",
        "not all(((np.abs(values) < _HUGE).all() for values in numbers)) -> return False",
        "not min(abs(rate), order) > _SMALLEST_RATE -> return None",
        "not order < _LARGEST_RATE -> return None",
    ),
    "one notion has one order, and its sums compare two rows once, or all rows by weights that are a law": (
        "len(used.bound.terms) != 1 -> return None",
        "weight != 1 -> return None",
        "list(atom.left.values()) != [1] -> return None",
        "in _compared: not isinstance(tangents, Places) -> return None",
        "len(orders) != 1 -> return None",
    ),
    "no notion bounds both ratios and maxima, and what bounds no distortion would deny what is attained": (
        "in slope_of: form.ratios -> return None",
        "in slope_of: form.weight <= 0 -> return None",
    ),
    "whether a loss jumps is said, and refuses nothing; test_evidence.py has a document for each": ("in _has_less: ",),
    "it is about what is written, not about what is read": (
        "in claim: not self.done",
        "in _supporting: ",
        "The mechanism has outputs that the costs do not have",
        "has no place in a problem file",
    ),
    "the size of a document is asked for before it is parsed, and counts in those of the first schema alone; "
    "test_document_limits.py has a document for each": ("in check_content: ",),
    "a problem is not made of them, whoever describes it": (
        "Over a region of distributions nothing is known of a secret",
        "Over a region of distributions nothing is known of a g-leakage",
    ),
    "four million entries are too many to write down here": ("The matrix of the mechanism is too large",),
    "powers of so many digits take too long to write down here": ("has too many digits",),
    "files that cannot be opened are no documents, and floats are read from other files": (
        "cannot be read: {reason}",
        "A number has too large an exponent for a float",
    ),
    "whoever asks for one schema alone has looked at it before": (
        "This is not an answer: its schema must be",
        "This is not a proof: its schema must be",
        "This is not a curve: its schema must be",
        "in is_curve: ",
    ),
    "the error of a statistic is no cost of single answers, and no claim is about it": (
        "A statistic has a 'name'",
        "A statistic {name!r} has the entries",
    ),
    "a proof names its fields itself, and asks about no point; problem files do": (
        "A problem file has no entry",
        "is not known; this version reads",
        "The problem file has no",
        "The problem file asks for a curve",
        "The entry 'at' must",
        "is not a number; write 0.2",
    ),
    "what reads a whole claim refuses lists that are none; what reads a statistic does not": (
        "A cover is a list of points",
    ),
    "a point of another size meets forms and columns of this one, which refuse it": ("len(point) != size",),
}


def checker(copy: Installed) -> Callable[[bytes], str]:
    """Return what says of a document which statements it proves, or raises; some are made in memory, by their name."""
    parsed: Callable[[bytes, str], object] = vars(copy.modules["epstar.json_document"])["parse_json"]
    established: Callable[[object], Any] = vars(copy.modules["epstar.statement"])["established"]

    def check(content: bytes) -> str:
        if content.startswith(MEMORY):
            return str(MADE[content.removeprefix(MEMORY).decode()]())
        return str(established(parsed(content, "The document")).sentences)

    return check


@cache
def corpus() -> tuple[Document, ...]:
    """Return the documents, before anything is switched."""
    return (*documents(), *(Document(name, MEMORY + name.encode()) for name in MADE))


@cache
def walked() -> Walk:
    """Walk the guards, in about half a minute of CPU time."""
    every = corpus()
    copy = installed("epstar", MODULES, MODULES, "epstar.statement", ("TimeLimit",))
    refusal: type[Exception] = vars(copy.modules["epstar.errors"])["EpstarError"]
    with copy.active():
        return walk(checker(copy), copy.switch, every, (refusal,), lambda name: vars(copy.modules[name]))


def explained(guard: Guard) -> bool:
    """Return whether a reason is given for a guard."""
    return any(part in str(guard) for parts in REASONS.values() for part in parts)


def test_documents_are_judged_as_they_must_be() -> None:
    odd = []
    for document in corpus():
        outcome = walked().outcomes[document.name]
        expected = {None: ("accepted", "refused"), True: ("accepted",), False: ("refused",)}[document.accepted]
        if outcome.kind not in expected:
            odd.append(f"{document.name} is {outcome.kind}: {outcome.found[:200]}")
    assert odd == []


def test_every_guard_is_needed() -> None:
    idle = [f"backed: {guard}" for guard in walked().backed if not explained(guard)]
    idle += [f"unseen: {guard}" for guard in walked().unseen if not explained(guard)]
    assert idle == []


@pytest.mark.full
def test_no_reason_is_given_in_vain() -> None:
    idle = [str(guard) for guard in (*walked().backed, *walked().unseen)]
    parts = [part for parts in REASONS.values() for part in parts]
    assert [part for part in parts if not any(part in guard for guard in idle)] == []
