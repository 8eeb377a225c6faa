"""For all tests of the engine: a step of a job ends after a number of rows, never because the machine is slow."""

import pytest

from tablewright.engine.core.state import row_batches


@pytest.fixture(autouse=True)
def steps_end_by_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests at full size measure the real steps."""
    if request.node.get_closest_marker("soak") is None:
        monkeypatch.setattr(row_batches, "MAX_SECONDS", 600.0)
