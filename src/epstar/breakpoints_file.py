"""Breakpoints as JSON (schema "epstar/breakpoints/1"): the problem once, and at each breakpoint what shows it.

`at` holds the claims about the least loss at the distortion of a breakpoint. `below` excludes every smaller distortion
(than that of its claim, which may be a little smaller than the breakpoint) at some loss: at any loss for the least
distortion, at a larger one than is attained at a jump, at the one that is attained at a threshold. Only where both
claims are about one distortion does the loss jump there: between two distortions it may as well fall steeply.

`slopes` holds two claims about one point whose steps use the sum of a notion of maxima and no ratio. The loss enters
such a step by the bound f e^loss of the sum alone, of which there is a multiple s. So if distributions have the weight
w in it, the least distortion at any ratio r = e^loss is no less than D - (s f/w) (r - r0): a line that supports the
trade-off at r0. Two lines of unlike slopes at a point that is attained, at a loss above zero, are a kink. Elsewhere the
value at a kink is proven, and the kink is what was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from epstar.answer import answer, claimed, refutation
from epstar.breakpoints import Breakpoint
from epstar.claims import Attained, Bracket, Excluded, Setting, Shares, check
from epstar.claims.form import Form
from epstar.claims.premises import premises
from epstar.claims.symmetry import unevenness
from epstar.distortion import Gain, Matrix
from epstar.errors import InvalidInput, NoSolution, ProofRejected, SolverFailure
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, compare, rational, text
from epstar.notions.constraints import Exponential
from epstar.problem import Problem
from epstar.proof_file.document import read_claims, read_setting, write_claims, write_setting
from epstar.statement_words import attained_in_words, excluded_in_words, rounded_down, rounded_up, turned

SCHEMA = "epstar/breakpoints/1"
KINDS = ("least distortion", "jump", "kink", "threshold")
_POINT = {"kind", "distortion", "tolerance", "at", "below", "slopes"}
# How far beside a kink, as a share of e^loss, the bases of its two sides are asked for.
_BESIDE = Rational(1, 1 << 20)


def write_breakpoints(
    problem: Problem, points: Sequence[Breakpoint], time_limit: float | None = None
) -> dict[str, object]:
    """Return breakpoints as a JSON object with claims about each, which are checked; `time_limit` is for one claim."""
    return {
        "schema": SCHEMA,
        "problem": write_setting(Setting.of(problem)),
        "points": [_write_point(problem, point, time_limit) for point in points],
    }


def _write_point(problem: Problem, point: Breakpoint, time_limit: float | None) -> dict[str, object]:
    found: dict[str, object] = {"kind": point.kind, "distortion": text(point.distortion)}
    if not point.is_exact:
        found["tolerance"] = point.tolerance
    at = _claims(replace(problem, asks="loss", given=Real.of(point.distortion)), time_limit)
    level = {"least distortion": INFINITY, "jump": point.left.lower, "threshold": point.right.upper}.get(point.kind)
    below = None if level is None else _claims(replace(problem, asks="distortion", given=level), time_limit)
    if below is not None and below.attained is not None and (at is None or at.attained is None):
        # A mechanism with an infinite loss still has a distortion.
        at = replace(below, excluded=None if at is None else at.excluded)
    found["at"] = {} if at is None else write_claims(at)
    if below is not None and below.excluded is not None:
        found["below"] = write_claims(replace(below, attained=None))
    if point.kind == "kink" and at is not None and at.attained is not None:
        lines = [_supporting(problem, at.attained, point.distortion, side, time_limit) for side in (-1, 1)]
        known = [line for line in lines if line is not None]
        if len({slope_of(at.setting, line) for line in known}) == 2:
            found["slopes"] = [write_claims(Bracket(at.setting, None, line))["excluded"] for line in known]
    return found


def _supporting(
    problem: Problem, reached: Attained, place: Rational, side: int, time_limit: float | None
) -> Excluded | None:
    """Return the claim at a kink that the multiples of the program beside it make, None where they make none."""
    ratio = reached.loss.argument_of_log
    if ratio is None:
        return None
    beside = ratio * (1 + side * _BESIDE)
    if beside <= 1:
        return None
    claims = _claims(replace(problem, asks="distortion", given=Real.log(beside)), time_limit)
    claim = None if claims is None else claims.excluded
    slope = None if claims is None or claim is None else slope_of(claims.setting, claim)
    if claim is None or slope is None or claim.distortion.rational is None:
        return None
    if claim.distortion.rational + slope * (beside - ratio) != place:
        return None
    return replace(claim, loss=reached.loss, distortion=Real.of(place))


def slope_of(setting: Setting, claim: Excluded) -> Rational | None:
    """Return how fast the bound of a claim falls as e^loss grows; None where that is not known.

    A bound of a further guarantee does not know the loss. Averaged joint probabilities of a law that is not uniform are
    bounded by a multiple of e^loss.
    """
    if len(claim.steps) != 1 or claim.open != "distortion":
        return None
    form = Form(premises(setting, claim), claim.steps[0])
    if form.ratios or len(form.sums) != 1 or form.weight <= 0:
        return None
    (used,) = form.sums
    if not used.is_own or not isinstance(used.use.tangents, Shares):
        return None
    scale = used.bound.scale
    assert isinstance(scale, Exponential), "what bounds maxima is proportional to e^loss"
    growth = unevenness(setting, claim) if claim.symmetry is not None else ONE
    return used.use.multiplier * scale.factor * growth / form.weight


def _claims(problem: Problem, time_limit: float | None) -> Bracket | None:
    """Return the claims that answer a question, None where nothing is proven."""
    try:
        found = answer(problem, time_limit=time_limit).claims
        return None if found.attained is None and found.excluded is None else found
    except NoSolution as error:
        with suppress(ProofRejected):
            proof = refutation(error)
            return None if proof is None else claimed(proof)
    except SolverFailure:
        pass
    return None


def check_breakpoints(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a file of breakpoints proves of each, in words, after checking every claim.

    Raises:
        ProofRejected: if a claim does not hold, or is not about its breakpoint.
        InvalidInput: if the document is malformed.
    """
    if set(document) != {"schema", "problem", "points"} or not isinstance(document["points"], list):
        raise InvalidInput("A file of breakpoints has the fields problem, points and schema; write it again.")
    setting = read_setting(document["problem"])
    sentences: list[str] = []
    for number, point in enumerate(document["points"], 1):
        sentences += [f"Breakpoint {number}: {sentence}" for sentence in _checked_point(point, number, setting)]
    return tuple(sentences)


def read_breakpoints(document: Mapping[str, Any]) -> tuple[Bracket, ...]:
    """Return the claims of a file of breakpoints, checked: at each what is attained and excluded there, and below it.

    Raises:
        ProofRejected: if a claim does not hold, or is not about its breakpoint.
        InvalidInput: if the document is malformed.
    """
    check_breakpoints(document)
    setting = read_setting(document["problem"])
    found = (_read(point.get(part), setting) for point in document["points"] for part in ("at", "below"))
    return tuple(claims for claims in found if claims.attained is not None or claims.excluded is not None)


def _checked_point(point: object, number: int, setting: Setting) -> list[str]:
    if not isinstance(point, Mapping) or not {"kind", "distortion", "at"} <= set(point) <= _POINT:
        raise InvalidInput(f"Breakpoint {number} has other fields than a breakpoint has.")
    kind, tolerance = point["kind"], point.get("tolerance", 0)
    is_number = isinstance(tolerance, int | float | Decimal) and not isinstance(tolerance, bool) and tolerance >= 0
    if kind not in KINDS or not isinstance(point["distortion"], str) or not is_number:
        raise InvalidInput(f"Breakpoint {number} has an unknown kind, or a place that is not a number.")
    place = rational(point["distortion"])
    at, below = (_read(point.get(part), setting) for part in ("at", "below"))
    sentences: list[str] = []
    if at.excluded is not None:
        if at.excluded.open != "loss" or at.excluded.distortion < place:
            raise ProofRejected(f"What is excluded at breakpoint {number} is about another distortion.")
        sentences.append(excluded_in_words(setting, at.excluded))
    if at.attained is not None:
        if at.attained.distortion > place:
            raise ProofRejected(f"What is attained at breakpoint {number} has a larger distortion.")
        sentences.append(attained_in_words(setting, at.attained))
    if below.attained is not None:
        raise InvalidInput(f"Below breakpoint {number} something is excluded, and nothing attained.")
    if below.excluded is not None:
        if below.excluded.open != "distortion" or below.excluded.distortion > place:
            raise ProofRejected(f"What is excluded below breakpoint {number} is about another distortion.")
        sentences.append(excluded_in_words(setting, below.excluded))
    if "slopes" in point:
        return [*sentences, _bend(_checked_slopes(point["slopes"], number, place, at), setting)]
    return [*sentences, _conclusion(kind, place, at.attained, below.excluded, bool(tolerance), setting)]


def _checked_slopes(entry: object, number: int, place: Rational, at: Bracket) -> set[Rational]:
    """Return the slopes of the two lines that support the trade-off at a point, after checking the claims."""
    if not isinstance(entry, list) or len(entry) != 2 or at.attained is None or not at.attained.loss > 0:
        raise InvalidInput(
            f"Breakpoint {number} has slopes that are not two, or of no point that is attained at a loss above zero."
        )
    found = set[Rational]()
    for part in entry:
        claims = read_claims({"excluded": part}, at.setting)
        check(claims)
        assert claims.excluded is not None
        slope = slope_of(at.setting, claims.excluded)
        is_here = compare(claims.excluded.loss, at.attained.loss) == 0 and claims.excluded.distortion.rational == place
        if slope is None or not is_here:
            raise ProofRejected(f"A slope at breakpoint {number} is none, or of another point.")
        found.add(slope)
    if len(found) != 2:
        raise ProofRejected(f"The two slopes at breakpoint {number} are the same.")
    return found


def _read(entry: object, setting: Setting) -> Bracket:
    """Return the claims of a part of a breakpoint, checked; none where there are none."""
    if entry is None or entry == {}:
        return Bracket(setting)
    if not isinstance(entry, Mapping) or not set(entry) <= {"attained", "excluded"}:
        raise InvalidInput("The claims at a breakpoint are 'attained' and 'excluded'.")
    claims = read_claims(entry, setting)
    check(claims)
    return claims


def _bend(slopes: set[Rational], setting: Setting) -> str:
    after, before = sorted(slopes)
    rates = f"at a rate of {before} or more before this point and of {after} or less after it"
    if isinstance(setting.distortion, Gain):
        return f"So the largest utility bends here: as e^loss grows, it rises {rates}."
    return f"So the least distortion bends here: as e^loss grows, it falls {rates}."


def _has_less(setting: Setting, distortion: Real) -> bool:
    """Return whether some mechanism surely has less distortion: at the end of a trade-off no loss jumps.

    The one that gives each input its cheapest answer may break limits and further guarantees.
    """
    if setting.limits or setting.also:
        return False
    if not isinstance(setting.distortion, Matrix | Gain):
        return distortion > ZERO  # the truth costs nothing
    costs = setting.distortion.cheapest(setting.universe).costs
    return Real.of(setting.source.maximum(costs).value) < distortion


def _conclusion(
    kind: str, place: Rational, reached: Attained | None, excluded: Excluded | None, is_float: bool, setting: Setting
) -> str:
    """Return what follows from the claims about a breakpoint, or that it was found and not proven."""
    how, proven = "numerically" if is_float else "in fractions", ""
    if excluded is not None and reached is not None:
        what, least = "distortion", "least distortion"
        ends = [rounded_down(excluded.distortion), rounded_up(Real.of(place))]
        if isinstance(setting.distortion, Gain):
            what, least = "utility", "largest utility"
            ends = [turned(excluded.distortion, rounded_down), turned(Real.of(place), rounded_up)]
        is_sharp = excluded.distortion.rational == place
        span = ends[1] if is_sharp else f"a number between {ends[0]} and {ends[1]}"
        if kind == "least distortion" and excluded.loss.is_infinite:
            return f"So the {least} is {span}."
        is_between = not excluded.loss.is_infinite and reached.loss < excluded.loss
        if kind == "jump" and is_between and _has_less(setting, excluded.distortion):
            if is_sharp:
                return f"So the least loss jumps at the {what} {span}."
            levels = f"from above {rounded_down(excluded.loss)} to {rounded_up(reached.loss)} nats at most"
            proven = f"So the least loss falls {levels} between the {what} {ends[0]} and {ends[1]}. "
        if kind == "threshold" and reached.loss.rational == ZERO:
            return f"So the {least} at which nothing need be lost is {span}."
    return f"{proven}That the course of the least loss changes here ({kind}) was found {how}, and is not proven."
