"""The generated parts of docs/reference/cli.md: the list of commands, and the arguments of each command.

`python -m tests.cli.reference` writes them into the page. The text around them is written by hand.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from tests.cli.parsers import command_parsers

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"
PAGE = REFERENCE / "cli.md"
EVERYWHERE = ("help", "debug")
"""Options of every command, which the page describes once."""


def regenerated(
    page: str, parsers: Mapping[str, argparse.ArgumentParser], summaries: Mapping[str, str]
) -> str:
    """Return the page with its generated parts as the parsers of the commands have them."""
    page = _replaced(page, "commands", _command_table(parsers, summaries))
    for name, parser in parsers.items():
        page = _replaced(page, name, _argument_table(parser))
    return page


def sections(page: str, program: str) -> list[str]:
    """Return the commands that have a section of the page."""
    return re.findall(rf"^## {program} (\S+)$", page, re.MULTILINE)


def _replaced(page: str, name: str, table: str) -> str:
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin)
    assert found, f"the page needs the lines {begin.strip()} and {end}"
    return f"{before}{begin}{table}{end}{rest.partition(end)[2]}"


def _command_table(parsers: Mapping[str, argparse.ArgumentParser], summaries: Mapping[str, str]) -> str:
    anchors = {name: parser.prog.replace(" ", "-") for name, parser in parsers.items()}
    rows = (f"| [`{name}`](#{anchors[name]}) | {summary} |\n" for name, summary in summaries.items())
    return "| command | description |\n|---|---|\n" + "".join(rows)


def _argument_table(parser: argparse.ArgumentParser) -> str:
    actions = [action for action in parser._actions if action.dest not in EVERYWHERE]
    rows = (f"| {_names(action)} | {_description(action)} |\n" for action in actions)
    return "| argument | description |\n|---|---|\n" + "".join(rows)


def _names(action: argparse.Action) -> str:
    value = action.metavar or (f"{{{','.join(action.choices)}}}" if action.choices else action.dest.upper())
    if not action.option_strings:
        return f"`{value}`"
    suffix = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"`{option}{suffix}`" for option in action.option_strings)


def _description(action: argparse.Action) -> str:
    text = (action.help or "") % {"default": action.default}
    text = re.sub(r"(--[a-z-]+|\{env\}|\(\*\))", r"`\1`", text)
    return text + (" (required)" if action.required and action.option_strings else "")


def cli_page(page: str) -> str:
    """Return docs/reference/cli.md with its generated parts."""
    from tablewright.cli.parser import COMMANDS

    return regenerated(page, command_parsers(), {module.NAME: module.SUMMARY for module in COMMANDS})


if __name__ == "__main__":
    PAGE.write_text(cli_page(PAGE.read_text()))
