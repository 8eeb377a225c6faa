"""An evaluator of IAM policies as DynamoDB needs them: exact actions and resources, and conditions on leading keys."""

import fnmatch
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TAG = re.compile(r"\$\{aws:PrincipalTag/(\w+)\}")
_PARTS = {
    "Put": "dynamodb:PutItem",
    "Update": "dynamodb:UpdateItem",
    "Delete": "dynamodb:DeleteItem",
    "ConditionCheck": "dynamodb:ConditionCheckItem",
    "Get": "dynamodb:GetItem",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The permission that one call needs: an action on a resource, with the partitions of the call."""

    action: str
    resource: str
    partitions: tuple[str, ...] = ()


def allows(policy: dict[str, Any], requests: Asked, tags: Mapping[str, str] | None = None) -> bool:
    """Whether a statement allows the permission; nothing is allowed by default."""
    return any(_allows(statement, requests, tags or {}) for statement in policy["Statement"])


def _allows(statement: dict[str, Any], requests: Asked, tags: Mapping[str, str]) -> bool:
    assert statement["Effect"] == "Allow"
    if requests.action not in statement["Action"] or requests.resource != statement["Resource"]:
        return False
    return all(
        _holds(operator, wanted["dynamodb:LeadingKeys"], requests.partitions, tags)
        for operator, wanted in statement.get("Condition", {}).items()
    )


def _holds(operator: str, wanted: Any, partitions: tuple[str, ...], tags: Mapping[str, str]) -> bool:
    if operator == "Null":
        is_expected: bool = wanted == "false"
        return bool(partitions) == is_expected
    filled = [_TAG.sub(lambda match: tags[match[1]], each) for each in wanted]
    match operator:
        case "ForAllValues:StringEquals":
            return all(partition in filled for partition in partitions)
        case "ForAllValues:StringLike":
            return all(any(_like(partition, each) for each in filled) for partition in partitions)
        case _:
            raise AssertionError(f"unsupported condition operator: {operator}")


def _like(text: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


class Needs:
    """Computes the permissions of calls, from the partition key of each table."""

    def __init__(self, arn: str, partitions: Mapping[str, str]) -> None:
        self._arn = arn
        self._partitions = partitions

    def of(self, operation: str, request: dict[str, Any]) -> Iterator[Asked]:
        """The permissions that a call needs."""
        if operation in ("TransactWriteItems", "TransactGetItems"):
            for entry in request["TransactItems"]:
                ((part, member),) = entry.items()
                yield self._on_items(_PARTS[part], member["TableName"], [member.get("Key") or member["Item"]])
        elif operation in ("BatchGetItem", "BatchWriteItem"):
            for table, wanted in request["RequestItems"].items():
                yield self._on_items(f"dynamodb:{operation}", table, list(_batched(operation, wanted)))
        elif operation in ("Query", "Scan"):
            yield self._on_range(operation, request)
        else:
            item = request.get("Key") or request["Item"]
            yield self._on_items(f"dynamodb:{operation}", request["TableName"], [item])

    def _on_items(self, action: str, table: str, items: list[dict[str, Any]]) -> Asked:
        name = self._partitions[table]
        texts = tuple(str(next(iter(item[name].values()))) for item in items)
        return Asked(action, f"{self._arn}/{table}", texts)

    def _on_range(self, operation: str, request: dict[str, Any]) -> Asked:
        resource = f"{self._arn}/{request['TableName']}"
        if index := request.get("IndexName"):
            resource = f"{resource}/index/{index}"
        if operation == "Scan":
            return Asked("dynamodb:Scan", resource)
        # The partition comes first in the conditions that Tablewright writes.
        placeholder = re.search(r"= (:\w+)", request["KeyConditionExpression"])
        assert placeholder is not None
        (text,) = request["ExpressionAttributeValues"][placeholder[1]].values()
        return Asked("dynamodb:Query", resource, (str(text),))


def _batched(operation: str, wanted: Any) -> Iterator[dict[str, Any]]:
    if operation == "BatchGetItem":
        yield from wanted["Keys"]
        return
    for entry in wanted:
        yield entry["PutRequest"]["Item"] if "PutRequest" in entry else entry["DeleteRequest"]["Key"]
