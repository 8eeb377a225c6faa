"""Hosting: all five systems on one store, behind one address.

/                 the start page
/boards           the API of Boards, with its documentation at /boards/docs
/listbackup       ...
"""

from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from tablewright import Connection, Repository, connect, keyrings
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web.authentication import Authenticator, LocalIssuer
from tablewright_systems.web.pages import HEADERS, asset_routes, start_page

# Against DNS rebinding: a web page elsewhere can point its own host name at this machine.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]

OnProgress = Callable[[str], None]


def issuer_for(data: Path) -> LocalIssuer:
    """Return the token issuer of a data file; its key is stored beside the file."""
    return LocalIssuer.from_file(data.with_name(f"{data.name}.issuer.pem"))


def keys_for(data: Path) -> keyrings.KeyFile:
    """Return the master keys for the encrypted fields of a data file; they are stored beside the file."""
    file = data.with_name(f"{data.name}.keys.json")
    return keyrings.KeyFile(file) if file.exists() else keyrings.KeyFile.create(file)


class HostedSystems:
    """The five systems on one store."""

    def __init__(self, connection: Connection, secrets: keyrings.Keyring) -> None:
        self.repositories = {system.name: _open(system, connection, secrets) for system in SYSTEMS}

    def fill(self, size: int, on_progress: OnProgress = lambda name: None) -> None:
        """Write sample data into each system that has no data; report each system's name when it is done."""
        for system in SYSTEMS:
            db = self.repositories[system.name]
            if _is_empty(db):
                system.fill(db, size)
            on_progress(system.name)

    def application(self, authenticator: Authenticator, endpoint: str) -> Starlette:
        """Build one application from the five APIs and the start page.

        `endpoint` is the URL where the same data is served over the DynamoDB protocol.
        """

        def start(request: Request) -> HTMLResponse:
            return HTMLResponse(start_page(SYSTEMS, endpoint), headers=HEADERS)

        apis = [
            Mount(f"/{system.name}", system.build(self.repositories[system.name], authenticator))
            for system in SYSTEMS
        ]
        trusted_hosts = Middleware(TrustedHostMiddleware, allowed_hosts=ALLOWED_HOSTS)
        return Starlette(routes=[Route("/", start), *asset_routes(), *apis], middleware=[trusted_hosts])


def _open(system: System, connection: Connection, secrets: keyrings.Keyring) -> Repository:
    return connect(system.design, connection, environment=system.environment, secrets=secrets, create=True)


def _is_empty(db: Repository) -> bool:
    names = (db.context.table_name(table) for table in db.design.tables)
    return not any(db.connection.call("Scan", {"TableName": name, "Limit": 1})["Count"] for name in names)
