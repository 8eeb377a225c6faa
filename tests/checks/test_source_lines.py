"""The lines of a design's source code that a finding is about."""

from typing import Annotated

import pytest

from tablewright.checks.findings import Finding
from tablewright.checks.source_lines import source_lines
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.tables import Table

main = Table("source-lines", key=("PK", "SK"), indexes=[Index("unused-index", "GSI1PK", "GSI1SK")])


class Author(Entity, table=main, type="AUTHOR"):
    """A writer."""

    author_id: str
    pen_name: Annotated[str, "marker"] = ""
    keys = Keys(primary=("AUTHOR#{author_id}", "PROFILE"))


design = Design("source-lines", entities=[Author])


def _line(where: str, subject: type | None = None) -> str:
    found = source_lines(design, Finding("TW000", "info", where, "...", "...", subject))
    assert found is not None
    assert found.file.name == "test_source_lines.py"
    assert found.excerpt[found.line - found.first] == found.file.read_text().splitlines()[found.line - 1]
    return found.excerpt[found.line - found.first].strip()


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("Author", 'class Author(Entity, table=main, type="AUTHOR"):'),
        ("Author.pen_name", 'pen_name: Annotated[str, "marker"] = ""'),
        ("Author.absent", 'class Author(Entity, table=main, type="AUTHOR"):'),
    ],
)
def test_a_class_or_its_field_is_found(where: str, line: str) -> None:
    assert _line(where, Author) == line


@pytest.mark.parametrize("where", ["source-lines", "source-lines.unused-index"])
def test_a_table_or_an_index_is_found_by_its_name(where: str) -> None:
    assert "Table(" in _line(where)


def test_a_class_without_source_has_no_lines() -> None:
    made = type("Made", (), {})
    assert source_lines(design, Finding("TW000", "info", "Made", "...", "...", made)) is None


def test_an_unknown_name_has_no_lines() -> None:
    unknown = "absent" + "-table"
    assert source_lines(design, Finding("TW000", "info", unknown, "...", "...")) is None
