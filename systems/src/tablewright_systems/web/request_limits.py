"""Rate limits of endpoints that could be used to list what exists: names, addresses.

    @router.get("/nicknames/{nickname}/availability", dependencies=[limited("nicknames", 30)])

Each caller has its own count; without a token, each client network.
"""

import hashlib
from datetime import timedelta
from typing import Any

from fastapi import Depends, Request

from tablewright_systems.service.rate_limits import RateLimit
from tablewright_systems.service.transactions import transact
from tablewright_systems.web.records import RequestCount, records_of
from tablewright_systems.web.requests import OptionalCaller, client_network

MINUTE = timedelta(minutes=1)


def limited(name: str, most: int, window: timedelta = MINUTE) -> Any:
    """Return a dependency that allows `most` requests in each window; above the limit the reply is 429."""
    limit = RateLimit(most, window, f"at most {most} requests in {window} are allowed; wait", RequestCount)

    def count(request: Request, caller: OptionalCaller) -> None:
        records = records_of(request.app)
        origin = f"user {caller.user_id}" if caller else f"network {client_network(request)}"
        subject = hashlib.sha256(f"{request.app.title}\n{name}\n{origin}".encode()).hexdigest()
        transact(records, limit.count(records.now(), subject=subject))

    return Depends(count)
