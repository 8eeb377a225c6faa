"""Records that the APIs keep besides the data of their systems: idempotent requests, and counts for rate limits.

They have a table of their own in the same store, which is created on first use.
"""

import threading
from datetime import timedelta
from typing import Annotated

from fastapi import FastAPI

from tablewright import Design, Entity, Get, Keys, Repository, Table, connect, fields

LIFETIME = timedelta(days=1)

_table = Table("tablewright-api", "PK", ttl="expiresAt")
_lock = threading.Lock()


class IdempotentRequest(Entity, table=_table):
    """A request with an idempotency key."""

    request_id: str
    fingerprint: str
    started_at: fields.Timestamp
    is_interrupted: bool = False
    reply: bytes | None = None
    expires_at: Annotated[int | None, fields.Ttl(after=LIFETIME, of="started_at")] = None

    keys = Keys(primary="REQUEST#{request_id}")


class RequestCount(Entity, table=_table):
    """Number of requests of a subject in a window."""

    subject: str
    window: fields.Timestamp
    used: Annotated[int, fields.Counter()] = 0
    expires_at: Annotated[int | None, fields.Ttl(after=LIFETIME, of="window")] = None

    keys = Keys(primary="COUNT#{subject}#{window}")


class RequestById(Get[IdempotentRequest]):
    """Get the record of a request with an idempotency key."""

    request_id: str
    consistent = True


design = Design("api", entities=[IdempotentRequest, RequestCount], patterns=[RequestById])


def records_of(api: FastAPI) -> Repository:
    """Return the records of an API, in the store of its system."""
    with _lock:
        records: Repository | None = getattr(api.state, "records", None)
        if records is None:
            store: Repository = api.state.db
            records = connect(design, store.connection, prefix=store.context.prefix, create=True)
            api.state.records = records
        return records
