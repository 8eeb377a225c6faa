"""Replication: all regions converge to the newest write of each item, whatever is read when."""

import threading
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.features.replicas import replication
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.replication import ReplicationLoop, replicate
from tablewright.errors import Unreachable
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world
from tests.engine.table_cases import request_of

__all__ = ["world"]


def test_changes_reach_the_other_region_in_both_directions(world: World) -> None:
    world.put(US, "nina")
    world.put(EU, "miles")
    assert world.songs(US) == {"nina": "nina"}
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "nina", "miles": "miles"}


def test_the_newest_write_wins(world: World) -> None:
    world.put(EU, "nina", "old")
    world.clock.advance(1)
    world.put(US, "nina", "new")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "new"}


def test_writes_of_the_same_time_are_decided_by_the_region(world: World) -> None:
    world.put(US, "nina", "us")
    world.put(EU, "nina", "eu")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "us"}


def test_a_write_wins_over_what_it_replaced_although_its_clock_is_behind(world: World) -> None:
    world.put(US, "nina", "first")
    world.replicate()
    world.clock.advance(-60)
    world.put(EU, "nina", "second")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "second"}


@pytest.mark.parametrize("exists", [True, False])
def test_an_older_put_does_not_revive_a_deleted_item(world: World, exists: bool) -> None:
    if exists:
        world.put(US, "nina", "first")
        world.replicate()
    world.put(EU, "nina", "older")
    world.clock.advance(1)
    world.delete(US, "nina")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {}


def test_a_newer_put_survives_an_older_delete(world: World) -> None:
    world.put(US, "nina", "first")
    world.replicate()
    world.delete(US, "nina")
    world.clock.advance(1)
    world.put(EU, "nina", "newer")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "newer"}


def test_a_write_that_changes_nothing_is_the_newest_write_too(world: World) -> None:
    world.put(US, "nina", "same")
    world.clock.advance(1)
    world.put(EU, "nina", "other")
    world.clock.advance(1)
    world.put(US, "nina", "same")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "same"}


def test_every_change_is_applied_once(world: World) -> None:
    world.put(US, "nina")
    world.replicate()
    assert world.replicate() == 0
    assert [record["eventName"] for record in world.records(EU)] == ["INSERT"]
    assert [record["eventName"] for record in world.records(US)] == ["INSERT"]


def test_several_writes_of_an_item_arrive_as_one(world: World) -> None:
    for song in "abc":
        world.put(US, "nina", song)
    world.replicate()
    assert len(world.records(US)) == 3
    assert [record["dynamodb"]["NewImage"]["song"]["S"] for record in world.records(EU)] == ["c"]


def test_more_changes_than_a_page_holds(world: World) -> None:
    for number in range(300):
        world.put(US, f"artist-{number}")
    world.replicate()
    assert len(world.songs(EU)) == 300


def test_two_regions_converge_through_a_third(world: World) -> None:
    world.join(AP)
    world.put(US, "nina")
    world.pull(EU, US)
    world.pull(AP, EU)
    assert world.songs(AP) == {"nina": "nina"}


def test_a_transaction_is_atomic_in_its_region_only(world: World) -> None:
    world.put(EU, "miles", "older")
    world.clock.advance(1)
    puts = [{"Put": {"TableName": "music", "Item": {"artist": {"S": a}, "song": {"S": "tx"}}}} for a in "xy"]
    world[US].call("TransactWriteItems", {"TransactItems": puts})
    world.clock.advance(1)
    world.put(EU, "y", "newer")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"miles": "older", "x": "tx", "y": "newer"}


def test_an_unreachable_region_is_reported_and_nothing_is_lost(world: World) -> None:
    class Down:
        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            raise Unreachable("no route")

    world.put(US, "nina")
    links = links_of(world[EU].state)
    peer, links.peer = links.peer, lambda region: Down()
    with pytest.raises(Unreachable):
        replicate(world[EU].sessions, US)
    links.peer = peer
    world.replicate()
    assert world.songs(EU) == {"nina": "nina"}


def test_a_damaged_table_does_not_stop_the_other_tables(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world[US].call("CreateTable", request_of("a-first", "id | id:S"))
    create = {"TableName": "a-first", "ReplicaUpdates": [{"Create": {"RegionName": EU}}]}
    world[US].call("UpdateTable", create)
    world.replicate()
    damaged = deepcopy(world[EU].state.catalog.table("a-first").definition)
    damaged["Replication"]["Members"][EU] = {"Status": "CREATING", "Changed": [1 << 60, EU]}
    damaged["Replication"]["Settings"]["Index/x"] = {"Changed": [1, EU]}
    world[EU].sessions.write(lambda tx: tx.state.catalog.save(tx.rows, damaged))
    world.put(US, "nina")
    world.replicate()
    assert world.songs(EU) == {"nina": "nina"}
    assert "table a-first: replication with us-east-1 failed; other tables continue" in caplog.text
    assert "table a-first: replication with eu-west-1 failed; other tables continue" in caplog.text
    caplog.clear()
    world.replicate()
    assert "a-first" not in caplog.text


REGIONS = (US, EU, AP)
REGION = st.sampled_from(REGIONS)
ARTIST = st.sampled_from("abcd")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), REGION, ARTIST),
        st.tuples(st.just("delete"), REGION, ARTIST),
        st.tuples(st.just("pull"), REGION, REGION),
        st.tuples(st.just("advance"), st.integers(0, 2), st.none()),
    ),
    max_size=60,
)


@given(STEPS)
def test_regions_converge_to_the_newest_writes(steps: list[tuple[str, str, str]]) -> None:
    world = World()
    world.create()
    world.join(EU)
    world.join(AP)
    newest: dict[str, tuple[float, str]] = {}
    model: dict[str, str] = {}
    is_ordered = True
    for number, (kind, first, second) in enumerate(steps):
        match kind:
            case "put" | "delete":
                now = world.clock.now()
                is_ordered &= second not in newest or newest[second][0] < now
                newest[second] = now, first
                if kind == "put":
                    world.put(first, second, str(number))
                    model[second] = str(number)
                else:
                    world.delete(first, second)
                    model.pop(second, None)
            case "pull" if first != second:
                world.pull(first, second)
            case "advance":
                world.clock.advance(int(first) * 0.001)
    world.replicate()
    contents = [world.songs(region) for region in REGIONS]
    world.close()
    assert contents[0] == contents[1] == contents[2]
    if is_ordered:
        assert contents[0] == model


def test_rounds_run_until_the_loop_is_stopped() -> None:
    results, reached = iter([True, False, None]), threading.Event()

    def run_round() -> bool | None:
        result = next(results, False)
        if result is None:
            reached.set()
        return result

    loop = ReplicationLoop(run_round, "test")
    loop.start()
    loop.start()
    assert reached.wait(10)
    loop.stop()
    loop.start()
    names = [thread.name for thread in threading.enumerate()]
    assert "tablewright-replication-test" not in names


def test_a_round_that_raises_is_logged_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(replication, "FAILED_WAIT", 0.0)
    results, reached = iter([ValueError("planted"), None]), threading.Event()

    def run_round() -> bool | None:
        result = next(results, None)
        if isinstance(result, ValueError):
            raise result
        reached.set()
        return result

    loop = ReplicationLoop(run_round, "test")
    loop.start()
    assert reached.wait(10)
    loop.stop()
    assert "replication failed" in caplog.text


def test_a_failed_round_waits_longer_than_an_idle_one() -> None:
    assert replication.BUSY_WAIT < replication.IDLE_WAIT < replication.FAILED_WAIT
