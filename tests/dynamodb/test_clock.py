"""The clock: follows the system clock, unless it is frozen or moved."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from tablewright.dynamodb.clock import Clock


def test_a_new_clock_follows_the_system_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    assert not clock.frozen
    for system in (1000.0, 2000.0):
        monkeypatch.setattr(time, "time", lambda system=system: system)
        assert clock.now() == system


def test_a_frozen_clock_moves_only_by_advance() -> None:
    clock = Clock(start=datetime(2030, 1, 1, tzinfo=UTC))
    start = clock.now()
    assert (start, clock.frozen) == (1_893_456_000.0, True)
    clock.advance(90)
    clock.advance(timedelta(hours=1))
    assert clock.now() == start + 3690


def test_a_moved_clock_keeps_its_offset_when_it_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    system = [1000.0]
    monkeypatch.setattr(time, "time", lambda: system[0])
    clock = Clock()
    clock.advance(60)
    assert clock.now() == 1060
    clock.freeze()
    system[0] = 2000.0
    assert clock.now() == 1060
    clock.resume()
    system[0] = 2005.0
    assert (clock.now(), clock.frozen) == (1065, False)
