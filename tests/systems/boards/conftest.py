"""Boards in memory, on a clock that stands until it is moved."""

from collections.abc import Iterator

import pytest

from tablewright import Repository
from tablewright_systems.catalogue import find
from tablewright_systems.proofs import Stage
from tablewright_systems.stages import stage_on


@pytest.fixture
def stage() -> Iterator[Stage]:
    system = find("boards")
    assert system is not None
    with stage_on(system) as made:
        yield made


@pytest.fixture
def db(stage: Stage) -> Repository:
    return stage.db
