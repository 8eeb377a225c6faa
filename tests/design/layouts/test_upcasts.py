"""Upcasts need a schema version, and start from an older one."""

import pytest

from tablewright.design.layouts.upcasts import check_upcasts
from tablewright.errors import DesignError


@pytest.mark.parametrize(
    ("version", "start", "message"),
    [
        (None, 1, "Profile has upcasts, but no schema version; add schema_version=2"),
        (2, 2, "Profile has schema_version=2 and an upcast from version 2"),
        (2, 0, "an upcast starts from version 1 or later"),
    ],
)
def test_invalid_upcasts_are_rejected(version: int | None, start: int, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        check_upcasts("Profile", version, {start: dict})


def test_an_upcast_from_every_older_version_is_accepted() -> None:
    check_upcasts("Profile", 3, {1: dict, 2: dict})
    check_upcasts("Profile", None, {})
