"""Entities with inherited fields: written, read, updated, checked and documented like declared ones."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

import pytest

from tablewright import Clock, Copy, Design, Entity, Get, Index, Keys, Query, Table, connect, fields
from tablewright.access.repository import Repository
from tablewright.checks.runner import check
from tablewright.errors import ConditionNotMet, DesignError, UniqueViolation
from tablewright.generate.design_document import document
from tablewright.lifecycle.integrity import fsck

posts = Table("posts-{env}", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class Timestamped(Entity):
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()
    version: Annotated[int, fields.Version()] = 0


class Owned(Timestamped):
    owner_id: str
    slug: Annotated[str, fields.Unique(within=("owner_id",))]
    by_owner = Copy(primary=("OWNER#{owner_id}", "ITEM#{created_at}#{slug}"))


class Post(Owned, Timestamped, table=posts, type="POST"):
    post_id: str
    keys = Keys(primary=("POST#{post_id}", "POST"), GSI1=("OWNER#{owner_id}", "{created_at}"))


class PostById(Get[Post]):
    """Get a post."""

    post_id: str


class PostsOfOwner(Query[Post]):
    """List the posts of an owner."""

    owner_id: str
    index = "GSI1"


design = Design("blog", entities=[Post], patterns=[PostById, PostsOfOwner])


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = None if request.param == "memory" else request.getfixturevalue("endpoint")
    clock = Clock(start=4_000_000_000.0)
    with connect(
        design, where, environment=f"bases-{uuid4().hex[:8]}", clock=clock, create=True
    ) as repository:
        yield repository


def test_inherited_fields_are_written_read_and_updated(db: Repository) -> None:
    made = db.create(Post(post_id="1", owner_id="ada", slug="hello"))
    assert made.version == 1
    assert made.created_at.timestamp() == 4_000_000_000
    assert db.run(PostsOfOwner(owner_id="ada")).items == (made,)
    changed = db.update(made, set={"owner_id": "bob"})
    assert changed.version == 2
    assert db.run(PostsOfOwner(owner_id="ada")).items == ()
    assert db.run(PostsOfOwner(owner_id="bob")).items == (changed,)
    with pytest.raises(UniqueViolation):
        db.create(
            Post(post_id="2", owner_id="bob", slug="hello", created_at=datetime(2099, 1, 1, tzinfo=UTC))
        )
    assert fsck.check(db).findings == []


def test_a_condition_on_a_field_of_a_base_holds_for_its_entities(db: Repository) -> None:
    db.create(Post(post_id="1", owner_id="ada", slug="hello"))
    db.update(PostById(post_id="1"), set={"slug": "bye"}, when=Owned.owner_id == "ada")
    with pytest.raises(ConditionNotMet):
        db.update(PostById(post_id="1"), set={"slug": "x"}, when=Owned.owner_id == "bob")


def test_an_abstract_base_cannot_be_written(db: Repository) -> None:
    with pytest.raises(DesignError, match="Owned has no table: it is an abstract base"):
        db.create(Owned(owner_id="ada", slug="x"))
    with pytest.raises(DesignError, match="Owned has no table"):
        db.create(Owned.model_construct(owner_id="ada", slug="x"))


def test_checks_and_documents_know_inherited_fields() -> None:
    assert "TW003" not in {finding.code for finding in check(design)}
    text = repr(document(design))
    assert "createdAt" in text
    assert "Timestamped" not in text
