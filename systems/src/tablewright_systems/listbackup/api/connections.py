"""Connections to platforms."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from tablewright_systems.listbackup.api.platforms import ServerPlatforms
from tablewright_systems.listbackup.design.connections import Connection, ConnectionMetadata
from tablewright_systems.listbackup.design.vocabulary import Platform
from tablewright_systems.listbackup.service.sources import connections, oauth_tokens
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View

router = Router("Connections", "Connections to platforms.")


class ConnectionFailure(Body):
    """Why a platform rejected a connection."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]


class Renewals(View):
    """How many connections were renewed."""

    renewed: int


@router.get("/accounts/{account_id}/connections")
def of_account(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, platform: Platform | None = None
) -> PageReply[Connection]:
    """List an account's connections, or those to one platform."""
    pattern = connections.connections_of_account(db, caller, account_id, platform)
    return PageReply.of(paging.run(db, pattern))


@router.get("/users/me/connections")
def of_user(
    db: Db, caller: CurrentCaller, paging: PageRequest, platform: Platform | None = None
) -> PageReply[Connection]:
    """List the connections that the caller made, or those to one platform."""
    pattern = connections.connections_of_user(db, caller, platform)
    return PageReply.of(paging.run(db, pattern))


@router.get("/connections/expiring")
def connections_expiring(
    db: Db, caller: CurrentCaller, before: datetime, paging: PageRequest
) -> PageReply[Connection]:
    """List the active connections that expire before a time, the earliest first. For workers."""
    return PageReply.of(paging.run(db, oauth_tokens.connections_expiring(caller, before)))


@router.post("/connections/expiring/renewals")
def renew_expiring(db: Db, caller: CurrentCaller, platforms: ServerPlatforms) -> Renewals:
    """Renew the tokens of the connections that expire within an hour. For workers."""
    return Renewals(renewed=oauth_tokens.renew_expiring(db, caller, platforms))


@router.get("/connections/{connection_id}")
def read_connection(db: Db, caller: CurrentCaller, connection_id: str) -> Connection:
    """Get a connection."""
    return connections.read_connection(db, caller, connection_id)


@router.put("/connections/{connection_id}/metadata")
def describe_connection(
    db: Db, caller: CurrentCaller, connection_id: str, body: ConnectionMetadata
) -> Connection:
    """Store the platform's information about its account."""
    return connections.describe_connection(db, caller, connection_id, body)


@router.post("/connections/{connection_id}/uses")
def record_use(db: Db, caller: CurrentCaller, connection_id: str) -> Connection:
    """Record that a connection was used. For workers."""
    return connections.record_use(db, caller, connection_id)


@router.post("/connections/{connection_id}/errors")
def record_error(db: Db, caller: CurrentCaller, connection_id: str, body: ConnectionFailure) -> Connection:
    """Record that a platform rejected a connection. For workers."""
    return connections.record_error(db, caller, connection_id, body.reason)
