"""Every constraint of AWS's service model is enforced, at its edges, in the process and over HTTP."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.operations import find_operation
from tablewright.engine.core.requests import scalars
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.limits.callers import call_in_process, call_over_http
from tests.engine.limits.limit import Call, Rejected
from tests.engine.limits.limit_tables import create_tables
from tests.engine.limits.model_members import Edge, edges
from tests.server.processes import ServerProcess
from tests.server.raw_http import RawConnection

pytestmark = pytest.mark.figure

# Members of which AWS reports a violation in other words, by the end of their path.
OWN_MESSAGES = {
    "BatchGetItem.RequestItems": "Too many items requested for the BatchGetItem call",
    "BatchWriteItem.RequestItems": "for BatchWriteItem|Too many items requested for the BatchWriteItem call",
    "AttributesToGet.0": "Attribute name is too large",
    "Tags.0.Key": "The Tag Key provided is invalid",
    "Tags.0.Value": "The Tag Value provided is invalid",
    "UntagResource.TagKeys.0": "The Tag Key provided is invalid",
    "SearchVectors.IndexName": "The table does not have the specified index: no, ",
    "TableClass": "Invalid table-class parameter provided",
    "ConditionalOperator": "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]",
    "UpdateItem.ReturnValues": "Failed to satisfy constraint: Member must satisfy enum value set",
}
# Names of attributes need an expression that uses them: `item_limits` has their limits. The ARNs of tags are rejected
# for their form, whatever their length.
LEFT_OUT = (
    "ExpressionAttributeNames.*",
    "TagResource.ResourceArn",
    "UntagResource.ResourceArn",
    "ListTagsOfResource.ResourceArn",
)
EDGES = [edge for edge in edges() if not edge.member.endswith(LEFT_OUT)]
OPERATIONS = sorted({edge.operation for edge in EDGES})


@pytest.fixture(scope="module", params=["in process", "over HTTP"])
def call(request: pytest.FixtureRequest) -> Iterator[Call]:
    if request.param == "in process":
        db = Database(open_store(), Clock())
        made = call_in_process(db)
        create_tables(made)
        yield made
        db.close()
    else:
        with ServerProcess("--memory") as server, RawConnection(server.address) as connection:
            made = call_over_http(connection)
            create_tables(made)
            yield made


def problem(edge: Edge, call: Call) -> str | None:
    """What is wrong with the reply to a request at an edge, or None."""
    try:
        call(edge.operation, edge.request)
    except Rejected as error:
        if is_about(error, edge) is edge.is_inside:
            return f"{edge.id}: {str(error)[:300]}"
        return None
    return None if edge.is_inside else f"{edge.id}: was accepted"


def is_about(error: Rejected, edge: Edge) -> bool:
    """Whether an error is about the constraint of this member."""
    if error.code != "ValidationException":
        return False
    for ending, messages in OWN_MESSAGES.items():
        if edge.member.endswith(ending) and any(each in error.message for each in messages.split("|")):
            return True
    name = next(part for part in reversed(edge.path) if part not in ("0", "*"))
    shown = error.message.replace(name, name[0].lower() + name[1:])
    return "failed to satisfy constraint" in shown and name[0].lower() + name[1:] in shown


@pytest.mark.parametrize("operation", OPERATIONS)
def test_constraints_are_those_of_the_model(call: Call, operation: str) -> None:
    found = [problem(edge, call) for edge in EDGES if edge.operation == operation]
    assert [each for each in found if each is not None] == []


def test_every_implemented_operation_with_constraints_is_tested() -> None:
    assert len(OPERATIONS) > 45
    assert all(find_operation(name) for name in OPERATIONS)
    sides = Counter(edge.is_inside for edge in EDGES)
    assert sides[True] > 500
    assert sides[False] > 300


@pytest.mark.parametrize(
    ("kind", "value"),
    [(scalars.Text, True), (scalars.Text, False), (scalars.Number, True), (scalars.Number, False)],
)
def test_planted_bugs_are_found(monkeypatch: pytest.MonkeyPatch, kind: type, value: bool) -> None:
    """Strings or numbers that are all accepted, or all rejected."""
    monkeypatch.setattr(kind, "accepts", lambda self, given: value)
    if value:
        monkeypatch.setattr(kind, "violations", lambda self, given, path: iter(()))
    else:
        monkeypatch.setattr(
            kind, "violations", lambda self, given, path: iter([f"'{path}' failed to satisfy constraint"])
        )
    db = Database(open_store(), Clock())
    found = [
        problem(edge, call_in_process(db)) for edge in EDGES if edge.operation in ("Scan", "ListBackups")
    ]
    db.close()
    assert len([each for each in found if each is not None]) > 3
