"""Where the data and e^level are rational, the answer is an exact fraction with a proof of width zero."""

import pytest

from epstar.distortion import Absolute, Distortion, Gain, Matrix
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
from epstar.source import Box, Finite, Hull, Prior, Source
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


_RING = Graph.ring(5)
_HULL = Hull([["1/2", "1/4", "1/8", "1/16", "1/16"], ["1/9", "2/9", "1/3", "2/9", "1/9"]])
_BOX = Box(["1/10"] * 5, ["2/5"] * 5)
_COST = Matrix([[0, "1/3", "2/7", 5], [1, "1/7", 3, "1/2"], ["9/10", 1, 0, 2], [4, "5/3", 1, 0], [2, 1, "1/5", "1/3"]])
_GAIN = Gain([[1, "-1/2", 0], [0, 2, "1/3"], ["3/5", 0, 1], [0, "-7/5", 4], [1, 1, 1]])


@pytest.mark.parametrize("distortion", [_COST, _GAIN], ids=["matrix", "gain"])
@pytest.mark.parametrize("source", [_HULL, Finite(_HULL.points), _BOX], ids=["hull", "finite", "box"])
@pytest.mark.parametrize(
    ("notion", "level"),
    [
        (DifferentialPrivacy(), "log(7/3)"),
        (ApproximateDifferentialPrivacy("1/7"), "log(7/3)"),
        (Identifiability(), "log(100)"),
        (LocalInformationPrivacy(), "log(9/4)"),
        (MaximalInformation(), "log(7/3)"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_sets_of_priors_leave_no_rounding_error(
    notion: Notion, level: str, source: Source, distortion: Distortion
) -> None:
    answer = Frontier(notion, source, distortion, _RING).distortion_at(loss=level)
    assert answer.interval.width == 0.0
    assert answer.interval.upper.rational is not None
    assert answer.proof.check().width == 0.0
