"""What tells a DataFrame again: a digest of its columns and of its rows, in whatever order they come."""

from __future__ import annotations

import hashlib
import json
from typing import Any

# Digits of a row's digest that are added up as one number: 60 bits, so that more rows than there are fit its sum.
_DIGITS, _SUMS = 15, 4


def digest_of_rows(dataframe: Any) -> str:
    """Return a digest that is the same for the same columns and rows, however they are ordered and partitioned.

    The digests of the rows are added up, in one Spark job. A ledger stores it under a key of its own.
    """
    from pyspark.sql import functions

    names = list(dataframe.columns)
    # By number: names may hold anything, and stand in the digest themselves.
    numbered = dataframe.toDF(*(f"column{number}" for number in range(len(names))))
    text = functions.to_json(functions.struct(*numbered.columns), {"ignoreNullFields": "false"})
    row = functions.sha2(text, 256)
    parts = [
        functions.conv(functions.substring(row, 1 + _DIGITS * place, _DIGITS), 16, 10).cast("decimal(38,0)")
        for place in range(_SUMS)
    ]
    found = numbered.agg(functions.count(functions.lit(1)), *(functions.sum(part) for part in parts)).first()
    kinds = [field.dataType.simpleString() for field in dataframe.schema.fields]
    content = json.dumps([names, kinds, [str(number) for number in found]])
    return hashlib.sha256(content.encode()).hexdigest()
