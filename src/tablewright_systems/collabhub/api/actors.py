"""Actors: the caller, with where they call from, as the audit log has it."""

from typing import Annotated

from fastapi import Depends, Request

from tablewright_systems.authentication import Caller
from tablewright_systems.http_api import CurrentCaller

_LONGEST_AGENT = 500


def _actor(request: Request, caller: CurrentCaller) -> Caller:
    """The caller; the address and the browser are those of the request, whatever the token says."""
    origin = {
        "ip_address": request.client.host if request.client else "",
        "user_agent": request.headers.get("user-agent", "")[:_LONGEST_AGENT],
    }
    return Caller(caller.user_id, {**caller.claims, **origin})


Actor = Annotated[Caller, Depends(_actor)]
