"""Diagrams show each table, index and entity once."""

import pytest

from tablewright import Design, Entity, Index, Keys, Table
from tablewright.generate.diagrams import mermaid, svg
from tablewright_systems.registry import SYSTEMS

main = Table("app-{env}", key="PK", indexes=[Index("by-name", "name")])


class User(Entity, table=main, type="USER"):
    name: str
    keys = Keys(primary="USER#{name}" + "x" * 60)


DESIGN = Design("app", entities=[User])


def test_a_flowchart_links_entities_tables_and_indexes() -> None:
    assert mermaid(DESIGN).splitlines() == [
        "flowchart LR",
        '  t_app__env_[("app-{env}")]',
        '  t_app__env__by_name[/"by-name"/]',
        "  t_app__env_ --- t_app__env__by_name",
        '  e_User["User"] --> t_app__env_',
        "  e_User -.-> t_app__env__by_name",
    ]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_each_table_is_shown_once(system: object) -> None:
    design: Design = system.design  # type: ignore[attr-defined]
    text = mermaid(design)
    assert all(text.count(f'[("{table.name}")]') == 1 for table in design.tables)


def test_a_picture_has_a_box_for_each_part_and_a_line_for_each_key() -> None:
    picture = svg(DESIGN, main)
    assert picture.count("<rect") == 3
    assert picture.count("<path") == 2
    assert "…" in picture
