"""A web application beside the DynamoDB endpoint: uvicorn, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import uvicorn

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class EndingEvents:
    """Runs an application, and ends its server-sent events when the server stops.

    A browser that follows events never closes its connection, so the server would wait for it for ever.
    """

    def __init__(self, application: Any) -> None:
        self._application = application
        self._tasks: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopping = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request."""
        task = asyncio.current_task()
        assert task is not None
        self._loop = asyncio.get_running_loop()

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_events(message):
                self._tasks.add(task)
                if self._is_stopping:
                    task.cancel()
            await send(message)

        try:
            await self._application(scope, receive, watched)
        except asyncio.CancelledError:
            if not self._is_stopping or task not in self._tasks:
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._tasks.discard(task)

    def stop(self) -> None:
        """End all events; called from another thread than that of the server."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._is_stopping = True
        for task in self._tasks:
            task.cancel()


def _is_events(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in start.get("headers", ())
    )


class Web:
    """Serves an application in a thread, from construction until `stop`."""

    def __init__(self, application: Any, listener: socket.socket) -> None:
        self._events = EndingEvents(application)
        settings = uvicorn.Config(
            self._events,
            log_level="warning",
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
        )
        self._server = uvicorn.Server(settings)
        # The DynamoDB endpoint handles signals: it stops first, and then stops this server.
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="tablewright-web")
        self._thread.start()

    def stop(self) -> None:
        """Stop after open requests are answered; server-sent events end at once."""
        self._server.should_exit = True
        self._events.stop()
        self._thread.join()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; a port in use is an error before anything else starts."""
    listener = socket.create_server((host, port), backlog=128)
    listener.setblocking(False)
    return listener
