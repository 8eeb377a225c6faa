"""Canonical policies: validation of a resource policy, and the canonical form in which it is stored and shown.

AWS compares policies by their canonical form: JSON without white space, members in a fixed order, a list of one element
as that element, the account ID of a principal as the ARN of its root user.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from tablewright.dynamodb.policies.policy_documents import (
    ELEMENTS,
    OLD_VERSION,
    is_known_action,
    listed,
    parse_document,
)
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.errors import PolicyError, ValidationError

MOST_BYTES = 20480
STREAM_ACTIONS = frozenset(("DescribeStream", "GetRecords", "GetShardIterator"))
# The actions of a policy that are no operations, and the operations that a policy of a table may name.
TABLE_ACTIONS = frozenset(
    """
    BatchGetItem BatchWriteItem ConditionCheckItem CreateBackup CreateTableReplica DeleteItem DeleteResourcePolicy
    DeleteTable DeleteTableReplica DescribeContinuousBackups DescribeContributorInsights
    DescribeKinesisStreamingDestination DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
    DisableKinesisStreamingDestination EnableKinesisStreamingDestination ExportTableToPointInTime GetItem
    GetResourcePolicy ListTagsOfResource PartiQLDelete PartiQLInsert PartiQLSelect PartiQLUpdate PutItem
    PutResourcePolicy Query ReadDataForReplication ReplicateSettings RestoreTableToPointInTime Scan SearchVectors
    TagResource UntagResource UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTableVersion UpdateItem
    UpdateKinesisStreamingDestination UpdateTable UpdateTableReplicaAutoScaling UpdateTimeToLive
    WriteDataForReplication
    """.split()
)

_ACCOUNT = re.compile(r"\d{12}", re.ASCII).fullmatch
_UNBOUNDED = (
    "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
    "least-privilege form of access"
)


def canonical(text: str, *, of_stream: bool = False) -> str:
    """The canonical form of a valid policy document; raises the ValidationError of AWS for any other text."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise ValidationError(f"{INVALID}Maximum policy size of {MOST_BYTES} bytes exceeded")
    try:
        document = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        document = None
    if not isinstance(document, dict):
        raise _invalid("This policy contains invalid Json")
    given = document.get("Statement")
    statements = [given] if isinstance(given, dict) else given
    if not statements or not isinstance(statements, list):
        raise _invalid("Could not parse the policy: Statement is empty!")
    for statement in statements:
        _require_statement(statement, text)
    _require_unique_ids(statements)
    _require_actions(statements, of_stream=of_stream)
    try:
        parse_document(
            document, of_resource=True
        )  # a stored policy is enforced, so it must be possible to evaluate
    except PolicyError:
        raise _syntax_error(text, "Statement") from None
    shown = {name: document[name] for name in ("Version", "Id") if name in document}
    shown["Statement"] = [_canonical_statement(statement) for statement in statements]
    return orjson.dumps(shown).decode()


def with_version(policy: str) -> str:
    """A canonical document as AWS shows it: with a version."""
    document = orjson.loads(policy)
    return policy if "Version" in document else orjson.dumps({"Version": OLD_VERSION, **document}).decode()


def _require_statement(statement: Any, text: str) -> None:
    if not isinstance(statement, dict):
        raise _syntax_error(text, statement)
    for names in (
        ("Effect",),
        ("Principal", "NotPrincipal"),
        ("Action", "NotAction"),
        ("Resource", "NotResource"),
    ):
        if not any(name in statement for name in names):
            raise _invalid(f"Missing required field {names[0]}")
    for name in statement:
        if name not in ELEMENTS:
            raise _syntax_error(text, name)
    if str(statement["Effect"]).lower() not in ("allow", "deny"):
        raise _syntax_error(text, statement["Effect"])
    for name in ("Action", "NotAction", "Resource", "NotResource"):
        if name in statement and not all(isinstance(each, str) for each in listed(statement[name])):
            raise _syntax_error(text, statement[name])
    _require_principal(statement, text)


def _require_principal(statement: dict[str, Any], text: str) -> None:
    for name in ("Principal", "NotPrincipal"):
        principal = statement.get(name, "*")
        if principal != "*" and not isinstance(principal, dict):
            raise _syntax_error(text, principal)
    everyone = "*" in (statement.get("Principal"), *_principals(statement))
    if everyone and str(statement["Effect"]).lower() == "allow" and not statement.get("Condition"):
        raise ValidationError(_UNBOUNDED)


def _principals(statement: dict[str, Any]) -> Iterator[Any]:
    principal = statement.get("Principal")
    if isinstance(principal, dict):
        yield from listed(principal.get("AWS", []))


def _require_unique_ids(statements: list[dict[str, Any]]) -> None:
    ids = [statement["Sid"] for statement in statements if statement.get("Sid")]
    if len({str(each) for each in ids}) < len(ids):
        raise _invalid("The Statement Ids in the policy are not unique")


def _require_actions(statements: list[dict[str, Any]], *, of_stream: bool) -> None:
    known = STREAM_ACTIONS if of_stream else TABLE_ACTIONS
    wrong = [
        action
        for statement in statements
        for name in ("Action", "NotAction")
        for action in listed(statement.get(name, []))
        if not is_known_action(action, known)
    ]
    if wrong:
        names = ", ".join(f'"{action}"' for action in wrong)
        raise _invalid(f"The following action names are invalid: {names}")


def _canonical_statement(statement: dict[str, Any]) -> dict[str, Any]:
    shown = {name: _single(statement[name]) for name in ELEMENTS if name in statement}
    shown["Effect"] = shown["Effect"].capitalize()
    for name in ("Principal", "NotPrincipal"):
        if isinstance(shown.get(name), dict):
            shown[name] = {kind: _canonical_principal(who) for kind, who in shown[name].items()}
    return shown


def _canonical_principal(who: Any) -> Any:
    arns = [f"arn:aws:iam::{each}:root" if _ACCOUNT(str(each)) else each for each in listed(who)]
    return _single(list(dict.fromkeys(map(str, arns))))


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _invalid(problem: str) -> ValidationError:
    return ValidationError(f"{INVALID}Invalid policy document: {problem}")


def _syntax_error(text: str, value: Any) -> ValidationError:
    """The error for a value that a policy cannot have at that place, with its line and column."""
    found = max(0, text.find(str(value)))
    line = text.count("\n", 0, found) + 1
    return _invalid(f"Syntax error at position ({line},{found - text.rfind(chr(10), 0, found)})")
