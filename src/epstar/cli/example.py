"""A finished example: a real survey, from the private table to a report, as one folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from epstar.answer_file import write_answer
from epstar.distortion import Hamming
from epstar.exact import Rational
from epstar.extras import missing
from epstar.frontier import Answer, Frontier
from epstar.notions import DifferentialPrivacy
from epstar.plot import check_target, plot_curves, plot_intervals, plot_mechanism
from epstar.proof_file.document import write_bracket
from epstar.release import Categories, Column, Estimate, estimate, release
from epstar.release.atomic_files import refuse_existing, staged_folder
from epstar.release.report import report
from epstar.release.table import require_pyarrow
from epstar.source import Everything
from epstar.universe import Alphabet

# The occupations of the survey, as its codebook numbers them.
_COLUMN = "occupation"
_CATEGORIES = ("1", "2", "3", "4", "5", "6")
_LEVEL = "1"

FILES: Mapping[str, str] = {
    "private.csv": "the private table: a survey of 6,366 women (Fair, 1978)",
    "answer.json": "the least distortion at loss 1, with its proof: `epstar check answer.json`",
    "proof.json": "the proof alone: `python check_proof.py proof.json`",
    "mechanism.json": "the mechanism that attains it",
    "mechanism.svg": "the mechanism as a picture",
    "trade-off.svg": "the least loss at every distortion",
    "released.csv": "the released table: occupations drawn anew, ages as they were",
    "released.csv.release.json": "what was done to it and what it guarantees",
    "estimate.json": "the frequencies of the private table, estimated from the released one",
    "estimate.svg": "the same as a picture, with 95 % intervals",
    "report.html": "a page about the release, to hand on",
}
"""What the folder holds."""


def write_example(folder: Path) -> None:
    """Write the folder, whole or not at all.

    Raises:
        InvalidInput: if the folder exists.
        MissingExtra: if a package that the example needs is not installed.
    """
    refuse_existing(folder, force=False)
    survey = _survey()
    require_pyarrow()
    check_target("trade-off.svg")
    with staged_folder(folder) as staged:
        shutil.copyfile(survey, staged / "private.csv")
        _write_answer(staged)
        _write_release(staged)


def _write_answer(folder: Path) -> None:
    frontier = Frontier(DifferentialPrivacy(), Everything(len(_CATEGORIES)), Hamming(), Alphabet(_CATEGORIES))
    answer: Answer = frontier.distortion_at(loss=_LEVEL)
    assert answer.mechanism is not None, "a loss of 1 is always possible"
    _write(folder / "answer.json", write_answer(answer))
    _write(folder / "proof.json", write_bracket(answer.claims))
    _write(folder / "mechanism.json", answer.mechanism.to_json())
    plot_mechanism(answer.mechanism, folder / "mechanism.svg")
    plot_curves([frontier.curve(distortions=[Rational(i, 36) for i in range(1, 31)])], folder / "trade-off.svg")


def _write_release(folder: Path) -> None:
    column = Column(_COLUMN, Categories(_CATEGORIES))
    done = release(
        folder / "private.csv",
        folder / "released.csv",
        column,
        notion=DifferentialPrivacy(),
        loss=_LEVEL,
        keep=["age"],
    )
    found = estimate(folder / "released.csv", _COLUMN, method="likelihood")
    _write(folder / "estimate.json", _cells(found))
    ends = [(cell.frequency, cell.lower, cell.upper) for cell in found.cells]
    plot_intervals(list(_CATEGORIES), ends, folder / "estimate.svg", title=_COLUMN, axis="frequency")
    report(done.release_file, folder / "report.html")


def _cells(found: Estimate) -> dict[str, object]:
    return {
        "column": _COLUMN,
        "rows": found.rows,
        "confidence": found.confidence,
        "cells": [
            {"label": cell.labels[0], "frequency": cell.frequency, "lower": cell.lower, "upper": cell.upper}
            for cell in found.cells
        ],
    }


def _write(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _survey() -> Path:
    found = find_spec("statsmodels")
    if found is None or not found.submodule_search_locations:
        raise missing("statsmodels", "The example uses a survey that comes inside")
    return Path(found.submodule_search_locations[0]) / "datasets" / "fair" / "fair.csv"
