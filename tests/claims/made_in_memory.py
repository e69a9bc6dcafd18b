"""Claims that no document can say, made of objects: each must be refused.

Whatever is imported here is imported when a claim is made, so that a copy of epstar in place of it is the one at work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _excluded(**changes: Any) -> tuple[Any, Any]:
    """Return the setting and the claim that two equally likely categories at log 3 cost 1/4, changed."""
    from epstar.claims import Excluded, Setting, Step
    from epstar.distortion import Hamming
    from epstar.exact import ONE, Rational, Real
    from epstar.notions import DifferentialPrivacy
    from epstar.source import Prior
    from epstar.universe import Alphabet

    half, eighth = Rational(1, 2), Rational(1, 8)
    step = Step(laws=((ONE, (half, half)),), rows=(eighth, eighth), spread=True)
    given = {"loss": Real.of("log(3)"), "distortion": Real.of("1/4"), "open": "distortion", "steps": (step,)}
    setting = Setting(DifferentialPrivacy(), Alphabet(2), Prior([half, half]), Hamming())
    return setting, Excluded(**{**given, **changes})


def _by_rows(count: int = 2, databases: bool = True, **changes: Any) -> tuple[Any, Any]:
    """Return the claim that two such rows cost 1/2, changed."""
    from dataclasses import replace

    from epstar.claims import Excluded
    from epstar.exact import Real
    from epstar.source import Everything
    from epstar.universe import Alphabet, Databases

    row, part = _excluded()
    universe = Databases(2, 2) if databases else Alphabet(2)
    setting = replace(row, universe=universe, source=Everything(universe.size))
    parts = ((row.source, part, count), *(((row.source, part, 2 - count),) if count != 2 else ()))
    numbers = {"loss": part.loss, "distortion": Real.of("1/2"), "open": "distortion"}
    return setting, Excluded(**{**numbers, "rows": parts, **changes})


def _attained(**changes: Any) -> tuple[Any, Any]:
    """Return the claim that randomised response keeps log 3 at 1/4, changed."""
    from epstar.claims import Attained
    from epstar.exact import Real
    from epstar.mechanism import Mechanism
    from epstar.universe import Alphabet

    setting, _ = _excluded()
    mechanism = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]], Alphabet(2))
    given = {"loss": Real.of("log(3)"), "distortion": Real.of("1/4"), "mechanism": mechanism}
    return setting, Attained(**{**given, **changes})


def _check(setting: Any, claim: Any) -> str:
    from epstar.claims import Attained, check_attained, check_excluded

    if isinstance(claim, Attained):
        check_attained(setting, claim)
    else:
        check_excluded(setting, claim)
    return "it holds"


def nothing_claimed() -> str:
    """Claim nothing at all."""
    from epstar.claims import Bracket, check

    check(Bracket(_excluded()[0]))
    return "it holds"


def no_end() -> str:
    """Leave neither end open."""
    return _check(*_excluded(open="neither"))


def logarithmic_distortion() -> str:
    """Exclude a distortion that is no fraction, for which a step would have no number."""
    from epstar.exact import Real

    return _check(*_excluded(distortion=Real.of("log(5/4)")))


def few_digits() -> str:
    """Ask for numbers of one digit."""
    return _check(*_excluded(digits=1))


def rows_and_steps() -> str:
    """Give steps beside rows."""
    return _check(*_by_rows(steps=_excluded()[1].steps))


def rows_of_a_row() -> str:
    """Say that what a row excludes follows from rows."""
    setting, claim = _by_rows()
    part = _excluded(steps=(), rows=claim.rows)[1]
    return _check(setting, _by_rows(rows=((claim.rows[0][0], part, 2),))[1])


def no_rows() -> str:
    """Count three rows of one kind, and minus one of the other."""
    return _check(*_by_rows(count=3))


def rows_of_an_alphabet() -> str:
    """Speak of rows where there are none."""
    from epstar.claims.rows import check_excluded_rows

    check_excluded_rows(*_by_rows(databases=False))
    return "it holds"


def no_mechanism() -> str:
    """Attain something by nothing."""
    return _check(*_attained(mechanism=None))


def another_universe() -> str:
    """Attain something by a mechanism that is about other inputs."""
    from epstar.mechanism import Mechanism
    from epstar.universe import Alphabet

    return _check(*_attained(mechanism=Mechanism([["3/4", "1/4"], ["1/4", "3/4"]], Alphabet(["a", "b"]))))


def rows_without_a_mechanism() -> str:
    """Attain something by rows one of which does nothing."""
    from epstar.source import Everything

    setting, _ = _by_rows()
    part = _attained(mechanism=None, loss=_infinite(), distortion=_infinite())[1]
    return _check(setting, _attained(mechanism=None, rows=((Everything(2), part, 2),))[1])


def rows_and_a_mechanism() -> str:
    """Attain something by rows, and by a mechanism that would not."""
    from epstar.exact import Real
    from epstar.source import Everything

    setting, _ = _by_rows()
    part = _attained()[1]
    return _check(setting, _attained(rows=((Everything(2), part, 2),), distortion=Real.of("1/2"))[1])


def fewer_rows_than_none() -> str:
    """Attain less by a row that is there less than never."""
    from epstar.exact import Real
    from epstar.source import Everything

    setting, _ = _by_rows()
    parts = ((Everything(2), _attained()[1], 3), (Everything(2), _attained(distortion=Real.of(1))[1], -1))
    return _check(setting, _attained(mechanism=None, rows=parts)[1])


def _infinite() -> Any:
    from epstar.exact import INFINITY

    return INFINITY


def floats() -> str:
    """Attain something by a mechanism of floats."""
    import numpy as np

    from epstar.mechanism import Mechanism
    from epstar.universe import Alphabet

    return _check(*_attained(mechanism=Mechanism(np.array([[0.75, 0.25], [0.25, 0.75]]), Alphabet(2))))


def lower_of_nothing() -> str:
    """Ask for the least distortion where nothing is excluded."""
    from epstar.claims import Bracket
    from epstar.exact import Real

    return str(Bracket(_excluded()[0]).lower("distortion", Real.of(0)))


def averaged_with_a_law() -> str:
    """Name a law beside the uniform one of distances."""
    from epstar.claims import Setting, Step
    from epstar.distortion import Hamming
    from epstar.exact import ONE, Rational
    from epstar.notions import DifferentialPrivacy
    from epstar.source import Everything
    from epstar.universe import Databases

    quarter = Rational(1, 4)
    step = Step(laws=((ONE, (ONE, ONE)),), ratios=(((0, 1), 0, quarter),), rows=(quarter,))
    setting = Setting(DifferentialPrivacy(), Databases(2, 1), Everything(2), Hamming())
    return _check(setting, _excluded(steps=(step,), symmetry="distances")[1])


def another_symmetry() -> str:
    """Average over something else than distances."""
    return _check(*_excluded(symmetry="rows", steps=()))


def _sloped(places: bool = False, steps: int = 1) -> str:
    """Ask for the slope of a claim about a sum of two categories."""
    from epstar.breakpoints_file import slope_of
    from epstar.claims import Places, Setting, Shares, Step, SumUse
    from epstar.distortion import Hamming
    from epstar.errors import ProofRejected
    from epstar.exact import ONE, Rational
    from epstar.notions import MaximalLeakage, RenyiDifferentialPrivacy
    from epstar.source import Prior
    from epstar.universe import Alphabet

    half = Rational(1, 2)
    notion = RenyiDifferentialPrivacy(2) if places else MaximalLeakage()
    setting = Setting(notion, Alphabet(2), Prior([half, half]), Hamming())
    (bound, *_) = notion.constraints(setting.universe, ()).sums
    tangents = Places(((ONE, ONE),)) if places else Shares(((0, 0, ONE), (1, 1, ONE)))
    step = Step(laws=((ONE, (half, half)),), sums=(SumUse(bound.name, half, tangents),))
    slope = slope_of(setting, _excluded(steps=(step,) * steps)[1])
    if slope is None:
        raise ProofRejected("It has no slope.")
    return str(slope)


def slope_of_a_power() -> str:
    """Read a slope from the tangents of powers, whose bound is no multiple of e^loss in a step."""
    return _sloped(places=True)


def slope_of_two_steps() -> str:
    """Read a slope from the first of two steps."""
    return _sloped(steps=2)


MADE: dict[str, Callable[[], str]] = {
    made.__name__: made
    for made in (
        nothing_claimed,
        no_end,
        logarithmic_distortion,
        few_digits,
        rows_and_steps,
        rows_of_a_row,
        no_rows,
        rows_of_an_alphabet,
        no_mechanism,
        another_universe,
        rows_without_a_mechanism,
        rows_and_a_mechanism,
        fewer_rows_than_none,
        floats,
        lower_of_nothing,
        averaged_with_a_law,
        another_symmetry,
        slope_of_a_power,
        slope_of_two_steps,
    )
}
