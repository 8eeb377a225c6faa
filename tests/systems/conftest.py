"""For all systems: the actions of a race meet before their first write."""

from collections.abc import Iterator

import pytest

from tests.systems.races import meeting_before_writes


@pytest.fixture(autouse=True, scope="session")
def races_overlap() -> Iterator[None]:
    with meeting_before_writes():
        yield
