"""A process that plans pages of a migration: `python -m tablewright.lifecycle.migrate.planning_process`.

`planning_pool` starts it. It gets its settings as the first message on its socket, then a request for each page. It
ends when the other side of the socket is closed.
"""

import marshal
import os
import pickle
import select
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from tablewright.lifecycle.migrate.planning_pool import PagePlanning, PageRequest, PlanningSettings


def _end_with(connection: Connection) -> None:
    """End this process when the other one ends, also in the middle of a page."""

    def wait() -> None:
        poll = select.poll()
        poll.register(connection.fileno(), 0)  # without events, only the end of the other side is reported
        poll.poll()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _serve(planning: PagePlanning, connection: Connection) -> None:
    while True:
        request: PageRequest = pickle.loads(connection.recv_bytes())
        try:
            page = planning.plan(request)
        except Exception:
            page = None  # the other process plans the page itself, and reports what is wrong
        connection.send_bytes(marshal.dumps(None if page is None else tuple(page)))
        if page is not None and page.after is not None:
            with suppress(Exception):
                planning.plan_ahead(request, page)


def main() -> None:
    """Plan pages until the other process has no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other process, which ends this one
    os.dup2(2, 1)  # what the modules of the design print must not look like the output of the command
    connection = Connection(int(sys.argv[1]))
    _end_with(connection)
    with suppress(EOFError, OSError):
        settings: PlanningSettings = pickle.loads(connection.recv_bytes())
        try:
            planning = PagePlanning(settings)
        except Exception as error:
            connection.send_bytes(pickle.dumps(f"{type(error).__name__}: {error}"))
            return
        connection.send_bytes(pickle.dumps(None))
        _serve(planning, connection)


if __name__ == "__main__":
    main()
