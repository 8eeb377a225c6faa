"""Mistakes as a user makes them. mypy and pyright must report each line that is marked, and no other line.

The file is checked (see test_type_checkers), and never run. What no type checker can see, such as a misspelt name
in the text of a key, is rejected when the class is defined.
"""

from datetime import UTC, datetime

from tablewright import (
    Clock,
    Copy,
    Design,
    Entity,
    Index,
    Keys,
    Query,
    Repository,
    Sparse,
    Table,
    connect,
    embedded,
    events,
    fields,
    migrations,
    reads,
    writes,
)
from tests.typing.library import (
    Everything,
    Loan,
    LoansOf,
    ManyUsers,
    Note,
    User,
    UserByEmail,
    UserById,
    UsersByRole,
    design,
    main,
)

db = connect(design)
user = User(name="Ada", email="ada@example.org", password="secret")


class Refused(Exception):
    def __init__(self, user_id: str) -> None:
        super().__init__(user_id)


def entities() -> None:
    User(nam="Ada", name="Ada", email="a@example.org", password="s")  # error: misspelt field
    User(name=3, email="a@example.org", password="s")  # error: a number for a text
    User(name="Ada", email="a@example.org")  # error: no password
    User("Ada", email="a@example.org", password="s")  # error: fields are named
    User(name="Ada", email="a@example.org", password="s", role="READER")  # error: text for a Role
    User(name="Ada", email="a@example.org", password="s", created_at="2026-01-01")  # error: text for a time
    User(name="Ada", email="a@example.org", password="s", keys=Keys())  # error: not a field
    Loan(user_id="u1", title="Dune", due="soon")  # error: text for a number
    Note(note_id="1", body="x")  # error: the stored name
    user.nmae  # error: misspelt field
    user.visits + "1"  # error: number and text
    user.nickname.upper()  # error: may be None
    user.name = 3  # error: a number for a text
    user.changed("Ada")  # error: neither a change nor a named field


def conditions() -> None:
    db.update(user, set={"name": "x"}, when=User.nmae == "x")  # error: misspelt field
    db.update(user, set={"name": "x"}, when=User.visits > "x")  # error: number and text
    db.update(user, set={"name": "x"}, when="name = x")  # error: text is not a condition
    db.update(user, set={"name": "x"}, when=User.name)  # error: a field is not a condition
    db.update(user, set={"name": "x"}, when=fields.of(User.name) == 3)  # error: never equal
    db.update(user, set={"name": "x"}, when=fields.of(User.tags).size())  # error: not compared
    fields.of(User.nmae)  # error: misspelt field
    fields.of(User.name).one_of("a", 3)  # error: text and number
    fields.of(User.visits).between(1, "9")  # error: number and text
    fields.of(User.visits).begins_with("A")  # error: not a text
    fields.of(User.tags).contains(3)  # error: the set has texts
    fields.of(User.visits).contains(3)  # error: not a text, list or set
    fields.of(User.created_at).between(datetime(2026, 1, 1, tzinfo=UTC), "now")  # error: time and text
    fields.of(User.role).one_of("READER")  # error: text for a Role
    fields.of(User.name).begin_with("A")  # error: misspelt method
    fields.of(User.name).size() > "3"  # error: number and text
    fields.of(User.history["first"])  # error: the index of a list is a number
    fields.of(fields.present(User.address).town)  # error: misspelt field
    User.address.city  # error: may be None: fields.present(User.address).city


def changes() -> None:
    db.update(user, fields.of(User.name).set(3))  # error: a number for a text
    db.update(user, fields.of(User.nmae).set("x"))  # error: misspelt field
    db.update(user, fields.of(User.role).set("READER"))  # error: text for a Role
    db.update(user, fields.of(User.visits).add("1"))  # error: text for a number
    db.update(user, fields.of(User.name).add(1))  # error: a text has no sum
    db.update(user, fields.of(User.tags).add(3))  # error: the set has texts
    db.update(user, fields.of(User.tags).discard(3))  # error: the set has texts
    db.update(user, fields.of(User.history).append(3))  # error: the list has texts
    db.update(user, fields.of(User.tags).append("x"))  # error: a set has no end
    db.update(user, fields.of(User.visits).prepend(1))  # error: not a list
    db.update(user, fields.of(User.tags).raise_to({"x"}))  # error: a set has no order
    db.update(user, fields.of(User.visits).lower_to("1"))  # error: text for a number
    db.update(user, fields.of(User.settings)["theme"].set(3))  # error: the map has texts
    db.update(user, fields.of(User.nickname).set_if_absent(3))  # error: a number for a text
    db.update(user, fields.of(User.name) == "x")  # error: a condition is not a change
    db.update(user, fields.of(User.name))  # error: a field is not a change
    db.delete(user, when=fields.of(User.name).set("x"))  # error: a change is not a condition
    db.upsert(user, "x")  # error: text is not a change
    writes.Update(user, {"name": "x"})  # error: a mapping without set=
    writes.Add(user, 1)  # error: a number is not a change
    user.changed(fields.of(User.name).set(3))  # error: a number for a text


def patterns() -> None:
    UserById(usr_id="u1")  # error: misspelt parameter
    UserById(user_id=1)  # error: a number for a text
    UserById()  # error: no parameter
    UserById("u1")  # error: parameters are named
    UsersByRole(role="READER")  # error: text for a Role
    ManyUsers(user_id="u1")  # error: one text for a list
    UserById(user_id="u1").user_id = "u2"  # error: a request does not change
    LoansOf(user_id="u1", limit=3)  # error: limit is an argument of run
    Design("library", entities=[UserById])  # error: a pattern is not an entity
    Design("library", patterns=[User])  # error: an entity is not a pattern
    Design("library", entities=User)  # error: not a list


def all_reads() -> None:
    db.run(UserById(user_id="u1")).name  # error: may be None
    db.get_or_raise(UserById(user_id="u1")).nmae  # error: misspelt field
    db.run(LoansOf(user_id="u1"))[0].email  # error: a loan has no email
    db.run(LoansOf(user_id="u1")).itmes  # error: misspelt attribute
    db.run(UserById)  # error: the class, not a request
    db.run(User)  # error: an entity class
    db.run(user)  # error: an entity
    db.run("u1")  # error: text
    db.run(UserById(user_id="u1"), limit=3)  # error: a Get has no limit
    db.run(LoansOf(user_id="u1"), limit="3")  # error: text for a number
    db.all(UserById(user_id="u1"))  # error: a Get returns one
    db.get_or_raise(LoansOf(user_id="u1"))  # error: a Query returns many
    db.get_all(UserById(user_id="u1"), LoansOf(user_id="u1"))  # error: a Query returns many
    db.get_all(UserById(user_id="u1"))[0].name  # error: may be None
    db.get_all([LoansOf(user_id="u1")])  # error: a Query returns many
    users: list[User] = db.all(LoansOf(user_id="u1"))  # error: loans, not users
    one: User = db.run(UserById(user_id="u1"))  # error: may be None
    for each in db.iterate(Everything()):
        each.email  # error: a loan has no email
    reads.Merged([UserById(user_id="u1")])  # error: not a query
    assert users and one


def all_writes() -> None:
    db.create(UserById(user_id="u1"))  # error: a pattern
    db.create(User)  # error: a class
    db.create({"name": "Ada"})  # error: a mapping
    db.create(user, otherwise="taken")  # error: text is not an exception
    db.create(user, otherwise=Refused)  # error: the exception needs an argument
    db.get_or_raise(UserById(user_id="u1"), otherwise=404)  # error: a number is not an exception
    loan: Loan = db.create(user)  # error: a user
    db.retrying(db.create)(3)  # error: a number is not an entity
    db.retrying(db.create, attempts="3")  # error: text for a number
    writes.Put(user, Refused("u1"))  # error: otherwise is named
    writes.Delete(user, otherwise=Refused)  # error: the exception needs an argument
    db.update(user, set={"name"})  # error: a set, not a mapping
    db.update(User, set={"name": "x"})  # error: a class
    db.update(user, set={"name": "x"}, wen=User.active)  # error: misspelt argument
    db.update(user, {"name": "x"})  # error: a mapping without set=
    db.update(UserByEmail(email="x"), set={"name": "x"})  # error: a Find does not name the key
    db.update(user, set={"name": "x"}, version="1")  # error: text for a number
    db.delete(LoansOf(user_id="u1"))  # error: a Query is not a target
    db.delete("u1")  # error: text is not a target
    db.delete_with_owned("u1")  # error: text is not a target
    db.delete_with_owned(user, when=User.active)  # error: it takes no condition
    db.delete_with_owned(user, on_progress="x")  # error: not a function
    db.delete_with_owned(user).delted  # error: misspelt member
    fields.References()  # error: no target
    fields.References(3)  # error: a number is not a class
    fields.OwnedBy(User, fild="user_id")  # error: misspelt argument
    fields.OwnedBy(User, within=["user_id"])  # error: a list, not a mapping
    db.batch([writes.Create(user)])  # error: a batch has puts and deletes
    db.transact(user)  # error: an entity is not a write
    db.transact(writes.Create(user))[0].nmae  # error: misspelt field
    db.transact(writes.Update(user, set={"name": "x"}))[0].name  # error: may not be known
    db.get_all(LoansOf(user_id="u1"))  # error: a Query returns many
    db.get_all(UserById(user_id="u1"))[1]  # error: one request, one result
    db.transact([writes.Create(user)])  # error: a list is not a write
    db.transact(writes.Create(user), writes.Delete(user))[0].nmae  # error: misspelt field
    db.transact(writes.Add(user, visits=1))[0].name  # error: may be None
    db.upsert(UserById(user_id="u1"))  # error: a pattern
    writes.Create(UserById(user_id="u1"))  # error: a pattern
    writes.Target(User, "u1")  # error: the key is a mapping
    writes.Target("User", {"user_id": "u1"})  # error: the class is not text
    writes.Check(user, "active")  # error: text is not a condition
    writes.Updte(user)  # error: misspelt class
    db.crate(user)  # error: misspelt method
    assert loan


def declarations() -> None:
    Table("books", ("PK", "SK"), streams="NEW_IMAGE")  # error: misspelt argument
    Table("books", ("PK", "SK"), stream="NEW")  # error: not a stream view
    Table("books", "PK", indexes=["GSI1"])  # error: a name is not an index
    Table("books", "PK", types={"PK": "string"})  # error: not S, N or B
    Table("books")  # error: no key
    Index("GSI1", "a", projection=3)  # error: not a projection
    Index("GSI1", "a", sort_key="b")  # error: misspelt argument
    Keys(primary=3)  # error: not a template
    Sparse("OPEN", when=3)  # error: not a condition
    Sparse("OPEN")  # error: no condition
    Copy(each="members", name="member")  # error: no key
    fields.Unique(normalize=fields.fold)  # error: misspelt argument
    fields.Unique(within="account_id")  # error: one text for a tuple
    fields.Encrypted("account_id")  # error: one text for a tuple
    fields.Ttl(after=90, of="created_at")  # error: a number for a timedelta
    fields.Expect(item=3)  # error: misspelt argument
    fields.Expect(writes=3)  # error: a number for a rate
    fields.nwo()  # error: misspelt function


class Book(Entity, table=main):
    book_id: int = "b1"  # error: text for a number
    keys = Keys(primary=("BOOK#{book_id}", "BOOK"))


class BookById(Query[Loan]):
    user_id: str
    key = 3  # error: not a text
    filter = 3  # error: not a filter
    descending = "yes"  # error: not a bool
    rate = 5  # error: not a rate


@events.on(User, "insrted")  # error: not an event
def misspelt(event: events.Inserted[User]) -> None: ...


@events.on(User, "inserted")  # error: another event
def other_event(event: events.Modified[User]) -> None: ...


@events.on(User, "inserted", "modified")  # error: one of the events is not accepted
def too_few_events(event: events.Inserted[User] | events.Removed[User]) -> None: ...


@events.on(User)  # error: without names, all events
def one_event(event: events.Inserted[User]) -> None: ...


@events.on(User, "inserted")  # error: another entity
def other_entity(event: events.Inserted[Loan]) -> None: ...


@events.on(User, "inserted")
def right_event(event: events.Inserted[User]) -> None:
    event.old  # error: an insert has no old entity


def listeners(event: events.Updated[User]) -> None:  # error: no such event
    db.streams.handle(listeners)  # error: not a listener
    db.streams.handle(right_event, trys=3)  # error: misspelt argument
    right_event(user)  # error: an entity is not an event


def connections(unknown: Repository) -> None:
    db.connection.swep()  # error: misspelt method
    unknown.connection.sweep()  # error: not every connection has it
    connect("app.db")  # error: no design
    connect(design, clock=3)  # error: not a clock
    connect(design, 3)  # error: not a location
    connect(design, enviroment="main")  # error: misspelt argument
    embedded(durabilty="full")  # error: misspelt argument
    embedded(durability="none")  # error: not a durability
    Clock("now")  # error: text for a number
    migrations.migrate(design)  # error: a design is not connected
    migrations.Migration("capitals", User, up="upper")  # error: not a function


async def awaited() -> None:
    async with db.aio as adb:
        adb.create(user)  # error: no await
        adb.run(UserById(user_id="u1")).name  # error: no await
        (await adb.run(UserById(user_id="u1"))).name  # error: may be None
        for each in adb.iterate(LoansOf(user_id="u1")):  # error: async for
            assert each
        await adb.create(UserById(user_id="u1"))  # error: a pattern
        await db.create(user)  # error: the sync repository
