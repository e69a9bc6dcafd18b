"""The protocols against their matrices written out, and the league table against the program that writes it."""

import itertools
from collections.abc import Sequence

import pytest
from docs.league import PAGE, page

from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.statistic import Statistic
from epstar.statistics.by_counts import set_size
from epstar.statistics.protocols import Protocol, league, least_error, next_prime, protocols

RATIO = Rational(4)


def support(rows: Sequence[dict[frozenset[int], Rational]]) -> list[list[Rational]]:
    """How probably an answer for one category supports another, from laws on the sets of supported categories."""
    size = len(rows)
    assert all(sum(row.values(), Rational(0)) == 1 for row in rows)
    return [[sum((q for held, q in row.items() if z in held), Rational(0)) for z in range(size)] for row in rows]


def worst_ratio(rows: Sequence[dict[frozenset[int], Rational]]) -> Rational:
    return max(first[held] / second[held] for first, second in itertools.permutations(rows, 2) for held in first)


def check(protocol: Protocol, rows: Sequence[dict[frozenset[int], Rational]], ratio: Rational) -> None:
    for x, row in enumerate(support(rows)):
        assert row[x] == protocol.own
        assert {entry for z, entry in enumerate(row) if z != x} == {protocol.other}
    assert worst_ratio(rows) <= ratio


def of_weights(size: int, sets: Sequence[frozenset[int]], ratio: Rational) -> list[dict[frozenset[int], Rational]]:
    rows = []
    for x in range(size):
        weights: dict[frozenset[int], Rational] = {}
        for held in sets:
            weights[held] = weights.get(held, Rational(0)) + (ratio if x in held else 1)
        total = sum(weights.values(), Rational(0))
        rows.append({held: weight / total for held, weight in weights.items()})
    return rows


def named(name: str, size: int, ratio: Rational = RATIO) -> Protocol:
    return next(one for one in protocols(size, ratio) if one.name == name)


def test_sets_of_one_size_written_out() -> None:
    for size in (2, 3, 5, 6):
        sets = [frozenset(held) for held in itertools.combinations(range(size), set_size(size, RATIO))]
        check(named("subset selection", size), of_weights(size, sets, RATIO), RATIO)
        single = [frozenset([x]) for x in range(size)]
        check(named("randomised response", size), of_weights(size, single, RATIO), RATIO)


def test_affine_maps_over_a_prime_are_a_block_design() -> None:
    for size in (5, 7, 11):
        low = Rational(3, 2)
        count = set_size(size, low)
        blocks = [
            frozenset(x for x in range(size) if (a * x + b) % size < count) for a in range(1, size) for b in range(size)
        ]
        check(named("block design", size, low), of_weights(size, blocks, low), low)


def test_the_lines_of_a_projective_plane_are_a_block_design() -> None:
    # The Fano plane: seven points, seven lines of three points.
    lines = [frozenset((start + step) % 7 for step in (0, 1, 3)) for start in range(7)]
    rows = of_weights(7, lines, Rational(1))
    assert all(sum(x in line and z in line for line in lines) == 1 for x, z in itertools.combinations(range(7), 2))
    assert len(rows) == 7
    some = named("projective geometry", 7, Rational(3, 2))
    check(some, of_weights(7, lines, Rational(3, 2)), Rational(3, 2))


def test_bits_for_each_category_and_hashes_written_out() -> None:
    size = 3
    for name in ("optimised unary encoding", "symmetric unary encoding"):
        protocol = named(name, size)
        rows = []
        for x in range(size):
            row = {}
            for bits in itertools.product((0, 1), repeat=size):
                q = Rational(1)
                for z, bit in enumerate(bits):
                    rate = protocol.own if z == x else protocol.other
                    q *= rate if bit else 1 - rate
                row[frozenset(z for z, bit in enumerate(bits) if bit)] = q
            rows.append(row)
        check(protocol, rows, RATIO)
    hashing = named("optimised local hashing", size)
    values = 5
    functions = list(itertools.product(range(values), repeat=size))
    rows = []
    for x in range(size):
        row = {}
        for function, value in itertools.product(functions, range(values)):
            held = frozenset(z for z in range(size) if function[z] == value)
            weight = (RATIO if function[x] == value else 1) / (RATIO + values - 1) / len(functions)
            row[held] = row.get(held, Rational(0)) + weight
        rows.append(row)
    check(hashing, rows, RATIO)


@pytest.mark.parametrize("size", [2, 3, 4, 17, 100, 1000])
@pytest.mark.parametrize("loss", ["0.1", "1", "5"])
def test_no_protocol_is_better_than_what_is_proven(size: int, loss: str) -> None:
    standings = league(size, loss)
    assert len(standings) == 8
    assert all(one.gap >= 0 for one in standings)
    assert standings[0].gap < 1e-12
    assert {one.protocol.name: one for one in standings}["subset selection"].gap < 1e-12


def test_the_numbers_of_the_literature() -> None:
    # Randomised response against optimised unary encoding at a thousand categories: intervals 9.6 times as wide.
    found = {one.protocol.name: one.error for one in league(1000, 1)}
    assert float(found["randomised response"] / found["optimised unary encoding"]) ** 0.5 == pytest.approx(
        9.6, abs=0.02
    )
    assert float(least_error(1000, Rational(271828182845, 10**11))) * 1.01 > float(found["block design"])
    assert next_prime(8) == 11
    law = (Rational(9, 10), Rational(1, 10))
    assert named("randomised response", 2).error(law, Statistic.frequencies(10)) < named(
        "randomised response", 2
    ).error((Rational(1, 2),) * 2, Statistic.frequencies(10))


def test_the_league_table_is_what_the_program_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python docs/league.py` and commit the page"


def test_a_league_needs_a_loss() -> None:
    for size, loss in ((1, "1"), (5, "0"), (5, "infinity")):
        with pytest.raises(InvalidInput):
            league(size, loss)
