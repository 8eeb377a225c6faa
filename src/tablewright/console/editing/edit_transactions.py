"""Edit transactions: planned actions are executed together, or not at all."""

import secrets
from collections.abc import Sequence

from tablewright.access.items.key_values import describe_key
from tablewright.console.endpoints import Conflict
from tablewright.console.open_designs import OpenDesign
from tablewright.console.transaction_members import Member, member_key
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled

_CONFLICTS = (ConditionalCheckFailed.code.removesuffix("Exception"), "TransactionConflict")
"""The codes of actions that failed because of another writer: before the transaction, or at the same time."""


def transact(opened: OpenDesign, members: Sequence[Member]) -> None:
    """Execute all actions or none; `Conflict` if an item is no longer as it was read, or a value is taken."""
    request = {
        "TransactItems": [{member.kind: member.request} for member in members],
        "ClientRequestToken": secrets.token_hex(16),
    }
    try:
        opened.db.connection.call("TransactWriteItems", request)
    except TransactionCanceled as error:
        failed = [
            f"{opened.db.context.table_name(member.table)} {describe_key(member_key(member))}"
            for member, reason in zip(members, error.reasons, strict=False)
            if reason.get("Code") in _CONFLICTS
        ]
        if not failed:
            raise
        raise Conflict(
            f"nothing was saved: {', '.join(failed)} has changed, is taken, or is being written; read it again"
        ) from None
