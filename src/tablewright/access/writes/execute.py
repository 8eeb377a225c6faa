"""Execute planned actions: all or none, never twice, and planned again when an item has changed since it was read.

Several actions are one transaction; its token lets DynamoDB recognise a repetition. A single action is sent without a
transaction, at half the price and without a token. When DynamoDB fails or the reply is lost, that action may have been
executed or not:

- Actions that can be repeated without harm are sent again: put, delete, setting fields.
- So are actions whose own condition fails the second time: create, and writes with a condition on the version or on
  what was read. When the condition fails, the found item decides: if it is in the state that the action leaves, the
  action was executed.
- Adding to a number is not sent again unless there is a condition on the version.
- When the found item does not decide it, the outcome is unknown: `OutcomeInDoubt`.

DynamoDB does not add to a number that another program stored as text, nor to a set that it stored as a list. Then the
write is planned again: the next plan reads the item, and computes the result.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from tablewright.access.procedures import (
    ATTEMPTS,
    RETRYABLE,
    Call,
    Procedure,
    Reply,
    backoff,
    is_outcome_unknown,
    wait_or_raise,
)
from tablewright.access.writes.actions import WriteAction
from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.limits import MAX_TRANSACTION
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import (
    ConditionalCheckFailed,
    TablewrightError,
    TransactionCanceled,
    TransactionTooLarge,
    ValidationError,
)

_OTHER_TYPE = "An operand in the update expression has an incorrect data type"
_BUSY = {"None", "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"}


class ExecutablePlan(Protocol):
    """The actions of one write."""

    @property
    def actions(self) -> Sequence[WriteAction]:
        """The actions, executed together."""


P = TypeVar("P", bound=ExecutablePlan)


class WriteFailure(NamedTuple):
    """A precondition that failed."""

    error: TablewrightError
    item: Item | None
    """The stored item that failed it."""


class WritesFailed(Exception):
    """Nothing was written. `failures` has for each plan its failed preconditions, or nothing."""

    def __init__(self, failures: Sequence[Sequence[WriteFailure]]) -> None:
        super().__init__()
        self.failures = failures

    @property
    def errors(self) -> list[TablewrightError | None]:
        """For each plan its first error, or None."""
        return [failures[0].error if failures else None for failures in self.failures]

    @property
    def first(self) -> TablewrightError:
        """The first error."""
        return next(error for error in self.errors if error is not None)


class ItemsKeepChanging(Exception):
    """Other writers changed the items between reading and writing, in every attempt."""


class OutcomeInDoubt(Exception):
    """It is unknown whether the actions were executed; `cause` is the error that lost the reply."""

    def __init__(self, cause: TablewrightError) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(frozen=True, slots=True)
class ConditionsFailed:
    """Nothing was written: the actions whose condition failed, by position, each with the item that was found."""

    items: Mapping[int, Item | None]


Outcome: TypeAlias = Reply | ConditionsFailed


def execute(
    plan: Callable[[bool], Procedure[Sequence[P]]],
    *,
    together: bool = False,
    retry_in_doubt: bool = False,
    returns_item: bool = True,
) -> Procedure[tuple[Sequence[P], Reply]]:
    """Plan writes and execute them as one; plan them again when an item has changed since it was read.

    `plan` is called with True when it plans again. `together` uses a transaction even for one action. `retry_in_doubt`
    plans again when the outcome is unknown: for writers whose next plan finds nothing to do if the first was executed.
    Without `returns_item`, the reply to an update or delete does not have the item.
    """
    for attempt in range(ATTEMPTS):
        plans = yield from plan(attempt > 0)
        try:
            outcome = yield from send(joined(plans), together=together, returns_item=returns_item)
        except OutcomeInDoubt:
            if not retry_in_doubt:
                raise
        except (ValidationError, TransactionCanceled) as error:
            if attempt > 0 or not _adds_to_other_type(error):
                raise
        else:
            if not isinstance(outcome, ConditionsFailed):
                return plans, outcome
            failures = _failures(plans, outcome.items)
            if any(failures):
                raise WritesFailed(failures)
        yield backoff(attempt)
    raise ItemsKeepChanging


def joined(plans: Sequence[ExecutablePlan]) -> Sequence[WriteAction]:
    """Return the actions of all plans; raise `TransactionTooLarge` when they are too many."""
    if len(plans) == 1:
        actions = plans[0].actions
    else:
        actions = [action for plan in plans for action in plan.actions]
    if len(actions) > MAX_TRANSACTION:
        raise TransactionTooLarge(len(actions), MAX_TRANSACTION)
    return actions


def send(
    actions: Sequence[WriteAction], *, together: bool = False, returns_item: bool = True
) -> Procedure[Outcome]:
    """Execute actions once: all of them, or none when a condition fails."""
    if not actions:
        return {}
    call = request(actions, together=together, returns_item=returns_item)
    if call.operation == "TransactWriteItems":
        return (yield from _send_transaction(call))
    return (yield from _send_alone(call, actions[0]))


def request(actions: Sequence[WriteAction], *, together: bool = False, returns_item: bool = True) -> Call:
    """Return the call that executes the actions."""
    if len(actions) == 1 and actions[0].kind != "ConditionCheck" and not together:
        return actions[0].call(returns_item=returns_item)
    members = [{action.kind: action.request} for action in actions]
    return Call("TransactWriteItems", {"TransactItems": members, "ClientRequestToken": secrets.token_hex(16)})


def _send_transaction(call: Call) -> Procedure[Outcome]:
    attempts = _Attempts()
    while True:
        try:
            return (yield call)
        except TransactionCanceled as canceled:
            if not _is_busy(canceled):
                return _conditions_failed(canceled)
            yield from attempts.wait_after(canceled)
        except RETRYABLE as error:
            yield from attempts.wait_after(error)


def _send_alone(call: Call, action: WriteAction) -> Procedure[Outcome]:
    attempts = _Attempts(action.is_repeatable)
    while True:
        try:
            return (yield call)
        except ConditionalCheckFailed as error:
            if attempts.doubt is None:
                return ConditionsFailed({0: error.item})
            if not action.is_applied_to(error.item):
                raise OutcomeInDoubt(attempts.doubt) from None
            return {} if action.kind == "Put" else {"Attributes": error.item or {}}
        except RETRYABLE as error:
            yield from attempts.wait_after(error)


@dataclass(slots=True)
class _Attempts:
    """The attempts at one call."""

    is_repeatable: bool = True
    """Whether to try again when an attempt may have been executed."""
    doubt: TablewrightError | None = None
    """The error after which an attempt may have been executed."""
    number: int = 0

    def wait_after(self, error: TablewrightError) -> Procedure[None]:
        """Wait for the next attempt, or raise when there is none."""
        self.doubt = error if is_outcome_unknown(error) else self.doubt
        if self.doubt is not None and not self.is_repeatable:
            raise OutcomeInDoubt(self.doubt) from None
        try:
            yield from wait_or_raise(error, self.number)
        except TablewrightError:
            if self.doubt is None:
                raise
            raise OutcomeInDoubt(self.doubt) from None
        self.number += 1


def _failures(plans: Sequence[ExecutablePlan], items: Mapping[int, Item | None]) -> list[list[WriteFailure]]:
    """For each plan its failed preconditions; none when one of its items has only changed since it was read."""
    failures: list[list[WriteFailure]] = []
    position = 0
    for plan in plans:
        failed: list[WriteFailure] = []
        has_changed = False
        for action in plan.actions:
            if position in items:
                error = action.precondition.failure(items[position])
                if error is None:
                    has_changed = True
                else:
                    failed.append(WriteFailure(error, items[position]))
            position += 1
        failures.append([] if has_changed else failed)
    return failures


def _adds_to_other_type(error: ValidationError | TransactionCanceled) -> bool:
    """Whether DynamoDB found a stored value of another type than the update needs."""
    if isinstance(error, TransactionCanceled):
        return any(_OTHER_TYPE in reason.get("Message", "") for reason in error.reasons)
    return _OTHER_TYPE in str(error)


def _is_busy(canceled: TransactionCanceled) -> bool:
    return all(reason["Code"] in _BUSY for reason in canceled.reasons)


def _conditions_failed(canceled: TransactionCanceled) -> ConditionsFailed:
    items = {
        position: reason.get("Item")
        for position, reason in enumerate(canceled.reasons)
        if reason["Code"] == "ConditionalCheckFailed"
    }
    if not items:
        raise canceled
    return ConditionsFailed(items)
