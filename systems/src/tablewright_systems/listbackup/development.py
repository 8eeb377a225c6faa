"""A server for development: the API of ListBackup with fakes of its platforms, at /platforms.

Only development hosting, samples, proofs and tests load the fakes. A fake authorizes at once: in production it would
connect sources that no platform has authorized.
"""

from weakref import WeakKeyDictionary

from fastapi import FastAPI
from starlette.routing import Match, Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from tablewright import Repository
from tablewright_systems.listbackup import api
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms, use_platforms
from tablewright_systems.web import Authenticator

PATH = "/platforms"

FAKES: WeakKeyDictionary[Repository, FakePlatforms] = WeakKeyDictionary()
"""The fakes of each store that a server for development serves in this process."""


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API with fakes, which the worker in the same process reads too."""
    fakes = FAKES[db] = FakePlatforms(db.now)
    use_platforms(db, fakes.platforms())

    def platforms_at(url: str) -> Platforms:
        return fakes.platforms(browser_url=f"{url}{PATH}", application_url=url)

    app = api.build(db, authenticator, platforms_at)
    app.add_middleware(_FakesFirst, Mount(PATH, fakes.application))
    return app


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
