"""A migration that would write an expiry in milliseconds rejects the item, and one that repairs it is executed."""

from typing import Any

import pytest

from tablewright import Clock, Design, Entity, Keys, Table, connect, embedded, migrations
from tablewright.lifecycle.migrate.migration_run import migrate

main = Table("visits", key=("PK", "SK"), ttl="expiresAt")


class Visit(Entity, table=main, type="VISIT"):
    visit_id: str
    expires_at: int
    keys = Keys(primary=("VISIT#{visit_id}", "VISIT"))


def to_milliseconds(item: dict[str, Any]) -> dict[str, Any] | None:
    seconds = item.get("expiresAt")
    return item | {"expiresAt": seconds * 1000} if seconds and seconds < 10**11 else None


def to_seconds(item: dict[str, Any]) -> dict[str, Any] | None:
    late = item.get("expiresAt")
    return item | {"expiresAt": late // 1000} if late and late >= 10**11 else None


def stored(expires_at: int) -> dict[str, Any]:
    texts = {"PK": "VISIT#v1", "SK": "VISIT", "type": "VISIT", "visitId": "v1"}
    return {**{name: {"S": text} for name, text in texts.items()}, "expiresAt": {"N": str(expires_at)}}


@pytest.mark.parametrize("of", [Visit, main], ids=["entity", "raw"])
@pytest.mark.parametrize(
    ("change", "before", "after", "rejected"),
    [
        (to_milliseconds, 1_790_000_000, 1_790_000_000, "= 1790000000000 is after the year 5138"),
        (to_seconds, 1_790_000_000_000, 1_790_000_000, ""),
    ],
)
def test_expiries_of_migrated_items(of: Any, change: Any, before: int, after: int, rejected: str) -> None:
    design = Design("visits", entities=[Visit], migrations=[migrations.Migration("1", of, change)])
    clock = Clock(1_780_000_000.0)
    db = connect(design, embedded(clock=clock))
    db.connection.call("PutItem", {"TableName": "visits", "Item": stored(before)})
    (result,) = migrate(db, pause=clock.advance)
    assert [rejected in reject.reason for reject in result.rejects] == ([True] if rejected else [])
    reply = db.connection.call(
        "GetItem", {"TableName": "visits", "Key": {n: stored(0)[n] for n in ("PK", "SK")}}
    )
    assert reply["Item"] == stored(after)
