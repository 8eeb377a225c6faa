"""Read errors: messages name the key and never the content."""

from tablewright.errors import SeveralFound, UnknownItem


def test_an_unknown_item_shows_its_key_and_not_its_content() -> None:
    item = {"PK": {"S": "user#1"}, "card": {"S": "4111"}}
    error = UnknownItem("app", {"PK": item["PK"]}, item, "has no type")
    assert str(error) == "the item PK = 'user#1' of app has no type"
    assert error.item is item


def test_several_found_names_the_pattern() -> None:
    assert "UserByEmail found several items" in str(SeveralFound("UserByEmail"))
