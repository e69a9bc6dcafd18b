"""What a release file says of a secret: what it is, what is lost about it, the proof, and if frequencies are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epstar.claims import Bracket, Setting
from epstar.exact import Rational, Real, text
from epstar.limits import NO_LIMITS
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.problem_file import read_secret, write_wider
from epstar.proof_file.document import write_bracket
from epstar.release.column import Prepared
from epstar.release.guarantee import guarantees, number
from epstar.release.wrong_frequencies import SHARES, Misjudged, lost_about, misjudged
from epstar.secret import Secret
from epstar.solve.wider.attained import claim_of
from epstar.source import Source

# Matrices of more entries are written without the proof of what they lose, which repeats them.
_LARGEST_PROOF = 1 << 12
# What is lost under other frequencies takes fractions for every entry and value of the secret: some seconds for these.
_LARGEST = 1 << 18


def write_secret(item: Prepared) -> dict[str, object]:
    """Return the entry of the secret that a column protects."""
    column, mechanism = item.column, item.plan.mechanism
    assert column.secret is not None
    notion, loss = column.notion, column.loss
    found = guarantees(mechanism, item.source, () if notion is None else (notion,), column.secret)
    written = write_wider(column.secret, NO_LIMITS, ())["secret"]
    assert isinstance(written, dict)
    document: dict[str, object] = {"name": column.secret_name, **written}
    if notion is not None and loss is not None:
        document["budget"] = {"notion": {"name": notion.name, **notion.parameters()}, "loss": str(loss)}
    document["guarantees"] = [guarantee.to_json() for guarantee in found]
    off = misjudged_shares(mechanism, column.secret, item.source)
    document["if_frequencies_are_off"] = [_write_misjudged(one) for one in off]
    document["proof"] = _proof(item)
    return document


def misjudged_shares(mechanism: AnyMechanism, secret: Secret, source: Source) -> list[Misjudged]:
    """Return what is lost about a secret if frequencies are off by some shares; nothing of a large matrix."""
    inputs, outputs = mechanism.shape
    if inputs * outputs * secret.universe.size > _LARGEST:
        return []
    return [misjudged(mechanism.dense(), secret, source, share) for share in SHARES]


def _write_misjudged(found: Misjudged) -> dict[str, object]:
    return {
        "by": text(found.share),
        "unit": "nats",
        "differential_privacy": number(found.differential_privacy.upper),
        "maximal_leakage": number(found.maximal_leakage.upper),
    }


def _proof(item: Prepared) -> dict[str, Any] | None:
    """The proof that the matrix which is sampled keeps the budget about the secret, under the declared frequencies."""
    column, mechanism = item.column, item.plan.mechanism
    if column.notion is None or column.loss is None or not isinstance(mechanism, Mechanism):
        return None
    if mechanism.shape[0] * mechanism.shape[1] > _LARGEST_PROOF:
        return None
    setting = Setting(column.notion, mechanism.universe, item.source, item.distortion, column.secret)
    claim = claim_of(setting, mechanism.rows, column.loss, None)
    return None if claim is None else write_bracket(Bracket(setting, attained=claim))


def secret_of(entry: Mapping[str, Any]) -> tuple[Secret, str] | None:
    """Return the secret that a column of a release file protects, and its name; None if it protects its values.

    Raises:
        InvalidInput: if the entry is malformed.
    """
    given = entry.get("secret")
    if given is None:
        return None
    return read_secret({"given": given["given"], "universe": given["universe"]}), str(given["name"])


def per_secret(columns: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return what all columns of a record lose about each secret, by differential privacy."""
    names = list(dict.fromkeys(entry["secret"]["name"] for entry in columns if "secret" in entry))
    found: list[dict[str, object]] = []
    for name in names:
        total = lost_about([parts_of(entry, name) for entry in columns])
        found.append(
            {
                "name": name,
                "notion": "differential_privacy",
                "why": (
                    "Under the declared frequencies: one column counts by what it loses about the secret, and every "
                    "other by what it loses about its own values. Columns that pass through are not counted."
                ),
                "unit": "nats",
                "upper": "infinity" if total is None else number(Real.of(total).upper),
            }
        )
    return found


def parts_of(entry: Mapping[str, Any], name: str) -> tuple[Rational | None, Rational | None]:
    """Return what a column loses about its values and, where it protects this secret, about that."""
    secret = entry.get("secret")
    about = _level(secret["guarantees"]) if secret is not None and secret["name"] == name else None
    return _level(entry["guarantees"]), about


def _level(stated: Sequence[Mapping[str, Any]]) -> Rational | None:
    """The level of differential privacy that is stated; None where there is no limit."""
    found = [one.get("upper") for one in stated if one["notion"] == DifferentialPrivacy.name]
    return level_of(found[0] if found else None)


def level_of(upper: object) -> Rational | None:
    """Return a stated level as the number that it is; None where there is no limit."""
    return Rational(*float(upper).as_integer_ratio()) if isinstance(upper, int | float) else None
