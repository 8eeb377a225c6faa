"""The tables that the library itself uses: their names and keys."""

from tablewright import Design, Entity, Table
from tablewright.design.library_tables import checkpoint_table, position_table


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
