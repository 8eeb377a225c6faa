"""Proofs about profiles and the dashboard."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import pydantic

from tablewright import Entity, Get, errors, fields
from tablewright_systems.proofs import Proofs, Stage
from tablewright_systems.student_hub.design import ProfileDetails, ProfileOf, UserProfile, profiles
from tablewright_systems.student_hub.proofs.arranging import named, refused, save, student
from tablewright_systems.student_hub.service.dashboard import gather_dashboard, read_dashboard
from tablewright_systems.student_hub.service.profiles import read_profile

PROOFS = Proofs("student_hub")


@PROOFS("A1", "002:263")
def get_user_profile(stage: Stage) -> None:
    """Get user profile."""
    ada = stage.caller()
    saved = save(stage.db, ada, firstName="Ada", studyLevel="master", rentCost=600)
    with stage.measured():
        found = stage.db.run(ProfileOf(user_id=ada.user_id))
    assert found == saved
    assert stage.db.run(ProfileOf(user_id=stage.fresh("nobody"))) is None


@PROOFS("A2", "002:279")
def update_user_profile(stage: Stage) -> None:
    """Update user profile: new fields are merged into those that are there."""
    john = stage.caller()
    save(stage.db, john, firstName="John", lastName="Doe")
    stage.clock.advance(1)
    with stage.measured():
        save(stage.db, john, universityName="Bocconi University")
    found = read_profile(stage.db, john, just_written=True)
    assert (found.first_name, found.last_name, found.university_name) == ("John", "Doe", "Bocconi University")
    assert found.updated_at == stage.db.now()


@PROOFS("A9", "002:503")
def full_user_data_fetch(stage: Stage) -> None:
    """The dashboard: profile, progress and deadlines together."""
    ada = student(stage)
    with stage.measured():
        seen = read_dashboard(stage.db, ada)
    assert seen.profile is not None
    assert seen.profile.user_id == ada.user_id
    assert [step.step_key for step in seen.progress] == [
        *("banking", "housing", "onboarding-1", "onboarding-2", "onboarding-3.5", "visa")
    ]
    assert [each.title for each in seen.deadlines] == ["Application", "Visa Appointment"]
    assert asyncio.run(gather_dashboard(stage.db, ada)) == seen


@PROOFS("A10", "002:534")
def update_multiple_fields(stage: Stage) -> None:
    """Update multiple fields of a profile at once."""
    ada = stage.caller()
    sent = {
        "admissionStatus": "accepted",
        "destinationCity": "Milan",
        "rentCost": 600.5,
        "startDate": "2031-09-01",
    }
    save(stage.db, ada, firstName="Ada")
    with stage.measured():
        saved = save(stage.db, ada, **sent, flightsBooked=True)
    shown = saved.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert shown == {
        **sent,
        "flightsBooked": True,
        "firstName": "Ada",
        "userId": ada.user_id,
        "updatedAt": shown["updatedAt"],
    }


@PROOFS("A16", "002:802")
def strongly_consistent_read(stage: Stage) -> None:
    """Read a profile back right after it was written."""
    ada = stage.caller()
    for name in ("Ada", "Augusta"):
        saved = save(stage.db, ada, firstName=name)
        with stage.measured():
            found = read_profile(stage.db, ada, just_written=True)
        assert found == saved


@PROOFS("F1", "002:540")
def merge_and_clean(stage: Stage) -> None:
    """Merge and clean: null and empty texts go, false and zero stay, the moment is stamped."""
    ada = stage.caller()
    save(stage.db, ada, firstName="Ada", lastName="Byron", nationality="British", packingNotes="wool")
    stage.clock.advance(timedelta(seconds=1))
    with stage.measured():
        save(stage.db, ada, lastName=None, nationality="", packingNotes="  ", flightsBooked=False, rentCost=0)
    found = read_profile(stage.db, ada, just_written=True)
    kept = {name: value for name, value in found if value is not None}
    assert kept == {
        "user_id": ada.user_id,
        "first_name": "Ada",
        "flights_booked": False,
        "rent_cost": Decimal(0),
        "updated_at": stage.db.now(),
    }


class ProfileOfNextYear(Entity, ProfileDetails, table=profiles):
    """A profile as a later release has it (913)."""

    user_id: str
    phone_number: str | None = None
    updated_at: fields.Timestamp = fields.touched()


class NextProfileOf(Get[ProfileOfNextYear]):
    """Get a profile, with its new field."""

    user_id: str
    consistent = True


@PROOFS("F5", "002:911")
def add_a_field_without_migration(stage: Stage) -> None:
    """A new field needs no migration: old items lack it, and old code keeps it."""
    ada = stage.caller()
    save(stage.db, ada, firstName="Ada")
    with stage.measured():
        found = stage.db.run(NextProfileOf(user_id=ada.user_id))
        assert found is not None
        assert found.phone_number is None
        stage.db.update(found, set={"phone_number": "+39 02 1234"})
        save(stage.db, ada, firstName="Augusta")
    after = stage.db.run(NextProfileOf(user_id=ada.user_id))
    assert after is not None
    assert (after.first_name, after.phone_number) == ("Augusta", "+39 02 1234")


@PROOFS("F6", "002:924")
def change_the_type_of_a_field(stage: Stage) -> None:
    """A budget becomes a number: readers take both, and each is converted only while it is what was read."""
    ada = stage.caller()
    save(stage.db, ada, monthlyBudget="900", firstName="Ada")
    read = read_profile(stage.db, ada, just_written=True)
    save(stage.db, ada, firstName="Augusta")
    is_text = UserProfile.monthly_budget == "900"
    with stage.measured():
        stage.db.update(read, set={"monthly_budget": Decimal(900)}, when=is_text)
    found = read_profile(stage.db, ada, just_written=True)
    assert (found.first_name, found.monthly_budget) == ("Augusta", Decimal(900))
    refused(
        errors.ConditionNotMet,
        lambda: stage.db.update(read, set={"monthly_budget": Decimal(900)}, when=is_text),
    )


@PROOFS("F14", "002:819")
def keep_items_small(stage: Stage) -> None:
    """What would make an item large is refused by field; 400 KB is refused by the store."""
    ada = stage.caller()
    too_long = refused(pydantic.ValidationError, lambda: save(stage.db, ada, packingNotes="x" * 1_001))
    assert too_long.errors()[0]["loc"] == ("packingNotes",)
    item = {"userId": {"S": ada.user_id}, "packingNotes": {"S": "x" * 400 * 1024}}
    request = {"TableName": named(stage, profiles), "Item": item}
    with stage.measured():
        too_large = refused(errors.ValidationError, lambda: stage.db.connection.call("PutItem", request))
    assert "Item size has exceeded the maximum allowed size" in too_large.message
