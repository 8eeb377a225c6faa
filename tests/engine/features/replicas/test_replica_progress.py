"""Replica progress: unknown until a region has read."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replica_progress import LocalPeer, ReplicaProgress, reply_of
from tablewright.engine.storage import open_store
from tablewright.errors import InternalFailure, ResourceNotFound


def test_progress_is_unknown_at_first() -> None:
    progress = ReplicaProgress()
    assert (progress.read_by(1, "eu-west-1"), progress.complete_at(1, "eu-west-1")) == (-1, 0.0)
    progress.note_read(1, "eu-west-1", 7)
    progress.note_complete(1, "eu-west-1", 100.0)
    assert (progress.read_by(1, "eu-west-1"), progress.complete_at(1, "eu-west-1")) == (7, 100.0)
    assert progress.read_by(2, "eu-west-1") == -1


def test_a_repeated_failure_is_new_only_after_a_success() -> None:
    progress = ReplicaProgress()
    assert progress.is_new_failure("music", "eu-west-1", "lost")
    assert not progress.is_new_failure("music", "eu-west-1", "lost")
    assert progress.is_new_failure("music", "us-east-1", "lost")
    progress.note_success("music", "eu-west-1")
    assert progress.is_new_failure("music", "eu-west-1", "lost")


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
