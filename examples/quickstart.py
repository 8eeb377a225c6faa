"""A table through its life, in this process: run it with `make run`.

Everything here is boto3 as it would talk to AWS; only the first line of `main` knows that it does not.
"""

from datetime import timedelta
from typing import Any

from tablewright import embedded

TABLE = {
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
    with embedded() as db:
        client = db.client()
        client.create_table(**TABLE)
        client.update_time_to_live(
            TableName="Orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Expires"}
        )
        place_orders(client, expires=int(db.clock.now()) + 3600)
        print("open orders:   ", customers_with(client, "open"))
        pay(client, "ada", "2026-01-02")
        print("once ada paid: ", customers_with(client, "open"))
        print("paying twice:  ", refusal_of_second_payment(client))
        db.clock.advance(timedelta(hours=2))
        db.sweep()
        print("two hours on:  ", customers_with(client, "open"))
        print("the stream saw:", ", ".join(events(db.streams_client())))


def place_orders(client: Any, expires: int) -> None:
    for customer, placed in [("ada", "2026-01-02"), ("bob", "2026-01-03"), ("cyd", "2026-01-04")]:
        order = {"Customer": {"S": customer}, "Placed": {"S": placed}, "Status": {"S": "open"}}
        if customer == "bob":
            order["Expires"] = {"N": str(expires)}
        client.put_item(TableName="Orders", Item=order)


def customers_with(client: Any, status: str) -> list[str]:
    page = client.query(
        TableName="Orders",
        IndexName="ByStatus",
        KeyConditionExpression="#s = :s",
        ExpressionAttributeNames={"#s": "Status"},
        ExpressionAttributeValues={":s": {"S": status}},
    )
    return [item["Customer"]["S"] for item in page["Items"]]


def pay(client: Any, customer: str, placed: str) -> None:
    client.update_item(
        TableName="Orders",
        Key={"Customer": {"S": customer}, "Placed": {"S": placed}},
        UpdateExpression="SET #s = :paid",
        ConditionExpression="#s = :open",
        ExpressionAttributeNames={"#s": "Status"},
        ExpressionAttributeValues={":paid": {"S": "paid"}, ":open": {"S": "open"}},
    )


def refusal_of_second_payment(client: Any) -> str:
    try:
        pay(client, "ada", "2026-01-02")
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
