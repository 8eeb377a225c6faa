"""Proofs about profiles and the dashboard."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import pydantic

from tablewright import Entity, Get, errors, fields, migrations
from tablewright_systems.service import NotFound
from tablewright_systems.student_hub.design import (
    ProfileDetails,
    ProfileJustWritten,
    ProfileOf,
    ProgressOf,
    StepOf,
    StepsOf,
    profiles,
    progress,
)
from tablewright_systems.student_hub.migrations import MONTHLY_BUDGET
from tablewright_systems.student_hub.proofs import document_rows
from tablewright_systems.student_hub.proofs.fixtures import (
    COMMON_STEPS,
    everything_in,
    named,
    own_tables,
    save,
    student,
    units,
)
from tablewright_systems.student_hub.service.profiles import gather_dashboard, read_dashboard, read_profile
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_progress,
    read_step,
    reopen_step,
    start_step,
)
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")


@PROOFS("A1")
def get_user_profile(context: ProofContext) -> None:
    """Get user profile."""
    ada = context.caller()
    saved = save(context.db, ada, firstName="Ada", studyLevel="master", rentCost=600)
    with context.measured():
        stored = context.db.run(ProfileOf(user_id=ada.user_id))
    assert stored == saved
    expect_error(NotFound, lambda: read_profile(context.db, context.caller()))
    john = context.caller()
    document_rows.put(context.db, document_rows.PROFILE, userId=john.user_id, studyLevel="diploma")
    printed = read_profile(context.db, john, just_written=True)
    assert (printed.last_name, printed.study_level) == ("Doe", "diploma")


@PROOFS("A2")
def update_user_profile(context: ProofContext) -> None:
    """Update user profile: new fields are merged into the existing ones."""
    john = context.caller()
    save(context.db, john, firstName="John", lastName="Doe")
    context.clock.advance(1)
    with context.measured():
        save(context.db, john, universityName="Bocconi University")
    stored = read_profile(context.db, john, just_written=True)
    assert (stored.first_name, stored.last_name, stored.university_name) == (
        "John",
        "Doe",
        "Bocconi University",
    )
    assert stored.updated_at == context.db.now()
    document_rows.put(context.db, document_rows.PROFILE, userId=john.user_id, studyLevel="diploma")
    expect_error(pydantic.ValidationError, lambda: save(context.db, john, studyLevel="diploma"))
    assert save(context.db, john, studyLevel="master").study_level == "master"


@PROOFS("A9")
def full_user_data_fetch(context: ProofContext) -> None:
    """The dashboard: profile, progress and deadlines together."""
    ada = student(context)
    with context.measured():
        seen = read_dashboard(context.db, ada)
    assert seen.profile is not None
    assert seen.profile.user_id == ada.user_id
    assert [step.step_key for step in seen.progress] == [
        *("banking", "housing", "onboarding-1", "onboarding-2", "onboarding-3.5", "visa")
    ]
    assert [deadline.title for deadline in seen.deadlines] == ["Application", "Visa Appointment"]
    assert asyncio.run(gather_dashboard(context.db, ada)) == seen
    john = context.caller()
    for row in document_rows.ROWS[:3]:
        document_rows.put(context.db, row, userId=john.user_id)
    printed = read_dashboard(context.db, john)
    assert printed.profile is not None
    assert (len(printed.progress), len(printed.deadlines)) == (1, 1)


@PROOFS("A10")
def update_multiple_fields(context: ProofContext) -> None:
    """Update multiple fields of a profile at once."""
    ada = context.caller()
    sent = {
        "admissionStatus": "accepted",
        "destinationCity": "Milan",
        "rentCost": 600.5,
        "startDate": "2031-09-01",
    }
    save(context.db, ada, firstName="Ada")
    with context.measured():
        saved = save(context.db, ada, **sent, flightsBooked=True)
    shown = saved.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert shown == {
        **sent,
        "flightsBooked": True,
        "firstName": "Ada",
        "userId": ada.user_id,
        "updatedAt": shown["updatedAt"],
    }


@PROOFS("A16")
def strongly_consistent_read(context: ProofContext) -> None:
    """Read a profile back right after it was written."""
    ada = context.caller()
    for name in ("Ada", "Augusta"):
        saved = save(context.db, ada, firstName=name)
        with context.measured():
            stored = read_profile(context.db, ada, just_written=True)
        assert stored == saved


@PROOFS("F1")
def merge_and_clean(context: ProofContext) -> None:
    """Merge and clean: null and empty texts are removed, false and zero stay, the update time is set."""
    ada = context.caller()
    save(context.db, ada, firstName="Ada", lastName="Byron", nationality="British", packingNotes="wool")
    context.clock.advance(timedelta(seconds=1))
    with context.measured():
        save(
            context.db, ada, lastName=None, nationality="", packingNotes="  ", flightsBooked=False, rentCost=0
        )
    stored = read_profile(context.db, ada, just_written=True)
    kept = {name: value for name, value in stored if value is not None}
    assert kept == {
        "user_id": ada.user_id,
        "first_name": "Ada",
        "flights_booked": False,
        "rent_cost": Decimal(0),
        "updated_at": context.db.now(),
    }
    bob = save(context.db, context.caller(), firstName="Bob")
    save(context.db, ada, userId=bob.user_id, firstName="Eve")
    assert context.db.run(ProfileJustWritten(user_id=bob.user_id)) == bob
    unknown = expect_error(pydantic.ValidationError, lambda: save(context.db, ada, university="Bocconi"))
    assert unknown.errors()[0]["loc"] == ("university",)


class ProfileOfNextYear(Entity, ProfileDetails, table=profiles):
    """The profile of a later release."""

    user_id: str
    phone_number: str | None = None
    updated_at: fields.Timestamp = fields.touched()


class NextProfileOf(Get[ProfileOfNextYear]):
    """Get a profile, with its new field."""

    user_id: str
    consistent = True


@PROOFS("F5")
def add_a_field_without_migration(context: ProofContext) -> None:
    """A new field needs no migration: old items lack it, and old code keeps it."""
    ada = context.caller()
    save(context.db, ada, firstName="Ada")
    with context.measured():
        stored = context.db.run(NextProfileOf(user_id=ada.user_id))
        assert stored is not None
        assert stored.phone_number is None
        context.db.update(stored, set={"phone_number": "+39 02 1234"})
        save(context.db, ada, firstName="Augusta")
    after = context.db.run(NextProfileOf(user_id=ada.user_id))
    assert after is not None
    assert (after.first_name, after.phone_number) == ("Augusta", "+39 02 1234")
    expect_error(pydantic.ValidationError, lambda: save(context.db, ada, phoneNumber="+39 02 1234"))


BUDGETS = {
    "900": {"N": "900"},
    "1,200": {"N": "1200"},
    "1.234,56": {"N": "1234.56"},
    "EUR 950": {"N": "950"},
}
"""Budgets as students typed them, and what the migration stores."""
UNCLEAR = {
    "800-1000": "monthlyBudget: '800-1000' is not one amount",
    "1.200.50": "monthlyBudget: '1.200.50' is not one amount",
    "$900": "monthlyBudget: $ is the sign of several currencies, and budgetCurrency is not set",
    "GBP 900": "monthlyBudget: the amount is in GBP, but budgetCurrency is EUR",
}
"""Budgets that are left as they are, for a person to clarify, and why."""


@PROOFS("F6")
def change_the_type_of_a_field(context: ProofContext) -> None:
    """A budget becomes a number: the migration converts each amount and reports what is none; both formats are read."""
    with own_tables(context) as db:
        for typed in (*BUDGETS, *UNCLEAR):
            currency = {"budgetCurrency": "EUR"} if typed[:3].isalpha() else {}
            document_rows.put(db, document_rows.PROFILE, userId=typed, monthlyBudget=typed, **currency)
        save(db, context.caller("number"), monthlyBudget=700)
        with context.measured():
            expect_error(errors.MigrationIncomplete, lambda: migrations.migrate(db))
        stored = {
            item["userId"]["S"]: item for item in everything_in(context, db.context.table_name(profiles))
        }
        expected = {**BUDGETS, **{typed: {"S": typed} for typed in UNCLEAR}, "number": {"N": "700"}}
        assert {user: item["monthlyBudget"] for user, item in stored.items()} == expected
        assert all(stored[typed]["lastName"] == {"S": "Doe"} for typed in BUDGETS)
        (rejects,) = migrations.rejects(db, MONTHLY_BUDGET.name).values()
        assert {reject.reason for reject in rejects} == set(UNCLEAR.values())
        assert read_profile(db, context.caller("1,200")).monthly_budget == Decimal(1200)
        for typed in UNCLEAR:
            assert read_profile(db, context.caller(typed)).monthly_budget == typed
            save(db, context.caller(typed), monthlyBudget="1000")
        assert migrations.retry(db, MONTHLY_BUDGET.name) == {}
        assert read_profile(db, context.caller("$900"), just_written=True).monthly_budget == Decimal(1000)
        migrations.migrate(db)
        assert {state.status for state in migrations.status(db)} == {"applied"}


@PROOFS("F14")
def keep_items_small(context: ProofContext) -> None:
    """Long texts are rejected by field; items over 400 KB are rejected by the store."""
    ada = context.caller()
    too_long = expect_error(pydantic.ValidationError, lambda: save(context.db, ada, packingNotes="x" * 1_001))
    assert too_long.errors()[0]["loc"] == ("packingNotes",)
    item = {"userId": {"S": ada.user_id}, "packingNotes": {"S": "x" * 400 * 1024}}
    request = {"TableName": named(context, profiles), "Item": item}
    with context.measured():
        too_large = expect_error(
            errors.ValidationError, lambda: context.db.connection.call("PutItem", request)
        )
    assert "Item size has exceeded the maximum allowed size" in too_large.message


@PROOFS("A3")
def get_all_user_progress(context: ProofContext) -> None:
    """Get all user progress."""
    ada = student(context)
    with context.measured():
        steps = read_progress(context.db, ada)
    assert {step.step_key for step in steps} == set(COMMON_STEPS)
    assert [step.step_key for step in steps if step.completed] == ["visa"]


@PROOFS("A4")
def mark_step_as_completed(context: ProofContext) -> None:
    """Mark a step as completed; repeating it changes nothing."""
    ada = context.caller()
    with context.measured():
        done = complete_step(context.db, ada, "visa")
    assert (done.completed, done.completed_at) == (True, context.db.now())
    context.clock.advance(60)
    assert complete_step(context.db, ada, "visa") == done
    expect_error(pydantic.ValidationError, lambda: complete_step(context.db, ada, "Visa!"))


@PROOFS("A8")
def get_one_step(context: ProofContext) -> None:
    """Get one step of a user."""
    ada = student(context)
    with context.measured():
        step = context.db.run(StepOf(user_id=ada.user_id, step_key="visa"))
    assert step is not None
    assert step.completed
    expect_error(NotFound, lambda: read_step(context.db, ada, "insurance"))
    expect_error(NotFound, lambda: read_step(context.db, context.caller(), "visa"))


@PROOFS("A11")
def batch_get_steps(context: ProofContext) -> None:
    """Get some steps of a user in one batch."""
    ada = student(context)
    with context.measured():
        steps = context.db.run(StepsOf(user_id=ada.user_id, step_key=["visa", "housing", "insurance"]))
    assert {step.step_key for step in steps} == {"visa", "housing"}


@PROOFS("A21")
def start_a_step(context: ProofContext) -> None:
    """Start a step; completing it later keeps its start time."""
    ada = context.caller()
    with context.measured():
        begun = start_step(context.db, ada, "housing")
    assert (begun.started, begun.started_at, begun.completed) == (True, context.db.now(), False)
    context.clock.advance(60)
    assert start_step(context.db, ada, "housing") == begun
    done = complete_step(context.db, ada, "housing")
    assert (done.started_at, done.completed_at) == (begun.started_at, context.db.now())


@PROOFS("A22")
def uncomplete_a_step(context: ProofContext) -> None:
    """Reopen a step: its completion time is removed, its start time stays."""
    ada = context.caller()
    begun = start_step(context.db, ada, "banking")
    complete_step(context.db, ada, "banking")
    with context.measured():
        reopened = reopen_step(context.db, ada, "banking")
    assert (reopened.completed, reopened.completed_at) == (False, None)
    assert reopened.started_at == begun.started_at
    assert read_step(context.db, ada, "banking") == reopened
    expect_error(errors.DoesNotExist, lambda: reopen_step(context.db, ada, "insurance"))


@PROOFS("F13")
def one_query_instead_of_many_gets(context: ProofContext) -> None:
    """Read many steps with one query: fewer requests than gets, and no more capacity than a batch of three."""
    ada = student(context)
    keys = ["visa", "housing", "banking"]
    batch = units(context, lambda: context.db.run(StepsOf(user_id=ada.user_id, step_key=keys)))
    query = units(context, lambda: context.db.all(ProgressOf(user_id=ada.user_id)))
    assert context.measurement.operations == ["BatchGetItem", "Query"]
    assert query <= batch
    too_many = [f"step-{number}" for number in range(101)]
    request = {"Keys": [{"userId": {"S": ada.user_id}, "stepKey": {"S": key}} for key in too_many]}
    batch_get = {"RequestItems": {named(context, progress): request}}
    expect_error(errors.ValidationError, lambda: context.db.connection.call("BatchGetItem", batch_get))
