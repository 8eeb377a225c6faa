"""What an endpoint takes from its request besides the body: store, caller, client address, requested page.

An endpoint that could be used to list what exists, names or addresses, is `limited`: each caller has its own count;
without a token, each client network.

    @router.get("/nicknames/{nickname}/availability", dependencies=[limited("nicknames", 30)])
"""

import hashlib
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tablewright import Repository
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Unauthenticated
from tablewright_systems.service.paging import DEFAULT_LIMIT, MAX_LIMIT, Paging
from tablewright_systems.service.rate_limits import RateLimit
from tablewright_systems.service.transactions import transact
from tablewright_systems.web.authentication import Authenticator
from tablewright_systems.web.records import RequestCount, records_of

MAX_USER_AGENT = 500

bearer_token = HTTPBearer(
    auto_error=False,
    bearerFormat="JWT",
    description="A JWT. In development, print one with: `tablewright-systems token SYSTEM`",
)

Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_token)]


def _repository(request: Request) -> Repository:
    repository: Repository = request.app.state.db
    return repository


def _optional_caller(request: Request, credentials: Credentials) -> Caller | None:
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator.authenticate(credentials.credentials) if credentials else None


def _caller(caller: Annotated[Caller | None, Depends(_optional_caller)]) -> Caller:
    if caller is None:
        raise Unauthenticated("send a token: Authorization: Bearer <token>")
    return caller


def requires_caller(dependant: Dependant) -> bool:
    """Return whether an endpoint, with its dependencies, requires a token."""
    return dependant.call is _caller or any(map(requires_caller, dependant.dependencies))


def client_network(request: Request) -> str:
    """Return the client's address; for IPv6 its /64 network, because one client has all addresses of a network.

    A server that listens on IPv6 sees the address of an IPv4 client in a form of IPv6 (::ffff:192.0.2.1).
    """
    host = request.client.host if request.client else "unknown"
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network(f"{address}/64", strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


def _actor(request: Request, caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    """Return the caller with the address and user agent of the request; claims of these names are replaced."""
    origin = {
        "ip_address": request.client.host if request.client else "",
        "user_agent": request.headers.get("user-agent", "")[:MAX_USER_AGENT],
    }
    return Caller(caller.user_id, {**caller.claims, **origin})


Limit = Annotated[int, Query(description="Maximum number of items.", ge=1, le=MAX_LIMIT)]
_Cursor = Annotated[
    str | None, Query(description="`cursor` of the previous page, to get the next page.", max_length=8192)
]


def _paging(limit: Limit = DEFAULT_LIMIT, cursor: _Cursor = None) -> Paging:
    return Paging(limit, cursor)


Db = Annotated[Repository, Depends(_repository)]
"""The store of the system."""
CurrentCaller = Annotated[Caller, Depends(_caller)]
"""The authenticated caller; without a valid token the reply is 401."""
AUTHENTICATED = Depends(_caller)
"""Dependency of an endpoint that requires a token, and does not use the caller."""
OptionalCaller = Annotated[Caller | None, Depends(_optional_caller)]
"""The caller, or None without a token; an invalid token is rejected."""
Actor = Annotated[Caller, Depends(_actor)]
"""The caller with the claims `ip_address` and `user_agent` of the request, for audit logs."""
ClientNetwork = Annotated[str, Depends(client_network)]
"""Address of the client, for rate limits; see `client_network`."""
PageRequest = Annotated[Paging, Depends(_paging)]
"""The requested page of a list, from the query parameters `limit` and `cursor`."""


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
