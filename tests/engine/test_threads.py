"""Threads: one winner, exact counters, nothing acknowledged lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled
from tests.engine.integrity import assert_indexes_match
from tests.engine.order_table import ORDERS

WRITERS = 16


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(None if request.param == "memory" else tmp_path / "data.db"))
    database.call("CreateTable", ORDERS)
    yield database
    database.close()


def race(work: Callable[[int], object]) -> list[BaseException]:
    """Run the function in many threads at once; return the errors they raised."""
    failures: list[BaseException] = []
    ready = threading.Barrier(WRITERS)

    def run(number: int) -> None:
        ready.wait()
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def key(pk: str, sk: int = 0) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}


def test_put_if_absent_has_exactly_one_winner(db: Database) -> None:
    for turn in range(20):

        def claim(number: int, prize: str = f"prize-{turn}") -> None:
            item = key(prize) | {"team": {"S": str(number)}}
            request = {"TableName": "orders", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
            db.call("PutItem", request)

        failures = race(claim)
        assert len(failures) == WRITERS - 1
        assert all(isinstance(failure, ConditionalCheckFailed) for failure in failures)
    assert_indexes_match(db)


def test_counters_are_exact(db: Database) -> None:
    def count(number: int) -> None:
        for _ in range(25):
            db.call(
                "UpdateItem",
                {
                    "TableName": "orders",
                    "Key": key("counter"),
                    "UpdateExpression": "ADD #r :one SET team = :t",
                    "ExpressionAttributeNames": {"#r": "rank"},
                    "ExpressionAttributeValues": {":one": {"N": "1"}, ":t": {"S": str(number)}},
                },
            )

    assert race(count) == []
    item = db.call("GetItem", {"TableName": "orders", "Key": key("counter")})["Item"]
    assert item["rank"] == {"N": str(WRITERS * 25)}
    assert_indexes_match(db)


def test_no_acknowledged_write_is_lost_while_transactions_fail(db: Database) -> None:
    acknowledged: list[tuple[str, int]] = []

    def work(number: int) -> None:
        for turn in range(20):
            if number % 2:
                _fail_a_transaction(db, number, turn)
            else:
                item = key(f"w{number}", turn) | {"team": {"S": "red"}, "rank": {"N": str(turn)}}
                db.call("PutItem", {"TableName": "orders", "Item": item})
                acknowledged.append((f"w{number}", turn))

    assert race(work) == []
    found = db.call("Scan", {"TableName": "orders"})["Items"]
    assert sorted((item["pk"]["S"], int(item["sk"]["N"])) for item in found) == sorted(acknowledged)
    assert_indexes_match(db)


def _fail_a_transaction(db: Database, number: int, turn: int) -> None:
    item = key(f"never{number}", turn) | {"team": {"S": "blue"}}
    check = {"TableName": "orders", "Key": key("missing"), "ConditionExpression": "attribute_exists(pk)"}
    actions = [{"Put": {"TableName": "orders", "Item": item}}, {"ConditionCheck": check}]
    with pytest.raises(TransactionCanceled):
        db.call("TransactWriteItems", {"TransactItems": actions})


def test_transfers_between_accounts_keep_the_sum(db: Database) -> None:
    for account in range(4):
        db.call(
            "PutItem", {"TableName": "orders", "Item": key(f"account-{account}") | {"rank": {"N": "100"}}}
        )

    def transfer(number: int) -> None:
        for turn in range(15):
            source, target = (number + turn) % 4, (number + turn + 1) % 4
            actions = [_add(f"account-{source}", -5), _add(f"account-{target}", 5)]
            with suppress(TransactionCanceled):
                db.call("TransactWriteItems", {"TransactItems": actions})

    balances: set[tuple[int, ...]] = set()

    def audit(number: int) -> None:
        for _ in range(15):
            gets = [{"Get": {"TableName": "orders", "Key": key(f"account-{a}")}} for a in range(4)]
            replies = db.call("TransactGetItems", {"TransactItems": gets})["Responses"]
            balances.add(tuple(int(reply["Item"]["rank"]["N"]) for reply in replies))

    for _ in range(20):
        assert race(lambda number: audit(number) if number % 4 == 0 else transfer(number)) == []
        assert {sum(each) for each in balances} == {400}
        if len(balances) > 2:
            return
    pytest.fail("no audit was made between two transfers")


def _add(account: str, amount: int) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "orders",
            "Key": key(account),
            "UpdateExpression": "ADD #r :amount",
            "ConditionExpression": "#r >= :least",
            "ExpressionAttributeNames": {"#r": "rank"},
            "ExpressionAttributeValues": {
                ":amount": {"N": str(amount)},
                ":least": {"N": str(max(0, -amount))},
            },
        }
    }
