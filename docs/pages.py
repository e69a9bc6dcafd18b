"""The code in the pages of the documentation: found, run and compared, so that no page shows what is not so.

A page is run from top to bottom in a folder of its own; one that adds files to the package, in a copy of the package.

* `python` blocks are examples (with >>> and what they show) or plain code; all blocks of a page share their names.
* `console` blocks are commands after a dollar sign, run by bash; what is shown below one is compared.
* a block with a caption is a file of that name.

`python -m docs.pages` draws the pictures of the gallery again.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

ELSEWHERE = {
    "make demo": "its recipe is `epstar demo`, which tests/cli runs",
    "make test": "it is what runs this",
    "epstar serve": "it runs until it is stopped; tests/web starts it",
    "pip install '.[plot,table]'": "it needs the network; make prepares the environment",
    "pip install '.[all]'": "it needs the network; make prepares the environment",
}
"""Commands that are shown but not run from the pages, each with the reason."""


@dataclass(frozen=True)
class Block:
    """A piece of code in a page: where it stands, its language, and the file that it is, if any."""

    page: Path
    line: int
    language: str
    file: str
    text: str

    @property
    def place(self) -> str:
        """Where to look for it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


class PageIsFalse(AssertionError):
    """A page shows something that is not so."""


def pages() -> list[Path]:
    """Return every page that is written by hand or by a program."""
    outer = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    return outer + sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the code in a page, in order; directives of Sphinx that hold no code are passed over."""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        words = token.info.split()
        language, text, file = (words[0] if words else ""), token.content, ""
        if language == "{code-block}":
            language = words[1]
            caption = re.match(r":caption: (.+)\n\n?", text)
            if caption is None:
                raise PageIsFalse(f"{page.name}: a code block without a caption is written as a plain fence.")
            file, text = caption[1], text[caption.end() :]
        elif language.startswith("{"):
            continue
        yield Block(page, token.map[0] + 1, language, file, text)


def run(page: Path, folder: Path) -> int:
    """Run the blocks of a page in a folder and return how many there were.

    Raises:
        PageIsFalse: if a block fails, shows something else, or is in no language that can be run.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    shutil.copy(ROOT / "check_proof.py", folder)
    blocks = list(blocks_of(page))
    if any(block.file.startswith("src/") for block in blocks):
        shutil.copy(ROOT / "pyproject.toml", folder)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    with contextlib.chdir(folder):
        for block in blocks:
            if block.file:
                place = folder / block.file
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(block.text, encoding="utf-8")
            elif block.language == "python" and block.text.lstrip().startswith(">>>"):
                _run_examples(block, names)
            elif block.language == "python":
                exec(compile(block.text, block.place, "exec"), names)
            elif block.language == "console":
                _run_commands(block, folder)
            else:
                raise PageIsFalse(f"{block.place}: {block.language or 'no language'!r} cannot be run.")
    return len(blocks)


def _run_examples(block: Block, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, block.place, str(block.page), block.line)
    said: list[str] = []
    # The names of a page outlive the block, so the runner works on them and not on a copy.
    test.globs = names
    if doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False).failed:
        raise PageIsFalse("".join(said))


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output that is shown below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        match = re.match(r"((?:.*\\\n)*.*)\n?", part)
        assert match is not None
        yield match[1], part[match.end() :]


def _run_commands(block: Block, folder: Path) -> None:
    if not block.text.startswith("$ "):
        raise PageIsFalse(f"{block.place}: commands stand after a dollar sign.")
    for command, shown in commands_of(block):
        if command in ELSEWHERE:
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=_environment(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise PageIsFalse(f"{block.place}: `{command}` ended with {done.returncode}:\n{done.stdout}")
        if shown.strip() and not doctest.OutputChecker().check_output(shown, done.stdout, FLAGS):
            raise PageIsFalse(f"{block.place}: `{command}` shows\n{done.stdout}\nand not\n{shown}")


def _environment(folder: Path) -> dict[str, str]:
    """A plain terminal of 100 columns, with the `epstar` and the `python` of this environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    return found | {"PYTHONPATH": str(folder / "src")} if (folder / "src").is_dir() else found


def main() -> None:
    """Draw the pictures of the gallery."""
    PICTURES.mkdir(exist_ok=True)
    for page in sorted((ROOT / "docs" / "gallery").glob("*.md")):
        with tempfile.TemporaryDirectory() as folder:
            run(page, Path(folder))
            for picture in Path(folder).glob("*.svg"):
                shutil.copy(picture, PICTURES)


if __name__ == "__main__":
    main()
