"""The whole engine against a small independent model: dictionaries, and Python's own sorting."""

import shutil
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS
from tests.example_counts import examples

Item: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, int]

keys = st.tuples(st.sampled_from("ab"), st.integers(-2, 2))
teams = st.none() | st.sampled_from(["red", "blue"])
ranks = st.none() | st.integers(-3, 3)
notes = st.none() | st.text("xyz", max_size=3)


def make(key: Key, team: str | None, rank: int | None, note: str | None) -> Item:
    item: Item = {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}
    if team is not None:
        item["team"] = {"S": team}
    if rank is not None:
        item["rank"] = {"N": str(rank)}
    if note is not None:
        item["note"] = {"S": note}
    return item


items = st.builds(make, keys, teams, ranks, notes)


def key_of(item: Item) -> Key:
    return item["pk"]["S"], int(item["sk"]["N"])


def wire_key(key: Key) -> Item:
    return {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}


class EngineMachine(RuleBasedStateMachine):
    """Random writes through every path; after each, every read agrees with the model."""

    on_file = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "data.db" if self.on_file else None
        self.db = Database(open_store(self.path, "relaxed"))
        self.db.call("CreateTable", ORDERS)
        self.model: dict[Key, Item] = {}

    def teardown(self) -> None:
        self.db.close()
        shutil.rmtree(self.folder)

    @rule(item=items)
    def put(self, item: Item) -> None:
        reply = self.db.call("PutItem", {"TableName": "orders", "Item": item, "ReturnValues": "ALL_OLD"})
        assert reply.get("Attributes") == self.model.get(key_of(item))
        self.model[key_of(item)] = item

    @rule(item=items)
    def put_if_absent(self, item: Item) -> None:
        request = {"TableName": "orders", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
        if key_of(item) in self.model:
            with pytest.raises(ConditionalCheckFailed):
                self.db.call("PutItem", request)
        else:
            self.db.call("PutItem", request)
            self.model[key_of(item)] = item

    @rule(key=keys, team=st.sampled_from(["red", "blue"]), step=st.integers(-2, 2))
    def update(self, key: Key, team: str, step: int) -> None:
        reply = self.db.call(
            "UpdateItem",
            {
                "TableName": "orders",
                "Key": wire_key(key),
                "UpdateExpression": "SET team = :t REMOVE note ADD #r :s",
                "ExpressionAttributeNames": {"#r": "rank"},
                "ExpressionAttributeValues": {":t": {"S": team}, ":s": {"N": str(step)}},
                "ReturnValues": "ALL_NEW",
            },
        )
        item = dict(self.model.get(key, wire_key(key)))
        item["team"] = {"S": team}
        item["rank"] = {"N": str(int(item.get("rank", {"N": "0"})["N"]) + step)}
        item.pop("note", None)
        assert reply["Attributes"] == item
        self.model[key] = item

    @rule(key=keys)
    def remove_from_indexes(self, key: Key) -> None:
        request = {"TableName": "orders", "Key": wire_key(key), "UpdateExpression": "REMOVE team, #r"}
        self.db.call("UpdateItem", request | {"ExpressionAttributeNames": {"#r": "rank"}})
        if key in self.model:
            kept = {name: value for name, value in self.model[key].items() if name not in ("team", "rank")}
            self.model[key] = kept

    @rule(key=keys)
    def delete(self, key: Key) -> None:
        request = {"TableName": "orders", "Key": wire_key(key), "ReturnValues": "ALL_OLD"}
        assert self.db.call("DeleteItem", request).get("Attributes") == self.model.pop(key, None)

    @rule(puts=st.lists(items, min_size=1, max_size=4, unique_by=key_of), gone=keys)
    def batch(self, puts: list[Item], gone: Key) -> None:
        writes: list[Item] = [{"PutRequest": {"Item": item}} for item in puts if key_of(item) != gone]
        writes.append({"DeleteRequest": {"Key": wire_key(gone)}})
        reply = self.db.call("BatchWriteItem", {"RequestItems": {"orders": writes}})
        assert reply["UnprocessedItems"] == {}
        self.model.update({key_of(item): item for item in puts if key_of(item) != gone})
        self.model.pop(gone, None)

    @rule(puts=st.lists(items, min_size=1, max_size=3, unique_by=key_of), wanted=keys)
    def transact(self, puts: list[Item], wanted: Key) -> None:
        actions: list[Item] = [
            {"Put": {"TableName": "orders", "Item": item}} for item in puts if key_of(item) != wanted
        ]
        check = {
            "TableName": "orders",
            "Key": wire_key(wanted),
            "ConditionExpression": "attribute_exists(pk)",
        }
        actions.append({"ConditionCheck": check})
        if wanted in self.model:
            self.db.call("TransactWriteItems", {"TransactItems": actions})
            self.model.update({key_of(item): item for item in puts if key_of(item) != wanted})
        else:
            with pytest.raises(TransactionCanceled) as caught:
                self.db.call("TransactWriteItems", {"TransactItems": actions})
            assert caught.value.reasons[-1]["Code"] == "ConditionalCheckFailed"

    @rule(pk=st.sampled_from("ab"), forward=st.booleans(), limit=st.integers(1, 3))
    def query_in_pages(self, pk: str, forward: bool, limit: int) -> None:
        found = self._walk(
            {
                "KeyConditionExpression": "pk = :p",
                "ExpressionAttributeValues": {":p": {"S": pk}},
                "ScanIndexForward": forward,
                "Limit": limit,
            }
        )
        expected = [self.model[key] for key in sorted(self.model, reverse=not forward) if key[0] == pk]
        assert found == expected

    @rule(team=st.sampled_from(["red", "blue"]), low=st.integers(-3, 3), limit=st.integers(1, 3))
    def query_index_in_pages(self, team: str, low: int, limit: int) -> None:
        found = self._walk(
            {
                "IndexName": "by-team",
                "KeyConditionExpression": "team = :t AND #r >= :low",
                "ExpressionAttributeNames": {"#r": "rank"},
                "ExpressionAttributeValues": {":t": {"S": team}, ":low": {"N": str(low)}},
                "Limit": limit,
            }
        )
        expected = [
            item
            for item in self.model.values()
            if item.get("team") == {"S": team} and "rank" in item and int(item["rank"]["N"]) >= low
        ]
        assert sorted(found, key=key_of) == sorted(expected, key=key_of)
        found_ranks = [int(item["rank"]["N"]) for item in found]
        assert found_ranks == sorted(found_ranks)

    @rule(segments=st.integers(1, 4), limit=st.integers(1, 4))
    def scan_in_segments(self, segments: int, limit: int) -> None:
        found: list[Item] = []
        for segment in range(segments):
            request = {"Segment": segment, "TotalSegments": segments, "Limit": limit}
            found += self._walk(request, operation="Scan")
        assert sorted(map(key_of, found)) == sorted(self.model)

    @precondition(lambda self: self.on_file)
    @rule()
    def reopen(self) -> None:
        self.db.close()
        self.db = Database(open_store(self.path, "relaxed"))

    @invariant()
    def everything_agrees(self) -> None:
        found = self.db.call("Scan", {"TableName": "orders", "ConsistentRead": True})
        assert {key_of(item): item for item in found["Items"]} == self.model
        assert found["Count"] == len(self.model)
        assert_indexes_match(self.db)

    def _walk(self, request: Item, operation: str = "Query") -> list[Item]:
        """All items of a query or scan, page by page."""
        found: list[Item] = []
        start: Item = {}
        while True:
            reply = self.db.call(operation, {"TableName": "orders", **request, **start})
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return found
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}


class FileMachine(EngineMachine):
    on_file = True


TestMemory = EngineMachine.TestCase
TestMemory.settings = examples(60, stateful_step_count=30)
TestFile = FileMachine.TestCase
TestFile.settings = examples(80, stateful_step_count=25)
