"""Sample data: data in every area, the same for the same seed, of any size."""

import pytest
from tablewright_systems.service.callers import Caller
from tablewright_systems.student_hub.design import design
from tablewright_systems.student_hub.samples import DEMO_USER, fill
from tablewright_systems.student_hub.service.administration import count_users
from tablewright_systems.student_hub.service.profiles import Dashboard, read_dashboard
from tablewright_systems.student_hub.service.reminders import claim_reminders

from systems.tests.student_hub.fixtures import ADMIN, START, WORKER, items_of
from tablewright import Clock, Repository, connect


def filled(size: int, seed: int) -> Dashboard:
    with connect(design, environment="main", clock=Clock(START)) as db:
        fill(db, size, seed)
        return read_dashboard(db, Caller(DEMO_USER))


def test_same_seed_gives_the_same_data() -> None:
    assert filled(3, 1) == filled(3, 1) != filled(3, 2)


@pytest.mark.parametrize("size", [1, 2, 60])
def test_samples_of_any_size_are_valid(db: Repository, size: int) -> None:
    fill(db, size)
    assert count_users(db, ADMIN) == size


def test_demo_user_has_data(db: Repository) -> None:
    fill(db)
    seen = read_dashboard(db, Caller(DEMO_USER))
    assert seen.profile is not None
    assert seen.profile.university_name
    assert min(len(seen.progress), len(seen.deadlines)) > 5
    assert len(items_of(db, "leavs-main-feedback")) > 4
    assert claim_reminders(db, WORKER)
