"""Markdown documents escape markup in names."""

from tablewright import Design, Table
from tablewright.generate.markdown import markdown


def test_markup_is_escaped() -> None:
    text = markdown(Design("my_app *new*", tables=[Table("app", key="a|b")], suppress={"TW1": "a | <b>"}))
    assert text.startswith("# my\\_app \\*new\\*\n")
    assert "a \\| \\<b\\>" in text
    assert "a\\|b" in text


def test_tables_have_a_diagram() -> None:
    text = markdown(Design("d", tables=[Table("one", key="id"), Table("two", key="id")]))
    assert text.count("```mermaid\nflowchart LR\n") == 2
    assert text.index("## Table one") < text.index("## Table two") < text.index("## Access patterns")
