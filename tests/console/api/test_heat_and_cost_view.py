"""Heat and cost: estimates, simulations, comparisons and measurements."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.connections import Connection, Embedded
from tablewright.console.api import heat_and_cost_view
from tablewright.console.api.heat_and_cost_view import (
    WorkloadChoice,
    choose_workload,
    with_rates,
    workload_files,
)
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UsageError
from tablewright.planning.workloads import Workload
from tests.console.sample_console import ConsoleClient, console_client, open_system


def test_a_declared_design_has_a_cost_by_pattern_and_table() -> None:
    with console_client("collabhub", samples=0) as console:
        found = console.get("/cost")
        other = console.get("/cost", region="us-west-2", rates='{"write Message": 10}')
    assert found["is_declared"]
    assert found["cost"] > other["cost"] > 0
    assert (found["region"], other["region"]) == ("us-east-1", "us-west-2")
    assert "us-east-2" in found["regions"]


def test_a_design_without_rates_says_what_to_declare() -> None:
    with console_client("boards", samples=0) as console:
        found = console.get("/cost", workload="declared")
        assumed = console.get("/cost", workload="declared", assume="true")
        heat = console.get("/heat", workload="declared")
    assert (found["is_declared"], found["assumption"], found["lines"]) == (False, None, [])
    assert found["undeclared"][0]["source"].startswith("class ")
    assert heat["resources"] == []
    assert assumed["cost"] > 0
    assert "Assumed" in assumed["assumption"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"region": "mars-1"}, "there are no prices for the region mars-1"),
        ({"workload": "/etc/passwd"}, "there is no workload /etc/passwd"),
        ({"rates": "{"}, "rates is JSON such as"),
        ({"rates": '{"Absent": 1}'}, "the design has no pattern Absent"),
        ({"rates": '{"write Message": -1}'}, "greater than or equal to 0"),
    ],
)
def test_wrong_parameters_are_errors(parameters: dict[str, str], message: str) -> None:
    with console_client("collabhub", samples=0) as console:
        status, text = console.error("GET", "/cost", **parameters)
    assert 400 <= status < 500
    assert message in text


def test_the_number_of_users_decides_which_keys_throttle() -> None:
    with console_client("collabhub", samples=0) as console:
        once, ten = (_heat(console, users) for users in (1, 10))
        assert console.error("GET", "/heat", users=0)[0] == 400
        assert "users is a number above 0" in console.error("GET", "/heat", users="many")[1]
    assert {each["verdict"] for each in once} <= {"cool", "settles"}
    assert ten[0]["verdict"] == "throttles"
    assert ten[0]["keys"][0]["throttled"] > 0


def _heat(console: ConsoleClient, users: int) -> list[dict[str, Any]]:
    found = console.get("/heat", users=users)
    if found["task"] is None:
        return found["resources"]  # type: ignore[no-any-return]
    return console.opened.tasks.wait(found["task"]).result  # type: ignore[no-any-return]


def test_a_long_simulation_continues_as_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_and_cost_view, "SIMULATION_WAIT", 0.0)
    with console_client("collabhub", samples=0) as console:
        found = console.get("/heat", users=10)
        ended = console.opened.tasks.wait(found["task"])
    assert (ended.kind, ended.state) == ("heat", "done")
    assert ended.result[0]["verdict"] == "throttles"


def test_a_cancelled_simulation_ends_at_its_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def heat_of(*given: Any, on_step: Callable[[], None], **options: Any) -> list[Any]:
        (task,) = console.opened.tasks.newest_first()
        on_step()
        console.opened.tasks.cancel(task.id)
        steps.append("cancelled")
        on_step()
        steps.append("continued")
        return []

    monkeypatch.setattr(heat_and_cost_view, "heat_of", heat_of)
    with console_client("collabhub", samples=0) as console:
        ended = console.opened.tasks.wait(console.get("/heat", users=10)["task"])
    assert (ended.state, steps) == ("cancelled", ["cancelled"])


def test_two_workloads_are_compared() -> None:
    with console_client("student_hub", samples=0) as console:
        body = {
            "before": {"workload": "workload.json"},
            "after": {"workload": "workload.json", "rates": {"ProfileOf": 1e6}},
        }
        reply = console.post("/cost/compare", body)
        same = console.post("/cost/compare")
    (changed, table) = reply["differences"]
    assert (changed["name"], changed["what"], table["what"]) == ("ProfileOf", "pattern", "table")
    assert reply["by"] == pytest.approx(changed["by"])
    assert "10,000 -> 1,000,000 times" in changed["why"]
    assert (same["by"], same["differences"]) == (0, [])


def test_another_design_of_the_package_is_compared_and_no_other_module_is_imported() -> None:
    with console_client("student_hub", samples=0) as console:
        other = {"design": "tablewright_systems.collabhub.design:design"}
        reply = console.post("/cost/compare", {"before": other, "after": {}})
        status, message = console.error("POST", "/cost/compare", {"after": {"design": "this:design"}})
        missing = console.error(
            "POST", "/cost/compare", {"after": {"design": "tablewright_systems.absent:design"}}
        )
    assert reply["by"] < 0
    assert (status, "not a design of the package tablewright_systems" in message) == (400, True)
    assert missing[0] == 400


def test_measuring_needs_no_write_access_and_counts_requests() -> None:
    with console_client("boards", writable=False) as console:
        before = console.get("/traffic")
        started = console.post("/traffic/start")
        console.opened.db.connection.call("Scan", {"TableName": "Boards"})
        stopped = console.post("/traffic/stop")
    assert (before["available"], before["is_measuring"], before["since"]) == (True, False, None)
    assert started["is_measuring"]
    assert (stopped["is_measuring"], stopped["requests"]) == (False, 1)
    assert {row["name"] for row in stopped["patterns"] if row["requests"]} == {"AllBoards"}


class Elsewhere:
    """A connection that is not the embedded engine."""

    def __init__(self, connection: Connection) -> None:
        self.call = connection.call
        self.close = connection.close


def test_measuring_at_another_endpoint_says_what_it_needs() -> None:
    with console_client("boards", samples=0) as console:
        assert isinstance(console.opened.db.connection, Embedded)
        console.opened.db.connection = Elsewhere(console.opened.db.connection)
        found = console.get("/traffic")
        status, message = console.error("POST", "/traffic/start")
    assert (found["available"], status) == (False, 400)
    assert "inside the embedded engine" in found["why"]
    assert found["why"] == message


@pytest.fixture(scope="module")
def student_hub() -> OpenDesign:
    return open_system("student_hub", samples=0)


def test_workload_files_beside_the_design_are_found(student_hub: OpenDesign) -> None:
    assert "workload.json" in workload_files(student_hub)
    chosen = choose_workload(student_hub, WorkloadChoice(workload="workload.json"))
    assert (chosen.is_declared, chosen.workload.users) == (True, 1000)


@pytest.mark.parametrize("name", ["absent.json", "../workload.json", "/etc/passwd"])
def test_another_file_is_an_error(student_hub: OpenDesign, name: str) -> None:
    with pytest.raises(UsageError, match=r"there is no workload .*; there are: declared, workload.json"):
        choose_workload(student_hub, WorkloadChoice(workload=name))


def test_rates_of_the_page_replace_those_of_the_file(student_hub: OpenDesign) -> None:
    choice = WorkloadChoice(workload="workload.json", rates={"ProfileOf": 7, "update UserProfile": 3})
    workload = choose_workload(student_hub, choice).workload
    assert workload.patterns["ProfileOf"].times == 7
    assert workload.patterns["ProgressOf"].items == 20
    assert (workload.entities["UserProfile"].update, workload.entities["UserProfile"].size) == (3, 5000)


def test_an_unknown_pattern_is_an_error(student_hub: OpenDesign) -> None:
    with pytest.raises(UsageError, match="the design has no pattern ProfileOff; did you mean ProfileOf"):
        choose_workload(student_hub, WorkloadChoice(rates={"ProfileOff": 7}))


def test_without_rates_a_workload_is_assumed_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    boards = open_system("boards", samples=0)
    nothing = choose_workload(boards, WorkloadChoice())
    assumed = choose_workload(boards, WorkloadChoice(assume=True))
    assert (nothing.is_declared, nothing.assumption, nothing.workload) == (False, None, Workload())
    assert assumed.assumption is not None
    assert "declares no rates" in assumed.assumption


def test_rates_are_added_to_an_empty_workload() -> None:
    assert with_rates(Workload(), {"ByName": 5}).patterns["ByName"].times == 5
