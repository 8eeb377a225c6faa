"""Replication loop: runs rounds in a thread until it is stopped, also after a round that failed."""

import threading

import pytest

from tablewright.engine.features.replicas import replication_loop
from tablewright.engine.features.replicas.replication_loop import ReplicationLoop


def test_rounds_run_until_the_loop_is_stopped() -> None:
    results, reached = iter([True, False, None]), threading.Event()

    def run_round() -> bool | None:
        result = next(results, False)
        if result is None:
            reached.set()
        return result

    loop = ReplicationLoop(run_round, "test")
    loop.start()
    loop.start()
    assert reached.wait(10)
    loop.stop()
    loop.start()
    names = [thread.name for thread in threading.enumerate()]
    assert "tablewright-replication-test" not in names


def test_a_round_that_raises_is_logged_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(replication_loop, "FAILED_WAIT", 0.0)
    results, reached = iter([ValueError("planted"), None]), threading.Event()

    def run_round() -> bool | None:
        result = next(results, None)
        if isinstance(result, ValueError):
            raise result
        reached.set()
        return result

    loop = ReplicationLoop(run_round, "test")
    loop.start()
    assert reached.wait(10)
    loop.stop()
    assert "replication failed" in caplog.text


def test_a_failed_round_waits_longer_than_an_idle_one() -> None:
    assert replication_loop.BUSY_WAIT < replication_loop.IDLE_WAIT < replication_loop.FAILED_WAIT
