"""The items and the table that every benchmark uses: 1 KB items, one index that projects everything."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.engine.database import Database

TABLE: dict[str, Any] = {
    "TableName": "bench",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
        {"AttributeName": "team", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-team",
            "KeySchema": [
                {"AttributeName": "team", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}

ITEMS_PER_PARTITION = 10
BATCH = 25


def key(number: int) -> dict[str, Any]:
    """The key of the item with that number; ten neighbours share a partition."""
    partition, place = divmod(number, ITEMS_PER_PARTITION)
    return {"pk": {"S": f"user#{partition:08}"}, "sk": {"S": f"order#{place:08}"}}


def item(number: int) -> dict[str, Any]:
    """The item with that number: about 1 KB in a dozen attributes."""
    texts = {f"attribute{place}": {"S": f"{number:08}" * 9} for place in range(9)}
    return key(number) | {"team": {"S": f"team#{number % 1000}"}, "count": {"N": str(number)}} | texts


def query(number: int) -> dict[str, Any]:
    """A query for the ten items of one partition."""
    return {
        "TableName": "bench",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": key(number)["pk"]},
    }


def fill(db: "Database", items: int) -> None:
    """Write the items with the first numbers."""
    for start in range(0, items, BATCH):
        puts = [{"PutRequest": {"Item": item(number)}} for number in range(start, min(start + BATCH, items))]
        db.call("BatchWriteItem", {"RequestItems": {"bench": puts}})
