"""The console as part of any web application: an ASGI application that Starlette and FastAPI can mount."""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.access.repository import Repository


class Console:
    """The console of connected designs, as an ASGI application.

        console = Console()
        console.add(db, "shop.design:design", "shop.db")
        app.mount("/console", console)
        print(f"http://127.0.0.1:8000/console/?token={console.issue_token()}")

    A browser opens it with a token, which works once. `session_key` is a file for the key that signs the sessions of
    browsers, created if it does not exist: with it they last over restarts. `hosts` are the host names that the
    application is served under, besides those of this machine.
    """

    def __init__(
        self, session_key: str | os.PathLike[str] | None = None, *, hosts: Sequence[str] = ()
    ) -> None:
        require_package("starlette")
        from tablewright.console.application import ConsoleApplication
        from tablewright.console.browser_sessions import LOOPBACK, BrowserSessions

        self._sessions = (
            BrowserSessions() if session_key is None else BrowserSessions.from_file(Path(session_key))
        )
        self._application = ConsoleApplication((), self._sessions, (*LOOPBACK, *hosts))

    def add(
        self,
        db: "Repository[Any]",
        source: str,
        location: str,
        *,
        title: str | None = None,
        writable: bool = False,
        reveal: bool = False,
        write_option: str = "writable=True",
        reveal_option: str = "reveal=True",
    ) -> None:
        """Show a design and its data.

        `source` and `location` are in the commands that the page shows, as the command line takes them:
        `shop.design:design`, `shop.db`. A console that is not `writable` rejects every request that changes data. With
        `reveal`, it sends decrypted secret fields to the browser. `write_option` and `reveal_option` are how messages
        name these two, for a program with options of its own.
        """
        from tablewright.console.open_designs import OpenDesign

        opened = OpenDesign(
            db,
            title or db.design.name,
            location,
            source,
            writable,
            reveal,
            write_option=write_option,
            reveal_option=reveal_option,
        )
        self._application.open(opened)

    def issue_token(self) -> str:
        """Return a new token, which opens the console in one browser, within ten minutes."""
        return self._sessions.issue()

    def close(self) -> None:
        """End event streams and background tasks, so that the server can stop; the stores stay open."""
        self._application.close()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request, as ASGI defines it."""
        await self._application(scope, receive, send)


def require_package(name: str) -> None:
    """Raise `UsageError` if a package of the console is not installed."""
    try:
        import_module(name)
    except ImportError:
        raise UsageError(
            f"package {name} is not installed; run: pip install 'tablewright[console]', "
            "or, in a checkout: pip install '.[console]'"
        ) from None
