"""Computed fields: which a class may have in its keys."""

from functools import cached_property
from types import new_class
from typing import Annotated, Any

import pytest
from pydantic import computed_field

from tablewright import Copy, Entity, Index, Keys, Table, fields
from tablewright.errors import DesignError

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expiresAt")


class Base(Entity):
    id: str
    name: str = ""


def test_only_computed_fields_in_keys_are_part_of_the_layout() -> None:
    class Thing(Base, table=main, type="THING"):
        @fields.computed("name")
        def initial(self) -> str | None:
            return self.name[:1] or None

        @computed_field  # type: ignore[prop-decorator]
        @property
        def shown(self) -> str:
            return f"<{self.name}>"

        keys = Keys(primary=("THING#{id}", "THING"), GSI1=("LETTER#{initial}", "{id}"))

    (field,) = Thing.layout.computed.values()
    assert (field.name, field.annotation, field.optional) == ("initial", str, True)
    assert field.computed_from == frozenset({"name"})
    assert list(Thing.layout.fields) == ["id", "name"]
    assert Thing.layout.with_computed({"name"}) == {"name", "initial"}
    assert Thing.layout.with_computed({"id"}) == {"id"}
    assert Thing.layout.stored_sources({"id", "initial"}) == {"id", "name"}
    assert Thing(id="1", name="ada").initial == "a"


def test_a_computed_field_of_pydantic_depends_on_all_fields_and_may_be_inherited() -> None:
    class Lettered(Base):
        @computed_field  # type: ignore[prop-decorator]
        @property
        def initial(self) -> str:
            return self.name[0]

    class Thing(Lettered, table=main, type="THING"):
        keys = Keys(primary=("THING#{id}", "THING"), GSI1=("LETTER#{initial}", "{id}"))

    assert Thing.layout.computed["initial"].computed_from == frozenset({"id", "name"})


def test_a_method_reads_only_the_fields_that_it_names() -> None:
    class Thing(Base, table=main, type="THING"):
        @fields.computed("name")
        def initial(self) -> str:
            return str(self.name[0] + self.id)

        keys = Keys(primary=("THING#{id}", "THING"), GSI1=("LETTER#{initial}", "{id}"))

    with pytest.raises(
        DesignError, match=r'Thing.initial uses id, .* write @fields.computed\("name", "id"\)'
    ):
        Thing(id="1", name="a").initial  # noqa: B018


def define(members: dict[str, Any], **annotations: Any) -> None:
    body = {"__annotations__": annotations, "__module__": __name__, **members}
    new_class("Thing", (Base,), {"table": main, "type": "THING"}, lambda names: names.update(body))


@fields.computed("name")
def initial(self: Any) -> str:
    return str(self.name[0])


@fields.computed("name")
def nothing(self: Any) -> str | None:
    return None


@fields.computed("nmae")
def misspelt(self: Any) -> str:
    return ""


@fields.computed("name")
def several(self: Any) -> dict[str, str]:
    return {}


def text(self: Any) -> str:
    return str(self.name)


whole, cached = computed_field(property(text)), computed_field(cached_property(text))


def indexed(name: str) -> Keys:
    return Keys(primary=("THING#{id}", "THING"), GSI1=(f"X#{{{name}}}", "{id}"))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"misspelt": misspelt},
            "Thing.misspelt is computed from nmae, which is no field; did you mean name",
        ),
        ({"cached": cached}, "Thing.cached is a cached_property, which keeps its value"),
        ({"layout": initial}, "has a field layout, which is an attribute of every entity"),
        ({"several": several, "keys": indexed("several")}, "uses several, a dict, in the key"),
        (
            {"nothing": nothing, "keys": Keys(primary=("X#{nothing}", "{id}"))},
            "uses nothing, which may be None",
        ),
        (
            {"whole": whole, "keys": indexed("whole")},
            "may depend on token, which is a secret; name the fields",
        ),
        (
            {"initial": initial, "twin": Copy(primary=("T#{id}", "T"), fields=("initial",))},
            "Thing.twin copies initial, which is computed and not stored",
        ),
        (
            {"initial": initial, "twin": Copy(primary=("T#{initial}", "T#{id}"), fields=("id",))},
            "Thing.twin has initial in its keys, but lacks name, of which it may be computed",
        ),
    ],
)
def test_computed_fields_that_cannot_work_are_rejected(members: dict[str, Any], message: str) -> None:
    given = {"keys": Keys(primary=("THING#{id}", "THING")), **members}
    with pytest.raises(DesignError, match=message):
        define(given, token=Annotated[str, fields.Encrypted()])


def test_markers_refer_to_stored_fields() -> None:
    with pytest.raises(DesignError, match=r"Thing.token refers to initial, which is computed and not stored"):
        define(
            {"initial": initial, "keys": Keys(primary=("THING#{id}", "THING"))},
            token=Annotated[str, fields.Encrypted(context=("initial",))],
        )


def test_computed_needs_its_sources() -> None:
    with pytest.raises(DesignError, match="computed needs the names of its fields"):
        fields.computed()
