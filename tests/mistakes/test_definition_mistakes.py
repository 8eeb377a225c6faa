"""Deliberate mistakes in definitions: refused when the class is defined, reported by `check`, or right."""

from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any
from uuid import uuid4

from pydantic import ConfigDict, Field

from tablewright import Copy, Design, Entity, Find, Get, Index, Keys, Query, Sparse, Table, connect, fields
from tablewright.checks.runner import check
from tests.mistakes.outcomes import REFUSED, outcome

app = Table("app", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


def reported(design: Design, *words: str) -> bool:
    """Whether `check` has an error or a warning that names all the words."""
    messages = [str(finding).lower() for finding in check(design) if finding.severity != "info"]
    return any(all(word.lower() in message for word in words) for message in messages)


def test_a_copy_without_a_required_field_can_be_read() -> None:
    class Article(Entity, table=app, type="ARTICLE"):
        article_id: str
        title: str
        body: str
        keys = Keys(primary=("ARTICLE#{article_id}", "ARTICLE"))
        listed = Copy(primary=("ARTICLES", "{article_id}"), fields=("title",))

    class Titles(Query[Article]):
        key = "PK = ARTICLES"

    with connect(Design("app", entities=[Article], patterns=[Titles])) as db:
        db.create(Article(article_id="1", title="Engines", body="long"))
        assert [(article.title, article.is_partial) for article in db.run(Titles())] == [("Engines", True)]


def test_a_unique_field_that_ignores_case_and_a_key_that_does_not() -> None:
    def find() -> Any:
        class User(Entity, table=app, type="USER"):
            user_id: str
            email: Annotated[str, fields.Unique(normalise=fields.fold)]
            keys = Keys(primary=("USER#{user_id}", "USER"), GSI1=("EMAIL#{email}", "USER"))

        class UserByEmail(Find[User]):
            email: str
            index = "GSI1"

        with connect(Design("app", entities=[User], patterns=[UserByEmail])) as db:
            user = db.create(User(user_id="1", email="Ada@example.org"))
            return db.run(UserByEmail(email="ada@example.org")) == user

    assert outcome(find, "email", "fold") in (REFUSED, True)


def test_a_whole_entity_cannot_be_read_through_an_index_of_keys() -> None:
    thin = Table("thin", ("PK", "SK"), [Index("by-day", "day", "SK", projection="KEYS_ONLY")])

    def define() -> None:
        class Visit(Entity, table=thin, type="VISIT"):
            visit_id: str
            day: str
            pages: int = 0
            keys = Keys(primary=("VISIT#{visit_id}", "VISIT"))

        class VisitsOfDay(Query[Visit]):
            day: str
            index = "by-day"

    assert outcome(define, "VisitsOfDay", "by-day") == REFUSED


def test_a_pattern_that_names_one_shard_as_text() -> None:
    class Post(Entity, table=app, type="POST"):
        post_id: str
        keys = Keys(primary=("POST#{post_id}", "POST"), GSI1=("POSTS#{post_id:shard(8)}", "{post_id}"))

    designs: list[Design] = []

    def define() -> None:
        class Posts(Query[Post]):
            key = "GSI1PK = POSTS#0"

        designs.append(Design("app", entities=[Post], patterns=[Posts]))

    assert outcome(define, "shard") == REFUSED or reported(designs[0], "Posts", "shard")


def test_an_id_that_is_made_once_for_all_entities() -> None:
    def define() -> None:
        class Task(Entity, table=app, type="TASK"):
            task_id: str = fields.ulid()  # meant is fields.new_id()
            title: str
            keys = Keys(primary=("TASK#{task_id}", "TASK"))

    assert outcome(define, "Task.task_id", "fields.new_id()") == REFUSED


def test_a_random_id_that_is_made_once_for_all_entities() -> None:
    def define() -> None:
        class Task(Entity, table=app, type="TASK"):
            list_id: str
            task_id: str = str(uuid4())
            keys = Keys(primary=("LIST#{list_id}", "TASK#{task_id}"))

    assert outcome(define, "Task.task_id", "default_factory") == REFUSED


def test_a_time_of_creation_that_is_the_time_of_import() -> None:
    started = datetime.now(UTC).replace(microsecond=123_456)

    def define() -> None:
        class Event(Entity, table=app, type="EVENT"):
            event_id: str
            created_at: fields.Timestamp = started
            keys = Keys(primary=("EVENT#{event_id}", "EVENT"), GSI1=("EVENTS", "{created_at}#{event_id}"))

    assert outcome(define, "Event.created_at", "fields.now()") == REFUSED


def test_a_range_over_days_that_begin_with_the_day_of_the_month() -> None:
    class Visit(Entity, table=app, type="VISIT"):
        shop_id: str
        at: fields.Timestamp
        keys = Keys(primary=("SHOP#{shop_id}", "{at:%d-%m-%Y}"))

    designs: list[Design] = []

    def define() -> None:
        class VisitsBetween(Query[Visit]):
            shop_id: str
            start: datetime
            end: datetime
            key = "PK = SHOP#{shop_id} AND SK BETWEEN {start:%d-%m-%Y} AND {end:%d-%m-%Y}"

        designs.append(Design("app", entities=[Visit], patterns=[VisitsBetween]))

    assert outcome(define, "VisitsBetween", "%d-%m-%Y") == REFUSED or reported(designs[0], "%d-%m-%Y")


def test_a_sparse_key_under_a_text_that_is_always_true() -> None:
    class Status(Enum):
        OPEN = "open"
        DONE = "done"

    def define() -> None:
        class Job(Entity, table=app, type="JOB"):
            job_id: str
            status: Status = Status.OPEN
            keys = Keys(primary=("JOB#{job_id}", "JOB"), GSI1=Sparse("OPEN", "{job_id}", when="status"))

    assert outcome(define, "Job", "status", "when=") == REFUSED


def test_extra_values_that_a_class_allows_are_stored_or_refused() -> None:
    def store() -> Any:
        class Note(Entity, table=app, type="NOTE"):
            model_config = ConfigDict(extra="allow")
            note_id: str
            keys = Keys(primary=("NOTE#{note_id}", "NOTE"))

        class NoteById(Get[Note]):
            note_id: str

        with connect(Design("app", entities=[Note], patterns=[NoteById])) as db:
            db.create(Note.model_validate({"note_id": "1", "color": "red"}))
            return getattr(db.get_or_raise(NoteById(note_id="1")), "color", "lost")

    assert outcome(store, "Note", "extra") in (REFUSED, "red")


def test_a_field_that_is_excluded_from_dumps_is_stored_or_refused() -> None:
    def store() -> Any:
        class Account(Entity, table=app, type="ACCOUNT"):
            account_id: str
            password_hash: str = Field(exclude=True)
            keys = Keys(primary=("ACCOUNT#{account_id}", "ACCOUNT"))

        class AccountById(Get[Account]):
            account_id: str

        with connect(Design("app", entities=[Account], patterns=[AccountById])) as db:
            db.create(Account(account_id="1", password_hash="x"))
            return db.get_or_raise(AccountById(account_id="1")).password_hash

    assert outcome(store, "Account", "password_hash", "exclude") in (REFUSED, "x")


def test_one_alias_for_writing_and_another_for_reading() -> None:
    def store() -> Any:
        class Product(Entity, table=app, type="PRODUCT"):
            product_id: str
            name: str = Field(validation_alias="title", serialization_alias="label")
            keys = Keys(primary=("PRODUCT#{product_id}", "PRODUCT"))

        class ProductById(Get[Product]):
            product_id: str

        with connect(Design("app", entities=[Product], patterns=[ProductById])) as db:
            db.create(Product.model_validate({"product_id": "1", "title": "lamp"}))
            return db.get_or_raise(ProductById(product_id="1")).name

    assert outcome(store, "Product", "name", "alias") in (REFUSED, "lamp")


def test_two_declarations_of_one_table_that_differ() -> None:
    again = Table("app", ("PK", "SK"))

    class First(Entity, table=app, type="FIRST"):
        first_id: str
        keys = Keys(primary=("FIRST#{first_id}", "FIRST"), GSI1=("FIRST", "{first_id}"))

    class Second(Entity, table=again, type="SECOND"):
        second_id: str
        keys = Keys(primary=("SECOND#{second_id}", "SECOND"))

    assert outcome(lambda: Design("app", entities=[First, Second]), "app", "two") == REFUSED


def test_a_copy_whose_key_lacks_the_id_blocks_the_second_entity() -> None:
    class Song(Entity, table=app, type="SONG"):
        song_id: str
        title: str
        keys = Keys(primary=("SONG#{song_id}", "SONG"))
        by_title = Copy(primary=("TITLES", "{title}"))

    with connect(Design("app", entities=[Song])) as db:
        db.create(Song(song_id="1", title="Blue"))
        assert (
            outcome(lambda: db.create(Song(song_id="2", title="Blue")), "Song", "by_title", "key") == REFUSED
        )


def test_settings_of_a_pattern_that_are_text() -> None:
    class Song(Entity, table=app, type="SONG"):
        album: str
        song_id: str
        keys = Keys(primary=("ALBUM#{album}", "SONG#{song_id}"))

    def define() -> None:
        type("Songs", (Query[Song],), {"__annotations__": {"album": str}, "descending": "no"})

    assert outcome(define, "Songs", "descending = True") == REFUSED
