"""The sweep timer: one thread, started once, until it is stopped or its task is over."""

import threading

from tablewright.engine.core.state.sweep_timer import BackgroundThread, SweepTimer


def test_the_task_runs_again_and_again_until_the_timer_is_stopped() -> None:
    runs = threading.Semaphore(0)
    threads: set[int] = set()

    def task() -> bool:
        threads.add(threading.get_ident())
        runs.release()
        return True

    timer = SweepTimer(period=0.001)
    timer.task = task
    timer.start()
    timer.start()
    assert all(runs.acquire(timeout=60) for _ in range(3))
    timer.stop()
    assert len(threads) == 1
    timer.start()
    assert timer._thread is not None
    assert not timer._thread.is_alive(), "a stopped timer does not start again"


def test_the_thread_ends_when_the_task_returns_false() -> None:
    ended: list[threading.Thread] = []

    def task() -> bool:
        ended.append(threading.current_thread())
        return False

    timer = SweepTimer(period=0.001)
    timer.task = task
    timer.start()
    assert timer._thread is not None
    timer._thread.join(timeout=60)
    assert not ended[0].is_alive()
    timer.stop()
    assert len(ended) == 1


def test_a_timer_that_never_started_can_be_stopped() -> None:
    SweepTimer().stop()


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
