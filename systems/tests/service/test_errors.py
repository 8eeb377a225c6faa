"""A read that finds nothing is an error that names the resource."""

import pytest
from tablewright_systems.service import NotFound, require_found


def test_found_value_is_returned() -> None:
    assert require_found("", "note") == ""


def test_missing_value_is_not_found() -> None:
    with pytest.raises(NotFound, match="board b1 was not found"):
        require_found(None, "board b1")
