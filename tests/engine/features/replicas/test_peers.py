"""Peers: replies and errors of another region."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.replicas.peers import LocalPeer, reply_of
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure, ResourceNotFound


def test_only_requests_that_write_may_create_a_region() -> None:
    database, asked = Database(open_store()), []

    def open_database(may_write: bool) -> Database:
        asked.append(may_write)
        return database

    peer = LocalPeer(open_database)
    with pytest.raises(ResourceNotFound):
        peer.call("DescribeTable", {"TableName": "music"})
    with pytest.raises(ResourceNotFound):
        peer.call("DeleteReplica", {"TableName": "music", "Group": "g", "Number": 0})
    assert asked == [False, True]
    database.close()


def test_an_error_without_a_body_is_an_internal_failure() -> None:
    assert reply_of(200, b"") == {}
    with pytest.raises(InternalFailure):
        reply_of(500, b"")
