"""The roles of a small design, enforced by the server: attributes, append-only entities, locks and streams."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablewright import embedded, writes
from tablewright.access.encryption.keyrings import KeyFile
from tablewright.access.streams.events import Inserted, on
from tablewright.design.designs import position_table
from tablewright.errors import AccessDenied
from tablewright.lifecycle.move.move_run import TableMove
from tests.generate.iam.role_server import Roles, RoleServer, policies, role_server
from tests.generate.iam.shop import (
    Basket,
    BasketOf,
    Card,
    CardOf,
    Line,
    LinesOf,
    Receipt,
    TitlesOf,
    design,
)

ADA, BOB = {"user_id": "u1"}, {"user_id": "u2"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoleServer]:
    roles = Roles()
    roles.add("operator", policies(design, name="operator"))
    roles.add("service", policies(design))
    roles.add("consumer", policies(design, name="stream-consumer"))
    roles.add("titles", policies(design, only=["TitlesOf"]))
    roles.add("receipts", policies(design, only=["Receipt"]))
    own = policies(design, tenant="user_id", only=["BasketOf", "LinesOf", "CardOf", "Line", "Receipt"])
    roles.add("tenant", own, {"ada": ADA, "bob": BOB})
    shared = policies(design, tenant="user_id", only=["BasketOf", "Basket"], shared=["Basket"])
    roles.add("sharing", shared, {"eve": {"user_id": "u3"}})
    with role_server(tmp_path_factory.mktemp("shop"), roles) as started:
        db = started.connect(design, "operator", create=True, secrets=KeyFile(started.master_keys))
        started.client("operator").create_table(**position_table(design).definition())
        for each in (ADA, BOB):
            db.create(Line(**each, line_id="1", title="ink", note="secret"))
            db.create(Card(**each, shop_id="s", number="4711"))
        db.close()
        yield started


def connected(server: RoleServer, role: str) -> Any:
    return server.connect(design, role, secrets=KeyFile(server.master_keys))


def is_denied(call: Callable[..., Any], *arguments: Any, **members: Any) -> bool:
    try:
        call(*arguments, **members)
    except AccessDenied:
        return True
    except ClientError as error:
        return bool(error.response["Error"]["Code"] == "AccessDeniedException")
    return False


def test_a_pattern_with_fields_reads_no_other_attributes(server: RoleServer) -> None:
    with connected(server, "titles") as db:
        assert "ink" in [row["title"] for row in db.rows(TitlesOf(user_id="u1"))]
        assert is_denied(db.all, LinesOf(user_id="u1"))
    client = server.client("titles")
    query = {
        "TableName": "shop",
        "KeyConditionExpression": "PK = :p",
        "ExpressionAttributeValues": {":p": {"S": "USER#u1"}},
    }
    client.query(**query, ProjectionExpression="title")
    assert is_denied(client.query, **query)
    assert is_denied(client.query, **query, ProjectionExpression="note")
    assert is_denied(
        lambda: client.query(**query, ProjectionExpression="title", FilterExpression="note > title")
    )
    assert is_denied(client.query, **query, Select="ALL_ATTRIBUTES")


def test_an_append_only_role_can_only_append(server: RoleServer) -> None:
    with connected(server, "receipts") as db:
        receipt = db.create(Receipt(**ADA, receipt_id="1"))
        db.transact(writes.Create(Receipt(**ADA, receipt_id="2")), writes.Check(receipt))
    client = server.client("receipts")
    key = {"PK": {"S": "USER#u1"}, "SK": {"S": "RECEIPT#1"}}
    item = {"TableName": "shop", "Key": key}
    statement = "DELETE FROM shop WHERE PK = 'USER#u1' AND SK = 'RECEIPT#1'"
    for call in (
        lambda: client.delete_item(**item),
        lambda: client.update_item(**item),
        lambda: client.get_item(**item),
        lambda: client.batch_write_item(RequestItems={"shop": [{"DeleteRequest": {"Key": key}}]}),
        lambda: client.transact_write_items(TransactItems=[{"Delete": item}]),
        lambda: client.execute_statement(Statement=statement),
        lambda: client.execute_transaction(TransactStatements=[{"Statement": statement}]),
    ):
        assert is_denied(call)


def test_tenants_share_a_table_and_nothing_else(server: RoleServer) -> None:
    for name, own, other in (("ada", ADA, BOB), ("bob", BOB, ADA)):
        with connected(server, name) as db:
            assert db.all(LinesOf(**own))
            assert db.run(CardOf(**own)).number == "4711"
            db.put(Line(**own, line_id="2"))
            assert is_denied(db.all, LinesOf(**other))
            assert is_denied(db.run, CardOf(**other))
            assert is_denied(db.put, Line(**other, line_id="2"))
            assert is_denied(db.delete, Line(**other, line_id="1"))


def test_a_tenant_cannot_delete_the_locks_of_others_unless_they_are_shared(server: RoleServer) -> None:
    with connected(server, "service") as db:
        db.create(Basket(**BOB, code="x1"))
    lock = {"PK": {"S": "_lock#BASKET#code#x1"}, "SK": {"S": "_lock"}}
    assert is_denied(lambda: server.client("ada").delete_item(TableName="shop", Key=lock))
    assert is_denied(lambda: server.client("ada").put_item(TableName="shop", Item=lock))
    with connected(server, "eve") as db:
        db.create(Basket(user_id="u3", code="x3"))
        assert db.run(BasketOf(user_id="u3")) is not None
        assert is_denied(db.create, Basket(**BOB, code="x4"))


def test_a_stream_consumer_reads_streams_and_writes_only_positions(server: RoleServer) -> None:
    found: list[Any] = []

    @on(Line, "inserted")
    def note(event: Inserted[Line]) -> None:
        found.append(event.new)

    with connected(server, "consumer") as db:
        report = db.streams.handle(note)
    assert not report.failures
    assert {line.title for line in found} >= {"ink"}
    client = server.client("consumer")
    key = {"PK": {"S": "USER#u1"}, "SK": {"S": "LINE#1"}}
    assert is_denied(client.get_item, TableName="shop", Key=key)
    assert is_denied(client.delete_item, TableName="shop", Key=key)


def test_the_operator_moves_tables_while_programs_write(server: RoleServer) -> None:
    with server.connect(design, "operator") as db, embedded() as target:
        move = TableMove(design, db.connection, target, pause=lambda seconds: None)
        move.copy()
        db.create(Line(**ADA, line_id="moved", title="pen"))
        move.catch_up()
        assert move.compare().differences == ()
        assert target.call("Scan", {"TableName": "shop"})["Count"] >= 7
        move.switch("target")
        move.switch("source")
        move.release()
