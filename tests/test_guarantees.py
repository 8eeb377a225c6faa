"""Guarantees name tests that exist, tests at full size belong to a guarantee, and the table shows the results."""

import re
from pathlib import Path
from typing import Literal

import pytest

from tests.guarantees import PAGE, Guarantee, add_results, read_guarantees, summary

ROOT = Path(__file__).parent.parent
GUARANTEES = read_guarantees(PAGE.read_text(encoding="utf-8"))
MARKED = re.compile(r"pytest\.mark\.(?:soak|figure)\b")


def test_every_row_of_the_page_is_read() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(GUARANTEES) == len(rows) - 1, "a row has a promise, a figure and a command"
    assert len({each.promise for each in GUARANTEES}) == len(GUARANTEES)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: each.promise)
def test_the_tests_of_a_guarantee_exist(guarantee: Guarantee) -> None:
    for target in guarantee.targets:
        path, _, function = target.partition("::")
        found = ROOT / path
        files = [found] if found.is_file() else list(found.glob("test_*.py"))
        assert files, target
        text = "".join(file.read_text(encoding="utf-8") for file in files)
        assert MARKED.search(text), f"{target} has no test with the mark soak or figure"
        assert not function or f"def {function}(" in text, target


def test_every_test_at_full_size_belongs_to_a_guarantee() -> None:
    files = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if MARKED.search(path.read_text(encoding="utf-8")) and path != Path(__file__)
    ]
    assert len(files) > 15
    missing = [file for file in files if not _is_named(file)]
    assert missing == [], f"add a row with their promise to {PAGE.name}"


def _is_named(file: str) -> bool:
    targets = [target.partition("::")[0] for guarantee in GUARANTEES for target in guarantee.targets]
    return any(file == target or file.startswith(f"{target}/") for target in targets)


def report(test: str, outcome: Literal["passed", "failed"], **more: float) -> pytest.TestReport:
    properties: list[tuple[str, object]] = list(more.items())
    return pytest.TestReport(
        test, ("", None, ""), {}, outcome, None, "call", duration=1.5, user_properties=properties
    )


def test_results_are_added_to_their_guarantees() -> None:
    one, other = (
        Guarantee("Nothing is lost", "9 kills", ("a.py::test_x",)),
        Guarantee("B", "2", ("b.py", "c")),
    )
    reports = [
        report("a.py::test_x[9]", "passed", kills=9, rate=0.333),
        report("a.py::test_x", "passed"),
        report("a.py::test_xy", "failed"),
        report("b.py::test_y", "passed"),
        report("c/d.py::test_z", "failed"),
    ]
    add_results([one, other], reports)
    assert (one.result, one.passed, one.seconds, one.measured) == (
        "passed",
        2,
        3.0,
        ["kills: 9", "rate: 0.33"],
    )
    assert (other.result, other.passed, other.failed) == ("FAILED", 1, 1)
    shown = summary([one, other, Guarantee("C", "3", ("c.py",))], 100)
    assert re.search("Nothing is lost .* 9 kills .* passed .* 3 .* kills: 9", shown)
    assert re.search("B .* 2 .* FAILED", shown)
    assert " C " not in shown, "what was not run is not shown"
