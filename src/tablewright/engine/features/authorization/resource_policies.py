"""Resource policies: the policy of a table and of each of its streams, with a revision ID.

    definition["Policies"]   "" (the table) or a stream's ARN  ->  {"RevisionId", "Policy"}

A revision ID is the time of the change in milliseconds, and always increases. After a policy is deleted, its entry
keeps the revision ID of the deletion. Requests of known callers are checked against the policies (see
`engine.features.authorization`); requests without a caller are not.
"""

from collections.abc import Mapping
from typing import Any

from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.tags import require_arn
from tablewright.engine.features.authorization.canonical_policies import canonical
from tablewright.errors import PolicyNotFound, ResourceNotFound, ValidationError

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


def resource_of(tx: Reading, arn: str) -> tuple[Table, str]:
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


def _entries(table: Table) -> dict[str, Entry]:
    return table.definition.get("Policies") or {}


def _save(tx: Writing, table: Table, place: str, entry: Entry) -> None:
    policies = {**_entries(table), place: entry}
    tx.state.catalog.save(tx.rows, {**table.definition, "Policies": policies})


def _next_revision(tx: Writing, entry: Entry) -> str:
    return str(max(int(tx.now() * 1000), int(entry.get("RevisionId", 0)) + 1))


def _require_revision(table: Table, entry: Entry, expected: str | None) -> None:
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
