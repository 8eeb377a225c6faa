"""Drift: tables beside their design, on any endpoint."""

from typing import Any

from tablewright import Design, Entity, Index, Keys, Table, connect
from tablewright.console.health.drift import drift
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UnknownOperation

before = Table("shop", ("PK", "SK"), ttl=False)
after = Table(
    "shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")], ttl="expires", point_in_time_recovery=True
)


class Before(Entity, table=before, type="ITEM"):
    name: str
    keys = Keys(primary=("ITEM#{name}", "ITEM"))


class After(Entity, table=after, type="ITEM"):
    name: str
    keys = Keys(primary=("ITEM#{name}", "ITEM"), GSI1=("ITEMS", "{name}"))


class _WithoutBackups:
    """An endpoint that lacks an operation, as Alternator does."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "DescribeContinuousBackups":
            raise UnknownOperation("")
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        """Nothing to close."""


def _drift(entity: type[Entity], connection: Any) -> dict[str, Any]:
    db = connect(Design("shop", entities=[entity]), connection, create=False)
    return drift(OpenDesign(db, "Shop", "shop.db", "shop:design"))


def test_tables_that_match_have_no_steps() -> None:
    with connect(Design("shop", entities=[Before])) as db:
        found = _drift(Before, db.connection)
    assert (found["state"], found["different"]) == ("same", 0)
    assert found["tables"][0]["steps"] == []


def test_each_difference_is_a_setting_with_its_step() -> None:
    with connect(Design("shop", entities=[Before])) as db:
        found = _drift(After, db.connection)
    assert (found["state"], found["different"]) == ("different", 1)
    (table,) = found["tables"]
    states = {each["setting"]: each["state"] for each in table["settings"] if each["state"] != "same"}
    assert states["index GSI1"] == "missing"
    assert states["ttl"] == states["point_in_time_recovery"] == "different"
    assert [step["step"] for step in table["steps"]] == ["Backfill", "AddIndex", "Change", "Change"]
    assert found["commands"]["deploy"] == "tablewright deploy shop:design --on shop.db"


def test_a_setting_that_the_endpoint_lacks_is_unknown() -> None:
    with connect(Design("shop", entities=[After])) as db:
        found = _drift(After, _WithoutBackups(db.connection))
    (table,) = found["tables"]
    unknown = [each["setting"] for each in table["settings"] if each["state"] == "unknown"]
    assert (found["state"], unknown) == ("same", ["point_in_time_recovery"])
    assert "not compared" in table["warnings"][0]


def test_tables_that_do_not_exist_are_missing() -> None:
    with connect(Design("empty", tables=[Table("other", "id")])) as db:
        found = _drift(After, db.connection)
    assert found["state"] == found["tables"][0]["state"] == "missing"
