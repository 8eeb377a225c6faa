"""Documentation: nothing of a design is left out, and nothing in it is taken for markup."""

import re

import pytest

from tablewright import Design
from tablewright.generate.diagrams import mermaid
from tablewright.generate.html import html
from tablewright.generate.markdown import markdown
from tablewright_systems.registry import SYSTEMS


@pytest.fixture(params=SYSTEMS, ids=lambda system: system.name)
def design(request: pytest.FixtureRequest) -> Design:
    found: Design = request.param.design
    return found


def test_every_table_entity_field_index_and_pattern_is_told(design: Design) -> None:
    text = markdown(design).replace("\\", "")
    page = html(design)
    names = [table.name for table in design.tables]
    names += [index.name for table in design.tables for index in table.indexes]
    names += [entity.__name__ for entity in design.entities]
    names += [name for entity in design.entities for name in entity.layout.fields]
    names += [plan.name for plan in design.plans]
    assert [name for name in names if name not in text] == []
    assert [name for name in names if name not in page] == []


def test_a_page_needs_nothing_else(design: Design) -> None:
    page = html(design)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "<script" not in page
    assert page.count("<svg") == len(design.tables)


def test_a_diagram_names_each_table_once(design: Design) -> None:
    text = mermaid(design)
    assert all(text.count(f'[("{table.name}")]') == 1 for table in design.tables)
