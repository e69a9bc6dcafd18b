"""The command line, the page and the library read one format: what one refuses all refuse, in the same words."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.live import ASKED, JSON, Client

from epstar.answer_file import write_answer
from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.frontier import Frontier
from epstar.json_document import MOST_LEVELS, parse_json, read_json
from epstar.mechanism import AnyMechanism
from epstar.problem_file import read_problem
from epstar.release import read_release
from epstar.statement import established

pytestmark = pytest.mark.xdist_group("explorer")

WRITTEN = json.dumps(ASKED)


def asked_at(value: str) -> bytes:
    """A problem at a point as it is written."""
    return WRITTEN.replace('"1/5"', value).encode()


def labelled(value: str) -> bytes:
    """A problem with a label as it is written."""
    return WRITTEN.replace('"a"', value).encode()


# How the refusal goes on after it has said what it is about; None where it is no refusal of the reader.
TEXTS: dict[str, tuple[bytes, str]] = {
    "nan": (asked_at("NaN"), "NaN is not a JSON number"),
    "infinity": (asked_at("-Infinity"), "-Infinity is not a JSON number"),
    "nan in a list": (asked_at("[0, [NaN]]"), "NaN is not a JSON number"),
    "entry twice": (WRITTEN.replace('"at"', '"at": {"distortion": 0}, "at"').encode(), "The entry 'at' stands twice"),
    "inner entry twice": (asked_at('0, "distortion": 1'), "The entry 'distortion' stands twice"),
    "long entry twice": (b'{"%b": 1, "%b": 2}' % (b"a" * 999, b"a" * 999), "The entry 'aaaaaaaa"),
    "endless number": (asked_at("9" * 5000), "A number of 5000 digits is too long"),
    "endless decimal": (asked_at("0." + "1" * 5000), "A number of 5002 digits is too long"),
    "large exponent": (asked_at("1e99999999999999999999"), "A number has too large an exponent"),
    "half a letter": (labelled('"\\ud800"'), "holds half of a surrogate pair"),
    "half a letter in a name": (b'{"\\udfff": 1}', "holds half of a surrogate pair"),
    "cut short": (WRITTEN[:-1].encode(), "is not valid JSON at line 1"),
    "nothing": (b"", "is not valid JSON at line 1"),
    "two documents": (WRITTEN.encode() * 2, "is not valid JSON at line 1"),
    "single quotes": (b"{'a': 1}", "is not valid JSON at line 1"),
    "two marks": (b"\xef\xbb\xbf\xef\xbb\xbf{}", "is not valid JSON at line 1"),
    "no text": (b"\xff\xfe\x00", "cannot be read: it is not UTF-8 text"),
    "other text": (WRITTEN.encode("utf-16"), "cannot be read: it is not UTF-8 text"),
    **{
        f"{levels} levels of {kind}": (asked_at(opening * levels + "1" + closing * levels), "is nested too deeply")
        for levels in (MOST_LEVELS - 1, 500, 1100, 100_000)
        for kind, opening, closing in (("lists", "[", "]"), ("objects", '{"a": ', "}"))
    },
    "an open end": (b"[" * 100_000, "is nested too deeply"),
}


def told(sentence: str, place: str) -> str:
    """What a sentence says, apart from where the text was."""
    return sentence.removeprefix(place).strip()


def by_command(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """What commands say that read a document, from a file and from standard input."""
    file = tmp_path / "document.json"
    file.write_bytes(content)
    for command in ("solve", "curve", "check", "convert", "query", "audit"):
        for name in (str(file), "-"):
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
            assert main([command, name]) == 2
            sentence = capsys.readouterr().err.removeprefix("epstar: ")
            yield told(sentence, "Standard input" if name == "-" else str(file))


def by_page(content: bytes, client: Client) -> Iterator[str]:
    """What the server says, wherever something is asked."""
    for task in ("solve", "curve", "check", "convert", "query", "audit", "theorem"):
        response = client.http.post(f"/api/{task}", content=content, headers=JSON)
        assert response.status_code == 422
        yield told(response.json()["error"], "The request")


def by_library(content: bytes, tmp_path: Path) -> Iterator[str]:
    """What the functions say that read a text or a file."""
    file = tmp_path / "document.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        parse_json(content)
    yield told(str(refused.value), "The document")
    with pytest.raises(InvalidInput) as refused:
        read_json(file)
    yield told(str(refused.value), str(file))


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_is_refused_everywhere_in_the_same_words(
    name: str,
    client: Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content, expected = TEXTS[name]
    sentences = [
        *by_command(content, tmp_path, capsys, monkeypatch),
        *by_page(content, client),
        *by_library(content, tmp_path),
    ]
    assert len(set(sentences)) == 1, set(sentences)
    assert expected in sentences[0]
    assert sentences[0].endswith(".")
    assert len(sentences[0]) < 200


@pytest.mark.parametrize("name", TEXTS)
def test_a_release_file_is_read_by_the_same_reader(name: str, tmp_path: Path) -> None:
    content, expected = TEXTS[name]
    file = tmp_path / "document.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        read_release(file)
    assert expected in str(refused.value)


@pytest.mark.parametrize("content", [WRITTEN.encode(), b"\xef\xbb\xbf" + WRITTEN.encode(), asked_at("0.2")])
def test_what_one_reads_all_read(
    content: bytes, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "document.json"
    file.write_bytes(content)
    assert main(["solve", str(file), "--json"]) == 0
    by_name = json.loads(capsys.readouterr().out)
    response = client.http.post("/api/solve?wait=30", content=content, headers=JSON)
    by_library = write_answer(Frontier.answer(read_problem(read_json(file))))
    by_server = response.json()["result"]
    del by_server["mechanism"], by_server["shown"]  # for the page to draw
    assert by_name == by_server == by_library


def test_levels_up_to_the_last_are_no_matter_of_the_reader() -> None:
    for levels in (1, 50, MOST_LEVELS):
        assert parse_json("[" * levels + "]" * levels) is not None
    with pytest.raises(InvalidInput, match="100 within each other"):
        parse_json("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1))


@pytest.mark.parametrize("read", [read_problem, established, AnyMechanism.from_json])
def test_documents_that_were_read_elsewhere_are_refused_alike(read: object) -> None:
    assert callable(read)
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    for value, sentence in ((deep, "is nested too deeply"), ("\ud800", "half of a surrogate pair")):
        with pytest.raises(InvalidInput, match=sentence):
            read({**ASKED, "schema": "epstar/curve/1", "x": value})


def test_an_object_with_many_entries_is_searched_once_for_one_that_stands_twice() -> None:
    entries = ", ".join(f'"{i}": 0' for i in range(200_000))
    with pytest.raises(InvalidInput, match="'199999' stands twice"):
        parse_json(f'{{{entries}, "199999": 1}}')
