"""The published strategies make what they promise, and reach the corners."""

import subprocess
import sys

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from epstar.exact import ZERO
from epstar.mechanism import Mechanism
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Source
from epstar.testing import float_mechanisms, laws, mechanisms, priors, sources, universes
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe


@settings(deadline=None)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_laws_and_priors(data: st.DataObject, size: int, zeros: bool) -> None:
    law = data.draw(laws(size, zeros))
    assert len(law) == size
    assert sum(law, ZERO) == 1
    assert zeros or min(law) > 0
    assert data.draw(priors(size)).size == size


@settings(deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_mechanisms(data: st.DataObject, inputs: int, outputs: int, zeros: bool) -> None:
    exact = data.draw(mechanisms(inputs, outputs, zeros))
    floats = data.draw(float_mechanisms(inputs, outputs, zeros))
    assert exact.shape == floats.shape == (inputs, outputs)
    assert exact.is_exact
    assert not floats.is_exact
    assert zeros or (exact.floats.min() > 0 and floats.floats.min() > 0)


@settings(deadline=None)
@given(st.data(), st.integers(1, 4))
def test_sources_hold_a_law(data: st.DataObject, size: int) -> None:
    source = data.draw(sources(size))
    assert source.size == size
    assert source.contains(source.maximum([1] * size).point)


@pytest.mark.parametrize("kind", [Prior, Finite, Hull, Box, Ball, Polytope, Everything])
def test_sources_of_every_kind_come_up(kind: type[Source]) -> None:
    assert isinstance(find(sources(3), lambda source: isinstance(source, kind)), kind)


@pytest.mark.parametrize("kind", [Alphabet, Databases, Graph, Metric])
def test_universes_of_every_kind_come_up(kind: type[Universe]) -> None:
    assert isinstance(find(universes(), lambda universe: isinstance(universe, kind)), kind)


@settings(deadline=None)
@given(universes(5))
def test_universes_are_small_and_have_neighbours_where_they_can(universe: Universe) -> None:
    assert 2 <= universe.size <= 5
    assert len(universe.pairs()) >= 1


def test_infinite_losses_come_up() -> None:
    def separates(mechanism: Mechanism) -> bool:
        return any(0 in mechanism.column(y) and any(mechanism.column(y)) for y in range(2))

    assert separates(find(mechanisms(2, 2), separates))


def test_without_hypothesis_the_error_names_the_extra() -> None:
    program = (
        "import sys\n"
        "sys.modules['hypothesis'] = None\n"
        "from epstar.errors import MissingExtra\n"
        "try:\n"
        "    import epstar.testing\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'epstar[dev]'" in done.stdout
