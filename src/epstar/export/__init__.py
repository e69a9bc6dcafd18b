"""Answers for foreign checkers: a theorem for Coq, a certificate in VIPR, a question in SMT-LIB."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from epstar.claims import Bracket
from epstar.errors import InvalidInput

Writer = Callable[[Bracket], str]
FORMATS = ("coq", "vipr", "smtlib")


def export(claims: Bracket, to: str) -> str:
    """Return the claims of an answer in the language of a foreign checker.

    Raises:
        InvalidInput: if they cannot be said in it; the message says which format can.
    """
    if claims.setting.is_wider:
        raise InvalidInput(
            "A proof with a secret, limits or further guarantees has no place in these formats; use `epstar check`."
        )
    return _writers()[to](claims)


def _writers() -> Mapping[str, Writer]:
    from epstar.export.coq import to_coq
    from epstar.export.smtlib import to_smtlib
    from epstar.export.vipr import to_vipr

    return {"coq": to_coq, "vipr": to_vipr, "smtlib": to_smtlib}
