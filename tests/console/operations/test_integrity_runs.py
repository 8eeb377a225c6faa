"""Integrity runs: findings with previews, and repairs that need the preview."""

from typing import Any

import pytest

from tablewright.console.endpoints import Conflict
from tablewright.console.open_designs import OpenDesign
from tablewright.console.operations import integrity_runs
from tablewright.console.tasks import MAX_ENDED
from tablewright.errors import UsageError
from tests.console.sample_console import open_system
from tests.console.shop import open_shop


def _locks(opened: OpenDesign) -> list[dict[str, Any]]:
    table = next(iter(opened.tables))
    items = opened.db.connection.call("Scan", {"TableName": table})["Items"]
    return [item for item in items if item["PK"]["S"].startswith("USERNAME#")]


@pytest.fixture
def damaged() -> Any:
    """Boards with two users whose locks are missing."""
    opened = open_system("boards", samples=2)
    for lock in _locks(opened)[:2]:
        key = {name: lock[name] for name in ("PK", "SK")}
        opened.db.connection.call("DeleteItem", {"TableName": next(iter(opened.tables)), "Key": key})
    yield opened
    opened.close()


def _run(opened: OpenDesign) -> integrity_runs.IntegrityRun:
    run = integrity_runs.start_run(opened)
    assert opened.tasks.wait(run.task).state == "done"
    return run


def test_a_run_lists_its_findings_page_by_page(damaged: OpenDesign) -> None:
    assert integrity_runs.describe_run(damaged, 0, 10) == {"state": "never", "task": None}
    _run(damaged)
    found = integrity_runs.describe_run(damaged, 1, 10)
    assert (found["state"], found["total"], found["repairable"]) == ("done", 2, 2)
    assert found["counts"] == {"missing lock": 2}
    (second,) = found["findings"]
    assert (second["number"], second["kind"], second["repair"]) == (1, "missing lock", "write it")


def test_a_repair_writes_what_its_preview_shows(damaged: OpenDesign) -> None:
    run = _run(damaged)
    before = _locks(damaged)
    shown = integrity_runs.preview(damaged, run, [0, 1])
    assert _locks(damaged) == before
    items = [preview["items"][0] for preview in shown["previews"]]
    assert [item["before"] for item in items] == [None, None]
    result = integrity_runs.repair_findings(damaged, run, [0, 1], shown["digest"])
    assert result == {"repaired": [0, 1], "unchanged": []}
    assert all(item["after"] in _locks(damaged) for item in items)
    assert integrity_runs.describe_run(damaged, 0, 10)["repairable"] == 0
    _run(damaged)
    assert integrity_runs.describe_run(damaged, 0, 10)["total"] == 0


def test_nothing_is_repaired_without_its_preview(damaged: OpenDesign) -> None:
    run = _run(damaged)
    other = integrity_runs.preview(damaged, run, [0])["digest"]
    before = _locks(damaged)
    for digest in ("", other):
        with pytest.raises(Conflict, match="Nothing was written"):
            integrity_runs.repair_findings(damaged, run, [0, 1], digest)
    assert _locks(damaged) == before


def test_repairs_that_delete_items_need_the_name_of_the_table() -> None:
    opened = open_shop()
    with opened.db:
        _leave_orphans(opened)
        run = _run(opened)
        shown = integrity_runs.preview(opened, run, [0, 1])
        assert shown["deletes"] == {"shop": 2}
        before = opened.db.connection.call("Scan", {"TableName": "shop"})["Items"]
        for typed in (None, "", "Shop", "shop "):
            with pytest.raises(
                UsageError, match="type the name of the table, shop, to delete 2 of its items"
            ):
                integrity_runs.repair_findings(opened, run, [0, 1], shown["digest"], typed)
        assert opened.db.connection.call("Scan", {"TableName": "shop"})["Items"] == before
        result = integrity_runs.repair_findings(opened, run, [0, 1], shown["digest"], "shop")
        assert result["repaired"] == [0, 1]
        assert [finding["deletes"] for finding in integrity_runs.describe_run(opened, 0, 9)["findings"]] == [
            True,
            True,
        ]
    opened.close()


def test_repairs_that_delete_items_of_two_tables_are_made_table_by_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = open_shop()
    with opened.db:
        _leave_orphans(opened)
        run = _run(opened)
        shown = integrity_runs.preview(opened, run, [0, 1])
        monkeypatch.setattr(integrity_runs, "_deletes", lambda opened, changes: {"events": 1, "shop": 2})
        with pytest.raises(UsageError, match="items of events and shop; repair one table at a time"):
            integrity_runs.repair_findings(opened, run, [0, 1], shown["digest"], "shop")
    opened.close()


def _leave_orphans(opened: OpenDesign) -> None:
    """Write two copies of an order that does not exist."""
    items = opened.db.connection.call("Scan", {"TableName": "shop"})["Items"]
    copy = next(item for item in items if item["PK"] == {"S": "ORDERS"})
    for number in ("8", "9"):
        owner = {"M": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": f"ORDER#{number}"}}}
        orphan = copy | {"SK": {"S": number}, "_of": owner}
        opened.db.connection.call("PutItem", {"TableName": "shop", "Item": orphan})


def test_an_item_that_changed_since_is_marked_in_the_preview(damaged: OpenDesign) -> None:
    run = _run(damaged)
    key, table = run.finding(0).key, next(iter(damaged.tables))
    values = {":v": {"S": "renamed"}}
    request = {"TableName": table, "Key": key, "UpdateExpression": "SET userName = :v"}
    damaged.db.connection.call("UpdateItem", request | {"ExpressionAttributeValues": values})
    (shown,) = integrity_runs.preview(damaged, run, [0])["previews"]
    assert (shown["changed_since"], shown["items"]) == (True, [])


@pytest.mark.parametrize("number", [-1, 2, 999])
def test_unknown_findings_are_errors(damaged: OpenDesign, number: int) -> None:
    run = _run(damaged)
    with pytest.raises(UsageError, match=f"no finding {number}"):
        integrity_runs.preview(damaged, run, [number])


def test_findings_of_an_older_run_are_a_conflict(damaged: OpenDesign) -> None:
    first = _run(damaged)
    second = _run(damaged)
    assert integrity_runs.required_run(damaged, second.task) is second
    with pytest.raises(Conflict, match="latest integrity check"):
        integrity_runs.required_run(damaged, first.task)


def test_a_finding_without_a_repair_is_an_error(damaged: OpenDesign) -> None:
    item = {"PK": {"S": "STRAY"}, "SK": {"S": "STRAY"}, "type": {"S": "STRAY"}}
    damaged.db.connection.call("PutItem", {"TableName": next(iter(damaged.tables)), "Item": item})
    run = _run(damaged)
    assert run.report is not None
    number = next(place for place, each in enumerate(run.report.findings) if not each.actions)
    with pytest.raises(UsageError, match="cannot be repaired automatically"):
        integrity_runs.preview(damaged, run, [number])


def test_a_run_outlasts_its_task(damaged: OpenDesign) -> None:
    first = _run(damaged)
    for _ in range(MAX_ENDED):
        damaged.tasks.wait(damaged.tasks.start("other", "Another task", lambda report: None).id)
    found = integrity_runs.describe_run(damaged, 0, 10)
    assert (found["state"], found["run"], found["total"]) == ("done", first.task, 2)
    assert _run(damaged) is not first
