"""The sweep timer: one thread, started once, until it is stopped or its task is over."""

import threading

from tablewright.engine.core.state.sweep_timer import SweepTimer


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
