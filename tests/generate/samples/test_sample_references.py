"""References between the entities of a design, as declared or by the names of fields."""

from typing import Annotated

from tablewright import Design, Entity, Keys, Table, fields
from tablewright.generate.samples.sample_references import SampleReferences

main = Table("main", key=("PK", "SK"))


class User(Entity, table=main, type="USER"):
    user_id: str
    best_post_id: str | None = None
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class ForumPost(Entity, table=main, type="POST"):
    id: str = fields.new_id()
    author_id: str
    liked_by: set[str]
    post: str
    keys = Keys(primary=("USER#{author_id}", "POST#{id}"))


class Reply(Entity, table=main, type="REPLY"):
    post_id: str
    user_id: str
    parent_reply_id: str | None = None
    reply_id: str = fields.new_id()
    keys = Keys(primary=("POST#{post_id}", "REPLY#{reply_id}"))


REFERENCES = SampleReferences(Design("forum", entities=[Reply, ForumPost, User]))


def shown(entity: type[Entity]) -> list[str]:
    return [
        f"{each.field} -> {each.target.__name__}.{each.target_field}{'*' if each.many else ''}"
        for each in REFERENCES.of(entity)
    ]


def test_ids_refer_to_the_entity_that_they_name() -> None:
    assert shown(Reply) == [
        "post_id -> ForumPost.id",
        "user_id -> User.user_id",
        "parent_reply_id -> Reply.reply_id",
    ]


def test_roles_refer_to_users() -> None:
    assert shown(ForumPost) == ["author_id -> User.user_id", "liked_by -> User.user_id*"]


def test_entities_come_after_those_that_they_refer_to() -> None:
    assert REFERENCES.order == (User, ForumPost, Reply)


def test_declared_references_come_before_names() -> None:
    class Review(Entity, table=main, type="REVIEW"):
        post_id: Annotated[str, fields.References(User)]
        about: Annotated[list[str], fields.References(ForumPost, field="id", within={"author_id": "user_id"})]
        user_id: str
        keys = Keys(primary=("REVIEW#{post_id}", "REVIEW"))

    found = SampleReferences(Design("forum", entities=[Review, ForumPost, User])).of(Review)
    assert [(each.field, each.target, each.target_field, each.many) for each in found] == [
        ("post_id", User, "user_id", False),
        ("about", ForumPost, "id", True),
        ("user_id", User, "user_id", False),
    ]
