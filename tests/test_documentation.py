"""What the documentation shows is true: its examples run, its links lead somewhere, and it covers what is public."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.parse import unquote

import botocore.session
import pytest

from tablewright import Repository, writes
from tablewright.design import fields
from tablewright.design.plans.plans import PatternSettings
from tablewright.engine.core.operations import NOT_IMPLEMENTED, find_operation
from tablewright.engine.core.requests.unsupported import UNSUPPORTED
from tablewright.engine.feature_list import operation_names

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for folder in (
        ROOT,
        DOCS,
        ROOT / "src",
        ROOT / "systems",
        ROOT / "benchmarks",
        ROOT / "examples",
        ROOT / ".github",
    )
    for page in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
)
LANGUAGES = ("python", "bash", "ini", "json", "text", "toml", "yaml")
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?\)")
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)? *$", re.MULTILINE)
LINE_CITATION = re.compile(r"\b0\d\d:\d+")
EXPLICIT_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(text: str) -> list[Block]:
    return [Block(found[2], found[3], text.count("\n", 0, found.start(3))) for found in FENCED.finditer(text)]


def prose(text: str) -> str:
    """A page without its code: what looks like a link or a heading in code is none."""
    return re.sub(
        r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda code: f"`{len(code[2])}`", FENCED.sub("", text)
    )


def links(page: Path) -> list[str]:
    """The relative links of a page."""
    return [link for link in LINK.findall(prose(page.read_text())) if not re.match(r"\w+:", link)]


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    text = FENCED.sub("", page.read_text())
    found = set(EXPLICIT_ANCHOR.findall(text))
    seen: Counter[str] = Counter()
    for heading in HEADING.findall(text):
        slug = anchor(heading)
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def anchor(heading: str) -> str:
    """The anchor of a heading: its text in lower case, without punctuation, with a hyphen for each space."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")


def broken_links(page: Path) -> list[str]:
    """The links of a page to a file that does not exist or is not part of the repository, or to no heading."""
    broken = []
    for link in links(page):
        path, _, fragment = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or not target.is_relative_to(ROOT):
            broken.append(f"{link}: no such file")
        elif fragment and target.suffix == ".md" and fragment not in anchors(target):
            broken.append(f"{link}: no such heading")
    return broken


def test_links_in_code_and_to_other_sites_are_not_followed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`[a](b.md)` [site](https://x.org/a.md) ![i](i.png) [`c`](<d.md>)\n```text\n[e](f.md)\n```\n"
    )
    assert links(page) == ["i.png", "d.md"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Move time", "move-time"),
        ("retrying(flow, *, attempts=10, on=VersionConflict)", "retryingflow--attempts10-onversionconflict"),
        ("`db.update` and [keys](keys.md)", "dbupdate-and-keys"),
        ("3. Move the items", "3-move-the-items"),
    ],
)
def test_anchors_are_those_of_github(heading: str, expected: str) -> None:
    assert anchor(heading) == expected


def test_a_repeated_heading_has_a_number(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# A\n## Same\n## Same\n```text\n# no heading\n```\n")
    assert anchors(tmp_path / "page.md") == {"a", "same", "same-1"}


def test_a_link_to_a_missing_file_or_heading_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# Title\n")
    page.write_text(
        "# Here\n[1](#here) [2](#there) [3](other.md#title) [4](other.md#no) [5](no.md) [6](../x)\n"
    )
    assert broken_links(page) == [
        "#there: no such heading",
        "other.md#no: no such heading",
        "no.md: no such file",
        "../x: no such file",
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_every_page_is_reachable_from_the_start_page() -> None:
    reached: set[Path] = set()
    waiting = [DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [
            (page.parent / link.partition("#")[0]).resolve() for link in links(page) if link[0] != "#"
        ]
    assert [name_of(page) for page in PAGES if page.is_relative_to(DOCS) and page not in reached] == []


def test_every_page_is_in_the_list_of_its_folder() -> None:
    for folder in ("tutorial", "how-to", "reference", "architecture"):
        listed = set(links(DOCS / folder / "README.md"))
        pages = {page.name for page in (DOCS / folder).glob("*.md")} - {"README.md"}
        assert pages - listed == set(), f"docs/{folder}/README.md does not list them"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_has_a_language_and_python_is_called_python(page: Path) -> None:
    """Python runs in `test_examples_run`. Other blocks say what they are: output, a shell, a settings file."""
    for block in blocks(page.read_text()):
        assert block.language in LANGUAGES, f"{name_of(page)}:{block.line}: use one of {', '.join(LANGUAGES)}"
        assert block.language == "python" or not is_python(block.text), (
            f"{name_of(page)}:{block.line}: mark it as python, so that it runs"
        )


def is_python(text: str) -> bool:
    """Whether a text is a Python program with at least one import, definition, call or assignment."""
    try:
        parsed = ast.parse(text)
    except SyntaxError:
        return False
    return any(
        isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef) for node in parsed.body
    )


@pytest.mark.parametrize(
    ("text", "expected"), [("import x\n", True), ("$ pip install .\n", False), ("a, b\n", False)]
)
def test_python_is_recognised(text: str, expected: bool) -> None:
    assert is_python(text) is expected


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text()], ids=name_of)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page are one program: each block uses the names of the blocks before it."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType("__documentation__")
    # Classes look for the module they are defined in.
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks(page.read_text()):
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, str(page), "exec"), module.__dict__)


def test_every_operation_has_its_line_in_the_reference() -> None:
    page = (DOCS / "reference/operations.md").read_text()
    implemented, _, missing = page.partition("## Not implemented")
    names = operation_names()
    assert [name for name in names if f"`{name}`" not in implemented] == []
    assert [name for name in NOT_IMPLEMENTED if f"`{name}`" not in missing] == []
    assert [name for name in NOT_IMPLEMENTED if f"`{name}`" in implemented] == []


def test_every_operation_of_aws_is_in_the_reference() -> None:
    page = (DOCS / "reference/operations.md").read_text()
    session = botocore.session.get_session()
    services = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
    names = [name for service in services for name in service.operation_names]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_every_unsupported_member_is_in_the_reference() -> None:
    missing = (DOCS / "reference/operations.md").read_text().partition("## Not implemented")[2]
    names = operation_names()
    shapes = [operation.shape for operation in map(find_operation, names) if operation]
    unsupported = {
        name for shape in shapes for name, member in shape.members.items() if member is UNSUPPORTED
    }
    assert {name for name in unsupported if f"`{name}`" not in missing} == set()


def test_every_write_has_its_section_in_the_reference() -> None:
    headings = HEADING.findall((DOCS / "reference/writes.md").read_text())
    documented = {name for heading in headings for name in re.findall(r"writes\.(\w+)", heading)}
    assert set(writes.__all__) - documented == set()
    assert documented - set(writes.__all__) == set(), "these are not public"


def test_every_method_of_the_repository_is_in_the_reference() -> None:
    page = (DOCS / "reference/python.md").read_text()
    section = page.partition("\n## Repository\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \|", section, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)", row)} - {"member"}
    public = {name for name in dir(Repository) if not name.startswith("_")}
    made = set(re.findall(r"self\.([a-z]\w*) =", inspect.getsource(Repository.__init__)))
    assert (public | made) - documented == set()


def test_every_write_call_of_the_repository_has_an_example_in_the_reference() -> None:
    text = "".join(block.text for block in blocks((DOCS / "reference/writes.md").read_text()))
    calls = (
        "create",
        "put",
        "update",
        "upsert",
        "add",
        "delete",
        "delete_with_owned",
        "move",
        "transact",
        "batch",
        "retrying",
    )
    assert [name for name in calls if not re.search(rf"\bdb\.{name}\(|@db\.{name}\b", text)] == []
    options = ("when", "version", "otherwise", "set", "remove", "add")
    assert [name for name in options if f"{name}=" not in text] == []


def test_every_name_of_fields_has_its_section_in_the_reference() -> None:
    headings = set(HEADING.findall((ROOT / "docs/reference/fields.md").read_text()))
    assert [name for name in fields.__all__ if f"fields.{name}" not in headings] == []


def test_the_glossary_names_files_that_exist() -> None:
    page = (DOCS / "architecture/glossary.md").read_text()
    places = re.findall(r"\| `([a-z0-9_/]+(?:\.py|/))` \|$", page, re.MULTILINE)
    assert len(places) > 40
    assert not [place for place in places if not (ROOT / "src/tablewright" / place).exists()]


@pytest.mark.parametrize("page", ["tour", "server", "durability"])
def test_the_architecture_names_modules_that_exist(page: str) -> None:
    text = (DOCS / f"architecture/{page}.md").read_text()
    sources = [source for folder in ("src", "systems/src", "tests") for source in (ROOT / folder).rglob("*")]
    known = {source.stem for source in sources} | {"x_view"}  # a view stands for all
    named = re.findall(r"`(?:[a-z_]+/)*([a-z]+(?:_[a-z]+)+)(?:\.py|/)?`", text)
    assert named
    assert set(named) - known == set()


def test_linked_files_are_in_the_repository() -> None:
    """A link to a file that is generated or ignored works on one machine only."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    known = set(tracked.stdout.splitlines())
    for page in PAGES:
        for link in links(page):
            target = (page.parent / unquote(link).partition("#")[0]).resolve()
            name = str(target.relative_to(ROOT)) if target != ROOT else "."
            if target.is_file():
                assert name in known, f"{name_of(page)}: {link}"


def test_the_package_and_the_systems_are_described_as_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["description"].partition(":")[0].lower() in readme.lower()
    counts = re.findall(
        r"\| (\d+) \| (\d+) \| \d+ \|$", (ROOT / "systems/README.md").read_text(), re.MULTILINE
    )
    patterns, flows = (sum(map(int, column)) for column in zip(*counts, strict=True))
    assert f"{patterns} access patterns and {flows} flows" in readme


def test_no_file_cites_a_line_of_a_document_that_is_not_here() -> None:
    """The requirements of a system have numbers in its REQUIREMENTS.md; code and pages cite those."""
    folders = ("src", "systems", "tests", "docs", "benchmarks", "examples")
    suffixes = {".py", ".md", ".txt", ".toml", ".js", ".css"}
    files = [*ROOT.glob("*.md"), *(file for folder in folders for file in (ROOT / folder).rglob("*"))]
    citing = [
        name_of(file)
        for file in files
        if file.suffix in suffixes and "vendor" not in file.parts and LINE_CITATION.search(file.read_text())
    ]
    assert citing == []


def test_every_setting_of_a_pattern_has_its_section_in_the_reference() -> None:
    page = (DOCS / "reference/patterns.md").read_text()
    documented = {
        name for heading in re.findall(r"^### (.+)$", page, re.MULTILINE) for name in heading.split(", ")
    }
    assert documented == {name for name in PatternSettings.__class_vars__ if not name.startswith("_")}
