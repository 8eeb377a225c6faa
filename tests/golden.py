"""Golden cases: readable text files with one `request -> reply` per line."""

from pathlib import Path

CASES = Path(__file__).parent / "cases"


def arrows(name: str) -> list[tuple[str, str]]:
    """The `request -> reply` lines of a case file; blank lines and `#` lines are skipped."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.rsplit(" -> ", 1) for line in lines if line and not line.startswith("#"))
    return [(question, answer) for question, answer in pairs]
