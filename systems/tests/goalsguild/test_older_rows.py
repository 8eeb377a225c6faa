"""Rows exactly as the document prints them: readable at once, whole after their adoption."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from tablewright_systems.goalsguild.design import design
from tablewright_systems.goalsguild.design.goals import Progress, RemindersOfUser, TasksByDueDate
from tablewright_systems.goalsguild.design.rooms import AssistThread, Member, Room
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import EmailOwner, NicknameOwner, Tier
from tablewright_systems.goalsguild.proofs.older_rows import DOCUMENT_ROWS, create_older_table, put_rows
from tablewright_systems.goalsguild.service import (
    accounts,
    adoption,
    assistance,
    goals,
    logins,
    offers,
    reminders,
    rooms,
    users,
)
from tablewright_systems.service import Adopted, Caller, Conflict, JobRun, NotFound, once
from tablewright_systems.verification import change_row

from systems.tests.goalsguild.fixtures import (
    ADMIN,
    START,
    assert_consistent,
    entities,
    items,
    of,
    token_holder,
)
from tablewright import Clock, Repository, connect, embedded
from tablewright.lifecycle.integrity.fsck import check

ADA = token_holder("ada")
COPIES = [row for row in DOCUMENT_ROWS if row["SK"].startswith("TASK#2025") or row["SK"].endswith(">")]


@pytest.fixture
def older(db: Repository) -> Repository:
    """The rows of the document, without those that the document calls optional or mistypes."""
    put_rows(db, [row for row in DOCUMENT_ROWS if row not in COPIES])
    return db


def test_rows_of_the_document_work_before_their_adoption(older: Repository) -> None:
    assert users.my_profile(older, ADA).status == "verified"
    assert users.change_profile(older, ADA, bio="x").tags == ["two words"]
    assert users.change_nickname(older, ADA, "Countess").nickname == "Countess"
    assert users.adopt_email(older, token_holder("ada", "new@example.org")).email == "new@example.org"
    assert goals.my_goal(older, ADA, "g1").status == "begun"
    assert goals.change_goal(older, ADA, "g1", title="walk").tags == ["running"]
    assert goals.change_task(older, ADA, "g1", "t1", done=True).done
    assert goals.my_milestone(older, ADA, "g1", "m1").achieved_at is None
    assert goals.reopen(older, ADA, "g1", "m1").achieved is False
    assert offers.change_offer(older, ADMIN, "o1", title="boots").title == "boots"
    accounts.delete_account(older, ADA)
    left = {item["type"]["S"] for item in items(older)}
    assert left == {"Message", "AssistMsg", "Offer", "OfferTag"}


def test_names_of_the_document_are_taken_without_locks(db: Repository) -> None:
    lower = {
        "nickname": "ada",
        "email": "ada@example.org",
        "GSI2PK": "NICK#ada",
        "GSI3PK": "EMAIL#ada@example.org",
    }
    put_rows(db, [{**DOCUMENT_ROWS[0], **lower}])
    eve = token_holder("eve")
    for caller, nickname, field in (
        (token_holder("eve", "ada@example.org"), "eve", "email"),
        (eve, "ADA", "nickname"),
    ):
        with pytest.raises(Conflict) as error:
            users.register(db, caller, nickname=nickname, full_name="Eve")
        assert error.value.field == field


def test_adoption_makes_rows_whole(db: Repository) -> None:
    put_rows(db, DOCUMENT_ROWS)
    assert {str(finding.kind) for finding in check(db).findings} == {
        "unknown item",
        "stale index keys",
        "value in another form",
        "missing lock",
        "missing copy",
        "blocked copy",
    }
    adopted = adoption.adopt(db)
    assert (adopted.rejected, adopted.added) == (0, 3)
    assert adoption.adopt(db) == Adopted()
    assert check(db).findings == []
    result = entities(db)
    assert [(member.user_id, member.role.value) for member in of(result, Member)] == [("ada", "owner")]
    assert [(progress.tasks, progress.done) for progress in of(result, Progress)] == [(1, 0)]
    assert [item.text for item in assistance.history(db, ADA, "a1")] == ["help"]
    for owner in (EmailOwner(email="ADA@example.org"), NicknameOwner(nickname="ada")):
        assert db.run(owner) == users.my_profile(db, ADA)
    logins.set_password(db, ADA, "correct horse")
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    accounts.delete_account(db, ADA)
    assert {item["type"]["S"] for item in items(db)} == {"Offer", "OfferTag", "Token"}


def test_adoption_does_not_restore_rooms_and_members(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    rooms.add_member(db, ada, room.id, "bob")
    rooms.post(db, bob, room.id, "hello")
    rooms.remove_member(db, ada, room.id, "bob")
    interrupted = rooms.create_room(db, ada, name="walkers")
    rooms.post(db, ada, interrupted.id, "hello")
    db.delete(interrupted)
    assert adoption.adopt(db).added == 0
    result = entities(db)
    assert [room.id for room in of(result, Room)] == [room.id]
    assert [member.room_id for member in of(result, Member) if member.user_id == "bob"] == []
    rooms.delete_room(db, ada, interrupted.id)


def test_adoption_rejects_two_users_of_one_address(db: Repository) -> None:
    second = {**DOCUMENT_ROWS[0], "PK": "USER#eve", "SK": "PROFILE#eve", "id": "eve", "nickname": "Eve"}
    put_rows(db, [{**row, "GSI3PK": "EMAIL#ada@example.org"} for row in (DOCUMENT_ROWS[0], second)])
    assert users.user_at(db, "ada@example.org") is None
    assert not users.is_free(db, "email", "ada@example.org")
    with pytest.raises(Conflict):
        users.register(db, token_holder("bob", "ada@example.org"), nickname="bob", full_name="Bob")
    adopted = adoption.adopt(db)
    assert adopted.rejected == 1
    owner = db.run(EmailOwner(email="ada@example.org"))
    assert owner is not None
    assert {str(finding.kind) for finding in check(db).findings} >= {"duplicate unique value"}
    other = token_holder({"ada": "eve", "eve": "ada"}[owner.id], "other@example.org")
    assert users.adopt_email(db, other).email == "other@example.org"


def test_domains_of_stored_addresses_become_ascii(db: Repository) -> None:
    row = {**DOCUMENT_ROWS[0], "email": "Ada@stra\N{LATIN SMALL LETTER SHARP S}e.de"}
    put_rows(db, [row])
    adoption.adopt(db)
    assert users.my_profile(db, ADA).email == "Ada@xn--strae-oqa.de"
    assert users.user_at(db, "ada@STRASSE.de") is None
    assert_consistent(db)


def test_job_adopts_once(db: Repository) -> None:
    put_rows(db, DOCUMENT_ROWS)
    run = JobRun(db)
    once(adoption.adopt)(run)
    assert run.position is not None
    assert len(db.all(TasksByDueDate(user_id="ada"))) == 1
    put_rows(db, [{**DOCUMENT_ROWS[6], "PK": "ROOM#r2", "roomId": "r2"}])
    once(adoption.adopt)(run)
    assert [room.id for room in of(entities(db), Room)] == ["r1"]


def test_copies_and_locks_of_the_document_do_not_block_and_do_not_stay(db: Repository) -> None:
    put_rows(db, DOCUMENT_ROWS)
    assert goals.change_task(db, ADA, "g1", "t1", title="walk").title == "walk"
    assert [task.title for task in db.all(TasksByDueDate(user_id="ada"))] == ["walk"]
    put_rows(db, DOCUMENT_ROWS)
    goals.delete_task(db, ADA, "g1", "t1")
    assert db.all(TasksByDueDate(user_id="ada")) == []
    put_rows(db, DOCUMENT_ROWS)
    accounts.delete_account(db, ADA)
    left = [item["SK"]["S"] for item in items(db) if "ada" in repr(item).lower()]
    assert [sort[:4] for sort in left] == [
        "MSG#",
        "MSG#",
    ]  # nothing says whose thread it is before the adoption


@pytest.fixture
def older_table() -> Iterator[Repository]:
    with embedded(clock=Clock(START)) as store:
        create_older_table(connect(design, store, create=False))
        yield connect(design, store, create=True)


def test_r25_indexes_are_added_one_at_a_time_and_backfilled(older_table: Repository) -> None:
    created: list[list[Any]] = []
    call = older_table.connection.call

    def record(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateTable":
            created.append(
                [update["Create"]["IndexName"] for update in request["GlobalSecondaryIndexUpdates"]]
            )
        return call(operation, request)

    put_rows(older_table, DOCUMENT_ROWS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(older_table.connection, "call", record)
        assert adoption.add_indexes(older_table) == ["GSI4", "GSI5", "GSI6"]
    assert created == [["GSI4"], ["GSI5"], ["GSI6"]]
    assert adoption.missing_indexes(older_table) == []
    assert list(offers.discover(older_table, ADA, "running")) == []  # an index finds only what has its keys
    adoption.adopt(older_table)
    assert [item.id for item in offers.discover(older_table, ADA, "running")] == ["o1"]
    assert of(entities(older_table), AssistThread)
    assert check(older_table).findings == []


def row_of(kind: str, **values: Any) -> dict[str, Any]:
    """Return the document's row of a kind, with other values."""
    result = next(row for row in DOCUMENT_ROWS if row["type"] == kind and row not in COPIES)
    return {**result, **values}


def test_values_that_the_document_does_not_define_are_readable_and_repairable(db: Repository) -> None:
    """It gives no format of days, and calls times ISO 8601, which does not require a time zone."""
    naive = "2025-01-01T10:00:00.123456"
    put_rows(db, [row_of("User", birthDate="1 May 1990", tier="team", createdAt=naive, updatedAt=naive)])
    put_rows(db, [row_of("Goal", createdAt="2025-01-01", updatedAt=naive)])
    put_rows(db, [row_of("Task", dueAt="2025-03-01", createdAt=naive, updatedAt=naive)])
    put_rows(db, [row_of("Milestone", achieved=True, achievedAt="2025-01-02", createdAt=naive)])
    seen = users.my_profile(db, ADA).model_dump(mode="json", by_alias=True)
    assert (seen["birthDate"], seen["tier"]) == ("1 May 1990", "team")
    assert seen["createdAt"] == "2025-01-01T10:00:00.123Z"
    changed = users.change_profile(db, ADA, birth_date=date(1990, 5, 1))
    assert changed.birth_date == date(1990, 5, 1)
    assert users.change_tier(db, ADMIN, "ada", Tier.PRO).tier is Tier.PRO
    assert goals.change_goal(db, ADA, "g1", title="walk").created_at.isoformat() == (
        "2025-01-01T00:00:00+00:00"
    )
    assert goals.change_task(db, ADA, "g1", "t1", title="x").due_at == datetime(2025, 3, 1, tzinfo=UTC)
    assert goals.reopen(db, ADA, "g1", "m1").achieved_at is None
    assert adoption.adopt(db).rejected == 0


def test_nickname_of_two_is_that_of_its_lock(db: Repository) -> None:
    second = {"PK": "USER#bob", "SK": "PROFILE#bob", "GSI2SK": "PROFILE#bob", "GSI3PK": "EMAIL#b@example.org"}
    ada = row_of("User", nickname="ada", GSI2PK="NICK#ada")
    put_rows(db, [ada, {**ada, **second, "id": "bob", "email": "b@example.org"}])
    with pytest.raises(NotFound):
        users.profile_by_nickname(db, "Ada")
    adopted = adoption.adopt(db)
    assert adopted.rejected == 1
    assert users.profile_by_nickname(db, "Ada").id in ("ada", "bob")


def test_account_with_unreadable_rows_is_deleted(db: Repository, ada: Caller, bob: Caller) -> None:
    """Also the parts of a goal that cannot be read; rows of others stay."""
    goal = goals.create_goal(db, ada, title="run", tags=["running"])
    goals.create_task(db, ada, goal.id, title="first", due_at=db.now())
    theirs = goals.create_goal(db, bob, title="walk")
    change_row(db, core, {"PK": "USER#ada", "SK": f"GOAL#{goal.id}"}, createdAt="once")
    put_rows(db, [row_of("Task", id="t2", SK="TASK#t2", PK=f"GOAL#{goal.id}", done="maybe")])
    put_rows(db, [row_of("Milestone", percentage="half")])
    put_rows(db, [{"PK": "USER#ada", "SK": "SETTINGS", "type": "Settings", "theme": "dark"}])
    accounts.delete_account(db, ada)
    left = {(item["PK"]["S"], item["SK"]["S"]) for item in items(db)}
    assert {key for key in left if "ada" in key[0] or goal.id in "".join(key)} == set()
    assert ("USER#bob", f"GOAL#{theirs.id}") in left


def test_unreadable_tasks_do_not_keep_others_from_their_reminders(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    due = db.now() + timedelta(hours=1)
    made = [goals.create_task(db, ada, goal.id, title="a", due_at=due) for _ in range(8)]
    for task in made[:4]:
        change_row(db, core, {"PK": f"GOAL#{goal.id}", "SK": f"TASK#{task.id}"}, title=7)
    reminders.remind_in_advance(JobRun(db))
    assert len(db.all(RemindersOfUser(user_id="ada"))) == 4


def test_unreadable_rows_do_not_keep_others_from_their_adoption(db: Repository) -> None:
    put_rows(db, DOCUMENT_ROWS)
    put_rows(db, [row_of("Task", id="t2", SK="TASK#t2", done="maybe")])
    put_rows(db, [row_of("Message", id="m2", SK="MSG#2025-01-01T10:00:00Z#m2", text=7)])
    put_rows(db, [row_of("AssistMsg", id="a2", SK="MSG#2025-01-01T10:00:00Z#a2", text=7)])
    adopted = adoption.adopt(db)
    assert (adopted.rejected, adopted.added) == (3, 3)
    assert [member.role.value for member in rooms.members(db, ADA, "r1")] == ["owner"]
