"""Global tables of version 2017: the errors of AWS, which ended that version."""

from tablewright.engine.features.replicas.global_tables.legacy_global_tables import (
    not_found,
    version_not_supported,
)


def test_errors_name_the_version_and_the_table() -> None:
    assert "version 2017.11.29 is not supported" in version_not_supported().message
    assert not_found("music").body() == {
        "__type": "com.amazonaws.dynamodb.v20120810#GlobalTableNotFoundException",
        "message": "Global table with name: 'music' does not exist.",
    }
