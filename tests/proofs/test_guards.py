"""Every guard of `epstar check` is needed for documents of the first schema: else one is believed, or trips it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.proofs.corpus import changed, honest
from tests.proofs.crafted import crafted
from tests.proofs.guards import Document, Guard, Walk, compiled, installed, walk
from tests.proofs.large import large

# How many guards of `epstar check` the documents made by hand need by themselves; the rule of claims, which what passes
# them must pass as well, stands behind the others.
MOST_NEEDED = 50
ROOT = Path(__file__).resolve().parents[2]
CURVES = ("curve", "curve_document", "extreme_trade_off", "information_trade_off", "response_trade_off", "trade_off")
COMPLETION = ("schema_one", "well_formed")
OTHERS = ("answer", "earlier_answers", "earlier_curves", "mechanism.document", "problem_file", "cli.check")
MODULES = [
    *(f"epstar.proof.{part}" for part in CURVES),
    *(f"epstar.completion.{part}" for part in COMPLETION),
    "epstar.proof_file.limits",
    *(f"epstar.{part}" for part in OTHERS),
]
# Guards that refuse no document of the corpus, by a part of their text, and why they stay.
UNSEEN = {
    "the halves contradict each other only if a checker is wrong about one of them": ["contradict each other"],
    "files that cannot be opened are no documents": ["cannot be read: {error.strerror}"],
    "what trips a checker is mended, and this is for what nobody has thought of": ["The document cannot be read:"],
    "it is about objects that are written, or made in memory, and not about documents": [
        "cannot be written as JSON",
        "has no place in a problem file",
        "The weights of a mixture must be non-negative",
        "is not the mixture that its weights make",
        "must be used for at least one row",
        "asks for a curve; use `epstar curve`",
        "columns is None -> return None",
    ],
    "small documents do not reach the limit, or another comes first": [
        "a ball of more than 9 letters",
        "the laws of all rows together are too many",
        "the databases are too many to list",
        "a region of row laws has too many corners",
        "size * size > MOST_ENTRIES",
        "len(points) > MOST_POINTS",
        "no mechanism of that distortion keeps",
    ],
    "it leaves other evidence to the exact path, where that is refused": [
        "divergences:",
        "diagonal_maxima:",
        "row_prices:",
        "enclosed_distortion:",
        "above < ratio * below",
    ],
}


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


def unexplained(guards: list[Guard]) -> list[str]:
    """Return the guards for which no reason is given."""
    known = [part for parts in UNSEEN.values() for part in parts]
    return [str(guard) for guard in guards if not any(part in str(guard) for part in known)]


def wrong(found: Walk, whole: bool) -> list[str]:
    """Return what a checker says of documents other than it must."""
    odd = []
    for document in documents(whole):
        outcome = found.outcomes[document.name]
        if outcome.found.endswith("Nothing is claimed."):
            # It said that no loss is negative, for which no claim is made.
            continue
        expected = {None: ("accepted", "refused"), True: ("accepted",), False: ("refused",)}[document.accepted]
        if outcome.kind not in expected or (document.name.endswith("|beside") and outcome.kind != "refused"):
            odd.append(f"{document.name} is {outcome.kind}: {outcome.found[:200]}")
    return odd


def test_the_guards_of_epstar() -> None:
    found = first(whole=False)
    assert wrong(found, whole=False) == []
    assert len(found.needed) >= MOST_NEEDED, [str(guard) for guard in (*found.backed, *found.unseen)]


@pytest.mark.full
def test_all_guards_of_epstar() -> None:
    found = first(whole=True)
    assert wrong(found, whole=True) == []
    assert unexplained(found.unseen) == []
    assert len(found.backed) <= 50, [str(guard) for guard in found.backed]


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
