"""The limits of tables: their names, indexes, throughput, tags, policies and backups."""

import json
from collections.abc import Callable

from tests.engine.limits.limit import Call, Limit, Request, calling
from tests.engine.limits.limit_tables import ARN, EMPTY, PLAIN, index, table

SHORT = "Member must have length greater than or equal to"
LONG = "Member must have length less than or equal to"
NEW = "limits-new"
INCLUDE = {"ProjectionType": "INCLUDE"}


def _creating(request: Callable[[int], Request]) -> Callable[[Call, int], object]:
    """Create a table and delete it."""

    def send(call: Call, value: int) -> object:
        asked = request(value)
        reply = call("CreateTable", asked)
        call("DeleteTable", {"TableName": asked["TableName"]})
        return reply

    return send


def _name(
    topic: str, name: str, send: Callable[[Call, int], object], least: int = 3, most: int = 255
) -> Limit:
    return Limit(
        topic,
        name,
        send,
        least=least,
        most=most,
        unit="characters",
        below=f"{SHORT} {least}",
        above=f"{LONG} {most}",
    )


def _with_global(*indexes: Request, **types: str) -> Request:
    return table(NEW, "p", types={"p": "S", "g": "S", **types}, GlobalSecondaryIndexes=list(indexes))


def _with_projected(*names: str) -> Request:
    return _with_global(index("global", "g", projection={**INCLUDE, "NonKeyAttributes": list(names)}))


def _time_to_live(call: Call, length: int) -> object:
    def switch(enabled: bool) -> object:
        specification = {"AttributeName": "n" * length, "Enabled": enabled}
        return call("UpdateTimeToLive", {"TableName": EMPTY, "TimeToLiveSpecification": specification})

    switch(True)
    return switch(False)


NAMES = (
    _name("Tables", "name of a table", _creating(lambda length: table("n" * length, "p"))),
    _name(
        "Tables",
        "name of an index",
        _creating(lambda length: _with_global(index("n" * length, "g"))),
    ),
    _name(
        "Tables",
        "name of a key attribute",
        _creating(lambda length: table(NEW, "n" * length)),
        least=1,
    ),
    _name(
        "Tables",
        "name of a projected attribute",
        _creating(lambda length: _with_projected("n" * length)),
        least=1,
    ),
    _name("Tables", "name of the time-to-live attribute", _time_to_live, least=1),
    _name(
        "Backups",
        "name of a backup",
        calling("CreateBackup", lambda length: {"TableName": EMPTY, "BackupName": "n" * length}),
    ),
)


def _with_local(count: int) -> Request:
    names = [f"l{number}" for number in range(count)]
    types = dict.fromkeys(["p", "c", *names], "S")
    indexes = [index(f"local-{name}", "p", name) for name in names]
    return table(NEW, "p", "c", types=types, LocalSecondaryIndexes=indexes)


def _with_many_global(count: int) -> Request:
    return _with_global(*(index(f"global-{number}", "g") for number in range(count)))


def _add_global(call: Call, count: int) -> object:
    """Create a table with all but one index, and add that one with UpdateTable."""
    call("CreateTable", _with_many_global(count - 1))
    request = {
        "TableName": NEW,
        "AttributeDefinitions": _with_global()["AttributeDefinitions"],
        "GlobalSecondaryIndexUpdates": [{"Create": index("added", "g")}],
    }
    try:
        return call("UpdateTable", request)
    finally:
        call("DeleteTable", {"TableName": NEW})


def _projected(count: int) -> Request:
    names = [f"a{number}" for number in range(count)]
    pages = [names[first : first + 20] for first in range(0, count, 20)]
    return _with_global(
        *(
            index(f"global-{number}", "g", projection={**INCLUDE, "NonKeyAttributes": page})
            for number, page in enumerate(pages)
        )
    )


def _global_keys(kind: str, count: int) -> Request:
    names = [f"k{number}" for number in range(count)]
    schema = [{"AttributeName": name, "KeyType": kind} for name in names]
    if kind == "RANGE":
        schema.insert(0, {"AttributeName": "g", "KeyType": "HASH"})
    types = dict.fromkeys(names if kind == "HASH" else ["g", *names], "S")
    wide = {"IndexName": "wide", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    return table(NEW, "p", types={"p": "S", **types}, GlobalSecondaryIndexes=[wide])


INDEXES = (
    Limit(
        "Tables",
        "local indexes of a table",
        _creating(_with_local),
        least=1,
        most=5,
        below="List of LocalSecondaryIndexes is empty",
        above="Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    Limit(
        "Tables",
        "global indexes of a table",
        _creating(_with_many_global),
        most=20,
        above="GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
    Limit(
        "Tables",
        "global indexes of a table, in UpdateTable",
        _add_global,
        most=20,
        code="LimitExceededException",
        above="Number of global secondary indexes exceeds per-table limit of 20",
    ),
    Limit(
        "Tables",
        "attributes projected into one index",
        _creating(lambda count: _with_projected(*(f"a{number}" for number in range(count)))),
        least=1,
        most=20,
        below=f"{SHORT} 1",
        above=f"{LONG} 20",
    ),
    Limit(
        "Tables",
        "attributes projected into all indexes",
        _creating(_projected),
        most=100,
        above="Number of projected attributes across all indexes exceeds per-table limit of 100",
    ),
    Limit(
        "Tables",
        "partition key attributes of a global index",
        _creating(lambda count: _global_keys("HASH", count)),
        least=1,
        most=4,
        below=f"{SHORT} 1",
        above="The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    Limit(
        "Tables",
        "sort key attributes of a global index",
        _creating(lambda count: _global_keys("RANGE", count)),
        most=4,
        above="The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
)


def _provisioned(units: int) -> Request:
    throughput = {"ReadCapacityUnits": units, "WriteCapacityUnits": units}
    return table(NEW, "p") | {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput}


def _switch_units(units: int) -> Request:
    return table(NEW, "p", OnDemandThroughput={"MaxReadRequestUnits": units})


THROUGHPUT = (
    Limit(
        "Tables",
        "capacity units, provisioned",
        _creating(_provisioned),
        least=1,
        below="Member must have value greater than or equal to 1",
    ),
    Limit(
        "Tables",
        "capacity units of a table or an index",
        _creating(_provisioned),
        most=40_000,
        code="LimitExceededException",
        above="is above the per table maximum for the account",
    ),
    Limit(
        "Tables",
        "maximum request units, on demand",
        _creating(_switch_units),
        least=1,
        below="is outside of valid range",
    ),
)


def _tags(count: int) -> list[dict[str, str]]:
    return [{"Key": f"key-{number}", "Value": "v"} for number in range(count)]


def _tag(*tags: dict[str, str]) -> Request:
    return {"ResourceArn": ARN + PLAIN, "Tags": list(tags)}


def _tag_and_untag(call: Call, tags: list[dict[str, str]]) -> object:
    reply = call("TagResource", _tag(*tags))
    call("UntagResource", {"ResourceArn": ARN + PLAIN, "TagKeys": [tag["Key"] for tag in tags]})
    return reply


def _tag_twice(call: Call, count: int) -> object:
    """Add tags to those that the table has already."""
    kept = _tags(count)
    try:
        call("TagResource", _tag(*kept[:40]))
        return call("TagResource", _tag(*kept[40:]))
    finally:
        call("UntagResource", {"ResourceArn": ARN + PLAIN, "TagKeys": [tag["Key"] for tag in kept[:40]]})
        rest = [tag["Key"] for tag in kept[40:50]]
        call("UntagResource", {"ResourceArn": ARN + PLAIN, "TagKeys": rest})


TOO_MANY_TAGS = "Number of Tags exceed the current limit for the provided ResourceArn"

TAGS = (
    Limit(
        "Tables",
        "tags of a table, in CreateTable",
        _creating(lambda count: table(NEW, "p", Tags=_tags(count))),
        most=50,
        above=TOO_MANY_TAGS,
    ),
    Limit(
        "Tables",
        "tags of a table, in TagResource",
        _tag_twice,
        most=50,
        above=TOO_MANY_TAGS,
    ),
    Limit(
        "Tables",
        "key of a tag",
        lambda call, length: _tag_and_untag(call, [{"Key": "k" * length, "Value": "v"}]),
        least=1,
        most=128,
        unit="characters",
        below="The Tag Key provided is invalid",
        above="The Tag Key provided is invalid",
    ),
    Limit(
        "Tables",
        "value of a tag",
        lambda call, length: _tag_and_untag(call, [{"Key": "k", "Value": "v" * length}]),
        least=0,
        most=256,
        unit="characters",
        above="The Tag Value provided is invalid",
    ),
)


def _policy(size: int) -> Request:
    statement = {
        "Sid": "",
        "Effect": "Allow",
        "Principal": {"AWS": "123456789012"},
        "Action": "dynamodb:GetItem",
        "Resource": ARN + PLAIN,
    }
    document = {"Version": "2012-10-17", "Statement": [statement]}
    policy = json.dumps(document)
    return {"ResourceArn": ARN + PLAIN, "Policy": policy + " " * (size - len(policy))}


def _recovery(days: int) -> Request:
    asked = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
    return {"TableName": EMPTY, "PointInTimeRecoverySpecification": asked}


OTHERS = (
    Limit(
        "Tables",
        "resource policy",
        calling("PutResourcePolicy", _policy),
        most=20_480,
        unit="bytes",
        above="Maximum policy size of 20480 bytes exceeded",
        shown="20 KB",
    ),
    Limit(
        "Backups",
        "days of point-in-time recovery",
        calling("UpdateContinuousBackups", _recovery),
        least=1,
        most=35,
        below="Member must have value greater than or equal to 1",
        above="Member must have value less than or equal to 35",
    ),
)

LIMITS = (*NAMES, *INDEXES, *THROUGHPUT, *TAGS, *OTHERS)
