"""Replica progress: unknown until a region has read."""

from tablewright.engine.features.replicas.replica_progress import ReplicaProgress


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
