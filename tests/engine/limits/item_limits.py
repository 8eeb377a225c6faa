"""The limits of items, their attributes and their keys."""

from base64 import b64encode
from typing import Any

from tests.engine.limits.limit import Call, Limit, Request, calling
from tests.engine.limits.limit_tables import BINARY, INDEXED, LOCAL, PLAIN, SORTED, item_of, nested, text

KB = 1024
ITEM = 400 * KB
TOO_LARGE = "Item size has exceeded the maximum allowed size"
TOO_LARGE_AFTER_UPDATE = "Item size to update has exceeded the maximum allowed size"
LONG_HASH = "Size of hashkey has exceeded the maximum size limit of2048 bytes"
LONG_RANGE = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
EMPTY = "cannot contain an empty string value"
TOO_DEEP = "Nesting Levels have exceeded supported limits"
NO_NAME = "Empty attribute name"
LONG_NAME = "Attribute name is too large, must be less than 65536 bytes"


def put(table: str, item: Request) -> Request:
    return {"TableName": table, "Item": item}


def _update_to(call: Call, size: int) -> object:
    """Update an item, so that it has that size."""
    call("PutItem", put(PLAIN, item_of(size - 2)))
    return call("UpdateItem", _adding_two_bytes())


def _adding_two_bytes() -> Request:
    return {
        "TableName": PLAIN,
        "Key": {"p": {"S": "k"}},
        "UpdateExpression": "SET a = :a",
        "ExpressionAttributeValues": {":a": {"S": "x"}},
    }


def _update_to_in_transaction(call: Call, size: int) -> object:
    call("PutItem", put(PLAIN, item_of(size - 2)))
    return call("TransactWriteItems", {"TransactItems": [{"Update": _adding_two_bytes()}]})


def _update_to_by_statement(call: Call, size: int) -> object:
    call("PutItem", put(PLAIN, item_of(size - 2)))
    return call("ExecuteStatement", {"Statement": f"UPDATE \"{PLAIN}\" SET a = 'x' WHERE p = 'k'"})


def _insert(call: Call, size: int) -> object:
    call("DeleteItem", {"TableName": PLAIN, "Key": {"p": {"S": "k"}}})
    statement = f'INSERT INTO "{PLAIN}" VALUE ' + "{'p': 'k', 'text': ?}"
    return call("ExecuteStatement", {"Statement": statement, "Parameters": [item_of(size)["text"]]})


# The item in the table, and its row in the local index: two more names and values of one byte, and the index key.
_LOCAL_ROW = 6


def with_local_row(size: int) -> Request:
    """An item whose size is that of the item and of its row in the local index together."""
    key = {"p": {"S": "k"}, "c": {"S": "c"}, "l": {"S": "l"}}
    return {**key, "text": text(size - 2 * _LOCAL_ROW - len("text"))}


def _update_with_local_row(call: Call, size: int) -> object:
    call("PutItem", put(LOCAL, with_local_row(size - 2)))
    request = _adding_two_bytes() | {"TableName": LOCAL, "Key": {"p": {"S": "k"}, "c": {"S": "c"}}}
    return call("UpdateItem", request)


def _batch(item: Request) -> Request:
    return {"RequestItems": {PLAIN: [{"PutRequest": {"Item": item}}]}}


def _transaction(item: Request) -> Request:
    return {"TransactItems": [{"Put": put(PLAIN, item)}]}


def _size(name: str, send: Any, above: str = TOO_LARGE) -> Limit:
    return Limit(
        "Items", f"size of an item, {name}", send, most=ITEM, unit="bytes", above=above, shown="400 KB"
    )


SIZES = (
    _size("in PutItem", calling("PutItem", lambda size: put(PLAIN, item_of(size)))),
    _size("in BatchWriteItem", calling("BatchWriteItem", lambda size: _batch(item_of(size)))),
    _size("in TransactWriteItems", calling("TransactWriteItems", lambda size: _transaction(item_of(size)))),
    _size("in a PartiQL INSERT", _insert),
    _size("after UpdateItem", _update_to, TOO_LARGE_AFTER_UPDATE),
    Limit(
        "Items",
        "size of an item, after an Update in TransactWriteItems",
        _update_to_in_transaction,
        most=ITEM,
        unit="bytes",
        code="TransactionCanceledException",
        above="ValidationError",
        shown="400 KB",
    ),
    _size("after a PartiQL UPDATE", _update_to_by_statement, TOO_LARGE_AFTER_UPDATE),
    _size(
        "its attribute names included",
        calling("PutItem", lambda size: put(PLAIN, {"p": {"S": "k"}, **_named(size - 2)})),
    ),
    _size(
        "with its rows in local indexes",
        calling("PutItem", lambda size: put(LOCAL, with_local_row(size))),
    ),
    _size("with its rows in local indexes, after UpdateItem", _update_with_local_row, TOO_LARGE_AFTER_UPDATE),
)


def _named(size: int) -> Request:
    """Attributes whose names have nearly all of the bytes."""
    whole, rest = divmod(size, 50_001)
    names = [f"{number}".ljust(50_000, "n") for number in range(whole)]
    return {**dict.fromkeys(names, text(1)), "rest": text(rest - len("rest"))}


def _attribute(value: Any) -> Request:
    return put(PLAIN, {"p": {"S": "k"}, "a": value})


def _expression_value(levels: int) -> Request:
    return {
        **_attribute({"S": "x"}),
        "ConditionExpression": "a <> :v",
        "ExpressionAttributeValues": {":v": nested(levels)},
    }


def _nest_by_update(call: Call, levels: int) -> object:
    call("PutItem", _attribute(nested(levels - 1)))
    request = {
        "TableName": PLAIN,
        "Key": {"p": {"S": "k"}},
        "UpdateExpression": "SET " + _deepest(levels - 1) + " = :v",
        "ExpressionAttributeValues": {":v": {"L": [{"S": "x"}]}},
    }
    return call("UpdateItem", request)


def _deepest(levels: int) -> str:
    """The path of the innermost value of `nested(levels)` in the attribute `a`."""
    parts = ["[0]" if level % 2 else ".a" for level in range(levels - 1)]
    return "a" + "".join(reversed(parts))


def _digits(count: int) -> Request:
    return _attribute({"N": "9" * count if count else ""})


ATTRIBUTES = (
    Limit(
        "Items",
        "levels of a value, the innermost value included",
        calling("PutItem", lambda levels: _attribute(nested(levels))),
        most=32,
        above=TOO_DEEP,
    ),
    Limit(
        "Items",
        "levels of a value in ExpressionAttributeValues",
        calling("PutItem", _expression_value),
        most=32,
        above=TOO_DEEP,
    ),
    Limit("Items", "levels of a value, after UpdateItem", _nest_by_update, most=32, above=TOO_DEEP),
    Limit(
        "Items",
        "digits of a number",
        calling("PutItem", _digits),
        least=1,
        most=38,
        below="cannot be converted to a numeric value",
        above="Attempting to store more than 38 significant digits in a Number",
    ),
    Limit(
        "Items",
        "exponent of a number",
        calling("PutItem", lambda exponent: _attribute({"N": f"-1E{exponent}"})),
        least=-130,
        most=125,
        below="Number underflow",
        above="Number overflow",
    ),
    Limit(
        "Items",
        "members of a set",
        calling("PutItem", lambda count: _attribute({"SS": [str(each) for each in range(count)]})),
        least=1,
        below="An string set  may not be empty",
    ),
)


def _get(**more: Any) -> Request:
    return {"TableName": PLAIN, "Key": {"p": {"S": "k"}}, **more}


def _attribute_name(name: str, operation: str, request: Any, **more: Any) -> Limit:
    return Limit(
        "Items",
        f"attribute name, {name}",
        calling(operation, request),
        least=1,
        most=65535,
        unit="bytes",
        below=NO_NAME,
        above=more.get("above", LONG_NAME),
    )


ATTRIBUTE_NAMES = (
    _attribute_name("in an item", "PutItem", lambda size: put(PLAIN, {"p": {"S": "k"}, "n" * size: text(1)})),
    _attribute_name(
        "in ExpressionAttributeNames",
        "GetItem",
        lambda size: _get(ProjectionExpression="#n", ExpressionAttributeNames={"#n": "n" * size}),
    ),
    _attribute_name("in AttributesToGet", "GetItem", lambda size: _get(AttributesToGet=["n" * size])),
    _attribute_name(
        "in AttributeUpdates",
        "UpdateItem",
        lambda size: {
            "TableName": PLAIN,
            "Key": {"p": {"S": "named"}},
            "AttributeUpdates": {"n" * size: {"Action": "DELETE"}},
        },
    ),
    _attribute_name(
        "in Expected",
        "PutItem",
        lambda size: put(PLAIN, {"p": {"S": "k"}}) | {"Expected": {"n" * size: {"Exists": False}}},
    ),
    _attribute_name(
        "in ScanFilter",
        "Scan",
        lambda size: {"TableName": PLAIN, "ScanFilter": {"n" * size: {"ComparisonOperator": "NULL"}}},
    ),
)


def _query(size: int) -> Request:
    return {
        "TableName": PLAIN,
        "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": text(size)},
    }


def _hash(name: str, operation: str, request: Any, below: str = EMPTY) -> Limit:
    return Limit(
        "Keys",
        f"partition key, {name}",
        calling(operation, request),
        least=1,
        most=2048,
        unit="bytes",
        below=below,
        above=LONG_HASH,
    )


def _range(name: str, operation: str, request: Any) -> Limit:
    return Limit(
        "Keys",
        f"sort key, {name}",
        calling(operation, request),
        least=1,
        most=1024,
        unit="bytes",
        below=EMPTY,
        above=LONG_RANGE,
    )


def _indexed(**attributes: Any) -> Request:
    return put(INDEXED, {"p": {"S": "k"}, "g": {"S": "g"}, "h": {"S": "h"}, **attributes})


def _set_index_key(name: str, size: int) -> Request:
    return {
        "TableName": INDEXED,
        "Key": {"p": {"S": "updated"}},
        "UpdateExpression": "SET g = :g, h = :h",
        "ExpressionAttributeValues": {":g": text(1), ":h": text(1), f":{name}": text(size)},
    }


KEYS = (
    _hash("in PutItem", "PutItem", lambda size: put(PLAIN, {"p": text(size)})),
    _hash("in GetItem", "GetItem", lambda size: {"TableName": PLAIN, "Key": {"p": text(size)}}),
    _hash("in DeleteItem", "DeleteItem", lambda size: {"TableName": PLAIN, "Key": {"p": text(size)}}),
    _hash("in Query", "Query", _query),
    _hash(
        "of binary",
        "PutItem",
        lambda size: put(BINARY, {"p": {"B": b64encode(b"x" * size).decode()}}),
        below="cannot contain an empty binary value",
    ),
    _hash("of a global index, in PutItem", "PutItem", lambda size: _indexed(g=text(size))),
    _hash("of a global index, in UpdateItem", "UpdateItem", lambda size: _set_index_key("g", size)),
    _range("in PutItem", "PutItem", lambda size: put(SORTED, {"p": text(1), "c": text(size)})),
    _range("of a global index, in PutItem", "PutItem", lambda size: _indexed(h=text(size))),
    _range("of a global index, in UpdateItem", "UpdateItem", lambda size: _set_index_key("h", size)),
    _range(
        "of a local index, in PutItem",
        "PutItem",
        lambda size: put(LOCAL, {"p": text(1), "c": text(1), "l": text(size)}),
    ),
)

LIMITS = (*SIZES, *ATTRIBUTES, *ATTRIBUTE_NAMES, *KEYS)
