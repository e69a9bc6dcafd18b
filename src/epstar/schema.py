"""The published JSON schemas, each made self-contained: a plain validator needs nothing beside it.

In the package the schemas refer to each other by their names (`urn:epstar:mechanism:1`). Here what one refers to is
copied into its `$defs`, and every reference points into the document itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from epstar.errors import InvalidInput
from epstar.names import suggestion

_REFERENCE = re.compile(r"urn:epstar:([a-z-]+):([0-9]+)(?:#(/.*))?")


@cache
def schema_names() -> tuple[str, ...]:
    """Return the names of the schemas: what they describe, and a version."""
    found = (file.name for file in files("epstar").joinpath("schemas").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in found if name.endswith(".json")))


def schema(name: str) -> dict[str, Any]:
    """Return a schema with everything in it that it refers to.

    A name without a version means the newest; `epstar/answer/2`, as documents spell it, is the same as `answer-2`.

    Raises:
        InvalidInput: if there is no such schema.

    >>> schema("problem")["title"]
    'A question about the trade-off between privacy and distortion, or the error of a statistic (epstar/problem/2)'
    """
    known = schema_names()
    asked = name.removeprefix("epstar/").replace("/", "-")
    versions = [one for one in known if one == asked or re.fullmatch(rf"{re.escape(asked)}-[0-9]+", one)]
    if not versions:
        kinds = list(dict.fromkeys(one.rpartition("-")[0] for one in known))
        raise InvalidInput(
            f"There is no schema {name!r}{suggestion(asked, kinds)}; the known ones are {', '.join(known)}."
        )
    chosen = max(versions, key=lambda one: int(one.rpartition("-")[2]))
    return _bundled(chosen)


def description(name: str) -> str:
    """Return what documents of a schema are."""
    return re.sub(r" \(epstar/[^)]*\)$", "", str(_stored(name)["title"]))


@cache
def _stored(name: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(
        files("epstar").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8")
    )
    return document


def _bundled(name: str) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    document: dict[str, Any] = _rewritten(_stored(name), "", copied)
    if copied:
        document["$defs"] = {**document.get("$defs", {}), **copied}
    return document


def _rewritten(part: Any, place: str, copied: dict[str, Any]) -> Any:
    """A part of a schema that stands at `place` of the whole; what it refers to elsewhere is copied."""
    if isinstance(part, list):
        return [_rewritten(entry, place, copied) for entry in part]
    if not isinstance(part, Mapping):
        return part
    return {
        key: _reference(value, place, copied)
        if key == "$ref" and isinstance(value, str)
        else _rewritten(value, place, copied)
        for key, value in part.items()
    }


def _reference(target: str, place: str, copied: dict[str, Any]) -> str:
    outside = _REFERENCE.fullmatch(target)
    if outside is None:
        return f"#{place}{target.removeprefix('#')}"
    name = f"{outside[1]}-{outside[2]}"
    if name not in copied:
        copied[name] = {}  # before its parts are read: they may refer back to it
        within = _rewritten(_stored(name), f"/$defs/{name}", copied)
        copied[name] = {key: value for key, value in within.items() if key not in ("$schema", "$id")}
    return f"#/$defs/{name}{outside[3] or ''}"
