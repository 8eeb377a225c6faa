"""Query completion: the words that the editor of the query view completes, and a template of each operation."""

from typing import Any

from tablewright.console.open_designs import OpenDesign
from tablewright.console.queries.raw_requests import OPERATIONS, READS, WRITES

KEYWORDS = (
    "SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "NULL", "ORDER BY", "ASC", "DESC",
    "INSERT INTO", "VALUE", "UPDATE", "SET", "REMOVE", "DELETE FROM", "RETURNING", "ALL OLD *", "ALL NEW *",
    "MODIFIED OLD *", "MODIFIED NEW *",
)  # fmt: skip
FUNCTIONS = (
    "begins_with",
    "contains",
    "attribute_type",
    "size",
    "list_append",
    "set_add",
    "set_delete",
    "EXISTS",
)
MEMBERS = (
    "TableName", "IndexName", "Key", "Item", "KeyConditionExpression", "FilterExpression", "ConditionExpression",
    "UpdateExpression", "ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues",
    "ConsistentRead", "ScanIndexForward", "Limit", "Select", "ExclusiveStartKey", "ReturnValues",
    "ReturnValuesOnConditionCheckFailure", "ReturnConsumedCapacity", "RequestItems", "TransactItems", "Keys",
    "PutRequest", "DeleteRequest", "Get", "Put", "Update", "Delete", "ConditionCheck", "Statement", "Statements",
    "TransactStatements", "Parameters", "attribute_exists", "attribute_not_exists", "begins_with", "contains", "size",
    "SET", "REMOVE", "ADD", "DELETE", "if_not_exists", "list_append",
)  # fmt: skip


def completion(opened: OpenDesign) -> dict[str, Any]:
    """Return the words for completion; attributes and fields by table."""
    tables = []
    for name, table in opened.tables.items():
        layouts = [entity.layout for entity in opened.design.entities_of(table)]
        attributes = [field.stored for layout in layouts for field in layout.fields.values()]
        tables.append(
            {
                "name": name,
                "indexes": [index.name for index in table.indexes],
                "attributes": list(dict.fromkeys([*table.key_attributes, table.discriminator, *attributes])),
                "fields": {
                    field.name: field.stored for layout in layouts for field in layout.fields.values()
                },
                "entities": [layout.entity.__name__ for layout in layouts],
            }
        )
    return {
        "keywords": KEYWORDS,
        "functions": FUNCTIONS,
        "members": MEMBERS,
        "tables": tables,
        "operations": [
            {
                "name": name,
                "writes": name in WRITES,
                "reads": name in READS,
                "template": template(opened, name),
            }
            for name in OPERATIONS
        ],
    }


def template(opened: OpenDesign, operation: str, name: str | None = None) -> dict[str, Any]:
    """Return a request of an operation on a table, the first by default, with places to fill in."""
    name = name or next(iter(opened.tables))
    table = opened.tables[name]
    key = {attribute: {table.type_of(attribute): ""} for attribute in table.key}
    alias = {"#pk": table.partition}
    values = {":pk": {table.type_of(table.partition): ""}}
    whole = f'SELECT * FROM "{name}" WHERE "{table.partition}" = ?'
    match operation:
        case "GetItem" | "DeleteItem":
            return {"TableName": name, "Key": key}
        case "Query":
            return {
                "TableName": name,
                "KeyConditionExpression": "#pk = :pk",
                "ExpressionAttributeNames": alias,
                "ExpressionAttributeValues": values,
                "Limit": 100,
            }
        case "Scan":
            return {"TableName": name, "Limit": 100}
        case "PutItem":
            return {"TableName": name, "Item": key}
        case "UpdateItem":
            return {
                "TableName": name,
                "Key": key,
                "UpdateExpression": "SET #name = :value",
                "ExpressionAttributeNames": {"#name": ""},
                "ExpressionAttributeValues": {":value": {"S": ""}},
            }
        case "BatchGetItem":
            return {"RequestItems": {name: {"Keys": [key]}}}
        case "BatchWriteItem":
            return {"RequestItems": {name: [{"PutRequest": {"Item": key}}]}}
        case "TransactGetItems":
            return {"TransactItems": [{"Get": {"TableName": name, "Key": key}}]}
        case "TransactWriteItems":
            return {"TransactItems": [{"Put": {"TableName": name, "Item": key}}]}
        case "ExecuteStatement":
            return {"Statement": whole, "Parameters": list(values.values())}
        case "BatchExecuteStatement":
            return {"Statements": [{"Statement": whole, "Parameters": list(values.values())}]}
        case _:
            return {"TransactStatements": [{"Statement": whole, "Parameters": list(values.values())}]}
