"""Resource policies: the policy of a table and of each of its streams, with a revision ID.

    definition["Policies"]   "" (the table) or a stream's ARN  ->  {"RevisionId", "Policy"}

A revision ID is the time of the change in milliseconds, and always increases. After a policy is deleted, its entry
keeps the revision ID of the deletion. Requests of known callers are checked against the policies (see
`engine.features.authorization`); requests without a caller are not.

Canonical policies: validation of a resource policy, and the canonical form in which it is stored and shown.

AWS compares policies by their canonical form: JSON without white space, members in a fixed order, a list of one element
as that element, the account ID of a principal as the ARN of its root user.

PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy: the policy of a table or a stream.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tablewright.dynamodb.policies.policy_documents import (
    ELEMENTS,
    OLD_VERSION,
    is_known_action,
    listed,
    parse_document,
)
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Boolean, Shape, Text, required
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.tags import require_arn
from tablewright.errors import PolicyError, PolicyNotFound, ResourceNotFound, ValidationError

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
    content = document.get("Statement")
    statements = [content] if isinstance(content, dict) else content
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
        if name in statement and not all(isinstance(value, str) for value in listed(statement[name])):
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
    if len({str(sid) for sid in ids}) < len(ids):
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
    arns = [f"arn:aws:iam::{name}:root" if _ACCOUNT(str(name)) else name for name in listed(who)]
    return _single(list(dict.fromkeys(map(str, arns))))


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _invalid(problem: str) -> ValidationError:
    return ValidationError(f"{INVALID}Invalid policy document: {problem}")


def _syntax_error(text: str, value: Any) -> ValidationError:
    """The error for a value that a policy cannot have at that place, with its line and column."""
    position = max(0, text.find(str(value)))
    line = text.count("\n", 0, position) + 1
    return _invalid(f"Syntax error at position ({line},{position - text.rfind(chr(10), 0, position)})")


RESOURCE_ARN = Text(shortest=1, longest=1283, required=True)
REVISION = Text(shortest=1, longest=255)
NO_POLICY = "NO_POLICY"
"""The expected revision of a resource without a policy."""

_NOT_FOUND = "Resource-based policy not found for the provided ResourceArn: "

Entry = dict[str, Any]


def require_resource(arn: str) -> str:
    """Reject an ARN that is not one of a table or a stream of this account."""
    require_arn(arn)
    parts = parse_arn(arn)
    assert parts is not None
    if parts.account != ACCOUNT:
        raise ValidationError(
            "This action is only supported by accounts that match the resource owner\u2019s account."
        )
    return arn


def is_stream(arn: str) -> bool:
    """Whether an ARN is one of a stream."""
    return "/stream/" in arn


def resource_of(tx: Reading, arn: str) -> tuple[StoredTable, str]:
    """The table of an ARN, and the place of the resource's policy in the table's definition."""
    parts = parse_arn(arn)
    assert parts is not None
    if parts.region != tx.state.region or not arn.startswith("arn:aws:"):
        raise ValidationError(f"{INVALID}Invalid resource Arn: {arn}")
    _, name, *rest = parts.resource.split("/")
    table = tx.described(name)
    if not rest:
        return table, ""
    if not any(stream["Arn"] == arn for stream in table.definition.get("Streams", ())):
        raise ResourceNotFound(f"Requested resource not found: Stream: {rest[1]} not found for Table: {name}")
    return table, arn


def policy_of(tx: Reading, arn: str) -> Entry:
    """The policy of a resource and its revision; raises PolicyNotFoundException."""
    table, place = resource_of(tx, arn)
    entry = _entries(table).get(place, {})
    if "Policy" not in entry:
        raise PolicyNotFound(f"{_NOT_FOUND}{arn}")
    return entry


def put_policy(tx: Writing, arn: str, policy: str, expected: str | None) -> str:
    """Attach a policy, and return its revision; the same policy again changes nothing."""
    table, place = resource_of(tx, arn)
    entry = _entries(table).get(place, {})
    _require_revision(table, entry, expected)
    if entry.get("Policy") == policy:
        return str(entry["RevisionId"])
    revision = _next_revision(tx, entry)
    _save(tx, table, place, {"RevisionId": revision, "Policy": policy})
    return revision


def delete_policy(tx: Writing, arn: str, expected: str | None) -> str | None:
    """Remove a policy, and return its revision; None for a resource that never had a policy."""
    table, place = resource_of(tx, arn)
    entry = _entries(table).get(place, {})
    _require_revision(table, entry, expected)
    if "Policy" in entry:
        _save(tx, table, place, {"RevisionId": _next_revision(tx, entry)})
    return entry.get("RevisionId")


def require_policy(request: Mapping[str, Any]) -> None:
    """Reject a CreateTable request with an invalid policy."""
    if request.get("ResourcePolicy") is not None:
        canonical(request["ResourcePolicy"])


def attach_policy(tx: Writing, definition: dict[str, Any], request: Mapping[str, Any]) -> None:
    """Add the policy of a CreateTable request to the definition of the new table."""
    text = request.get("ResourcePolicy")
    if text is not None:
        definition["Policies"] = {"": {"RevisionId": _next_revision(tx, {}), "Policy": canonical(text)}}


def _entries(table: StoredTable) -> dict[str, Entry]:
    return table.definition.get("Policies") or {}


def _save(tx: Writing, table: StoredTable, place: str, entry: Entry) -> None:
    policies = {**_entries(table), place: entry}
    tx.state.catalog.save(tx.rows, {**table.definition, "Policies": policies})


def _next_revision(tx: Writing, entry: Entry) -> str:
    return str(max(int(tx.now() * 1000), int(entry.get("RevisionId", 0)) + 1))


def _require_revision(table: StoredTable, entry: Entry, expected: str | None) -> None:
    current = entry.get("RevisionId")
    if expected is None or expected == current:
        return
    if expected == NO_POLICY:
        if "Policy" in entry:
            raise PolicyNotFound(
                f"{_NOT_FOUND}Requested policy update expecting none to be present for table {table.name}, but a "
                f"policy exists with revision id {current}."
            )
        return
    change = f"{_NOT_FOUND}Requested update for policy with revision id {expected}, but "
    if current is None:
        raise PolicyNotFound(f"{change}table {table.name} has no associated policy.")
    raise PolicyNotFound(
        f"{change}the policy associated to target table {table.name} has revision id {current}."
    )


_PUT_RESOURCE_POLICY = Shape(
    ResourceArn=RESOURCE_ARN,
    Policy=required(Text()),
    ExpectedRevisionId=REVISION,
    # AWS rejects a policy that denies its author the next change, unless this is true; here no confirmation is needed.
    ConfirmRemoveSelfResourceAccess=Boolean(),
)


@dataclass(frozen=True, slots=True)
class PutResourcePolicy:
    """Parsed PutResourcePolicy request; the policy is in its canonical form."""

    arn: str
    policy: str
    expected: str | None


def _parse_put_resource_policy(request: dict[str, Any]) -> PutResourcePolicy:
    """Parse the request."""
    arn = require_resource(request["ResourceArn"])
    policy = canonical(request["Policy"], of_stream=is_stream(arn))
    return PutResourcePolicy(arn, policy, request.get("ExpectedRevisionId"))


def _run_put_resource_policy(tx: Writing, request: PutResourcePolicy) -> Reply:
    """Store the policy under a new revision."""
    return {"RevisionId": put_policy(tx, request.arn, request.policy, request.expected)}


_GET_RESOURCE_POLICY = Shape(ResourceArn=RESOURCE_ARN)


def _parse_get_resource_policy(request: dict[str, Any]) -> str:
    """The ARN of the resource."""
    return require_resource(request["ResourceArn"])


def _run_get_resource_policy(tx: Reading, request: str) -> Reply:
    """The policy in its canonical form, and its revision."""
    entry = policy_of(tx, request)
    return {"Policy": with_version(entry["Policy"]), "RevisionId": entry["RevisionId"]}


_DELETE_RESOURCE_POLICY = Shape(ResourceArn=RESOURCE_ARN, ExpectedRevisionId=REVISION)


@dataclass(frozen=True, slots=True)
class DeleteResourcePolicy:
    """Parsed DeleteResourcePolicy request."""

    arn: str
    expected: str | None


def _parse_delete_resource_policy(request: dict[str, Any]) -> DeleteResourcePolicy:
    """Parse the request."""
    return DeleteResourcePolicy(require_resource(request["ResourceArn"]), request.get("ExpectedRevisionId"))


def _run_delete_resource_policy(tx: Writing, request: DeleteResourcePolicy) -> Reply:
    """Remove the policy, if there is one; the reply has the revision of the removed policy."""
    revision = delete_policy(tx, request.arn, request.expected)
    return {} if revision is None else {"RevisionId": revision}


OPERATIONS = (
    Operation(
        "PutResourcePolicy",
        _PUT_RESOURCE_POLICY,
        "write",
        _parse_put_resource_policy,
        _run_put_resource_policy,
    ),
    Operation(
        "GetResourcePolicy",
        _GET_RESOURCE_POLICY,
        "read",
        _parse_get_resource_policy,
        _run_get_resource_policy,
    ),
    Operation(
        "DeleteResourcePolicy",
        _DELETE_RESOURCE_POLICY,
        "write",
        _parse_delete_resource_policy,
        _run_delete_resource_policy,
    ),
)
