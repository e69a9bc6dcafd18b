"""A transformer for scikit-learn: it releases the declared columns of a DataFrame, and learns nothing from it."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.exact import Number
from epstar.extras import required
from epstar.names import full_name
from epstar.notions import from_problem
from epstar.release.categories import Categories, Label
from epstar.release.column import Column
from epstar.release.frame_release import FrameKernel, digest_of_table
from epstar.release.frames import arrow_of, is_frame, like
from epstar.release.keyed_bits import SecretKey
from epstar.release.settings import Settings

required("sklearn", "A transformer is one of")
_base: Any = import_module("sklearn.base")


class ReleaseTransformer(_base.TransformerMixin, _base.BaseEstimator):
    """Replaces the values of declared columns by draws from their optimal mechanisms; others are kept or dropped.

    `categories` holds for each column to release the values that it may have; they are declared, and `fit` never takes
    them from the data. `loss` is allowed to each column, by `notion`. The same rows are released once: to transform
    them again is refused, because it would give each record a second answer, unless answers are permanent, which a
    `key` (or the file of one) and the column of an `identifier` make them.

    Of the attributes that `fit` leaves, `document_` is what a release file would say.

    >>> import pandas
    >>> from epstar.release.transformer import ReleaseTransformer
    >>> people = pandas.DataFrame({"smoker": ["yes", "no"], "age": [30, 50]})
    >>> released = ReleaseTransformer({"smoker": ["yes", "no"]}, loss=1).fit_transform(people)
    >>> list(released.columns), len(released)
    (['smoker'], 2)
    """

    def __init__(
        self,
        categories: Mapping[str, Categories | Sequence[Label]] | None = None,
        *,
        loss: Number = 1,
        notion: str = "dp",
        keep: str | Sequence[str] = (),
        keep_others: bool = False,
        key: SecretKey | str | Path | None = None,
        identifier: str | None = None,
    ) -> None:
        self.categories = categories
        self.loss = loss
        self.notion = notion
        self.keep = keep
        self.keep_others = keep_others
        self.key = key
        self.identifier = identifier

    def fit(self, X: Any, y: Any = None) -> ReleaseTransformer:
        """Find the mechanisms of the declared columns; of the DataFrame only names and types of columns are read."""
        del y  # a release knows no response
        if not isinstance(self.categories, Mapping) or not self.categories:
            raise InvalidInput(
                "The categories of the columns to release are not declared; give `categories`, with a list for each: "
                "they are never learnt from the data."
            )
        given = _table(X)
        notion = from_problem({"name": full_name(self.notion)})
        columns = [Column(name, labels, notion=notion, loss=self.loss) for name, labels in self.categories.items()]
        settings = Settings(
            columns, keep=self.keep, keep_others=self.keep_others, key=self.key, identifier=self.identifier
        )
        self._kernel = FrameKernel.of(settings, given.slice(0, 0))
        self._secret, self._seen = os.urandom(32), set[str]()
        self.document_ = self._kernel.description
        self.n_features_in_ = len(given.column_names)
        self.feature_names_in_ = list(given.column_names)
        return self

    def transform(self, X: Any) -> Any:
        """Return a DataFrame of the same kind with the released columns.

        Raises:
            InvalidInput: if these rows were released before and answers are not permanent, columns are not those of
                `fit`, or a value was not declared.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "document_")
        given = _table(X)
        if list(given.column_names) != self.feature_names_in_:
            raise InvalidInput("The DataFrame has other columns than the one of `fit`, or in another order.")
        known = hmac.new(self._secret, digest_of_table(given).encode(), "sha256").hexdigest()
        if known in self._seen and self._kernel.kernel.keys is None:
            raise InvalidInput(
                "These rows were released before, and another release gives each record a second answer; keep the "
                "first one, or make answers permanent with `key` and `identifier`."
            )
        released = self._kernel.released(given)
        self._seen.add(known)
        return like(X, released)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that get out."""
        import numpy as np
        from sklearn.utils.validation import check_is_fitted

        del input_features
        check_is_fitted(self, "document_")
        return np.asarray(self._kernel.kernel.layout.names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that values may be texts, and that the same rows may be answered differently."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.non_deterministic, tags.no_validation = True, True
        return tags


def _table(given: Any) -> Any:
    if not is_frame(given):
        raise InvalidInput("A transformer releases a pandas, polars or Arrow DataFrame; give one.")
    return arrow_of(given)
