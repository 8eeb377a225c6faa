"""Calls to a database in the process and over HTTP, with the same errors."""

import json
from typing import Any

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.engine.limits.limit import Call, Rejected, Reply
from tests.server.raw_http import RawConnection


def call_in_process(db: Database) -> Call:
    def call(operation: str, request: dict[str, Any]) -> Reply:
        try:
            return db.call(operation, request)
        except ServiceError as error:
            raise Rejected(error.code, f"{error.message} {error.details() or ''}") from None

    return call


def call_over_http(connection: RawConnection) -> Call:
    def call(operation: str, request: dict[str, Any]) -> Reply:
        reply = connection.call(operation, request)
        if reply.status == 200:
            return json.loads(reply.body or b"{}")  # type: ignore[no-any-return]
        body = reply.json()
        raise Rejected(reply.kind, body.get("message") or body.get("Message") or "")

    return call
