"""Questions about statistics are written as their published schema says."""

import json

import pytest
from jsonschema import Draft202012Validator

from epstar.exact import Real
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.problem_file import read_problem, write_problem
from epstar.schema import schema
from epstar.source import Prior
from epstar.statistic import Statistic
from epstar.universe import Alphabet

PLAIN = Statistic.frequencies(rows=100)
WEIGHTED = Statistic.frequencies(rows=100, weights=["1", "2", "1/2"])


@pytest.mark.parametrize("statistic", [PLAIN, WEIGHTED, Statistic(100, None, [["1", "-1", "0"]])])
def test_what_is_written_fits_and_comes_back(statistic: Statistic) -> None:
    source = Prior(["1/2", "3/10", "1/5"])
    problem = Problem(DifferentialPrivacy(), source, statistic, Alphabet(3), "distortion", Real.of(1))
    document = json.loads(json.dumps(write_problem(problem)))
    validator = Draft202012Validator(schema("problem-2"))
    assert document["schema"] == "epstar/problem/2"
    assert validator.is_valid(document), list(validator.iter_errors(document))
    assert write_problem(read_problem(document)) == write_problem(problem)
    document["distortion"]["statistic"]["name"] = "means"
    assert not validator.is_valid(document)
