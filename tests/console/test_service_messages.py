"""Service messages: an endpoint that says nothing, or sends a web page, gets a sentence."""

import pytest

from tablewright.console.replies import problem_of
from tablewright.console.service_messages import NOT_SUPPORTED, service_message
from tablewright.errors import InternalFailure, ServiceError, UnknownOperation
from tablewright.errors import ValidationError as InvalidRequest


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UnknownOperation("An unknown operation was requested."), NOT_SUPPORTED),
        (ServiceError.of("UnknownOperationException", "", 400), NOT_SUPPORTED),
        (UnknownOperation("ListBackups is not supported"), "ListBackups is not supported"),
        (
            InternalFailure("500: <!doctype html>\n<title>500</title>"),
            "The endpoint replied with the error InternalServerError, and without a message.",
        ),
        (InvalidRequest("One or more parameter values"), "One or more parameter values"),
    ],
)
def test_each_error_has_a_sentence(error: ServiceError, message: str) -> None:
    assert service_message(error) == message
    assert message in bytes(problem_of(error).body).decode()
