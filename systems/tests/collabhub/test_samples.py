"""Sample data: consistent, the same for the same seed, with data for the demo user in every area."""

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessRequest, Application, Startup, Subscription
from tablewright_systems.collabhub.samples import DEMO_USER, fill
from tablewright_systems.collabhub.service import access, notifications, startups
from tablewright_systems.service import Caller

from systems.tests.collabhub.table_contents import START, assert_consistent, open_store
from tablewright import Clock, Repository


@pytest.mark.parametrize("size", [1, 20])
def test_samples_are_consistent(db: Repository, size: int) -> None:
    fill(db, size)
    contents = assert_consistent(db)
    assert len(contents.of(Startup)) == size


def test_the_demo_user_has_data_in_every_area(db: Repository) -> None:
    fill(db)
    demo = Caller(DEMO_USER)
    assert len(startups.list_of_founder(db, demo, DEMO_USER)) >= 3
    assert len(db.all(design.ConversationsOfUser(user_id=demo.user_id))) >= 3
    assert access.list_pending(db, demo).items
    assert notifications.count_unread(db, demo) > 10
    contents = assert_consistent(db)
    assert len({application.status for application in contents.of(Application)}) >= 4
    assert len({request.status for request in contents.of(AccessRequest)}) == 3
    assert len({subscription.status for subscription in contents.of(Subscription)}) >= 2


def test_the_same_seed_creates_the_same_data() -> None:
    def names(seed: int) -> list[str]:
        with open_store(Clock(start=START)) as db:
            fill(db, 5, seed)
            return sorted(startup.name for startup in assert_consistent(db).of(Startup))

    assert names(1) == names(1) != names(2)
