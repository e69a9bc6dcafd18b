"""Answers for foreign checkers: a theorem for Coq, a certificate in VIPR, a question in SMT-LIB."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields

from epstar.claims import Bracket, Setting
from epstar.errors import InvalidInput

Writer = Callable[[Bracket], str]
FORMATS = ("coq", "vipr", "smtlib")
# What a question consists of. A file that left out anything else would state another question.
_SAID = {"notion", "universe", "source", "distortion"}


def export(claims: Bracket, to: str) -> str:
    """Return the claims of an answer in the language of a foreign checker.

    Raises:
        InvalidInput: if they cannot be said in it; the message says which format can.
    """
    check_said(claims.setting)
    return _writers()[to](claims)


def check_said(setting: Setting) -> None:
    """Check that a question has nothing that exported files do not speak of.

    Raises:
        InvalidInput: if it has.
    """
    for field in fields(setting):
        value = getattr(setting, field.name)
        is_default = field.default is not MISSING and value == field.default
        if field.name not in _SAID and not is_default:
            raise InvalidInput(
                f"The question has a {field.name}, of which exported files do not speak; "
                "`epstar check` checks the answer."
            )
    if setting.is_wider:
        raise InvalidInput(f"Exported files do not speak of {setting.notion.title}; `epstar check` checks the answer.")


def _writers() -> Mapping[str, Writer]:
    from epstar.export.coq import to_coq
    from epstar.export.smtlib import to_smtlib
    from epstar.export.vipr import to_vipr

    return {"coq": to_coq, "vipr": to_vipr, "smtlib": to_smtlib}
