"""Hosting: all five systems on one store, behind one address.

/                 the start page
/boards           the API of Boards; /boards/docs says what it can do
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
from tablewright_systems.authentication import Authenticator, LocalIssuer
from tablewright_systems.pages import HEADERS, start_page
from tablewright_systems.registry import SYSTEMS, System

# A page elsewhere could have its name lead to this machine; by that name nobody is let in.
HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]

Told = Callable[[str], None]


def issuer_for(data: Path) -> LocalIssuer:
    """The issuer of a data file's tokens; its key lies beside the file."""
    return LocalIssuer.from_file(data.with_name(f"{data.name}.issuer.pem"))


def keys_for(data: Path) -> keyrings.KeyFile:
    """The master keys of a data file's secrets; they lie beside it."""
    file = data.with_name(f"{data.name}.keys.json")
    return keyrings.KeyFile(file) if file.exists() else keyrings.KeyFile.create(file)


class HostedSystems:
    """The five systems on one store."""

    def __init__(self, connection: Connection, secrets: keyrings.Keyring) -> None:
        self.repositories = {system.name: _open(system, connection, secrets) for system in SYSTEMS}

    def fill(self, size: int, told: Told = lambda name: None) -> None:
        """Put sample data into the systems that have no data at all."""
        for system in SYSTEMS:
            db = self.repositories[system.name]
            if _is_empty(db):
                system.fill(db, size)
            told(system.name)

    def application(self, gate: Authenticator, endpoint: str) -> Starlette:
        """The five APIs and the page that leads to them; `endpoint` is where the same data speaks DynamoDB."""

        def start(request: Request) -> HTMLResponse:
            return HTMLResponse(start_page(SYSTEMS, endpoint), headers=HEADERS)

        mounts = [
            Mount(f"/{system.name}", system.build(self.repositories[system.name], gate)) for system in SYSTEMS
        ]
        guard = Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)
        return Starlette(routes=[Route("/", start), *mounts], middleware=[guard])


def _open(system: System, connection: Connection, secrets: keyrings.Keyring) -> Repository:
    return connect(system.design, connection, environment=system.environment, secrets=secrets, create=True)


def _is_empty(db: Repository) -> bool:
    names = (db.context.table_name(table) for table in db.design.tables)
    return not any(db.connection.call("Scan", {"TableName": name, "Limit": 1})["Count"] for name in names)
