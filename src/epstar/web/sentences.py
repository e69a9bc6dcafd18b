"""Where a loss is attained, in words that need no formula."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from epstar.exact import Real
from epstar.mechanism import AnyMechanism
from epstar.notions import Loss, Notion

_MOST_LETTERS = 6
# How each notion reads its witness; the names in braces are filled in by `explain`.
_SENTENCES = {
    "differential_privacy": "The output {outputs} is {factor} times as likely for the input {first} as for {second}.",
    "approximate_differential_privacy": (
        "Apart from the slack, {outputs} is {factor} times as likely for the input {first} as for {second}."
    ),
    "renyi_differential_privacy": "The inputs {first} and {second} are the easiest to tell apart by their outputs.",
    "mutual_information": "On average an output tells {bits} bits about the input{when}.",
    "capacity": "For the worst distribution of the inputs, an output would tell {bits} bits on average{when}.",
    "sibson_mutual_information": "An output tells {bits} bits, where revealing outputs count for more{when}.",
    "maximal_leakage": (
        "Whatever somebody wants to guess about the input, the output makes success at most {factor} times as likely."
    ),
    "maximal_information": "After the output {outputs} the input {first} is {factor} times as likely as before{when}.",
    "identifiability": (
        "After the output {outputs} the input {first} is {factor} times as likely as the input {second}{when}."
    ),
    "local_information_privacy": (
        "The output {outputs} changes how likely the input {first} is by a factor of {factor}{when}."
    ),
    "g_leakage": "The best guess gains {factor} times as much after the output as before{when}.",
    "concentrated_differential_privacy": (
        "The inputs {first} and {second} are the easiest to tell apart by their outputs."
    ),
    "gaussian_differential_privacy": (
        "By the outputs {outputs} the inputs {first} and {second} are the easiest to tell apart."
    ),
    "pointwise_leakage": "Outputs give the input {first} away the most: {bits} bits on average{when}.",
    "min_entropy_leakage": "One guess at the input is {factor} times as likely to succeed after the output{when}.",
    "min_entropy_capacity": (
        "Whatever the frequencies of the inputs, one guess gets at most {factor} times as likely to succeed."
    ),
}
_INFINITE = {
    "differential_privacy": "The output {outputs} can occur for the input {first} and never for {second}.",
    "approximate_differential_privacy": (
        "No factor bounds how much likelier the outputs {outputs} are for the input {first} than for {second}."
    ),
    "renyi_differential_privacy": "Some output can occur for the input {first} and never for {second}.",
    "concentrated_differential_privacy": "Some output can occur for the input {first} and never for {second}.",
    "gaussian_differential_privacy": "Some output can occur for one of the inputs {first} and {second} alone.",
    "identifiability": "After the output {outputs} the input {second} is ruled out and {first} is not{when}.",
}
_NOTHING = "The output says nothing: it is drawn in the same way whatever the input."


def explain(notion: Notion, loss: Loss, mechanism: AnyMechanism, law_is_known: bool) -> str:
    """Return one sentence that says where the loss is attained, and what that means for somebody who looks.

    The distribution of the inputs at which it is attained is named unless it is the only one there is.
    """
    if loss.value == 0:
        return _NOTHING if notion.name != "min_entropy_leakage" else "The output does not help a single guess."
    witness = loss.witness
    inputs = [_quoted(mechanism.universe.label(x)) for x in witness.inputs]
    outputs = [_quoted(mechanism.outputs[y]) for y in witness.outputs]
    infinite = math.isinf(loss.value)
    if infinite:
        pattern = _INFINITE.get(notion.name, "The loss has no bound{when}.")
    else:
        pattern = _SENTENCES.get(
            notion.name, "The loss is attained at the input {first} and the output {outputs}{when}."
        )
    return pattern.format(
        outputs=_listed(outputs) or "seen",
        first=inputs[0] if inputs else "itself",
        second=inputs[1] if len(inputs) > 1 else "another one",
        factor="infinitely many" if infinite else _factor(loss.value),
        bits="" if infinite else f"{loss.value / math.log(2):.3g}",
        when="" if law_is_known else _when(mechanism, witness.prior),
    )


def _factor(loss: float) -> str:
    return f"{math.exp(loss):.4g}" if loss < 20 else "more than 400 million"


def _when(mechanism: AnyMechanism, prior: Sequence[object] | None) -> str:
    if prior is None or len(prior) > _MOST_LETTERS:
        return ""
    shares = [(_quoted(mechanism.universe.label(x)), float(Real.of(p))) for x, p in enumerate(prior) if Real.of(p) > 0]
    if len(shares) == 1:
        return f", if nearly all inputs are {shares[0][0]}"
    return f", if the frequencies are {_listed([f'{share:.0%} {label}' for label, share in shares])}"


def _listed(words: Sequence[str]) -> str:
    shown = list(words[:_MOST_LETTERS])
    if len(words) > _MOST_LETTERS:
        shown.append(f"{len(words) - _MOST_LETTERS} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" and {shown[-1]}" if shown else ""


def _plain(label: Hashable) -> str:
    if isinstance(label, tuple):
        return "(" + ", ".join(_plain(part) for part in label) + ")"
    return str(label)


def _quoted(label: Hashable) -> str:
    return f"“{_plain(label)}”"
