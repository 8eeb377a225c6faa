"""Service errors: one class for each wire code, whatever was imported, and the JSON body of each."""

import subprocess
import sys

import pytest

from tablewright import errors
from tablewright.errors.service_errors import BY_CODE, ServiceError

CLASS_BEFORE_AND_AFTER_IMPORT = """
from tablewright.errors import ServiceError
before = type(ServiceError.of("BackupNotFoundException", "gone"))
import tablewright.engine.database, tablewright.engine.core.operations, tablewright.server
after = type(ServiceError.of("BackupNotFoundException", "gone"))
print(before is after, before.__name__)
"""

EVERY_SUBCLASS = """
import importlib, pkgutil, tablewright
for module in pkgutil.walk_packages(tablewright.__path__, "tablewright."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from tablewright.errors.service_errors import BY_CODE, ServiceError

def subclasses(of):
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)

# A class may refine a registered one, and have its code (EmptyKey is a ValidationError).
print(sorted(each.__name__ for each in subclasses(ServiceError) if not issubclass(each, BY_CODE.get(each.code, ()))))
"""


def output_of(program: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_class_of_a_code_does_not_depend_on_imports() -> None:
    assert output_of(CLASS_BEFORE_AND_AFTER_IMPORT) == "True BackupNotFound"


def test_every_service_error_is_registered() -> None:
    assert output_of(EVERY_SUBCLASS) == "[]"


@pytest.mark.parametrize(("code", "leaf"), BY_CODE.items())
def test_a_code_gives_its_class(code: str, leaf: type[ServiceError]) -> None:
    assert leaf.code == code
    assert getattr(errors, leaf.__name__) is leaf
    error = ServiceError.of(code, "what happened")
    assert type(error) is leaf
    assert error.message == "what happened"


def test_a_code_that_is_not_registered_gives_the_same_class_each_time() -> None:
    first, second = (
        ServiceError.of("BrandNewException", "a", 418),
        ServiceError.of("BrandNewException", "b", 418),
    )
    assert type(first) is type(second)
    assert (first.code, first.status) == ("BrandNewException", 418)


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (
            errors.ValidationError("bad"),
            {"__type": "com.amazon.coral.validate#ValidationException", "message": "bad"},
        ),
        (
            errors.AccessDenied("no"),
            {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": "no"},
        ),
        (errors.UnknownOperation(), {"__type": "com.amazon.coral.service#UnknownOperationException"}),
        (
            errors.ConditionalCheckFailed(item={"id": {"S": "1"}}),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                "message": "The conditional request failed",
                "Item": {"id": {"S": "1"}},
            },
        ),
        (
            errors.ConditionalCheckFailed(),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                "message": "The conditional request failed",
            },
        ),
        (
            errors.TransactionCanceled([{"Code": "None"}, {"Code": "ConditionalCheckFailed"}]),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
                "[None, ConditionalCheckFailed]",
                "CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}],
            },
        ),
    ],
)
def test_body(error: ServiceError, body: dict[str, object]) -> None:
    assert error.body() == body


def test_an_older_message_defaults_to_the_newer() -> None:
    assert errors.ValidationError("new").older == "new"
    assert errors.ValidationError("new", older="old").older == "old"
