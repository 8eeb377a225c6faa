"""Command lines for the open design: the parser of the command line takes them as they are shown."""

import shlex
from dataclasses import replace

import pytest

from tablewright import Design
from tablewright.cli.parser import build_parser
from tablewright.console.command_lines import command_line, command_note, common_commands, keys_note
from tablewright.console.open_designs import OpenDesign
from tests.console.sample_console import console_client, open_system
from tests.console.shop import open_shop


def test_a_command_names_the_design_the_location_and_the_environment() -> None:
    opened = replace(open_system("boards", samples=0), location="my data.db")
    assert command_line(opened, "generate samples", "--count", "5") == (
        "tablewright generate samples tablewright_systems.boards.design:design --on 'my data.db' --env test --count 5"
    )
    opened.close()


def _lines(opened: OpenDesign) -> list[str]:
    commands = common_commands(opened)
    lines = [commands[name] for name in commands if name not in ("note", "keys_note", "reachable")]
    return [line for text in lines for line in text.split("\n")]


@pytest.mark.parametrize("location", ["my data.db", "http://127.0.0.1:8000", "aws:eu-north-1"])
@pytest.mark.parametrize("prefix", ["", "team-"])
def test_the_commands_are_those_of_the_command_line(location: str, prefix: str) -> None:
    opened = open_shop(prefix=prefix) if prefix else open_system("boards", samples=0)
    lines = _lines(replace(opened, location=location))
    assert len(lines) == 10
    for line in lines:
        program, *arguments = shlex.split(line)
        parsed = build_parser().parse_args(arguments)
        assert program == "tablewright"
        assert parsed.command.prog == f"tablewright {arguments[0]}"
        if hasattr(parsed, "design"):
            assert isinstance(Design.load(parsed.design), Design)
        if hasattr(parsed, "prefix") and arguments[0] != "check":
            assert (parsed.prefix, parsed.env) == (prefix, None if prefix else "test")
        if "--on" in arguments:
            assert parsed.on in (location, "app.db")
    opened.close()


def test_a_served_console_gets_the_environment_with_the_design() -> None:
    opened = open_system("boards", samples=0)
    served = common_commands(opened)["serve"].split("\n")[1]
    assert served.endswith("--console tablewright_systems.boards.design:design@test")
    opened.close()


def test_a_note_says_what_to_know_before_a_command_is_run() -> None:
    boards, shop = open_system("boards", samples=0), open_shop()
    assert "no command reaches it" in (command_note(boards) or "")
    assert not common_commands(boards)["reachable"]
    assert "Stop this console first" in (command_note(replace(boards, location="app.db")) or "")
    assert command_note(replace(boards, location="aws:eu-north-1")) is None
    assert (keys_note(replace(shop, location="aws:eu-north-1")) or "").startswith("Add --keys")
    assert (keys_note(shop), keys_note(replace(boards, location="app.db"))) == (None, None)
    boards.close()
    shop.close()


def test_the_page_gets_the_commands_with_the_design() -> None:
    with console_client("boards", samples=0) as console:
        assert console.get("")["commands"] == common_commands(console.opened)
