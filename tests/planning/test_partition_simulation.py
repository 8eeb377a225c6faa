"""The partition simulation: splits, burst capacity and the limit of a partition."""

import pytest

from tablewright.planning.capacity_demand import Units
from tablewright.planning.partition_simulation import DURATION, PARTITION_LIMIT, Key, Partition, simulate


def test_a_key_never_exceeds_the_limit_of_a_partition() -> None:
    keys = [Key("hot", 1, Units(write=5_000)), *(Key("cold", rank, Units(write=10)) for rank in range(100))]
    run = simulate(keys, Units(write=500))
    hot, *cold = run.keys
    assert hot.units.write * (1 - hot.throttled) == pytest.approx(PARTITION_LIMIT.write, rel=0.03)
    assert not any(key.throttled for key in cold)


def test_a_low_load_splits_nothing() -> None:
    run = simulate([Key("a", 1, Units(read=100))], Units(read=100))
    assert (run.partitions, run.splits, run.throttled_at_first) == (4, 0, 0.0)


def test_size_determines_initial_partitions() -> None:
    assert simulate([], Units(write=1), bytes_=100 * 2**30).partitions == 10


def test_burst_capacity_lasts_300_seconds() -> None:
    """100 unused units a second for 300 seconds allow 100 units too many for 300 seconds."""
    steady, double = (
        simulate([], Units(write=load), provisioned=Units(read=1, write=100)) for load in (90.0, 200.0)
    )
    assert steady.throttled_at_first == 0.0
    assert double.throttled == pytest.approx(0.5, abs=0.02)
    assert double.throttled_at_first == pytest.approx(0.5 * 900 / 1200, abs=0.02)


def test_provisioned_capacity_is_shared_up_to_the_limit_of_a_partition() -> None:
    run = simulate([Key("hot", 1, Units(write=1_500))], Units(), provisioned=Units(read=1, write=4_000))
    assert run.keys[0].throttled == pytest.approx(1 / 3, abs=0.02)


def test_a_partition_splits_where_the_load_halves() -> None:
    keys = [Key("k", rank, Units(write=400), position=rank / 10) for rank in (1, 2, 3, 9)]
    halves = Partition(0.0, 1.0, keys, Units()).split()
    assert halves is not None
    assert [[key.rank for key in half.keys] for half in halves] == [[1, 2], [3, 9]]


def test_a_partition_with_one_key_does_not_split() -> None:
    assert Partition(0.0, 1.0, [Key("hot", 1, Units(write=9_000), position=0.5)], Units()).split() is None


class Stopped(Exception):
    """Ends a simulation."""


@pytest.mark.parametrize("last", [1, 2, 3, 4, 5, 40, DURATION, DURATION + 500])
def test_a_simulation_ends_at_the_step_that_raises_an_error(last: int) -> None:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == last:
            raise Stopped

    hot = [Key("hot", rank, Units(write=900)) for rank in range(300)]
    with pytest.raises(Stopped):
        simulate(hot, Units(), on_step=step)
    assert steps == last


def test_steps_are_called_each_second_and_for_each_possible_split() -> None:
    def steps_of(keys: list[Key]) -> int:
        steps: list[None] = []
        simulate(keys, Units(), on_step=lambda: steps.append(None))
        return len(steps)

    assert steps_of([Key("cold", 1, Units(write=1))]) == 4 + DURATION
    assert steps_of([Key("hot", rank, Units(write=900)) for rank in range(50)]) > 4 + DURATION + 50
