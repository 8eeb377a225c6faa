"""The platforms of a server: configured by its environment, or in development the fakes, at /platforms."""

from typing import Annotated

from fastapi import Depends, FastAPI, Request

from tablewright import Repository
from tablewright_systems.listbackup.platforms.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.web import LocalIssuer

FAKES = "/platforms"


def add_platforms(app: FastAPI, db: Repository, platforms: Platforms | None) -> None:
    """Give an application its platforms.

    Only in development, with tokens of the local issuer, are they fakes: elsewhere a fake, which authorizes at once,
    would connect sources that no platform has authorized.
    """
    app.state.platforms = platforms
    app.state.fakes = None
    if platforms is None and isinstance(app.state.authenticator, LocalIssuer):
        app.state.fakes = FakePlatforms(db.now)
        app.mount(FAKES, app.state.fakes.application)
    elif platforms is None:
        app.state.platforms = Platforms.from_environment()


def _platforms(request: Request) -> Platforms:
    fakes: FakePlatforms | None = request.app.state.fakes
    if fakes is not None:
        base = str(request.base_url).rstrip("/")
        return fakes.platforms(browser_url=f"{base}{FAKES}", application_url=base)
    found: Platforms = request.app.state.platforms
    return found


ServerPlatforms = Annotated[Platforms, Depends(_platforms)]
"""The platforms that this server can use."""
