"""Code as a user writes it. mypy and pyright check it (see test_typing); it is never run."""

from typing import assert_type

from tablewright import (
    BatchGet,
    Design,
    Entity,
    Find,
    Get,
    Keys,
    Query,
    Scan,
    Table,
    connect,
    reads,
    writes,
)
from tablewright.access.reads.field_rows import Row
from tablewright.access.reads.pages import Page

main = Table("main", key=("PK", "SK"))


class User(Entity, table=main, type="USER"):
    user_id: str
    email: str
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Post(Entity, table=main, type="POST"):
    user_id: str
    post_id: str
    keys = Keys(primary=("USER#{user_id}", "POST#{post_id}"))


class UserById(Get[User]):
    user_id: str


class OnlyUser(Find[User]):
    user_id: str


class PostsOf(Query[Post]):
    user_id: str


class UserWithPosts(Query[User | Post]):
    user_id: str
    key = "PK = USER#{user_id}"


class ManyUsers(BatchGet[User]):
    user_id: list[str]


class Everything(Scan[User | Post]):
    pass


class Missing(Exception):
    pass


class Refused(Exception):
    def __init__(self, user_id: str) -> None:
        super().__init__(user_id)


def rename(user_id: str, *, email: str) -> User:
    return User(user_id=user_id, email=email)


@writes.retrying
async def rename_async(user_id: str) -> User:
    return User(user_id=user_id, email="x")


def called() -> None:
    db = connect(Design("sample"))
    assert_type(db.run(UserById(user_id="u1")), User | None)
    assert_type(db.run(OnlyUser(user_id="u1")), User | None)
    assert_type(db.get_or_raise(UserById(user_id="u1")), User)
    assert_type(db.get_or_raise(OnlyUser(user_id="u1"), otherwise=Missing), User)
    assert_type(db.get_or_raise(UserById(user_id="u1"), otherwise=Refused("u1")), User)
    assert_type(db.get_or_raise(UserById(user_id="u1"), otherwise=lambda: Refused("u1")), User)
    assert_type(db.run(PostsOf(user_id="u1"), limit=3), Page[Post])
    assert_type(db.run(UserWithPosts(user_id="u1")), Page[User | Post])
    assert_type(db.run(ManyUsers(user_id=["u1"])), Page[User])
    assert_type(db.run(PostsOf(user_id="u1"))[0], Post)
    assert_type(db.all(PostsOf(user_id="u1")), list[Post])
    assert_type(db.rows(PostsOf(user_id="u1")), Page[Row])
    for either in db.iterate(Everything()):
        assert_type(either, User | Post)
    assert_type(db.run(reads.Merged([PostsOf(user_id=each) for each in "ab"]), limit=3), Page[Post])
    assert_type(db.run(reads.Chained(PostsOf(user_id=each) for each in "ab"), cursor=None), Page[Post])
    assert_type(db.all(reads.Merged[User | Post]([UserWithPosts(user_id="a")])), list[User | Post])
    reads.Merged([UserById(user_id="u1")])  # type: ignore[arg-type]
    user = User(user_id="u1", email="ada@example.org")
    assert_type(db.create(user), User)
    assert_type(db.update(UserById(user_id="u1"), set={"email": "x"}), User)
    assert_type(db.update(user, remove=["email"]), User)
    assert_type(db.retrying(rename)("u1", email="x"), User)
    assert_type(db.retrying(attempts=3)(rename)("u1", email="x"), User)
    assert_type(db.upsert(user), User)
    assert_type(db.upsert(user, set={"email": "x"}, otherwise=Missing), User)
    db.transact(writes.Upsert(user, add={"visits": 1}))
    assert_type(db.add(writes.Target(User, {"user_id": "u1"}), visits=1), User)
    assert_type(db.move(user, user_id="u2"), User)
    assert_type(db.delete(user), bool)
    assert_type(db.create(user, otherwise=Missing), User)
    assert_type(db.update(user, set={"email": "x"}, otherwise=Refused("u1")), User)
    assert_type(db.add(user, visits=1, otherwise=Missing), User)
    amounts = {"visits": 1}
    assert_type(db.add(user, **amounts), User)
    assert_type(db.delete(user, otherwise=lambda: Refused("u1")), bool)
    assert_type(writes.Create(user, otherwise=Missing), writes.Create[User])
    db.transact(writes.Add(user, visits=1, otherwise=Missing), writes.CheckAbsent(user, otherwise=Missing))


async def awaited() -> None:
    async with connect(Design("sample")).aio as db:
        assert_type(await db.run(UserById(user_id="u1")), User | None)
        assert_type(await db.get_or_raise(UserById(user_id="u1"), otherwise=Missing), User)
        assert_type(await db.run(UserWithPosts(user_id="u1"), limit=3), Page[User | Post])
        assert_type(await db.all(PostsOf(user_id="u1")), list[Post])
        async for post in db.iterate(PostsOf(user_id="u1")):
            assert_type(post, Post)
        assert_type(await db.put(User(user_id="u1", email="x"), otherwise=Missing), User)
        assert_type(await db.upsert(User(user_id="u1", email="x"), add={"visits": 1}), User)
        assert_type(await db.retrying(rename_async)("u1"), User)
        assert_type(await db.move(UserById(user_id="u1"), user_id="u2", otherwise=Missing), User)


def mistaken() -> None:
    db = connect(Design("sample"))
    UserById(user="u1")  # type: ignore[call-arg]
    UserById(user_id=1)  # type: ignore[arg-type]
    db.run(UserById(user_id="u1"), limit=3)  # type: ignore[call-overload]
    db.all(UserById(user_id="u1"))  # type: ignore[arg-type]
    _ = db.run(UserById(user_id="u1")).email  # type: ignore[union-attr]
    db.run(User(user_id="u1", email="x"))  # type: ignore[call-overload]
    db.get_or_raise(PostsOf(user_id="u1"))  # type: ignore[arg-type]
    db.get_or_raise(UserById(user_id="u1"), otherwise=Refused)  # type: ignore[arg-type]
    db.get_or_raise(UserById(user_id="u1"), otherwise="missing")  # type: ignore[arg-type]
    db.create(User(user_id="u1", email="x"), otherwise=Refused)  # type: ignore[arg-type]
    writes.Delete(UserById(user_id="u1"), otherwise=Refused)  # type: ignore[arg-type]
    writes.Put(User(user_id="u1", email="x"), Missing)  # type: ignore[call-arg]
    db.upsert(UserById(user_id="u1"), set={"email": "x"})  # type: ignore[type-var]
    db.retrying(rename)(1, email="x")  # type: ignore[arg-type]
    db.retrying(rename, attempts="3")  # type: ignore[call-overload]
