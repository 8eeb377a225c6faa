"""The reference of the checks, made of the rules' own docstrings: `python -m tests.checks.pages` writes it."""

from pathlib import Path

from tablewright.checks.runner import rules

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "checks.md"

_HEAD = """\
# The checks

What [`tablewright check`](cli.md#tablewright-check) looks for, by code. An error cannot work; a warning works until it
does not; a note (`info`) is good to know. [How to check a design](../how-to/check-a-design.md) shows how to run them
and how to suppress what is meant.
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
