"""Traffic: how the load is distributed over partition key values."""

import pytest

from tablewright.planning.traffic import key_groups, popularity
from tablewright.planning.workloads import Workload
from tests.planning.events import design_of


@pytest.mark.parametrize(
    ("values", "shards", "skew"), [(1, 1, 1), (5, 1, 0.5), (50, 8, 0.99), (1e6, 1, 0.99), (1e6, 4, 1)]
)
def test_shares_descend_and_add_up_to_one_at_most(values: float, shards: int, skew: float) -> None:
    shares = popularity(values, shards, skew)
    assert 0 < sum(shares) <= 1 + 1e-9
    assert list(shares) == sorted(shares, reverse=True)
    assert len(shares) == values * shards or values * shards > 200


def test_items_written_once_are_even() -> None:
    """A new event has its own id, which is written once."""
    found = key_groups(design_of("KIND#{kind}", 100), Workload(), 1)
    shares = {str(resource): [group.shares for group in groups] for resource, groups in found.items()}
    assert shares["events"] == [()]
    assert len(shares["events.open"][0]) == 2


def test_more_users_do_not_add_enum_values() -> None:
    design = design_of("KIND#{kind}", 100)
    once, often = (key_groups(design, Workload(), factor) for factor in (1, 1_000))
    assert [len(group.shares) for found in (once, often) for group in list(found.values())[1]] == [2, 2]


def test_a_constant_key_gets_the_whole_load() -> None:
    found = {
        str(resource): groups
        for resource, groups in key_groups(design_of("OPEN", 100), Workload(), 1).items()
    }
    (group,) = found["events.open"]
    assert (group.name, group.shares, group.tail) == ("OPEN", (1.0,), 0.0)
    assert group.units.write == pytest.approx(100)


def test_the_factor_multiplies_the_load() -> None:
    once, often = (key_groups(design_of("OPEN", 100), Workload(), factor) for factor in (1, 10))
    totals = [
        sum(group.units.write for groups in found.values() for group in groups) for found in (once, often)
    ]
    assert totals[1] == pytest.approx(10 * totals[0])
