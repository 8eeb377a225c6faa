"""Actions on the condition that an item is as it was read."""

from tablewright.console.transaction_members import TransactionMember, conditioned, member_key
from tests.console.shop import main, open_shop

KEY = {"PK": {"S": "p"}, "SK": {"S": "s"}}


def test_every_attribute_is_compared_and_an_existing_condition_stays() -> None:
    member = TransactionMember(
        main, "Delete", {"TableName": "shop", "Key": KEY, "ConditionExpression": "a = :x OR b = :x"}
    )
    found = conditioned(member, {**KEY, "note": {"S": "n"}}).request
    terms = found["ConditionExpression"].split(" AND ")
    assert terms[0] == "(a = :x OR b = :x)"
    absent = {"GSI1PK", "GSI1SK", "GSI2PK"}
    assert set(found["ExpressionAttributeNames"].values()) == {"PK", "SK", "note", *absent}
    assert [term for term in terms if term.startswith("attribute_not_exists(")] == terms[-3:]
    assert list(found["ExpressionAttributeValues"].values()) == [{"S": "n"}]


def test_known_attributes_that_the_item_lacked_must_still_be_absent() -> None:
    member = TransactionMember(main, "Delete", {"TableName": "shop", "Key": KEY})
    found = conditioned(member, {**KEY, "note": {"S": "n"}}, ["note", "total"]).request
    names = found["ExpressionAttributeNames"]
    terms = found["ConditionExpression"].split(" AND ")
    absent = {names[term[21:-1]] for term in terms if term.startswith("attribute_not_exists(")}
    assert absent == {"total", "GSI1PK", "GSI1SK", "GSI2PK"}


def test_an_item_with_many_attributes_has_a_condition_that_dynamodb_takes() -> None:
    many = {f"a{number}": {"N": "1"} for number in range(300)}
    member = TransactionMember(main, "Delete", {"TableName": "shop", "Key": KEY})
    found = conditioned(member, {**KEY, **many}).request
    assert found["ConditionExpression"].count(" AND ") < 150
    opened = open_shop()
    with opened.db:
        opened.db.connection.call("PutItem", {"TableName": "shop", "Item": {**KEY, **many}})
        opened.db.connection.call("TransactWriteItems", {"TransactItems": [{"Delete": found}]})


def test_the_key_of_an_action() -> None:
    assert member_key(TransactionMember(main, "Delete", {"Key": KEY})) == KEY
    assert member_key(TransactionMember(main, "Put", {"Item": {**KEY, "x": {"N": "1"}}})) == KEY
