"""The thread that the engine starts when there is something to do."""

import threading

from tablewright.engine.core.state.background_thread import BackgroundThread


def test_a_thread_starts_once_and_stops_for_good() -> None:
    names: list[str] = []
    thread = BackgroundThread(lambda: names.append(threading.current_thread().name), "example")
    thread.start()
    thread.start()
    thread.stop()
    thread.start()
    assert names == ["tablewright-example"]


def test_stopping_ends_a_wait_and_waits_for_the_work() -> None:
    waiting, ended = threading.Event(), threading.Event()

    def run() -> None:
        waiting.set()
        assert thread.wait(600)
        ended.set()

    thread = BackgroundThread(run, "example")
    assert not thread.is_stopped()
    thread.start()
    waiting.wait()
    thread.stop()
    assert thread.is_stopped()
    assert ended.is_set()


def test_a_thread_can_stop_itself() -> None:
    thread = BackgroundThread(lambda: thread.stop(), "example")
    thread.start()
    while not thread.is_stopped():
        pass
    thread.stop()


def test_a_thread_that_was_stopped_first_never_runs() -> None:
    ran: list[int] = []
    thread = BackgroundThread(lambda: ran.append(1), "example")
    thread.stop()
    thread.start()
    assert ran == []
