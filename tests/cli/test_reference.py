"""docs/reference/cli.md lists every command and every argument, as the parser has them."""

from tests.cli.parsers import command_parsers
from tests.cli.reference import PAGE, cli_page, sections


def test_the_page_matches_the_parser() -> None:
    page = PAGE.read_text()
    assert page == cli_page(page), "run: python -m tests.cli.reference"


def test_the_page_has_a_section_for_each_command() -> None:
    assert sections(PAGE.read_text(), "tablewright") == list(command_parsers())
