"""Every error becomes a problem detail (RFC 9457) with a stable code."""

import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tablewright_systems.service.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from tablewright_systems.web.error_replies import (
    INTERNAL,
    UnexpectedErrors,
    add_error_replies,
    first_failure,
    store_reply,
)

from tablewright import errors

raised: list[Exception] = []


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI()
    add_error_replies(app)
    app.add_middleware(UnexpectedErrors)

    @app.get("/")
    def fail() -> None:
        raise raised.pop()

    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ApiError("x"), 400, "bad_request"),
        (Unauthenticated("x"), 401, "unauthenticated"),
        (Forbidden("x"), 403, "forbidden"),
        (NotFound("board b1"), 404, "not_found"),
        (Conflict("x"), 409, "conflict"),
        (Gone("x"), 410, "gone"),
        (Invalid("x"), 422, "invalid"),
        (TooManyRequests("x", 30), 429, "too_many"),
        (Unavailable("x"), 503, "unavailable"),
        (errors.BadCursor("x"), 422, "bad_cursor"),
        (errors.Throttling("x"), 503, "busy"),
        (errors.SeveralFound("ByName"), 500, "several_found"),
        (errors.DesignError("x"), 500, "internal"),
        (OverflowError("x"), 422, "invalid"),
        (KeyError("x"), 500, "internal"),
    ],
)
def test_error_has_a_status_and_a_code(client: TestClient, error: Exception, status: int, code: str) -> None:
    raised.append(error)
    reply = client.get("/")
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    problem = reply.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"] == f"urn:tablewright:problem:{code}"
    assert problem["title"]
    assert problem["detail"]


@pytest.mark.parametrize("field", ["userName", "user_name"])
def test_error_names_its_field_in_camel_case(client: TestClient, field: str) -> None:
    raised.append(Conflict("this name is already taken", field=field))
    assert client.get("/").json() == {
        "type": "urn:tablewright:problem:conflict",
        "title": "Conflict with the current state",
        "status": 409,
        "detail": "this name is already taken",
        "code": "conflict",
        "field": "userName",
    }


@pytest.mark.parametrize(
    ("error", "seconds"), [(TooManyRequests("x", 30), "30"), (errors.Throttling("x"), "1")]
)
def test_temporary_errors_say_when_to_retry(client: TestClient, error: Exception, seconds: str) -> None:
    raised.append(error)
    assert client.get("/").headers["retry-after"] == seconds


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (errors.AlreadyExists("User", {"user_id": "x"}, "already exists"), "it already exists"),
        (errors.DoesNotExist("User", {"user_id": "x"}, "does not exist"), "it was not found"),
        (
            errors.VersionConflict("User", {"user_id": "x"}, 1, 2),
            "another request has changed it in the meantime; read it again",
        ),
        (
            errors.OutcomeUnknown("User", {"user_id": "x"}),
            "the change was made or was not; read the resource to find out",
        ),
        (
            errors.ValueNotStorable("User.home: Address.street: an unpaired surrogate cannot be stored"),
            "home: street: an unpaired surrogate cannot be stored",
        ),
        (
            errors.BadCursor("the cursor belongs to other parameters than this BoardsOfUser"),
            "the cursor is damaged, or belongs to another list or other parameters; "
            "start again from the first page",
        ),
    ],
)
def test_errors_of_the_store_have_no_class_names(client: TestClient, error: Exception, detail: str) -> None:
    raised.append(error)
    assert client.get("/").json()["detail"] == detail


def test_failed_transaction_is_reported_as_its_first_failure(client: TestClient) -> None:
    taken = errors.UniqueViolation("User", {"id": "ada"}, "user_name", "ada")
    raised.append(errors.TransactionFailed([None, taken], ["Put", "Create"]))
    problem = client.get("/").json()
    assert (problem["status"], problem["field"]) == (409, "userName")


def test_unreadable_item_is_named_by_its_key_without_its_content(client: TestClient) -> None:
    item = {"pk": {"S": "USER#ada"}, "studyLevel": {"S": "secret"}}
    reason = "has an invalid study_level"
    raised.append(errors.UnknownItem("hub", {"pk": {"S": "USER#ada"}}, item, reason))
    problem = client.get("/").json()
    assert (problem["status"], problem["code"]) == (500, "unreadable_item")
    assert "USER#ada" in problem["detail"]
    assert "study_level" in problem["detail"]
    assert "secret" not in problem["detail"]


def test_unexpected_error_is_logged_with_the_id_that_the_client_gets(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    raised.append(KeyError("password=hunter2"))
    with caplog.at_level(logging.ERROR):
        reply = client.get("/")
    assert "hunter2" not in reply.text
    assert reply.json()["requestId"] in caplog.text
    assert "Traceback" in caplog.text


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
    "LayoutIncomplete",
    "VectorSearchUnsupported",
}


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_a_reply(name: str) -> None:
    reply = store_reply(getattr(errors, name))
    assert 400 <= reply.status < 600
    assert (reply is INTERNAL) == (name in NEVER_CAUSED_BY_REQUESTS)


@pytest.mark.parametrize(
    "name",
    ["BadCursor", *(item for item in errors.__all__ if issubclass(getattr(errors, item), errors.WriteError))],
)
def test_texts_that_name_classes_are_not_sent(name: str) -> None:
    assert store_reply(getattr(errors, name)).message


def test_first_failure_of_a_transaction() -> None:
    taken = errors.AlreadyExists("User", {"id": "ada"}, "exists")
    assert first_failure(errors.TransactionFailed([None, taken])) is taken
    nothing = errors.TransactionFailed([None])
    assert first_failure(nothing) is nothing
