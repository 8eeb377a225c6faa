"""Test data of GoalsGuild, and a consistency check of the whole table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tablewright_systems.goalsguild.design import design
from tablewright_systems.goalsguild.design.goals import Goal, Milestone, Progress, Reminder, Task
from tablewright_systems.goalsguild.design.offers import Company
from tablewright_systems.goalsguild.design.rooms import AssistMsg, AssistThread, Member, Role, Room
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import Credential, User
from tablewright_systems.goalsguild.service import users
from tablewright_systems.service import Caller

from tablewright import Clock, Entity, Faults, Repository, connect, errors
from tablewright.access.items.footprint import ComparableKey, comparable_key, footprint, is_dependent
from tablewright.access.items.unique_locks import lock_in
from tablewright.access.items.vault import NoVault
from tablewright.dynamodb.values.attributes import Item, normalise

START = 1_750_000_000.0
WORKER = Caller("worker", {"roles": ["worker"]})
ISSUER = Caller("issuer", {"roles": ["issuer"]})
ADMIN = Caller("admin", {"roles": ["admin"]})
ASSISTANT = Caller("assistant", {"roles": ["assistant"]})


@contextmanager
def guild(faults: Faults | None = None) -> Iterator[Repository]:
    with connect(design, clock=Clock(START), faults=faults) as db:
        yield db


def clock_of(db: Repository) -> Clock:
    clock: Clock = db.connection.clock  # type: ignore[attr-defined]
    return clock


def token_holder(user_id: str, email: str | None = None) -> Caller:
    """A caller with a verified e-mail address in the token."""
    return Caller(user_id, {"email": email or f"{user_id}@example.org", "email_verified": True})


def new_user(db: Repository, name: str) -> Caller:
    """Register a user."""
    caller = token_holder(name)
    users.register(db, caller, nickname=name, full_name=name.title())
    return caller


def errors_in(outcomes: list[Any]) -> list[Any]:
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]


def retry(action: Callable[[], Any], tries: int = 40) -> Any:
    """Repeat an action until it succeeds, as a client of a busy server does."""
    for _ in range(tries - 1):
        try:
            return action()
        except (errors.ServiceError, errors.OutcomeUnknown, errors.Contended):
            continue
    return action()


def items(db: Repository, table: str = "gg_core") -> list[Item]:
    collected: list[Item] = []
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    while True:
        reply = retry(partial(db.connection.call, "Scan", request))
        collected += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return collected
        request = {**request, "ExclusiveStartKey": reply["LastEvaluatedKey"]}


def entities(db: Repository) -> list[Entity]:
    """Return all entities of the table, without copies and locks."""
    kinds = {entity.layout.type_name: entity.layout for entity in design.entities_of(core)}
    return [
        db.context.decoder(kinds[item["type"]["S"]]).make(item)
        for item in items(db)
        if not (is_dependent(item) or lock_in([User.layout], item))
    ]


def assert_consistent(db: Repository) -> list[Entity]:
    """Assert that keys, copies, locks and parents are complete, current and without leftovers."""
    result = entities(db)
    expected: dict[ComparableKey, Item] = {}
    for entity in result:
        for item in footprint(entity, NoVault()).items():
            expected[comparable_key(core, item)] = _plain(item)
    assert {comparable_key(core, item): _plain(item) for item in items(db)} == expected
    _assert_parents(result)
    return result


def _plain(item: Item) -> Item:
    return {name: normalise(value) for name, value in item.items()}


def of(entities: list[Entity], kind: type[Entity]) -> list[Any]:
    return [item for item in entities if isinstance(item, kind)]


def _assert_parents(entities: list[Entity]) -> None:
    user_ids = {user.id for user in of(entities, User)}
    goals = {goal.id: goal.user_id for goal in of(entities, Goal)}
    threads = {thread.id for thread in of(entities, AssistThread)}
    assert set(goals.values()) <= user_ids
    for part in (*of(entities, Task), *of(entities, Milestone)):
        assert goals.get(part.goal_id) == part.user_id
    assert {progress.goal_id for progress in of(entities, Progress)} == goals.keys()
    owned = (
        *of(entities, Member),
        *of(entities, AssistThread),
        *of(entities, Credential),
        *of(entities, Reminder),
    )
    assert {item.user_id for item in owned} <= user_ids
    room_ids = {member.room_id for member in of(entities, Member) if member.role is Role.OWNER}
    assert room_ids == {room.id for room in of(entities, Room)}
    assert {company.owner_id for company in of(entities, Company)} <= user_ids
    assert {msg.thread_id for msg in of(entities, AssistMsg)} <= threads


def raw(db: Repository, partition: str, sort: str) -> dict[str, Any]:
    key = {"PK": {"S": partition}, "SK": {"S": sort}}
    stored: dict[str, Any] = db.connection.call("GetItem", {"TableName": "gg_core", "Key": key}).get(
        "Item", {}
    )
    return stored


def keys(db: Repository) -> set[tuple[str, str]]:
    return {(item["PK"]["S"], item["SK"]["S"]) for item in items(db)}
