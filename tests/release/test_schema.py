"""The JSON schema of release files accepts what is written and refuses what is not a release file."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.claims.test_schemas import SCHEMAS

from epstar.mechanism import DiagonalMechanism, TopRandomisedResponse
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, SibsonMutualInformation
from epstar.release import Column, release
from epstar.source import Prior
from epstar.statistic import Statistic
from epstar.universe import Alphabet

FOLDER = Path(__file__).parents[2] / "src/epstar/schemas"
SCHEMA, STATISTIC = (json.loads((FOLDER / name).read_text("utf-8")) for name in ("release-1.json", "statistic-1.json"))
KNOWN = [*SCHEMAS.values(), STATISTIC]
VALIDATOR: Any = Draft202012Validator(
    SCHEMA, registry=Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in KNOWN)
)
MANY = Alphabet([f"k{number}" for number in range(300)])
COLUMNS = {
    "optimal": Column("k", ["k0", "k1", "k2"], notion=DifferentialPrivacy(), loss=1),
    "known law": Column("k", ["k0", "k1"], notion=SibsonMutualInformation(2), loss="1/5", source=Prior(["1/3", "2/3"])),
    "approximate": Column("k", ["k0", "k1"], notion=ApproximateDifferentialPrivacy("1/100"), loss=1),
    "joint": Column(["k", "z"], [Column("k", part).categories[0] for part in (["k0", "k1"], ["a", "b"])], loss=1),
    "frequencies": Column(
        "k", ["k0", "k1", "k2", "k3"], notion=DifferentialPrivacy(), loss=1, distortion=Statistic.frequencies(rows=1)
    ),
    "response": Column("k", mechanism=TopRandomisedResponse(MANY, range(300), 3)),
    "some active": Column("k", mechanism=TopRandomisedResponse(MANY, range(200), 3)),
    "diagonal": Column("k", mechanism=DiagonalMechanism(MANY, ["1/2"] * 300)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_written_is_valid(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("k,z\nk0,a\nk1,b\n", encoding="utf-8")
    release(tmp_path / "in.csv", tmp_path / "out.csv", COLUMNS[name], notion=DifferentialPrivacy())
    document = json.loads((tmp_path / "out.csv.release.json").read_text(encoding="utf-8"))
    VALIDATOR.validate(document)
    VALIDATOR.validate({**document, "randomness": {"kind": "keyed", "identifier": "id"}})
    for key in document:
        assert not VALIDATOR.is_valid({other: value for other, value in document.items() if other != key})
    assert not VALIDATOR.is_valid({**document, "more": 1})
    column = document["columns"][0]
    faults: list[dict[str, object]] = [
        {"names": []},
        {"guarantees": [{"notion": "dp"}]},
        {"mechanism": {"kind": "tickets"}},
    ]
    for wrong in faults:
        assert not VALIDATOR.is_valid({**document, "columns": [{**column, **wrong}]})


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:epstar:release:1"
