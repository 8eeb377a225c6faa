"""The page of limits shows the limits that are tested."""

from pathlib import Path

from tests.engine.limits.limits_page import page

PAGE = Path(__file__).parents[3] / "docs/reference/limits.md"


def test_the_page_is_up_to_date(update_golden: bool) -> None:
    """`pytest --update-golden` writes the page."""
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
