"""Worker threads: jobs run off the loop, in order; what follows runs on the loop, also after a failure."""

import asyncio
import threading

import pytest

from tablewright.server.worker_thread import WorkerThreads, run_logged


def test_jobs_run_in_a_thread_and_callbacks_on_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    events: list[tuple[str, bool | str]] = []

    async def run() -> None:
        workers = WorkerThreads(asyncio.get_running_loop(), "tablewright-test")
        done = asyncio.Event()

        def fail() -> None:
            raise RuntimeError

        def finish(*, succeeded: bool) -> None:
            events.append((threading.current_thread().name, succeeded))
            if len(events) == 4:
                done.set()

        def note() -> None:
            events.append(("job", threading.current_thread().name))

        workers.submit("first", note, finish)
        workers.submit("second", fail, finish)
        workers.submit("third", lambda: None, finish)
        await asyncio.wait_for(done.wait(), 20)
        workers.close()

    asyncio.run(run())
    main = threading.current_thread().name
    assert events == [("job", "tablewright-test"), (main, True), (main, False), (main, True)]
    assert caplog.messages == ["second failed"]


def test_no_more_threads_than_allowed_are_started() -> None:
    async def run() -> int:
        workers = WorkerThreads(asyncio.get_running_loop(), "tablewright-test", count=2)
        both = threading.Barrier(2, timeout=20)
        finished = asyncio.Semaphore(0)
        names = set()

        def job() -> None:
            names.add(threading.get_ident())
            both.wait()

        for _ in range(4):
            workers.submit("job", job, lambda *, succeeded: finished.release())
        for _ in range(4):
            await asyncio.wait_for(finished.acquire(), 20)
        workers.close()
        return len(names)

    assert asyncio.run(run()) == 2


def test_a_failure_is_logged_with_its_name(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError

    assert run_logged(lambda: None, "commit")
    assert not run_logged(fail, "commit")
    assert caplog.messages == ["commit failed"]
