"""Copies that leave out fields: they are read as partial entities, whatever they leave out."""

import asyncio
from datetime import datetime
from typing import Annotated, Any, Self

import pytest
from pydantic import BaseModel, Field, PrivateAttr, ValidationError, field_validator, model_validator

from tablewright import (
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Table,
    connect,
    errors,
    fields,
)
from tablewright.access.repository import Repository
from tablewright.lifecycle.integrity import fsck
from tests.mistakes.outcomes import write_raw

main = Table("app", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Author(BaseModel):
    name: str


class Article(Entity, table=main, type="ARTICLE"):
    """Its class needs all fields: a validator of the whole compares two of them."""

    article_id: str
    title: Annotated[str, Field(max_length=20)]
    topic: str
    author: Author
    words: int
    body: str
    created_at: fields.Timestamp = fields.now()
    _seen: list[str] = PrivateAttr(default_factory=list)
    keys = Keys(primary=("ARTICLE#{article_id}", "ARTICLE"))
    listed = Copy(primary=("TOPIC#{topic}", "{created_at:%Y-%m}#{article_id}"), fields=("title", "author"))
    whole = Copy(primary=("ALL", "{article_id}"))

    @field_validator("title")
    @classmethod
    def _stripped(cls, title: str) -> str:
        return title.strip()

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if len(self.body.split()) != self.words:
            raise ValueError("words is not the number of words")
        return self


class ArticleById(Get[Article]):
    article_id: str


class OfTopic(Query[Article]):
    topic: str
    key = "PK = TOPIC#{topic}"


class AllArticles(Query[Article]):
    key = "PK = ALL"


DESIGN = Design("app", entities=[Article], patterns=[ArticleById, OfTopic, AllArticles])


@pytest.fixture
def db() -> Any:
    with connect(DESIGN) as db:
        db.create(article())
        yield db


def article() -> Article:
    return Article(
        article_id="1", title="Engines", topic="steam", author=Author(name="Ada"), words=2, body="a b"
    )


def test_a_copy_has_what_it_carries_and_what_its_keys_say(db: Repository) -> None:
    page = db.run(OfTopic(topic="steam"))
    (seen,) = page
    assert page.unknown == ()
    assert (seen.article_id, seen.title, seen.topic, seen.author) == (
        "1",
        "Engines",
        "steam",
        Author(name="Ada"),
    )
    assert (seen.is_partial, seen.model_fields_set) == (True, {"article_id", "title", "topic", "author"})
    for name in ("words", "body", "created_at"):
        with pytest.raises(errors.FieldNotRead, match=f"lacks {name}"):
            getattr(seen, name)
    assert seen._seen == []


def test_a_whole_copy_is_still_validated_as_a_whole(db: Repository) -> None:
    (seen,) = db.run(AllArticles())
    assert (seen.is_partial, seen.body) == (False, "a b")


def test_a_partial_entity_is_changed_updated_and_deleted(db: Repository) -> None:
    (seen,) = db.run(OfTopic(topic="steam"))
    changed = seen.changed(title="  Notes ")
    assert (changed.title, changed.is_partial, changed.author) == ("Notes", True, seen.author)
    assert seen.changed(words=3).words == 3
    with pytest.raises(ValidationError, match="at most 20"):
        seen.changed(title="x" * 21)
    with pytest.raises(errors.InvalidWrite, match="lacks some fields"):
        db.put(changed)
    assert db.update(seen, set={"title": "Notes"}).body == "a b"
    assert [each.title for each in db.run(OfTopic(topic="steam"))] == ["Notes"]
    assert db.delete(seen)
    assert list(db.run(OfTopic(topic="steam"))) == []


def test_an_asynchronous_read_returns_partial_entities() -> None:
    async def read() -> list[bool]:
        async with connect(DESIGN).aio as db:
            await db.create(article())
            return [each.is_partial for each in await db.run(OfTopic(topic="steam"))]

    assert asyncio.run(read()) == [True]


def test_a_copy_with_a_value_that_is_not_valid_is_unknown(db: Repository) -> None:
    (copy,) = _copies(db)
    write_raw(db, "app", {**copy, "title": {"S": "x" * 21}})
    page = db.run(OfTopic(topic="steam"))
    assert (page.items, len(page.unknown)) == ((), 1)
    assert "title" in page.unknown[0].reason


def test_a_copy_under_a_key_of_other_values_is_unknown(db: Repository) -> None:
    (copy,) = _copies(db)
    write_raw(db, "app", {**copy, "SK": {"S": "2026-05#2"}})
    assert [
        len(page) for page in (db.run(OfTopic(topic="steam")), db.run(OfTopic(topic="steam")).unknown)
    ] == [1, 1]


def test_an_integrity_check_accepts_partial_copies(db: Repository) -> None:
    assert fsck.check(db).findings == []


def _copies(db: Repository) -> list[dict[str, Any]]:
    items = db.connection.call("Scan", {"TableName": "app"})["Items"]
    return [item for item in items if item["PK"]["S"].startswith("TOPIC#")]


def test_a_validator_that_needs_a_field_which_was_not_read() -> None:
    class Span(Entity, table=main, type="SPAN"):
        span_id: str
        start: datetime
        end: datetime
        keys = Keys(primary=("SPAN#{span_id}", "SPAN"))
        ends = Copy(primary=("ENDS", "{span_id}"), fields=("end",))

        @field_validator("end")
        @classmethod
        def _after_start(cls, end: datetime, info: Any) -> datetime:
            assert end >= info.data["start"]
            return end

    class Ends(Query[Span]):
        key = "PK = ENDS"

    with connect(Design("spans", entities=[Span], patterns=[Ends])) as db:
        time = datetime.fromisoformat("2026-05-01T08:00Z")
        db.create(Span(span_id="1", start=time, end=time))
        (unknown,) = db.run(Ends()).unknown
        assert "KeyError('start')" in unknown.reason


def test_a_computed_field_of_what_was_not_read_is_not_computed() -> None:
    class Word(Entity, table=main, type="WORD"):
        word_id: str
        text: str
        lists: list[str]
        keys = Keys(primary=("WORD#{word_id}", "WORD"), GSI1=("LETTER#{letter}", "{word_id}"))
        of_list = Copy(
            each="lists", name="list_id", primary=("LIST#{list_id}", "{word_id}"), fields=("word_id",)
        )

        @fields.computed("text")
        def letter(self) -> str:
            return self.text[0]

    class OfList(Query[Word]):
        list_id: str
        key = "PK = LIST#{list_id}"

    with connect(Design("words", entities=[Word], patterns=[OfList])) as db:
        db.create(Word(word_id="1", text="abc", lists=["x", "y"]))
        assert [word.word_id for word in db.run(OfList(list_id="y"))] == ["1"]
