"""The registry knows the five systems and their parts."""

from datetime import timedelta

import pytest
from tablewright_systems.registry import SYSTEMS, System, find


def test_unknown_system_is_none() -> None:
    assert find("nowhere") is None


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
def test_system_has_its_parts(system: System) -> None:
    assert find(system.name) is system
    assert system.design.name == system.name
    assert len(system.proofs) > 30
    assert next(iter(system.people.values())).user_id == system.demo_user
    names = [job.name for job in system.jobs]
    assert names
    assert len(set(names)) == len(names)
    assert all(job.every > timedelta(0) for job in system.jobs)


def test_system_without_a_jobs_module_has_no_jobs() -> None:
    assert System("verification", "", "").jobs == ()
