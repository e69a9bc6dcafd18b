"""HTML and SVG as a tree of elements: whatever is not an element is text, and text is always escaped.

Labels come from other people's tables. There is no way to put one into a page but as text, and none to write an
element but by name, so that a label can never become markup.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

_EMPTY = frozenset({"meta", "br"})
# Marks that reorder the text around them; a reader must see that they are there.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


@dataclass(frozen=True)
class Markup:
    """A piece of a page that needs no escaping any more."""

    html: str


Child: TypeAlias = "Markup | str | int | float"


def visible(text: str) -> str:
    r"""Return text in which every character can be shown: controls and reordering marks appear as escapes.

    >>> visible("a\x00b"), visible("\u202eabc")
    ('a\\x00b', '\\u202eabc')
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if character in _REORDERING or unicodedata.category(character) in ("Cc", "Cs")
        else character
        for character in text
    )


def escaped(text: str) -> str:
    """Return text as it may stand between tags and inside quoted attributes."""
    return html.escape(visible(text), quote=True)


def element(name: str, /, *children: Child, **attributes: Child) -> Markup:
    """Return an element; `class_` stands for class, and an underscore inside a name for a hyphen.

    >>> element("p", "a < b", class_="note").html
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(str(value))}"' for key, value in attributes.items()
    )
    if name in _EMPTY:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children).html}</{name}>")


def joined(*children: Child) -> Markup:
    """Return the children one after the other."""
    return Markup("".join(child.html if isinstance(child, Markup) else escaped(str(child)) for child in children))


def label(value: object) -> Markup:
    """Return a label of a table, set apart so that its direction of writing does not spill over."""
    if isinstance(value, tuple):
        parts: list[Child] = []
        for part in value:
            parts += [label(part), ", "]
        return joined("(", *parts[:-1], ")")
    return element("bdi", str(value))


def section(title: Child, *children: Child) -> Markup:
    """Return a part of the page under its heading."""
    return element("section", element("h2", title), *children)


def fact(name: Child, value: Child) -> Markup:
    """Return a row of a table of facts."""
    return element("tr", element("th", name, scope="row"), element("td", value))


def separated(items: Sequence[Markup]) -> list[Child]:
    """Return the items with commas between them."""
    found: list[Child] = []
    for item in items:
        found += [", ", item] if found else [item]
    return found
