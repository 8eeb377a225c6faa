"""docs/reference/systems-cli.md lists every command and argument of `tablewright-systems`, as its parser has them.

`python -m systems.tests.commands.test_reference` writes the generated parts into the page.
"""

from tablewright_systems.commands import COMMANDS, PROGRAM, build_parser

from tests.cli.parsers import command_parsers
from tests.cli.reference import REFERENCE, regenerated, sections

PAGE = REFERENCE / "systems-cli.md"
PARSERS = command_parsers(build_parser())


def systems_page(page: str) -> str:
    return regenerated(page, PARSERS, {module.NAME: module.SUMMARY for module in COMMANDS})


def test_the_page_matches_the_parser() -> None:
    page = PAGE.read_text()
    assert page == systems_page(page), "run: python -m systems.tests.commands.test_reference"


def test_the_page_has_a_section_for_each_command() -> None:
    assert sections(PAGE.read_text(), PROGRAM) == list(PARSERS)


if __name__ == "__main__":
    PAGE.write_text(systems_page(PAGE.read_text()))
