"""mypy and pyright accept right code and report mistakes: each runs once, over all the files below.

- `mistakes.py`: each line marked `# error` is reported, and no other line is.
- `correct_code.py`, `library.py` and the examples: no line is reported.
- `typed_*.py` anywhere in the tests: samples whose mistakes carry a `type: ignore`; one that nothing needs is reported.
- The Python blocks of the documentation, one program for each page.
- The project that `tablewright init` writes.

The systems are checked by `make check`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tablewright.cli import main
from tests.test_documentation import PAGES, blocks
from tests.typing import correct_code

ROOT = Path(__file__).parent.parent.parent
MISTAKES = Path(__file__).parent / "mistakes.py"
FILES = [
    MISTAKES,
    Path(__file__).parent / "correct_code.py",
    Path(__file__).parent / "library.py",
    *sorted((ROOT / "tests").rglob("typed_*.py")),
    *sorted((ROOT / "examples").glob("*.py")),
]
MARK = re.compile(r"# error: .+$")
MYPY_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+): error: (?P<message>.*)")
# Examples leave out annotations that a program would have, and use one name for several things.
PAGE_SETTINGS = "# mypy: disallow_untyped_defs=False, disallow_untyped_calls=False, allow_redefinition=True"
# Without stubs, pyright guesses the types of boto3 from its code, and guesses wrong.
UNTYPED = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"


class Place(NamedTuple):
    """A line of a file."""

    file: Path
    line: int


Report = dict[Place, str]


def marked() -> set[Place]:
    lines = MISTAKES.read_text().splitlines()
    return {Place(MISTAKES, number) for number, line in enumerate(lines, 1) if MARK.search(line)}


def page_programs(folder: Path) -> list[Path]:
    """Write the Python blocks of each page of the documentation as one program, on the same lines as in the page."""
    programs = []
    for page in PAGES:
        code = ""
        for block in blocks(page.read_text()):
            if block.language == "python":
                code += "\n" * (block.line - code.count("\n")) + block.text
        if code:
            name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_").replace(".", "_")
            programs.append(folder / f"{name}.py")
            programs[-1].write_text(PAGE_SETTINGS + code)
    return programs


def new_project(folder: Path) -> list[Path]:
    """Write a project with `tablewright init`."""
    assert main(["init", str(folder / "my-shop")]) == 0
    files = sorted((folder / "my-shop").rglob("*.py"))
    assert [file.name for file in files] == ["__init__.py", "design.py", "test_my_shop_design.py"]
    return files


def mypy_report(files: list[Path]) -> Report:
    """The errors of mypy, with the settings and the cache of the project."""
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--show-absolute-path", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = (MYPY_LINE.match(line) for line in result.stdout.splitlines())
    return {Place(Path(each["file"]), int(each["line"])): each["message"] for each in found if each}


def pyright_report(files: list[Path], folder: Path) -> Report:
    """The errors of pyright, in its standard mode."""
    stubs = folder / "typings" / "boto3"
    for module in ("__init__", "dynamodb/__init__", "dynamodb/conditions"):
        (stubs / module).parent.mkdir(parents=True, exist_ok=True)
        (stubs / f"{module}.pyi").write_text(UNTYPED)
    paths = [str(ROOT / "src"), str(ROOT), str(folder / "my-shop")]
    settings = {
        "include": [str(file) for file in files],
        "stubPath": str(folder / "typings"),
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
        "reportUnusedExpression": False,
        "reportUnnecessaryTypeIgnoreComment": "error",
        "executionEnvironments": [
            # The inner class Meta of a PynamoDB model overrides one with more members. A mistake that an example
            # shows has a comment for mypy.
            {
                "root": str(folder),
                "extraPaths": paths,
                "reportIncompatibleVariableOverride": False,
                "reportUnnecessaryTypeIgnoreComment": False,
            },
            {"root": str(ROOT), "extraPaths": paths},
        ],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "-p", str(folder), "--outputjson"]
    result = subprocess.run(
        [*command, "--pythonpath", sys.executable], capture_output=True, text=True, cwd=folder
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["summary"]["filesAnalyzed"] >= len(files)
    return {
        Place(Path(each["file"]), each["range"]["start"]["line"] + 1): each["message"]
        for each in report["generalDiagnostics"]
        if each["severity"] == "error"
    }


def unexpected(report: Report) -> list[str]:
    return [
        f"{place.file.name}:{place.line}: {message}"
        for place, message in report.items()
        if place not in marked()
    ]


def missed(report: Report) -> list[str]:
    lines = MISTAKES.read_text().splitlines()
    return [lines[place.line - 1].strip() for place in sorted(marked() - set(report))]


def test_there_are_many_mistakes() -> None:
    assert len(marked()) >= 130


def test_mypy_reports_all_mistakes_and_nothing_else(tmp_path: Path) -> None:
    report = mypy_report([*FILES, *page_programs(tmp_path), *new_project(tmp_path)])
    assert missed(report) == []
    assert unexpected(report) == []


def test_pyright_reports_all_mistakes_and_nothing_else(tmp_path: Path) -> None:
    report = pyright_report([*FILES, *page_programs(tmp_path), *new_project(tmp_path)], tmp_path)
    assert missed(report) == []
    assert unexpected(report) == []


def test_a_mistake_that_is_not_reported_is_found() -> None:
    first, second = sorted(marked())[:2]
    assert len(missed({first: "an error"})) == len(marked()) - 1
    assert unexpected({first: "a", Place(MISTAKES, 1): "b"}) == ["mistakes.py:1: b"]
    assert second.line > first.line


def test_a_page_keeps_its_lines(tmp_path: Path) -> None:
    programs = page_programs(tmp_path)
    guide = next(program for program in programs if program.stem == "docs_how_to_handle_streams")
    page = (ROOT / "docs/how-to/handle-streams.md").read_text().splitlines()
    code = guide.read_text().splitlines()
    assert [number for number, line in enumerate(code[1:], 1) if line and line != page[number]] == []


def test_the_correct_code_runs(tmp_path: Path) -> None:
    correct_code.run(tmp_path)
