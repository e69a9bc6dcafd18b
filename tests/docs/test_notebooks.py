"""The notebooks of the gallery run from top to bottom, and what ends a cell can be shown."""

from __future__ import annotations

import ast
import contextlib
import json
import sys
from pathlib import Path

import pytest
from tests.release.spark.conftest import java_home

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
# Starting Spark takes longer than all the others together.
LONG = ("engineer",)
NOTEBOOKS = [
    pytest.param(path, marks=pytest.mark.full) if path.stem in LONG else path for path in sorted(FOLDER.glob("*.ipynb"))
]


def test_there_is_one_for_each_reader() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {
        "auditor",
        "author",
        "engineer",
        "researcher",
        "statistician",
        "teacher",
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem in LONG:
        monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "java")))
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
        monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    names: dict[str, object] = {"__name__": "__main__"}
    shown = 0
    with contextlib.chdir(tmp_path):
        for cell in document["cells"]:
            if cell["cell_type"] != "code":
                continue
            # Outputs are made by whoever runs it, and not kept.
            assert cell["outputs"] == []
            tree = ast.parse("".join(cell["source"]))
            last = tree.body[-1]
            if isinstance(last, ast.Expr):
                tree.body.pop()
            exec(compile(tree, f"{path.name}", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
                show = getattr(value, "_repr_html_", None)
                assert value is None or (show is not None and show()) or repr(value)
                shown += 1
    assert shown > 1
