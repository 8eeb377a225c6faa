"""PutResourcePolicy: required members. Revisions are in tests/engine/features/authorization."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError


def test_the_policy_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="Value null at 'policy' failed to satisfy constraint"):
        db.call("PutResourcePolicy", {"ResourceArn": "arn:aws:dynamodb:us-east-1:123456789012:table/music"})
    db.close()


def test_the_arn_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="Value null at 'resourceArn' failed to satisfy constraint"):
        db.call("GetResourcePolicy", {})
    db.close()
