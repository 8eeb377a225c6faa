"""EnableKinesisStreamingDestination: required members. States are in tests/engine/features/kinesis."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError


def test_the_table_name_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="The parameter 'TableName' is required"):
        db.call("EnableKinesisStreamingDestination", {})
    db.close()
