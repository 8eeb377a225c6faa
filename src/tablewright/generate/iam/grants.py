"""Grants: what a role may do, and the statements that say so.

A right is an action on a resource, for some partitions and attributes. Statements are grouped by action, and not by
what needs the action: `ForAllValues` is about all keys of a request, so the keys of one batch must be in one statement.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tablewright.design.tables import Table
from tablewright.errors import UsageError
from tablewright.generate.iam.partition_patterns import PartitionPattern

_ACCOUNT = re.compile(r"[0-9]{12}").fullmatch
_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-[0-9]").fullmatch
_PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "eusc-": "aws-eusc"}


@dataclass(frozen=True, slots=True)
class TableArns:
    """Builds the ARNs of tables and indexes.

    >>> TableArns("eu-north-1", "123456789012", "main").of(Table("app-{env}", key="id"))
    'arn:aws:dynamodb:eu-north-1:123456789012:table/app-main'
    """

    region: str
    account: str
    environment: str | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        if not _ACCOUNT(self.account):
            raise UsageError(f"an AWS account ID has 12 digits, got {self.account}")
        if not _REGION(self.region):
            raise UsageError(f"{self.region} is not an AWS region; give one such as eu-north-1")

    @property
    def partition(self) -> str:
        """The partition of AWS that the region belongs to."""
        partitions = (name for prefix, name in _PARTITIONS.items() if self.region.startswith(prefix))
        return next(partitions, "aws")

    def of(self, table: Table, index: str | None = None) -> str:
        """The ARN of a table or of an index."""
        name = self.prefix + table.physical_name(self.environment)
        arn = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{name}"
        return f"{arn}/index/{index}" if index else arn


Statement = dict[str, Any]
Document = dict[str, Any]

MOST_CHARACTERS = 6144
"""The most characters of a managed policy, without white space."""
MOST_POLICIES = 10
"""The most managed policies of a role, unless AWS raises the quota."""


@dataclass(slots=True)
class _Right:
    """One action on one resource."""

    partitions: set[str] = field(default_factory=set)
    is_open: bool = False
    """Whether all partitions are allowed."""
    attributes: set[str] = field(default_factory=set)
    is_whole: bool = False
    """Whether all attributes are allowed."""


class Grants:
    """The rights of a role."""

    def __init__(self) -> None:
        self._rights: dict[tuple[str, str], _Right] = {}
        self._plain: list[Statement] = []

    def add(
        self,
        resource: str,
        actions: Iterable[str],
        partitions: Iterable[PartitionPattern] = (),
        attributes: Collection[str] | None = None,
    ) -> None:
        """Allow actions of DynamoDB; without partitions in all of them, without attributes on all of them."""
        patterns = tuple(partitions)
        for action in actions:
            right = self._rights.setdefault((resource, action), _Right())
            right.is_open |= not patterns or any(pattern.is_open for pattern in patterns)
            right.partitions |= {pattern.text for pattern in patterns}
            right.is_whole |= attributes is None
            right.attributes |= set(attributes or ())

    def add_plain(
        self, actions: Iterable[str], resources: Collection[str], condition: dict[str, Any] | None = None
    ) -> None:
        """Allow actions of any service on resources."""
        named = sorted(resources)
        statement: Statement = {
            "Effect": "Allow",
            "Action": sorted(actions),
            "Resource": named[0] if len(named) == 1 else named,
        }
        self._plain.append(statement | ({"Condition": condition} if condition else {}))

    def statements(self) -> list[Statement]:
        """The statements, by resource."""
        grouped: dict[tuple[str, str], tuple[dict[str, Any], list[str]]] = {}
        for (resource, action), right in sorted(self._rights.items()):
            condition = _condition(right)
            shown = json.dumps(condition, sort_keys=True)
            grouped.setdefault((resource, shown), (condition, []))[1].append(f"dynamodb:{action}")
        documents = [
            {"Effect": "Allow", "Action": actions, "Resource": resource}
            | ({"Condition": condition} if condition else {})
            for (resource, _), (condition, actions) in grouped.items()
        ]
        return [*documents, *self._plain]

    def documents(self) -> list[Document]:
        """The policy documents: as few as the limit of their length allows."""
        return list(split(self.statements()))


def split(statements: Iterable[Statement], most: int = MOST_CHARACTERS) -> Iterator[Document]:
    """Documents of at most so many characters, with all statements in order."""
    taken: list[Statement] = []
    for statement in statements:
        if size(document([statement])) > most:
            raise UsageError(
                f"the statement for {statement['Resource']} has {size(statement)} characters, and a policy at most "
                f"{most}; give the role fewer patterns and entities with --only"
            )
        if taken and size(document([*taken, statement])) > most:
            yield document(taken)
            taken = []
        taken.append(statement)
    if taken:
        yield document(taken)


def document(statements: list[Statement]) -> Document:
    """A policy document."""
    return {"Version": "2012-10-17", "Statement": statements}


def size(value: Any) -> int:
    """The characters of a policy as AWS counts them: without white space between its parts."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def _condition(right: _Right) -> dict[str, Any]:
    condition: dict[str, dict[str, Any]] = {}
    if not right.is_open:
        like = (
            "StringLike"
            if any("*" in _plain_text(partition) for partition in right.partitions)
            else "StringEquals"
        )
        condition[f"ForAllValues:{like}"] = {"dynamodb:LeadingKeys": sorted(right.partitions)}
        # ForAllValues is true for a request without keys, such as a Scan: require that there are keys.
        condition["Null"] = {"dynamodb:LeadingKeys": "false"}
    if not right.is_whole:
        equals = condition.setdefault("ForAllValues:StringEquals", {})
        equals["dynamodb:Attributes"] = sorted(right.attributes)
        condition["StringEqualsIfExists"] = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
    return condition


def _plain_text(pattern: str) -> str:
    return pattern.replace("${*}", "")
