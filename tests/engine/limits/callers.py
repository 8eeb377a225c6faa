"""Calls to a database in the process and over HTTP, with the same errors."""

import json
from typing import Any

from tablewright.engine.database import Database
from tablewright.engine.operations import find_operation
from tablewright.errors import ServiceError
from tests.engine.limits.limit import Call, Rejected, Reply
from tests.server.raw_http import RawConnection, post


def call_in_process(db: Database) -> Call:
    def call(operation: str, request: dict[str, Any]) -> Reply:
        try:
            return db.call(operation, request)
        except ServiceError as error:
            raise Rejected(error.code, f"{error.message} {error.details() or ''}") from None

    return call


def call_over_http(connection: RawConnection) -> Call:
    def call(operation: str, request: dict[str, Any]) -> Reply:
        found = find_operation(operation)
        target = f"{found.api if found else 'DynamoDB_20120810'}.{operation}"
        reply = connection.ask(post(None, json.dumps(request).encode(), X_Amz_Target=target))
        if reply.status == 200:
            return json.loads(reply.body or b"{}")  # type: ignore[no-any-return]
        body = reply.json()
        raise Rejected(reply.kind, body.get("message") or body.get("Message") or "")

    return call
