"""Rules of Student Hub about feedback: R14 and R15 of REQUIREMENTS.md."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pydantic
import pytest
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, Invalid, TooManyRequests
from tablewright_systems.service.paging import Paging
from tablewright_systems.student_hub.design import FeedbackAllowance, design
from tablewright_systems.student_hub.service.feedback import (
    LIMIT,
    FeedbackDraft,
    feedback_between,
    feedback_of_user,
    submit_feedback,
)

from systems.tests.student_hub.fixtures import ADA, ADMIN, BOB, START, items_of
from tablewright import Clock, Repository, errors

FEEDBACK = "leavs-main-feedback"


def say(
    db: Repository, caller: Caller | None = None, message: str = "Great app!", origin: str = "here"
) -> Any:
    return submit_feedback(db, caller, FeedbackDraft(message=message), origin)


def test_r14_feedback_is_ordered_across_months(db: Repository, clock: Clock) -> None:
    for number in range(5):
        say(db, message=str(number))
        clock.advance(timedelta(days=10))
    page = feedback_between(db, ADMIN, START, db.now(), paging=Paging(10))
    assert [item.message for item in page] == ["4", "3", "2", "1", "0"]
    assert page.cursor is None
    half = feedback_between(
        db, ADMIN, START + timedelta(days=10), START + timedelta(days=30), paging=Paging(10)
    )
    assert [item.message for item in half] == ["3", "2", "1"]


def test_r14_pages_continue_anywhere(db: Repository, clock: Clock) -> None:
    for number in range(7):
        say(db, message=str(number))
        clock.advance(timedelta(days=9))
    for limit in (1, 2, 3, 7):
        collected, cursor = [], None
        while True:
            page = feedback_between(db, ADMIN, START, db.now(), paging=Paging(limit, cursor))
            collected += [item.message for item in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert collected == ["6", "5", "4", "3", "2", "1", "0"]


@pytest.mark.parametrize("end", [datetime(1, 1, 31, tzinfo=UTC), datetime(1, 3, 1, tzinfo=UTC)])
def test_r14_range_can_start_at_the_first_date(db: Repository, end: datetime) -> None:
    assert list(feedback_between(db, ADMIN, datetime(1, 1, 1, tzinfo=UTC), end)) == []


@pytest.mark.parametrize("cursor", ["2020-01.", "2024-02.x", "", "."])
def test_r14_cursor_of_another_range_is_rejected(db: Repository, cursor: str) -> None:
    with pytest.raises(errors.BadCursor):
        feedback_between(db, ADMIN, START, START, paging=Paging(cursor=cursor))


@pytest.mark.parametrize("span", [timedelta(seconds=-1), timedelta(days=367)])
def test_r14_range_is_limited(db: Repository, span: timedelta) -> None:
    with pytest.raises(Invalid):
        feedback_between(db, ADMIN, START, START + span)


def test_r14_only_author_and_administrators_read_feedback(db: Repository) -> None:
    submitted = say(db, ADA)
    assert list(feedback_of_user(db, ADA, "ada")) == [submitted]
    with pytest.raises(Forbidden):
        feedback_of_user(db, BOB, "ada")
    with pytest.raises(Forbidden):
        feedback_between(db, ADA, START, START)


def test_r15_two_guests_at_the_same_time_stay_separate(db: Repository) -> None:
    first, second = say(db), say(db)
    assert first.timestamp == second.timestamp
    assert first.user_id != second.user_id


def test_r15_guest_cannot_choose_an_id(db: Repository) -> None:
    with pytest.raises(pydantic.ValidationError):
        FeedbackDraft.model_validate({"message": "I am Ada", "userId": "ada"})


def test_r15_limit_resets_after_an_hour(db: Repository, clock: Clock) -> None:
    for _ in range(LIMIT.most):
        say(db)
    with pytest.raises(TooManyRequests) as error:
        say(db)
    assert error.value.retry_after == 3600
    say(db, origin="elsewhere")
    say(db, ADA)
    clock.advance(error.value.retry_after)
    say(db)
    assert len(items_of(db, FEEDBACK)) == LIMIT.most + 3


def test_r15_guest_address_is_not_stored(db: Repository) -> None:
    say(db, origin="198.51.100.7")
    assert "198.51.100.7" not in str(items_of(db, "leavs-main-feedback-limits"))
    (table,) = [table for table in design.tables if table.ttl]
    assert design.entities_of(table) == (FeedbackAllowance,)
