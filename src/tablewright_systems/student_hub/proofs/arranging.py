"""What several proofs arrange: students with something to show, staff, and tables to play with."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any, TypeVar

from tablewright import Repository, Table
from tablewright_systems.authentication import Caller
from tablewright_systems.proofs import ProofContext
from tablewright_systems.student_hub.design import Deadline, UserProfile
from tablewright_systems.student_hub.service.deadlines import DeadlineDraft, create_deadline
from tablewright_systems.student_hub.service.profiles import ProfileChanges, update_profile
from tablewright_systems.student_hub.service.progress import complete_step, start_step

Refusal = TypeVar("Refusal", bound=Exception)

COMMON_STEPS = ("onboarding-1", "onboarding-2", "onboarding-3.5", "visa", "housing", "banking")
# Seconds: what AWS may take to make a table or an index.
PATIENCE = 600


def save(db: Repository, caller: Caller, **changes: Any) -> UserProfile:
    """Save a profile, fields under their stored names, as a client does."""
    return update_profile(db, caller, ProfileChanges.model_validate(changes))


def admin(context: ProofContext) -> Caller:
    """An administrator."""
    return context.caller(roles=["admin"])


def worker(context: ProofContext) -> Caller:
    """The job that reminds."""
    return context.caller(roles=["worker"])


def deadline(
    context: ProofContext, caller: Caller, due: date, title: str = "Visa Appointment", *, remind: bool = True
) -> Deadline:
    """A deadline of the caller."""
    draft = DeadlineDraft(title=title, due_date=due, send_reminder=remind, note="Bring passport")
    return create_deadline(context.db, caller, draft)


def student(context: ProofContext) -> Caller:
    """A student with a profile, some progress and two deadlines."""
    caller = context.caller()
    save(context.db, caller, firstName="John", lastName="Doe", universityName="Bocconi University")
    for step in COMMON_STEPS:
        start_step(context.db, caller, step)
    complete_step(context.db, caller, "visa")
    deadline(context, caller, date(2031, 3, 15))
    deadline(context, caller, date(2031, 2, 1), "Application")
    return caller


def named(context: ProofContext, table: Table) -> str:
    """The name of a table on this context."""
    return context.db.context.table_name(table)


def refused(kind: type[Refusal], act: Callable[[], Any]) -> Refusal:
    """The refusal that something meets; that it meets none is a failure."""
    try:
        act()
    except kind as refusal:
        return refusal
    raise AssertionError(f"{kind.__name__} was expected, and nothing was refused")


def units(context: ProofContext, act: Callable[[], Any]) -> float:
    """The capacity that something takes."""
    before = context.measurement.capacity
    with context.measured() as measure:
        act()
    return measure.capacity - before


@contextmanager
def scratch_table(context: ProofContext, name: str, **definition: Any) -> Iterator[str]:
    """A table of its own for a proof, with a name that begins as those of the context do."""
    full = f"{context.db.context.prefix}{context.unique_id(name)}"
    call = context.db.connection.call
    call("CreateTable", {"BillingMode": "PAY_PER_REQUEST", **definition, "TableName": full})
    with _until_it_goes(context, full):
        yield full


@contextmanager
def restored(context: ProofContext, operation: str, request: dict[str, Any]) -> Iterator[None]:
    """The table that a restore makes, once it is there."""
    context.db.connection.call(operation, request)
    with _until_it_goes(context, request["TargetTableName"]):
        yield


@contextmanager
def _until_it_goes(context: ProofContext, table: str) -> Iterator[None]:
    call = context.db.connection.call
    until(lambda: call("DescribeTable", {"TableName": table})["Table"]["TableStatus"] == "ACTIVE")
    try:
        yield
    finally:
        call("DeleteTable", {"TableName": table})


def until(holds: Callable[[], bool]) -> None:
    """Wait for what a store does by and by."""
    patience = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < patience, "it did not come to hold"
        time.sleep(0.1)


def everything_in(context: ProofContext, table: str, **more: Any) -> list[dict[str, Any]]:
    """All items of a table, as DynamoDB tells them."""
    return [item for page in pages_of(context, table, **more) for item in page["Items"]]


def pages_of(context: ProofContext, table: str, **more: Any) -> Iterator[dict[str, Any]]:
    """All pages of a scan."""
    request = {"TableName": table, "ConsistentRead": True, **more}
    while True:
        page = context.db.connection.call("Scan", request)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
