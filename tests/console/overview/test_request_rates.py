"""Requests a second, from two counts."""

from tablewright.console.overview.request_rates import request_rates
from tests.console.sample_console import open_system


def test_rates_are_sent_once_a_second() -> None:
    opened = open_system("boards", samples=0)
    now = 100.0
    rates = request_rates(opened, lambda: now)
    first = next(rates)
    assert first is not None
    assert first["per_second"] == 0
    for _ in range(6):
        opened.db.connection.call("ListTables", {})
    now += 0.4
    assert next(rates) is None
    now += 1.6
    second = next(rates)
    now += 1.0
    third = next(rates)
    rates.close()  # type: ignore[attr-defined]
    opened.close()
    assert second is not None
    assert (second["per_second"], second["operations"]) == (3.0, {"ListTables": 3.0})
    assert third is not None
    assert third["per_second"] == 0
