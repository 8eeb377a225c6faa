"""Health: findings, drift, and integrity checks with repairs."""

import threading
from typing import Any

import pytest

from tablewright import Design, Entity, Index, Keys, Scan, Table, connect
from tablewright.checks.runner import check
from tablewright.console.api.health_view import check_findings, drift, severity_counts, suppression
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UnknownOperation
from tests.console.sample_console import ConsoleClient, console_client


def _checked(console: ConsoleClient) -> Any:
    started = console.post("/health/fsck/start")
    console.opened.tasks.wait(started["run"])
    return console.get("/health/fsck")


def _damage(console: ConsoleClient) -> None:
    """Delete the lock of a user name."""
    connection, table = console.opened.db.connection, next(iter(console.opened.tables))
    items = connection.call("Scan", {"TableName": table})["Items"]
    lock = next(item for item in items if item["PK"]["S"].startswith("USERNAME#"))
    connection.call("DeleteItem", {"TableName": table, "Key": {name: lock[name] for name in ("PK", "SK")}})


def test_findings_have_their_rule_and_source() -> None:
    with console_client("boards", samples=0) as console:
        found = console.get("/health/check")
    assert found["counts"]["warning"] == 1
    finding = found["rules"][0]["findings"][0]
    assert finding["source"]["file"].endswith("boards/design.py")
    assert finding["source"]["excerpt"]


def test_drift_of_a_deployed_design() -> None:
    with console_client("boards", samples=0) as console:
        assert console.get("/health/drift")["state"] == "same"
        name = next(iter(console.opened.tables))
        console.opened.db.connection.call("DeleteTable", {"TableName": name})
        found = console.get("/health/drift")
    assert (found["state"], found["different"]) == ("different", 1)
    assert found["tables"][0]["settings"][0]["state"] == "missing"


def test_a_problem_is_found_previewed_and_repaired() -> None:
    with console_client("boards", samples=1) as console:
        assert console.get("/health/fsck")["state"] == "never"
        _damage(console)
        checked = _checked(console)
        assert (checked["state"], checked["counts"]) == ("done", {"missing lock": 1})
        body = {"run": checked["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        result = console.post("/health/fsck/repair", body | {"digest": shown["digest"]})
        assert result["repaired"] == [0]
        assert _checked(console)["total"] == 0


def test_a_read_only_console_previews_and_does_not_repair() -> None:
    with console_client("boards", samples=1, writable=False) as console:
        _damage(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        status, message = console.error("POST", "/health/fsck/repair", body | {"digest": shown["digest"]})
        assert (status, "--write" in message) == (403, True)
        assert _checked(console)["total"] == 1


def test_a_repair_needs_a_preview() -> None:
    with console_client("boards", samples=1) as console:
        _damage(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        assert console.error("POST", "/health/fsck/repair", body)[0] == 422
        assert console.error("POST", "/health/fsck/repair", body | {"digest": "0"})[0] == 409
        assert _checked(console)["total"] == 1


def test_a_repair_that_deletes_an_item_needs_the_typed_name_of_the_table() -> None:
    with console_client("boards", samples=1) as console:
        table = next(iter(console.opened.tables))
        _leave_orphan(console)
        body = {"run": _checked(console)["run"], "findings": [0]}
        shown = console.post("/health/fsck/preview", body)
        body["digest"] = shown["digest"]
        for extra in ({}, {"confirm": ""}, {"confirm": "other"}):
            status, message = console.error("POST", "/health/fsck/repair", body | extra)
            assert (status, f"type the name of the table, {table}" in message) == (400, True)
        assert console.post("/health/fsck/repair", body | {"confirm": table})["repaired"] == [0]
        assert _checked(console)["total"] == 0


def _leave_orphan(console: ConsoleClient) -> None:
    """Write the lock of a user that does not exist."""
    connection, table = console.opened.db.connection, next(iter(console.opened.tables))
    items = connection.call("Scan", {"TableName": table})["Items"]
    lock = next(item for item in items if item["PK"]["S"].startswith("USERNAME#"))
    absent = lock | {"PK": {"S": "USERNAME#absent"}}
    connection.call("PutItem", {"TableName": table, "Item": absent})


def test_a_running_check_can_be_cancelled_and_runs_once() -> None:
    with console_client("boards", samples=1) as console:
        connection = console.opened.db.connection
        call, reached, go_on = connection.call, threading.Event(), threading.Event()

        def slow(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if operation == "Scan":
                reached.set()
                assert go_on.wait(10)
            reply: dict[str, Any] = call(operation, request)
            return reply

        connection.call = slow  # type: ignore[method-assign]
        started = console.post("/health/fsck/start")
        assert started["state"] == "running"
        assert reached.wait(10)
        assert "is running" in console.error("POST", "/health/fsck/start")[1]
        assert console.post("/health/fsck/cancel")["task"]["is_cancelling"]
        go_on.set()
        console.opened.tasks.wait(started["run"])
        assert console.get("/health/fsck")["state"] == "cancelled"
        assert "counts" not in console.get("/health/fsck")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/health/fsck/start", {"rate": 0}, 422),
        ("/health/fsck/start", {"speed": 1}, 422),
        ("/health/fsck/cancel", {}, 400),
        ("/health/fsck/preview", {"run": "1", "findings": [0]}, 409),
        ("/health/fsck/preview", {"run": "1", "findings": []}, 422),
        ("/health/fsck/repair", {"run": "1", "findings": list(range(101)), "digest": ""}, 422),
    ],
)
def test_wrong_requests_are_errors(path: str, body: dict[str, Any], status: int) -> None:
    with console_client("student_hub", samples=0) as console:
        assert console.error("POST", path, body)[0] == status


def test_the_start_of_a_page_is_a_number() -> None:
    with console_client("student_hub", samples=0) as console:
        assert "start is a whole number" in console.error("GET", "/health/fsck", start="-1")[1]


def test_secrets_are_hidden_in_previews() -> None:
    with console_client("listbackup", samples=1) as console:
        opened = console.opened
        name = next(table for table in opened.tables if table.endswith("oauth-tokens"))
        items = opened.db.connection.call("Scan", {"TableName": name})["Items"]
        (secret,) = {field.stored for field in _secrets(opened)} & items[0].keys() or {""}
        request = {"TableName": name, "Key": {"sourceId": items[0]["sourceId"]}}
        opened.db.connection.call("UpdateItem", request | {"UpdateExpression": "REMOVE expiryShard"})
        checked = _checked(console)
        assert checked["counts"] == {"stale index keys": 1}
        shown = console.post("/health/fsck/preview", {"run": checked["run"], "findings": [0]})
    item = shown["previews"][0]["items"][0]
    assert item["before"][secret] == item["after"][secret] == {"HIDDEN": True}


def _secrets(opened: Any) -> Any:
    layout = next(entity.layout for entity in opened.design.entities if entity.__name__ == "OAuthToken")
    return [layout.fields[name] for name in layout.secrets]


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
    states = {
        setting["setting"]: setting["state"] for setting in table["settings"] if setting["state"] != "same"
    }
    assert states["index GSI1"] == "missing"
    assert states["ttl"] == states["point_in_time_recovery"] == "different"
    assert [step["step"] for step in table["steps"]] == ["CompleteLayout", "AddIndex", "Change", "Change"]
    assert found["commands"]["deploy"] == "tablewright deploy shop:design --on shop.db"


def test_a_setting_that_the_endpoint_lacks_is_unknown() -> None:
    with connect(Design("shop", entities=[After])) as db:
        found = _drift(After, _WithoutBackups(db.connection))
    (table,) = found["tables"]
    unknown = [setting["setting"] for setting in table["settings"] if setting["state"] == "unknown"]
    assert (found["state"], unknown) == ("same", ["point_in_time_recovery"])
    assert "not compared" in table["warnings"][0]


def test_tables_that_do_not_exist_are_missing() -> None:
    with connect(Design("empty", tables=[Table("other", "id")])) as db:
        found = _drift(After, db.connection)
    assert found["state"] == found["tables"][0]["state"] == "missing"


main = Table("library", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")])


class Book(Entity, table=main, type="BOOK"):
    book_id: str
    tags: list[str]
    keys = Keys(primary=("BOOK#{book_id}", "BOOK"), GSI1=("BOOKS", "{book_id}"))


class AllBooks(Scan[Book]):
    """Every book."""


design = Design(
    "library", entities=[Book], patterns=[AllBooks], suppress={"TW402:Book.tags": "few tags, ever"}
)


@pytest.fixture
def found() -> Any:
    with connect(design) as db:
        opened = OpenDesign(db, "Library", "memory", "library:design")
        assert severity_counts(opened) == check_findings(opened)["counts"]
        return check_findings(opened)


def test_findings_are_grouped_by_rule_with_its_manual(found: Any) -> None:
    scan = next(rule for rule in found["rules"] if rule["code"] == "TW303")
    assert scan["title"] == "Pattern that needs a scan"
    assert scan["manual"].startswith("A pattern reads a whole table.")
    assert [finding["where"] for finding in scan["findings"]] == ["AllBooks"]
    assert [rule["code"] for rule in found["rules"]] == list(
        dict.fromkeys(each.code for each in check(design))
    )


def test_a_finding_has_the_lines_of_the_class(found: Any) -> None:
    scan = next(rule for rule in found["rules"] if rule["code"] == "TW303")
    source = scan["findings"][0]["source"]
    assert source["file"].endswith("test_health_view.py")
    assert source["excerpt"][source["line"] - source["first"]] == "class AllBooks(Scan[Book]):"


def test_the_line_that_accepts_a_finding_works() -> None:
    for finding in check(Design("library", entities=[Book], patterns=[AllBooks])):
        line = suppression(finding)
        key = line["line"].partition('"')[2].partition('"')[0]
        if line["place"] == "in the call of Design(...)":
            again = Design("library", entities=[Book], patterns=[AllBooks], suppress={key: "for a test"})
            assert finding in [each for each, _ in check(again).suppressed]
        else:
            assert line["place"] == f"in the class {finding.where.partition('.')[0]}"
            assert line["line"].startswith("suppress: ClassVar = {")


def test_suppressed_findings_have_their_reason(found: Any) -> None:
    assert [(each["where"], each["reason"]) for each in found["suppressed"]] == [
        ("Book.tags", "few tags, ever")
    ]
    assert found["counts"]["suppressed"] == 1
