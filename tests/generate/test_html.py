"""The HTML page is self-contained and escapes all text."""

import re

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright import Design, Table
from tablewright.generate.html import html
from tests.generate.library import design as library


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_page_is_self_contained(system: object) -> None:
    design: Design = system.design  # type: ignore[attr-defined]
    page = html(design)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "<script" not in page
    assert page.count("<svg") == len(design.tables)


def test_text_is_escaped() -> None:
    page = html(Design("<b>&", tables=[Table("app", key="a<i>")]))
    assert "<b>" not in page
    assert "a<i>" not in page
    assert "<title>&lt;b&gt;&amp;</title>" in page


def test_every_chapter_is_linked() -> None:
    page = html(Design("d", tables=[Table("app-one", key="id")]))
    anchors = re.findall(r'href="#([^"]+)"', page)
    assert anchors
    assert [anchor for anchor in anchors if f'id="{anchor}"' not in page] == []


def test_item_collections_are_tables_with_one_partition() -> None:
    page = html(library)
    assert page.count('<table class="items">') == 3
    assert re.search(r'<td class="key" rowspan="\d+">MEMBER#<wbr>', page)
    assert re.search(r"<td><b>title</b>[A-Z]", page)
