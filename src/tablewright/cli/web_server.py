"""A web application beside the DynamoDB endpoint: uvicorn, in a thread of its own."""

import socket
import threading
from typing import Any

import uvicorn


class Web:
    """Serves an application from the moment it is made until it is stopped."""

    def __init__(self, application: Any, listener: socket.socket) -> None:
        settings = uvicorn.Config(application, log_level="warning", access_log=False, lifespan="off")
        self._server = uvicorn.Server(settings)
        # The signals are the endpoint's: it stops first, then this.
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="tablewright-web")
        self._thread.start()

    def stop(self) -> None:
        """Let open requests finish, and end."""
        self._server.should_exit = True
        self._thread.join()


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections already, so that a taken port is known before anything is begun."""
    listener = socket.create_server((host, port), backlog=128)
    listener.setblocking(False)
    return listener
