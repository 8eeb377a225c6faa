"""Test data for the proofs: students with data, administrators, workers, temporary tables."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any, TypeVar

from tablewright import Repository, Table, connect, reads
from tablewright_systems.service import Caller, Paging
from tablewright_systems.student_hub.design import Deadline, UserProfile, design
from tablewright_systems.student_hub.service.deadlines import DeadlineDraft, create_deadline
from tablewright_systems.student_hub.service.profiles import ProfileChanges, update_profile
from tablewright_systems.student_hub.service.progress import complete_step, start_step
from tablewright_systems.verification import ProofContext

T = TypeVar("T")

COMMON_STEPS = ("onboarding-1", "onboarding-2", "onboarding-3.5", "visa", "housing", "banking")
# Maximum time that AWS takes to create a table or an index, in seconds.
TIMEOUT = 600


def save(db: Repository, caller: Caller, **changes: Any) -> UserProfile:
    """Save a profile, fields under their stored names, as a client does."""
    return update_profile(db, caller, ProfileChanges.model_validate(ProfileChanges.prepared(changes)))


def admin(context: ProofContext) -> Caller:
    """An administrator."""
    return context.caller(roles=["admin"])


def worker(context: ProofContext) -> Caller:
    """The reminder worker."""
    return context.caller(roles=["worker"])


def deadline(
    context: ProofContext, caller: Caller, due: date, title: str = "Visa Appointment", *, remind: bool = True
) -> Deadline:
    """Create a deadline of the caller."""
    draft = DeadlineDraft(title=title, due_date=due, send_reminder=remind, note="Bring passport")
    return create_deadline(context.db, caller, draft)


def student(context: ProofContext) -> Caller:
    """Create a student with a profile, some progress and two deadlines."""
    caller = context.caller()
    save(context.db, caller, firstName="John", lastName="Doe", universityName="Bocconi University")
    for step in COMMON_STEPS:
        start_step(context.db, caller, step)
    complete_step(context.db, caller, "visa")
    deadline(context, caller, date(2031, 3, 15))
    deadline(context, caller, date(2031, 2, 1), "Application")
    return caller


def all_pages(read: Callable[[Paging], reads.Page[T]], limit: int = 2) -> list[T]:
    """Return what a list has on all its pages."""
    items: list[T] = []
    paging: Paging | None = Paging(limit)
    while paging is not None:
        page = read(paging)
        items += page
        paging = Paging(limit, page.cursor) if page.cursor else None
    return items


def named(context: ProofContext, table: Table) -> str:
    """Return the name of a table in this context."""
    return context.db.context.table_name(table)


def units(context: ProofContext, action: Callable[[], Any]) -> float:
    """Return the capacity that an action consumes."""
    before = context.measurement.capacity
    with context.measured() as measurement:
        action()
    return measurement.capacity - before


@contextmanager
def own_tables(context: ProofContext) -> Iterator[Repository]:
    """Create the tables of another environment, and delete them afterwards."""
    db = connect(
        design,
        context.db.connection,
        environment=context.unique_id("verify"),
        prefix=context.db.context.prefix,
        clock=context.clock,
        create=True,
    )
    try:
        yield db
    finally:
        for table in design.tables:
            context.db.connection.call("DeleteTable", {"TableName": db.context.table_name(table)})


@contextmanager
def scratch_table(context: ProofContext, name: str, **definition: Any) -> Iterator[str]:
    """Create a temporary table with the name prefix of the context."""
    full = f"{context.db.context.prefix}{context.unique_id(name)}"
    call = context.db.connection.call
    call("CreateTable", {"BillingMode": "PAY_PER_REQUEST", **definition, "TableName": full})
    with _temporary(context, full):
        yield full


@contextmanager
def restored(context: ProofContext, operation: str, request: dict[str, Any]) -> Iterator[None]:
    """Restore a table, and delete it afterwards."""
    context.db.connection.call(operation, request)
    with _temporary(context, request["TargetTableName"]):
        yield


@contextmanager
def _temporary(context: ProofContext, table: str) -> Iterator[None]:
    call = context.db.connection.call
    wait_until(lambda: call("DescribeTable", {"TableName": table})["Table"]["TableStatus"] == "ACTIVE")
    try:
        yield
    finally:
        call("DeleteTable", {"TableName": table})


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, f"the condition did not become true within {TIMEOUT} s"
        time.sleep(0.1)


def everything_in(context: ProofContext, table: str, **more: Any) -> list[dict[str, Any]]:
    """Return all items of a table in DynamoDB JSON."""
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
