"""Problem files of every kind, asked of the server: it answers as the library does."""

import pytest
from tests.web.problem_kinds import KINDS, PLAIN, ROWS, UNIVERSES, text_of
from tests.web.test_conditions import ask

from epstar.frontier import Frontier
from epstar.json_document import parse_json
from epstar.problem_file import read_problem, read_problems
from epstar.schema import schema


@pytest.mark.parametrize("name", KINDS)
def test_the_server_answers_what_the_library_answers(name: str) -> None:
    document = parse_json(text_of(KINDS[name]))
    assert isinstance(document, dict)
    if "curve" in document["at"]:
        assert len(read_problems(document)) == 3
        document["at"] = {"distortion": "2/5"}
    answer = ask("solve", document)
    expected = Frontier.answer(read_problem(document))
    assert (answer["lower"], answer["upper"]) == (expected.lower, expected.upper)
    assert answer["status"].startswith("proven")
    assert ask("check", answer)["holds"] is True


def test_every_entry_of_a_problem_file_is_among_the_kinds() -> None:
    """Each alternative that the schema has for a part of a problem file is said by one of them."""
    written = schema("problem")
    said = " ".join(text_of(problem) for problem in KINDS.values())
    missing = {name for name in _names(written) if f'"{name}"' not in said}
    # A polytope names a distribution that it holds in a proof, where nobody may have to look for one.
    assert missing == {"member"}
    assert len(UNIVERSES) + len(ROWS) + len(PLAIN) > 20


def _names(part: object) -> set[str]:
    """The names of entries anywhere in a schema."""
    if isinstance(part, list):
        return set().union(*map(_names, part))
    if not isinstance(part, dict):
        return set()
    own = part.get("properties")
    return set(own if isinstance(own, dict) else ()).union(*map(_names, part.values()))
