"""Names that callers give for files: what the system would refuse is one sentence, and never an error of its own."""

from pathlib import Path

import pytest

from epstar.errors import InvalidInput
from epstar.release.place import digest_of, files_in, output_place, place_of


@pytest.mark.parametrize(
    "wrong", [5, None, True, b"bytes", "", "n\0", "n\udcff", "n" * 300, "n/" * 3000, ["a"], Path("n" * 300)]
)
def test_what_cannot_be_a_name_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="The table"):
        place_of(wrong, "The table")


def test_what_is_made_of_a_name_must_be_a_name_too(tmp_path: Path) -> None:
    longest = 255 - len("..release.json.0123456789abcdef.part")
    assert output_place(tmp_path / ("n" * longest)).name == "n" * longest
    for wrong in (tmp_path / ("n" * (longest + 1)), "/"):
        with pytest.raises(InvalidInput, match="The output"):
            output_place(wrong)


def test_a_folder_has_its_name_however_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of(".", "The table").name == tmp_path.name
    assert place_of("absent.csv", "The table") == Path("absent.csv")


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "_mark").touch()
    assert files_in(tmp_path) == [tmp_path / "file"]
    assert len(digest_of(tmp_path / "file")) == 64
    with pytest.raises(InvalidInput, match="cannot be read"):
        digest_of(tmp_path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        files_in(tmp_path / "file")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InvalidInput, match="cannot be looked at"):
        place_of(tmp_path / "loop", "The table")
