"""Student Hub's migrations with concurrent writers (F6, R32): no update is lost, no text is misread."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from tablewright_systems.student_hub.design import (
    DeadlinesDueOn,
    ProfileJustWritten,
    RemindersDueOn,
    UserProfile,
    design,
)
from tablewright_systems.student_hub.migrations import amount

from tablewright import Design, Entity, Repository, Table, connect, migrations
from tablewright.access.procedures import run_sync
from tablewright.lifecycle.deploy.deployment import deploy, fill_index, plan_of
from tablewright.lifecycle.integrity.fsck import check
from tests.lifecycle.conftest import endpoint as endpoint
from tests.lifecycle.conftest import store as store
from tests.lifecycle.stores import Killed, Mortal, Store, writers

MONTHLY = "2026-03-monthly-budget-as-number"


@pytest.fixture
def db(store: Store) -> Repository:
    return store.open(design, environment="main")


def typed(db: Repository, user: str, **attributes: str) -> None:
    """A profile as the old program wrote it."""
    item = {"userId": user, "updatedAt": "2026-01-01T00:00:00.000Z", **attributes}
    stored = {name: {"S": value} for name, value in item.items()}
    db.connection.call(
        "PutItem", {"TableName": db.context.table_name(UserProfile.layout.table), "Item": stored}
    )


def migrated(db: Repository, store: Store, **options: Any) -> dict[str, migrations.Result]:
    options = {"allow_incomplete": True, **options}
    results = migrations.migrate(db, pause=store.clock.advance, **options)
    return {result.migration.name: result for result in results}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("900", "900"),
        (" 900 ", "900"),
        ("900.5", "900.5"),
        ("900,50", "900.50"),
        ("1,200", "1200"),
        ("1.200", "1200"),
        ("1'200", "1200"),
        ("1 200", "1200"),
        ("1,234,567.89", "1234567.89"),
        ("1.234.567,89", "1234567.89"),
        ("€900", "900"),
        ("900 €", "900"),
        ("EUR 1.200,00", "1200.00"),
    ],
)
def test_amounts_are_parsed(text: str, value: str) -> None:
    assert amount(text)[0] == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "about 900",
        "800-1000",
        "-5",
        "1,2,3",
        "12.345.67",
        "0,123",
        "1,20,000",
        "€900€",
        "900 per week",
        "٣",
    ],
)
def test_ambiguous_amounts_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="is not one amount"):
        amount(text)


def test_budgets_become_numbers_and_failures_are_reported(db: Repository, store: Store) -> None:
    typed(db, "ada", monthlyBudget="€1.200,50", housingBudget="450")
    typed(db, "bob", monthlyBudget="800-1000")
    typed(db, "eve", monthlyBudget="900 EUR", budgetCurrency="USD")
    typed(db, "joe", firstName="Joe")
    rehearsal = migrated(db, store, dry_run=True)[MONTHLY]
    done = migrated(db, store)
    assert rehearsal.tally == done[MONTHLY].tally
    assert {(reject.key["userId"]["S"], reject.reason) for reject in done[MONTHLY].rejects} == {
        ("bob", "monthlyBudget: '800-1000' is not one amount"),
        ("eve", "monthlyBudget: the amount is in EUR, but budgetCurrency is USD"),
    }
    ada = db.run(ProfileJustWritten(user_id="ada"))
    assert ada
    assert (ada.monthly_budget, ada.housing_budget) == (Decimal("1200.50"), Decimal(450))
    assert ada.budget_currency == "EUR"
    assert ada.updated_at.year == 2026
    db.update(ProfileJustWritten(user_id="bob"), set={"monthly_budget": "900"})
    assert list(migrations.retry(db)) == [MONTHLY]
    assert len(migrations.rejects(db)[MONTHLY]) == 1


def test_migration_is_reversible(db: Repository, store: Store) -> None:
    typed(db, "ada", monthlyBudget="900", housingBudget="450")
    migrated(db, store)
    migrated(db, store, down=True, to="2026-03-due-dates-are-dates")
    ada = db.run(ProfileJustWritten(user_id="ada"))
    assert ada
    assert (ada.monthly_budget, ada.housing_budget) == ("900", "450")


def test_interrupted_migration_loses_no_concurrent_edit(db: Repository, store: Store) -> None:
    for number in range(12):
        typed(db, f"u{number:02}", monthlyBudget=str(900 + number))
    notes = [0] * 12

    def annotate(number: int) -> None:
        notes[number % 12] = number
        db.update(ProfileJustWritten(user_id=f"u{number % 12:02}"), set={"packing_notes": f"note {number}"})

    def reconsider(number: int) -> None:
        db.update(ProfileJustWritten(user_id=f"u{number % 6:02}"), set={"monthly_budget": Decimal(5000)})

    with writers(annotate, reconsider) as concurrent:
        concurrent.wait_for(12)
        deaths = 0
        while True:
            mortal = Mortal(store.connection, 25 + 15 * deaths)
            dying = Store(mortal, store.prefix, store.clock)
            try:
                migrated(_opened(dying), store, on_progress=lambda *_: concurrent.wait_for())
                break
            except Killed:
                deaths += 1
    assert deaths > 1
    for number in range(12):
        stored = db.run(ProfileJustWritten(user_id=f"u{number:02}"))
        assert stored
        assert stored.monthly_budget == (Decimal(5000) if number < 6 else Decimal(900 + number))
        assert stored.packing_notes == f"note {notes[number]}"


def _opened(store: Store) -> Repository:
    return connect(
        design, store.connection, prefix=store.prefix, environment="main", create=False, clock=store.clock
    )


deadlines_before = Table("leavs-{env}-deadlines", key=("userId", "deadlineId"))


class OldDeadline(Entity, table=deadlines_before):
    """A deadline before there was an index."""

    user_id: str
    deadline_id: str
    title: str
    due_date: str
    send_reminder: bool


def test_due_date_index_is_added_during_writes(store: Store) -> None:
    before = store.open(Design("before", entities=[OldDeadline]), environment="main")
    for number in range(30):
        before.put(old(number, f"2026-03-{1 + number % 5:02}"))
    before.put(old(98, "2026-03-01T09:00:00Z"))
    before.put(old(99, "soon"))
    written: list[str] = []

    def write(number: int) -> None:
        name = f"live-{number % 10}"
        before.put(old(0, "2026-03-03", deadline_id=name))
        written.append(name)

    after = _opened(store)
    with writers(write) as concurrent:
        concurrent.wait_for(10)
        _deploy(after)
    after = store.open(design, environment="main")
    results = migrated(after, store, to="2026-03-due-dates-are-dates")
    (reject,) = results["2026-03-due-dates-are-dates"].rejects
    assert reject.reason == "dueDate: 'soon' is not a date"
    _assert_indexed(after, store)
    # What the old program wrote while the attributes were filled in has none for reminders; a check finds it.
    check(after, repair=True, pause=store.clock.advance)
    report = check(after, pause=store.clock.advance)
    assert [str(finding.kind) for finding in report.findings] == ["unknown item"]
    reminded = {reminder.deadline_id for reminder in after.all(RemindersDueOn(due_date=date(2026, 3, 3)))}
    assert set(written) <= reminded


def old(number: int, due: str, deadline_id: str = "") -> OldDeadline:
    return OldDeadline(
        user_id=f"u{number % 4}",
        deadline_id=deadline_id or f"d{number:02}",
        title="t",
        due_date=due,
        send_reminder=number % 2 == 0,
    )


def _deploy(db: Repository) -> None:
    call = db.connection.call
    plan = run_sync(plan_of(db.design, db.context), call)
    reply = [step.description for step in plan.steps]
    assert any("backfill the key attributes of index ReminderDateIndex" in step for step in reply)
    assert any("add index DueDateIndex" in step for step in reply)
    run_sync(
        deploy(
            plan,
            lambda step: fill_index(db.design, db.context, step),
            lambda step: None,
            lambda step, reason: None,
        ),
        call,
    )


def _assert_indexed(db: Repository, store: Store) -> None:
    """Every deadline with a date is in the index, under that date."""
    items = [item for item in store.items("leavs-main-deadlines") if item["dueDate"]["S"] != "soon"]
    for day in {item["dueDate"]["S"] for item in items}:
        listed = {
            (deadline.user_id, deadline.deadline_id)
            for deadline in db.all(DeadlinesDueOn(due_date=date.fromisoformat(day)))
        }
        wanted = {
            (item["userId"]["S"], item["deadlineId"]["S"]) for item in items if item["dueDate"]["S"] == day
        }
        assert listed == wanted
    assert len(items) >= 41
