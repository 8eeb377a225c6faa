"""A design with secret fields, a unique value, a copy and an index, and a console of it, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, connect, fields, keyrings
from tablewright.console.open_designs import OpenDesign
from tests.console.sample_console import ConsoleClient

main = Table(
    "app",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("Keys", "GSI1PK", "SK", projection="KEYS_ONLY")],
)
events = Table("events", key="id")


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    team: str
    age: int = 30
    version: Annotated[int, fields.Version()] = 0
    token: Annotated[str, fields.Encrypted()]
    digest: Annotated[str, fields.Hashed()]
    keys = Keys(primary=("USER#{user_id}", "USER"), GSI1=("TEAM#{team}", "USER#{user_id}"))
    by_team = Copy(primary=("TEAM#{team}", "MEMBER#{user_id}"))


class UserById(Get[User]):
    user_id: str


class UsersOfTeam(Query[User]):
    team: str
    key = "GSI1PK = TEAM#{team}"


class Event(Entity, table=events, type="EVENT", writes={"create"}):
    id: str
    text: str


design = Design("secrets", entities=[User, Event], patterns=[UserById, UsersOfTeam])


@contextmanager
def secret_console(
    count: int = 3, *, writable: bool = True, reveal: bool = False, where: str | None = None, prefix: str = ""
) -> Iterator[ConsoleClient]:
    """Open a console with users u0, u1 ... of the team red, and one event; in memory, or at an endpoint."""
    with connect(design, where, secrets=keyrings.MemoryKeys(), create=True, prefix=prefix) as db:
        for number in range(count):
            db.create(
                User(
                    user_id=f"u{number}",
                    email=f"u{number}@example.com",
                    team="red",
                    token=f"token-{number}",
                    digest=f"digest-{number}",
                )
            )
        db.create(Event(id="e1", text="started"))
        yield ConsoleClient(OpenDesign(db, "Secrets", "memory", "secrets:design", writable, reveal))


def stored_secrets(console: ConsoleClient) -> list[str]:
    """Return the stored values of the secret attributes, as JSON shows them, and those that were given."""
    from tablewright.dynamodb.values.attributes import base64_text

    found: list[Any] = []
    for table in (app_table(console), key_table(console)):
        for item in console.opened.db.connection.call("Scan", {"TableName": table})["Items"]:
            found += [
                _content(value, base64_text)
                for name, value in item.items()
                if name in ("token", "digest", "keys")
            ]
    texts = [text for each in found for text in (each if isinstance(each, list) else [each])]
    assert len(texts) >= 3
    return [*texts, "token-0", "digest-0"]


def key_table(console: ConsoleClient) -> str:
    """Return the name of the table with the encryption keys."""
    table = console.opened.design.key_table
    assert table is not None
    return console.opened.db.context.table_name(table)


def _content(value: dict[str, Any], base64: Any) -> Any:
    ((kind, content),) = value.items()
    if kind == "B":
        return base64(content)
    if kind in ("M", "L"):
        inner = content.values() if kind == "M" else content
        return [text for each in inner for text in _flat(_content(each, base64))]
    return str(content)


def _flat(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def app_table(console: ConsoleClient) -> str:
    """Return the name of the table of users."""
    return console.opened.db.context.table_name(main)
