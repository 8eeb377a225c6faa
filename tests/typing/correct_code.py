"""The whole public language as a user writes it: mypy and pyright accept every line, and every line runs."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, assert_type

from tablewright import (
    Clock,
    Connection,
    Design,
    Entity,
    Faults,
    Repository,
    connect,
    embedded,
    errors,
    events,
    fields,
    keyrings,
    migrations,
    reads,
    writes,
)
from tablewright.connections import Embedded
from tests.typing.library import (
    Address,
    Everything,
    Loan,
    LoansOf,
    ManyUsers,
    Note,
    NoteById,
    Person,
    Role,
    SameTaste,
    User,
    UserByEmail,
    UserById,
    UsersByRole,
    UserWithLoans,
    design,
)


class Missing(Exception):
    pass


class Refused(Exception):
    def __init__(self, user_id: str) -> None:
        super().__init__(user_id)


def new_user(name: str = "Ada") -> User:
    return User(name=name, email=f"{name}@example.org", password="secret")


def entities() -> None:
    user = User(
        user_id="u1",
        name="Ada",
        email="ada@example.org",
        password="secret",
        token=None,
        role=Role.LIBRARIAN,
        balance=Decimal("1.50"),
        tags={"new"},
        history=["joined"],
        settings={"theme": "dark"},
        address=Address(street="St James's Square"),
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert_type(user.name, str)
    assert_type(user.nickname, str | None)
    assert_type(user.created_at, datetime)
    assert_type(user.visits, int)
    assert_type(user.changed(name="Grace"), User)
    assert_type(user.model_copy(), User)
    assert_type(User.layout.table.name, str)
    loan = Loan(user_id="u1", title="Dune", due=3)
    people: list[Person] = [user]
    everything: list[Entity] = [user, loan, *people]
    classes = [User, Loan]
    patterns = [UserById, LoansOf]
    assert len(everything) == 3
    assert Design("listed", entities=classes, patterns=patterns).entities == (User, Loan)


def connections(folder: Path) -> None:
    assert_type(connect(design, environment="a"), Repository[Embedded])
    assert_type(connect(design, embedded(), environment="a", create=True, prefix="x-").connection, Embedded)
    with connect(
        design, folder / "a.db", environment="a", durability="relaxed", secrets=secrets(folder)
    ) as db:
        assert_type(db.connection, Embedded)
    with connect(design, environment="a", clock=Clock(start=0), faults=Faults(seed=1)) as db:
        assert_type(db.connection.sweep(), int)
        assert_type(db.connection.clock, Clock)
        any_connection(db, db.connection)
    where: str | None = None
    connect(design, where, environment="a").close()
    with connect(design, str(folder / "b.db"), environment="a", secrets=secrets(folder)) as either:
        either.connection.sweep()


def secrets(folder: Path) -> keyrings.KeyFile:
    if not (folder / "keys.json").exists():
        keyrings.KeyFile.create(folder / "keys.json")
    return keyrings.KeyFile(folder / "keys.json")


def any_connection(db: Repository, connection: Connection) -> None:
    assert_type(db.connection, Connection)
    assert_type(db.connection.call("ListTables", {}), dict[str, Any])
    assert_type(connect(design, connection, environment="a").connection, Connection)


def requests_of_a_query(db: Repository) -> None:
    """Not run: the loans of a user have neither shards nor months."""
    assert_type(LoansOf.shards(), list[LoansOf])
    assert_type(db.all(reads.Merged(LoansOf.shards())), list[Loan])
    assert_type(db.all(reads.Chained(LoansOf.between(date.min, date.max, user_id="u1"))), list[Loan])


def all_reads(db: Repository) -> None:
    assert_type(db.run(UserById(user_id="u1")), User | None)
    assert_type(db.run(UserByEmail(email="x")), User | None)
    assert_type(db.get_or_raise(UserById(user_id="u1")), User)
    assert_type(db.get_or_raise(UserByEmail(email="Ada@example.org"), otherwise=Missing), User)
    assert_type(db.get_or_raise(UserById(user_id="u1"), otherwise=Refused("u1")), User)
    assert_type(db.get_or_raise(UserById(user_id="u1"), otherwise=lambda: Refused("u1")), User)
    assert_type(db.run(LoansOf(user_id="u1"), limit=3), reads.Page[Loan])
    assert_type(db.run(UserWithLoans(user_id="u1"), cursor=None), reads.Page[User | Loan])
    assert_type(db.run(UsersByRole(role=Role.READER, visits=3), include_expired=True), reads.Page[User])
    assert_type(db.run(ManyUsers(user_id=["u1"])), reads.Page[User])
    assert_type(db.run(LoansOf(user_id="u1"))[0], Loan)
    assert_type(db.run(LoansOf(user_id="u1")).items, tuple[Loan, ...])
    assert_type(db.run(LoansOf(user_id="u1")).cursor, str | None)
    assert_type(db.all(LoansOf(user_id="u1")), list[Loan])
    similar = db.run(SameTaste(taste=[1.0, 0.0, 0.0], role=Role.READER), limit=3)
    assert_type(similar, reads.Page[reads.Match[User]])
    for user, score in similar:
        assert_type(user, User)
        assert_type(score, float)
    assert_type([match.entity for match in similar], list[User])
    assert_type(db.rows(SameTaste(taste=[1.0, 0.0, 0.0])), reads.Page[reads.Match[reads.Row]])
    assert_type(db.rows(LoansOf(user_id="u1")), reads.Page[reads.Row])
    assert_type(db.run(reads.Merged([LoansOf(user_id=each) for each in "ab"]), limit=3), reads.Page[Loan])
    assert_type(db.run(reads.Chained(LoansOf(user_id=each) for each in "ab"), cursor=None), reads.Page[Loan])
    assert_type(db.all(reads.Merged[User | Loan]([UserWithLoans(user_id="a")])), list[User | Loan])
    gets = [UserById(user_id="u1"), UserById(user_id="u2")]
    assert_type(db.get_all(gets), list[User | None])
    assert_type(db.get_all(UserById(user_id="u1")), tuple[User | None])
    assert_type(db.get_all(*gets), tuple[Any, ...])
    assert "BatchGetItem" in str(db.explain(gets))
    found = db.get_all(UserById(user_id="u1"), NoteById(note_id="1"))
    assert_type(found, tuple[User | None, Note | None])
    for either in db.iterate(Everything(), unknown="skip"):
        assert_type(either, User | Loan)
        assert_type(either.title if isinstance(either, Loan) else either.name, str)
    assert "Query" in str(db.explain(LoansOf(user_id="u1"), limit=3))
    assert "PutItem" in str(db.explain(writes.Put(Note(note_id="1"))))


def all_conditions(db: Repository, user: User) -> None:
    """`when=` accepts comparisons, which type checkers see as bool, and what `fields.of` makes of a field."""
    visits, tags, address = fields.of(User.visits), fields.of(User.tags), fields.of(User.address)
    assert_type(visits, fields.Attribute[int])
    assert_type(fields.of(User.nickname), fields.Attribute[str])
    for condition in (
        visits.between(0, 3) & visits.one_of(0, 1) & ~(visits > 9),
        fields.of(User.name).begins_with("A") | fields.of(User.name).contains("d"),
        tags.contains("new") | tags.size().between(0, 3) | (tags.size() == 1),
        fields.of(User.nickname).is_absent() & address.exists(),
        fields.of(User.history).size() > 0,
        fields.of(fields.present(User.address).city) == "London",
        fields.of(User.settings)["theme"] == "dark",
        fields.of(User.role) == Role.LIBRARIAN,
        fields.of(User.created_at) < datetime(2027, 1, 1, tzinfo=UTC),
        (User.active == True) & address.exists(),  # noqa: E712
    ):
        user = db.update(
            user,
            set={"name": "Ada"},
            when=condition,
            otherwise={errors.ConditionNotMet: Missing},
        )
    user = db.update(user, set={"name": "Ada"}, when=User.name == "Ada")
    user = db.update(user, set={"name": "Ada"}, when=User.visits < 3)
    db.transact(writes.Check(user, User.active == True))  # noqa: E712


def on_deleted(report: writes.DeletionReport) -> None:
    assert_type(report.deleted["Loan"], int)
    assert_type(report.unreadable, list[errors.UnknownItem])


def all_writes(db: Repository) -> None:
    assert_type(db.create(new_user("Bob"), otherwise=Missing), User)
    user = db.put(new_user("Eve"))
    assert_type(user, User)
    user = db.update(user, set={"name": "Eve"}, remove=["nickname"], add={"visits": 1}, version=user.version)
    assert_type(db.update(UserById(user_id=user.user_id), set={"name": "E"}, otherwise=Refused("u1")), User)
    assert_type(db.update(writes.Target(User, {"user_id": user.user_id}), set={"name": "E"}), User)
    assert_type(db.add(UserById(user_id=user.user_id), visits=1, otherwise=Missing), User)
    amounts = {"visits": 1}
    assert_type(db.add(UserById(user_id=user.user_id), **amounts), User)
    assert_type(db.upsert(new_user("Joe").changed(user_id="joe")), User)
    loan = db.create(Loan(user_id="u1", title="Dune", due=3))
    assert_type(db.upsert(loan, set={"due": 4}, when=Loan.due == 3), Loan)
    assert_type(db.move(loan, user_id="u2"), Loan)
    assert_type(db.delete(writes.Target(Loan, {"user_id": "u1", "loan_id": "x"})), bool)
    assert_type(
        db.delete_with_owned(UserById(user_id="unknown"), on_progress=on_deleted), writes.DeletionReport
    )
    others = [Loan(user_id="u3", title="Emma", due=3)]
    transaction: list[writes.Write] = [writes.Create(other) for other in others]
    db.transact(
        *transaction,
        writes.Put(new_user("Kim"), otherwise=Missing),
        writes.Update(UserById(user_id=user.user_id), set={"name": "E"}),
        writes.Upsert(new_user("Lea").changed(user_id="lea", visits=1), add={"visits": 1}),
        writes.CheckAbsent(new_user("Tom"), otherwise=Missing),
    )
    emma = Loan(user_id="u4", title="Emma", due=3)
    assert_type(db.transact(writes.Create(emma), writes.Put(new_user("Uma"))), tuple[Loan, User])
    assert_type(
        db.transact(writes.Update(emma, set={"due": 4}), writes.Delete(UserById(user_id="none"))),
        tuple[Loan | None, None],
    )
    assert_type(db.transact(*transaction[:0]), tuple[Entity | None, ...])
    created, updated, deleted = db.transact(
        writes.Create(Note(note_id="t")),
        writes.Update(UserById(user_id=user.user_id), fields.of(User.name).set("Eve")),
        writes.Delete(writes.Target(Loan, {"user_id": "u1", "loan_id": "x"})),
    )
    assert_type(created, Note)
    assert_type(updated, User | None)
    assert_type(deleted, None)
    db.batch(writes.Put(Note(note_id=str(number))) for number in range(3))
    db.batch([writes.Put(Note(note_id="4")), writes.Delete(Note(note_id="1"))])


def all_changes(db: Repository, user: User) -> None:
    """Changes are typed by `fields.of`."""
    name, history, tags = fields.of(User.name), fields.of(User.history), fields.of(User.tags)
    user = db.update(user, name.set("Ada"), fields.of(User.visits).add(1), when=User.name == "Ada")
    user = db.update(user, history.append("a", "b"), tags.add("x", "y"), fields.of(User.balance).add(1))
    user = db.update(user, history.prepend("c"), tags.discard("x"), fields.of(User.nickname).set(None))
    user = db.update(user, fields.of(User.nickname).set_if_absent("A"), fields.of(User.token).remove())
    user = db.update(
        user, fields.of(User.settings)["theme"].set("light"), fields.of(User.role).set(Role.READER)
    )
    user = db.update(user, fields.of(fields.present(User.address).city).set("Ulm"), otherwise=Missing)
    user = db.update(user, fields.of(User.seen).raise_to(3), fields.of(User.due).lower_to(date(2026, 1, 1)))
    assert_type(db.upsert(user, fields.of(User.settings)["theme"].remove()), User)
    user = db.get_or_raise(UserById(user_id="u1"))
    assert_type(user.changed(name.set("Grace")), User)
    db.transact(
        writes.Update(UserById(user_id="u1"), name.set("Ada")),
        writes.Update(
            writes.Target(Loan, {"user_id": "u1", "loan_id": "l1"}), fields.of(Loan.title).set("Emma")
        ),
    )
    db.transact(writes.Add(UserById(user_id="u1"), fields.of(User.visits).add(1)))


def read_again(db: Repository, user_id: str, *, name: str) -> User:
    return db.update(db.get_or_raise(UserById(user_id=user_id)), set={"name": name})


@writes.retrying(attempts=3)
def read_again_decorated(db: Repository, user_id: str) -> User:
    return read_again(db, user_id, name="Ada")


def retries(db: Repository) -> None:
    assert_type(db.retrying(read_again)(db, "u1", name="Ada"), User)
    assert_type(db.retrying(attempts=3)(read_again)(db, "u1", name="Ada"), User)
    assert_type(read_again_decorated(db, "u1"), User)


@events.on(User, "inserted")
def on_insert(event: events.Inserted[User]) -> None:
    assert_type(event.new.name, str)


@events.on(User, "inserted", "modified")
def on_write(event: events.Inserted[User] | events.Modified[User]) -> None:
    assert_type(event.new, User)
    if isinstance(event, events.Modified):
        assert_type(event.old, User)


@events.on(Loan, "removed", "expired", "modified")
def on_end(event: events.Removed[Loan] | events.Expired[Loan] | events.Modified[Loan]) -> None:
    assert_type(event.old.title, str)


@events.on(Loan)
def on_any(event: events.Event[Loan]) -> None:
    assert_type(event.at, datetime)


@events.on(Loan, "inserted")
def audit(event: events.Event[Entity]) -> None:
    """A listener may accept more than it is registered for."""


@events.on(User, "inserted")
async def on_insert_async(event: events.Inserted[User]) -> None:
    assert_type(event.new.name, str)


def listeners(db: Repository) -> None:
    report = db.streams.handle(on_insert, on_write, on_end, on_any, audit, tries=1)
    assert_type(report.delivered, int)
    assert not report.failures
    db.streams.follow(on_any, stop=lambda: True, consumer="follower")


def all_migrations(db: Repository) -> None:
    found = migrations.migrate(db)
    assert_type(found, list[migrations.Result])
    assert [each.status for each in migrations.status(db)] == ["applied"]


async def awaited(database: Repository) -> None:
    async with database.aio as db:
        assert_type(await db.run(UserById(user_id="u1")), User | None)
        assert_type(await db.get_or_raise(UserById(user_id="u1"), otherwise=Missing), User)
        assert_type(await db.run(UserWithLoans(user_id="u1"), limit=3), reads.Page[User | Loan])
        assert_type(await db.all(LoansOf(user_id="u1")), list[Loan])
        assert_type(await db.run(SameTaste(taste=[1.0, 0.0, 0.0])), reads.Page[reads.Match[User]])
        async for loan in db.iterate(LoansOf(user_id="u1")):
            assert_type(loan, Loan)
        user = await db.put(new_user("Sue"), otherwise=Missing)
        assert_type(await db.update(user, set={"name": "Sue"}), User)
        ann = new_user("Ann").changed(user_id="ann", visits=1)
        assert_type(await db.upsert(ann, add={"visits": 1}), User)
        assert_type(await db.delete(UserById(user_id="unknown")), bool)
        assert_type(await db.delete_with_owned(UserById(user_id="unknown")), writes.DeletionReport)
        await db.transact(writes.Create(new_user("Zoe")))
        await db.batch([writes.Put(Note(note_id="9"))])
        await db.streams.handle(on_insert_async, consumer="async")


def a_test_of_a_user(db: "Repository[Embedded]", db_clock: Clock, db_engine: Embedded) -> None:
    """The fixtures of the pytest plugin, annotated."""
    db.create(new_user("Ida"))
    db_clock.advance(timedelta(days=1))
    assert db_engine.sweep() == db.connection.sweep() == 0


def run(folder: Path) -> None:
    """Run everything: what type checkers accept also works."""
    entities()
    connections(folder)
    clock = Clock(start=1_790_000_000)
    with connect(design, environment="test", clock=clock) as db:
        ada = db.create(new_user().changed(user_id="u1", address=Address(street="St James's Square")))
        db.create(Loan(user_id="u1", loan_id="l1", title="Dune", due=3))
        all_reads(db)
        values = {
            "role": Role.LIBRARIAN,
            "tags": {"new"},
            "history": ["joined"],
            "settings": {"theme": "dark"},
        }
        all_conditions(db, db.update(ada, set=values))
        all_changes(db, db.get_or_raise(UserById(user_id="u1")))
        all_writes(db)
        retries(db)
        listeners(db)
        all_migrations(db)
        a_test_of_a_user(db, clock, db.connection)
        asyncio.run(awaited(db))
