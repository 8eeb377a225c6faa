"""Bulk operations in progress: a table gets no replica until they have ended."""

from pathlib import Path

import pytest

from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.errors import ResourceInUse, ValidationError
from tests.engine.features.replicas.replicated_table import EU, US, World


def test_no_replica_is_added_during_a_bulk_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "1.json").write_text(
        '{"Item": {"artist": {"S": "nina"}, "song": {"S": "sinnerman"}}}'
    )
    world = World()
    world.default.state.bucket_directory = tmp_path
    world.create()
    request = {
        "TableName": "music",
        "InputS3Configuration": {"S3Bucket": "files", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]},
    }
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        world[US].call("StartBulkPutItems", request)
        with pytest.raises(ResourceInUse, match="has a bulk operation in progress, arn:aws:dynamodb:"):
            world.update(US, ReplicaUpdates=[{"Create": {"RegionName": EU}}])
    world[US].jobs.wake()
    world[US].jobs.wait_for_all()
    world.join(EU)
    assert world.songs(EU) == {"nina": "sinnerman"}
    with pytest.raises(ValidationError, match="Bulk put items does not support global tables"):
        world[US].call("StartBulkPutItems", request)
    world.close()
