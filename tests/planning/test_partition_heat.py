"""Partition heat: the keys that throttle, for multiples of the users."""

import pytest

from tablewright import Design, Entity, Index, Keys, Query, Table, fields
from tablewright.design.billing import Provisioned
from tablewright.planning.partition_heat import Heat, heat_of, key_groups, popularity
from tablewright.planning.workloads import Workload
from tests.planning.events import EVEN, design_of


def by_place(found: list[Heat]) -> dict[str, Heat]:
    return {str(heat.resource): heat for heat in found}


def test_a_constant_key_throttles() -> None:
    place = by_place(heat_of(design_of("OPEN", 4_000), EVEN))
    index = place["events.open"]
    assert index.verdict == "throttles"
    assert [key.name for key in index.hot] == ["OPEN"]
    assert index.hot[0].throttled == pytest.approx(0.75, abs=0.02)
    assert place["events"].verdict != "throttles"


def test_a_sharded_key_does_not_throttle() -> None:
    index = by_place(heat_of(design_of("OPEN#{event_id:shard(16)}", 4_000), EVEN))["events.open"]
    assert index.verdict != "throttles"
    assert index.run.keys[0].units.write == 250


def test_too_few_shards_still_throttle() -> None:
    index = by_place(heat_of(design_of("OPEN#{event_id:shard(2)}", 4_000), EVEN))["events.open"]
    assert [(key.rank, round(key.throttled, 1)) for key in index.hot] == [(1, 0.5), (2, 0.5)]


def test_a_uniform_load_splits_partitions() -> None:
    index = by_place(heat_of(design_of("USER#{user_id}", 40_000), EVEN))["events.open"]
    assert index.verdict == "settles"
    assert index.run.partitions >= 40
    assert index.run.throttled_at_first > index.run.throttled


def test_popular_keys_throttle() -> None:
    design = design_of("USER#{user_id}", 40_000)
    skewed = by_place(heat_of(design, Workload(skew=0.99)))["events.open"]
    assert skewed.verdict == "throttles"
    assert skewed.hot[0].rank == 1
    assert not any(key.throttled > 0.01 for key in skewed.run.keys if key.units.write < 100)


def test_the_same_seed_gives_the_same_result() -> None:
    runs = [heat_of(design_of("USER#{user_id}", 9_000), Workload(), seed=seed) for seed in (7, 7, 8)]
    drawn = [[(key.name, key.rank, key.position) for key in run[1].run.keys] for run in runs]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_provisioned_table_is_read_from_the_design() -> None:
    table = Table(
        "small", key=("PK", "SK"), indexes=[Index("open", "GSI1PK", "GSI1SK")], billing=Provisioned(5, 5)
    )
    assert {heat.verdict for heat in heat_of(design_of("USER#{user_id}", 50, table), EVEN)} == {"throttles"}


def test_reads_have_the_keys_that_are_written() -> None:
    """A day and a shard are few keys, also if a pattern reads them as a text and a number."""
    table = Table("audits", key=("PK", "SK"))

    class Audit(Entity, table=table, type="AUDIT", expect=fields.Expect(items=1_000_000, size=500)):
        audit_id: str = fields.new_id()
        at: fields.Timestamp = fields.now()
        keys = Keys(primary=("AUDIT#{at:%Y-%m-%d}#{audit_id:shard(4)}", "{audit_id}"))

    class AuditsOf(Query[Audit]):
        day: str
        shard: int
        key = "PK = AUDIT#{day}#{shard}"
        expected_items = 10
        rate = fields.PerSecond(20_000)

    workload = Workload.model_validate({"entities": {"Audit": {"create": 1_000}}})
    (found,) = heat_of(Design("audits", entities=[Audit], patterns=[AuditsOf]), workload)
    assert found.verdict == "throttles"
    assert [(key.rank, round(key.units.read)) for key in found.hot] == [(rank, 5_000) for rank in range(1, 5)]


def votes(sort: str, **table_settings: object) -> Design:
    """Many votes a second on one poll."""
    table = Table("polls", key=("PK", "SK"), **table_settings)  # type: ignore[arg-type]

    class Vote(
        Entity,
        table=table,
        type="VOTE",
        expect=fields.Expect(items=1_000_000, writes=fields.PerSecond(5_000)),
    ):
        poll_id: str
        voter_id: str
        vote_id: str = fields.new_id()
        at: fields.Timestamp = fields.now()
        keys = Keys(primary=("POLLS", sort))

    return Design("polls", entities=[Vote])


def test_many_sort_keys_of_one_key_are_split() -> None:
    (found,) = heat_of(votes("VOTE#{voter_id}"), EVEN)
    assert (found.verdict, found.hot) == ("settles", ())
    assert found.run.splits > 0
    (key,) = found.run.keys
    assert (key.name, round(key.heat, 1)) == ("POLLS", 5.0)


@pytest.mark.parametrize("sort", ["VOTE#{at}#{voter_id}", "VOTE#{vote_id}", "VOTE"])
def test_sort_keys_that_increase_or_are_constant_are_not_split(sort: str) -> None:
    (found,) = heat_of(votes(sort), EVEN)
    assert found.verdict == "throttles"
    assert found.hot[0].throttled == pytest.approx(0.8, abs=0.02)


def test_a_local_index_keeps_a_key_in_one_partition() -> None:
    local = Index("by-time", "PK", "at", local=True)
    (found,) = heat_of(votes("VOTE#{voter_id}", indexes=[local]), EVEN)
    assert found.verdict == "throttles"


def test_an_error_of_a_step_ends_the_simulation_of_the_first_table() -> None:
    class Stopped(Exception):
        pass

    steps: list[None] = []
    progress: list[tuple[int, int]] = []

    def step() -> None:
        steps.append(None)
        if len(steps) == 10:
            raise Stopped

    with pytest.raises(Stopped):
        heat_of(votes("VOTE#{voter_id}"), EVEN, on_progress=lambda *each: progress.append(each), on_step=step)
    assert (len(steps), progress) == (10, [(0, 1)])


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
