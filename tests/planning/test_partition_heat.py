"""Heat: which keys throttle, and which do not."""

from enum import StrEnum

import pytest

from tablewright import Design, Entity, Index, Keys, Query, Table, fields
from tablewright.design.tables.billing import Provisioned
from tablewright.planning.capacity_demand import Units
from tablewright.planning.partition_heat import Heat, heat_of
from tablewright.planning.partition_simulation import PARTITION_LIMIT, Key, simulate
from tablewright.planning.traffic import key_groups, popularity
from tablewright.planning.workloads import Workload

main_table = Table("events", key=("PK", "SK"), indexes=[Index("open", "GSI1PK", "GSI1SK")])
EVEN = Workload(skew=0)


class Kind(StrEnum):
    A = "a"
    B = "b"


def design_of(key: str, writes: float, table: Table = main_table) -> Design:
    class Event(
        Entity,
        table=table,
        type="EVENT",
        expect=fields.Expect(items=1_000_000, size=500, writes=fields.PerSecond(writes)),
    ):
        event_id: str = fields.new_id()
        user_id: str
        kind: Kind = Kind.A
        keys = Keys(primary=("EVENT#{event_id}", "EVENT"), open=(key, "{event_id}"))

    return Design("events", entities=[Event])


def by_place(found: list[Heat]) -> dict[str, Heat]:
    return {str(heat.place): heat for heat in found}


def test_a_constant_key_throttles() -> None:
    found = by_place(heat_of(design_of("OPEN", 4_000), EVEN))
    index = found["events.open"]
    assert index.verdict == "throttles"
    assert [key.name for key in index.hot] == ["OPEN"]
    assert index.hot[0].throttled == pytest.approx(0.75, abs=0.02)
    assert found["events"].verdict != "throttles"


def test_a_sharded_key_does_not() -> None:
    index = by_place(heat_of(design_of("OPEN#{event_id:shard(16)}", 4_000), EVEN))["events.open"]
    assert index.verdict != "throttles"
    assert index.run.keys[0].units.write == 250


def test_too_few_shards_still_throttle() -> None:
    index = by_place(heat_of(design_of("OPEN#{event_id:shard(2)}", 4_000), EVEN))["events.open"]
    assert [(key.rank, round(key.throttled, 1)) for key in index.hot] == [(1, 0.5), (2, 0.5)]


def test_a_uniform_key_splits_until_it_fits() -> None:
    index = by_place(heat_of(design_of("USER#{user_id}", 40_000), EVEN))["events.open"]
    assert index.verdict == "settles"
    assert index.run.partitions >= 40
    assert index.run.throttled_at_first > index.run.throttled


def test_popular_keys_throttle_where_even_ones_do_not() -> None:
    design = design_of("USER#{user_id}", 40_000)
    skewed = by_place(heat_of(design, Workload(skew=0.99)))["events.open"]
    assert skewed.verdict == "throttles"
    assert skewed.hot[0].rank == 1
    assert not any(key.throttled > 0.01 for key in skewed.run.keys if key.units.write < 100)


def test_a_key_never_gets_more_than_a_partition_has() -> None:
    keys = [Key("hot", 1, Units(write=5_000)), *(Key("cold", rank, Units(write=10)) for rank in range(100))]
    run = simulate(keys, Units(write=500))
    hot, *cold = run.keys
    assert hot.units.write * (1 - hot.throttled) == pytest.approx(PARTITION_LIMIT.write, rel=0.03)
    assert not any(key.throttled for key in cold)


def test_what_is_quiet_is_left_as_it_is() -> None:
    run = simulate([Key("a", 1, Units(read=100))], Units(read=100))
    assert (run.partitions, run.splits, run.throttled_at_first) == (4, 0, 0.0)


def test_the_same_seed_is_the_same_chance() -> None:
    runs = [heat_of(design_of("USER#{user_id}", 9_000), Workload(), seed=seed) for seed in (7, 7, 8)]
    drawn = [[(key.name, key.rank, key.position) for key in run[1].run.keys] for run in runs]
    assert drawn[0] == drawn[1] != drawn[2]


def test_size_alone_makes_partitions() -> None:
    assert simulate([], Units(write=1), bytes_=100 * 2**30).partitions == 10


def test_a_burst_lasts_for_what_was_saved() -> None:
    """100 units saved for 300 seconds are 100 too many for 300 seconds, and then no longer."""
    steady, double = (
        simulate([], Units(write=load), provisioned=Units(read=1, write=100)) for load in (90.0, 200.0)
    )
    assert steady.throttled_at_first == 0.0
    assert double.throttled == pytest.approx(0.5, abs=0.02)
    assert double.throttled_at_first == pytest.approx(0.5 * 900 / 1200, abs=0.02)


def test_provisioned_capacity_is_shared_but_not_beyond_a_partition() -> None:
    run = simulate([Key("hot", 1, Units(write=1_500))], Units(), provisioned=Units(read=1, write=4_000))
    assert run.keys[0].throttled == pytest.approx(1 / 3, abs=0.02)


def test_a_provisioned_table_is_read_from_the_design() -> None:
    table = Table(
        "small", key=("PK", "SK"), indexes=[Index("open", "GSI1PK", "GSI1SK")], billing=Provisioned(5, 5)
    )
    assert {heat.verdict for heat in heat_of(design_of("USER#{user_id}", 50, table), EVEN)} == {"throttles"}


@pytest.mark.parametrize(
    ("values", "shards", "skew"), [(1, 1, 1), (5, 1, 0.5), (50, 8, 0.99), (1e6, 1, 0.99), (1e6, 4, 1)]
)
def test_popularity_is_a_share_of_one(values: float, shards: int, skew: float) -> None:
    shares = popularity(values, shards, skew)
    assert 0 < sum(shares) <= 1 + 1e-9
    assert list(shares) == sorted(shares, reverse=True)
    assert len(shares) == values * shards or values * shards > 200


def test_what_is_written_once_has_no_favourites() -> None:
    """A new event lies under its own id, which nobody writes again."""
    found = key_groups(design_of("KIND#{kind}", 100), Workload(), 1)
    shares = {str(place): [crowd.shares for crowd in crowd_] for place, crowd_ in found.items()}
    assert shares["events"] == [()]
    assert len(shares["events.open"][0]) == 2


def test_what_is_asked_for_is_what_is_written() -> None:
    """A day and a shard are few keys, also when a pattern asks for them as a text and a number."""
    table = Table("audits", key=("PK", "SK"))

    class Audit(Entity, table=table, type="AUDIT", expect=fields.Expect(items=1_000_000, size=500)):
        audit_id: str = fields.new_id()
        at: fields.Timestamp = fields.now()
        keys = Keys(primary=("AUDIT#{at:%Y-%m-%d}#{audit_id:shard(4)}", "{audit_id}"))

    class AuditsOf(Query[Audit]):
        day: str
        shard: int
        key = "PK = AUDIT#{day}#{shard}"
        items = 10
        rate = fields.PerSecond(20_000)

    workload = Workload.model_validate({"entities": {"Audit": {"create": 1_000}}})
    (found,) = heat_of(Design("audits", entities=[Audit], patterns=[AuditsOf]), workload)
    assert found.verdict == "throttles"
    assert [(key.rank, round(key.units.read)) for key in found.hot] == [(rank, 5_000) for rank in range(1, 5)]


def test_more_users_make_more_keys_but_no_more_kinds() -> None:
    design = design_of("KIND#{kind}", 100)
    once, often = (key_groups(design, Workload(), factor) for factor in (1, 1_000))
    assert [len(crowd.shares) for found in (once, often) for crowd in list(found.values())[1]] == [2, 2]
