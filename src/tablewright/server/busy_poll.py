"""The vigil: after a round, look for the next request a moment longer before going to sleep.

To put a thread to sleep and wake it costs more than to read an item: a client that asks one thing after the other got
its answers half again as fast once the loop stayed awake between them. What it costs is a moment of one core after
the last request of a burst, so a machine with a single core, which the client needs as well, does without.
"""

import asyncio
import os
import time

# Seconds: longer than a client on the same machine needs to send its next request.
MOMENT = 0.0003


class Vigil:
    """Keeps the loop polling for a moment after each time it is told to."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._until = 0.0
        self._is_kept = False
        self._is_affordable = (os.cpu_count() or 1) > 1

    def keep(self) -> None:
        """Stay awake for a moment from now."""
        self._until = time.perf_counter() + MOMENT
        if self._is_affordable and not self._is_kept:
            self._is_kept = True
            self._loop.call_soon(self._look)

    def end(self) -> None:
        """Go to sleep as soon as there is nothing to do: a thread at work needs the interpreter more."""
        self._until = 0.0

    def _look(self) -> None:
        """One more turn of the loop, which polls the sockets without waiting because of this very callback."""
        if time.perf_counter() < self._until:
            self._loop.call_soon(self._look)
        else:
            self._is_kept = False
