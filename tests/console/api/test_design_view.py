"""The description of a design: everything that the page needs to name and colour what it shows."""

import pytest
from tablewright_systems.registry import SYSTEMS

from tests.console.sample_console import console_client


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_system_is_described(name: str) -> None:
    with console_client(name, samples=0) as console:
        found = console.get("")
        design = console.opened.design
    assert [entity["name"] for entity in found["entities"]] == [entity.__name__ for entity in design.entities]
    assert [pattern["name"] for pattern in found["patterns"]] == [
        pattern.__name__ for pattern in design.patterns
    ]
    assert len({entity["number"] for entity in found["entities"]}) == len(design.entities)


def test_a_table_has_its_name_in_the_store_and_its_indexes() -> None:
    with console_client("boards", samples=0) as console:
        tables = console.get("")["tables"]
        expected = list(console.opened.tables)
    assert [table["name"] for table in tables] == expected
    assert all("{" not in table["name"] for table in tables)
    assert any(table["indexes"] for table in tables)


def test_secret_fields_are_marked() -> None:
    with console_client("listbackup", samples=0) as console:
        fields = [field for entity in console.get("")["entities"] for field in entity["fields"]]
    assert any(field["secret"] for field in fields)


def test_an_unknown_design_is_an_error() -> None:
    with console_client("boards", samples=0) as console:
        reply = console.http.get("/api/v1/designs/absent")
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "UnknownDesign")
