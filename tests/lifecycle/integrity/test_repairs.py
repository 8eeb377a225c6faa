"""Previews of repairs: each item before and after, and nothing written."""

from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Keys, Repository, Table, fields
from tablewright.access.calls.procedures import run_sync
from tablewright.lifecycle.integrity.integrity_check import check
from tablewright.lifecycle.integrity.integrity_findings import Finding, Kind
from tablewright.lifecycle.integrity.repairs import preview_repairs, repair
from tests.lifecycle.stores import Store

main = Table("guests", ("PK", "SK"))


class Guest(Entity, table=main, type="GUEST"):
    guest_id: str
    email: Annotated[str, fields.Unique()]
    party: str
    keys = Keys(primary=("GUEST#{guest_id}", "GUEST"))
    in_party = Copy(primary=("PARTY#{party}", "GUEST#{guest_id}"), type="IN_PARTY")


design = Design("guests", entities=[Guest])
COPY = {"PK": {"S": "PARTY#p"}, "SK": {"S": "GUEST#g"}}


def _damaged(store: Store) -> tuple[Repository, Finding]:
    """A guest without its copy, and the finding."""
    db = store.open(design)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    db.connection.call("DeleteItem", {"TableName": store.prefix + "guests", "Key": COPY})
    return db, _only_finding(db, store)


def _only_finding(db: Repository, store: Store) -> Finding:
    (finding,) = check(db, pause=store.clock.advance).findings
    return finding


def _update(store: Store, **changes: Any) -> None:
    key = {"PK": {"S": "GUEST#g"}, "SK": {"S": "GUEST"}}
    for name, value in changes.items():
        request = {"TableName": store.prefix + "guests", "Key": key, "UpdateExpression": "SET #n = :v"}
        values = {"ExpressionAttributeNames": {"#n": name}, "ExpressionAttributeValues": {":v": {"S": value}}}
        store.connection.call("UpdateItem", request | values)


def test_a_preview_shows_the_items_and_writes_nothing(store: Store) -> None:
    db, finding = _damaged(store)
    before = store.items("guests")
    (changes,) = preview_repairs(db.connection, [finding])
    assert store.items("guests") == before
    assert changes is not None
    (change,) = changes
    assert (change.table, change.key, change.before) == (main, COPY, None)
    assert run_sync(repair(finding), db.connection.call)
    assert [item for item in store.items("guests") if item["PK"] == COPY["PK"]] == [change.after]
    assert check(db, pause=store.clock.advance).findings == []


def test_a_preview_of_a_deletion_has_no_item_after_it(store: Store) -> None:
    db = store.open(design)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    orphan = next(item for item in store.items("guests") if item["PK"] == COPY["PK"])
    store.put("guests", orphan | {"PK": {"S": "PARTY#other"}})
    finding = _only_finding(db, store)
    (changes,) = preview_repairs(db.connection, [finding])
    assert changes is not None
    assert [(change.before, change.after) for change in changes] == [
        (orphan | {"PK": {"S": "PARTY#other"}}, None)
    ]


def test_an_attribute_that_was_added_since_the_check_is_not_deleted_with_the_item(store: Store) -> None:
    db = store.open(design)
    db.put(Guest(guest_id="g", email="g@x.org", party="p"))
    copy = next(item for item in store.items("guests") if item["PK"] == COPY["PK"])
    orphan = copy | {"PK": {"S": "PARTY#other"}}
    store.put("guests", orphan)
    incomplete = {"PK": {"S": "GUEST#late"}, "SK": {"S": "GUEST"}, "party": {"S": "p"}}
    store.put("guests", incomplete)
    findings = check(db, pause=store.clock.advance).findings
    assert sorted(finding.kind for finding in findings) == [Kind.INCOMPLETE, Kind.ORPHAN_COPY]
    for item in (orphan, incomplete):
        store.put("guests", item | {"schemaVersion": {"N": "1"}})
    before = store.items("guests")
    assert list(preview_repairs(db.connection, findings)) == [None, None]
    assert [run_sync(repair(finding), db.connection.call) for finding in findings] == [False, False]
    assert store.items("guests") == before


def test_an_item_that_has_changed_is_neither_previewed_nor_repaired(store: Store) -> None:
    db, finding = _damaged(store)
    _update(store, party="q")
    assert list(preview_repairs(db.connection, [finding])) == [None]
    before = store.items("guests")
    assert not run_sync(repair(finding), db.connection.call)
    assert store.items("guests") == before
