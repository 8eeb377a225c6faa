"""Designs: collected tables, types, the key table, migrations and loading by name."""

from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, cast

import pytest

from tablewright import Copy, Design, Entity, Get, Keys, Table, fields
from tablewright.design.designs import checkpoint_table, position_table
from tablewright.design.entities.migrations import Migration
from tablewright.errors import DesignError

main = Table("app-{env}-main", key=("PK", "SK"))
strict, literal = Table("shop", key=("PK", "SK")), Table("old-shop", key=("PK", "SK"), literal=True)


class User(Entity, table=main, type="USER"):
    user_id: str
    keys = Keys(primary=("USER#{user_id}", "USER"))


class Secret(Entity, table=main, type="SECRET"):
    user_id: str
    token: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("USER#{user_id}", "SECRET"))


class UserById(Get[User]):
    user_id: str


class Seat(Entity, table=strict, type="SEAT"):
    a: str
    keys = Keys(primary=("SEAT#{a}", "SEAT"))


class Chair(Entity, table=strict, type="CHAIR"):
    a: str
    keys = Keys(primary=("CHAIR#{a}", "CHAIR"))
    twin = Copy(type="SEAT", primary=("TWIN#{a}", "TWIN"))


class Broken(Entity, table=literal, type="BROKEN"):
    a: str
    keys = Keys(primary=("BROKEN#{b}", "BROKEN"))


def test_tables_are_collected_from_entities_and_patterns() -> None:
    assert Design("app", patterns=[UserById]).tables == (main,)
    assert Design("app", entities=[User, User, Seat]).tables == (main, strict)
    assert Design("app", entities=[User, Seat]).entities_of(strict) == (Seat,)


def test_secrets_need_a_key_table() -> None:
    assert Design("app", entities=[User]).key_table is None
    made = Design("my app", entities=[Secret]).key_table
    assert made is not None
    assert (made.name, made.key) == ("my-app-{env}-keys", ("owner", "context"))
    given = Table("keys", key=("owner", "context"))
    assert Design("app", entities=[Secret], key_table=given).tables == (main, given)


def test_two_entities_of_one_type_are_rejected() -> None:
    with pytest.raises(
        DesignError, match="Chair and Seat both have the type 'SEAT' in shop; give each its own"
    ):
        Design("shop", entities=[Chair, Seat])


def test_two_tables_of_one_name_are_rejected() -> None:
    again = Table("app-{env}-main", key=("PK", "SK"))
    with pytest.raises(
        DesignError, match=r"hub has two tables named app-\{env\}-main; declare the table once"
    ):
        Design("hub", entities=[User], tables=[again])


def test_problems_of_literal_tables_are_collected() -> None:
    assert [problem.code for problem in Design("shop", entities=[Broken, Seat]).problems] == ["TW003"]


def test_a_module_is_collected() -> None:
    module = ModuleType("collected")
    here = type("Here", (), {"__module__": "collected"})
    vars(module).update(main=main, User=User, Here=here, one=Migration("one", User))
    User.__module__, before = "collected", User.__module__
    try:
        found = Design.of(module)
    finally:
        User.__module__ = before
    assert (found.name, found.entities, found.tables) == ("collected", (User,), (main,))
    assert [migration.name for migration in found.migrations] == ["one"]


def test_a_module_of_migrations_is_imported_on_first_use() -> None:
    design = Design("app", migrations="no.such.module")
    with pytest.raises(
        DesignError, match=r"app has its migrations in no\.such\.module, which cannot be imported"
    ):
        design.migrations  # noqa: B018


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no_such_module:design", "cannot import no_such_module"),
        ("json:design", "json has no variable design; add design = Design\\("),
    ],
)
def test_loading_names_the_mistake(place: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        Design.load(place)


def test_loading_finds_a_design_by_name() -> None:
    found = Design.load("tablewright_systems.boards.design:design")
    assert found.entities


def test_entities_and_patterns_are_classes() -> None:
    class Thing(Entity, table=Table("things", key="id")):
        id: str

    class ThingById(Get[Thing]):
        id: str

    given: Any
    for argument, given, message in (
        ("patterns", ThingById(id="1"), "an instance of ThingById among its patterns, .* write ThingById"),
        ("patterns", Thing, r"has Thing among its patterns, .* list classes in patterns=\[\.\.\.\]"),
        ("entities", Thing(id="1"), "an instance of Thing among its entities, .* write Thing"),
        ("entities", ThingById, "has ThingById among its entities"),
    ):
        with pytest.raises(DesignError, match=message):
            Design("things", **cast(Any, {argument: [given]}))


MISTAKES = {
    "keys": ("\nkeys = Keys('A#{a:6}')\n", r'^mistaken_keys\.py:3: in the key template "A#\{a:6\}"'),
    # Pydantic calls the check of a class: the place is the class, not a line of Pydantic.
    "entity": (
        "main = Table('main', key='PK')\n\n\nclass Thing(Entity, table=main):\n    a: str\n    keys = Keys('A#{b}')\n",
        r"^mistaken_entity\.py:5: Thing has no field b",
    ),
    "pattern": (
        "class Thing(Entity, table=Table('main', key='a')):\n    a: str\n\n\nclass One(Get[Thing]):\n    b: str\n",
        r"^mistaken_pattern\.py:6: One needs a",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_loaded_module_has_its_place(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, message = MISTAKES[name]
    header = "from tablewright import Entity, Get, Keys, Table\n"
    (tmp_path / f"mistaken_{name}.py").write_text(header + source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DesignError, match=message):
        Design.load(f"mistaken_{name}:design")


class Note(Entity, table=Table("notes", key="id")):
    id: str


class Task(Entity, table=Table("app-{env}-tasks", key="id")):
    id: str


def test_tables_are_named_after_the_design() -> None:
    design = Design("my app", entities=[Note])
    assert checkpoint_table(design).name == "my-app-migrations"
    assert checkpoint_table(design).key == ("name", "place")
    assert position_table(Design("app", entities=[Note])).name == "app-positions"
    assert position_table(Design("app", entities=[Note])).key == ("consumer", "place")


def test_tables_vary_with_the_environment_as_the_others_do() -> None:
    design = Design("app", entities=[Task])
    assert checkpoint_table(design).name == "app-{env}-migrations"
    assert position_table(design).name == "app-{env}-positions"
