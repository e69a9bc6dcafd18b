"""A question in SMT-LIB (QF_LRA): is there a mechanism with this loss and less distortion? The answer must be unsat.

A solver confirms what is excluded without any help from epstar's multipliers. Where the loss is the open end, a ratio
bound left <= e^loss right + slack becomes strict, unless both its sides vanish: that is what some smaller loss allows.
"""

from __future__ import annotations

from epstar.claims import Bracket
from epstar.exact import ONE, ZERO, Rational
from epstar.export.linear import NotLinearError, Row, Terms, linear_program


def to_smtlib(claims: Bracket) -> str:
    """Return what is excluded as a question that has no solution.

    Raises:
        NotLinearError: if nothing is excluded, or the notion is not linear at this loss.
    """
    claim = claims.excluded
    if claim is None:
        raise NotLinearError("The answer excludes nothing, and this format is about what is excluded")
    open_loss = claim.open == "loss"
    if claim.loss.is_infinite:
        raise NotLinearError("An infinite loss bounds nothing that is linear")
    program = linear_program(claims.setting, claim.loss)
    if open_loss and any(name.startswith("events") for name in program.rows):
        raise NotLinearError("Events at every smaller loss are not linear")
    lines = [
        "; Is there a mechanism with loss "
        + ("below" if open_loss else "at most")
        + f" {claim.loss} and distortion "
        + ("at most" if open_loss else "below")
        + f" {claim.distortion}?",
        f"; {claims.setting.notion.title}; z_x_y is the probability of output y for input x. Expected: unsat.",
        "(set-logic QF_LRA)",
        "(set-info :status unsat)",
        *(f"(declare-const {name} Real)" for name in program.variables),
    ]
    for name, row in program.rows.items():
        lines.append(f"(assert (! {_constraint(name, row, open_loss)} :named {name}))")
    if not claim.distortion.is_infinite:
        allowed = claim.distortion.rational
        assert allowed is not None
        lines.append(f"(assert ({'<=' if open_loss else '<'} {program.objective} {number(allowed)}))")
    return "\n".join([*lines, "(check-sat)", ""])


def _constraint(name: str, row: Row, open_loss: bool) -> str:
    left, bound = linear(row.terms), number(row.bound)
    if not open_loss or row.right is None:
        strict = open_loss and name.startswith("maxima")
        return f"({'<' if strict else row.sense} {left} {bound})"
    # The left side alone, where the right side vanishes.
    alone = {key: value for key, value in row.terms.items() if key not in row.right}
    return f"(or (< {left} {bound}) (and (<= {linear(alone)} {bound}) (= {linear(row.right)} 0)))"


def linear(terms: Terms) -> str:
    """Return a linear form as SMT-LIB writes it."""
    parts = [key if value == ONE else f"(* {number(value)} {key})" for key, value in terms.items() if value != ZERO]
    return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})" if parts else "0"


def number(value: Rational) -> str:
    """Return a fraction as SMT-LIB writes it."""
    size = abs(value)
    written = f"{size.p}.0" if size.q == 1 else f"(/ {size.p}.0 {size.q}.0)"
    return f"(- {written})" if value < 0 else written
