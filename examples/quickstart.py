"""A table through its life, in this process: run it with `make demo`.

Everything here is boto3 as it would talk to AWS; only `embedded` knows that it does not.
"""

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from tablewright import embedded

ORDERS = {
    "TableName": "Orders",
    "KeySchema": [
        {"AttributeName": "Customer", "KeyType": "HASH"},
        {"AttributeName": "Placed", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "Customer", "AttributeType": "S"},
        {"AttributeName": "Placed", "AttributeType": "S"},
        {"AttributeName": "Status", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByStatus",
            "KeySchema": [
                {"AttributeName": "Status", "KeyType": "HASH"},
                {"AttributeName": "Placed", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shop.db"
        print("A DynamoDB runs in this process. No server, no Docker, no AWS account.\n")
        with embedded(file) as db:
            take_through_its_life(db)
        with embedded(file) as db:
            say("Closed, and opened again: still open", who_has(db.client(), "open"))


def take_through_its_life(db: Any) -> None:
    client = db.client()
    client.create_table(**ORDERS)
    client.update_time_to_live(
        TableName="Orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Expires"}
    )
    say("Created a table with an index, a stream and expiry", ", ".join(client.list_tables()["TableNames"]))

    place(client, "ada", "2026-01-02")
    place(client, "bob", "2026-01-03", Expires={"N": str(int(db.clock.now()) + 3600)})
    place(client, "cyd", "2026-01-04")
    say("Three orders; the index knows which are open", who_has(client, "open"))

    pay(client, "ada", "2026-01-02")
    say("Ada pays; now open", who_has(client, "open"))
    say("She pays again, and DynamoDB refuses", refusal_of(pay, client, "ada", "2026-01-02"))

    db.clock.advance(timedelta(hours=2))
    db.sweep()
    say("Two hours later Bob's order has expired; now open", who_has(client, "open"))
    say("The stream saw it all", ", ".join(events(db.streams_client())))


def say(what: str, outcome: str) -> None:
    print(f"{what}:\n    {outcome}")


def place(client: Any, customer: str, placed: str, **more: Any) -> None:
    order = {"Customer": {"S": customer}, "Placed": {"S": placed}, "Status": {"S": "open"}, **more}
    client.put_item(TableName="Orders", Item=order)


def who_has(client: Any, status: str) -> str:
    found = client.query(
        TableName="Orders",
        IndexName="ByStatus",
        KeyConditionExpression="#status = :status",
        ExpressionAttributeNames={"#status": "Status"},
        ExpressionAttributeValues={":status": {"S": status}},
    )
    return ", ".join(item["Customer"]["S"] for item in found["Items"])


def pay(client: Any, customer: str, placed: str) -> None:
    client.update_item(
        TableName="Orders",
        Key={"Customer": {"S": customer}, "Placed": {"S": placed}},
        UpdateExpression="SET #status = :paid",
        ConditionExpression="#status = :open",
        ExpressionAttributeNames={"#status": "Status"},
        ExpressionAttributeValues={":paid": {"S": "paid"}, ":open": {"S": "open"}},
    )


def refusal_of(act: Any, client: Any, *arguments: str) -> str:
    try:
        act(client, *arguments)
    except client.exceptions.ConditionalCheckFailedException as refusal:
        return str(refusal)
    return "accepted"


def events(streams: Any) -> list[str]:
    arn = streams.list_streams(TableName="Orders")["Streams"][0]["StreamArn"]
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    return [f"{record['eventName']} {record['dynamodb']['Keys']['Customer']['S']}" for record in records]


if __name__ == "__main__":
    main()
