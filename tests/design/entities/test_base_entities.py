"""Base entities: what is inherited, in which order, and what an abstract base cannot be used for."""

from collections.abc import Mapping
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.design.entities.migrations import Migration
from tablewright.design.layouts.layouts import is_abstract
from tablewright.errors import DesignError

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")
T = TypeVar("T")


class Timestamped(Entity):
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()


class Owned(Entity):
    owner_id: Annotated[str, fields.Unique(within=("kind_of",))]
    kind_of: str = "x"
    suppress: ClassVar[Mapping[str, str]] = {"TW401": "few"}

    @field_validator("owner_id")
    @classmethod
    def _not_blank(cls, given: str) -> str:
        if not given.strip():
            raise ValueError("an owner has an id")
        return given


class Post(Timestamped, Owned, table=main, type="POST"):
    post_id: str
    keys = Keys(primary=("POST#{post_id}", "POST"), GSI1=("OWNER#{owner_id}", "{created_at}"))


def test_fields_markers_validators_and_suppress_are_inherited() -> None:
    layout = Post.layout
    assert layout.fields["created_at"].automatic == "created"
    assert layout.fields["owner_id"].marker(fields.Unique).within == ("kind_of",)
    assert layout.fields["owner_id"].stored == "ownerId"
    assert Post.suppress == {"TW401": "few"}
    with pytest.raises(ValidationError, match="an owner has an id"):
        Post(post_id="1", owner_id=" ")


def test_fields_of_bases_come_first_those_of_the_last_base_before_the_others() -> None:
    assert list(Post.layout.fields) == ["owner_id", "kind_of", "created_at", "updated_at", "post_id"]


def test_the_base_of_two_bases_is_inherited_once() -> None:
    class Edited(Timestamped):
        edited_by: str = "x"

    class Named(Timestamped):
        name: str

    class Page(Edited, Named, table=main, type="PAGE"):
        keys = Keys(primary=("PAGE#{name}", "PAGE"))

    assert list(Page.layout.fields) == ["created_at", "updated_at", "name", "edited_by"]


def test_plain_models_and_plain_classes_are_mixins() -> None:
    class Tagged(BaseModel):
        tag_names: Annotated[list[str], Field(max_length=2)] = []

    class Label:
        def label(self) -> str:
            return "label"

    class Item(Tagged, Label, Timestamped, table=main, type="ITEM"):
        item_id: str
        keys = Keys(primary=("ITEM#{item_id}", "ITEM"))

    assert Item.layout.fields["tag_names"].stored == "tagNames"
    assert Item.model_validate({"item_id": "1"}).label() == "label"
    with pytest.raises(ValidationError):
        Item.model_validate({"item_id": "1", "tag_names": ["a", "b", "c"]})
    with pytest.raises(ValidationError, match="Extra inputs"):
        Item.model_validate({"item_id": "1", "other": 1})


def test_keys_and_copies_are_inherited_and_replaced_by_those_of_the_class() -> None:
    class Listed(Entity):
        id: str
        keys = Keys(primary=("LISTED#{id}", "LISTED"))
        board = Copy(primary=("BOARD", "LISTED#{id}"))

    class Same(Listed, table=main, type="SAME"):
        pass

    class Other(Listed, table=main, type="OTHER"):
        keys = Keys(primary=("OTHER#{id}", "OTHER"))
        board = Copy(primary=("BOARD", "OTHER#{id}"))

    assert Same.layout.primary.parts[0][1].text == "LISTED#{id}"
    assert [copy.primary.parts[1][1].text for copy in Same.layout.copies] == ["LISTED#{id}"]
    assert Other.layout.primary.parts[0][1].text == "OTHER#{id}"
    assert [copy.primary.parts[1][1].text for copy in Other.layout.copies] == ["OTHER#{id}"]


def test_a_class_replaces_an_inherited_field() -> None:
    class Fixed(Owned, table=main, type="FIXED"):
        id: str
        owner_id: Annotated[int, fields.Unique()]  # type: ignore[assignment]
        kind_of: int  # type: ignore[assignment]
        keys = Keys(primary=("FIXED#{id}", "FIXED"))

    owner, kind = (Fixed.layout.fields[name] for name in ("owner_id", "kind_of"))
    assert (owner.annotation, owner.markers) == (int, (fields.Unique(),))
    assert kind.annotation is int
    assert Fixed.model_fields["kind_of"].is_required()


def test_the_configuration_is_inherited() -> None:
    class Plain(Entity):
        model_config = ConfigDict(alias_generator=None, str_strip_whitespace=True)

    class Note(Plain, table=main, type="NOTE"):
        note_id: str
        keys = Keys(primary=("NOTE#{note_id}", "NOTE"))

    assert Note.layout.fields["note_id"].stored == "note_id"
    assert Note(note_id=" 1 ").note_id == "1"


def test_a_field_of_a_base_makes_a_condition_and_masks_secrets() -> None:
    class Secretive(Entity):
        token: Annotated[str, fields.Encrypted()] | None = None

    assert repr(Timestamped.created_at == "x").replace("Timestamped", "Post") == repr(Post.created_at == "x")
    assert "s3cret" not in repr(Secretive.token == "s3cret")


def test_an_abstract_base_has_no_instances_and_no_layout() -> None:
    assert is_abstract(Timestamped)
    assert not is_abstract(Post)
    for use in (Timestamped, lambda: Timestamped.model_validate({}), lambda: Timestamped.layout):
        with pytest.raises(DesignError, match="Timestamped has no table: it is an abstract base"):
            use()


def test_an_abstract_base_cannot_be_read_migrated_or_part_of_a_design() -> None:
    with pytest.raises(DesignError, match="Timestamped has no table"):
        Design("d", entities=[Timestamped])
    with pytest.raises(DesignError, match="the migration m is of Timestamped: Timestamped has no table"):
        Migration("m", Timestamped)
    with pytest.raises(DesignError, match="All returns Timestamped: Timestamped has no table"):

        class All(Query[Post | Timestamped]):
            key = "PK = POST"

    class PostById(Get[Post]):
        post_id: str

    assert PostById.__plan__.layouts == (Post.layout,)


def test_a_design_of_a_module_leaves_abstract_bases_out() -> None:
    module = ModuleType("blog")
    for each in (Timestamped, Owned, Post):
        setattr(module, each.__name__, each)
    module.__name__ = Post.__module__
    assert Design.of(module, "blog").entities == (Post,)


@pytest.mark.parametrize(
    "argument", [{"type": "X"}, {"schema_version": 2}, {"expect": fields.Expect(items=1)}]
)
def test_an_abstract_base_takes_no_arguments_of_an_entity(argument: dict[str, Any]) -> None:
    (name,) = argument
    with pytest.raises(DesignError, match=f"Base has {name}=..., but no table; add table="):

        class Base(Entity, **argument):
            id: str


def test_an_entity_cannot_be_the_base_of_another() -> None:
    with pytest.raises(DesignError, match="Draft derives from Post, which is an entity with a table; move"):

        class Draft(Post, table=main, type="DRAFT"):
            pass

    with pytest.raises(DesignError, match="Hidden derives from Post"):

        class Hidden(Post):
            pass


def test_a_generic_base_is_derived_from_and_a_generic_entity_is_rejected() -> None:
    class Boxed(Entity, Generic[T]):
        box_id: str
        content: T

    class Numbers(Boxed[int], table=main, type="NUMBERS"):
        keys = Keys(primary=("BOX#{box_id}", "BOX"))

    assert Numbers.layout.fields["content"].annotation is int
    with pytest.raises(ValidationError):
        Numbers(box_id="1", content="x")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match=r"Box is generic.* class IntBox\(Box\[int\], table=\.\.\.\)"):

        class Box(Entity, Generic[T], table=main, type="BOX"):
            content: T


def test_keys_that_are_no_keys_are_rejected() -> None:
    with pytest.raises(DesignError, match=r"Thing.keys must be Keys\(primary=...\), got"):

        class Thing(Entity, table=main):
            id: str
            keys: ClassVar[Any] = {"primary": "X#{id}"}


def test_a_redefined_field_keeps_its_secrecy() -> None:
    """Without the marker, its values would be stored as plain text."""

    class Secretive(Entity):
        token: Annotated[str | None, fields.Encrypted()] = None

    with pytest.raises(
        DesignError, match=r"Key\.token is no secret, but Secretive\.token is: .*repeat Encrypted"
    ):

        class Key(Secretive, table=main, type="KEY"):
            key_id: str
            token: str | None = None
            keys = Keys(primary=("KEY#{key_id}", "KEY"))

    class Code(Secretive, table=main, type="CODE"):
        key_id: str
        token: Annotated[str, fields.Hashed()] = "x"
        keys = Keys(primary=("CODE#{key_id}", "CODE"))

    assert Code.layout.secrets == {"token"}


@pytest.mark.parametrize(
    ("annotation", "marker"),
    [
        (Annotated[str, fields.Unique()], "Unique"),
        (Annotated[str | None, fields.Unique()], "Unique"),
        (Annotated[int, fields.Version()], "Version"),
        (Annotated[int, fields.Counter()], "Counter"),
        (Annotated[int, fields.Ttl()], "Ttl"),
    ],
)
def test_a_field_that_is_defined_again_keeps_its_marker(annotation: Any, marker: str) -> None:
    """Without it, values are no longer unique, writes overwrite each other, and items never expire."""
    entity_type: Any = type(Entity)
    base = entity_type(
        "Marked", (Entity,), {"__module__": __name__, "__annotations__": {"expires_at": annotation}}
    )

    def redefined(again: Any) -> None:
        annotations = {"thing_id": str, "expires_at": again}
        keys = Keys(primary=("THING#{thing_id}", "THING"))
        members = {"__module__": __name__, "__annotations__": annotations, "keys": keys}
        entity_type("Thing", (base,), members, table=main, type="THING")

    plain = str if "Unique" in marker else int
    with pytest.raises(
        DesignError, match=rf"Thing\.expires_at has no {marker}\(\), but Marked\.expires_at has: .*repeat it"
    ):
        redefined(plain)
    redefined(annotation)


def test_a_secret_is_a_secret_in_the_base_too() -> None:
    """`Plain.token == "abc"` would show the value in messages."""

    class Plain(Entity):
        token: str = ""

    with pytest.raises(
        DesignError, match=r"Key\.token is a secret, but Plain\.token is not: .*mark it in Plain"
    ):

        class Key(Plain, table=main, type="KEY"):
            key_id: str
            token: Annotated[str, fields.Hashed()] = ""
            keys = Keys(primary=("KEY#{key_id}", "KEY"))

    class Mixin(BaseModel):
        token: str = ""

    class Code(Mixin, Entity, table=main, type="CODE"):
        key_id: str
        token: Annotated[str, fields.Hashed()] = ""
        keys = Keys(primary=("CODE#{key_id}", "CODE"))

    assert "abc" not in repr(Code.token == "abc")  # a mixin has no conditions of its own
