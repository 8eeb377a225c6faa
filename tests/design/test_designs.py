"""Designs: collected tables, types, the key table, migrations and loading by name."""

from types import ModuleType
from typing import Annotated

import pytest

from tablewright import Copy, Design, Entity, Get, Keys, Table, fields
from tablewright.design.entities.migrations import Migration
from tablewright.errors import DesignError

main = Table("app-{env}-main", key=("PK", "SK"))
strict, literal = (Table("shop", key=("PK", "SK"), literal=is_literal) for is_literal in (False, True))


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
        ("json:design", "json has no design design; it has: none, so leave out the name"),
    ],
)
def test_loading_names_the_mistake(place: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        Design.load(place)


def test_loading_finds_a_design_by_name() -> None:
    found = Design.load("tablewright_systems.boards.design:design")
    assert found.entities
