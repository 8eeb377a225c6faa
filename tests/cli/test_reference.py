"""docs/reference/cli.md lists every command and every argument, as the parser has them."""

import re

from tests.cli.parsers import command_parsers
from tests.cli.reference import PAGE, regenerated


def test_the_page_matches_the_parser() -> None:
    page = PAGE.read_text()
    assert page == regenerated(page), "run: python -m tests.cli.reference"


def test_the_page_has_a_section_for_each_command() -> None:
    assert re.findall(r"^## tablewright (\S+)$", PAGE.read_text(), re.MULTILINE) == list(command_parsers())
