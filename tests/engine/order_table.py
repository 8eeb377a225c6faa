"""The table that the tests of the engine share."""

from typing import Any

ORDERS: dict[str, Any] = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "team", "AttributeType": "S"},
        {"AttributeName": "rank", "AttributeType": "N"},
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
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        },
        {
            "IndexName": "by-team-keys",
            "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        },
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by-rank",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]},
        }
    ],
}
"""A hash and a range key, two global indexes and a local one, with all three projections."""
