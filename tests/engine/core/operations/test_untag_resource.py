"""UntagResource: remove tags from a table."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import ARN, open_music


def test_other_tags_stay_and_unknown_keys_are_ignored() -> None:
    with open_music() as db:
        tags = [{"Key": key, "Value": "v"} for key in ("team", "Team", "stage")]
        db.call("TagResource", {"ResourceArn": ARN, "Tags": tags})
        assert db.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "unknown"]}) == {}
        left = db.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"]
        assert sorted(tag["Key"] for tag in left) == ["Team", "stage"]


@pytest.mark.parametrize("keys", [[], ["x" * 129], [str(number) for number in range(51)]])
def test_invalid_keys_remove_nothing(keys: list[str]) -> None:
    with open_music() as db:
        db.call("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "0", "Value": "v"}]})
        with pytest.raises(ServiceError):
            db.call("UntagResource", {"ResourceArn": ARN, "TagKeys": keys})
        assert len(db.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"]) == 1
