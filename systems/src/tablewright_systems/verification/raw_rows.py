"""Rows that another program wrote: put into the store as they are, without the design."""

from collections.abc import Mapping
from typing import Any

from tablewright import Repository, Table
from tablewright_systems.service.raw_calls import call_raw


def attribute(value: Any) -> dict[str, Any]:
    """Return a JSON value as DynamoDB stores it.

    >>> attribute({"name": "Ada", "tags": ["x", 1]})
    {'M': {'name': {'S': 'Ada'}, 'tags': {'L': [{'S': 'x'}, {'N': '1'}]}}}
    """
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [attribute(each) for each in value]}
        case _:
            return {"M": {name: attribute(each) for name, each in value.items()}}


def put_row(db: Repository, table: Table, row: Mapping[str, Any]) -> None:
    """Put a row of plain JSON values into a table."""
    call_raw(db, "PutItem", {"TableName": db.context.table_name(table), "Item": attribute(row)["M"]})


def change_row(db: Repository, table: Table, key: Mapping[str, str], **values: Any) -> None:
    """Change attributes of a row to plain JSON values."""
    request = {
        "TableName": db.context.table_name(table),
        "Key": attribute(key)["M"],
        "UpdateExpression": "SET " + ", ".join(f"#{name} = :{name}" for name in values),
        "ExpressionAttributeNames": {f"#{name}": name for name in values},
        "ExpressionAttributeValues": {f":{name}": attribute(value) for name, value in values.items()},
    }
    call_raw(db, "UpdateItem", request)
