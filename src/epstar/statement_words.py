"""Claims as sentences."""

from __future__ import annotations

from epstar.claims import Attained, Excluded, Setting
from epstar.distortion import Gain
from epstar.exact import Real


def excluded_in_words(setting: Setting, claim: Excluded) -> str:
    """Return what is excluded as a sentence."""
    title, what = lower_case(setting.notion.full_title), _quantity(setting)
    if claim.open == "loss":
        kept = "" if claim.distortion.is_infinite else f" and {what} {_at_most(setting, claim.distortion)}"
        if claim.loss.is_infinite:
            return f"No mechanism has a finite loss of {title}{kept}."
        return f"No mechanism has a loss of {title} below {number_in_words(claim.loss)} nats{kept}."
    kept = f"a loss of {title} at most {number_in_words(claim.loss)} nats"
    if claim.distortion.is_infinite:
        return f"No mechanism has {kept}."
    if claim.loss.is_infinite:
        return f"No mechanism has {what} {_beyond(setting, claim.distortion)}."
    return f"No mechanism with {kept} has {what} {_beyond(setting, claim.distortion)}."


def attained_in_words(setting: Setting, claim: Attained) -> str:
    """Return what is attained as a sentence."""
    title, what = lower_case(setting.notion.full_title), _quantity(setting)
    loss = "" if claim.loss.is_infinite else f" a loss of {title} at most {number_in_words(claim.loss)} nats and"
    return f"The mechanism of the proof has{loss} {what} {_at_most(setting, claim.distortion)}."


def _quantity(setting: Setting) -> str:
    return "a utility" if isinstance(setting.distortion, Gain) else "a distortion"


def _at_most(setting: Setting, distortion: Real) -> str:
    if distortion.is_infinite:
        return "of any size"
    if isinstance(setting.distortion, Gain):
        return f"at least {number_in_words(distortion * -1)}"
    return f"at most {number_in_words(distortion)}"


def _beyond(setting: Setting, distortion: Real) -> str:
    if isinstance(setting.distortion, Gain):
        return f"above {number_in_words(distortion * -1)}"
    return f"below {number_in_words(distortion)}"


def number_in_words(value: Real) -> str:
    """Return a number in full where that is short, else its first digits."""
    if value.is_infinite:
        return "infinity"
    written = str(value)
    decimal = f"{float(value):.12g}"
    if len(written) > 24:
        return f"about {decimal}"
    is_plain = value.rational is not None and value.rational.q == 1
    return written if is_plain else f"{written} = {decimal}"


def lower_case(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title[0].lower() + title[1:]
