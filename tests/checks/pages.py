"""The reference of the checks, generated from the docstrings of the rules: `python -m tests.checks.pages` writes it."""

from pathlib import Path

from tablewright.checks.runner import rules

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "checks.md"

_HEAD = """\
# The checks

The checks of [`tablewright check`](cli.md#tablewright-check), by code. An error does not work; a warning will cause
problems under load or in the future; a note (`info`) is for information. [Check a design](../how-to/check-a-design.md)
shows how to run the checks and how to suppress findings.
"""


def page() -> str:
    """The whole page."""
    contents = "\n".join(
        f"- [{rule.code}](#{_anchor(rule.code, rule.title)}) {rule.title}" for rule in rules()
    )
    sections = "\n".join(f"## {rule.code} {rule.title}\n\n{rule.manual}\n" for rule in rules())
    return f"{_HEAD}\n{contents}\n\n{sections}"


def _anchor(code: str, title: str) -> str:
    return f"{code} {title}".lower().replace(" ", "-").replace(",", "")


if __name__ == "__main__":
    PAGE.write_text(page())
