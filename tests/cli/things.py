"""A small design for the commands that work on a design and its tables, and a way to run them in this process."""

import json
from typing import Any

import pytest

from tablewright import connect
from tablewright.cli import main

DESIGN = """
from decimal import Decimal
from typing import Annotated, Any

from tablewright import Design, Entity, Index, Keys, Table, fields, migrations

things = Table("things-{env}", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Thing(Entity, table=things, type="THING"):
    thing_id: str
    name: Annotated[str, fields.Unique()]
    price: Decimal | str
    keys = Keys(primary=("THING#{thing_id}", "THING"), GSI1=("THINGS", "{name}#{thing_id}"))


def number(item: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(item["price"], str):
        return None
    if not item["price"].isdecimal():
        raise ValueError(f"price: {item['price']!r} is not a number")
    return item | {"price": Decimal(item["price"])}


def text(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"price": str(item["price"])}


prices = migrations.Migration("prices", Thing, number, text)
design = Design("things", entities=[Thing], migrations=[prices])
plain = Design("things", entities=[Thing])

before = Table("things-{env}", ("PK", "SK"))


class Before(Entity, table=before, type="THING"):
    thing_id: str
    name: Annotated[str, fields.Unique()]
    price: str
    keys = Keys(primary=("THING#{thing_id}", "THING"))


without_index = Design("things", entities=[Before])
"""


class Things:
    """Runs a command on the design in this process, with data in tablewright.db of the current directory."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, command: str, *options: str, design: str = "design") -> tuple[int, str]:
        """Return the exit code and the output."""
        code = main([command, f"thing_design:{design}", "--env", "dev", *options])
        output = self._capsys.readouterr()
        return code, (output.out + output.err).strip()

    def json(self, command: str, *options: str) -> Any:
        return json.loads(self.run(command, *options, "--json")[1])

    def put(self, *things: tuple[str, str]) -> None:
        import thing_design  # type: ignore[import-not-found]

        with connect(thing_design.design, "tablewright.db", environment="dev") as db:
            for name, price in things:
                db.put(thing_design.Thing(thing_id=name, name=name, price=price))
