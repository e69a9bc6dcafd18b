"""Every faulty sampler of the zoo is rejected by the test that is there for it, and the sound one by none."""

import pytest
from tests.attacks import faulty_laws, faulty_randomness
from tests.attacks.battery import BATTERY
from tests.attacks.faulty import ZOO
from tests.attacks.subject import Sound, Subject


def test_the_zoo_is_large_and_every_test_has_something_to_find() -> None:
    assert {fault.make.__module__ for fault in ZOO.values()} == {faulty_laws.__name__, faulty_randomness.__name__}
    assert len(ZOO) >= 30
    assert {fault.seen_by for fault in ZOO.values()} == set(BATTERY)


@pytest.mark.parametrize("name", BATTERY)
def test_the_sampler_of_epstar_passes(name: str) -> None:
    assert BATTERY[name](Sound)


@pytest.mark.parametrize("name", ["enumeration", "boundaries", "law", "neighbours", "lags", "freshness"])
def test_the_reference_of_the_zoo_is_sound_itself(name: str) -> None:
    assert BATTERY[name](Subject)


@pytest.mark.parametrize("name", ZOO)
def test_every_faulty_sampler_is_rejected(name: str) -> None:
    assert not BATTERY[ZOO[name].seen_by](ZOO[name].make)
