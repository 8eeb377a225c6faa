"""The platforms of a server, which `build` gives to the API."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from tablewright_systems.listbackup.platforms.platforms import Platforms

PlatformsAt = Callable[[str], Platforms]
"""Returns the platforms for a request to an API at a URL."""


def configured_platforms() -> PlatformsAt:
    """Return the platforms that environment variables configure, the same at every URL."""
    platforms = Platforms.from_environment()
    return lambda url: platforms


def api_url(request: Request) -> str:
    """Return the URL of this API as the client sees it, with the path at which a host has mounted it."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


def _platforms(request: Request) -> Platforms:
    platforms_at: PlatformsAt = request.app.state.platforms_at
    return platforms_at(api_url(request))


ServerPlatforms = Annotated[Platforms, Depends(_platforms)]
"""The platforms that this server can use."""
