"""The rates of an estimate: of the design, of a file, of the page, or assumed."""

from pathlib import Path

import pytest

from tablewright.console.load.workload_choice import (
    WorkloadChoice,
    choose_workload,
    with_rates,
    workload_files,
)
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UsageError
from tablewright.planning.workloads import Workload
from tests.console.sample_console import open_system


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
