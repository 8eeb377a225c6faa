"""UpdateContributorInsights: required members. Settings are in tests/engine/features/insights."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ValidationError


def test_the_table_name_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="The parameter 'TableName' is required"):
        db.call("UpdateContributorInsights", {})
    db.close()


def test_a_page_has_at_most_100_entries() -> None:
    db = Database(open_store())
    assert db.call("ListContributorInsights", {}) == {"ContributorInsightsSummaries": []}
    with pytest.raises(ValidationError, match="Member must have value less than or equal to 100"):
        db.call("ListContributorInsights", {"MaxResults": 101})
    db.close()
