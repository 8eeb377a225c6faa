"""What the user sees of an error: operations that an endpoint lacks are named."""

import pytest
from botocore.exceptions import ClientError

from tablewright.cli.error_messages import error_message
from tablewright.errors import ResourceNotFound, ServiceError, TablewrightError, UnknownOperation


def lacking(text: str, operation: str) -> UnknownOperation:
    """The error of an endpoint, as a connection raises it."""
    try:
        reply = {"Error": {"Code": "UnknownOperationException", "Message": text}}
        raise UnknownOperation(text) from ClientError(reply, operation)
    except UnknownOperation as error:
        return error


@pytest.mark.parametrize("text", ["", "An unknown operation was requested."])
def test_an_operation_that_an_endpoint_lacks_is_named(text: str) -> None:
    assert error_message(lacking(text, "CreateBackup"), "http://127.0.0.1:8000") == (
        "http://127.0.0.1:8000 does not support CreateBackup; give another location"
    )
    assert error_message(UnknownOperation(text), None) == (
        "the endpoint does not support an operation of this command; give another location"
    )


@pytest.mark.parametrize(
    "error",
    [ResourceNotFound("gone"), UnknownOperation("ListExports is not implemented"), TablewrightError("x")],
)
def test_other_messages_stay(error: TablewrightError) -> None:
    assert error_message(error, "app.db") == str(error)


def test_a_web_page_is_no_message() -> None:
    page = ServiceError.of("500", "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>")
    assert error_message(page, None) == "The endpoint replied with the error 500, and without a message."
