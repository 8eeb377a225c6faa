"""Platforms: which platforms a server or a worker can use, with their addresses and application secrets."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Annotated
from weakref import WeakKeyDictionary

import httpx
from fastapi import Depends, Request

from tablewright import Repository
from tablewright_systems.listbackup.design.connections import Connection
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.platforms.gohighlevel import GoHighLevel
from tablewright_systems.listbackup.platforms.http_client import PlatformClient, require_secure, utc_now
from tablewright_systems.listbackup.platforms.keap import Keap
from tablewright_systems.listbackup.platforms.oauth_client import OAuthClient
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformCredentials,
    PlatformReader,
    RequestRejected,
)
from tablewright_systems.listbackup.platforms.reader import HttpReader, PlatformApi
from tablewright_systems.listbackup.platforms.stripe import Stripe

_ALL: tuple[PlatformApi, ...] = (Keap(), Stripe(), GoHighLevel())
APIS = {api.name: api for api in _ALL}
"""The platforms that ListBackup reads, by name."""

DEFAULT_REDIRECT_URIS = frozenset({"https://api.listbackup.ai/oauth/callback"})
DEFAULT_RETURN_ORIGINS = frozenset({"https://app.listbackup.ai"})


@dataclass(frozen=True, slots=True)
class PlatformSettings:
    """The addresses of a platform, and the application that is registered there."""

    base_url: str
    authorize_url: str
    token_url: str
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    webhook_key: str = ""
    """The platform's public key for webhooks (PEM), where one key signs all of them."""

    @classmethod
    def of(cls, api: PlatformApi, environment: Mapping[str, str]) -> "PlatformSettings":
        """Return the settings of a platform from variables such as LISTBACKUP_KEAP_CLIENT_ID."""

        def variable(name: str, default: str = "") -> str:
            return environment.get(f"LISTBACKUP_{api.name.upper()}_{name}", default)

        return cls(
            base_url=variable("URL", api.base_url),
            authorize_url=require_secure(variable("AUTHORIZE_URL", api.authorize_url)),
            token_url=variable("TOKEN_URL", api.token_url),
            client_id=variable("CLIENT_ID"),
            client_secret=variable("CLIENT_SECRET"),
            webhook_key=variable("WEBHOOK_KEY"),
        )

    @classmethod
    def at(cls, url: str, webhook_key: str = "") -> "PlatformSettings":
        """Return the settings of a fake platform at a URL."""
        return cls(
            base_url=url,
            authorize_url=f"{url}/oauth/authorize",
            token_url=f"{url}/oauth/token",
            client_id="listbackup",
            client_secret="fake-client-secret",
            webhook_key=webhook_key,
        )


class Platforms:
    """The platforms of one server or worker, and the URLs that OAuth flows may use."""

    def __init__(
        self,
        settings: Mapping[str, PlatformSettings],
        *,
        redirect_uris: frozenset[str] = DEFAULT_REDIRECT_URIS,
        return_origins: frozenset[str] = DEFAULT_RETURN_ORIGINS,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.settings = settings
        self.redirect_uris = redirect_uris
        self.return_origins = return_origins
        self._transport, self._sleep, self._now = transport, sleep, now
        self._clients: dict[str, PlatformClient] = {}
        for setting in settings.values():
            for url in (setting.base_url, setting.token_url):
                require_secure(url)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Platforms":
        """Return the platforms as environment variables configure them; without any, their public addresses.

        LISTBACKUP_PLATFORMS_URL is the address of fakes, which replace all of them.
        """
        fakes = environment.get("LISTBACKUP_PLATFORMS_URL")

        def listed(name: str, default: frozenset[str]) -> frozenset[str]:
            return frozenset(environment[name].split(",")) if name in environment else default

        return cls(
            {
                name: PlatformSettings.at(f"{fakes}/{name}")
                if fakes
                else PlatformSettings.of(api, environment)
                for name, api in APIS.items()
            },
            redirect_uris=listed("LISTBACKUP_REDIRECT_URIS", DEFAULT_REDIRECT_URIS),
            return_origins=listed("LISTBACKUP_RETURN_ORIGINS", DEFAULT_RETURN_ORIGINS),
        )

    def open_reader(
        self, source: Source, connection: Connection | None, credentials: PlatformCredentials
    ) -> PlatformReader:
        """Return the reader of a source, or raise `RequestRejected` if its platform is not supported."""
        settings = self.settings.get(source.platform)
        if settings is None:
            raise RequestRejected(
                f"platform {source.platform!r} is not supported; supported are {', '.join(self.settings)}"
            )
        account = connection.metadata.account_id if connection is not None else None
        return HttpReader(
            APIS[source.platform], self._client(source.platform, settings.base_url), credentials, account
        )

    def oauth(self, platform: str) -> OAuthClient | None:
        """Return the OAuth client of a platform; None if no application is registered there."""
        settings = self.settings.get(platform)
        if settings is None or not settings.client_id:
            return None
        api = APIS[platform]
        unauthenticated = PlatformCredentials(ConnectionType.OAUTH, "")
        return OAuthClient(
            platform=platform,
            authorize_url=settings.authorize_url,
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            token_endpoint=self._client(platform, settings.token_url),
            reader=HttpReader(api, self._client(platform, settings.base_url), unauthenticated),
        )

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()

    def _client(self, platform: str, url: str) -> PlatformClient:
        """Return the client for a URL. The first one loads the certificates, which takes a while."""
        if url not in self._clients:
            self._transport = self._transport or httpx.HTTPTransport()
            self._clients[url] = PlatformClient(
                platform, url, transport=self._transport, sleep=self._sleep, now=self._now
            )
        return self._clients[url]


_IN_USE: WeakKeyDictionary[Repository, Platforms] = WeakKeyDictionary()


def use_platforms(db: Repository, platforms: Platforms) -> None:
    """Give the workers of a store in this process other platforms than those of the environment."""
    _IN_USE[db] = platforms


def platforms_for(db: Repository) -> Platforms:
    """Return the platforms for a worker of a store: those that `use_platforms` set, or those of the environment."""
    return _IN_USE.get(db) or _configured()


@cache
def _configured() -> Platforms:
    """Return the platforms of the environment, once: they keep connections open."""
    return Platforms.from_environment()


PlatformsAt = Callable[[str], Platforms]
"""Returns the platforms for a request to an API at a URL."""


def configured_platforms() -> PlatformsAt:
    """Return the platforms that environment variables configure, the same at every URL."""
    platforms = Platforms.from_environment()
    return lambda url: platforms


def api_url(request: Request) -> str:
    """Return the URL of this API as the client sees it, with the path at which a host has mounted it."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


ApiUrl = Annotated[str, Depends(api_url)]


def _server_platforms(request: Request, url: ApiUrl) -> Platforms:
    platforms_at: PlatformsAt = request.app.state.platforms_at
    return platforms_at(url)


ServerPlatforms = Annotated[Platforms, Depends(_server_platforms)]
"""The platforms that an API can use."""
