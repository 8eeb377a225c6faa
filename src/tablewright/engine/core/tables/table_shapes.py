"""Shapes of the control plane: keys, indexes, throughput and settings, for CreateTable and UpdateTable."""

from typing import Any

from tablewright.engine.core.requests.shapes import (
    Boolean,
    ListOf,
    Number,
    Shape,
    TableName,
    Text,
    one_of,
    required,
    structure,
)
from tablewright.errors import ValidationError

TABLE_NAME = TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+")
INDEX_NAME = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True)
ATTRIBUTE_NAME = Text(shortest=1, longest=255, required=True)

ATTRIBUTE_DEFINITIONS = ListOf(
    structure(
        "AttributeDefinition",
        AttributeName=ATTRIBUTE_NAME,
        AttributeType=required(one_of("B", "N", "S")),
    )
)
# Only global indexes may have more than two key attributes; `table_rules` checks how many.
INDEX_KEYS = ListOf(
    structure(
        "KeySchemaElement",
        AttributeName=ATTRIBUTE_NAME,
        KeyType=required(one_of("HASH", "RANGE")),
    ),
    shortest=1,
    required=True,
)
KEYS = ListOf(INDEX_KEYS.element, shortest=1, longest=2, required=True)
PROJECTION = required(
    structure(
        "Projection",
        ProjectionType=one_of("ALL", "INCLUDE", "KEYS_ONLY"),
        NonKeyAttributes=ListOf(Text(shortest=1, longest=255), shortest=1, longest=20),
    )
)

_UNITS = Number(least=1, java="Long", required=True)
_LONG = Number(java="Long")
THROUGHPUT = structure("ProvisionedThroughput", WriteCapacityUnits=_UNITS, ReadCapacityUnits=_UNITS)
ON_DEMAND = structure("OnDemandThroughput", MaxReadRequestUnits=_LONG, MaxWriteRequestUnits=_LONG)
WARM = structure("WarmThroughput", ReadUnitsPerSecond=_LONG, WriteUnitsPerSecond=_LONG)
BILLING_MODE = one_of("PROVISIONED", "PAY_PER_REQUEST")

ENCRYPTION = structure(
    "SSESpecification", Enabled=Boolean(), SSEType=one_of("AES256", "KMS"), KMSMasterKeyId=Text()
)
# Tags are validated by AWS's older layer, one message at a time: see `tags`.
TAGS = ListOf(structure("Tag", Key=Text(), Value=Text()))

LOCAL_INDEX = structure("LocalSecondaryIndex", IndexName=INDEX_NAME, KeySchema=KEYS, Projection=PROJECTION)
GLOBAL_INDEX = structure(
    "GlobalSecondaryIndex",
    IndexName=INDEX_NAME,
    KeySchema=INDEX_KEYS,
    Projection=PROJECTION,
    ProvisionedThroughput=THROUGHPUT,
    OnDemandThroughput=ON_DEMAND,
    WarmThroughput=WARM,
)
INDEX_UPDATES = ListOf(
    structure(
        "GlobalSecondaryIndexUpdate",
        Update=structure(
            "UpdateGlobalSecondaryIndexAction",
            IndexName=INDEX_NAME,
            ProvisionedThroughput=THROUGHPUT,
            OnDemandThroughput=ON_DEMAND,
            WarmThroughput=WARM,
        ),
        Create=structure("CreateGlobalSecondaryIndexAction", **GLOBAL_INDEX.members),
        Delete=structure("DeleteGlobalSecondaryIndexAction", IndexName=INDEX_NAME),
    )
)


class TableShape(Shape):
    """The shape of a request about one table: without a table name, nothing else is checked."""

    __slots__ = ()

    def check(self, request: Any) -> None:
        """Raise what DynamoDB would, unless the request has this shape."""
        if isinstance(request, dict) and request.get("TableName") is None:
            self.require_type(request)
            raise ValidationError("The parameter 'TableName' is required but was not present in the request")
        super().check(request)
