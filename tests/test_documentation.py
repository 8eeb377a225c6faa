"""What the documentation shows is true: its examples run, and its links lead somewhere."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tablewright.engine.operations import MODULES

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RELATIVE_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text()], ids=name_of)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one program: each block uses the names of the blocks before it."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType("__documentation__")
    monkeypatch.setitem(
        sys.modules, module.__name__, module
    )  # classes look for the module they are defined in
    text = page.read_text()
    for block in PYTHON_BLOCK.finditer(text):
        above = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(above + block[1], str(page), "exec"), module.__dict__)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = RELATIVE_LINK.findall(page.read_text())
    assert not [link for link in links if not (page.parent / link).exists()]


def test_every_operation_has_its_line_in_the_reference() -> None:
    page = (ROOT / "docs/reference/operations.md").read_text()
    names = [module.title().replace("_", "") for module in MODULES]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_glossary_names_files_that_exist() -> None:
    page = (ROOT / "docs/architecture/glossary.md").read_text()
    places = re.findall(r"\| `([a-z0-9_/]+(?:\.py|/))` \|$", page, re.MULTILINE)
    assert len(places) > 40
    assert not [place for place in places if not (ROOT / "src/tablewright" / place).exists()]
