"""Edits: typed changes with everything they touch, saved only if nothing changed since, and undone by a new write."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.console.sample_console import ConsoleClient
from tests.console.shop import Customer, CustomerById, Order, open_shop

ADA = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "PROFILE"}}
FIRST = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}


@pytest.fixture
def console() -> Iterator[ConsoleClient]:
    opened = open_shop()
    with opened.db:
        yield ConsoleClient(opened)


def read(console: ConsoleClient, key: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = console.get("/edit/item", table="shop", key=json.dumps(key))
    return found


def edit(console: ConsoleClient, key: dict[str, Any], kind: str = "update", **values: Any) -> dict[str, Any]:
    """An edit of an item as it is now."""
    return {
        "kind": kind,
        "table": "shop",
        "key": key,
        "fingerprint": read(console, key)["fingerprint"],
        "values": values,
    }


def create(entity: str, **values: Any) -> dict[str, Any]:
    return {"kind": "create", "table": "shop", "entity": entity, "values": values}


def stored(console: ConsoleClient) -> dict[str, dict[str, Any]]:
    items = console.opened.db.connection.call("Scan", {"TableName": "shop"})["Items"]
    return {f"{item['PK']['S']} {item['SK']['S']}": item for item in items}


def test_an_item_is_read_with_its_form_and_without_secrets(console: ConsoleClient) -> None:
    found = read(console, ADA)
    assert found["values"]["name"] == "Ada"
    assert "token" not in found["values"]
    assert found["form"]["key_fields"] == ["customer_id"]
    assert found["form"]["automatic"] == ["version"]
    assert found["form"]["secret"] == ["token"]
    assert "s3cret" not in json.dumps(found)


def test_a_preview_shows_every_item_and_index_row_and_writes_nothing(console: ConsoleClient) -> None:
    before = stored(console)
    reply = console.post("/edit/preview", {"edits": [edit(console, FIRST, status="paid")]})
    by_role = {item["role"]: item for item in reply["items"]}
    assert {role: each["action"] for role, each in by_role.items()} == {"entity": "change", "copy": "change"}
    main = by_role["entity"]
    assert (main["before"]["status"], main["after"]["status"]) == ({"S": "open"}, {"S": "paid"})
    assert {index["index"]: index["state"] for index in main["indexes"]} == {
        "GSI1": "moved",
        "GSI2": "removed",
    }
    assert main["stream"] == "MODIFY (NEW_AND_OLD_IMAGES)"
    assert reply["units"]["shop"] > 0
    assert stored(console) == before


def test_a_new_unique_value_takes_a_lock_and_frees_the_other(console: ConsoleClient) -> None:
    reply = console.post("/edit/commit", {"edits": [edit(console, ADA, email="lovelace@example.com")]})
    locks = {item["title"]: item["action"] for item in reply["items"] if item["role"] == "lock"}
    assert sorted(locks.values()) == ["create", "delete"]
    customer = console.opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    assert (customer.email, customer.version, customer.token) == ("lovelace@example.com", 2, "s3cret")


def test_a_taken_value_is_a_conflict_and_saves_nothing(console: ConsoleClient) -> None:
    console.opened.db.create(Customer(customer_id="c2", email="bob@example.com", name="Bob"))
    before = stored(console)
    status, message = console.error(
        "POST", "/edit/commit", {"edits": [edit(console, ADA, email="bob@example.com")]}
    )
    assert (status, "taken" in message) == (409, True)
    assert stored(console) == before


def test_an_item_that_changed_since_it_was_read_is_not_overwritten(console: ConsoleClient) -> None:
    staged = edit(console, ADA, name="Augusta")
    customer = console.opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    console.opened.db.update(customer, set={"level": 3})
    for path in ("/edit/preview", "/edit/commit"):
        status, message = console.error("POST", path, {"edits": [staged]})
        assert (status, "has changed since it was read" in message) == (409, True)


def test_a_change_between_the_check_and_the_write_is_noticed(console: ConsoleClient) -> None:
    staged = edit(console, FIRST, total=11)
    connection = console.opened.db.connection
    original = connection.call
    raced: list[bool] = []

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and not raced:
            raced.append(True)
            original(
                "UpdateItem",
                {
                    "TableName": "shop",
                    "Key": FIRST,
                    "UpdateExpression": "SET #t = :t",
                    "ExpressionAttributeNames": {"#t": "total"},
                    "ExpressionAttributeValues": {":t": {"N": "99"}},
                },
            )
        return original(operation, request)

    connection.call = call  # type: ignore[method-assign]
    status, message = console.error("POST", "/edit/commit", {"edits": [staged]})
    assert raced
    assert (status, "nothing was saved" in message) == (409, True)
    assert stored(console)["CUSTOMER#c1 ORDER#o1"]["total"] == {"N": "99"}


def test_several_edits_are_one_transaction(console: ConsoleClient) -> None:
    edits = [
        edit(console, ADA, name="Augusta"),
        edit(console, FIRST, "delete"),
        create("Order", customer_id="c1", order_id="o3", status="open", total=5),
    ]
    reply = console.post("/edit/commit", {"edits": edits})
    assert len(reply["items"]) == 5
    keys = stored(console)
    assert "CUSTOMER#c1 ORDER#o1" not in keys
    assert "ORDERS o1" not in keys
    assert {"CUSTOMER#c1 ORDER#o3", "ORDERS o3"} <= keys.keys()


def test_undo_restores_what_was_and_raises_the_version(console: ConsoleClient) -> None:
    before = stored(console)
    edits = [edit(console, ADA, email="new@example.com", name="New"), edit(console, FIRST, "delete")]
    done = console.post("/edit/commit", {"edits": edits})
    console.post("/edit/undo", {"undo": done["undo"]})
    after = stored(console)
    assert after.pop("CUSTOMER#c1 PROFILE") == before.pop("CUSTOMER#c1 PROFILE") | {"version": {"N": "3"}}
    assert after == before
    assert "can no longer be undone" in console.error("POST", "/edit/undo", {"undo": done["undo"]})[1]


def test_undo_does_not_overwrite_a_later_change(console: ConsoleClient) -> None:
    done = console.post("/edit/commit", {"edits": [edit(console, FIRST, total=11)]})
    console.post("/edit/commit", {"edits": [edit(console, FIRST, total=12)]})
    status, _ = console.error("POST", "/edit/undo", {"undo": done["undo"]})
    assert status == 409
    assert stored(console)["CUSTOMER#c1 ORDER#o1"]["total"] == {"N": "12"}


def test_a_value_of_the_key_moves_the_entity(console: ConsoleClient) -> None:
    console.post("/edit/commit", {"edits": [edit(console, FIRST, customer_id="c9")]})
    assert "CUSTOMER#c9 ORDER#o1" in stored(console)
    assert "CUSTOMER#c1 ORDER#o1" not in stored(console)
    status, message = console.error(
        "POST", "/edit/preview", {"edits": [edit(console, ADA, customer_id="c2", name="x")]}
    )
    assert (status, "save this move first, and name afterwards" in message) == (400, True)


@pytest.mark.parametrize(
    ("values", "field"), [({"level": "many"}, "level"), ({"name": None}, "name"), ({"email": 3}, "email")]
)
def test_invalid_values_have_a_message_for_each_field(
    console: ConsoleClient, values: dict[str, Any], field: str
) -> None:
    reply = console.http.post(
        f"{console.prefix}/edit/preview", json={"edits": [edit(console, ADA, **values)]}
    )
    assert reply.status_code == 422
    assert list(reply.json()["error"]["fields"]) == [field]


def test_an_optional_field_is_removed_by_null(console: ConsoleClient) -> None:
    console.post("/edit/commit", {"edits": [edit(console, ADA, note="hello")]})
    assert stored(console)["CUSTOMER#c1 PROFILE"]["note"] == {"S": "hello"}
    console.post("/edit/commit", {"edits": [edit(console, ADA, note=None)]})
    assert "note" not in stored(console)["CUSTOMER#c1 PROFILE"]


def test_a_secret_can_be_set_and_is_not_shown(console: ConsoleClient) -> None:
    reply = console.post("/edit/commit", {"edits": [edit(console, ADA, token="n3w")]})
    assert "n3w" not in json.dumps(reply)
    (main,) = reply["items"]
    assert main["hidden_changes"] == ["token"]
    customer = console.opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    assert customer.token == "n3w"


def test_copies_and_locks_are_edited_through_their_entity(console: ConsoleClient) -> None:
    copy = {"PK": {"S": "ORDERS"}, "SK": {"S": "o1"}}
    status, message = console.error("POST", "/edit/preview", {"edits": [edit(console, copy, "delete")]})
    assert (status, "edit the entity that it belongs to" in message) == (400, True)


def test_an_item_of_no_entity_is_replaced_as_a_whole(console: ConsoleClient) -> None:
    key = {"PK": {"S": "??"}, "SK": {"S": "x"}}
    call = console.opened.db.connection.call
    call("PutItem", {"TableName": "shop", "Item": {**key, "a": {"N": "1"}, "token": {"S": "hash"}}})
    found = read(console, key)
    assert found["form"] is None
    assert found["shown"]["item"]["token"] == {"HIDDEN": True}
    staged = edit(console, key, "replace") | {"item": found["shown"]["item"] | {"a": {"N": "2"}}}
    console.post("/edit/commit", {"edits": [staged]})
    assert stored(console)["?? x"] == {**key, "a": {"N": "2"}, "token": {"S": "hash"}}
    moved = edit(console, key, "replace") | {"item": {"PK": {"S": "!!"}, "SK": {"S": "x"}}}
    assert "primary key" in console.error("POST", "/edit/preview", {"edits": [moved]})[1]
    console.post("/edit/commit", {"edits": [edit(console, key, "delete")]})
    assert "?? x" not in stored(console)


def test_a_valid_entity_is_not_replaced_as_a_whole(console: ConsoleClient) -> None:
    staged = edit(console, ADA, "replace") | {"item": ADA}
    assert "edit its fields" in console.error("POST", "/edit/preview", {"edits": [staged]})[1]


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([], "there is no change to save"),
        ([{"kind": "update", "table": "shop"}], "needs the key and the fingerprint"),
        (
            [{"kind": "create", "table": "shop", "entity": "Absent"}],
            "has no entity Absent; it has: Customer, Order",
        ),
        ([{"kind": "create", "table": "absent", "entity": "Order"}], "shop has no table absent"),
    ],
)
def test_edits_that_cannot_work_are_errors(console: ConsoleClient, edits: Any, message: str) -> None:
    assert message in console.error("POST", "/edit/preview", {"edits": edits})[1]


def test_unknown_fields_and_two_edits_of_one_item_are_errors(console: ConsoleClient) -> None:
    assert (
        "no field absent"
        in console.error("POST", "/edit/preview", {"edits": [edit(console, ADA, absent=1)]})[1]
    )
    twice = [edit(console, FIRST, total=1), edit(console, FIRST, "delete")]
    assert "two changes touch the item" in console.error("POST", "/edit/preview", {"edits": twice})[1]


def test_an_existing_entity_is_not_created_again(console: ConsoleClient) -> None:
    order = Order(customer_id="c1", order_id="o1", status="open", total=1)
    status, message = console.error(
        "POST", "/edit/commit", {"edits": [create("Order", **order.model_dump())]}
    )
    assert (status, "nothing was saved" in message) == (409, True)


def test_a_read_only_console_previews_and_does_not_save() -> None:
    opened = open_shop(writable=False)
    with opened.db:
        console = ConsoleClient(opened)
        staged = {"edits": [edit(console, FIRST, total=11)]}
        assert console.post("/edit/preview", staged)["items"]
        assert console.error("POST", "/edit/commit", staged)[0] == 403
        assert console.error("POST", "/edit/undo", {"undo": "1"})[0] == 403


def test_encryption_keys_are_not_edited(console: ConsoleClient) -> None:
    (item,) = console.opened.db.connection.call("Scan", {"TableName": "shop-keys"})["Items"]
    key = {"owner": item["owner"], "context": item["context"]}
    found = console.get("/edit/item", table="shop-keys", key=json.dumps(key))
    staged = {"kind": "delete", "table": "shop-keys", "key": key, "fingerprint": found["fingerprint"]}
    for path in ("/edit/preview", "/edit/commit"):
        status, message = console.error("POST", path, {"edits": [staged]})
        assert (status, "does not write encryption keys" in message) == (403, True)


def test_undo_keeps_what_another_writer_has_added(console: ConsoleClient) -> None:
    done = console.post("/edit/commit", {"edits": [edit(console, FIRST, total=11)]})
    console.opened.db.connection.call(
        "UpdateItem",
        {
            "TableName": "shop",
            "Key": FIRST,
            "UpdateExpression": "SET added = :x",
            "ExpressionAttributeValues": {":x": {"S": "by another writer"}},
        },
    )
    status, message = console.error("POST", "/edit/undo", {"undo": done["undo"]})
    assert (status, "nothing was undone" in message) == (409, True)
    assert stored(console)["CUSTOMER#c1 ORDER#o1"]["added"] == {"S": "by another writer"}


def test_a_field_that_another_writer_sets_before_the_undo_is_noticed(console: ConsoleClient) -> None:
    done = console.post("/edit/commit", {"edits": [edit(console, ADA, level=4)]})
    connection = console.opened.db.connection
    original = connection.call
    raced: list[bool] = []

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and not raced:
            raced.append(True)
            change = {"UpdateExpression": "SET note = :x", "ExpressionAttributeValues": {":x": {"S": "new"}}}
            original("UpdateItem", {"TableName": "shop", "Key": ADA, **change})
        return original(operation, request)

    connection.call = call  # type: ignore[method-assign]
    assert console.error("POST", "/edit/undo", {"undo": done["undo"]})[0] == 409
    assert raced
    assert stored(console)["CUSTOMER#c1 PROFILE"]["note"] == {"S": "new"}


def test_undo_keeps_binary_values_as_bytes(console: ConsoleClient) -> None:
    done = console.post("/edit/commit", {"edits": [edit(console, ADA, level=4)]})
    (undone,) = console.opened.undo_log.items(done["undo"])
    assert undone.before is not None
    assert isinstance(undone.before["token"]["B"], bytes)


def test_a_preview_of_a_read_only_console_creates_no_encryption_key() -> None:
    fresh = open_shop(writable=False, token=None)
    with fresh.db:
        console = ConsoleClient(fresh)
        staged = create("Customer", customer_id="c7", email="x@y.z", name="X", token="secret")
        status, message = console.error("POST", "/edit/preview", {"edits": [staged]})
        assert (status, "No encryption key exists yet" in message) == (403, True)
        assert fresh.db.connection.call("Scan", {"TableName": "shop-keys"})["Items"] == []


@pytest.mark.parametrize("key", ["[]", "1", "null", "{", "[" * 20_000])
def test_a_key_that_is_no_key_is_an_error(console: ConsoleClient, key: str) -> None:
    assert console.error("GET", "/edit/item", table="shop", key=key)[0] == 400


def test_a_read_only_console_does_not_tell_whether_a_secret_is_right() -> None:
    opened = open_shop(writable=False)
    with opened.db:
        console = ConsoleClient(opened)
        status, message = console.error(
            "POST", "/edit/preview", {"edits": [edit(console, ADA, token="guess")]}
        )
        assert (status, "--write" in message) == (403, True)
