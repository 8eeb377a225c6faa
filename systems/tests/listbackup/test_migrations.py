"""From V1 to V2 (F19, R47, R48, R49): addresses, hierarchy, credentials, and activities chosen by age."""

import base64
from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.listbackup import migrations as v2
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import AccountById, AccountsInPath
from tablewright_systems.listbackup.design.activities import RETENTION, ActivitiesOfAccount
from tablewright_systems.listbackup.design.memberships import Membership
from tablewright_systems.listbackup.design.sources import SourceOfAccount
from tablewright_systems.listbackup.design.users import User, UserByEmail, UserById
from tablewright_systems.listbackup.migrations import V1_KEY, decrypt_v1, encrypt_v1

from tablewright import Repository, connect, errors, keyrings, migrations
from tablewright.lifecycle.integrity.fsck import check
from tests.lifecycle.conftest import endpoint as endpoint
from tests.lifecycle.conftest import store as store
from tests.lifecycle.stores import Killed, Mortal, Store, writers

KEYS = keyrings.MemoryKeys()
MIGRATIONS = [var for var in vars(v2).values() if isinstance(var, migrations.Migration)]
CREATED = "2026-01-01T00:00:00.000Z"


@pytest.fixture(autouse=True)
def _v1_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(V1_KEY, base64.b64encode(b"k" * 32).decode())


@pytest.fixture
def db(store: Store) -> Repository:
    return store.open(design, environment="lb", secrets=KEYS)


def v1(db: Repository, table: str, **attributes: Any) -> None:
    """Store an item of V1."""
    item = {
        name: {"M": {key: {"N": str(number)} for key, number in value.items()}}
        if isinstance(value, dict)
        else {"S": value}
        for name, value in attributes.items()
    }
    db.connection.call("PutItem", {"TableName": f"{db.context.prefix}lb-{table}", "Item": item})


def account(db: Repository, name: str, parent: str | None = None, **more: Any) -> None:
    above = {"parentAccountId": parent} if parent else {}
    values = {"ownerId": "u1", "createdAt": CREATED, "usage": {"owners": 1, "users": 1}, **above, **more}
    v1(db, "accounts", accountId=name, accountName=name, **values)


def user(db: Repository, name: str, email: str, username: str | None = None) -> None:
    values = {"userId": name, "email": email, "username": username or name, "name": name, "accountId": "a"}
    v1(db, "users", **values, createdAt=CREATED)


def source(db: Repository, name: str, secret: str, account_id: str = "a") -> None:
    values = {"accountId": account_id, "sourceId": name, "sourceName": name, "platform": "keap"}
    v1(db, "sources", **values, secret=secret, createdAt=CREATED)


def activity(db: Repository, name: str, age: timedelta, kind: str = "source") -> None:
    at = db.now() - age
    what = {"eventType": "source.created", "resourceType": kind, "resourceId": "s1", "action": "create"}
    key = {"accountId": "a", "timestamp#eventId": f"{int(at.timestamp())}#{name}"}
    v1(db, "activities", **key, eventId=name, at=at.isoformat(), **what)


def migrated(db: Repository, store: Store, **options: Any) -> dict[str, migrations.Result]:
    options = {"allow_incomplete": True, **options}
    results = migrations.migrate(db, pause=store.clock.advance, **options)
    return {result.migration.name.partition("-")[2][2:]: result for result in results}


def reasons(result: migrations.Result) -> dict[str, str]:
    return {next(iter(reject.key.values()))["S"]: reject.reason for reject in result.rejects}


def test_addresses_are_normalised_and_collisions_reported(db: Repository, store: Store) -> None:
    user(db, "u1", " Ada@Example.ORG ", "Ada")
    user(db, "u2", "ada@example.org", "countess")
    user(db, "u3", "grace@example.org", "ADA ")
    user(db, "u4", "hedy@example.org")
    result = migrated(db, store)["users-normalised"]
    assert result.tally.rejected == len(result.rejects)
    by_key = {
        name: db.connection.call("GetItem", _get(db, name))["Item"] for name in ("u1", "u2", "u3", "u4")
    }
    moved = {name for name, item in by_key.items() if "displayEmail" in item}
    recorded = reasons(result)
    assert moved | recorded.keys() == {"u1", "u2", "u3", "u4"}
    assert not moved & recorded.keys()
    assert "u4" in moved
    for reason in recorded.values():
        assert "another User has it (userId = 'u" in reason
    hedy = db.run(UserByEmail(email="HEDY@example.org"))
    assert hedy
    assert hedy.display_email == "hedy@example.org"
    with pytest.raises(errors.UniqueViolation):
        db.create(User(**hedy.model_dump(exclude={"user_id", "username"}), user_id="u5", username="x"))


def _get(db: Repository, name: str) -> dict[str, Any]:
    return {"TableName": f"{db.context.prefix}lb-users", "Key": {"userId": {"S": name}}}


def test_the_hierarchy_is_established_from_the_top_down(db: Repository, store: Store) -> None:
    account(db, "d", "c")
    account(db, "c", "b")
    account(db, "b", "a", plan="professional")
    account(db, "a", usage={"sources": 2, "users": 3, "owners": 1, "children": 1})
    account(db, "e", "d")
    account(db, "lost", "unknown")
    account(db, "x", "y")
    account(db, "y", "x")
    result = migrated(db, store)["accounts-in-a-hierarchy"]
    assert reasons(result) == {
        "e": "it is 4 levels below its root, and no account type is so low",
        "lost": "its parent unknown does not exist",
        "x": "its parent y leads to no root, or is one of its descendants",
        "y": "its parent x leads to no root, or is one of its descendants",
    }
    below = db.all(AccountsInPath(root_account_id="a", path_prefix="/a/"))
    assert [(item.account_id, item.account_path, item.level) for item in below] == [
        ("a", "/a/", 0),
        ("b", "/a/b/", 1),
        ("c", "/a/b/c/", 2),
        ("d", "/a/b/c/d/", 3),
    ]
    root = db.run(AccountById(account_id="a"))
    assert root
    assert (root.sources_used, root.users_used, root.children, root.created_by) == (2, 3, 1, "u1")


def test_credentials_are_encrypted_again_for_each_account(db: Repository, store: Store) -> None:
    account(db, "a")
    source(db, "s1", encrypt_v1("hunter2", "s1"))
    source(db, "s2", encrypt_v1("moved from another", "s1"))
    source(db, "s3", encrypt_v1("x", "s3"), account_id="unknown")
    result = migrated(db, store)["credentials-resealed"]
    assert {reject.key["sourceId"]["S"]: reject.reason for reject in result.rejects} == {
        "s2": "its secret cannot be decrypted with V1's key",
        "s3": "its account unknown does not exist",
    }
    stored = db.run(SourceOfAccount(account_id="a", source_id="s1"))
    assert stored
    assert stored.credentials
    assert stored.credentials.encrypted_data == "hunter2"
    (item,) = [item for item in store.items("lb-sources") if item["sourceId"]["S"] == "s1"]
    assert "secret" not in item
    assert "hunter2" not in str(item)
    assert item["credentials"].keys() == {"B"}


def test_without_the_old_key_nothing_is_migrated(
    db: Repository, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    account(db, "a")
    source(db, "s1", encrypt_v1("hunter2", "s1"))
    monkeypatch.delenv(V1_KEY)
    with pytest.raises(errors.UsageError, match=f"set {V1_KEY}"):
        migrated(db, store)


def test_activities_are_chosen_by_age(db: Repository, store: Store) -> None:
    activity(db, "fresh", timedelta(days=1))
    activity(db, "late", RETENTION - timedelta(hours=1))
    activity(db, "over", RETENTION + timedelta(hours=1))
    activity(db, "odd", timedelta(days=2), kind="spaceship")
    result = migrated(db, store)["activities-by-age"]
    assert ["resourceType" in reject.reason for reject in result.rejects] == [True]
    span = {"start": db.now() - RETENTION, "end": db.now()}
    value = db.run(ActivitiesOfAccount(account_id="a", **span)).items
    assert [(item.event_id, item.expires_at) for item in value] == [
        (item.event_id, int((item.created_at + RETENTION).timestamp())) for item in value
    ]
    assert [item.event_id for item in value] == ["fresh", "late"]
    assert {item["eventId"]["S"] for item in store.items("lb-activities")} == {"fresh", "late", "odd"}
    store.clock.advance(timedelta(hours=2))
    span = {"start": db.now() - 2 * RETENTION, "end": db.now()}
    assert [item.event_id for item in db.run(ActivitiesOfAccount(account_id="a", **span)).items] == ["fresh"]


def test_memberships_get_their_type(db: Repository, store: Store) -> None:
    v1(db, "users-accounts", userId="u1", accountId="a", role="owner")
    migrated(db, store)
    membership = db.run(Membership(user_id="u1", account_id="a"))
    assert membership
    assert (membership.role.value, membership.status.value) == ("owner", "active")


def test_an_interrupted_migration_with_concurrent_writers_has_the_same_result(
    db: Repository, store: Store
) -> None:
    for number in range(6):
        user(db, f"u{number}", f"User{number}@Example.org")
        account(db, f"a{number}", f"a{number - 1}" if number % 3 else None)
        source(db, f"s{number}", encrypt_v1(f"secret {number}", f"s{number}"), account_id=f"a{number}")
        activity(db, f"e{number}", timedelta(days=number))
    logins = [0] * 6

    def log_in(number: int) -> None:
        """Concurrent writes: V1 changes another attribute of the same items."""
        name, logins[number % 6] = f"u{number % 6}", number
        request = _get(db, name) | {
            "UpdateExpression": "SET lastLoginIp = :ip",
            "ExpressionAttributeValues": {":ip": {"S": str(number)}},
        }
        db.connection.call("UpdateItem", request)

    deaths = 0
    with writers(log_in) as concurrent:
        concurrent.wait_for(6)
        while True:
            mortal = Mortal(store.connection, 40 + 40 * deaths)
            dying = connect(
                design,
                mortal,
                prefix=store.prefix,
                environment="lb",
                secrets=KEYS,
                create=False,
                clock=store.clock,
            )
            try:
                migrated(dying, store, on_progress=lambda *_: concurrent.wait_for())
                break
            except Killed:
                deaths += 1
    assert deaths > 1
    for number in range(6):
        stored = db.run(UserById(user_id=f"u{number}"))
        assert stored
        assert (stored.email, stored.display_email) == (
            f"user{number}@example.org",
            f"User{number}@Example.org",
        )
        assert stored.unknown_attributes == {"lastLoginIp": {"S": str(logins[number])}}
        secret = db.run(SourceOfAccount(account_id=f"a{number}", source_id=f"s{number}"))
        assert secret
        assert secret.credentials
        assert secret.credentials.encrypted_data == f"secret {number}"
    assert [str(finding) for finding in check(db, pause=store.clock.advance).findings] == []


def everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    """The items of all tables but the locks; secrets decrypted, and what V1 does not distinguish left out."""
    collected = {}
    for table in ("users", "users-accounts", "accounts", "sources", "activities"):
        items = [item for item in store.items(f"lb-{table}") if "_of" not in item]
        for item in items:
            if "secret" in item:
                item["secret"] = {"S": decrypt_v1(item["secret"]["S"], item["sourceId"]["S"])}
            item.pop("schemaVersion", None)
        collected[table] = sorted(items, key=str)
    return collected


def test_every_migration_has_a_way_back(db: Repository, store: Store) -> None:
    user(db, "u1", "Ada@Example.ORG", "Ada")
    v1(db, "users-accounts", userId="u1", accountId="a", role="owner", status="active")
    usage = {"sources": 2, "users": 3, "storage": 5, "owners": 1, "children": 1}
    nothing = dict.fromkeys(usage, 0) | {"owners": 1}
    account(db, "a", plan="free", usage=usage)
    account(db, "b", "a", plan="free", usage=nothing)
    source(db, "s1", encrypt_v1("hunter2", "s1"))
    activity(db, "fresh", timedelta(days=1))
    before = everything(store)
    assert {result.tally.rejected for result in migrated(db, store).values()} == {0}
    assert everything(store) != before
    for _ in range(len(MIGRATIONS)):
        (result,) = migrations.migrate(db, down=True, pause=store.clock.advance)
        assert (result.direction, result.rejects) == ("down", ())
    after = everything(store)
    assert list(after) == list(before)
    for table, items in after.items():
        for item, original in zip(items, before[table], strict=True):
            added = {name: item.pop(name) for name in set(item) - set(original)}
            assert item == original, table
            assert set(added) <= KEPT_FROM_V2.get(table, set()), (table, added)
    again = migrated(db, store)
    assert {result.tally.rejected for result in again.values()} == {0}
    assert db.get_or_raise(SourceOfAccount(account_id="a", source_id="s1")).credentials
    assert not check(db, pause=store.clock.advance).findings


KEPT_FROM_V2: dict[str, set[str]] = {
    "accounts": {"limits", "rootShard", "createdAt#accountId"},
    "sources": {"connectionType", "createdBy", "status", "status#createdAt", "version"},
    "activities": {"accountId#resourceType", "accountId#resourceType#resourceId"},
}
"""Defaults and index keys that V2 adds and V1 ignores, by table."""
