"""A process that writes until it is killed, and prints what was acknowledged.

Run by test_kill.py: `python -m tests.engine.killed_writer FILE ROUND`.
"""

import os
import sys
import threading
from contextlib import suppress
from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceInUse
from tests.engine.order_table import ORDERS


def report(line: str) -> None:
    # One write call a line: the parent never sees half of one.
    os.write(1, f"{line}\n".encode())


def item(pk: str, sk: int, team: str) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}, "team": {"S": team}, "rank": {"N": str(sk)}}


def put_forever(db: Database, name: str) -> None:
    for turn in range(1_000_000):
        db.call("PutItem", {"TableName": "orders", "Item": item(name, turn, "red")})
        report(f"put {name} {turn}")


def transact_forever(db: Database, name: str) -> None:
    for turn in range(1_000_000):
        puts = [
            {"Put": {"TableName": "orders", "Item": item(f"{name}-{leg}", turn, "blue")}} for leg in "xyz"
        ]
        db.call("TransactWriteItems", {"TransactItems": puts})
        report(f"transact {name} {turn}")


def count_forever(db: Database, name: str) -> None:
    request = {
        "TableName": "orders",
        "Key": {"pk": {"S": name}, "sk": {"N": "0"}},
        "UpdateExpression": "ADD #r :one SET team = :t",
        "ExpressionAttributeNames": {"#r": "rank"},
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":t": {"S": "green"}},
        "ReturnValues": "UPDATED_NEW",
    }
    while True:
        reply = db.call("UpdateItem", request)
        report(f"count {name} {reply['Attributes']['rank']['N']}")


def main(path: str, turn: str) -> None:
    db = Database(open_store(path))
    with suppress(ResourceInUse):
        db.call("CreateTable", ORDERS)
    report("ready")
    work = [(put_forever, f"put-{turn}"), (transact_forever, f"tx-{turn}"), (count_forever, f"count-{turn}")]
    for forever, name in work:
        threading.Thread(target=forever, args=(db, name)).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
