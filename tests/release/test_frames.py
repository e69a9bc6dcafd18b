"""DataFrames in and out: pandas, polars and Arrow, with the same guarantees as files, and in pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from epstar.errors import InvalidInput
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, Ledger, SecretKey, estimate, regress, release_frame
from epstar.release.transformer import ReleaseTransformer

ROWS = 3000
SEX = Column("sex", ["f", "m"])
CONTENT = {
    "id": np.arange(ROWS),
    "sex": np.array(["f", "m", "m"])[np.arange(ROWS) % 3],
    "town": np.array(["n", "s"])[np.arange(ROWS) % 2],
}
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(CONTENT, index=range(7, 7 + ROWS)),
    "categorical": pd.DataFrame(CONTENT).astype({"sex": "category"}),
    "polars": pl.DataFrame(CONTENT),
    "polars, enumerated": pl.DataFrame(CONTENT).with_columns(pl.col("sex").cast(pl.Categorical)),
    "arrow": pa.table(CONTENT),
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_same_kind_comes_back(name: str) -> None:
    frame = FRAMES[name]
    done = release_frame(frame, SEX, notion=DifferentialPrivacy(), loss=3, keep="town")
    assert type(done.frame) is type(frame)
    assert done.dropped == ("id",)
    if isinstance(frame, pd.DataFrame):
        assert list(done.frame.index) == list(frame.index)
        assert done.frame.dtypes["sex"].name == frame.dtypes["sex"].name
    if isinstance(frame, pl.DataFrame):
        assert done.frame.schema["sex"] == frame.schema["sex"] or name != "polars"
    assert list(done.frame["town"]) == list(frame["town"])
    found = estimate(done.frame, "sex", release_file=done.document, confidence="0.999999999999")
    (share,) = [cell for cell in found.cells if cell.labels == ("f",)]
    assert share.lower is not None
    assert share.upper is not None
    assert share.lower <= 1 / 3 <= share.upper
    assert len(regress(done.frame, "sex", "town", model="logistic", release_file=done.document).coefficients) == 2


def test_permanent_answers_do_not_depend_on_the_kind(tmp_path: Path) -> None:
    key, found = SecretKey.fresh(), []
    for frame in FRAMES.values():
        done = release_frame(frame, SEX, notion=DifferentialPrivacy(), loss=1, key=key, identifier="id")
        found.append([str(value) for value in done.frame["sex"].to_numpy().tolist()])
    assert all(one == found[0] for one in found)
    twice = pd.concat([FRAMES["pandas"], FRAMES["pandas"][:1]])
    with pytest.raises(InvalidInput, match="same in several rows"):
        release_frame(twice, SEX, notion=DifferentialPrivacy(), loss=1, key=key, identifier="id")


def test_a_ledger_knows_a_frame_again(tmp_path: Path) -> None:
    book = tmp_path / "book"
    release_frame(FRAMES["pandas"], SEX, notion=DifferentialPrivacy(), loss=1, ledger=book, budget=3)
    for name in ("arrow", "categorical"):
        with pytest.raises(InvalidInput, match="knows a release of this table"):
            release_frame(FRAMES[name], SEX, notion=DifferentialPrivacy(), loss=1, ledger=book)
    release_frame(FRAMES["arrow"], SEX, notion=DifferentialPrivacy(), loss=1, ledger=book, again=True)
    assert float(Ledger.at(book).account().total or 0) == pytest.approx(2)


def test_what_is_no_frame_or_does_not_fit_is_refused_without_a_value() -> None:
    secret = "canary-4711"
    bad: list[tuple[Any, str]] = [
        ([1, 2], "neither the name of a file nor a pandas, polars or Arrow DataFrame"),
        (pl.LazyFrame({"sex": ["f"]}), "collect it"),
        (np.zeros((2, 2)), "neither"),
        (pd.DataFrame({0: ["f"]}), "names that are texts"),
        (pd.DataFrame([["f", "m"]], columns=["sex", "sex"]), "different names"),
        (pd.DataFrame({"sex": ["f", secret]}), "not among its declared"),
        (pd.DataFrame({"sex": ["f", None]}), "missing value"),
        (pd.DataFrame({"sex": ["f", 3]}), "cannot be read"),
        (pd.DataFrame({"town": ["f"]}), "no column 'sex'"),
    ]
    for frame, sentence in bad:
        with pytest.raises(InvalidInput, match=sentence) as caught:
            release_frame(frame, SEX, notion=DifferentialPrivacy(), loss=1)
        assert secret not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


def test_a_step_of_a_pipeline_learns_nothing_and_answers_once() -> None:
    frame = FRAMES["pandas"]
    step = ReleaseTransformer({"sex": ["f", "m"]}, loss="log(3)", keep=["town"])
    assert clone(step).get_params() == step.get_params()
    steps = make_pipeline(step, FunctionTransformer())
    found = steps.fit_transform(frame)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == ["sex", "town"] == list(steps[0].get_feature_names_out())
    changed = (found["sex"].to_numpy() != frame["sex"].to_numpy()).mean()
    assert 0.2 < changed < 0.3
    with pytest.raises(InvalidInput, match="released before"):
        steps.transform(frame)
    assert len(steps.transform(frame[:100])) == 100
    # What was declared is what is known, whatever the data hold.
    with pytest.raises(InvalidInput, match="not among its declared"):
        ReleaseTransformer({"sex": ["f", "x"]}).fit_transform(frame)
    with pytest.raises(InvalidInput, match="never learnt"):
        ReleaseTransformer().fit(frame)
    with pytest.raises(InvalidInput, match="other columns"):
        step.fit(frame).transform(frame[["sex"]])
    key = SecretKey.fresh()
    kept = ReleaseTransformer({"sex": ["f", "m"]}, key=key, identifier="id").fit(frame)
    assert (kept.transform(frame)["sex"] == kept.transform(frame)["sex"]).all()


def test_scikit_learn_checks_the_transformer_where_its_checks_apply() -> None:
    found = check_estimator(ReleaseTransformer({"sex": ["f", "m"]}), on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    passed = {one["check_name"] for one in found if one["status"] == "passed"}
    # What fails fits an array of numbers, and a release needs a DataFrame with the declared columns.
    for name, error in failed.items():
        chain = {str(error), str(error.__cause__), str(error.__context__)}
        assert any("a pandas, polars or Arrow DataFrame" in text for text in chain), name
    assert passed >= {
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    }
