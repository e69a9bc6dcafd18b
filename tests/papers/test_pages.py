"""The pages in docs/papers are what the theorems say now."""

from pathlib import Path

from epstar_papers import all_theorems
from epstar_papers.pages import pages

FOLDER = Path(__file__).parents[2] / "docs" / "papers"


def test_the_pages_are_up_to_date_and_every_claim_has_its_section() -> None:
    made = pages()
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == made, "run `make docs` and commit the pages"
    text = "".join(page for name, page in made.items() if not name.startswith("errata"))
    assert all(f"`{theorem.key}`" in text for theorem in all_theorems())
