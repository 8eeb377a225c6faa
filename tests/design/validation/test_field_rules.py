"""Rules for fields: names, stored names, markers and reserved attributes."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar

import pytest

from tablewright import Entity, Keys, Table, fields
from tablewright.design.validation.field_rules import PYDANTIC_NAMES, RESERVED_NAMES, annotated_fields
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("main", key=("PK", "SK"), ttl="expiresAt")
numbered = Table("numbered", key="id", types={"id": "N"})


def thing(annotations: dict[str, Any], **members: Any) -> type[Entity]:
    return define_entity(main, {"a": str, **annotations}, keys=Keys(primary=("A#{a}", "B")), **members)


INVALID: dict[str, tuple[Callable[[], Any], str]] = {
    "two fields with one stored name": (
        lambda: thing({"b_c": str, "bC": str}),
        r"Thing stores b_c and bC both as bC; give one of them an alias",
    ),
    "unique without a string key": (
        lambda: define_entity(numbered, {"id": int, "email": Annotated[str, fields.Unique()]}),
        r"Thing\.email is Unique, and its lock item needs a string partition key; id of numbered is of type N",
    ),
    "unique list": (
        lambda: thing({"b": Annotated[list[str], fields.Unique()]}),
        r"Thing\.b is Unique, and a list cannot be part of a key",
    ),
    "two versions": (
        lambda: thing({"b": Annotated[int, fields.Version()], "c": Annotated[int, fields.Version()]}),
        r"Thing has two Version fields, b and c; remove one",
    ),
    "version of type str": (
        lambda: thing({"b": Annotated[str, fields.Version()]}),
        r"Thing\.b is a Version, which must be an int, not a str",
    ),
    "counter of type str": (
        lambda: thing({"b": Annotated[str, fields.Counter()]}),
        r"Thing\.b is a Counter, which must be a number, not a str",
    ),
    "marker with an unknown field": (
        lambda: thing({"b": Annotated[str, fields.Unique(within=("account",))]}),
        r"Thing has no field account, which Unique of b needs; its fields are: a, b",
    ),
    "TTL that the table does not use": (
        lambda: thing({"b": Annotated[int, fields.Ttl()]}),
        r"Thing has the TTL field b \(stored as b\), but table main has ttl='expiresAt'; set ttl='b' on the table",
    ),
    "field stored as the discriminator": (
        lambda: thing({"type": str}),
        r"Thing stores the field type as type, which holds the type, 'THING'; give the field an alias",
    ),
}


@pytest.mark.parametrize(("define", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_fields_are_rejected(define: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        define()


def test_markers_that_fit_are_accepted() -> None:
    thing(
        {
            "b": Annotated[Decimal | None, fields.Counter()],
            "c": Annotated[list[str], fields.Unique(), fields.Encrypted()],
            "expires_at": Annotated[int, fields.Ttl()],
        }
    )


def test_a_field_may_be_the_discriminator_if_its_default_is_the_type() -> None:
    assert "type" in thing({"type": str}, type="THING").layout.fields


@pytest.mark.filterwarnings("error")  # pydantic warns of hidden attributes in its own words
@pytest.mark.parametrize("name", sorted(RESERVED_NAMES - {"keys"}))
def test_attributes_of_every_entity_are_reserved(name: str) -> None:
    message = f"Thing has a field {name}, which is an attribute of every entity; call it {name}_: Annotated"
    with pytest.raises(DesignError, match=message):
        thing({name: str})


def test_every_public_attribute_of_an_entity_is_reserved() -> None:
    own = {name for kind in Entity.__mro__[:2] for name in vars(kind) if not name.startswith(("_", "model_"))}
    assert own - {"layout"} == RESERVED_NAMES - PYDANTIC_NAMES - {"layout", "keys"}


@pytest.mark.parametrize("kind", [str, datetime, fields.Timestamp, Decimal])
def test_a_ttl_is_an_int(kind: Any) -> None:
    table = Table("things", key="a", ttl="b")
    with pytest.raises(DesignError, match=r"Thing\.b is a Ttl, in seconds since 1970, and must be an int"):
        define_entity(table, {"a": str, "b": Annotated[kind | None, fields.Ttl()]}, b=None)
    define_entity(table, {"a": str, "b": Annotated[int | None, fields.Ttl()]}, b=None)


def test_keys_are_declared_without_a_type() -> None:
    with pytest.raises(
        DesignError, match=r"Thing declares keys as a field; write it without a type: keys = Keys"
    ):
        define_entity(Table("things", key="a"), {"a": str, "keys": Keys}, keys=Keys(primary="{a}"))


class Declared:
    name: str
    count: "int" = 0
    setting: ClassVar[str] = "x"
    quoted: "ClassVar[str]" = "y"
    bare: ClassVar = 3
    not_annotated = 1


class Inherited(Declared):
    other: str


def test_class_variables_and_plain_attributes_are_no_fields() -> None:
    assert list(annotated_fields(Declared)) == ["name", "count"]


def test_inherited_fields_do_not_count() -> None:
    assert list(annotated_fields(Inherited)) == ["other"]


log = Table("log", key="id")


@pytest.mark.parametrize(
    "writes", [{"create"}, ["create", "update"], ("create", "delete"), {"create", "update", "delete"}]
)
def test_declared_writes(writes: Any) -> None:
    class Entry(Entity, table=log, writes=writes):
        id: str

    assert Entry.layout.writes == frozenset(writes)


def test_without_a_declaration_all_writes_are_allowed() -> None:
    class Entry(Entity, table=log):
        id: str

    assert Entry.layout.writes == {"create", "update", "delete"}


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        ("create", "Entry has writes='create'; give a set: writes={\"create\"}"),
        (7, "Entry has writes=7; give a set"),
        ({"creat"}, "Entry has writes with 'creat'; did you mean create?"),
        ({"put"}, "Entry has writes with 'put'; "),
        (set(), 'Entry has writes without "create", so no item of it can exist'),
        ({"update", "delete"}, 'add "create"'),
    ],
)
def test_declarations_that_cannot_work(writes: Any, message: str) -> None:
    with pytest.raises(DesignError) as caught:

        class Entry(Entity, table=log, writes=writes):
            id: str

    assert message in str(caught.value)


def test_a_counter_needs_updates() -> None:
    with pytest.raises(DesignError, match=r"Entry.views is a counter, which only updates change"):

        class Entry(Entity, table=log, writes={"create"}):
            id: str
            views: Annotated[int, fields.Counter()] = 0


def test_an_abstract_base_has_no_writes() -> None:
    with pytest.raises(DesignError, match=r"Base has writes=\.\.\., but no table"):

        class Base(Entity, writes={"create"}):
            id: str
