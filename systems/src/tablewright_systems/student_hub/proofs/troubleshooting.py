"""Proofs of error cases."""

from typing import Any

from tablewright import (
    Clock,
    Connection,
    Faults,
    Repository,
    Table,
    billing,
    embedded,
    errors,
)
from tablewright_systems.student_hub.design import ProfileOf, UserProfile, design, profiles
from tablewright_systems.student_hub.proofs.fixtures import named, save
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")
THROTTLED = "ProvisionedThroughputExceededException"


class Throttled:
    """A connection that is throttled at first."""

    def __init__(self, connection: Connection, times: int) -> None:
        self._connection = connection
        self.left = times

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Raise a throttling error, a limited number of times."""
        if self.left:
            self.left -= 1
            raise errors.ProvisionedThroughputExceeded("The rate is above what the table can take")
        return self._connection.call(operation, request)

    def close(self) -> None:
        """Do nothing: the wrapped connection stays open."""


@PROOFS("F16")
def back_off_when_throttled(context: ProofContext) -> None:
    """Throttled requests are retried with backoff, and counted for a monitor; nothing is lost."""
    ada = context.caller()
    throttled = Throttled(context.db.connection, times=2)
    db = Repository(design, throttled, context.db.context)
    before = Repository.retry_counts().retried.get(THROTTLED, 0)
    with context.measured():
        saved = save(db, ada, firstName="Ada")
        throttled.left = 2
        assert db.run(ProfileOf(user_id=ada.user_id)) == saved
    assert throttled.left == 0
    assert Repository.retry_counts().retried[THROTTLED] >= before + 4
    with context.measured() as measurement:
        before = len(measurement.operations)
        large = UserProfile(user_id=ada.user_id, packing_notes="x" * 400 * 1024)
        expect_error(errors.ValidationError, lambda: db.put(large))
    assert len(measurement.operations) == before + 1, "an error that stays is not retried"


@PROOFS("F17")
def errors_and_their_causes(context: ProofContext) -> None:
    """The four errors of the document, each from the cause it states."""
    ada = context.caller()
    save(context.db, ada, firstName="Ada")
    table = named(context, profiles)
    item = {"userId": {"S": ada.user_id}}
    taken = {"TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(userId)"}
    large = {"TableName": table, "Item": {**item, "packingNotes": {"S": "x" * 400 * 1024}}}
    elsewhere = {"TableName": context.unique_id("user-profiles"), "Key": item}
    with context.measured():
        replies = [
            _refusal(context.db.connection, "PutItem", taken),
            _refusal(context.db.connection, "PutItem", large),
            _refusal(context.db.connection, "GetItem", elsewhere),
        ]
    assert replies == [
        ("ConditionalCheckFailedException", "The conditional request failed"),
        ("ValidationException", "Item size has exceeded the maximum allowed size"),
        ("ResourceNotFoundException", "Requested resource not found"),
    ]
    assert _overwhelmed() == THROTTLED


def _refusal(connection: Connection, operation: str, request: dict[str, Any]) -> tuple[str, str]:
    error = expect_error(errors.ServiceError, lambda: connection.call(operation, request))
    return error.code, error.message


def _overwhelmed() -> str:
    """Exceed the provisioned capacity of a table, on an engine that enforces it."""
    small = Table("small", key="userId", billing=billing.Provisioned(read=1, write=1))
    put = {"TableName": "small", "Item": {"userId": {"S": "ada"}, "notes": {"S": "x" * 100_000}}}
    with embedded(clock=Clock(start=1e9), faults=Faults(provisioned=True)) as db:
        db.call("CreateTable", small.definition())
        return expect_error(errors.ServiceError, lambda: [db.call("PutItem", put) for _ in range(10)]).code
