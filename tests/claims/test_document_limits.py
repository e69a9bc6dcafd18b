"""What a document may cost is counted before anything of that size is made."""

import json

import pytest

from epstar.errors import InvalidInput
from epstar.proof_file import limits
from epstar.statement import established


def nested(depth: int) -> object:
    document: object = 0
    for _ in range(depth):
        document = [document]
    return document


def test_a_text_that_is_too_long_or_holds_too_much_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 40)
    monkeypatch.setattr(limits, "MOST_VALUES", 10)
    limits.check_content(b"[1, 2, 3]")
    with pytest.raises(InvalidInput, match="longer than 40 bytes"):
        limits.check_content(b" " * 41)
    with pytest.raises(InvalidInput, match="more than 10 values"):
        limits.check_content(json.dumps([0] * 12).encode())


@pytest.mark.parametrize("name", ["size", "alphabet", "nodes", "rows"])
def test_counts_that_nobody_lists_are_refused(name: str) -> None:
    limits.check_document({"universe": {name: limits.MOST_COUNTED}})
    with pytest.raises(InvalidInput, match=f"The entry '{name}' is larger"):
        limits.check_document({"universe": {name: limits.MOST_COUNTED + 1}})


def test_a_source_of_everything_counts_where_no_universe_does() -> None:
    limits.check_document({"source": {"everything": limits.MOST_COUNTED}})
    with pytest.raises(InvalidInput, match="is about more"):
        limits.check_document({"source": {"everything": limits.MOST_COUNTED + 1}})


def test_nesting_is_bounded() -> None:
    limits.check_document(nested(limits.MOST_DEPTH))
    with pytest.raises(InvalidInput, match="nested deeper"):
        limits.check_document(nested(limits.MOST_DEPTH + 2))


def test_every_schema_has_these_limits() -> None:
    """Two hundred bytes about 2^26 categories would take gigabytes, whatever they prove."""
    many = {"universe": {"size": limits.MOST_COUNTED + 1}, "source": {"everything": limits.MOST_COUNTED + 1}}
    problem = {"notion": {"name": "maximal_leakage"}, "distortion": {"name": "hamming"}, **many}
    errors = {**problem, "distortion": {"statistic": {"name": "frequencies", "rows": 1}}, "at": {"loss": "1"}}
    nothing = {"loss": "0", "distortion": "0", "open": "loss"}
    documents: list[dict[str, object]] = [
        {"schema": "epstar/proof/2", "problem": problem, "excluded": nothing},
        {"schema": "epstar/curve/2", "problem": problem, "asks": "loss", "unit": "nats", "points": []},
        {"schema": "epstar/breakpoints/1", "problem": problem, "points": []},
        {"schema": "epstar/statistic/1", "problem": errors, "lower": 0, "upper": "infinity", "unit": "distortion"},
    ]
    for document in documents:
        with pytest.raises(InvalidInput, match="The entry 'size' is larger"):
            established(document)
