"""A web application beside the DynamoDB endpoint: uvicorn, in a thread of its own."""

import socket
import threading
from collections.abc import Sequence
from typing import Any

import uvicorn


class Web:
    """Serves an application in a thread, from construction until `stop`.

    The client of a request is the peer of its connection. Only if the peer is one of the `trusted_proxies`, addresses
    or networks, the header X-Forwarded-For names the client: every other peer could write any address there.
    """

    def __init__(
        self, application: Any, listener: socket.socket, trusted_proxies: Sequence[str] = ()
    ) -> None:
        settings = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            lifespan="off",
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=list(trusted_proxies),
            server_header=False,
        )
        self._server = uvicorn.Server(settings)
        # The DynamoDB endpoint handles signals: it stops first, and then stops this server.
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="tablewright-web")
        self._thread.start()

    def stop(self) -> None:
        """Stop after open requests are answered."""
        self._server.should_exit = True
        self._thread.join()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; a port in use is an error before anything else starts."""
    listener = socket.create_server((host, port), backlog=128)
    listener.setblocking(False)
    return listener
