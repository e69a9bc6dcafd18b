"""An answer as a theorem about mechanisms that Coq proves by computation (theory/ has the definitions and the rule).

The file states the question and the theorem first; the mechanism and the multiples, which nobody reads, come after.
Where e^loss is no fraction it is enclosed by fractions, and Coq proves that they enclose it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from epstar.claims import Bracket, check
from epstar.errors import InvalidInput
from epstar.export import CHECK
from epstar.export.coq_attained import attained_in_coq
from epstar.export.coq_excluded import excluded_in_coq
from epstar.export.question import listed_products, notion_in_coq, question_in_coq

# The kernel of Coq writes out every entry; more of them take longer than anybody waits.
MOST_ENTRIES = 10_000
# A divergence of two rows is a number for each output, of which the kernel verifies some sixty in a second.
MOST_TERMS = 8_000


def to_coq(*claims: Bracket) -> str:
    """Return a Coq file that states the claims about one question as a theorem, and proves it.

    Raises:
        InvalidInput: if the theory does not have the notion, the source or the kind of proof.
    """
    setting = replace(claims[0].setting, source=listed_products(claims[0].setting.source))
    inputs, outputs = setting.distortion.shape(setting.universe)
    if inputs * outputs > MOST_ENTRIES:
        raise InvalidInput(f"The question has {inputs} inputs and {outputs} outputs, too many for Coq; {CHECK}")
    terms = 2 * setting.universe.number_of_pairs * outputs
    if notion_in_coq(setting.notion).startswith("renyi") and terms > MOST_TERMS:
        raise InvalidInput(f"The divergences of {inputs} inputs have too many terms for Coq; {CHECK}")
    question = question_in_coq(setting)
    told: list[tuple[str, str]] = []
    for bracket in claims:
        check(bracket)
        parts = attained_in_coq(setting, bracket.attained), excluded_in_coq(setting, bracket.excluded)
        told += [part for part in parts if part is not None and part not in told]
    if not told:
        raise InvalidInput("The answer claims nothing that needs a proof; no loss is below zero.")
    statement = " /\\\n  ".join(sentence for sentence, _ in told)
    proofs = _hexadecimal("\n".join(f"- {proof}" for _, proof in told) if len(told) > 1 else told[0][1])
    split = "repeat split.\n" if len(told) > 2 else "split.\n" if len(told) > 1 else ""
    return question + f"Theorem answer :\n  {statement}.\nProof.\n{split}{proofs}\nQed.\n\nPrint Assumptions answer.\n"


def _hexadecimal(proof: str) -> str:
    """Return a proof with its long numbers in hexadecimal: decimal ones take Coq the square of their length to read."""
    return re.sub(r"\d{12,}", lambda found: hex(int(found[0])), proof)
