"""The address that a server listens on."""

import errno
import os

import pytest

from tablewright.cli.listen_address import explain_bind_error, is_loopback
from tablewright.errors import UsageError


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False), ("", False)]
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_an_unknown_host() -> None:
    with pytest.raises(UsageError, match=r"256\.1\.1\.1 is not an address of this machine; use 127\.0\.0\.1"):
        is_loopback("256.1.1.1")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.EADDRINUSE,
            "port 80 is in use; stop the program that uses it, or select a free port with --port 0",
        ),
        (errno.EACCES, "port 80 needs root privileges; use a port above 1023, or select one with --port 0"),
        (errno.EADDRNOTAVAIL, "10.0.0.1 is not an address of this machine; use 127.0.0.1"),
        (errno.EMFILE, "cannot listen on 10.0.0.1 port 80: Too many open files"),
    ],
)
def test_bind_errors_name_the_fix(number: int, message: str) -> None:
    assert explain_bind_error(OSError(number, os.strerror(number)), "10.0.0.1", 80) == message
