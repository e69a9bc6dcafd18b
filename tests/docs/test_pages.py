"""Every code block of the README and the documentation is run, and what a page shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.pages import ELSEWHERE, PICTURES, ROOT, PageIsFalse, blocks_of, commands_of, pages, run

WITH_CODE = [page for page in pages() if any(blocks_of(page))]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_is_true(page: Path, tmp_path: Path) -> None:
    assert run(page, tmp_path) > 0
    for picture in tmp_path.glob("*.svg"):
        if (PICTURES / picture.name).exists():
            assert same_picture(picture, PICTURES / picture.name), f"run `make docs` and commit {picture.name}"


def same_picture(first: Path, second: Path) -> bool:
    """Whether two pictures have the same text, and the same numbers up to what an eye can see."""
    # What tells how the file was made, and names that are digests of the numbers, may differ.
    unseen = re.compile(r"<metadata>.*?</metadata>|\b[mp][0-9a-f]{10}\b", re.DOTALL)
    texts = [unseen.sub("", path.read_text(encoding="utf-8")) for path in (first, second)]
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in texts]
    if NUMBER.sub("", texts[0]) != NUMBER.sub("", texts[1]) or len(numbers[0]) != len(numbers[1]):
        return False
    return all(abs(a - b) < 0.1 for a, b in zip(*numbers, strict=True))


def test_every_page_with_code_is_known() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in WITH_CODE}
    assert {
        "README.md",
        "docs/first-steps.md",
        "docs/tutorial.md",
        "docs/proofs.md",
        "docs/adding-a-notion.md",
    } <= names


def test_only_commands_that_are_listed_are_not_run() -> None:
    shown = {
        command
        for page in pages()
        for block in blocks_of(page)
        if block.language == "console"
        for command, _ in commands_of(block)
    }
    assert set(ELSEWHERE) <= shown, "a command that is shown nowhere needs no excuse"


def test_every_picture_is_drawn_by_a_page_and_shown() -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    for picture in PICTURES.iterdir():
        assert picture.suffix == ".svg"
        # Those of the benchmarks are drawn by `make bench`, which writes their page.
        if not picture.name.startswith("benchmarks-"):
            assert any(f'"{picture.name}"' in text for text in texts.values()), f"no page draws {picture.name}"
        assert any(f"pictures/{picture.name}" in text for text in texts.values()), f"no page shows {picture.name}"
        assert picture.stat().st_size < 100_000


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert 1 == 2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```console\n$ false\n```",
        "```console\n$ echo one\ntwo\n```",
        "```console\necho no dollar\n```",
        "```javascript\n1\n```",
        "```\nno language\n```",
        "    an indented block\n",
    ],
)
def test_a_false_page_is_found(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    monkeypatch.setattr("docs.pages.ROOT", tmp_path)
    (tmp_path / "check_proof.py").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssertionError) as raised:
        run(page, tmp_path / "folder")
    assert raised.type is PageIsFalse or "1 == 2" in text


def test_a_true_page_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```{code-block} json\n:caption: data/one.json\n\n1\n```\n\n"
        "```python\nx = 1\n```\n\n```python\n>>> x\n1\n```\n\n"
        "```console\n$ cat data/one.json\n1\n$ echo a \\\n  b\na b\n```\n\n```{note}\nwords\n```\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("docs.pages.ROOT", tmp_path)
    (tmp_path / "check_proof.py").touch()
    (tmp_path / "folder").mkdir()
    assert run(page, tmp_path / "folder") == 4


def test_moved_numbers_make_another_picture(tmp_path: Path) -> None:
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    first.write_text("<svg><path d='M 1.0 2.0'/></svg>", encoding="utf-8")
    for text, is_same in (("M 1.0 2.01", True), ("M 1.0 3.0", False), ("L 1.0 2.0", False), ("M 1.0", False)):
        second.write_text(f"<svg><path d='{text}'/></svg>", encoding="utf-8")
        assert same_picture(first, second) == is_same
