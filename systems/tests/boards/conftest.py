"""Boards in memory, on a frozen clock."""

from collections.abc import Iterator

import pytest
from tablewright_systems.registry import find
from tablewright_systems.verification import ProofContext
from tablewright_systems.verification.proof_runner import proof_context

from tablewright import Repository


@pytest.fixture
def context() -> Iterator[ProofContext]:
    system = find("boards")
    assert system is not None
    with proof_context(system) as made:
        yield made


@pytest.fixture
def db(context: ProofContext) -> Repository:
    return context.db
