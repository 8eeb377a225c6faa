"""The platforms of a server: configured by its environment, or in development the fakes, at /platforms."""

from typing import Annotated

from fastapi import Depends, FastAPI, Request
from starlette.routing import Match, Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from tablewright import Repository
from tablewright_systems.listbackup.platforms.development import FAKES
from tablewright_systems.listbackup.platforms.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.web import LocalIssuer

PATH = "/platforms"


def add_platforms(app: FastAPI, db: Repository, platforms: Platforms | None) -> None:
    """Give an application its platforms.

    Only in development, with tokens of the local issuer, are they fakes: elsewhere a fake, which authorizes at once,
    would connect sources that no platform has authorized.
    """
    app.state.platforms = platforms
    app.state.fakes = None
    if platforms is None and isinstance(app.state.authenticator, LocalIssuer):
        app.state.fakes = FAKES[db] = FakePlatforms(db.now)
        app.add_middleware(_FakesFirst, Mount(PATH, app.state.fakes.application))
    elif platforms is None:
        app.state.platforms = Platforms.from_environment()


class _FakesFirst:
    """ASGI middleware that serves the fakes before the rules of the API, which accepts JSON only."""

    def __init__(self, app: ASGIApp, fakes: Mount) -> None:
        self._app, self._fakes = app, fakes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            match, child = self._fakes.matches(scope)
            if match is Match.FULL:
                await self._fakes.handle({**scope, **child}, receive, send)
                return
        await self._app(scope, receive, send)


def api_url(request: Request) -> str:
    """Return the URL of this API as the client sees it, with the path at which a host has mounted it."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


def _platforms(request: Request) -> Platforms:
    fakes: FakePlatforms | None = request.app.state.fakes
    if fakes is not None:
        url = api_url(request)
        return fakes.platforms(browser_url=f"{url}{PATH}", application_url=url)
    found: Platforms = request.app.state.platforms
    return found


ServerPlatforms = Annotated[Platforms, Depends(_platforms)]
"""The platforms that this server can use."""
