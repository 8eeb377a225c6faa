"""Shared options: each has one name, one metavar and one help text in every command."""

import argparse
import os

import pytest

from tablewright.cli.arguments import (
    MEMORY,
    LocationKind,
    location_argument,
    location_kind,
    network,
    port_number,
    positive_number,
    timestamp,
    worker_count,
)
from tablewright.errors import UsageError
from tests.cli.parsers import command_parsers

LOCATIONS = {
    name: {action.option_strings[0]: action for action in parser._actions if action.dest == "on"}
    for name, parser in command_parsers().items()
}
WITHOUT_A_LOCATION = {"check", "cost", "heat", "init", "keys", "completion", "move"}
"""`move` has two locations, `--from` and `--to`."""


def test_every_command_that_uses_data_has_the_option() -> None:
    assert {name for name, actions in LOCATIONS.items() if "--on" not in actions} == WITHOUT_A_LOCATION


def test_the_place_has_one_spelling_in_all_commands() -> None:
    spellings = {
        (tuple(actions["--on"].option_strings), actions["--on"].metavar, (actions["--on"].help or "")[:19])
        for name, actions in LOCATIONS.items()
        if actions and name != "generate"  # which says that only its samples are written
    }
    assert spellings == {(("--on",), "LOCATION", "data location: FILE")}


def test_the_aliases() -> None:
    aliases = {name: set(actions) - {"--on"} for name, actions in LOCATIONS.items() if len(actions) > 1}
    assert aliases == {"serve": {"--data", "--memory"}, "tables": {"--data"}}
    assert {actions["--data"].help for actions in LOCATIONS.values() if "--data" in actions} == {
        "alias for --on FILE"
    }


def test_no_command_names_a_place_otherwise() -> None:
    """An option with the metavar of a location, or an old name of one, belongs to the shared implementation."""
    for name, parser in command_parsers().items():
        for action in parser._actions:
            # `move` has two locations; `console --write` repeats the location to confirm it.
            if name == "move" or action.dest == "console_write":
                continue
            if action.metavar == "LOCATION" or {"--data", "--memory", "--endpoint", "--file"} & set(
                action.option_strings
            ):
                assert action.dest == "on"


@pytest.mark.parametrize("dest", ["env", "prefix", "keys", "rate", "buckets", "workload", "design"])
def test_other_shared_options_have_one_help_text(dest: str) -> None:
    texts = {
        action.help
        for name, parser in command_parsers().items()
        for action in parser._actions
        # `check` can do without a design, and `generate` says which of its kinds use {env}.
        # `fsck --storage` checks a file without one.
        if action.dest == dest
        and (name, dest) not in {("check", "design"), ("fsck", "design"), ("generate", "env")}
    }
    assert len(texts) == 1


def parser_for(*accepted: LocationKind, aliases: tuple[str, ...] = ()) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tablewright test", exit_on_error=False)
    location_argument(parser, accepted, aliases=aliases)
    return parser


@pytest.mark.parametrize(
    ("given", "location"),
    [
        ([], "tablewright.db"),
        (["--on", "app.db"], "app.db"),
        (["--data", "app.db"], "app.db"),
        (["--memory"], MEMORY),
        (["--on", "memory"], MEMORY),
        (["--on", ":memory:"], MEMORY),
        (["--on", "./memory"], "./memory"),
    ],
)
def test_the_aliases_name_the_same_location(given: list[str], location: str) -> None:
    parser = parser_for("file", "memory", aliases=("--data", "--memory"))
    assert parser.parse_args(given).on == location


def test_one_place_at_a_time() -> None:
    with pytest.raises(argparse.ArgumentError, match="not allowed with"):
        parser_for("file", aliases=("--data",)).parse_args(["--on", "a.db", "--data", "b.db"])


@pytest.mark.parametrize(
    ("accepted", "location", "message"),
    [
        (("file",), "http://x", "test cannot use http://x; give FILE with --on"),
        (
            ("file", "memory"),
            "aws:eu-north-1",
            "test cannot use aws:eu-north-1; give FILE or memory with --on",
        ),
        (
            ("file", "endpoint", "aws"),
            "memory",
            "test cannot use memory: data in memory is lost when the command ends; "
            "give FILE, http://HOST:PORT or aws:REGION with --on",
        ),
    ],
)
def test_a_location_that_is_not_accepted(
    accepted: tuple[LocationKind, ...], location: str, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        parser_for(*accepted).parse_args(["--on", location])
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "location", ["", "http://", "http://[::1", "https://host:99999", "http://host:port", "htp://host"]
)
def test_an_invalid_location(location: str) -> None:
    with pytest.raises(UsageError) as raised:
        parser_for("file", "endpoint").parse_args(["--on", location])
    assert str(raised.value).startswith(f"'{location}' is not a valid location; give ")


def test_kinds_of_places() -> None:
    assert [location_kind(location) for location in ("a.db", "./memory", "https://x", "aws:", "memory")] == [
        "file",
        "file",
        "endpoint",
        "aws",
        "memory",
    ]


def test_times() -> None:
    assert timestamp("12.5") == 12.5
    assert timestamp("1970-01-01T00:01:00") == 60
    assert timestamp("1970-01-01T01:00:00+01:00") == 0
    with pytest.raises(argparse.ArgumentTypeError, match="must be a time such as"):
        timestamp("soon")


@pytest.mark.parametrize("text", ["-1", "65536", "http"])
def test_invalid_ports(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a number from 0 to 65535"):
        port_number(text)


def test_networks() -> None:
    assert [network(text) for text in ("10.0.0.1", " 10.0.0.0/8 ", "::1")] == [
        "10.0.0.1",
        "10.0.0.0/8",
        "::1",
    ]
    for text in ("localhost", "", "*"):
        with pytest.raises(argparse.ArgumentTypeError, match="must be an IP address or a network"):
            network(text)


def test_a_positive_number() -> None:
    assert positive_number("12") == 12


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_not_a_positive_number(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a number of at least 1"):
        positive_number(text)


@pytest.mark.parametrize(("processors", "expected"), [(1, 1), (2, 1), (4, 3), (200, 64)])
def test_automatic_number_of_workers(processors: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert (worker_count("auto"), worker_count("7")) == (expected, 7)


@pytest.mark.parametrize("text", ["0", "65", "many", "-1", "1.5"])
def test_invalid_numbers_of_workers(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be auto or a number from 1 to 64, got"):
        worker_count(text)


@pytest.mark.parametrize(
    ("accepted", "help_text"),
    [
        (("file",), "data location: FILE (default: tablewright.db)"),
        (("file", "memory"), "data location: FILE or memory (default: tablewright.db)"),
        (("file", "endpoint", "aws"), "data location: FILE, http://HOST:PORT or aws:REGION (default"),
    ],
)
def test_the_help_lists_the_accepted_locations_only(
    accepted: tuple[LocationKind, ...], help_text: str
) -> None:
    assert help_text in " ".join(parser_for(*accepted).format_help().split())
