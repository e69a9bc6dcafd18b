"""Write the league table of protocols, `docs/league.md`: run `python docs/league.py` in the root of a checkout."""

from __future__ import annotations

from math import floor, log10
from pathlib import Path

from epstar.statistics.protocols import league

PAGE = Path(__file__).parent / "league.md"
SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LOSSES = ("0.1", "0.5", "1", "2", "3", "4", "6", "8")
_HEAD = """# League table

How far known protocols for frequencies are above the least error that any mechanism with the same loss can have. Every
number is proven: the error of a protocol is exact, and so is the least one (see [Statistics](statistics.md)). All
categories are equally likely, which is the worst case for sets of one size; the error is the sum of the squared errors
of all frequencies. Each number is the error of the protocol divided by the least error: 1 is optimal, and 2 makes
intervals 1.4 times as wide. The ratios do not depend on the number of rows.

Written by `python docs/league.py`.

| protocol | proposed by | different answers |
|---|---|---|
| randomised response | Warner 1965 | as many as categories |
| subset selection | Ye and Barg 2018 | all sets of one size |
| block design (affine maps over the next prime p) | Park, Nam and Lee 2023 | p (p − 1) |
| projective geometry | Feldman, Nelson, Nguyen and Talwar 2022 | as many as points |
| optimised unary encoding | Wang, Blocki, Li and Jha 2017 | a bit for each category |
| symmetric unary encoding (basic RAPPOR) | Erlingsson, Pihur and Korolova 2014 | a bit for each category |
| optimised local hashing | Wang, Blocki, Li and Jha 2017 | a function and a value of it |
| Hadamard response (one block) | Acharya, Sun and Zhang 2019 | a power of two |
"""


def ratio(gap: float) -> str:
    """Return the ratio to the least error: to three digits, and to two digits of what it is above one."""
    if gap < 1e-9:
        return "1"
    if gap >= 0.1:
        return f"{gap + 1:.3g}" if gap < 999 else f"{gap + 1:,.0f}"
    return f"{gap + 1:.{1 - floor(log10(gap))}f}"


def page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD]
    for loss in LOSSES:
        tables = {size: {one.protocol.name: one.gap for one in league(size, loss)} for size in SIZES}
        names = list(tables[SIZES[-1]])
        parts.append(f"\n## At a loss of {loss}\n")
        parts.append("| protocol | " + " | ".join(f"{size:,}" for size in SIZES) + " |")
        parts.append("|---|" + "---|" * len(SIZES))
        rows = ((name, [ratio(tables[size][name]) for size in SIZES]) for name in names)
        parts.extend(f"| {name} | {' | '.join(gaps)} |" for name, gaps in rows)
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
