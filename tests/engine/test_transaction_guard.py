"""The guard of write transactions finds what does not belong into one."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store


@pytest.mark.parametrize(
    "use",
    [
        lambda: time.sleep(0),
        lambda: Path("/etc/hostname").read_bytes(),
        lambda: list(Path("/etc").iterdir()),
        lambda: list(os.walk("/etc")),
        lambda: Path("/nowhere").rename("/nowhere-else"),
        lambda: socket.create_connection(("127.0.0.1", 9), timeout=0.1),
    ],
    ids=["waiting", "a file", "a directory", "a tree", "a rename", "a socket"],
)
def test_a_write_transaction_that_uses_more_than_the_storage_fails(use: Callable[[], object]) -> None:
    database = Database(open_store())
    with pytest.raises(AssertionError, match="inside of a write transaction"):
        database.sessions.write(lambda tx: use())
    database.close()
