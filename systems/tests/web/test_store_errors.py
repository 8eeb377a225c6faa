"""Every error of Tablewright has a reply."""

import pytest
from tablewright_systems.web.store_errors import INTERNAL, first_failure, store_reply

from tablewright import errors

# Errors of commands, deployments and administration, which no request of an API can cause, and errors of programming.
NEVER_CAUSED_BY_REQUESTS = {
    "BackupInUse",
    "BackupNotFound",
    "CredentialsError",
    "DeploymentError",
    "DesignError",
    "ExpiredIterator",
    "ExportConflict",
    "ExportNotFound",
    "FieldNotRead",
    "GlobalTableNotFound",
    "IdempotentParameterMismatch",
    "ImportConflict",
    "ImportNotFound",
    "IncompleteSignature",
    "InvalidExportTime",
    "InvalidRestoreTime",
    "InvalidSignature",
    "MigrationError",
    "MigrationIncomplete",
    "MissingAuthenticationToken",
    "MoveError",
    "PointInTimeRecoveryUnavailable",
    "PolicyError",
    "PolicyNotFound",
    "SecretError",
    "SerializationError",
    "ServiceError",
    "TableAlreadyExists",
    "TableInUse",
    "TableNotFound",
    "TablewrightError",
    "TrimmedDataAccess",
    "UnknownOperation",
    "UsageError",
}


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_a_reply(name: str) -> None:
    reply = store_reply(getattr(errors, name))
    assert 400 <= reply.status < 600
    assert (reply is INTERNAL) == (name in NEVER_CAUSED_BY_REQUESTS)


@pytest.mark.parametrize(
    "name",
    ["BadCursor", *(each for each in errors.__all__ if issubclass(getattr(errors, each), errors.WriteError))],
)
def test_texts_that_name_classes_are_not_sent(name: str) -> None:
    assert store_reply(getattr(errors, name)).message


def test_first_failure_of_a_transaction() -> None:
    taken = errors.AlreadyExists("User", {"id": "ada"}, "exists")
    assert first_failure(errors.TransactionFailed([None, taken])) is taken
    nothing = errors.TransactionFailed([None])
    assert first_failure(nothing) is nothing
