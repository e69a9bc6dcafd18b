"""Exact audits: losses with their witnesses, and a certified distance from the optimum."""

import pytest

from epstar.audit import MatrixAudit, audit_matrix
from epstar.distortion import Absolute, Matrix
from epstar.exact import Rational, Real
from epstar.mechanism import DiagonalMechanism, Mechanism, randomised_response
from epstar.notions import Capacity, DifferentialPrivacy, MaximalLeakage, MutualInformation
from epstar.source import Everything, Prior
from epstar.universe import Alphabet


def spoilt(audit: MatrixAudit) -> Rational:
    assert audit.distortion is not None
    return audit.distortion.value


def test_the_audit_names_the_pair_and_the_output_that_lose_most() -> None:
    universe = Alphabet(["low", "middle", "high"])
    mechanism = Mechanism([["3/4", "1/4", 0], ["1/4", "1/2", "1/4"], ["1/8", "1/4", "5/8"]], universe)
    audit = audit_matrix(mechanism)
    loss = audit.loss(DifferentialPrivacy())
    assert loss is not None
    assert loss.upper is not None
    assert loss.upper.is_infinite
    inputs, outputs = audit.witness(DifferentialPrivacy())
    assert outputs == ("high",)
    assert "low" in inputs
    leakage = audit.loss(MaximalLeakage())
    assert leakage is not None
    assert str(leakage.upper) == "log(15/8)"
    assert len(audit.guarantees) == 12


def test_randomised_response_is_optimal_when_nothing_is_known() -> None:
    audit = audit_matrix(randomised_response(Alphabet(4), ratio=3))
    assert audit.excess == 0
    assert audit.optimum is not None
    assert audit.optimum.upper >= float(Real.log(Rational(3))) - 1e-9
    assert spoilt(audit) == Rational(1, 2)


def test_a_wasteful_mechanism_is_told_how_far_it_is_from_the_best() -> None:
    prior = Prior(["4/10", "3/10", "2/10", "1/10"])
    # Hamming distortion 1/5 needs log 12 and no more; uniform noise at the same distortion needs log 12 too,
    # a lopsided one more.
    rows = [["4/5", "1/5", 0, 0], [0, "4/5", "1/5", 0], [0, 0, "4/5", "1/5"], ["1/5", 0, 0, "4/5"]]
    audit = audit_matrix(Mechanism(rows), prior, notion=MaximalLeakage())
    assert spoilt(audit) == Rational(1, 5)
    assert audit.optimum is not None
    assert audit.excess is not None
    assert audit.excess > 0.1
    loss = audit.loss(MaximalLeakage())
    assert loss is not None
    assert loss.lower is not None
    assert audit.excess <= float(loss.lower) - audit.optimum.lower + 1e-12
    infinite = audit_matrix(Mechanism(rows), prior)
    assert infinite.excess == float("inf")


def test_the_distortion_is_the_worst_over_the_source() -> None:
    mechanism = Mechanism([["1/2", "1/2"], [0, 1]])
    assert spoilt(audit_matrix(mechanism, Everything(2))) == Rational(1, 2)
    assert spoilt(audit_matrix(mechanism, Prior(["1/3", "2/3"]))) == Rational(1, 6)
    assert spoilt(audit_matrix(mechanism, Prior(["1/3", "2/3"]), Absolute())) == Rational(1, 6)
    cost = Matrix([[0, 6], [0, 0]])
    assert spoilt(audit_matrix(mechanism, Prior(["1/3", "2/3"]), cost)) == Rational(1)


def test_floats_are_measured_without_a_certificate() -> None:
    audit = audit_matrix(Mechanism([[0.75, 0.25], [0.25, 0.75]]))
    loss = audit.loss(DifferentialPrivacy())
    assert loss is not None
    assert loss.value == pytest.approx(1.0986, abs=1e-4)
    assert loss.upper is None
    assert audit.excess is None


def test_large_matrices_are_measured_where_it_is_cheap() -> None:
    matrix = DiagonalMechanism(Alphabet(150), ["1/100"] * 150).dense()
    audit = audit_matrix(matrix, notion=MutualInformation())
    assert audit.optimum is None
    assert "too large" in audit.reason
    assert any(found.reason and found.notion == Capacity() for found in audit.guarantees)


def test_many_letters_with_structure_are_measured_in_every_notion_and_compared_with_the_optimum() -> None:
    size = 2000
    audit = audit_matrix(DiagonalMechanism(Alphabet(size), ["1/100"] * size))
    loss = audit.loss(DifferentialPrivacy())
    assert loss is not None
    assert loss.upper is not None
    assert loss.upper.argument_of_log == Rational(19) / Rational(99, 100) + 1
    assert all(found.loss is not None for found in audit.guarantees)
    assert audit.witness(DifferentialPrivacy()) == ((0, 1), (0,))
    # Equal diagonals are the best there is where nothing is known.
    assert audit.optimum is not None
    assert audit.excess == 0
    uneven = audit_matrix(DiagonalMechanism(Alphabet(size), ["1/100"] * (size - 1) + ["1/2"]))
    assert uneven.excess is not None
    assert uneven.excess > 0
