"""Command lines for the open design."""

from dataclasses import replace

from tablewright.console.command_lines import command_line
from tests.console.sample_console import open_system


def test_a_command_names_the_design_the_location_and_the_environment() -> None:
    opened = replace(open_system("boards", samples=0), location="my data.db")
    assert command_line(opened, "generate samples", "--count", "5") == (
        "tablewright generate samples tablewright_systems.boards.design:design --on 'my data.db' --env test --count 5"
    )
    opened.close()
