"""Request log: one line for each request, and no content."""

import logging
import sys

import pytest

from tablewright.server.http_messages import Reply, Request
from tablewright.server.request_log import ContentFreeFormatter, log_request


def test_a_line_has_client_operation_status_sizes_and_duration(caplog: pytest.LogCaptureFixture) -> None:
    request = Request(b"POST", b"/", body=b"secret")
    with caplog.at_level(logging.INFO, "tablewright.access"):
        log_request("127.0.0.1", "PutItem", request, Reply(200, b"{}"), 0.0015)
    assert caplog.messages == ["127.0.0.1 POST PutItem 200 in:6 out:2 1.5ms"]


def test_an_error_is_shown_without_its_message() -> None:
    try:
        raise ValueError("secret")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, "f", 1, "PutItem failed", (), sys.exc_info())
    logging.Formatter().format(record)  # leaves the full text on the record
    shown = ContentFreeFormatter("%(message)s").format(record)
    assert shown.startswith("PutItem failed")
    assert shown.endswith("ValueError")
    assert "secret" not in shown.replace('raise ValueError("secret")', "")
