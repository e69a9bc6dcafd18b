"""A real survey: the women of Fair (1978), as the table comes inside statsmodels."""

import csv
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from epstar.notions import DifferentialPrivacy
from epstar.release import Categories, Column, PublicCounts, estimate, release
from epstar.release.document import column_of
from epstar.source import Source

RATINGS = ["1", "2", "3", "4", "5"]
OCCUPATIONS = ["1", "2", "3", "4", "5", "6"]


@pytest.fixture(scope="module")
def survey() -> Path:
    found = find_spec("statsmodels")
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "datasets" / "fair" / "fair.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_a_survey_is_released_and_its_table_is_found_again(survey: Path, tmp_path: Path) -> None:
    private = rows_of(survey)
    assert len(private) == 6366
    columns = [Column("rate_marriage", RATINGS), Column("occupation", OCCUPATIONS)]
    found = release(survey, tmp_path / "out.csv", columns, notion=DifferentialPrivacy(), loss=2, keep=["age", "educ"])
    released = rows_of(tmp_path / "out.csv")
    assert [row["age"] for row in released] == [row["age"] for row in private]
    assert list(released[0]) == ["rate_marriage", "age", "educ", "occupation"]
    assert 3.999 < found.document["per_record"]["upper"] <= 4.0
    # Each of the 30 intervals below may miss once in a million million times.
    table = estimate(tmp_path / "out.csv", ["rate_marriage", "occupation"], confidence="0.999999999999")
    truth = Counter((row["rate_marriage"], row["occupation"]) for row in private)
    for cell in table.cells:
        assert cell.lower is not None
        assert cell.upper is not None
        share = truth[str(cell.labels[0]), str(cell.labels[1])] / len(private)
        assert cell.lower <= share <= cell.upper


def test_a_public_sample_narrows_what_is_known_and_lowers_the_distortion(survey: Path, tmp_path: Path) -> None:
    # The first thousand rows play the public sample; the region holds the law with 99 % confidence.
    public = Counter(row["rate_marriage"] for row in rows_of(survey)[:1000])
    with (tmp_path / "counts.csv").open("w", encoding="utf-8") as handle:
        handle.write("rating,count\n" + "".join(f"{label},{public[label]}\n" for label in RATINGS))
    counts = PublicCounts.read(tmp_path / "counts.csv", private=survey)
    worst = []
    for number, source in enumerate([None, counts.region("0.99"), counts.prior()]):
        column = Column("rate_marriage", Categories(counts.labels), source=source)
        found = release(survey, tmp_path / f"out-{number}.parquet", column, notion=DifferentialPrivacy(), loss="1/2")
        entry = found.document["columns"][0]
        worst.append(entry["distortion"]["worst_case"]["upper"])
        mechanism = column_of(entry).mechanism
        assert mechanism is not None
        loss = DifferentialPrivacy().loss(mechanism).upper
        assert loss is not None
        assert loss.upper <= 0.5
    assert worst[0] > worst[1] > worst[2]


def test_ages_as_numbers_of_a_declared_range(survey: Path, tmp_path: Path) -> None:
    ages = ["17.5", "22", "27", "32", "37", "42"]
    region = Source.from_counts([10] * 6)
    found = release(
        survey,
        tmp_path / "out.parquet",
        Column("age", ages),
        notion=DifferentialPrivacy(),
        loss=1,
        source=region,
        keep_others=True,
    )
    assert found.rows == 6366
    assert found.document["passed_through"][0] == "rate_marriage"
