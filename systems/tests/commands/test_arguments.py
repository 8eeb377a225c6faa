"""Options of several commands."""

import argparse

import pytest
from tablewright_systems.commands.arguments import (
    AWS,
    ENDPOINT,
    FILE,
    MEMORY,
    find_systems,
    location_type,
    network,
    port_number,
)

from tablewright import errors


def test_locations() -> None:
    parse = location_type("verify", (FILE, ENDPOINT, AWS, MEMORY))
    for text in ("app.db", "./memory", "https://db.example.org", "http://[::1]:8000", "aws:", "memory"):
        assert parse(text) == text
    assert parse(":memory:") == "memory"


@pytest.mark.parametrize(
    "text", ["", "ftp://here", "http://", "http://host:0", "http://host:x", "http://[::1"]
)
def test_invalid_locations(text: str) -> None:
    with pytest.raises(errors.UsageError, match="is not a valid location; give "):
        location_type("jobs", (FILE, ENDPOINT, AWS))(text)


def test_another_kind_is_an_error_that_names_those_that_are_accepted() -> None:
    with pytest.raises(errors.UsageError, match=r"^up cannot use aws:eu-north-1; give FILE with --on$"):
        location_type("up", (FILE,))("aws:eu-north-1")
    expected = "jobs cannot use memory: data in memory is lost when the command ends; give FILE or aws:REGION with --on"
    with pytest.raises(errors.UsageError, match=expected):
        location_type("jobs", (FILE, AWS))("memory")


@pytest.mark.parametrize(
    ("parse", "text"), [(port_number, "65536"), (port_number, "-1"), (network, "10.0.0.0/40")]
)
def test_invalid_values(parse: object, text: str) -> None:
    assert callable(parse)
    with pytest.raises(argparse.ArgumentTypeError, match="must be "):
        parse(text)


def test_systems_by_name() -> None:
    assert [system.name for system in find_systems(["student_hub", "boards"])] == ["student_hub", "boards"]
    assert len(find_systems([])) == 5
    with pytest.raises(
        errors.UsageError, match="unknown system 'board'; the systems are: boards, listbackup"
    ):
        find_systems(["board"])
