"""ARNs of tables, indexes and streams."""

import botocore.session
import pytest

from tablewright.engine.core.requests.arns import (
    AWS_REGIONS,
    index_arn,
    key_arn,
    parse_arn,
    table_arn,
    table_name,
)

MUSIC = "arn:aws:dynamodb:eu-west-1:123456789012:table/music"


def test_arns_are_built_from_their_parts_and_parsed_again() -> None:
    assert table_arn("eu-west-1", "music") == MUSIC
    assert index_arn(MUSIC, "by-year") == f"{MUSIC}/index/by-year"
    assert key_arn("eu-west-1", "id").startswith("arn:aws:kms:eu-west-1:123456789012:key/")
    parts = parse_arn(MUSIC)
    assert parts is not None
    assert (parts.service, parts.region, parts.account) == ("dynamodb", "eu-west-1", "123456789012")


@pytest.mark.parametrize("text", ["", "music", "arn:aws:dynamodb", "arn"])
def test_other_texts_are_no_arns(text: str) -> None:
    assert parse_arn(text) is None


def test_a_table_is_named_by_its_name_or_its_arn() -> None:
    assert table_name("music") == table_name(MUSIC) == "music"


def test_every_public_region_is_known() -> None:
    assert set(botocore.session.get_session().get_available_regions("dynamodb")) <= AWS_REGIONS
