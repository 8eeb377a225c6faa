"""Backups, restores and exports against a model: the list of all past states of the table."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.attributes import admit_item, equal
from tablewright.engine.core.state import row_batches
from tablewright.engine.database import Database
from tablewright.engine.features.exports import export_job, incremental_export
from tablewright.engine.features.imports import import_job
from tablewright.engine.storage import open_store
from tests.dynamodb.values.strategies import items as any_items
from tests.engine.archive import (
    BUCKET,
    START,
    archive,
    back_up,
    create,
    export,
    import_export,
    recover,
    restore,
)
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.example_counts import examples

Item: TypeAlias = dict[str, Any]
State: TypeAlias = dict[tuple[str, int], Item]


@pytest.fixture(scope="module", autouse=True)
def small_pieces() -> Iterator[None]:
    """Small pieces, so that copies have many boundaries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_batches, "MAX_ROWS", 2)
        patch.setattr(export_job, "ITEMS_AT_ONCE", 2)
        patch.setattr(import_job, "ITEMS_AT_ONCE", 2)
        patch.setattr(incremental_export, "_ENTRIES_AT_ONCE", 2)
        yield


keys = st.tuples(st.sampled_from("ab"), st.integers(-1, 2))
teams = st.sampled_from(["red", "blue"])
lifetimes = st.none() | st.integers(0, 400)


def key_of(item: Item) -> tuple[str, int]:
    return item["pk"]["S"], int(item["sk"]["N"])


def wire_key(key: tuple[str, int]) -> Item:
    return {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}


class BackupMachine(RuleBasedStateMachine):
    """Writes on every path and moves of the clock; every second of the window and every backup can be restored."""

    on_file = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / BUCKET).mkdir()
        self.path = self.folder / "data.db" if self.on_file else None
        self.clock = Clock(start=START)
        self.db = self._open()
        self.db.call("CreateTable", ORDERS)
        specification = {"AttributeName": "ttl", "Enabled": True}
        self.db.call("UpdateTimeToLive", {"TableName": "orders", "TimeToLiveSpecification": specification})
        recover(self.db, "orders")
        self.model: State = {}
        self.history: list[tuple[float, State]] = [(START, {})]
        self.backups: list[tuple[str, State]] = []
        self.made = 0

    def _open(self) -> Database:
        return Database(open_store(self.path, "relaxed"), self.clock, buckets=self.folder)

    def teardown(self) -> None:
        self.db.close()
        shutil.rmtree(self.folder)

    def _note(self) -> None:
        self.history.append((self.clock.now(), dict(self.model)))

    def _name(self) -> str:
        self.made += 1
        return f"table-{self.made}"

    def _require(self, table: str, state: State) -> None:
        found = self.db.call("Scan", {"TableName": table})["Items"]
        assert {key_of(item): item for item in found} == state
        assert len(found) == len(state)
        assert_indexes_match(self.db)
        self.db.call("DeleteTable", {"TableName": table})

    def _item(self, key: tuple[str, int], team: str, lifetime: int | None) -> Item:
        item = {**wire_key(key), "team": {"S": team}, "rank": {"N": "1"}}
        return item if lifetime is None else item | {"ttl": {"N": str(int(self.clock.now()) + lifetime)}}

    @rule(key=keys, team=teams, lifetime=lifetimes)
    def put(self, key: tuple[str, int], team: str, lifetime: int | None) -> None:
        self.model[key] = self._item(key, team, lifetime)
        self.db.call("PutItem", {"TableName": "orders", "Item": self.model[key]})
        self._note()

    @rule(key=keys)
    def count(self, key: tuple[str, int]) -> None:
        reply = self.db.call(
            "UpdateItem",
            {
                "TableName": "orders",
                "Key": wire_key(key),
                "UpdateExpression": "ADD #r :one",
                "ExpressionAttributeNames": {"#r": "rank"},
                "ExpressionAttributeValues": {":one": {"N": "1"}},
                "ReturnValues": "ALL_NEW",
            },
        )
        self.model[key] = reply["Attributes"]
        self._note()

    @rule(key=keys)
    def delete(self, key: tuple[str, int]) -> None:
        self.db.call("DeleteItem", {"TableName": "orders", "Key": wire_key(key)})
        self.model.pop(key, None)
        self._note()

    @rule(chosen=st.sets(keys, min_size=1, max_size=4), team=teams, together=st.booleans())
    def put_many(self, chosen: set[tuple[str, int]], team: str, together: bool) -> None:
        items = [self._item(key, team, None) for key in sorted(chosen)]
        if together:
            puts = [{"Put": {"TableName": "orders", "Item": item}} for item in items]
            self.db.call("TransactWriteItems", {"TransactItems": puts})
        else:
            writes = [{"PutRequest": {"Item": item}} for item in items]
            self.db.call("BatchWriteItem", {"RequestItems": {"orders": writes}})
        self.model.update({key_of(item): item for item in items})
        self._note()

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def delete_by_statement(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.model)))
        parameters = list(wire_key(key).values())
        statement = 'DELETE FROM "orders" WHERE pk = ? AND sk = ?'
        self.db.call("ExecuteStatement", {"Statement": statement, "Parameters": parameters})
        del self.model[key]
        self._note()

    @rule(seconds=st.integers(1, 400))
    def pass_time(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule()
    def expire(self) -> None:
        self.db.sweep()
        now = int(self.clock.now())
        self.model = {
            key: item for key, item in self.model.items() if "ttl" not in item or int(item["ttl"]["N"]) > now
        }
        self._note()

    @rule()
    def keep(self) -> None:
        self.backups.append((back_up(self.db, "orders"), dict(self.model)))

    @precondition(lambda self: self.backups)
    @rule(data=st.data())
    def restore_backup(self, data: st.DataObject) -> None:
        backup, state = data.draw(st.sampled_from(self.backups))
        name = self._name()
        restore(self.db, backup, name)
        self._require(name, state)

    @rule(data=st.data())
    def restore_second(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(START, int(self.clock.now())))
        name = self._name()
        request = {"SourceTableName": "orders", "TargetTableName": name, "RestoreDateTime": at}
        self.db.call("RestoreTableToPointInTime", request)
        self.db.jobs.wait()
        self._require(name, self._state_at(at))

    @rule(data=st.data(), form=st.sampled_from(["DYNAMODB_JSON", "ION"]))
    def export_and_import(self, data: st.DataObject, form: str) -> None:
        latest = max(START, int(self.clock.now()) - 300)
        at = data.draw(st.none() | st.integers(START, latest))
        options = {} if at is None else {"ExportTime": at}
        exported = export(self.db, "orders", ExportFormat=form, **options)
        name = self._name()
        table = {
            member: ORDERS[member]
            for member in ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        }
        imported = import_export(self.db, exported, name, table)
        assert imported["ImportStatus"] == "COMPLETED"
        self._require(name, self.model if at is None else self._state_at(at))

    @precondition(lambda self: self.on_file)
    @rule()
    def reopen(self) -> None:
        self.db.close()
        self.db = self._open()

    @invariant()
    def the_table_is_untouched(self) -> None:
        found = self.db.call("Scan", {"TableName": "orders"})["Items"]
        assert {key_of(item): item for item in found} == self.model

    def _state_at(self, at: float) -> State:
        return [state for time, state in self.history if time <= at][-1]


class FileMachine(BackupMachine):
    on_file = True


TestMemory = BackupMachine.TestCase
TestMemory.settings = examples(40, stateful_step_count=25)
TestFile = FileMachine.TestCase
TestFile.settings = examples(40, stateful_step_count=20)


@given(written=st.lists(any_items(), min_size=1, max_size=4))
@examples(60)
def test_export_then_import_is_the_identity(written: list[Item]) -> None:
    """For every type of attribute, in both forms."""
    with tempfile.TemporaryDirectory() as folder, archive(Path(folder)) as db:
        create(db)
        recover(db)
        for number, item in enumerate(written):
            db.call("PutItem", {"TableName": "users", "Item": {**item, "id": {"S": str(number)}}})
        before = _by_id(db, "users")
        for form in ("DYNAMODB_JSON", "ION"):
            ended = import_export(db, export(db, ExportFormat=form), f"as-{form}")
            assert ended["ImportStatus"] == "COMPLETED"
            after = _by_id(db, f"as-{form}")
            assert before.keys() == after.keys()
            for key, item in before.items():
                assert equal({"M": admit_item(item)[0]}, {"M": admit_item(after[key])[0]})


def _by_id(db: Database, table: str) -> dict[str, Item]:
    return {item["id"]["S"]: item for item in db.call("Scan", {"TableName": table})["Items"]}
