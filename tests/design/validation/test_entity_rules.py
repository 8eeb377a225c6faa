"""Classes that could not keep what they promise are refused when they are defined, with the fix."""

from collections.abc import Callable
from decimal import Decimal
from types import new_class
from typing import Annotated, Any, ClassVar

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Query, Table, fields
from tablewright.design.keys.timestamps import Timestamp
from tablewright.errors import DesignError

main = Table(
    "sound",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "shared"),
        Index("GSI2", "GSI2PK", "shared"),
        Index("turned", "SK", "PK"),
    ],
)
numbered = Table("numbered", key="id", types={"id": "N"})


class Seat(Entity, table=main, type="SEAT"):
    """A type that is taken."""

    a: str
    keys = Keys(primary=("SEAT#{a}", "SEAT"))


def _entity(annotations: dict[str, Any], *, table: Table = main, **members: Any) -> type[Entity]:
    keys = {} if table is numbered else {"keys": Keys(primary=("A#{a}", "B"))}
    body = {"__annotations__": annotations, "__module__": __name__, **keys, **members}
    made = new_class("Thing", (Entity,), {"table": table, "type": "THING"}, lambda names: names.update(body))
    assert issubclass(made, Entity)
    return made


def _indexed(**indexes: tuple[str, str]) -> Callable[[], type[Entity]]:
    keys = Keys(primary=("A#{a}", "B"), indexes=indexes)
    return lambda: _entity({"a": str, "b": str}, keys=keys)


REFUSED = {
    "two templates for one attribute": (
        _indexed(GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "Y#{b}")),
        r'Thing writes shared as "X#\{a\}" \(GSI1\) and as "Y#\{b\}" \(GSI2\); .* the same template',
    ),
    "an index against the primary key": (
        _indexed(turned=("X#{b}", "A#{a}")),
        r'Thing writes SK as "B" \(primary\) and as "X#\{b\}" \(turned\)',
    ),
    "two templates in a copy": (
        lambda: _entity(
            {"a": str, "b": str},
            twin=Copy(primary=("T#{a}", "B"), GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "Y#{b}")),
        ),
        r"Thing\.twin writes shared as",
    ),
    "two fields under one name": (
        lambda: _entity({"a": str, "b_c": str, "bC": str}),
        r"Thing stores b_c and bC both as bC; give one of them an alias",
    ),
    "a field in the way": (
        lambda: _entity({"a": str, "layout": str}),
        r"Thing has a field layout, .* of every entity; call it layout_ = Field",
    ),
    "unique without text": (
        lambda: _entity({"id": int, "email": Annotated[str, fields.Unique()]}, table=numbered),
        r"Thing\.email is Unique, and its lock item needs a string partition key; id of numbered is of type N",
    ),
    "a unique list": (
        lambda: _entity({"a": str, "b": Annotated[list[str], fields.Unique()]}),
        r"Thing\.b is Unique, and a list cannot be part of a key",
    ),
    "two versions": (
        lambda: _entity(
            {"a": str, "b": Annotated[int, fields.Version()], "c": Annotated[int, fields.Version()]}
        ),
        r"Thing has two Version fields, b and c; remove one",
    ),
    "a version of text": (
        lambda: _entity({"a": str, "b": Annotated[str, fields.Version()]}),
        r"Thing\.b is a Version, which must be an int, not a str",
    ),
    "a counter of text": (
        lambda: _entity({"a": str, "b": Annotated[str, fields.Counter()]}),
        r"Thing\.b is a Counter, which must be a number, not a str",
    ),
    "copies for each character": (
        lambda: _entity({"a": str, "b": str}, each=Copy(each="b", name="one", primary=("C#{one}", "A#{a}"))),
        r"Thing\.each is a copy for each element of b, which is a str; .* list",
    ),
    "copies that are all one item": (
        lambda: _entity({"a": str, "b": list[str]}, each=Copy(each="b", name="one", primary=("C", "A#{a}"))),
        r'Thing\.each is a copy for each element of b, but its key "C" / "A#\{a\}" .*; put \{one\} into primary',
    ),
    "copies of which a part is told": (
        lambda: _entity(
            {"a": str, "b": list[str]}, each=Copy(each="b", name="one", primary=("C#{one:shard(9)}", "A#{a}"))
        ),
        r"does not contain the element, so all copies would have the same key",
    ),
    "a primary key that is touched": (
        lambda: _entity({"a": str, "b": Timestamp}, b=fields.touched(), keys=Keys(primary=("A#{a}", "{b}"))),
        r'Thing uses b, which is set at every write, in its primary key "A#\{a\}" / "\{b\}"; .* index b',
    ),
    "a primary key that counts": (
        lambda: _entity(
            {"a": str, "b": Annotated[int, fields.Counter()]}, keys=Keys(primary=("A#{a}", "{b:06}"))
        ),
        r"Thing uses b, which is a Counter, in its primary key .*; use fields that never change",
    ),
    "a primary key that is a version": (
        lambda: _entity(
            {"a": str, "b": Annotated[int, fields.Version()]}, keys=Keys(primary=("A#{a}", "{b:06}"))
        ),
        r"uses b, which is a Version",
    ),
    "a short name": (
        lambda: Table("ab", key="id"),
        r"table 'ab' has a name of 2 characters; DynamoDB allows 3 to 255",
    ),
    "a long name": (lambda: Table("{env}" + "x" * 256, key="id"), r"has a name of 256 characters"),
    "an odd name": (
        lambda: Table("my tables", key="id"),
        r"table 'my tables' has ' ' in its name; use letters, digits, '_', '-' and '\.'",
    ),
    "an odd name of an index": (
        lambda: Table("table", key="id", indexes=[Index("by#name", "name")]),
        r"index 'by#name' of table table has '#' in its name",
    ),
    "an environment that makes it too long": (
        lambda: Table("app-{env}", key="id").physical_name("x" * 252),
        r"table 'app-\{env\}' is called 'app-x+' in the environment 'x+', which has a name of 256 characters",
    ),
    "a type that a copy of another has": (
        lambda: Design(
            "d", entities=[_entity({"a": str}, each=Copy(type="SEAT", primary=("C#{a}", "A"))), Seat]
        ),
        r"Thing and Seat both have the type 'SEAT' in sound; give each its own",
    ),
}


@pytest.mark.parametrize(("define", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_kept_is_refused(define: Callable[[], Any], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        define()


def test_what_looks_like_it_is_not() -> None:
    _indexed(GSI1=("G#{a}", "X#{a}"), GSI2=("H#{a}", "X#{a}"), turned=("B", "A#{a}"))()
    _entity(
        {
            "a": str,
            "b": Annotated[Decimal | None, fields.Counter()],
            "c": Annotated[list[str], fields.Unique(), fields.Encrypted()],
            "d": tuple[str, ...] | None,
        },
        each=Copy(each="d", name="one", primary=("C#{one}", "A#{a}")),
    )


class Thing(Entity, table=main, type="THING"):
    """Something to ask for."""

    a: str
    kind: str
    keys = Keys(primary=("A#{a}", "{kind}"))


@pytest.mark.filterwarnings("error")  # pydantic has nothing to add
@pytest.mark.parametrize(
    "name", ["kind", "plan", "key", "index", "filter", "fields", "rate", "items", "suppress"]
)
def test_a_parameter_is_not_named_as_a_setting(name: str) -> None:
    body = {"__annotations__": {"a": str, name: str}, "__module__": __name__}
    words = f"Things has a parameter {name}, which is a setting of every pattern; call it {name}_ "
    with pytest.raises(DesignError, match=words):
        new_class("Things", (Query[Thing],), {}, lambda names: names.update(body))


@pytest.mark.filterwarnings("error")
def test_a_field_is_not_named_as_a_part_of_every_entity() -> None:
    for name in ("layout", "changed", "is_partial"):
        with pytest.raises(
            DesignError, match=f"Thing has a field {name}, which is an attribute of every entity"
        ):
            _entity({"a": str, name: str})


def test_a_setting_may_be_declared_as_one() -> None:
    class Things(Query[Thing]):
        key: ClassVar[str | None] = "PK = A#{a}"
        a: str

    assert str(Things.plan.clauses[0]) == "PK = A#{a}"


def test_another_name_for_it_does() -> None:
    class Things(Query[Thing]):
        a: str
        kind_: str
        key = "PK = A#{a} AND SK = {kind_}"

    assert Things(a="1", kind_="x").kind == "query"
