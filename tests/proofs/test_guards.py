"""Every guard of `epstar check` is needed for documents of the first schema: else one is believed, or trips it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from tests.proofs.corpus import changed, honest
from tests.proofs.crafted import crafted
from tests.proofs.guards import Document, Outcome, Walk, compiled, installed, walk
from tests.proofs.large import large

from epstar.errors import EpstarError
from epstar.json_document import parse_json
from epstar.statement import established

# How many guards of `epstar check` documents of the first schema need by themselves. Behind the others stands the rule
# of claims: what such a document establishes is what its claims do, and the walk of these is in test_claims_guards.py.
LEAST_NEEDED = 55
ROOT = Path(__file__).resolve().parents[2]
COMPLETION = ("schema_one",)
OTHERS = ("answer", "earlier_documents", "mechanism.document", "problem_file", "cli.check")
MODULES = [
    *(f"epstar.completion.{part}" for part in COMPLETION),
    "epstar.proof_file.limits",
    *(f"epstar.{part}" for part in OTHERS),
]


@cache
def documents(whole: bool) -> tuple[Document, ...]:
    """Return the corpus: true documents, those made by hand, and on request the changes of every field."""
    true = [Document(name, json.dumps(document).encode(), True) for name, document in honest().items()]
    return (*true, *crafted(), *large(), *(changed() if whole else ()))


def first(whole: bool) -> Walk:
    """Walk the guards of `epstar check`."""
    corpus = documents(whole)  # made by the package as it is
    copy = installed("epstar", MODULES, [], "epstar.cli.check", ("TimeLimit",))
    checked: Callable[[object], object] = vars(copy.modules["epstar.cli.check"])["checked"]
    parsed: Callable[[bytes, str], object] = vars(copy.modules["epstar.json_document"])["parse_json"]
    counted: Callable[[bytes], None] = vars(copy.modules["epstar.proof_file.limits"])["check_content"]
    refusal: type[Exception] = vars(copy.modules["epstar.errors"])["EpstarError"]

    def check(content: bytes) -> str:
        counted(content)
        return str(vars(checked(parsed(content, "The document")))["document"])

    with copy.active():
        return walk(check, copy.switch, corpus, (refusal,), lambda name: vars(copy.modules[name]))


def wrong(outcomes: Mapping[str, Outcome], whole: bool) -> list[str]:
    """Return what a checker says of documents other than it must."""
    odd = []
    for document in documents(whole):
        outcome = outcomes[document.name]
        if outcome.found.endswith(("Nothing is claimed.", "its multipliers exclude nothing.")):
            # It said that no loss is negative, for which no claim is made, and no proof is needed.
            continue
        expected = {None: ("accepted", "refused"), True: ("accepted",), False: ("refused",)}[document.accepted]
        if outcome.kind not in expected or (document.name.endswith("|beside") and outcome.kind != "refused"):
            odd.append(f"{document.name} is {outcome.kind}: {outcome.found[:200]}")
    return odd


def test_documents_of_the_first_schema_are_judged_as_they_must_be() -> None:
    outcomes = {}
    for document in documents(whole=False):
        try:
            found = str(established(parse_json(document.content)).sentences)
            outcomes[document.name] = Outcome("accepted", found, ())
        except EpstarError as error:
            outcomes[document.name] = Outcome("refused", str(error), ())
    assert wrong(outcomes, whole=False) == []


@pytest.mark.full
def test_the_guards_of_epstar() -> None:
    found = first(whole=True)
    assert wrong(found.outcomes, whole=True) == []
    assert len(found.needed) >= LEAST_NEEDED, [str(guard) for guard in (*found.backed, *found.unseen)]


def test_a_guard_that_nobody_needs_is_found(tmp_path: Path) -> None:
    source = tmp_path / "checker.py"
    source.write_text(
        "def check(content):\n"
        "    if len(content) > 3 or content.startswith(b'x'):\n        raise ValueError('long')\n"
        "    if content == b'never':\n        raise ValueError('never')\n"
        "    if content.startswith(b'ab'):\n        raise ValueError('ab')\n"
        "    if content.startswith(b'a'):\n        raise ValueError('a')\n"
        "    return 'fine'\n",
        encoding="utf-8",
    )
    module, switch = compiled(source)
    some = [Document(text, text.encode()) for text in ("long one", "x", "abc", "a", "fit")]
    found = walk(module.check, switch, some, (ValueError,), lambda _: vars(module))
    assert [found.needed[guard][0] for guard in switch.guards if guard in found.needed] == ["long one", "x", "a"]
    assert [guard.line for guard in found.backed] == [6]
    assert [guard.line for guard in found.unseen] == [4]
