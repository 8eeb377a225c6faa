"""For all tests of the console: a search or a page ends when it is complete, never because the machine is slow."""

import pytest

from tablewright.console.items import browse_pages
from tablewright.console.patterns import pattern_examples
from tablewright.console.queries import bulk_changes


@pytest.fixture(autouse=True)
def reads_end_by_count(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests at full size measure the real pages."""
    if request.node.get_closest_marker("soak") is None:
        monkeypatch.setattr(browse_pages, "MOST_SECONDS", 600.0)
        monkeypatch.setattr(pattern_examples, "SECONDS", 600.0)
        monkeypatch.setattr(bulk_changes, "STEP_SECONDS", 600.0)
