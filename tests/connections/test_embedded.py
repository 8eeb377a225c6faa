"""The embedded connection: memory or a file, its settings, and its errors."""

from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from tablewright import Clock, Connection, Faults, embedded, errors
from tablewright.connections import Embedded
from tests.connections.tables import MUSIC

NINA = {"Artist": {"S": "Nina"}, "Song": {"S": "Sinnerman"}}


def test_a_request_is_executed(music: Embedded) -> None:
    connection: Connection = music
    connection.call("PutItem", {"TableName": "Music", "Item": {**NINA, "Cover": {"B": b"\x00\xff"}}})
    reply = connection.call("GetItem", {"TableName": "Music", "Key": NINA})
    assert reply == {"Item": {**NINA, "Cover": {"B": b"\x00\xff"}}}


def test_an_error_is_raised_by_its_code(music: Embedded) -> None:
    absent = {"TableName": "Music", "Item": NINA, "ConditionExpression": "attribute_exists(Song)"}
    with pytest.raises(errors.ConditionalCheckFailed, match="The conditional request failed") as error:
        music.call("PutItem", absent)
    assert error.value.code == "ConditionalCheckFailedException"


@pytest.mark.parametrize("operation", ["DropTable", "getitem", "", "DynamoDB_20120810.GetItem"])
def test_an_unknown_operation_is_an_error(db: Embedded, operation: str) -> None:
    with pytest.raises(errors.UnknownOperation):
        db.call(operation, {})


def test_databases_in_memory_are_separate(music: Embedded) -> None:
    with embedded() as other:
        assert other.call("ListTables", {}) == {"TableNames": []}


def test_a_file_keeps_its_data(tmp_path: Path) -> None:
    with embedded(tmp_path / "app.db") as db:
        db.call("CreateTable", MUSIC)
        db.call("PutItem", {"TableName": "Music", "Item": NINA})
    with embedded(str(tmp_path / "app.db"), durability="relaxed") as db:
        assert db.call("GetItem", {"TableName": "Music", "Key": NINA}) == {"Item": NINA}


def test_a_file_is_opened_only_once(tmp_path: Path) -> None:
    with embedded(tmp_path / "app.db"), pytest.raises(errors.StoreLocked, match="in use by process"):
        embedded(tmp_path / "app.db")
    embedded(tmp_path / "app.db").close()


def test_a_closed_database_raises(music: Embedded) -> None:
    client = music.client()
    music.close()
    music.close()
    with pytest.raises(errors.StoreError, match=r"closed; open it again with embedded\(\.\.\.\)"):
        music.call("ListTables", {})
    with pytest.raises(errors.StoreError, match="closed"):
        client.list_tables()


def test_an_unknown_durability_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(errors.StoreError, match="durability"):
        embedded(tmp_path / "app.db", durability="none")  # type: ignore[arg-type]


def test_the_path_memory_is_an_error_and_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.StoreError, match=r"call embedded\(\) without a path"):
        embedded(":memory:")
    assert not list(tmp_path.iterdir())


def test_repr_names_the_place(tmp_path: Path) -> None:
    with embedded() as memory, embedded(tmp_path / "app.db") as file:
        assert repr(memory) == "<embedded database in memory>"
        assert repr(file) == f"<embedded database in {tmp_path / 'app.db'}>"
    assert repr(file) == "<closed embedded database>"


def test_arns_have_the_region() -> None:
    with embedded(region="eu-central-1") as db:
        arn = db.call("CreateTable", MUSIC)["TableDescription"]["TableArn"]
        assert arn.startswith("arn:aws:dynamodb:eu-central-1:")
        assert db.client().meta.region_name == "eu-central-1"


def test_the_clock_is_the_one_given() -> None:
    clock = Clock(start=datetime(2030, 1, 2, tzinfo=UTC))
    with embedded(clock=clock) as db:
        assert db.clock is clock
        created = db.client().create_table(**MUSIC)["TableDescription"]["CreationDateTime"]
        assert created == datetime(2030, 1, 2, tzinfo=UTC)


def test_faults_reach_the_engine() -> None:
    with embedded(faults=Faults(throttling=1.0)) as db:
        db.call("CreateTable", MUSIC)
        with pytest.raises(errors.ProvisionedThroughputExceeded):
            db.call("GetItem", {"TableName": "Music", "Key": NINA})


def test_faults_are_switched_while_the_database_is_in_use(music: Embedded) -> None:
    key = {"TableName": "Music", "Key": NINA}
    assert music.faults is None
    music.faults = Faults(throttling=1.0)
    assert music.faults.throttling == 1.0
    with pytest.raises(errors.ProvisionedThroughputExceeded):
        music.call("GetItem", key)
    assert music.bulk_access() is None
    music.faults = None
    music.call("GetItem", key)
    assert music.faults is None
    assert music.bulk_access() is not None


def test_many_threads_share_a_connection(music: Embedded) -> None:
    def write(thread: int) -> None:
        for number in range(50):
            music.call(
                "PutItem", {"TableName": "Music", "Item": {**NINA, "Song": {"S": f"{thread}/{number}"}}}
            )

    threads = [Thread(target=write, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = [
        music.call("GetItem", {"TableName": "Music", "Key": {**NINA, "Song": {"S": f"{thread}/{number}"}}})
        for thread in range(8)
        for number in range(50)
    ]
    assert all("Item" in reply for reply in written)


def test_a_copy_has_the_items_and_is_separate(music: Embedded) -> None:
    music.call("PutItem", {"TableName": "Music", "Item": NINA})
    with music.copy() as copy:
        assert copy.path is None
        assert copy.call("GetItem", {"TableName": "Music", "Key": NINA}) == {"Item": NINA}
        copy.call("DeleteItem", {"TableName": "Music", "Key": NINA})
        copy.call("CreateTable", {**MUSIC, "TableName": "Other"})
    assert music.call("GetItem", {"TableName": "Music", "Key": NINA}) == {"Item": NINA}
    assert music.call("ListTables", {}) == {"TableNames": ["Music"]}


def test_a_copy_has_its_own_clock_and_faults(music: Embedded) -> None:
    clock = Clock(start=1_000_000_000)
    with music.copy(clock=clock, faults=Faults(throttling=1.0)) as copy:
        assert copy.clock is clock
        with pytest.raises(errors.ProvisionedThroughputExceeded):
            copy.call("GetItem", {"TableName": "Music", "Key": NINA})
    with music.copy() as copy:
        copy.clock.advance(3600)
        assert copy.clock.now() - music.clock.now() > 3500
        assert copy.call("GetItem", {"TableName": "Music", "Key": NINA}) == {}


def test_a_closed_database_cannot_be_copied(music: Embedded) -> None:
    music.close()
    with pytest.raises(errors.StoreError, match="closed"):
        music.copy()


REPLICA = {"TableName": "Music", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}


def test_regions_have_their_own_tables_and_replicas() -> None:
    with embedded(clock=Clock(start=1_700_000_000)) as db:
        db.call("CreateTable", MUSIC)
        other = db.in_region("eu-west-1")
        assert other.call("ListTables", {}) == {"TableNames": []}
        assert (other.region, other.clock, db.in_region("us-east-1")) == ("eu-west-1", db.clock, db)
        db.call("UpdateTable", REPLICA)
        db.call("PutItem", {"TableName": "Music", "Item": NINA})
        assert other.call("ListTables", {}) == {"TableNames": []}
        assert db.replicate() > 0
        assert other.call("GetItem", {"TableName": "Music", "Key": NINA}) == {"Item": NINA}
        other.close()
        with pytest.raises(errors.StoreError):
            other.call("ListTables", {})
        assert db.in_region("eu-west-1").call("ListTables", {}) == {"TableNames": ["Music"]}


@pytest.mark.parametrize("name", ["nowhere", "../x"])
def test_a_name_that_is_no_region_is_rejected(db: Embedded, name: str) -> None:
    with pytest.raises(errors.StoreError, match="is not a region of AWS"):
        db.in_region(name)


def test_replicas_in_files_are_there_again(tmp_path: Path) -> None:
    clock = Clock(start=1_700_000_000)
    with embedded(tmp_path / "app.db", clock=clock) as db:
        db.call("CreateTable", MUSIC)
        db.call("UpdateTable", REPLICA)
        db.replicate()
    with embedded(tmp_path / "app.db", clock=clock) as db:
        db.in_region("eu-west-1").call("PutItem", {"TableName": "Music", "Item": NINA})
        db.replicate()
        assert db.call("GetItem", {"TableName": "Music", "Key": NINA}) == {"Item": NINA}


def test_the_history_of_an_item_is_read_through_the_connection(music: Embedded) -> None:
    enabled = {"PointInTimeRecoveryEnabled": True}
    music.call("UpdateContinuousBackups", {"TableName": "Music", "PointInTimeRecoverySpecification": enabled})
    music.call("PutItem", {"TableName": "Music", "Item": NINA})
    (change,) = music.item_changes("Music", NINA)["changes"]
    assert (change["before"], change["after"]) == (None, NINA)
    assert music.item_changes("Music")["changes"] == [change]
    assert music.items_at("Music", NINA, [music.clock.now()]) == {"items": [[NINA]], "next": None}
