"""PynamoDB models, written for AWS, on the embedded engine."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pynamodb.attributes import (
    BinaryAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from tablewright.connections import Embedded


class Address(MapAttribute[str, Any]):
    city = UnicodeAttribute()


class ByEmail(GlobalSecondaryIndex[Any]):  # type: ignore[no-untyped-call]
    class Meta:
        projection = AllProjection()

    email = UnicodeAttribute(hash_key=True)


class User(Model):
    class Meta:
        table_name = "Users"
        billing_mode = "PAY_PER_REQUEST"

    team = UnicodeAttribute(hash_key=True)
    name = UnicodeAttribute(range_key=True)
    email = UnicodeAttribute(null=True)
    logins = NumberAttribute(default=0)
    joined = UTCDateTimeAttribute(null=True)
    avatar = BinaryAttribute(null=True, legacy_encoding=False)
    tags = UnicodeSetAttribute(null=True)
    address = Address(null=True)  # type: ignore[no-untyped-call]
    history: ListAttribute[Any] = ListAttribute(default=list)
    settings = JSONAttribute(null=True)
    expires = TTLAttribute(null=True)
    by_email = ByEmail()


class Account(Model):
    class Meta:
        table_name = "Accounts"
        billing_mode = "PAY_PER_REQUEST"

    number = UnicodeAttribute(hash_key=True)
    balance = NumberAttribute(default=0)
    version = VersionAttribute()


@pytest.fixture(autouse=True)
def models(no_aws_settings: None, db: Embedded) -> Iterator[None]:
    """Tables for the models, in an engine that is new in every test: the models' cached clients must follow."""
    with db.intercept():
        User.create_table(wait=True)
        Account.create_table(wait=True)
        yield


def test_tables_are_created_and_described(db: Embedded) -> None:
    assert User.exists()
    assert db.call("ListTables", {}) == {"TableNames": ["Accounts", "Users"]}
    User.delete_table()
    assert not User.exists()


def test_an_item_round_trips() -> None:
    joined = datetime(2026, 1, 2, tzinfo=UTC)
    ada = User(
        "core",
        "ada",
        email="ada@example.com",
        joined=joined,
        avatar=b"\x00\xff",
        tags={"a", "b"},
        address={"city": "London"},
        history=["joined", 1],
        settings={"theme": "dark"},
        expires=datetime(2030, 1, 2, tzinfo=UTC),
    )
    ada.save()
    found = User.get("core", "ada", consistent_read=True)
    assert found.serialize() == ada.serialize()
    assert found.address.city == "London"
    with pytest.raises(DoesNotExist):
        User.get("core", "missing")


def test_a_condition_rejects_a_write() -> None:
    User("core", "ada").save(User.name.does_not_exist())
    with pytest.raises(PutError) as error:
        User("core", "ada").save(User.name.does_not_exist())
    assert error.value.cause_response_code == "ConditionalCheckFailedException"


def test_updates_change_the_model() -> None:
    ada = User("core", "ada", logins=1, history=["a"])
    ada.save()
    ada.update(
        actions=[
            User.logins.add(2),
            User.history.set(User.history.append(["b"])),
            User.email.set("ada@example.com"),
        ],
        condition=User.logins == 1,
    )
    assert (ada.logins, ada.history, ada.email) == (3, ["a", "b"], "ada@example.com")
    ada.delete(User.logins == 3)
    assert User.count("core") == 0


def test_queries_page_filter_and_use_indexes() -> None:
    with User.batch_write() as batch:
        for number in range(60):
            batch.save(User("core", f"{number:02}", logins=number, email=f"{number % 20}@example.com"))
    late = User.query(
        "core", User.name.between("10", "29"), User.logins >= 15, page_size=6, scan_index_forward=False
    )
    assert [user.name for user in late] == [f"{number:02}" for number in range(29, 14, -1)]
    assert sorted(user.name for user in User.by_email.query("7@example.com")) == ["07", "27", "47"]
    assert User.count("core") == 60
    assert len(list(User.scan(User.name.startswith("1"), page_size=9))) == 10
    page = User.query("core", limit=5)
    assert len(list(page)) == 5
    rest = User.query("core", last_evaluated_key=page.last_evaluated_key)
    assert len(list(rest)) == 55


def test_batches_get_and_delete() -> None:
    with User.batch_write() as batch:
        for number in range(30):
            batch.save(User("core", f"{number:02}"))
    keys = [("core", f"{number:02}") for number in range(40)]
    assert len(list(User.batch_get(keys))) == 30
    with User.batch_write() as batch:
        for user in User.query("core"):
            batch.delete(user)
    assert User.count("core") == 0


def test_transactions_move_all_or_nothing() -> None:
    Account("a", balance=100).save()
    Account("b").save()

    def move(amount: int) -> None:
        with TransactWrite(connection=Connection()) as transaction:
            transaction.update(
                Account("a", version=Account.get("a").version),
                actions=[Account.balance.add(-amount)],
                condition=Account.balance >= amount,
            )
            transaction.update(
                Account("b", version=Account.get("b").version), actions=[Account.balance.add(amount)]
            )

    move(60)
    with pytest.raises(TransactWriteError) as error:
        move(60)
    codes = [reason and reason.code for reason in error.value.cancellation_reasons]
    assert codes == ["ConditionalCheckFailed", None]
    with TransactGet(connection=Connection()) as transaction:
        accounts = [transaction.get(Account, "a"), transaction.get(Account, "b")]
    assert [account.get().balance for account in accounts] == [40, 60]


def test_a_stale_version_is_rejected() -> None:
    Account("a").save()
    first, second = Account.get("a"), Account.get("a")
    first.balance = 1
    first.save()
    second.balance = 2
    with pytest.raises(PutError, match="ConditionalCheckFailed"):
        second.save()


def test_the_cached_client_is_used_again() -> None:
    """PynamoDB creates a client for every request if the last one had no credentials. That is slow, so set some."""
    connection = User._get_connection().connection
    client = connection.client
    User("core", "ada").save()
    assert connection.client is client
