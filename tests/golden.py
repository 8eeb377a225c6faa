"""Golden cases: plain text files of `question -> answer`, one a line, that a person can read."""

from pathlib import Path

CASES = Path(__file__).parent / "cases"


def arrows(name: str) -> list[tuple[str, str]]:
    """The `question -> answer` lines of a case file; blank lines and `#` lines are for the reader."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.rsplit(" -> ", 1) for line in lines if line and not line.startswith("#"))
    return [(question, answer) for question, answer in pairs]
