"""Actors: the caller with the origin of the request, for the audit log."""

from typing import Annotated

from fastapi import Depends, Request

from tablewright_systems.service.callers import Caller
from tablewright_systems.web.api import CurrentCaller

_LONGEST_AGENT = 500


def _actor(request: Request, caller: CurrentCaller) -> Caller:
    """Return the caller with the address and user agent of the request; claims of these names are replaced."""
    origin = {
        "ip_address": request.client.host if request.client else "",
        "user_agent": request.headers.get("user-agent", "")[:_LONGEST_AGENT],
    }
    return Caller(caller.user_id, {**caller.claims, **origin})


Actor = Annotated[Caller, Depends(_actor)]
