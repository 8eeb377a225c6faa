"""Deliberate mistakes in the use of a design: refused with the fix, or done as the caller meant it."""

from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, Field

from tablewright import (
    Connection,
    Copy,
    Design,
    Entity,
    Find,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Table,
    connect,
    embedded,
    fields,
    reads,
    writes,
)
from tests.mistakes.outcomes import REFUSED, outcome

hub = Table(
    "hub",
    ("PK", "SK"),
    [
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("by-email", "email"),
        Index("by-place", ("country", "city"), ("street", "userId")),
    ],
)


class Role(Enum):
    ADMIN = "admin"
    GUEST = "guest"


class User(Entity, table=hub, type="USER"):
    user_id: str
    email: Annotated[str, AfterValidator(str.lower)]
    role: Role = Role.GUEST
    country: str = "SE"
    city: str = "Lund"
    street: str = "Main"
    note: str | None = None
    keys = Keys(primary=("USER#{user_id}", "USER"), GSI1=("ROLE#{role}", "{user_id}"))


class Post(Entity, table=hub, type="POST"):
    post_id: str = fields.new_id()
    title: str = ""
    at: fields.Timestamp = fields.now()
    keys = Keys(primary=("POST#{post_id}", "POST"), GSI1=("POSTS#{post_id:shard(8)}", "{post_id}"))


class Entry(Entity, table=hub, type="ENTRY"):
    entry_id: str
    at: fields.Timestamp
    keys = Keys(primary=("LOG#{at:%Y-%m}", "{at}#{entry_id}"))


class Stock(Entity, table=hub, type="STOCK"):
    product_id: str
    left: Annotated[int, fields.Counter(), Field(ge=0)] = 0
    keys = Keys(primary=("STOCK#{product_id}", "STOCK"))


class UserById(Get[User]):
    user_id: str


class UserByEmail(Find[User]):
    email: str
    index = "by-email"


class UsersByRole(Query[User]):
    role: str
    key = "GSI1PK = ROLE#{role}"


class PostsOfShard(Query[Post]):
    shard: int
    key = "GSI1PK = POSTS#{shard}"


class EntriesOfMonth(Query[Entry]):
    month: str
    key = "PK = LOG#{month}"


class StockOf(Get[Stock]):
    product_id: str


PATTERNS = [UserById, UserByEmail, UsersByRole, PostsOfShard, EntriesOfMonth, StockOf]


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(Design("hub", entities=[User, Post, Entry, Stock], patterns=PATTERNS)) as db:
        db.create(User(user_id="1", email="ada@example.org"))
        yield db


def test_a_parameter_is_normalised_as_the_field_is(db: Repository) -> None:
    found = outcome(lambda: db.run(UserByEmail(email="Ada@Example.org")), "UserByEmail", "email")
    assert found == REFUSED or found.user_id == "1"


def test_a_parameter_with_the_name_of_an_enum_member(db: Repository) -> None:
    found = outcome(lambda: len(db.run(UsersByRole(role="GUEST"))), "UsersByRole", "role", "guest")
    assert found in (REFUSED, 1)


def test_a_month_without_its_zero(db: Repository) -> None:
    db.create(Entry.model_validate({"entry_id": "1", "at": "2026-05-01T12:00:00Z"}))
    found = outcome(lambda: len(db.run(EntriesOfMonth(month="2026-5"))), "EntriesOfMonth", "month", "2026-5")
    assert found in (REFUSED, 1)


def test_a_merged_list_of_four_of_eight_shards(db: Repository) -> None:
    for number in range(20):
        db.create(Post(post_id=f"p{number}"))
    posts = outcome(
        lambda: len(db.all(reads.Merged([PostsOfShard(shard=shard) for shard in range(4)]))), "shard", "8"
    )
    assert posts in (REFUSED, 20)


def test_a_merged_list_that_names_a_shard_twice(db: Repository) -> None:
    db.create(Post(post_id="p1"))
    shards = [*range(8), *range(8)]
    posts = outcome(
        lambda: len(db.all(reads.Merged([PostsOfShard(shard=shard) for shard in shards]))), "PostsOfShard"
    )
    assert posts in (REFUSED, 1)


def test_an_upsert_under_a_new_id(db: Repository) -> None:
    assert outcome(lambda: db.upsert(Post(title="one post")), "Post", "post_id") == REFUSED


def test_an_upsert_that_adds_to_what_it_does_not_create(db: Repository) -> None:
    def count_two() -> int:
        for _ in range(2):
            db.upsert(Stock(product_id="1"), add={"left": 1})
        return db.get_or_raise(StockOf(product_id="1")).left

    assert outcome(count_two, "Stock", "left") in (REFUSED, 2)


def test_an_entity_that_is_not_in_the_design(db: Repository) -> None:
    class Comment(Entity, table=hub, type="COMMENT"):
        comment_id: str
        keys = Keys(primary=("COMMENT#{comment_id}", "COMMENT"))

    for write in (
        lambda: db.create(Comment(comment_id="1")),
        lambda: db.transact(writes.Put(Comment(comment_id="1"))),
        lambda: db.batch([writes.Put(Comment(comment_id="1"))]),
    ):
        assert outcome(write, "Comment", "design", "hub") == REFUSED


def test_a_batch_over_the_item_of_another_type() -> None:
    table = Table("things", ("PK", "SK"))

    class Cat(Entity, table=table, type="CAT"):
        name: str
        keys = Keys(primary=("PET#{name}", "PET"))

    class Dog(Entity, table=table, type="DOG"):
        name: str
        keys = Keys(primary=("PET#{name}", "PET"))

    class CatNamed(Get[Cat]):
        name: str

    with connect(Design("pets", entities=[Cat, Dog], patterns=[CatNamed])) as db:
        db.create(Cat(name="Kim"))
        assert outcome(lambda: db.batch([writes.Put(Dog(name="Kim"))]), "Dog", "Cat") == REFUSED
        assert db.run(CatNamed(name="Kim")) == Cat(name="Kim")


def test_a_condition_that_skips_an_attribute_of_an_index(db: Repository) -> None:
    def skip_city() -> int:
        class UsersOfStreet(Query[User]):
            country: str
            street: str
            key = "country = {country} AND street = {street}"

        return len(db.run(UsersOfStreet(country="SE", street="Main")))

    def skip_street() -> int:
        class UsersOfCity(Query[User]):
            country: str
            city: str
            user_id: str
            key = "country = {country} AND city = {city} AND userId = {user_id}"

        return len(db.run(UsersOfCity(country="SE", city="Lund", user_id="1")))

    assert outcome(skip_city, "UsersOfStreet", "city") in (REFUSED, 1)
    assert outcome(skip_street, "UsersOfCity", "street") in (REFUSED, 1)


def test_the_cursor_of_a_merged_list_in_one_of_its_lists(db: Repository) -> None:
    for number in range(20):
        db.create(Post(post_id=f"p{number}"))
    page = db.run(reads.Merged([PostsOfShard(shard=shard) for shard in range(8)]), limit=3)
    assert (
        outcome(lambda: db.run(PostsOfShard(shard=0), cursor=page.cursor), "PostsOfShard", "cursor")
        == REFUSED
    )
    whole_page: Any = page
    assert outcome(lambda: db.run(PostsOfShard(shard=0), cursor=whole_page), "cursor", "page") == REFUSED


def test_conditions_that_never_hold(db: Repository) -> None:
    user: Any = User
    for condition, word in (
        (lambda: user.email == "Ada@Example.org", "email"),
        (lambda: user.note is None, "is_absent"),
        (lambda: user.role in (Role.GUEST, Role.ADMIN), "one_of"),
    ):

        def update(condition: Any = condition) -> str | None:
            return db.update(UserById(user_id="1"), set={"note": "met"}, when=condition()).note

        assert outcome(update, word) in (REFUSED, "met")
        db.update(UserById(user_id="1"), remove=["note"])


def test_the_environment_under_another_name() -> None:
    design = Design("logs", tables=[Table("logs-{env}", key="id")])
    wrong: dict[str, Any] = {"env": "dev"}
    assert outcome(lambda: connect(design, **wrong).close(), "environment=") in (REFUSED, None)
    assert outcome(lambda: connect(design, environment="dev test"), "dev test") == REFUSED


def test_a_counter_with_a_bound_raises_the_callers_exception(db: Repository) -> None:
    class OutOfStock(Exception):
        pass

    db.create(Stock(product_id="1", left=1))
    taken = fields.of(Stock.left) >= 2
    with pytest.raises(OutOfStock):
        db.update(StockOf(product_id="1"), add={"left": -2}, when=taken, otherwise=OutOfStock)
    with pytest.raises(OutOfStock):
        db.update(StockOf(product_id="1"), add={"left": -2}, otherwise=OutOfStock)
    assert db.get_or_raise(StockOf(product_id="1")).left == 1


late = Table("late", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class MemberBefore(Entity, table=late, type="MEMBER"):
    member_id: str
    email: str
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))


@pytest.fixture
def store() -> Iterator[Connection]:
    """A database with a member that was stored before its class got what a test declares."""
    with embedded() as store:
        connect(Design("late", entities=[MemberBefore]), store).create(
            MemberBefore(member_id="1", email="a@b.c")
        )
        yield store


def test_a_unique_field_that_comes_after_the_items(store: Connection) -> None:
    class Member(Entity, table=late, type="MEMBER"):
        member_id: str
        email: Annotated[str, fields.Unique()]
        keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))

    def duplicate() -> Member:
        db = connect(Design("late", entities=[Member]), store)
        return db.create(Member(member_id="2", email="a@b.c"))

    assert outcome(duplicate, "Member", "email") == REFUSED


def test_an_index_key_that_comes_after_the_items(store: Connection) -> None:
    class Member(Entity, table=late, type="MEMBER"):
        member_id: str
        email: str
        keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"), GSI1=("MEMBERS", "{email}"))

    class Members(Query[Member]):
        key = "GSI1PK = MEMBERS"

    def count() -> int:
        return len(connect(Design("late", entities=[Member], patterns=[Members]), store).run(Members()))

    assert outcome(count, "Member", "GSI1") in (REFUSED, 1)


def test_a_copy_that_comes_after_the_items(store: Connection) -> None:
    class Member(Entity, table=late, type="MEMBER"):
        member_id: str
        email: str
        keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))
        listed = Copy(primary=("LISTED", "{member_id}"))

    class Listed(Query[Member]):
        key = "PK = LISTED"

    def count() -> int:
        return len(connect(Design("late", entities=[Member], patterns=[Listed]), store).run(Listed()))

    assert outcome(count, "Member", "listed") in (REFUSED, 1)
