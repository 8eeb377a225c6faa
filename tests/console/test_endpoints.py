"""Requests of endpoints: parameters are checked, and named in the error."""

import pytest

from tablewright.console.endpoints import ConsoleRequest
from tablewright.errors import UsageError
from tests.console.sample_console import open_system


@pytest.fixture
def request_of() -> object:
    opened = open_system("boards", samples=0)
    return lambda **query: ConsoleRequest(opened, {}, query)


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "1001", "x", "1e3", "٣", "9" * 50, "0000000019999999999", "9" * 5000]
)
def test_a_number_has_bounds(request_of: object, text: str) -> None:
    with pytest.raises(UsageError, match="limit is a whole number from 1 to 1000"):
        request_of(limit=text).number("limit", 50)  # type: ignore[operator]


def test_numbers_flags_and_texts(request_of: object) -> None:
    request = request_of(limit="7", all="true")  # type: ignore[operator]
    assert (request.number("limit", 50), request.number("other", 50)) == (7, 50)
    assert (request.flag("all"), request.flag("none")) == (True, False)
    with pytest.raises(UsageError, match="all is true or false"):
        request_of(all="yes").flag("all")  # type: ignore[operator]
    with pytest.raises(UsageError, match="the parameter table is missing"):
        request.text("table")


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf", "1e999"])
def test_a_time_is_finite(request_of: object, text: str) -> None:
    with pytest.raises(UsageError, match="until is a time in seconds since 1970"):
        request_of(until=text).time("until")  # type: ignore[operator]


def test_a_time_may_be_left_out(request_of: object) -> None:
    assert request_of().time("until") is None  # type: ignore[operator]
    assert request_of(until="12.5").time("until") == 12.5  # type: ignore[operator]
