"""Dry runs: the same results as the run, and no write."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

import pytest

from tablewright import (
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Repository,
    Table,
    connect,
    embedded,
    errors,
    fields,
    keyrings,
    migrations,
)
from tablewright.access.encryption.field_encryption import SecretVault
from tablewright.lifecycle.migrate.dry_run_connection import DryRunConnection, HeldBackKeys
from tests.lifecycle.stores import Store

Fields = dict[str, Any]
main = Table("shop", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Part(Entity, table=main, type="PART"):
    part_id: str
    name: Annotated[str, fields.Unique()]
    group: str = "x"
    parent: str | None = None
    level: int | None = None
    keys = Keys(primary=("PART#{part_id}", "PART"), GSI1=("GROUP#{group}", "{part_id}"))


class PartById(Get[Part]):
    part_id: str


def lower_id(item: Fields) -> Fields:
    return item | {"partId": item["partId"].lower(), "PK": f"PART#{item['partId'].lower()}"}


def lower_name(item: Fields) -> Fields:
    return item | {"name": item["name"].lower()}


def with_level(item: Fields, view: migrations.View) -> Fields | None:
    if "level" in item:
        return None
    parent = view.find(Part, part_id=item["parent"]) if "parent" in item else {"level": -1}
    if parent is None or "level" not in parent:
        raise ValueError("the parent has no level")
    return item | {"level": parent["level"] + 1}


def opened(store: Store, *listed: migrations.Migration) -> Repository:
    return store.open(Design("shop", entities=[Part], patterns=[PartById], migrations=listed))


def compared(store: Store, db: Repository, **options: Any) -> list[migrations.Result]:
    """Run dry, check that nothing was written, run, and check that the results are the same."""
    before = store.items("shop")
    tables = store.connection.call("ListTables", {})["TableNames"]
    dry = ended(store, db, dry_run=True, **options)
    assert store.items("shop") == before
    assert store.connection.call("ListTables", {})["TableNames"] == tables
    real = ended(store, db, **options)
    assert [summary(each) for each in dry] == [summary(each) for each in real]
    return real


def ended(store: Store, db: Repository, **options: Any) -> list[migrations.Result]:
    try:
        return migrations.migrate(db, pause=store.clock.advance, segments=1, **options)
    except errors.MigrationIncomplete as error:
        return error.results


def summary(result: migrations.Result) -> tuple[Any, ...]:
    reasons = sorted(reject.reason for reject in result.rejects)
    return result.migration.name, result.tally, reasons


def test_items_that_collide_within_the_run_are_counted(store: Store) -> None:
    db = opened(store, migrations.Migration("ids", Part, lower_id))
    for part_id in ("A", "B", "AB", "Ab", "aB"):
        db.create(Part(part_id=part_id, name=part_id))
    (result,) = compared(store, db)
    assert (result.tally.changed, len(result.rejects)) == (3, 2)


def test_items_that_collide_with_stored_items_are_counted(store: Store) -> None:
    db = opened(store, migrations.Migration("ids", Part, lower_id))
    for part_id in ("A", "a", "B"):
        db.create(Part(part_id=part_id, name=part_id))
    (result,) = compared(store, db)
    assert (result.tally.changed, len(result.rejects)) == (1, 1)


def test_unique_values_that_collide_within_the_run_are_counted(store: Store) -> None:
    db = opened(store, migrations.Migration("names", Part, lower_name))
    for name in ("A", "B", "AB", "Ab", "aB"):
        db.create(Part(part_id=name, name=name))
    (result,) = compared(store, db)
    assert (result.tally.changed, len(result.rejects)) == (3, 2)


def test_items_that_a_later_pass_converts_are_no_rejects(store: Store) -> None:
    """Children are converted after their parents, one level with each pass."""
    db = opened(store, migrations.Migration("levels", Part, with_level))
    parents = {"root": None, "a": "root", "b": "a", "c": "b", "lost": "none"}
    for part_id, parent in parents.items():
        db.create(Part(part_id=part_id, name=part_id, parent=parent))
    (result,) = compared(store, db)
    assert (result.tally.changed, len(result.rejects)) == (4, 1)


def test_a_migration_sees_what_the_one_before_would_have_written(store: Store) -> None:
    def named_after_id(item: Fields) -> Fields:
        return item | {"name": item["partId"]}

    db = opened(
        store,
        migrations.Migration("1-ids", Part, lower_id),
        migrations.Migration("2-names", Part, named_after_id),
    )
    for part_id in ("A", "B"):
        db.create(Part(part_id=part_id, name=f"n{part_id}"))
    first, second = compared(store, db)
    assert (first.tally.changed, second.tally.changed) == (2, 2)
    assert {part.name for part in map(db.get_or_raise, (PartById(part_id="a"), PartById(part_id="b")))} == {
        "a",
        "b",
    }


def test_a_migration_that_would_not_start_is_not_run_dry(store: Store) -> None:
    def fails(item: Fields) -> Fields:
        raise ValueError("no")

    db = opened(store, migrations.Migration("1", Part, fails), migrations.Migration("2", Part, lower_id))
    db.create(Part(part_id="A", name="A"))
    assert [result.migration.name for result in compared(store, db)] == ["1"]


def test_deleted_items_and_table_migrations(store: Store) -> None:
    def clean(item: Fields) -> Fields | migrations.Removal:
        return migrations.DELETE if item["PK"] == "PART#A" else item | {"label": "x"}

    db = opened(store, migrations.Migration("clean", main, clean))
    for part_id in ("A", "B"):
        db.create(Part(part_id=part_id, name=part_id))
    (result,) = compared(store, db)
    assert result.tally.changed == 4


def test_no_data_key_is_stored_or_kept_in_memory(store: Store) -> None:
    """A data key that only a dry run knew would make later writes unreadable."""
    table = Table("safe", "id")

    class Safe(Entity, table=table, type="SAFE"):
        id: str
        code: Annotated[str | None, fields.Encrypted()] = None
        keys = Keys(primary="{id}")

    class SafeById(Get[Safe]):
        id: str

    coded = migrations.Migration("codes", Safe, lambda item: {"code": "7", **item})
    design = Design("safe", entities=[Safe], patterns=[SafeById], migrations=[coded])
    secrets = keyrings.MemoryKeys()
    db = store.open(design, secrets=secrets)
    db.create(Safe(id="1"))
    (result,) = migrations.migrate(db, dry_run=True, pause=store.clock.advance)
    assert result.tally.changed == 1
    assert isinstance(db.context.vault, SecretVault)
    assert not store.items(db.context.vault.table.removeprefix(store.prefix))
    migrations.migrate(db, pause=store.clock.advance)
    other = store.open(design, secrets=secrets)
    assert other.get_or_raise(SafeById(id="1")).code == "7"


def test_reads_see_held_back_writes(store: Store) -> None:
    db = opened(store)
    db.create(Part(part_id="A", name="A"))
    table, key = f"{store.prefix}shop", {"PK": {"S": "PART#A"}, "SK": {"S": "PART"}}
    new = {"PK": {"S": "X"}, "SK": {"S": "X"}}
    with DryRunConnection(store.connection) as dry:
        dry.call("DeleteItem", {"TableName": table, "Key": key})
        dry.call("PutItem", {"TableName": table, "Item": new | {"a": {"N": "1"}}})
        assert "Item" not in dry.call("GetItem", {"TableName": table, "Key": key})
        found = dry.call("BatchGetItem", {"RequestItems": {table: {"Keys": [key, new]}}})["Responses"][table]
        assert found == [new | {"a": {"N": "1"}}]
        gets = [{"Get": {"TableName": table, "Key": each}} for each in (key, new)]
        assert [
            "Item" in response
            for response in dry.call("TransactGetItems", {"TransactItems": gets})["Responses"]
        ] == [False, True]
        with pytest.raises(errors.UsageError, match="a dry run cannot make the call UpdateTable"):
            dry.call("UpdateTable", {"TableName": table})
    assert "Item" in store.connection.call("GetItem", {"TableName": table, "Key": key})


def test_vectors_are_checked_by_a_dry_run() -> None:
    index = {
        "IndexName": "by-vector",
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": 2,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
        "SearchSchema": [{"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}],
    }
    with embedded() as connection:
        connection.call(
            "CreateTable",
            {
                "TableName": "documents",
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in ("id", "kind")
                ],
                "VectorIndexes": [index],
            },
        )
        with DryRunConnection(connection) as dry:
            item = {"id": {"S": "a"}, "v": {"L": [{"N": "1"}, {"N": "2"}]}}
            dry.call("PutItem", {"TableName": "documents", "Item": item})
            with pytest.raises(errors.ValidationError, match="Invalid size for parameter v"):
                dry.call("PutItem", {"TableName": "documents", "Item": {**item, "v": {"L": []}}})


def test_held_back_writes_are_in_a_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration may change more items than fit into memory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with embedded() as connection:
        connection.call("CreateTable", main.definition())
        with DryRunConnection(connection, on_disk=True) as dry:
            item = {"PK": {"S": "X"}, "SK": {"S": "X"}, "text": {"S": "held back"}}
            dry.call("PutItem", {"TableName": "shop", "Item": item})
            (folder,) = tmp_path.iterdir()
            assert any(b"held back" in file.read_bytes() for file in folder.iterdir())
        assert list(tmp_path.iterdir()) == []


def test_a_migration_runs_dry_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders: list[Path] = []

    def observed(item: Fields) -> Fields:
        folders.extend(tmp_path.iterdir())
        return lower_name(item)

    named = migrations.Migration("names", Part, observed)
    with connect(Design("shop", entities=[Part], migrations=[named])) as db:
        db.create(Part(part_id="A", name="A"))
        migrations.migrate(db, dry_run=True)
    assert folders
    assert list(tmp_path.iterdir()) == []


def test_keys_have_a_state_and_are_counted_by_table() -> None:
    with embedded() as database:
        keys = HeldBackKeys(database)
        one, other = (("PK", "{'S': 'a'}"),), (("PK", "{'S': 'b'}"),)
        assert (keys.find("shop", one), keys.count("shop")) == (None, 0)
        keys.add("shop", one, "stored")
        keys.add("shop", other, "new")
        assert (keys.find("shop", one), keys.find("shop", other)) == ("stored", "new")
        assert (keys.find("people", one), keys.count("people")) == (None, 0)
        assert (keys.count("shop"), keys.count_new("shop")) == (2, 1)


def test_long_keys() -> None:
    with embedded() as database:
        keys = HeldBackKeys(database)
        long = (("PK", "x" * 2048), ("SK", "y" * 1024))
        keys.add("shop", long, "new")
        assert keys.find("shop", long) == "new"
