"""Every access pattern and flow of the five systems, on every store."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.service.errors import Conflict, Forbidden
from tablewright_systems.verification import attribute, put_row
from tablewright_systems.verification.proof_runner import proof_context
from tablewright_systems.verification.proofs import Proof, ProofContext, expect_error, recording

from tablewright import connect
from tests.server.processes import ServerProcess

# How many access patterns and flows each system has.
COUNTS = {
    "boards": (22, 19),
    "listbackup": (50, 22),
    "student_hub": (25, 22),
    "goalsguild": (23, 15),
    "collabhub": (41, 12),
}
STORES = ("memory", "server on a file", "file")
CASES = [
    pytest.param(
        store,
        system,
        proof,
        id=f"{store}-{system.name}-{proof.number}-{proof.name}",
        # The requests of one system are those of all: `make soak` proves the others on a server too, and all in a file.
        marks=pytest.mark.figure
        if store == "memory" or (store, system.name) == ("server on a file", "boards")
        else pytest.mark.soak,
    )
    for store in STORES
    for system in SYSTEMS
    for proof in system.proofs
]


@pytest.fixture(scope="module")
def stages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Stages"]:
    with ExitStack() as stack:
        place = None
        if request.param == "server on a file":
            file = tmp_path_factory.mktemp("server") / "data.db"
            place = stack.enter_context(ServerProcess("--on", str(file))).url
        elif request.param == "file":
            place = str(tmp_path_factory.mktemp("stages"))
        yield Stages(place, stack)


class Stages:
    """A context for each system on one kind of store, created on first use."""

    def __init__(self, place: str | None, stack: ExitStack) -> None:
        self._place = place
        self._stack = stack
        self._found: dict[str, ProofContext] = {}

    def of(self, system: System) -> ProofContext:
        """The context of a system."""
        if system.name not in self._found:
            is_folder = self._place is not None and not self._place.startswith("http")
            where = f"{self._place}/{system.name}.db" if is_folder else self._place
            self._found[system.name] = self._stack.enter_context(proof_context(system, where))
        return self._found[system.name]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_requirement_has_a_proof(system: System) -> None:
    patterns, flows = COUNTS[system.name]
    expected = {f"A{number}" for number in range(1, patterns + 1)}
    expected |= {f"F{number}" for number in range(1, flows + 1)}
    assert {proof.number for proof in system.proofs} == expected


@pytest.mark.parametrize(("stages", "system", "proof"), CASES, indirect=["stages"], scope="module")
def test_proof_passes(stages: Stages, system: System, proof: Proof) -> None:
    context = stages.of(system)
    with context.new_measurement() as measurement:
        proof.run(context)
    if proof.number.startswith("F"):
        assert measurement.rejections, f"{proof.number} shows nothing that is rejected; use expect_error"


def taken() -> None:
    raise Conflict("the name is taken", "name")


def test_error_is_returned_and_counted() -> None:
    shown: list[str] = []
    with recording(shown):
        assert expect_error(Conflict, taken, "name").field == "name"
        with expect_error(Conflict, field="name"):
            taken()
    taken_later = expect_error(Conflict, taken)
    assert taken_later.message == "the name is taken"
    assert shown == ["Conflict", "Conflict"]


def test_missing_error_fails() -> None:
    with pytest.raises(AssertionError, match="expected Conflict, but no error was raised"):
        expect_error(Conflict, lambda: None)
    with (
        pytest.raises(AssertionError, match="expected Conflict, but no error was raised"),
        expect_error(Conflict),
    ):
        pass


def test_error_of_another_class_is_raised() -> None:
    with pytest.raises(Conflict), expect_error(Forbidden):
        taken()
    with pytest.raises(Conflict):
        expect_error(Forbidden, taken)


def test_error_that_names_another_field_fails() -> None:
    with pytest.raises(AssertionError, match="the error names the field name, not title"):
        expect_error(Conflict, taken, "title")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"NULL": True}),
        (True, {"BOOL": True}),
        (1.5, {"N": "1.5"}),
        ("", {"S": ""}),
        ([{"a": 1}], {"L": [{"M": {"a": {"N": "1"}}}]}),
    ],
)
def test_plain_values_are_stored_as_dynamodb_does(value: Any, expected: dict[str, Any]) -> None:
    assert attribute(value) == expected


def test_a_row_is_stored_as_it_is() -> None:
    boards = SYSTEMS[0].design
    with connect(boards, environment="test") as db:
        table = boards.tables[0]
        row = dict.fromkeys(table.key, "x")
        put_row(db, table, row | {"ours": False})
        result = db.connection.call("Scan", {"TableName": db.context.table_name(table)})
        assert result["Items"] == [{**{name: {"S": "x"} for name in row}, "ours": {"BOOL": False}}]
