"""Create, write, query and reopen a table in this process. Run it with `make demo`.

All calls are boto3's, as for AWS. Only `embedded` is different.
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
        print("DynamoDB runs in this process: no server, no Docker, no AWS account.\n")
        with embedded(file) as db:
            run_through(db)
        with embedded(file) as db:
            show("Close the file and open it again; open orders", customers_with(db.client(), "open"))


def run_through(db: Any) -> None:
    client = db.client()
    client.create_table(**ORDERS)
    client.update_time_to_live(
        TableName="Orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Expires"}
    )
    show("Create a table with an index, a stream and TTL", ", ".join(client.list_tables()["TableNames"]))

    place(client, "ada", "2026-01-02")
    place(client, "bob", "2026-01-03", Expires={"N": str(int(db.clock.now()) + 3600)})
    place(client, "cyd", "2026-01-04")
    show("Put three orders; query the index for open orders", customers_with(client, "open"))

    pay(client, "ada", "2026-01-02")
    show("Pay the order of ada; open orders", customers_with(client, "open"))
    show("Pay it again; the condition fails", error_of(pay, client, "ada", "2026-01-02"))

    db.clock.advance(timedelta(hours=2))
    db.sweep()
    show("Move the clock by two hours; the order of bob expires; open orders", customers_with(client, "open"))
    show("Read the stream", ", ".join(events(db.streams_client())))


def show(action: str, result: str) -> None:
    print(f"{action}:\n    {result}")


def place(client: Any, customer: str, placed: str, **more: Any) -> None:
    order = {"Customer": {"S": customer}, "Placed": {"S": placed}, "Status": {"S": "open"}, **more}
    client.put_item(TableName="Orders", Item=order)


def customers_with(client: Any, status: str) -> str:
    reply = client.query(
        TableName="Orders",
        IndexName="ByStatus",
        KeyConditionExpression="#status = :status",
        ExpressionAttributeNames={"#status": "Status"},
        ExpressionAttributeValues={":status": {"S": status}},
    )
    return ", ".join(item["Customer"]["S"] for item in reply["Items"])


def pay(client: Any, customer: str, placed: str) -> None:
    client.update_item(
        TableName="Orders",
        Key={"Customer": {"S": customer}, "Placed": {"S": placed}},
        UpdateExpression="SET #status = :paid",
        ConditionExpression="#status = :open",
        ExpressionAttributeNames={"#status": "Status"},
        ExpressionAttributeValues={":paid": {"S": "paid"}, ":open": {"S": "open"}},
    )


def error_of(function: Any, client: Any, *arguments: str) -> str:
    try:
        function(client, *arguments)
    except client.exceptions.ConditionalCheckFailedException as error:
        return str(error)
    return "accepted"


def events(streams: Any) -> list[str]:
    arn = streams.list_streams(TableName="Orders")["Streams"][0]["StreamArn"]
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    return [f"{record['eventName']} {record['dynamodb']['Keys']['Customer']['S']}" for record in records]


if __name__ == "__main__":
    main()
