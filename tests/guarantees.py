"""The guarantees of docs/architecture/guarantees.md, and the table that `make soak` prints: which of them were shown.

A test adds what it measured with `record_property("longest wait", ...)`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

PAGE = Path(__file__).parents[1] / "docs/architecture/guarantees.md"
FULL_SIZE = "soak or figure or hypothesis"
"""The marks of the tests that show guarantees at full size."""

_ROW = re.compile(
    r'\| (?P<promise>.+?) \| (?P<figure>.+?) \| `make (?:soak|test) ARGS="(?P<targets>[^"]+)"` \|'
)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass
class Guarantee:
    """A promise, its figure, the tests that show it, and their results in this run."""

    promise: str
    figure: str
    targets: tuple[str, ...]
    """Test files, or test functions of a file."""
    passed: int = 0
    failed: int = 0
    seconds: float = 0.0
    measured: list[str] = field(default_factory=list)

    def has(self, test: str) -> bool:
        """Whether a test, given by its id, shows this guarantee."""
        return any(
            test == each or test.startswith((f"{each}/", f"{each}::", f"{each}[")) for each in self.targets
        )

    @property
    def result(self) -> str:
        return "FAILED" if self.failed else "passed" if self.passed else "not run"


def read_guarantees(page: str) -> list[Guarantee]:
    """The guarantees of a page, in order."""
    return [
        Guarantee(
            _LINK.sub(r"\1", row["promise"]), _LINK.sub(r"\1", row["figure"]), tuple(row["targets"].split())
        )
        for row in map(_ROW.fullmatch, page.splitlines())
        if row is not None
    ]


def add_results(guarantees: list[Guarantee], reports: Iterable[pytest.TestReport]) -> None:
    """Add the results of tests to the guarantees that they show."""
    for report in reports:
        for guarantee in guarantees:
            if not guarantee.has(report.nodeid):
                continue
            guarantee.seconds += report.duration
            guarantee.failed += report.failed
            if report.when == "call":
                guarantee.passed += report.passed
                guarantee.measured += [f"{name}: {_shown(value)}" for name, value in report.user_properties]


def _shown(value: object) -> str:
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.2f}" if isinstance(value, float) else str(value)
    )


def summary(guarantees: Iterable[Guarantee], width: int) -> str:
    """The table of the guarantees that were run."""
    table = Table("promise", "size", "result", "seconds", "measured", show_lines=True)
    for each in guarantees:
        if each.passed or each.failed:
            measured = "\n".join(each.measured)
            table.add_row(each.promise, each.figure, each.result, f"{each.seconds:,.0f}", measured)
    output = StringIO()
    Console(file=output, width=max(width, 100), color_system=None).print(table)
    return output.getvalue()
