"""Job kinds: each kind has a function, and its module is loaded on demand."""

import pytest

from tablewright.engine.core.jobs.job_kinds import job_function


@pytest.mark.parametrize(
    "kind",
    [
        "backup",
        "restore",
        "export",
        "import",
        "bulk-operation",
        "expiry",
        "index",
        "index_removal",
        "removal",
    ],
)
def test_each_kind_has_a_function(kind: str) -> None:
    assert job_function(kind).__name__ == "run"
