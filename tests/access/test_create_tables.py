"""Table creation: missing tables are created with their TTL, existing ones are left alone."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import Entity, Get, Query, Table, VectorIndex, connect, embedded
from tablewright.access.context import Context
from tablewright.access.create_tables import POLL, create_missing, missing_tables_error
from tablewright.access.procedures import Reply, run_sync
from tablewright.design.designs import Design
from tablewright.errors import AccessDenied, ResourceInUse, ResourceNotFound
from tests.access import shop

CONTEXT = Context(environment="dev")
TABLES = [shop.main, shop.events]


def test_only_missing_tables_are_created() -> None:
    with embedded() as connection:
        assert run_sync(create_missing([shop.main], CONTEXT), connection.call) == ["shop-dev-main"]
        assert run_sync(create_missing(TABLES, CONTEXT), connection.call) == ["shop-dev-events"]
        assert run_sync(create_missing(TABLES, CONTEXT), connection.call) == []
        expiry = connection.call("DescribeTimeToLive", {"TableName": "shop-dev-main"})
        assert expiry["TimeToLiveDescription"]["AttributeName"] == "expiresAt"


def test_a_table_that_another_process_creates_is_waited_for() -> None:
    statuses = iter([ResourceNotFound("none"), "CREATING", "CREATING", "ACTIVE"])
    operations: list[str] = []
    pauses: list[float] = []

    def call(operation: str, request: dict[str, Any]) -> Reply:
        operations.append(operation)
        if operation == "CreateTable":
            raise ResourceInUse("another process creates it")
        status = next(statuses)
        if isinstance(status, ResourceNotFound):
            raise status
        return {"Table": {"TableStatus": status}}

    run_sync(create_missing([shop.events], CONTEXT), call, pauses.append)
    assert operations == ["DescribeTable", "CreateTable", *["DescribeTable"] * 3]
    assert pauses == [POLL, POLL]


users, teams = Table("app-{env}-users", key="userId"), Table("app-{env}-teams", key="teamId")


class User(Entity, table=users):
    user_id: str


class Team(Entity, table=teams):
    team_id: str


class UserById(Get[User]):
    user_id: str


class UsersOf(Query[User]):
    user_id: str


class Endpoint:
    """A connection as to an endpoint, without the network."""

    endpoint = "http://localhost:8000"

    def __init__(self) -> None:
        self.database = embedded()
        self.call = self.database.call

    def close(self) -> None:
        self.database.close()


design = Design("app", entities=[User, Team], patterns=[UserById, UsersOf])
MESSAGE = (
    "tables 'app-main-users', 'app-main-teams' do not exist at http://localhost:8000; create them with: "
    "tablewright deploy MODULE:DESIGN --on http://localhost:8000 --env main"
)


@pytest.mark.parametrize(
    "use",
    [
        lambda db: db.run(UserById(user_id="1")),
        lambda db: db.run(UsersOf(user_id="1")),
        lambda db: db.all(UsersOf(user_id="1")),
        lambda db: db.create(User(user_id="1")),
        lambda db: db.delete(UserById(user_id="1")),
    ],
)
def test_missing_tables_are_named(use: Callable[[Any], Any]) -> None:
    connection: Any = Endpoint()
    with connect(design, connection, environment="main") as db, pytest.raises(ResourceNotFound) as raised:
        use(db)
    assert str(raised.value) == MESSAGE


def test_missing_tables_are_named_in_async_code() -> None:
    async def use() -> None:
        async with connect(design, environment="main", create=False).aio as db:
            await db.run(UserById(user_id="1"))

    with pytest.raises(
        ResourceNotFound, match=r"^tables 'app-main-users', .* do not exist; create them with: .* --env main$"
    ):
        asyncio.run(use())


def test_one_missing_table() -> None:
    with embedded() as database:
        database.call("CreateTable", teams.definition("main"))
        error = run_sync(
            missing_tables_error(
                Context(environment="main"), [users, teams], database, ResourceNotFound("x")
            ),
            database.call,
        )
    assert (
        str(error)
        == "table 'app-main-users' does not exist; create it with: tablewright deploy MODULE:DESIGN --env main"
    )


def test_the_original_error_stays_when_no_table_is_missing_or_tables_cannot_be_described() -> None:
    def refuse(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise AccessDenied("no")

    def describe(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return {"Table": {}}

    original = ResourceNotFound("Requested resource not found")
    context = Context(environment="main")
    for call in (refuse, describe):
        assert run_sync(missing_tables_error(context, [users], None, original), call) is original


def test_an_endpoint_that_ignores_vector_indexes_is_warned_of() -> None:
    table = Table("notes", key="id", vector_indexes=[VectorIndex("by-meaning", "meaning", 3)])
    with embedded() as connection:

        def call(operation: str, request: dict[str, Any]) -> Reply:
            known = {name: member for name, member in request.items() if name != "VectorIndexes"}
            return connection.call(operation, known)

        message = "table notes: this endpoint has no vector indexes, and has ignored by-meaning"
        with pytest.warns(UserWarning, match=message):
            assert run_sync(create_missing([table], CONTEXT), call) == ["notes"]
