"""Sending: steps are taken, or refused, and never taken twice.

Several go as one transaction, whose token lets DynamoDB itself see to it that a repetition is none. One goes alone, at
half the price, without a token. When DynamoDB breaks or the reply is lost, that one may have been taken or not:

- What is as good twice as once is sent again: putting, deleting, setting fields.
- So is what its own condition keeps from being done twice: creating, and whatever holds to a version or to what was
  read. If it is refused then, the item that was found tells: when it is as the step leaves it, the step was taken.
- Adding to a number is not sent again unless it holds to a version.
- What the found item does not tell stays unknown: `Unsettled`.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.calls.retries import RETRYABLE, is_outcome_unknown, wait_or_raise
from tablewright.access.writes.actions import Step
from tablewright.errors import ConditionalCheckFailed, TablewrightError, TransactionCanceled
from tablewright.values.attributes import Item

_BUSY = {"None", "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"}


@dataclass(frozen=True, slots=True)
class Refused:
    """Steps that were not taken, by their place, each with the item that was found instead."""

    found: Mapping[int, Item | None]


Outcome: TypeAlias = Reply | Refused


class Unsettled(Exception):
    """Nobody can tell whether the steps were taken."""

    def __init__(self, trouble: TablewrightError) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble


def send(steps: Sequence[Step], *, together: bool = False) -> Procedure[Outcome]:
    """Take the steps, or tell which could not be taken; `together` is as a transaction even when it is only one."""
    if not steps:
        return {}
    call = request(steps, together=together)
    if call.operation == "TransactWriteItems":
        return (yield from _transaction(call))
    return (yield from _alone(call, steps[0]))


def request(steps: Sequence[Step], *, together: bool = False) -> Call:
    """The call that takes the steps."""
    if len(steps) == 1 and steps[0].action != "ConditionCheck" and not together:
        return steps[0].alone()
    actions = [{step.action: step.request} for step in steps]
    return Call("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": secrets.token_hex(16)})


def _transaction(call: Call) -> Procedure[Outcome]:
    tries = _Tries()
    while True:
        try:
            return (yield call)
        except TransactionCanceled as canceled:
            if not _is_busy(canceled):
                return _refused(canceled)
            yield from tries.again_after(canceled)
        except RETRYABLE as trouble:
            yield from tries.again_after(trouble)


def _alone(call: Call, step: Step) -> Procedure[Outcome]:
    tries = _Tries(step.can_be_repeated)
    while True:
        try:
            return (yield call)
        except ConditionalCheckFailed as refusal:
            if tries.doubt is None:
                return Refused({0: refusal.item})
            if not step.leaves(refusal.item):
                raise Unsettled(tries.doubt) from None
            return {} if step.action == "Put" else {"Attributes": refusal.item or {}}
        except RETRYABLE as trouble:
            yield from tries.again_after(trouble)


@dataclass(slots=True)
class _Tries:
    """The attempts at one call, and what left in doubt whether one of them was it."""

    in_doubt: bool = True
    """Whether to try again even then."""
    doubt: TablewrightError | None = None
    attempt: int = 0

    def again_after(self, trouble: TablewrightError) -> Procedure[None]:
        """Wait for the next attempt, unless there is to be none."""
        self.doubt = trouble if is_outcome_unknown(trouble) else self.doubt
        if self.doubt is not None and not self.in_doubt:
            raise Unsettled(self.doubt) from None
        try:
            yield from wait_or_raise(trouble, self.attempt)
        except TablewrightError:
            if self.doubt is None:
                raise
            raise Unsettled(self.doubt) from None
        self.attempt += 1


def _is_busy(canceled: TransactionCanceled) -> bool:
    return all(reason["Code"] in _BUSY for reason in canceled.reasons)


def _refused(canceled: TransactionCanceled) -> Refused:
    found = {
        place: reason.get("Item")
        for place, reason in enumerate(canceled.reasons)
        if reason["Code"] == "ConditionalCheckFailed"
    }
    if not found:
        raise canceled
    return Refused(found)
