"""The files at the root say the same as the code: the citation, the commands, the counts in the README."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import epstar
from epstar.citations import bibliography
from epstar.cli.main import COMMANDS
from epstar.notions import NOTIONS
from epstar_papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
WORDS = {13: "thirteen", 14: "fourteen", 15: "fifteen", 16: "sixteen"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_is_well_formed_and_lists_the_papers() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert str(citation["version"]) == epstar.__version__
    assert citation["license"] == "Apache-2.0"
    assert sorted(entry["notes"] for entry in citation["references"]) == sorted(PAPERS)
    entries = re.sub(r"[{}]", "", bibliography(" ".join(PAPERS)))
    for entry in citation["references"]:
        assert entry["title"] in entries
        assert f"= {entry['year']}" in entries


def test_the_page_of_the_command_line_names_every_command() -> None:
    page = text_of("docs/command-line.md")
    assert [command.name for command in COMMANDS if f"| `epstar {command.name}` |" not in page] == []
    named = re.findall(r"^\| `epstar (\w+)` \|", page, flags=re.MULTILINE)
    assert set(named) <= {command.name for command in COMMANDS}


def test_the_number_of_notions_is_the_one_in_the_readme() -> None:
    assert f"{WORDS[len(NOTIONS)]} notions of privacy" in text_of("README.md")
    assert f"{WORDS[len(NOTIONS)]} notions of privacy" in text_of("CITATION.cff")


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text(encoding="utf-8")):
            if page.parent.name != "papers":
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_licence_is_there() -> None:
    assert "Apache License" in text_of("LICENSE")
    assert "Version 2.0, January 2004" in text_of("LICENSE")
