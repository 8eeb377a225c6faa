"""Hosting: all five systems on one store, behind one address, with their background jobs.

/                 the start page
/console          the console: the designs and their data
/metrics          retries and failures of the store, for a monitor
/boards           the API of Boards, with its documentation at /boards/docs
/listbackup       ...
"""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Mount, Route

from tablewright import Connection, Console, Repository, connect, keyrings
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.service import JobRunner
from tablewright_systems.web.authentication import Authenticator, LocalIssuer
from tablewright_systems.web.cors import cors
from tablewright_systems.web.development_tokens import offer_tokens
from tablewright_systems.web.metrics import metrics_text
from tablewright_systems.web.pages import HEADERS, asset_routes, start_page
from tablewright_systems.web.stored_examples import offer_examples

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
    """Systems on one store. Without `environment`, each has its own environment of a development machine."""

    def __init__(
        self,
        connection: Connection,
        secrets: keyrings.Keyring | None,
        systems: Sequence[System] = SYSTEMS,
        *,
        environment: str | None = None,
        prefix: str = "",
        create: bool = True,
    ) -> None:
        self.systems = systems
        self.repositories = {
            system.name: connect(
                system.design,
                connection,
                environment=environment or system.environment,
                secrets=secrets,
                prefix=prefix,
                create=create,
            )
            for system in systems
        }
        self._connection = connection
        self._prefix = prefix

    def fill(self, size: int, on_progress: OnProgress = lambda name: None) -> None:
        """Write sample data into each system that has no data; report each system's name when it is done."""
        for system in self.systems:
            db = self.repositories[system.name]
            if _is_empty(db):
                system.fill(db, size)
            on_progress(system.name)

    def application(
        self,
        authenticator_for: Callable[[str], Authenticator],
        endpoint: str,
        origins: Sequence[str] = (),
        data: Path | None = None,
        console: Console | None = None,
        *,
        shows_token: bool = True,
    ) -> Starlette:
        """Build one application from the five APIs and the start page.

        `authenticator_for` returns the authenticator of a system, given its name, which is its audience.
        `origins` are those whose web pages may call the APIs.
        `endpoint` is the URL where the same data is served over the DynamoDB protocol.
        `data` is the data file, which the start page names in its commands.
        `console` is served at /console; the start page links to it, with `shows_token` by a link that opens it.
        """

        def start(request: Request) -> HTMLResponse:
            token = None if console is None else console.issue_token() if shows_token else ""
            headers = {**HEADERS, "Cache-Control": "no-store"}  # the page has a token that works once
            return HTMLResponse(start_page(self.systems, endpoint, data, token), headers=headers)

        apis = [
            Mount(f"/{system.name}", self._api(system, authenticator_for(system.name)))
            for system in self.systems
        ]
        trusted_hosts = Middleware(TrustedHostMiddleware, allowed_hosts=ALLOWED_HOSTS)
        pages = [Route("/", start), Route("/metrics", _metrics), *asset_routes()]
        consoles = [Mount("/console", console)] if console else []
        return Starlette(routes=[*pages, *consoles, *apis], middleware=[trusted_hosts, *cors(origins)])

    def _api(self, system: System, authenticator: Authenticator) -> FastAPI:
        db = self.repositories[system.name]
        if not isinstance(authenticator, LocalIssuer):
            return system.build(db, authenticator)
        api = system.build_for_development(db, authenticator)
        people = system.people.values()
        offer_tokens(api, authenticator, system.people)
        offer_examples(
            api, lambda: [authenticator.issue(person.user_id, **person.claims) for person in people]
        )
        return api

    def job_runner(self) -> JobRunner:
        """Return the runner of the systems' background jobs."""
        jobs = {system.name: (self.repositories[system.name], system.jobs) for system in self.systems}
        return JobRunner(self._connection, jobs, prefix=self._prefix)

    @contextmanager
    def running_jobs(self) -> Iterator[JobRunner]:
        """Run the background jobs in threads of this process, until the block ends."""
        runner = self.job_runner()
        runner.start()
        try:
            yield runner
        finally:
            runner.stop()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; a port in use is an error before anything else starts."""
    listener = socket.create_server((host, port), backlog=128)
    listener.setblocking(False)
    return listener


@contextmanager
def serving(
    application: Starlette, listener: socket.socket, trusted_proxies: Sequence[str] = ()
) -> Iterator[None]:
    """Serve an application in a thread until the block ends, and then answer open requests.

    The client of a request is the peer of its connection. Only if the peer is one of the `trusted_proxies`, addresses
    or networks, the header X-Forwarded-For names the client: every other peer could write any address there.
    """
    settings = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        lifespan="off",
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        server_header=False,
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, args=([listener],), name="tablewright-web")
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def _metrics(request: Request) -> PlainTextResponse:
    return PlainTextResponse(metrics_text(), media_type="text/plain; version=0.0.4")


def _is_empty(db: Repository) -> bool:
    names = (db.context.table_name(table) for table in db.design.tables)
    return not any(db.connection.call("Scan", {"TableName": name, "Limit": 1})["Count"] for name in names)
