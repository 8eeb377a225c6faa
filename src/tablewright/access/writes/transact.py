"""Doing writes: alone with one call where one item is touched, else all together in one transaction.

Nothing is split, and nothing is done twice. When what a write was worked out from has changed meanwhile, it is worked
out anew; when DynamoDB was busy or broke, the same is sent again as far as it can do no harm (see `sending`).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.context import Context
from tablewright.access.items.vault import compute_with_keys, run_with_keys
from tablewright.access.writes import execute
from tablewright.access.writes.actions import Step
from tablewright.access.writes.execute import Refused, Unsettled
from tablewright.access.writes.values import Create, Delete, Move, Put, Update, Write
from tablewright.access.writes.write_plan import WritePlan, propose
from tablewright.design.entities.entities import Entity
from tablewright.errors import (
    Contended,
    InvalidWrite,
    OutcomeUnknown,
    ServiceError,
    TablewrightError,
    TransactionFailed,
    TransactionTooLarge,
)
from tablewright.values.attributes import Item

E = TypeVar("E", bound=Entity)

LIMIT = 100
"""How many items DynamoDB takes in one transaction."""


def create(context: Context, entity: E) -> Procedure[E]:
    """Write an entity that must not exist yet; the answer is the entity as it was written."""
    proposal, _ = yield from _do_one(context, Create(entity))
    return proposal.entity  # type: ignore[return-value]


def put(context: Context, entity: E) -> Procedure[E]:
    """Write an entity, whether it exists or not; the answer is the entity as it was written."""
    proposal, reply = yield from _do_one(context, Put(entity))
    return (yield from _standing(context, proposal, reply))  # type: ignore[return-value]


def update(context: Context, write: Update[E]) -> Procedure[E]:
    """Change some fields of an entity that exists; the answer is the entity as it is now."""
    proposal, reply = yield from _do_one(context, write)
    return (yield from _standing(context, proposal, reply))  # type: ignore[return-value]


def delete(context: Context, write: Delete[Any]) -> Procedure[bool]:
    """Remove an entity; the answer is whether there was one."""
    proposal, reply = yield from _do_one(context, write)
    return proposal.entity is not None or "Attributes" in reply


def move(context: Context, write: Move[E]) -> Procedure[E]:
    """Change the primary key of an entity; the answer is the entity as it is now."""
    proposal, _ = yield from _do_one(context, write)
    return proposal.entity  # type: ignore[return-value]


def transact(context: Context, *writes: Write) -> Procedure[tuple[Entity | None, ...]]:
    """Do all writes, or none; the answer has for each the entity as it stands now, where that is known."""
    if not writes:
        return ()
    try:
        proposals, _ = yield from _do(context, writes, together=True)
    except _Failed as failed:
        raise TransactionFailed(failed.failures) from failed.first
    return tuple(
        proposal.entity if not isinstance(proposal.write, Delete) else None for proposal in proposals
    )


def requests(context: Context, *writes: Write) -> Procedure[Call]:
    """The call that would do the writes, without making it; it reads what it needs to."""
    try:
        proposals = yield from _propose(context, writes)
    except _Failed as failed:
        raise failed.first from None
    return execute.request(_joined(proposals))


class _Failed(Exception):
    """For each write, what was wrong with it."""

    def __init__(self, failures: Sequence[TablewrightError | None]) -> None:
        super().__init__()
        self.failures = tuple(failures)
        self.first = next(failure for failure in failures if failure is not None)


def _do_one(context: Context, write: Write) -> Procedure[tuple[WritePlan, Reply]]:
    try:
        (proposal,), reply = yield from _do(context, (write,))
    except _Failed as failed:
        raise failed.first from None
    return proposal, reply


def _do(
    context: Context, writes: Sequence[Write], *, together: bool = False
) -> Procedure[tuple[list[WritePlan], Reply]]:
    proposals: list[WritePlan] = []
    for attempt in range(ATTEMPTS):
        proposals = yield from _propose(context, writes)
        try:
            outcome = yield from execute.send(_joined(proposals), together=together)
        except Unsettled as unsettled:
            address = proposals[0].address
            raise OutcomeUnknown(address.entity.__name__, address.shown) from unsettled.trouble
        if not isinstance(outcome, Refused):
            return proposals, outcome
        failures = _failures(proposals, outcome.found)
        if any(failures):
            raise _Failed(failures)
        yield backoff(attempt)
    address = proposals[0].address
    raise Contended(address.entity.__name__, address.shown, "is written by others again and again; try later")


def _propose(context: Context, writes: Sequence[Write]) -> Procedure[list[WritePlan]]:
    proposals = []
    for place, write in enumerate(writes):
        try:
            proposals.append((yield from run_with_keys(partial(propose, context, write))))
        except ServiceError:
            raise
        except TablewrightError as refusal:
            raise _Failed([refusal if other == place else None for other in range(len(writes))]) from None
    return proposals


def _joined(proposals: Sequence[WritePlan]) -> list[Step]:
    """The steps of all proposals; refused when they are too many, or when two are about one item."""
    steps = [step for proposal in proposals for step in proposal.steps]
    if len(steps) > LIMIT:
        raise TransactionTooLarge(len(steps), LIMIT)
    if len(proposals) == 1:
        return steps
    seen: dict[Any, WritePlan] = {}
    for proposal in proposals:
        for step in proposal.steps:
            other = seen.setdefault(step.place, proposal)
            if other is not proposal:
                raise InvalidWrite(
                    f"two writes of the transaction touch one item: {_shown(other)} and {_shown(proposal)}; "
                    "make them one write"
                )
    return steps


def _shown(proposal: WritePlan) -> str:
    return f"{type(proposal.write).__name__} of {proposal.address.entity.__name__}"


def _failures(
    proposals: Sequence[WritePlan], found: Mapping[int, Item | None]
) -> list[TablewrightError | None]:
    """For each write, what is wrong with it; nothing when what it was worked out from has changed."""
    failures: list[TablewrightError | None] = []
    place = 0
    for proposal in proposals:
        blames = []
        for step in proposal.steps:
            if place in found:
                blames.append(step.guard.blame(found[place]))
            place += 1
        failures.append(None if None in blames else blames[0] if blames else None)
    return failures


def _standing(context: Context, proposal: WritePlan, reply: Reply) -> Procedure[Entity | None]:
    """The entity as it is now: as DynamoDB answered, or as it was written."""
    if "Attributes" in reply:
        decoder = context.decoder(proposal.address.layout)
        return (yield from compute_with_keys(lambda: decoder.make(reply["Attributes"])))
    return proposal.entity
