"""Mermaid flowcharts show each table, index and entity, without lines that cross."""

import re

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright import Design, Entity, Index, Keys, Table
from tablewright.generate.diagrams.mermaid import mermaid

main = Table("app-{env}", key=("PK", "SK"), indexes=[Index("by-name", "name"), Index("unused", "x")])


class User(Entity, table=main, type="USER"):
    name: str
    keys = Keys(primary=("USER#{name}", "PROFILE"))


DESIGN = Design("app", entities=[User])


def test_a_flowchart_has_a_group_for_the_table_and_each_index() -> None:
    assert mermaid(DESIGN).splitlines() == [
        "flowchart LR",
        '  subgraph t_app__env_["app-{env}: PK, SK"]',
        '    t_app__env__0[("USER#35;{name}")]',
        '    t_app__env__0 --- t_app__env__0_0["User<br/>PROFILE"]',
        "  end",
        '  subgraph t_app__env__by_name["by-name: name"]',
        '    t_app__env__by_name_0[("{name}")]',
        '    t_app__env__by_name_0 --- t_app__env__by_name_0_0["User"]',
        "  end",
        '  subgraph t_app__env__unused["unused: x"]',
        '    t_app__env__unused_none["no entities"]',
        "  end",
    ]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_lines_form_trees(system: object) -> None:
    design: Design = system.design  # type: ignore[attr-defined]
    text = mermaid(design)
    ends = re.findall(r"--- (\w+)\[", text)
    assert len(ends) == len(set(ends))
    assert text.count("subgraph") == text.count("\n  end\n")
    for line in text.splitlines():
        assert line.count('"') in (0, 2)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_each_table_is_shown_once(system: object) -> None:
    design: Design = system.design  # type: ignore[attr-defined]
    text = mermaid(design)
    assert all(text.count(f'["{table.name}: ') == 1 for table in design.tables)
