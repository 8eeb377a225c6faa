"""The switches of the embedded engine: faults, index lag, stale reads, and a clock that never goes back."""

import pytest
from pydantic import ValidationError

from tablewright import Faults
from tablewright.connections import Embedded
from tablewright.console.operations.engine_switches import (
    ABOUT,
    ClockMove,
    FaultSettings,
    describe_engine,
    move_clock,
    set_faults,
)
from tests.console.operations.music_console import NOW, music


def test_faults_are_switched_on_and_off() -> None:
    with music(albums=0) as opened:
        engine = opened.db.connection
        assert isinstance(engine, Embedded)
        set_faults(opened, FaultSettings(throttling=0.5, index_lag=2))
        assert engine.faults == Faults(throttling=0.5, index_lag=2.0)
        described = describe_engine(opened)
        set_faults(opened, FaultSettings(seed=3, staleness=5))
        assert engine.faults is None
    values = {fault["name"]: fault["value"] for fault in described["faults"]}
    assert (described["are_faults_on"], values["throttling"], values["index_lag"]) == (True, 0.5, 2.0)


def test_every_fault_has_a_switch_and_a_description() -> None:
    assert set(FaultSettings.model_fields) == set(Faults.__dataclass_fields__) == set(ABOUT)


def test_the_clock_moves_forward_only() -> None:
    with music(albums=0) as opened:
        move_clock(opened, ClockMove(advance=3600))
        assert describe_engine(opened)["clock"] == {"now": NOW + 3600, "frozen": True}
        move_clock(opened, ClockMove(frozen=False))
        clock = describe_engine(opened)["clock"]
        assert clock["now"] >= NOW + 3600
        assert not clock["frozen"]
        move_clock(opened, ClockMove(frozen=True))
        assert describe_engine(opened)["clock"]["frozen"]


@pytest.mark.parametrize(
    "values", [{"advance": -1}, {"advance": 1e12}, {"advance": float("nan")}, {"back": 5}]
)
def test_a_wrong_move_is_an_error(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        ClockMove.model_validate(values)


@pytest.mark.parametrize("values", [{"throttling": 1.5}, {"index_lag": -1}, {"throttles": 0.5}])
def test_wrong_faults_are_errors(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        FaultSettings.model_validate(values)
