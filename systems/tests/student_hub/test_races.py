"""Concurrent requests: one winner, no lost updates, no duplicate messages, exact counts."""

from collections import Counter
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from tablewright_systems.service.errors import TooManyRequests
from tablewright_systems.student_hub.design import (
    Feedback,
    FeedbackOfUser,
    Progress,
    RemindersDueOn,
    UserProfile,
)
from tablewright_systems.student_hub.service.administration import erase_user
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    DeadlineDraft,
    change_deadline,
    create_deadline,
    read_deadline,
    read_deadlines,
)
from tablewright_systems.student_hub.service.feedback import LIMIT, FeedbackDraft, submit_feedback
from tablewright_systems.student_hub.service.profiles import read_dashboard, read_profile
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_step,
    reopen_step,
    start_step,
)
from tablewright_systems.student_hub.service.reminders import (
    LEASE,
    claim_reminders,
    confirm_reminder,
    release_reminder,
    send_reminders,
)

from systems.tests.student_hub.fixtures import (
    ADA,
    TODAY,
    TOMORROW,
    WORKER,
    Mailbox,
    items_of,
    note_deadline,
    run_together,
    save,
)
from tablewright import Clock, Repository

TEXTS = (
    *("firstName", "lastName", "nationality", "destinationCity", "universityName", "programName"),
    *("visaType", "packingNotes", "housingType", "localTransport", "supportNeeds", "doctorPreference"),
)


@pytest.mark.parametrize("exists", [False, True])
def test_concurrent_updates_of_different_fields_all_survive(db: Repository, exists: bool) -> None:
    if exists:
        save(db, ADA, rentCost=600)
    run_together([partial(save, db, ADA, **{name: f"my {name}"}) for name in TEXTS])
    result = read_profile(db, ADA, just_written=True)
    shown = result.model_dump(by_alias=True, include=set(UserProfile.model_fields))
    assert {name: shown[name] for name in TEXTS} == {name: f"my {name}" for name in TEXTS}
    assert result.rent_cost == (600 if exists else None)


def test_concurrent_start_and_completion_are_both_kept(db: Repository) -> None:
    for step in ("visa", "housing", "banking"):
        run_together([partial(act, db, ADA, step) for act in (start_step, complete_step) for _ in range(4)])
        result = read_step(db, ADA, step)
        assert result.completed
        assert result.started
        assert None not in (result.completed_at, result.started_at)


def test_first_completion_is_kept(db: Repository, clock: Clock) -> None:
    def complete() -> Progress:
        clock.advance(1)
        return complete_step(db, ADA, "visa")

    replies = run_together([complete] * 8)
    assert {reply.completed_at for reply in replies} == {read_step(db, ADA, "visa").completed_at}


def test_completion_has_a_time_and_reopening_has_none(db: Repository) -> None:
    complete_step(db, ADA, "visa")
    acts = [partial(act, db, ADA, "visa") for act in (complete_step, reopen_step)] * 5
    for reply in [*run_together(acts), read_step(db, ADA, "visa")]:
        assert reply.completed == (reply.completed_at is not None)


def test_repeated_deadline_is_created_once(db: Repository) -> None:
    draft = DeadlineDraft(deadline_id=uuid4(), title="Visa", due_date=TOMORROW, send_reminder=True)
    replies = run_together([lambda: create_deadline(db, ADA, draft)] * 8)
    assert read_deadlines(db, ADA) == [replies[0]]
    assert all(reply == replies[0] for reply in replies)


def test_concurrent_changes_of_a_deadline_all_survive(db: Repository) -> None:
    made = note_deadline(db)
    changes = [
        DeadlineChanges(title="Appointment"),
        DeadlineChanges(note="Bring passport"),
        DeadlineChanges(due_date=TODAY),
        DeadlineChanges(send_reminder=False),
    ]
    run_together([partial(change_deadline, db, ADA, made.deadline_id, change) for change in changes])
    result = read_deadline(db, ADA, made.deadline_id)
    assert (result.title, result.note, result.due_date) == ("Appointment", "Bring passport", TODAY)
    assert not result.send_reminder
    assert not db.all(RemindersDueOn(due_date=TODAY))
    assert not db.all(RemindersDueOn(due_date=TOMORROW))


def test_concurrent_workers_send_each_reminder_once(db: Repository) -> None:
    made = [note_deadline(db, due=day, title=f"{day} {n}") for day in (TODAY, TOMORROW) for n in range(15)]
    mailbox = Mailbox()
    tallies = run_together([lambda: send_reminders(db, WORKER, mailbox.address, mailbox.send)] * 8)
    assert Counter(title for _, title in mailbox.letters) == Counter(item.title for item in made)
    assert sum(tally.sent for tally in tallies) == len(made)
    assert send_reminders(db, WORKER, mailbox.address, mailbox.send).sent == 0


def test_concurrent_workers_claim_each_reminder_once(db: Repository) -> None:
    made = {note_deadline(db, title=str(n)).deadline_id for n in range(20)}
    claimed = [
        claim.deadline_id
        for claims in run_together([lambda: claim_reminders(db, WORKER)] * 6)
        for claim in claims
    ]
    assert sorted(claimed) == sorted(made)


def test_claim_of_a_dead_worker_expires(db: Repository, clock: Clock) -> None:
    note_deadline(db)
    (dead,) = claim_reminders(db, WORKER)
    assert claim_reminders(db, WORKER) == []
    clock.advance(LEASE.length + timedelta(seconds=1))
    (alive,) = claim_reminders(db, WORKER)
    assert alive.key == dead.key
    assert not confirm_reminder(db, WORKER, dead)
    assert not release_reminder(db, WORKER, dead)
    assert confirm_reminder(db, WORKER, alive)
    clock.advance(LEASE.length + timedelta(seconds=1))
    assert claim_reminders(db, WORKER) == []


def test_deadline_moved_during_sending_gets_a_new_reminder(db: Repository) -> None:
    made = note_deadline(db)
    (claim,) = claim_reminders(db, WORKER)
    change_deadline(db, ADA, made.deadline_id, DeadlineChanges(due_date=TODAY))
    assert not confirm_reminder(db, WORKER, claim)
    (anew,) = claim_reminders(db, WORKER)
    assert (anew.due_date, anew.key != claim.key) == (TODAY, True)


def test_deadline_deleted_during_sending_stays_deleted(db: Repository) -> None:
    made = note_deadline(db)
    (claim,) = claim_reminders(db, WORKER)
    db.delete(made)
    assert not confirm_reminder(db, WORKER, claim)
    assert read_deadlines(db, ADA) == []


def test_feedback_limit_is_exact(db: Repository) -> None:
    def say() -> Feedback | None:
        try:
            return submit_feedback(db, None, FeedbackDraft(message="Great app!"), "198.51.100.7")
        except TooManyRequests:
            return None

    replies = [reply for reply in run_together([say] * (LIMIT.most + 12)) if reply]
    assert len(replies) == len(items_of(db, "leavs-main-feedback")) == LIMIT.most
    assert len({reply.user_id for reply in replies}) == LIMIT.most
    (allowance,) = items_of(db, "leavs-main-feedback-limits")
    assert allowance["used"] == {"N": str(LIMIT.most)}


def test_data_written_during_erasure_is_erased_by_the_next_call(db: Repository) -> None:
    save(db, ADA, firstName="Ada")

    def live() -> None:
        complete_step(db, ADA, "visa")
        submit_feedback(db, ADA, FeedbackDraft(message="Still here"), "")
        note_deadline(db)

    def erase() -> None:
        erase_user(db, ADA, ADA.user_id)

    run_together([live, live, erase, erase])
    erase_user(db, ADA, ADA.user_id)
    left = read_dashboard(db, ADA)
    assert (left.profile, left.progress, left.deadlines) == (None, [], [])
    assert db.all(FeedbackOfUser(user_id=ADA.user_id)) == []
