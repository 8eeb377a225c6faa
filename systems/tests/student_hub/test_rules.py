"""Rules of Student Hub that are not about races, each by its number in REQUIREMENTS.md."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pydantic
import pytest
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, Invalid, NotFound
from tablewright_systems.student_hub.design import (
    Deadline,
    DeadlinesDueOn,
    FeedbackById,
    FeedbackOfUser,
    ProfileDetails,
    ProfileOf,
    Progress,
    RemindersDueOn,
    UserProfile,
    design,
    profiles,
)
from tablewright_systems.student_hub.service.administration import erase_user, list_users
from tablewright_systems.student_hub.service.deadlines import (
    DeadlineChanges,
    DeadlineDraft,
    change_deadline,
    create_deadline,
    delete_deadline,
    read_deadlines,
)
from tablewright_systems.student_hub.service.feedback import (
    FeedbackDraft,
    milliseconds,
    submit_feedback,
)
from tablewright_systems.student_hub.service.profiles import ProfileChanges, read_profile
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_progress,
    reopen_step,
    start_step,
)
from tablewright_systems.student_hub.service.reminders import (
    claim_reminders,
    days_to_remind,
    deadlines_due_on,
    release_reminder,
    send_reminders,
)

from systems.tests.student_hub.fixtures import (
    ADA,
    ADMIN,
    BOB,
    START,
    TODAY,
    TOMORROW,
    WORKER,
    Mailbox,
    Recorder,
    faulty_store,
    items_of,
    note_deadline,
    save,
    stored,
)
from tablewright import Clock, Entity, Repository, connect, errors, writes

PROFILES, PROGRESS = "leavs-main-user-profiles", "leavs-main-user-progress"
DEADLINES, FEEDBACK = "leavs-main-deadlines", "leavs-main-feedback"


def put(db: Repository, table: str, **item: Any) -> None:
    """Put an item as another program would."""
    db.connection.call("PutItem", {"TableName": table, "Item": item})


def test_r1_a_transaction_spans_tables(db: Repository) -> None:
    deadline = Deadline(user_id="ada", title="Visa", due_date=TOMORROW, send_reminder=True)
    step = Progress(user_id="ada", step_key="visa", completed=False)
    with pytest.raises(errors.TransactionFailed):
        db.transact(writes.Create(deadline), writes.Create(step), writes.Check(ProfileOf(user_id="ada")))
    assert items_of(db, DEADLINES) == items_of(db, PROGRESS) == []
    save(db, ADA, firstName="Ada")
    db.transact(writes.Create(deadline), writes.Create(step), writes.Check(ProfileOf(user_id="ada")))
    assert len(items_of(db, DEADLINES)) == len(items_of(db, PROGRESS)) == 1


def test_r3_profile_of_another_user_cannot_be_written(db: Repository) -> None:
    before = save(db, BOB, firstName="Bob")
    mine = save(db, ADA, userId="bob", updatedAt="1999-01-01T00:00:00Z", firstName="Ada")
    assert (mine.user_id, mine.updated_at) == ("ada", START)
    assert read_profile(db, BOB) == before


def test_r4_completion_keeps_other_fields(db: Repository, clock: Clock) -> None:
    start_step(db, ADA, "visa")
    clock.advance(60)
    first = complete_step(db, ADA, "visa")
    clock.advance(60)
    assert complete_step(db, ADA, "visa") == first
    assert first.started_at == START
    assert reopen_step(db, ADA, "visa").completed_at is None


def test_r4_unknown_step_cannot_be_reopened(db: Repository) -> None:
    with pytest.raises(errors.DoesNotExist):
        reopen_step(db, ADA, "visa")
    assert items_of(db, PROGRESS) == []


def test_r5_missing_values_are_absent_not_null(db: Repository) -> None:
    start_step(db, ADA, "visa")
    complete_step(db, ADA, "visa")
    reopen_step(db, ADA, "visa")
    item = stored(db, PROGRESS, userId="ada", stepKey="visa")
    assert item is not None
    assert set(item) == {"userId", "stepKey", "completed", "started", "startedAt", "updatedAt"}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"firstName": ""}, {}),
        ({"firstName": None}, {}),
        ({"firstName": " \n"}, {}),
        ({"firstName": " Ada "}, {"firstName": {"S": "Ada"}}),
        ({"flightsBooked": False}, {"flightsBooked": {"BOOL": False}}),
        ({"rentCost": 0}, {"rentCost": {"N": "0"}}),
        ({"startDate": ""}, {}),
        ({"studyLevel": ""}, {}),
        ({}, {}),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_r6_values_are_cleaned(
    db: Repository, sent: dict[str, Any], kept: dict[str, Any], exists: bool
) -> None:
    if exists:
        save(db, ADA, **dict.fromkeys(sent) | {"lastName": "Byron"})
    save(db, ADA, **sent)
    item = stored(db, PROFILES, userId="ada")
    assert item is not None
    others = {"userId", "updatedAt", *(["lastName"] if exists else [])}
    assert {name: value for name, value in item.items() if name not in others} == kept


def test_r7_an_update_reads_nothing(db: Repository) -> None:
    save(db, ADA, firstName="Ada")
    recorder = Recorder(db.connection)
    watched = Repository(design, recorder, db.context)
    save(watched, ADA, lastName="Byron")
    assert recorder.calls == ["UpdateItem"]


def test_r8_deadlines_are_ordered_by_due_date(db: Repository, clock: Clock) -> None:
    for title, due in (("third", TOMORROW), ("first", TODAY), ("second", TODAY), ("fourth", TOMORROW)):
        clock.advance(1)
        note_deadline(db, due=due, title=title)
    assert [deadline.title for deadline in read_deadlines(db, ADA)] == ["first", "second", "third", "fourth"]


def test_r9_all_deadlines_of_a_day_are_found(db: Repository) -> None:
    made = {note_deadline(db, title=str(n)).deadline_id for n in range(3)}
    assert {deadline.deadline_id for deadline in db.all(DeadlinesDueOn(due_date=TOMORROW))} == made


def test_r10_a_second_run_sends_nothing(db: Repository) -> None:
    note_deadline(db, BOB, title="Rent")
    mailbox = Mailbox()
    for _ in range(3):
        send_reminders(db, WORKER, mailbox.address, mailbox.send)
    assert mailbox.letters == [("bob@example.org", "Rent")]


def test_r10_new_date_resets_the_reminder_and_new_title_does_not(db: Repository) -> None:
    made = note_deadline(db)
    mailbox = Mailbox()
    for changes in (DeadlineChanges(title="Appointment"), DeadlineChanges(due_date=TODAY)):
        send_reminders(db, WORKER, mailbox.address, mailbox.send)
        change_deadline(db, ADA, made.deadline_id, changes)
    send_reminders(db, WORKER, mailbox.address, mailbox.send)
    assert mailbox.keys == [f"{made.deadline_id}:{TOMORROW}", f"{made.deadline_id}:{TODAY}"]


def test_r10_toggling_does_not_remind_twice(db: Repository) -> None:
    made = note_deadline(db)
    mailbox = Mailbox()
    send_reminders(db, WORKER, mailbox.address, mailbox.send)
    for wish in (False, True):
        change_deadline(db, ADA, made.deadline_id, DeadlineChanges(send_reminder=wish))
    assert send_reminders(db, WORKER, mailbox.address, mailbox.send).sent == 0


def test_r10_only_the_worker_sends_reminders(db: Repository) -> None:
    note_deadline(db)
    for act in (claim_reminders, lambda db, caller: deadlines_due_on(db, caller, TOMORROW)):
        with pytest.raises(Forbidden):
            act(db, ADA)


def test_r11_reminder_index_is_sparse(db: Repository) -> None:
    quiet, loud = note_deadline(db, remind=False), note_deadline(db)
    item = stored(db, DEADLINES, userId="ada", deadlineId=quiet.deadline_id)
    assert item is not None
    assert "reminderDate" not in item
    assert [reminder.deadline_id for reminder in db.all(RemindersDueOn(due_date=TOMORROW))] == [
        loud.deadline_id
    ]


def test_r12_address_comes_from_the_identity_provider(db: Repository) -> None:
    note_deadline(db)
    mailbox = Mailbox()
    assert send_reminders(db, WORKER, lambda user: None, mailbox.send).without_address == 1
    assert send_reminders(db, WORKER, lambda user: "ada@new.example", mailbox.send).sent == 1
    assert mailbox.letters == [("ada@new.example", "Visa")]
    assert not any("mail" in name for name in UserProfile.model_fields)


def test_r12_claim_can_be_released(db: Repository) -> None:
    note_deadline(db)
    (claim,) = claim_reminders(db, WORKER)
    assert release_reminder(db, WORKER, claim)
    (again,) = claim_reminders(db, WORKER)
    assert again.key == claim.key


@pytest.mark.parametrize(
    ("now", "today"),
    [
        (datetime(2024, 2, 18, 22, 59, tzinfo=UTC), date(2024, 2, 18)),
        (datetime(2024, 2, 18, 23, 0, tzinfo=UTC), date(2024, 2, 19)),
        (datetime(2024, 7, 18, 22, 0, tzinfo=UTC), date(2024, 7, 19)),
    ],
)
def test_r13_days_are_days_in_rome(now: datetime, today: date) -> None:
    with faulty_store(Clock(now)) as db:
        assert days_to_remind(db) == (today, today + timedelta(days=1))


def test_r16_items_of_the_document_are_readable(db: Repository) -> None:
    at = {"S": "2024-02-18T10:00:00Z"}
    put(db, PROFILES, userId={"S": "abc-123-def-456"}, firstName={"S": "John"}, updatedAt=at)
    put(
        db,
        FEEDBACK,
        feedbackId={"S": "f58a9c23-4g67-5c9d-0e3f-2b3c4d5e6f7g"},
        timestamp={"N": "1708268400000"},
        userId={"S": "guest-1708268400000"},
        message={"S": "Great app!"},
        createdAt=at,
    )
    profile = db.run(ProfileOf(user_id="abc-123-def-456"))
    assert profile is not None
    assert profile.updated_at == START
    result = db.run(FeedbackById(feedback_id="f58a9c23-4g67-5c9d-0e3f-2b3c4d5e6f7g", timestamp=1708268400000))
    assert result is not None
    assert milliseconds(result.created_at) == 1708250400000 != result.timestamp


def test_r17_profile_has_47_fields() -> None:
    assert len(ProfileDetails.model_fields) == 47
    assert len(UserProfile.model_fields) == 49


def test_r19_largest_profile_is_under_10_kb(db: Repository) -> None:
    longest: dict[str, Any] = {}
    for name, info in ProfileDetails.model_fields.items():
        longest[info.alias or name] = _longest(info.annotation)
    profile = save(db, Caller("u" * 36), **longest)
    assert all(value is not None for _, value in profile)
    item = stored(db, PROFILES, userId=profile.user_id)
    reply = db.connection.call(
        "PutItem", {"TableName": PROFILES, "Item": item, "ReturnConsumedCapacity": "TOTAL"}
    )
    assert reply["ConsumedCapacity"]["CapacityUnits"] <= 10


def _longest(annotation: Any) -> Any:
    """The largest value that a field takes: found by search, so that the test does not repeat the limit."""
    candidates = ["x" * 1_000, "x" * 120, "EUR", "2031-12-31", "exploring", "exchange", 9999999.99, True]
    adapter = pydantic.TypeAdapter(annotation)
    for candidate in candidates:
        try:
            adapter.validate_python(candidate)
        except pydantic.ValidationError:
            continue
        return candidate
    raise AssertionError(f"nothing fits {annotation}")


def test_r29_on_demand_table_is_throttled_too() -> None:
    with faulty_store(partitions=True) as db:
        large = {"userId": {"S": "ada"}, "packingNotes": {"S": "x" * 390_000}}
        for _ in range(3):
            put(db, PROFILES, **large)
        with pytest.raises(errors.ProvisionedThroughputExceeded):
            put(db, PROFILES, **large)


@pytest.mark.parametrize("due", [{"N": "20240315"}, {"S": ""}, {"NULL": True}])
def test_r31_r48_indexed_due_date_is_not_empty(db: Repository, due: dict[str, Any]) -> None:
    with pytest.raises(errors.ValidationError):
        put(db, DEADLINES, userId={"S": "ada"}, deadlineId={"S": "d1"}, dueDate=due)


@pytest.mark.parametrize("due", ["", "2024-02-30", "15.03.2024", "2024-03-15T10:00:00Z", "tomorrow", None])
def test_r48_due_date_is_a_date(due: str | None) -> None:
    with pytest.raises(pydantic.ValidationError):
        DeadlineDraft.model_validate({"title": "Visa", "dueDate": due, "sendReminder": True})


def test_r32_budgets_are_read_as_text_and_as_numbers(db: Repository) -> None:
    save(db, ADA, monthlyBudget="800-1000", housingBudget=450)
    result = read_profile(db, ADA)
    assert (result.monthly_budget, result.housing_budget) == ("800-1000", Decimal(450))
    save(db, ADA, monthlyBudget=900)
    assert stored(db, PROFILES, userId="ada")["monthlyBudget"] == {"N": "900"}  # type: ignore[index]


@pytest.mark.parametrize("cost", ["NaN", "Infinity", -1, 0.001, 10**9])
def test_r32_cost_is_an_amount_of_money(cost: Any) -> None:
    with pytest.raises(pydantic.ValidationError):
        ProfileChanges.model_validate({"rentCost": cost})


def test_r35_names_without_environment_are_not_found(db: Repository) -> None:
    with pytest.raises(errors.ResourceNotFound, match="Requested resource not found"):
        db.connection.call("GetItem", {"TableName": "user-profiles", "Key": {"userId": {"S": "ada"}}})


def test_r36_unknown_field_is_rejected() -> None:
    with pytest.raises(pydantic.ValidationError, match="university"):
        ProfileChanges.model_validate({"university": "Bocconi"})


def test_r37_environment_variable_names_each_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_PROFILE_TABLE_NAME", "my-profiles")
    assert profiles.physical_name("main") == "my-profiles"
    assert [table.variable for table in design.tables] == [
        "USER_PROFILE_TABLE_NAME",
        "USER_PROGRESS_TABLE_NAME",
        "DEADLINES_TABLE_NAME",
        "FEEDBACK_TABLE_NAME",
        "FEEDBACK_LIMITS_TABLE_NAME",
    ]


def test_r40_steps_are_in_natural_order(db: Repository) -> None:
    keys = [
        "codice-fiscale",
        "onboarding-1",
        "onboarding-2",
        "onboarding-3",
        "onboarding-3.5",
        "onboarding-10",
    ]
    for key in reversed(keys):
        start_step(db, ADA, key)
    assert [step.step_key for step in read_progress(db, ADA)] == keys


@pytest.mark.parametrize("key", ["", "Visa", "visa#1", "visa/..", "-visa", "v" * 65])
def test_r40_step_keys_have_a_format(db: Repository, key: str) -> None:
    with pytest.raises(pydantic.ValidationError):
        start_step(db, ADA, key)


def test_r46_administrators_see_only_identifying_fields(db: Repository) -> None:
    save(db, ADA, firstName="Ada", passportExpiry="2031-01-01", healthCoverage="none", nationality="British")
    (user,) = list_users(db, ADMIN)
    assert "British" not in str(user)
    with pytest.raises(Forbidden):
        list_users(db, ADA)


def test_r46_user_of_any_size_is_deleted(db: Repository) -> None:
    save(db, ADA, firstName="Ada")
    db.batch(
        writes.Put(Progress(user_id="ada", step_key=f"step-{number}", completed=True))
        for number in range(130)
    )
    note_deadline(db)
    submit_feedback(db, ADA, FeedbackDraft(message="Great app!"), "")
    kept = save(db, BOB, firstName="Bob")
    erased = erase_user(db, ADMIN, "ada")
    assert (erased.profiles, erased.steps, erased.deadlines, erased.feedback) == (1, 130, 1, 1)
    assert items_of(db, PROGRESS) == items_of(db, DEADLINES) == items_of(db, FEEDBACK) == []
    assert db.all(FeedbackOfUser(user_id="ada")) == []
    assert read_profile(db, BOB) == kept
    with pytest.raises(Forbidden):
        erase_user(db, ADA, "bob")


def test_r47_create_never_overwrites(db: Repository) -> None:
    made = note_deadline(db, title="Visa")
    other = DeadlineDraft.model_validate(
        {"deadlineId": made.deadline_id, "title": "Other", "dueDate": TODAY, "sendReminder": False}
    )
    with pytest.raises(errors.AlreadyExists):
        create_deadline(db, ADA, other)
    assert read_deadlines(db, ADA) == [made]


def test_r47_update_never_creates(db: Repository) -> None:
    with pytest.raises(NotFound):
        change_deadline(db, ADA, "none", DeadlineChanges(title="Missing"))
    with pytest.raises(NotFound):
        delete_deadline(db, ADA, "none")
    assert items_of(db, DEADLINES) == []


@pytest.mark.parametrize("field", ["title", "dueDate", "sendReminder"])
def test_r47_required_fields_cannot_be_removed(db: Repository, field: str) -> None:
    made = note_deadline(db)
    with pytest.raises(Invalid) as error:
        change_deadline(db, ADA, made.deadline_id, DeadlineChanges.model_validate({field: None}))
    assert error.value.field == field


@pytest.mark.parametrize("entity", [UserProfile, Progress])
def test_r50_creation_time_is_not_invented(entity: type[Entity]) -> None:
    assert "created_at" not in entity.model_fields


def test_r53_environments_with_a_common_prefix_are_separate(db: Repository) -> None:
    other = connect(design, db.connection, environment="main-2", create=True)
    save(other, ADA, firstName="Ada")
    names = db.connection.call("ListTables", {})["TableNames"]
    ours = {table.physical_name("main") for table in design.tables}
    assert len([name for name in names if name.startswith("leavs-main-")]) == 10
    assert len([name for name in names if name in ours]) == 5
    assert items_of(db, PROFILES) == []
