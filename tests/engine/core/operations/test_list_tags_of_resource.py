"""ListTagsOfResource: list the tags of a table on one page."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import ARN, open_music


def test_all_fifty_tags_are_on_one_page() -> None:
    with open_music() as db:
        assert db.call("ListTagsOfResource", {"ResourceArn": ARN}) == {"Tags": []}
        tags = [{"Key": f"key-{number:02}", "Value": str(number)} for number in range(50)]
        db.call("TagResource", {"ResourceArn": ARN, "Tags": tags})
        reply = db.call("ListTagsOfResource", {"ResourceArn": ARN})
        assert sorted(reply["Tags"], key=lambda tag: str(tag["Key"])) == tags
        assert "NextToken" not in reply


@pytest.mark.parametrize(
    "arn", [ARN.replace("music", "missing"), ARN.replace("us-east-1", "eu-west-1"), "music"]
)
def test_only_a_table_of_this_region_has_tags(arn: str) -> None:
    with open_music() as db, pytest.raises(ServiceError):
        db.call("ListTagsOfResource", {"ResourceArn": arn})
