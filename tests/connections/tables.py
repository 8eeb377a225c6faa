"""The table that most tests of connections use."""

from typing import Any

MUSIC: dict[str, Any] = {
    "TableName": "Music",
    "KeySchema": [
        {"AttributeName": "Artist", "KeyType": "HASH"},
        {"AttributeName": "Song", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "Artist", "AttributeType": "S"},
        {"AttributeName": "Song", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
