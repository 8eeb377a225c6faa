"""The guide docs/how-to/change-a-key-template.md under concurrent writers: nothing is lost, missed or doubled."""

from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Annotated, Any

import pytest

from tablewright import (
    Connection,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Table,
    errors,
    fields,
    migrations,
    writes,
)
from tablewright.lifecycle.integrity.fsck import check
from tests.lifecycle.stores import Store

USERS = 12
main = Table("app", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class UserBefore(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    role: str = "member"
    visits: Annotated[int, fields.Counter()] = 0
    keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("ROLE#{role}", "{user_id}"))


class UserBeforeById(Get[UserBefore]):
    user_id: str
    consistent = True


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    role: str = "member"
    visits: Annotated[int, fields.Counter()] = 0
    keys = Keys(primary=("MEMBER#{user_id}", "PROFILE"), GSI1=("KIND#{role}", "{user_id}"))


class UserById(Get[User]):
    user_id: str
    consistent = True


class UsersByRole(Query[User]):
    role: str
    key = "GSI1PK = KIND#{role}"


def with_new_key(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"PK": f"MEMBER#{item['userId']}"}


BEFORE = Design("app", entities=[UserBefore], patterns=[UserBeforeById])
REKEY = migrations.Migration("rekey", User, up=with_new_key)
DESIGN = Design("app", entities=[User], patterns=[UserById, UsersByRole], migrations=[REKEY])


class Program:
    """A program that uses both keys: the old key first, then the new key."""

    def __init__(self, store: Store) -> None:
        self.old = store.open(BEFORE)
        self.db = store.open(DESIGN)
        self.written_to: Counter[str] = Counter()

    def visit(self, user_id: str) -> None:
        try:
            self.old.add(UserBeforeById(user_id=user_id), visits=1)
            self.written_to["old"] += 1
        except errors.DoesNotExist:
            self.db.add(UserById(user_id=user_id), visits=1)
            self.written_to["new"] += 1

    def visits(self, user_id: str) -> int:
        user = self.old.run(UserBeforeById(user_id=user_id)) or self.db.run(UserById(user_id=user_id))
        assert user is not None, f"{user_id} is under neither key"
        return user.visits

    def create(self, user: User) -> None:
        self.db.transact(writes.Create(user), writes.CheckAbsent(UserBeforeById(user_id=user.user_id)))


class Interrupting:
    """A connection that calls a function before each transaction: between the read and the write of a migration.

    A migration works in several threads; the lock makes the function and its transaction one step.
    """

    def __init__(self, connection: Connection, interrupt: Callable[[dict[str, Any]], None]) -> None:
        self._connection = connection
        self._interrupt = interrupt
        self._lock = Lock()
        self.canceled = 0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation != "TransactWriteItems":
            return self._connection.call(operation, request)
        with self._lock:
            self._interrupt(request)
            try:
                return self._connection.call(operation, request)
            except errors.TransactionCanceled:
                self.canceled += 1
                raise

    def close(self) -> None:
        pass


def moved_user(request: dict[str, Any]) -> str:
    """The ID of the user whom a transaction moves."""
    (key,) = [action["Delete"]["Key"]["PK"]["S"] for action in request["TransactItems"] if "Delete" in action]
    return str(key).removeprefix("USER#")


@pytest.fixture
def program(store: Store) -> Program:
    made = Program(store)
    for number in range(USERS):
        made.old.create(UserBefore(user_id=f"u{number}", email=f"{number}@example.org"))
    return made


def migrate(store: Store, connection: Connection) -> migrations.Result:
    db = Store(connection, store.prefix, store.clock).open(DESIGN)
    (result,) = migrations.migrate(db, pause=store.clock.advance)
    return result


def assert_consistent(store: Store, db: Repository) -> None:
    """Every user has one item under the new key, its index key and its lock."""
    stored = Counter(item["PK"]["S"].split("#")[0] for item in store.items("app"))
    assert stored == {"MEMBER": USERS, "_lock": USERS}
    assert len(db.all(UsersByRole(role="member"))) == USERS
    assert not check(db).findings


def test_no_write_between_the_read_and_the_move_is_lost(store: Store, program: Program) -> None:
    """The user who is about to move is visited under the old key, and a moved user under the new key."""
    expected: Counter[str] = Counter()

    def interrupt(request: dict[str, Any]) -> None:
        for user_id in (moved_user(request), "u0"):
            if expected[user_id] < 3:
                program.visit(user_id)
                expected[user_id] += 1
                assert program.visits(user_id) == expected[user_id]

    connection = Interrupting(store.connection, interrupt)
    result = migrate(store, connection)
    assert result.tally.changed == USERS
    assert not result.rejects
    assert connection.canceled > 0, "no write came between a read and a move"
    program.visit("u0")
    expected["u0"] += 1
    assert min(program.written_to["old"], program.written_to["new"]) > 0, "both keys were written"
    assert {f"u{number}": program.visits(f"u{number}") for number in range(USERS)} == expected
    assert_consistent(store, program.db)


def test_a_user_is_under_one_key_at_every_time(store: Store, program: Program) -> None:
    seen: Counter[int] = Counter()

    def interrupt(request: dict[str, Any]) -> None:
        keys = Counter(item["PK"]["S"].split("#")[0] for item in store.items("app"))
        assert keys["USER"] + keys["MEMBER"] == USERS
        seen[keys["MEMBER"]] += 1

    migrate(store, Interrupting(store.connection, interrupt))
    assert set(seen) == set(range(USERS)), "the migration was seen at each of its states"
    assert_consistent(store, program.db)


def test_a_user_or_an_email_address_is_not_taken_twice_during_the_change(
    store: Store, program: Program
) -> None:
    refused: Counter[str] = Counter()

    def interrupt(request: dict[str, Any]) -> None:
        for user_id, email in (
            (moved_user(request), "new@example.org"),
            ("u99", "0@example.org"),
            ("u0", "x@x"),
        ):
            with pytest.raises(errors.TransactionFailed):
                program.create(User(user_id=user_id, email=email))
            refused[user_id] += 1

    migrate(store, Interrupting(store.connection, interrupt))
    assert refused["u99"] == USERS
    assert_consistent(store, program.db)


def test_an_index_key_is_rewritten_in_place(store: Store) -> None:
    class Renamed(Entity, table=main, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()]
        role: str = "member"
        visits: Annotated[int, fields.Counter()] = 0
        keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1=("ROLES#{role}", "{user_id}"))

    class RenamedById(Get[Renamed]):
        user_id: str

    class RenamedByRole(Query[Renamed]):
        role: str
        key = "GSI1PK = ROLES#{role}"

    reindex = migrations.Migration("reindex", Renamed)
    design = Design("app", entities=[Renamed], patterns=[RenamedById, RenamedByRole], migrations=[reindex])
    old = store.open(BEFORE)
    for number in range(USERS):
        old.create(UserBefore(user_id=f"u{number}", email=f"{number}@example.org"))
    writer = store.open(design)
    interrupted: list[str] = []

    class BeforeUpdates(Interrupting):
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and request["TableName"].endswith("app") and len(interrupted) < 5:
                user_id = request["Key"]["PK"]["S"].removeprefix("USER#")
                writer.update(RenamedById(user_id=user_id), set={"role": "admin"})
                interrupted.append(user_id)
            return super().call(operation, request)

    db = Store(BeforeUpdates(store.connection, lambda _: None), store.prefix, store.clock).open(design)
    (result,) = migrations.migrate(db, pause=store.clock.advance)
    assert not result.rejects
    assert len(interrupted) >= 5, "writes came between a read and a write of the migration"
    admins = [user.user_id for user in writer.all(RenamedByRole(role="admin"))]
    members = [user.user_id for user in writer.all(RenamedByRole(role="member"))]
    assert sorted(admins) == sorted(set(interrupted))
    assert len(admins) + len(members) == USERS
    assert not check(writer).findings


def test_items_under_the_old_key_are_findings(store: Store, program: Program) -> None:
    found = {finding.key["PK"]["S"] for finding in check(program.db).findings}
    assert {f"USER#u{number}" for number in range(USERS)} <= found


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("MEMBERS#{}", "has a key that does not match its fields"),
        ("MEMBER#u1", "has a key that does not match its fields"),
    ],
)
def test_a_wrong_key_is_rejected_and_nothing_is_lost(
    store: Store, program: Program, key: str, reason: str
) -> None:
    def with_wrong_key(item: dict[str, Any]) -> dict[str, Any]:
        return item | {"PK": key.format(item["userId"])}

    wrong = migrations.Migration("wrong", User, up=with_wrong_key)
    (result,) = migrations.migrate(store.open(Design("app", entities=[User], migrations=[wrong])))
    assert len(result.rejects) == USERS - result.tally.changed
    assert all(reason in reject.reason for reject in result.rejects)
    assert [program.visits(f"u{number}") for number in range(USERS)] == [0] * USERS


def test_a_key_where_another_item_is_stored_is_rejected(store: Store, program: Program) -> None:
    store.put("app", {"PK": {"S": "MEMBER#u1"}, "SK": {"S": "PROFILE"}, "type": {"S": "NOTE"}})
    result = migrate(store, store.connection)
    (reject,) = result.rejects
    assert "would move to MEMBER#u1" in reject.reason or "where another item is stored" in reject.reason
    assert reject.key["PK"] == {"S": "USER#u1"}
    assert program.visits("u1") == 0
