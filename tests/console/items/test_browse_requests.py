"""Browse requests: a Query for a partition, a Scan for everything, and errors that name what cannot work."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.console.items.browse_requests import Browse, browse_request
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import TablewrightError
from tests.console.club_design import open_club


@pytest.fixture(scope="module")
def club() -> Iterator[OpenDesign]:
    opened = open_club()
    yield opened
    opened.db.close()


def test_a_partition_is_a_query(club: OpenDesign) -> None:
    given = Browse(
        table="club",
        partition=["MEMBER#m1"],
        sort={"operator": "begins_with", "values": ["TASK#"]},  # type: ignore[arg-type]
        descending=True,
    )
    request = browse_request(club, given)
    assert (request.operation, request.is_filtered) == ("Query", False)
    assert request.members["KeyConditionExpression"] == "#0 = :0 AND begins_with(#1, :1)"
    assert request.members["ScanIndexForward"] is False
    assert list(request.members["ExpressionAttributeValues"].values()) == [{"S": "MEMBER#m1"}, {"S": "TASK#"}]


def test_everything_is_a_scan_without_expressions(club: OpenDesign) -> None:
    request = browse_request(club, Browse(table="club"))
    assert (request.operation, request.members) == (
        "Scan",
        {"TableName": "club", "ReturnConsumedCapacity": "TOTAL"},
    )


def test_a_position_has_the_keys_of_the_index_and_of_the_table(club: OpenDesign) -> None:
    request = browse_request(club, Browse(table="club", index="GSI1"))
    assert request.position_attributes == ("GSI1PK", "GSI1SK", "PK", "SK")


def test_numbers_are_numbers(club: OpenDesign) -> None:
    given = Browse(
        table="scores",
        partition=["GAME#chess"],
        sort={"operator": "between", "values": ["1", "5"]},  # type: ignore[arg-type]
    )
    values = browse_request(club, given).members["ExpressionAttributeValues"]
    assert list(values.values())[1:] == [{"N": "1"}, {"N": "5"}]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"table": "absent"}, "has no table absent"),
        ({"table": "club", "index": "GSI9"}, "has no index GSI9"),
        ({"table": "club", "partition": []}, "partition has 1 value"),
        ({"table": "club", "descending": True}, "descending is for a partition"),
        ({"table": "scores", "sort": {"operator": "begins_with", "values": ["1"]}}, "has no prefix"),
        ({"table": "club", "sort": {"operator": "between", "values": ["1"]}}, "between takes 2"),
        (
            {"table": "scores", "partition": ["x"], "sort": {"operator": "=", "values": ["x"]}},
            "rank is a number",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(club: OpenDesign, given: Any, message: str) -> None:
    with pytest.raises(TablewrightError, match=message):
        browse_request(club, Browse.model_validate(given))


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": 1001}, {"sorted": "x"}, {"role": "owner"}])
def test_an_invalid_body_is_an_error(given: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        Browse.model_validate({"table": "club", **given})
