"""The event loop of the server."""

import asyncio

from tablewright.server.event_loop import run_loop


def test_a_coroutine_runs_in_a_new_loop() -> None:
    found: list[str] = []

    async def main() -> None:
        found.append(type(asyncio.get_running_loop()).__module__)

    run_loop(main())
    assert found in (["uvloop"], ["asyncio.windows_events"])
