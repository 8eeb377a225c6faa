"""Sample data: of any size, and the same for the same seed."""

import pytest
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.jobs import Job
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.samples import DEMO_USER, fill
from tablewright_systems.listbackup.service import (
    hierarchy,
    invitations,
    jobs,
    memberships,
    notifications,
    sessions,
    tags,
    users,
)
from tablewright_systems.service.callers import Caller

from systems.tests.listbackup.faulty_store import faulty_store, items_of
from tablewright import Repository


@pytest.mark.parametrize("size", [2, 7, 20])
def test_samples_have_the_requested_number_of_users(db: Repository, size: int) -> None:
    fill(db, size)
    people = [item for item in items_of(db, User) if "name" in item]
    assert len(people) == size
    named = {item["accountName"]["S"] for item in items_of(db, Account)}
    assert len(named) > size // 2


def test_the_demo_user_has_data_in_every_area(db: Repository) -> None:
    fill(db)
    demo = users.own_user(db, Caller(DEMO_USER))
    caller = Caller(DEMO_USER, {"email": demo.display_email, "email_verified": True})
    account_id = str(demo.account_id)
    assert len(hierarchy.read_subtree(db, caller, account_id)) == 4
    assert len(memberships.members_of(db, caller, account_id)) == 5
    assert len(invitations.own_invitations(db, caller)) == 1
    assert len(sessions.sessions(db, caller)) == 2


def test_jobs_and_notifications_have_every_status(db: Repository) -> None:
    fill(db)
    demo = Caller(DEMO_USER)
    account_id = str(users.own_user(db, demo).account_id)
    listed = {job["status"]["S"] for job in items_of(db, Job)}
    assert listed >= {"pending", "completed", "cancelled", "failed"}
    assert len(db.all(jobs.jobs_of_account(db, demo, account_id))) >= 3
    assert len(list(tags.tags_of_account(db, demo, account_id, ResourceType.SOURCE))) == 3
    assert len(db.all(notifications.inbox(db, demo))) >= 2
    made = [source for source in items_of(db, Source) if "credentials" in source]
    assert made
    assert "sk_sample" not in str(made)


def test_the_same_seed_creates_the_same_data(db: Repository) -> None:
    fill(db, 5, seed=3)
    names = sorted(item["name"]["S"] for item in items_of(db, User) if "name" in item)
    with faulty_store() as other:
        fill(other, 5, seed=3)
        assert sorted(item["name"]["S"] for item in items_of(other, User) if "name" in item) == names
