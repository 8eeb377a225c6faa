"""Actions on the condition that an item is as it was read."""

from tablewright.console.transaction_members import Member, conditioned, member_key
from tests.console.shop import main

KEY = {"PK": {"S": "p"}, "SK": {"S": "s"}}


def test_every_attribute_is_compared_and_an_existing_condition_stays() -> None:
    member = Member(
        main, "Delete", {"TableName": "shop", "Key": KEY, "ConditionExpression": "a = :x OR b = :x"}
    )
    found = conditioned(member, {**KEY, "note": {"S": "n"}}).request
    terms = found["ConditionExpression"].split(" AND ")
    assert terms[0] == "(a = :x OR b = :x)"
    absent = {"GSI1PK", "GSI1SK", "GSI2PK"}
    assert set(found["ExpressionAttributeNames"].values()) == {"PK", "SK", "note", *absent}
    assert [term for term in terms if term.startswith("attribute_not_exists(")] == terms[-3:]
    assert list(found["ExpressionAttributeValues"].values()) == [{"S": "n"}]


def test_the_key_of_an_action() -> None:
    assert member_key(Member(main, "Delete", {"Key": KEY})) == KEY
    assert member_key(Member(main, "Put", {"Item": {**KEY, "x": {"N": "1"}}})) == KEY
