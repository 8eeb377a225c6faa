"""Tokens for sample people, minted by a click on the documentation page; only on a development machine.

The endpoint exists only where `offer_tokens` added it: `tablewright-systems up` does, with its local issuer. It serves
only clients on the same machine, and only the documentation page itself: a web page of another origin gets no token.
"""

from collections.abc import Mapping
from ipaddress import ip_address

from fastapi import FastAPI, Request

from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, NotFound
from tablewright_systems.service.schemas import Body, View
from tablewright_systems.web.authentication import LocalIssuer
from tablewright_systems.web.routers import endpoint_of

PATH = "/docs/tokens"


class Person(Body):
    """One of the sample people."""

    person: str


class MintedToken(View):
    """A token for that person."""

    token: str


def offer_tokens(app: FastAPI, issuer: LocalIssuer, people: Mapping[str, Caller]) -> None:
    """Add the endpoint that mints tokens for these people, and list the people on the documentation page."""

    def mint(request: Request, body: Person) -> MintedToken:
        """Return a token for a sample person."""
        _require_this_page(request)
        if body.person not in people:
            raise NotFound(f"sample person {body.person!r}")
        caller = people[body.person]
        return MintedToken(token=issuer.issue(caller.user_id, **caller.claims))

    app.state.people = tuple(people)
    app.add_api_route(PATH, endpoint_of(mint, PATH), methods=["POST"], include_in_schema=False)


def _require_this_page(request: Request) -> None:
    """Raise `Forbidden` unless a page of this server, in a browser on this machine, sent the request."""
    origin = request.headers.get("origin")
    if origin != f"{request.url.scheme}://{request.headers.get('host')}":
        raise Forbidden(
            "only the documentation page of this server gets tokens here; use: tablewright-systems token SYSTEM"
        )
    if not _is_local(request):
        raise Forbidden("only clients on the same machine get tokens here")


def _is_local(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
