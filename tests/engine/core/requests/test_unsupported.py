"""Every member of AWS's API is implemented, or a request with it is rejected by name."""

from collections.abc import Iterator

import botocore.session
import pytest
from botocore.model import ListShape, MapShape, StructureShape
from botocore.model import Shape as Modelled

from tablewright.engine.core import operations
from tablewright.engine.core.operations import NOT_IMPLEMENTED, find_operation
from tablewright.engine.core.requests.shapes import ListOf, MapOf, Member, Structure
from tablewright.engine.core.requests.unsupported import UNSUPPORTED
from tablewright.engine.database import Database
from tablewright.engine.feature_list import operation_names
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError, ValidationError
from tests.engine.table_cases import request_of

SERVICES = [
    botocore.session.get_session().get_service_model(name) for name in ("dynamodb", "dynamodbstreams")
]
MODEL = {name: service.operation_model(name) for service in SERVICES for name in service.operation_names}


def test_every_operation_is_implemented_or_rejected_by_name() -> None:
    implemented = set(operation_names())
    assert set(MODEL) - implemented - set(NOT_IMPLEMENTED) == set()
    assert implemented & set(NOT_IMPLEMENTED) == set()


@pytest.mark.parametrize("name", [name for name in sorted(MODEL) if find_operation(name)])
def test_every_member_is_declared(name: str) -> None:
    operation, modelled = find_operation(name), MODEL[name].input_shape
    assert operation is not None
    assert modelled is None or list(undeclared(modelled, operation.shape, name)) == []


def undeclared(modelled: Modelled, declared: Member, path: str) -> Iterator[str]:
    """The members of AWS's model that our shape does not have, at every level."""
    if declared is UNSUPPORTED or modelled.name == "AttributeValue":
        return
    match modelled:
        case StructureShape():
            assert isinstance(declared, Structure), path
            for name, member in modelled.members.items():
                if name in declared.members:
                    yield from undeclared(member, declared.members[name], f"{path}.{name}")
                else:
                    yield f"{path}.{name}"
        case ListShape():
            assert isinstance(declared, ListOf), path
            yield from undeclared(modelled.member, declared.element, f"{path}[]")
        case MapShape():
            assert isinstance(declared, MapOf), path
            yield from undeclared(modelled.value, declared.element, f"{path}{{}}")


def test_a_missing_member_is_found() -> None:
    modelled = MODEL["CreateBackup"].input_shape
    assert list(undeclared(modelled, Structure("", members={}), "")) == [".TableName", ".BackupName"]


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    database.call("CreateTable", request_of("music", "artist | artist:S"))
    yield database
    database.close()


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("GlobalTableWitnessUpdates", [{"Create": {"RegionName": "eu-west-1"}}]),
        ("DisassociationProtectionEnabled", True),
    ],
)
def test_an_unsupported_member_is_named(db: Database, member: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        db.call("UpdateTable", {"TableName": "music", member: value})
    assert caught.value.message == f"{member} is not implemented by Tablewright; remove it from the request"


def test_absent_empty_and_unknown_members_are_accepted(db: Database) -> None:
    request: dict[str, object] = {
        "GlobalTableWitnessUpdates": [],
        "DisassociationProtectionEnabled": None,
        "NotInTheApi": 1,
    }
    db.call("UpdateTable", {"TableName": "music", **request, "DeletionProtectionEnabled": True})


def test_an_operation_that_is_not_implemented_is_named(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "NOT_IMPLEMENTED", ("FutureOperation",))
    with pytest.raises(ServiceError) as caught:
        db.call("FutureOperation", {})
    assert caught.value.code == "UnknownOperationException"
    assert caught.value.message == "FutureOperation is not implemented by Tablewright"
