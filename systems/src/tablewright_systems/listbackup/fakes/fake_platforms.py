"""All fake platforms together: as a transport inside a process, and as an application over HTTP."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tablewright_systems.listbackup.fakes.fake_platform import FakePlatform
from tablewright_systems.listbackup.fakes.gohighlevel import WEBHOOK_KEY, FakeGoHighLevel
from tablewright_systems.listbackup.fakes.keap import FakeKeap
from tablewright_systems.listbackup.fakes.stripe import FakeStripe
from tablewright_systems.listbackup.platforms.http_client import utc_now
from tablewright_systems.listbackup.platforms.platforms import (
    DEFAULT_REDIRECT_URIS,
    DEFAULT_RETURN_ORIGINS,
    Platforms,
    PlatformSettings,
)

IN_PROCESS = "https://platforms.test"
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class FakePlatforms:
    """Fakes of keap, stripe and gohighlevel.

    >>> from datetime import UTC, datetime
    >>> fakes = FakePlatforms(lambda: datetime(2026, 1, 1, tzinfo=UTC), size=3)
    >>> sorted(fakes.keap.records)
    ['contacts', 'orders', 'products']
    """

    def __init__(self, now: Callable[[], datetime] = utc_now, size: int = 240) -> None:
        self.keap = FakeKeap(now, size)
        self.stripe = FakeStripe(now, size)
        self.gohighlevel = FakeGoHighLevel(now, size)
        self.now = now
        self._all: dict[str, FakePlatform] = {
            fake.name: fake for fake in (self.keap, self.stripe, self.gohighlevel)
        }

    def __getitem__(self, name: str) -> FakePlatform:
        return self._all[name]

    def platforms(
        self, url: str | None = None, *, browser_url: str | None = None, application_url: str | None = None
    ) -> Platforms:
        """Return the clients of the fakes: at a URL that serves `application`, or inside the process.

        `browser_url` is where a browser finds them, `application_url` where it finds the API of ListBackup.
        """
        settings = {
            name: PlatformSettings.at(f"{url or IN_PROCESS}/{name}", WEBHOOK_KEY) for name in self._all
        }
        if browser_url is not None:
            settings = {
                name: replace(setting, authorize_url=f"{browser_url}/{name}/oauth/authorize")
                for name, setting in settings.items()
            }
        redirect_uris, return_origins = set(DEFAULT_REDIRECT_URIS), set(DEFAULT_RETURN_ORIGINS)
        if application_url is not None:
            parts = urlsplit(application_url)
            redirect_uris.add(f"{application_url}/oauth/callback")
            return_origins.add(f"{parts.scheme}://{parts.netloc}")
        return Platforms(
            settings,
            redirect_uris=frozenset(redirect_uris),
            return_origins=frozenset(return_origins),
            transport=None if url else httpx.MockTransport(self.handle),
            sleep=lambda seconds: None,
            now=self.now,
        )

    def handle(self, request: httpx.Request) -> httpx.Response:
        """Return the reply to a request; the first part of its path names the platform."""
        request.read()
        name, _, path = request.url.path.removeprefix("/").partition("/")
        if name not in self._all:
            return httpx.Response(404, json={"message": f"there is no platform {name!r}"})
        return self._all[name].handle(request, f"/{path}")

    @property
    def application(self) -> Starlette:
        """The fakes as an ASGI application, with POST /{platform}/faults to request failures."""
        return Starlette(
            routes=[
                Route("/{platform}/faults", self._set_faults, methods=["POST"]),
                Route("/{path:path}", self._serve, methods=_METHODS),
            ]
        )

    async def _serve(self, request: Request) -> Response:
        target = f"{IN_PROCESS}/{request.path_params['path']}"
        if request.url.query:
            target = f"{target}?{request.url.query}"
        body = await request.body()
        reply = self.handle(httpx.Request(request.method, target, headers=request.headers.raw, content=body))
        return Response(reply.content, reply.status_code, dict(reply.headers))

    async def _set_faults(self, request: Request) -> JSONResponse:
        """Let the next requests to a platform fail: {"throttled": 2, "failing": 1, "expireTokens": true}."""
        fake, wanted = self._all.get(request.path_params["platform"]), await request.json()
        if fake is None:
            return JSONResponse({"message": f"platforms are {', '.join(self._all)}"}, 404)
        fake.faults.throttled = int(wanted.get("throttled", 0))
        fake.faults.failing = int(wanted.get("failing", 0))
        if wanted.get("expireTokens"):
            fake.expire_tokens()
        return JSONResponse({"platform": fake.name, **wanted})
