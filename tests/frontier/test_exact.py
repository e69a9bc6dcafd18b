"""Where the data and e^level are rational, the answer is an exact fraction with a proof of width zero."""

import pytest

from epstar.distortion import Absolute
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    Notion,
)
from epstar.source import Prior
from epstar.universe import Alphabet, Graph, Universe

PRIOR = Prior(["4/10", "3/10", "2/10", "1/10"])


@pytest.mark.parametrize("universe", [Alphabet(4), Graph.line(4)], ids=["alphabet", "line"])
@pytest.mark.parametrize(
    ("notion", "level", "on_alphabet", "on_line"),
    [
        (DifferentialPrivacy(), "log(2)", "11/15", "5/8"),
        (ApproximateDifferentialPrivacy("1/10"), "log(2)", "33/50", "13/25"),
        (MaximalLeakage(), "log(2)", "2/5", "2/5"),
        (MaximalInformation(), "log(2)", "2/5", "2/5"),
        (Identifiability(), "log(5)", "13/20", "43/150"),
        (LocalInformationPrivacy(), "log(2)", "29/50", "29/50"),
        (MinEntropyLeakage(), "log(2)", "1/5", "1/5"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_rational_questions_have_rational_answers(
    universe: Universe, notion: Notion, level: str, on_alphabet: str, on_line: str
) -> None:
    answer = Frontier(notion, PRIOR, Absolute(), universe).distortion_at(loss=level)
    expected = on_alphabet if isinstance(universe, Alphabet) else on_line
    assert (str(answer.interval.lower), str(answer.interval.upper)) == (expected, expected)
    assert answer.interval.width == 0.0


def test_a_leakage_is_the_logarithm_of_a_fraction() -> None:
    answer = Frontier(MaximalLeakage(), PRIOR, Absolute()).loss_at(distortion="1/5")
    assert str(answer.interval.lower) == str(answer.interval.upper) == "log(8/3)"
