"""Busy poll: the loop keeps polling for a short time, until `stop` is called."""

import asyncio

import pytest

from tablewright.server.busy_poll import POLL_SECONDS, BusyPoll


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts the callbacks that are scheduled."""

    scheduled = 0

    def call_soon(self, *arguments: object, **options: object) -> asyncio.Handle:
        self.scheduled += 1
        return super().call_soon(*arguments, **options)  # type: ignore[arg-type]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which the test moves."""
    time = [100.0]
    monkeypatch.setattr("tablewright.server.busy_poll.time.perf_counter", lambda: time[0])
    monkeypatch.setattr("tablewright.server.busy_poll.os.cpu_count", lambda: 2)
    return time


def turns(loop: CountingLoop, count: int) -> int:
    """Run turns of the loop; return how many callbacks they scheduled."""
    before = loop.scheduled
    for _ in range(count):
        loop._run_once()  # type: ignore[attr-defined]
    return loop.scheduled - before


def test_the_loop_polls_until_the_time_is_over(now: list[float]) -> None:
    loop = CountingLoop()
    poll = BusyPoll(loop)
    poll.extend()
    poll.extend()
    assert turns(loop, 5) == 5
    now[0] += POLL_SECONDS
    assert turns(loop, 1) == 0
    poll.extend()
    assert turns(loop, 1) == 1
    poll.stop()
    assert turns(loop, 1) == 0
    loop.close()


def test_a_machine_with_one_processor_does_not_poll(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablewright.server.busy_poll.os.cpu_count", lambda: 1)
    loop = CountingLoop()
    BusyPoll(loop).extend()
    assert loop.scheduled == 0
    loop.close()
