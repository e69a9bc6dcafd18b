"""Answers for foreign checkers: a theorem for Coq, a certificate in VIPR, a question in SMT-LIB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields

from epstar.claims import Bracket, Setting
from epstar.errors import InvalidInput

Writer = Callable[..., str]
FORMATS = ("coq", "vipr", "smtlib")
CHECK = "`epstar check` checks the answer."
# What a question consists of. A file that left out anything else would state another question.
_SAID = {"notion", "universe", "source", "distortion"}


def export(claims: Bracket, to: str, *others: Bracket) -> str:
    """Return the claims of an answer in the language of a foreign checker; Coq takes others of the same question.

    Raises:
        InvalidInput: if they cannot be said in it; the message says what can be done instead.
    """
    from epstar.export.coq import to_coq
    from epstar.export.linear import NotLinearError
    from epstar.export.smtlib import to_smtlib
    from epstar.export.vipr import to_vipr

    check_said(claims.setting)
    if others and to != "coq":
        raise InvalidInput("Breakpoints are several claims, and this format is for one; `--to coq` can say them.")
    writers: dict[str, Writer] = {"coq": to_coq, "vipr": to_vipr, "smtlib": to_smtlib}
    try:
        return writers[to](claims, *others)
    except NotLinearError as refusal:
        reason = str(refusal)
    try:
        to_coq(claims)
    except InvalidInput:
        raise InvalidInput(f"{reason}; {CHECK}") from None
    raise InvalidInput(f"{reason}; `--to coq` can say it.")


def check_said(setting: Setting) -> None:
    """Check that a question has nothing that exported files do not speak of.

    Raises:
        InvalidInput: if it has.
    """
    for field in fields(setting):
        value = getattr(setting, field.name)
        is_default = field.default is not MISSING and value == field.default
        if field.name not in _SAID and not is_default:
            raise InvalidInput(f"The question has a {field.name}, of which exported files do not speak; {CHECK}")
    if setting.is_wider:
        raise InvalidInput(f"Exported files do not speak of {setting.notion.title}; {CHECK}")
