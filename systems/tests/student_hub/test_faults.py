"""The flows on a faulty store: retried or a clear error, and never wrong data."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

import pytest
from tablewright_systems.student_hub.design import FeedbackOfUser
from tablewright_systems.student_hub.service.administration import erase_user
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    change_deadline,
    read_deadline,
    read_deadlines,
)
from tablewright_systems.student_hub.service.feedback import FeedbackDraft, submit_feedback
from tablewright_systems.student_hub.service.profiles import read_dashboard, read_profile
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_progress,
    read_steps,
    reopen_step,
    start_step,
)
from tablewright_systems.student_hub.service.reminders import LEASE, claim_reminders, send_reminders

from systems.tests.student_hub.fixtures import (
    ADA,
    START,
    TODAY,
    TOMORROW,
    WORKER,
    Mailbox,
    faulty_store,
    items_of,
    note_deadline,
    run_together,
    save,
)
from tablewright import Clock, Repository, errors

P = ParamSpec("P")
T = TypeVar("T")

BUSY = {"throttling": 0.15, "conflicts": 0.15}
BROKEN = {"internal_errors": 0.2, "conflicts": 0.1}
FAULTS = [pytest.param(BUSY, id="busy"), pytest.param(BROKEN, id="broken")]
STEPS = [f"onboarding-{number}" for number in range(1, 9)]


def retry(act: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    """Repeat a request whose outcome is unknown, as a client does."""
    while True:
        try:
            return act(*values, **named)
        except errors.OutcomeUnknown:
            continue


@pytest.mark.parametrize("faults", FAULTS)
def test_profiles_lose_no_update(faults: dict[str, Any]) -> None:
    names = ("firstName", "lastName", "nationality", "visaType", "housingType")
    with faulty_store(seed=1, **faults) as db:
        for name in names:
            retry(save, db, ADA, **{name: f"my {name}", "rentCost": 0})
        retry(save, db, ADA, visaType="")
        result = read_profile(db, ADA, just_written=True).model_dump(by_alias=True)
    assert {name: result[name] for name in names} == {
        name: None if name == "visaType" else f"my {name}" for name in names
    }


def test_stale_read_restores_no_old_value() -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=1, stale_reads=1.0, staleness=60) as db:
        save(db, ADA, firstName="Ada", lastName="Byron")
        clock.advance(120)
        save(db, ADA, lastName="Lovelace")
        assert read_profile(db, ADA).last_name == "Byron", "an eventually consistent read sees the past"
        save(db, ADA, nationality="British")
        result = read_profile(db, ADA, just_written=True)
    assert (result.first_name, result.last_name, result.nationality) == ("Ada", "Lovelace", "British")


@pytest.mark.parametrize("faults", FAULTS)
def test_progress_matches_the_requests(faults: dict[str, Any]) -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=2, **faults) as db:
        for act in (start_step, complete_step, complete_step):
            for step in STEPS[:4]:
                retry(act, db, ADA, step)
            clock.advance(60)
        retry(reopen_step, db, ADA, STEPS[0])
        steps = read_progress(db, ADA)
    assert [step.completed_at for step in steps] == [None, *[START + timedelta(seconds=60)] * 3]
    assert [step.started_at for step in steps] == [START] * 4


@pytest.mark.parametrize("faults", FAULTS)
def test_reminders_are_sent_once(faults: dict[str, Any]) -> None:
    """Parallel workers and a lagging index: reminders that the index still shows are not sent again."""
    clock = Clock(START)
    with faulty_store(clock, seed=3, index_lag=30.0, short_pages=0.5, **faults) as db:
        made = [retry(note_deadline, db, title=str(n)) for n in range(6)]
        mailbox = Mailbox()

        def a_round() -> None:
            retry(send_reminders, db, WORKER, mailbox.address, mailbox.send)

        a_round()
        assert mailbox.letters == [], "the index does not contain them yet"
        for attempt in range(4):  # the index has caught up in the second round
            clock.advance(20)
            run_together([a_round] * 3, must_overlap=attempt == 1)
        clock.advance(LEASE.length * 2)
        a_round()
    assert Counter(title for _, title in mailbox.letters) == Counter(item.title for item in made)


def test_retried_message_has_the_same_key() -> None:
    clock, mailbox = Clock(START), Mailbox()
    with faulty_store(clock, seed=4) as db:
        note_deadline(db)

        def lost(address: str, reminder: Any) -> None:
            mailbox.send(address, reminder)
            raise TimeoutError("sent, perhaps")

        assert send_reminders(db, WORKER, mailbox.address, lost).failed == 1
        assert send_reminders(db, WORKER, mailbox.address, mailbox.send).sent == 1
        assert send_reminders(db, WORKER, mailbox.address, mailbox.send).sent == 0
    assert len(mailbox.keys) == 2
    assert len(set(mailbox.keys)) == 1


def test_deadline_missed_by_the_index_is_found_the_next_day() -> None:
    """The index lacks a new deadline; the job reads two days, so its next run finds the deadline."""
    clock = Clock(START)
    with faulty_store(clock, seed=5, index_lag=30.0) as db:
        note_deadline(db)
        assert claim_reminders(db, WORKER) == []
        clock.advance(timedelta(days=1))
        (reminder,) = claim_reminders(db, WORKER)
    assert reminder.due_date == TOMORROW


@pytest.mark.parametrize("faults", FAULTS)
def test_moved_deadline_is_found_on_its_new_day_only(faults: dict[str, Any]) -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=6, index_lag=5.0, **faults) as db:
        made = retry(note_deadline, db)
        clock.advance(10)
        retry(change_deadline, db, ADA, made.deadline_id, DeadlineChanges(due_date=TODAY))
        result = read_deadline(db, ADA, made.deadline_id)
        stale = retry(claim_reminders, db, WORKER)
        clock.advance(10)
        (reminder,) = retry(claim_reminders, db, WORKER)
    assert result.due_date == TODAY
    assert stale == [], "the index still shows the old day, and the table knows better"
    assert reminder.due_date == TODAY


@pytest.mark.parametrize("faults", FAULTS)
def test_feedback_count_matches_stored_feedback(faults: dict[str, Any]) -> None:
    with faulty_store(seed=7, **faults) as db:
        for _ in range(8):
            submit_feedback(db, None, FeedbackDraft(message="Great app!"), "198.51.100.7")
        assert counted(db) == (8, 8)


def counted(db: Repository) -> tuple[int, int]:
    """The number of stored feedback items, and the counter; retried, because faults fail the test's own reads too."""
    while True:
        try:
            (allowance,) = items_of(db, "leavs-main-feedback-limits")
            return len(items_of(db, "leavs-main-feedback")), int(allowance["used"]["N"])
        except (errors.ProvisionedThroughputExceeded, errors.InternalFailure):
            continue


def test_dashboard_is_complete_with_short_pages() -> None:
    with faulty_store(seed=8, short_pages=0.8, throttling=0.1) as db:
        save(db, ADA, firstName="Ada")
        for step in STEPS:
            complete_step(db, ADA, step)
        made = [note_deadline(db, title=str(n)) for n in range(7)]
        seen = read_dashboard(db, ADA)
    assert [step.step_key for step in seen.progress] == STEPS
    assert {deadline.deadline_id for deadline in seen.deadlines} == {item.deadline_id for item in made}


def test_batch_is_complete_with_unprocessed_keys() -> None:
    with faulty_store(seed=9, unprocessed=0.5) as db:
        for step in STEPS:
            complete_step(db, ADA, step)
        result = read_steps(db, ADA, STEPS)
    assert {step.step_key for step in result} == set(STEPS)


def test_second_erasure_deletes_what_the_index_missed() -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=10, index_lag=5.0, stale_reads=1.0, staleness=60, **BUSY) as db:
        save(db, ADA, firstName="Ada")
        complete_step(db, ADA, "visa")
        note_deadline(db)
        submit_feedback(db, ADA, FeedbackDraft(message="Great app!"), "")
        first = erase_user(db, ADA, ADA.user_id)
        clock.advance(100)
        second = erase_user(db, ADA, ADA.user_id)
        clock.advance(100)
        left = (read_dashboard(db, ADA), read_deadlines(db, ADA), db.all(FeedbackOfUser(user_id=ADA.user_id)))
    assert (first.profiles, first.steps, first.deadlines, first.feedback) == (1, 1, 1, 0)
    assert (second.profiles, second.steps, second.deadlines, second.feedback) == (0, 0, 0, 1)
    assert (left[0].profile, left[0].progress, left[1], left[2]) == (None, [], [], [])
